//! Features that are mostly zero: the same networks as on dense ones, without ever making them dense.

mod verify;

use cronos::auto::Preset;
use cronos::{
    Activation, Classifier, Dual, Error, Fitted, GateSource, Loss, Matrix, Model, Network, Options,
    Precision, Regressor, Sparse, Status, Table, Task,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use verify::{Raw, product, same};

/// Rows of a few words each; a row is of class 1 if it has just one of the words 0 and 1.
fn words(rows: usize, columns: usize, seed: u64) -> (Sparse, Vec<bool>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut labels = Vec::new();
    for _ in 0..rows {
        let has = [rng.random_bool(0.5), rng.random_bool(0.5)];
        let mut row: Vec<u32> = (2..columns as u32)
            .filter(|_| rng.random_bool(4.0 / columns as f64))
            .collect();
        row.extend((0..2).filter(|&j| has[j as usize]));
        row.sort_unstable();
        labels.push(has[0] != has[1]);
        for j in row {
            indices.push(j);
            values.push(0.5 + (j % 3) as f32 / 2.0);
        }
        starts.push(indices.len());
    }
    let x = Sparse::new(rows, columns, starts, indices, values).expect("sound");
    (x, labels)
}

fn dense(x: &dyn Table) -> Matrix<f64> {
    x.to_matrix().into_owned()
}

fn fast() -> Options {
    Options {
        preset: Preset::Fast,
        ..Options::default()
    }
}

/// As columns are wider than tall and as rows are more than columns, with gates given and drawn.
#[test]
fn the_convex_program_has_the_optimum_of_dense_features() {
    for (rows, columns) in [(60, 90), (80, 30)] {
        let (x, labels) = words(rows, columns, 3);
        let directions = Matrix::from_fn(columns, 8, |i, j| ((i * 8 + j) as f64 * 1.3).sin());
        for (loss, activation) in [
            (Loss::Squared, Activation::Relu),
            (Loss::Logistic, Activation::Relu),
        ] {
            let mut options = Options {
                beta: Some(0.3),
                gates: GateSource::Given(directions.clone()),
                loss: Some(loss),
                precision: Precision::F64,
                standardize: false,
                activation,
                ..Options::default()
            };
            options.settings.gap_relative = 1e-7;
            options.settings.violation = Some(1e-8);
            options.settings.max_iterations = 50_000;
            let classifier = Classifier { options };
            let of = |x: &dyn Table| classifier.fit(x, &labels).expect("fitted").fitted;
            let (sparse, whole) = (of(&x), of(&dense(&x)));
            assert_eq!(sparse.reduced_features, Some(rows));
            let [a, b] = [&sparse, &whole].map(|fitted| fitted.certificate.objective);
            assert!((a - b).abs() <= 1e-5 * b, "{loss:?}: {a} {b}");
            assert!(sparse.certificate.lower_bound <= b * (1.0 + 1e-7));
            let (unseen, _) = words(40, columns, 4);
            for x in [&x, &unseen] {
                let [a, b] = [&sparse, &whole].map(|fit| fit.network.predict(x).expect("numbers"));
                for (a, b) in a.values().iter().zip(b.values()) {
                    assert!((a - b).abs() <= 1e-3, "{a} {b}");
                }
            }
        }
    }
}

/// Standardising divides sparse features by the typical length of a row, and does no more.
#[test]
fn features_are_divided_by_one_number() {
    let (x, labels) = words(70, 40, 5);
    let whole = dense(&x);
    let norm = (whole.values().iter().map(|x| x * x).sum::<f64>() / 70.0).sqrt();
    let divided = Matrix::from_fn(70, 40, |i, j| whole.at(i, j) / norm);
    let directions = Matrix::from_fn(40, 5, |i, j| ((i * 5 + j) as f64).cos());
    let fit = |x: &dyn Table, standardize: bool| {
        let mut options = Options {
            beta: Some(0.2),
            gates: GateSource::Given(directions.clone()),
            precision: Precision::F64,
            standardize,
            ..Options::default()
        };
        options.settings.gap_relative = 1e-6;
        Classifier { options }
            .fit(x, &labels)
            .expect("fitted")
            .fitted
    };
    let (sparse, whole) = (fit(&x, true), fit(&divided, false));
    let [a, b] = [&sparse, &whole].map(|fitted| fitted.certificate.objective);
    assert!((a - b).abs() <= 1e-5 * b, "{a} {b}");
    assert!(sparse.feature_scaling.mean.iter().all(|&mean| mean == 0.0));
    assert!(
        sparse
            .feature_scaling
            .scale
            .iter()
            .all(|&scale| (scale - norm).abs() < 1e-9)
    );
}

/// The words 0 and 1 decide together, which no linear rule can.
#[test]
fn what_is_not_linear_is_learned() {
    let (x, labels) = words(1500, 300, 1);
    let trained = Classifier { options: fast() }
        .fit(&x, &labels)
        .expect("trained");
    assert_eq!(trained.fitted.status, Status::Validated);
    let search = trained.fitted.search.as_ref().expect("searched");
    assert_eq!(search.tried, [("as they are", Loss::Logistic)]);
    assert!(search.members[0].path.len() > 1);
    let (unseen, truth) = words(1000, 300, 2);
    let found = trained.predict(&unseen).expect("labels");
    let right = found.iter().zip(&truth).filter(|(a, b)| a == b).count();
    assert!(right > 950, "{right} of 1000");
    assert!(trained.fitted.planned_bytes.is_some());
}

#[test]
fn several_classes_and_numbers_are_learned() {
    let (x, _) = words(900, 60, 6);
    let whole = dense(&x);
    let class = |i: usize| match (whole.at(i, 0) > 0.0, whole.at(i, 1) > 0.0) {
        (true, _) => "first",
        (_, true) => "second",
        _ => "neither",
    };
    let labels: Vec<&str> = (0..900).map(class).collect();
    let trained = Classifier { options: fast() }
        .fit(&x, &labels)
        .expect("trained");
    let found = trained.predict(&x).expect("labels");
    let right = found.iter().zip(&labels).filter(|(a, b)| a == b).count();
    assert!(right > 880, "{right} of 900");
    let y = Matrix::from_fn(900, 1, |i, _| {
        50.0 + 10.0 * (whole.at(i, 0) - whole.at(i, 2)).max(0.0)
    });
    let fitted = Regressor { options: fast() }.fit(&x, &y).expect("trained");
    let found = fitted.network.predict(&x).expect("numbers");
    let squares = |of: &dyn Fn(usize) -> f64| (0..900).map(|i| of(i).powi(2)).sum::<f64>();
    let mean = y.values().iter().sum::<f64>() / 900.0;
    let left = squares(&|i| found.at(i, 0) - y.at(i, 0)) / squares(&|i| y.at(i, 0) - mean);
    assert!(left < 0.05, "{left}");
}

/// The program whose gates are those of the units, from raw numbers.
fn raw(x: &Sparse, labels: &[bool], fitted: &Fitted) -> (Raw, Vec<Vec<f64>>) {
    let (network, scale) = (&fitted.network, fitted.feature_scaling.scale[0]);
    let whole = dense(x);
    let rows: Vec<Vec<f64>> = (0..x.rows())
        .map(|i| {
            let raw = whole.row(i).iter().map(|x| x / scale);
            raw.chain([1.0]).collect()
        })
        .collect();
    let units: Vec<Vec<f64>> = (0..network.neurons())
        .map(|j| {
            let raw = network.hidden.row(j).iter().map(|w| w * scale);
            raw.chain([network.hidden_bias[j]]).collect()
        })
        .collect();
    let gate = |w: &Vec<f64>| rows.iter().map(|x| product(x, w) >= 0.0).collect();
    let raw = Raw {
        gates: units.iter().map(gate).collect(),
        y: labels
            .iter()
            .map(|&l| vec![if l { 1.0 } else { -1.0 }])
            .collect(),
        beta: fitted.beta,
        // without cones: what is proved then holds within them too
        relu: false,
        loss: fitted.loss,
        weights: vec![1.0; rows.len()],
        x: rows,
    };
    (raw, units)
}

/// Objective and bound of the automatic mode, again from the raw numbers.
#[test]
fn the_certificate_holds() {
    let (x, mut labels) = words(700, 120, 8);
    // labels that are wrong at times, so that the penalty stays large
    (0..700).step_by(6).for_each(|i| labels[i] = !labels[i]);
    for loss in [Loss::Squared, Loss::Logistic] {
        let options = Options {
            loss: Some(loss),
            precision: Precision::F64,
            ..fast()
        };
        let trained = Classifier { options }.fit(&x, &labels).expect("trained");
        let fitted = &trained.fitted;
        let heat = fitted.search.as_ref().expect("searched").members[0].heat;
        let (raw, units) = raw(&x, &labels, fitted);
        let outer: Vec<f64> = (0..units.len())
            .map(|j| fitted.network.output.at(j, 0) / heat)
            .collect();
        let (mut objective, mut z) = (0.0, Vec::new());
        for (w, a) in units.iter().zip(&outer) {
            objective += fitted.beta * product(w, w).sqrt() * a.abs();
        }
        for (x, y) in raw.x.iter().zip(&raw.y) {
            let terms = units.iter().zip(&outer);
            let f: f64 = terms.map(|(w, a)| a * product(x, w).max(0.0)).sum();
            objective += loss.value(&[f], y);
            let mut gradient = [0.0];
            loss.gradient(&[f], y, &mut gradient);
            z.push(gradient[0]);
        }
        let certificate = fitted.certificate;
        same("objective", certificate.objective, objective, objective);
        same(
            "network objective",
            certificate.network_objective,
            objective,
            objective,
        );
        // the largest t for which t z is feasible, and the best bound up to it
        let pull = |gate: &Vec<bool>| {
            let mut sum = vec![0.0; raw.d()];
            for ((x, z), _) in raw.x.iter().zip(&z).zip(gate).filter(|(_, open)| **open) {
                sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += z * x);
            }
            product(&sum, &sum).sqrt()
        };
        let limit = fitted.beta / raw.gates.iter().map(pull).fold(0.0, f64::max);
        // the conjugate of the logistic loss ends at 1
        let reach = match loss {
            Loss::Logistic => 1.0 / z.iter().fold(0.0, |most: f64, z| most.max(z.abs())),
            _ => f64::INFINITY,
        };
        let bound = |share: f64| {
            let t = share * limit.min(reach);
            raw.bound(&Dual {
                rows: raw.n(),
                loss: z.iter().map(|z| t * z).collect(),
                cone: Vec::new(),
            })
        };
        let best = (1..=200)
            .map(|k| bound(k as f64 / 200.0))
            .fold(0.0, f64::max);
        let reported = certificate.lower_bound;
        assert!(reported <= best + 1e-3 * objective, "{reported} {best}");
        assert!(reported <= objective);
        assert!(certificate.gap < 0.3, "{loss:?}: {certificate:?}");
    }
}

fn bits(network: &Network) -> Vec<u64> {
    let numbers = network
        .hidden
        .values()
        .iter()
        .chain(network.output.values());
    numbers
        .chain(&network.hidden_bias)
        .map(|value| value.to_bits())
        .collect()
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (x, labels) = words(1200, 400, 9);
    for gates in [GateSource::Learned { most: None }, GateSource::Sampled(6)] {
        let learned = matches!(gates, GateSource::Learned { .. });
        // fewer rows where a matrix of their products is factored
        let count = if learned { 1200 } else { 300 };
        let (x, labels) = (x.select(&(0..count).collect::<Vec<_>>()), &labels[..count]);
        let train = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("pool").install(|| {
                let options = Options {
                    gates: gates.clone(),
                    ..fast()
                };
                let trained = Classifier { options }.fit(&x, labels).expect("trained");
                (bits(&trained.fitted.network), trained.fitted.certificate)
            })
        };
        let one = train(1);
        assert!(!one.0.is_empty());
        assert!(one == train(2) && one == train(3), "learned: {learned}");
    }
}

#[test]
fn predictions_on_sparse_rows_are_those_on_dense_ones() {
    let (x, labels) = words(200, 50, 10);
    for activation in [Activation::Relu, Activation::Gated] {
        let options = Options {
            beta: Some(0.5),
            gates: GateSource::Sampled(10),
            activation,
            ..Options::default()
        };
        let fitted = Classifier {
            options: options.clone(),
        }
        .fit(&x, &labels)
        .expect("fitted")
        .fitted;
        assert!(fitted.network.neurons() > 0);
        let classes = vec!["no".into(), "yes".into()];
        let names = (0..50).map(|j| format!("word {j}")).collect();
        let mut model = Model::of(
            &fitted,
            &options,
            Task::Classification { classes },
            names,
            200,
        );
        // nothing is missing, so nothing is put in its place
        for imputation in [None, Some(vec![7.0; 50])] {
            model.imputation = imputation;
            let [a, b] = [&x as &dyn Table, &dense(&x)].map(|x| model.decide(x).expect("decided"));
            for (a, b) in a.values().iter().zip(b.values()) {
                assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} {b}");
            }
        }
        let error = fitted
            .network
            .predict(&words(3, 51, 1).0)
            .expect_err("too wide");
        assert!(error.to_string().contains("50 columns"), "{error}");
    }
}

#[test]
fn a_given_penalty_is_reached() {
    let (x, labels) = words(300, 80, 11);
    let options = Options {
        beta: Some(1.0),
        loss: Some(Loss::Squared),
        ..fast()
    };
    let fitted = Classifier { options }
        .fit(&x, &labels)
        .expect("fitted")
        .fitted;
    assert_eq!(fitted.beta, 1.0);
    assert!(matches!(
        fitted.status,
        Status::Solved | Status::IterationLimit
    ));
    assert!(fitted.certificate.lower_bound > 0.0);
}

#[test]
fn what_cannot_be_done_is_told() {
    let (x, labels) = words(4100, 30, 12);
    let sampled = Options {
        gates: GateSource::Sampled(5),
        beta: Some(1.0),
        ..Options::default()
    };
    let told = |x: &Sparse, labels: &[bool], options: &Options| {
        let classifier = Classifier {
            options: options.clone(),
        };
        classifier.fit(x, labels).expect_err("refused").to_string()
    };
    let error = told(&x, &labels, &sampled);
    assert!(
        error.contains("4000") && error.contains("4100") && error.contains("learned"),
        "{error}"
    );
    let mut small = fast();
    small.settings.memory_limit_bytes = Some(1000);
    assert!(told(&x, &labels, &small).contains("fewer rows"), "memory");
    let short = told(&x, &labels[..100], &fast());
    assert!(short.contains("4100 rows"), "{short}");
    let none = Sparse::new(20, 0, vec![0; 21], Vec::new(), Vec::new()).expect("sound");
    let labels: Vec<bool> = (0..20).map(|i| i % 2 == 0).collect();
    for options in [&fast(), &sampled] {
        let classifier = Classifier {
            options: options.clone(),
        };
        let error = classifier
            .fit(&none, &labels)
            .expect_err("nothing to learn from");
        assert!(matches!(error, Error::Shape { .. }), "{error}");
    }
    let weights = vec![-1.0; 20];
    let (x, labels) = words(20, 9, 1);
    let classifier = Classifier { options: fast() };
    let error = classifier
        .fit_observed(&x, &labels, Some(&weights), &())
        .expect_err("negative");
    assert!(error.to_string().contains("not negative"), "{error}");
}

/// Rows of weight 2 count twice, rows of weight 0 not at all.
#[test]
fn weights_count() {
    let (x, labels) = words(400, 50, 13);
    let mut weights = vec![1.0; 400];
    weights[300..].fill(0.0);
    let train = |x: &Sparse, labels: &[bool], weights: Option<&[f64]>| {
        let classifier = Classifier { options: fast() };
        classifier
            .fit_observed(x, labels, weights, &())
            .expect("trained")
    };
    let some: Vec<usize> = (0..300).collect();
    let a = train(&x, &labels, Some(&weights));
    let b = train(&x.select(&some), &labels[..300], Some(&weights[..300]));
    assert_eq!(bits(&a.fitted.network), bits(&b.fitted.network));
}

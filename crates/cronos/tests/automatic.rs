//! The automatic mode: what it chooses, and that it keeps its promises.

use cronos::auto::Preset;
use cronos::{Classifier, Fitted, Matrix, Network, Observer, Options, Regressor, Settings, Status};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows that paths are walked on, and more of them, which are learned from in batches.
const FEW: usize = 300;
const MANY: usize = 8000;

fn fast() -> Options {
    Options {
        preset: Preset::Fast,
        ..Options::default()
    }
}

fn uniform(rows: usize, columns: usize, seed: u64) -> Matrix<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values: Vec<f64> = (0..rows * columns).map(|_| rng.random()).collect();
    Matrix::from_fn(rows, columns, |i, j| values[i * columns + j])
}

/// Labels of a known chance: log-odds that bend twice.
fn noisy_labels(x: &Matrix<f64>, seed: u64) -> (Vec<f64>, Vec<bool>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let chances: Vec<f64> = (0..x.rows())
        .map(|i| {
            let log_odds = 8.0 * (x.at(i, 0) - 0.5).abs() + 3.0 * x.at(i, 1) - 3.5;
            1.0 / (1.0 + f64::exp(-log_odds))
        })
        .collect();
    let labels = chances.iter().map(|&p| rng.random_bool(p)).collect();
    (chances, labels)
}

fn bits(network: &Network) -> Vec<u64> {
    let (hidden, output) = (&network.hidden, &network.output);
    let hidden = (0..hidden.rows()).flat_map(|i| hidden.row(i));
    let output = (0..output.rows()).flat_map(|i| output.row(i));
    let all = hidden.chain(output).chain(&network.hidden_bias);
    all.map(|value| value.to_bits()).collect()
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for rows in [FEW, MANY] {
        let x = uniform(rows, 4, 1);
        let (_, labels) = noisy_labels(&x, 2);
        let train = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("pool").install(|| {
                let trained = Classifier { options: fast() }.fit(&x, &labels);
                let fitted = trained.expect("trained").fitted;
                assert_eq!(fitted.solver == "batches", rows == MANY);
                bits(&fitted.network)
            })
        };
        let one = train(1);
        assert!(!one.is_empty());
        assert!(one == train(2) && one == train(3), "{rows} rows");
    }
}

#[test]
fn another_seed_is_another_network() {
    let x = uniform(100, 3, 1);
    let (_, labels) = noisy_labels(&x, 2);
    let train = |seed: u64| {
        let options = Options { seed, ..fast() };
        let trained = Classifier { options }.fit(&x, &labels).expect("trained");
        bits(&trained.fitted.network)
    };
    assert_ne!(train(0), train(1));
}

/// Friedman's first function: bends, a product, a slope, five columns that say nothing.
fn friedman(x: &Matrix<f64>, noise: f64, seed: u64) -> Matrix<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let errors: Vec<f64> = (0..x.rows())
        .map(|_| StandardNormal.sample(&mut rng))
        .collect();
    Matrix::from_fn(x.rows(), 1, |i, _| {
        let (x, error) = (x.row(i), errors[i]);
        10.0 * (std::f64::consts::PI * x[0] * x[1]).sin()
            + 20.0 * (x[2] - 0.5).powi(2)
            + 10.0 * x[3]
            + 5.0 * x[4]
            + noise * error
    })
}

fn r_squared(found: &Matrix<f64>, y: &Matrix<f64>) -> f64 {
    let n = y.rows();
    let mean = (0..n).map(|i| y.at(i, 0)).sum::<f64>() / n as f64;
    let left: f64 = (0..n).map(|i| (found.at(i, 0) - y.at(i, 0)).powi(2)).sum();
    let all: f64 = (0..n).map(|i| (y.at(i, 0) - mean).powi(2)).sum();
    1.0 - left / all
}

#[test]
fn numbers_are_learned_as_well_as_the_noise_allows() {
    // without noise the best is 1; a linear fit reaches 0.75
    for (rows, least) in [(500, 0.95), (MANY, 0.99)] {
        let x = uniform(rows, 10, 3);
        let fitted = Regressor { options: fast() }.fit(&x, &friedman(&x, 1.0, 4));
        let fitted = fitted.expect("trained");
        assert_eq!(fitted.status, Status::Validated);
        let unseen = uniform(2000, 10, 5);
        let found = fitted.network.predict(&unseen).expect("predictions");
        let r2 = r_squared(&found, &friedman(&unseen, 0.0, 0));
        assert!(r2 > least, "{r2} from {rows} rows");
        let shown = fitted.search.expect("searched").members[0].validation_score;
        // with noise of variance 1 next to 24 the best is 0.96
        assert!((0.85..0.97).contains(&shown), "{shown}");
    }
}

/// Columns whose values span orders of magnitude, and are too many for ramps: the classes
/// lie on two sides of a plane in their logarithms.
#[test]
fn many_columns_with_long_tails_are_seen_by_rank() {
    let logs = |rows: usize, seed: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let values: Vec<f64> = (0..rows * 70)
            .map(|_| StandardNormal.sample(&mut rng))
            .collect();
        Matrix::from_fn(rows, 70, |i, j| values[i * 70 + j])
    };
    let table = |logs: &Matrix<f64>| {
        let x = Matrix::from_fn(logs.rows(), 70, |i, j| (3.0 * logs.at(i, j)).exp());
        let side = |i: usize| logs.row(i)[..10].iter().sum::<f64>() > 0.0;
        (x, (0..logs.rows()).map(side).collect::<Vec<bool>>())
    };
    let (x, labels) = table(&logs(MANY, 6));
    let trained = Classifier { options: fast() }.fit(&x, &labels);
    let trained = trained.expect("trained");
    let network = &trained.fitted.network;
    let search = trained.fitted.search.as_ref().expect("searched");
    assert_eq!(search.members[0].features, "ranks");
    assert!(network.encoding.summed && network.hidden.columns() == 70);
    let (unseen, truth) = table(&logs(2000, 7));
    let found = trained.predict(&unseen).expect("predicted");
    let right = found.iter().zip(&truth).filter(|(a, b)| a == b).count();
    assert!(right > 1800, "{right} of 2000");
}

#[test]
fn probabilities_are_calibrated() {
    let x = uniform(1500, 3, 6);
    let (_, labels) = noisy_labels(&x, 7);
    let trained = Classifier { options: fast() }.fit(&x, &labels);
    let trained = trained.expect("trained");
    assert!(trained.fitted.log_odds());
    let unseen = uniform(4000, 3, 8);
    let (chances, outcomes) = noisy_labels(&unseen, 9);
    let outputs = trained.fitted.network.predict(&unseen).expect("outputs");
    let found: Vec<f64> = (0..unseen.rows())
        .map(|i| 1.0 / (1.0 + (-outputs.at(i, 0)).exp()))
        .collect();
    let log_loss = |p: &[f64]| {
        let each = p.iter().zip(&outcomes);
        let sum: f64 = each
            .map(|(p, &y)| -(if y { *p } else { 1.0 - p }).ln())
            .sum();
        sum / p.len() as f64
    };
    let (ours, best) = (log_loss(&found), log_loss(&chances));
    assert!(ours < best + 0.02, "{ours} against {best}");
    // in every tenth of the predictions, as many as are predicted
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|&a, &b| found[a].total_cmp(&found[b]));
    for tenth in order.chunks(400) {
        let predicted = tenth.iter().map(|&i| found[i]).sum::<f64>() / 400.0;
        let happened = tenth.iter().filter(|&&i| outcomes[i]).count() as f64 / 400.0;
        assert!((predicted - happened).abs() < 0.1, "{predicted} {happened}");
    }
}

#[test]
fn rows_of_weight_zero_do_not_exist() {
    let x = uniform(160, 3, 10);
    let (_, labels) = noisy_labels(&x, 11);
    let weights: Vec<f64> = (0..160).map(|i| f64::from(i % 4 != 0)).collect();
    let kept: Vec<usize> = (0..160).filter(|i| i % 4 != 0).collect();
    let few: Vec<bool> = kept.iter().map(|&i| labels[i]).collect();
    let classifier = Classifier { options: fast() };
    let weighted = classifier.fit_observed(&x, &labels, Some(&weights), &());
    let plain = classifier.fit_observed(&x.select(&kept), &few, Some(&[1.0; 120]), &());
    let (weighted, plain) = (weighted.expect("weighted"), plain.expect("plain"));
    let (a, b) = (&weighted.fitted.network, &plain.fitted.network);
    assert_eq!(bits(a), bits(b));
}

#[test]
fn weights_move_the_boundary() {
    let x = uniform(400, 2, 12);
    let (_, labels) = noisy_labels(&x, 13);
    let positive = |factor: f64| {
        let weights: Vec<f64> = labels
            .iter()
            .map(|&y| if y { factor } else { 1.0 })
            .collect();
        let trained = Classifier { options: fast() }.fit_observed(&x, &labels, Some(&weights), &());
        let trained = trained.expect("trained");
        let found = trained.predict(&x).expect("predicted");
        let score = trained.fitted.search.expect("searched").members[0].validation_score;
        // what the search says is the weighted accuracy, as held-out rows saw it
        let right = |i: &usize| found[*i] == labels[*i];
        let total: f64 = weights.iter().sum();
        let accuracy = (0..400).filter(right).map(|i| weights[i]).sum::<f64>() / total;
        assert!((score - accuracy).abs() < 0.08, "{score} {accuracy}");
        found.iter().filter(|&&y| y).count()
    };
    let (seldom, often) = (positive(0.2), positive(5.0));
    assert!(seldom + 100 < often, "{seldom} {often}");
}

#[test]
fn more_work_is_more_folds_and_more_steps() {
    let x = uniform(150, 3, 14);
    let (_, labels) = noisy_labels(&x, 15);
    let work = |preset: Preset| {
        let options = Options {
            preset,
            ..Options::default()
        };
        let trained = Classifier { options }.fit(&x, &labels).expect("trained");
        let search = trained.fitted.search.expect("searched");
        let shares: f64 = search.members.iter().map(|member| member.weight).sum();
        assert!((shares - 1.0).abs() < 1e-9);
        search.folds * search.repeats * search.tried.len()
    };
    assert!(work(Preset::Fast) < work(Preset::Standard));
}

/// Stops after some steps of the search.
struct StopAfter(AtomicUsize);

impl Observer for StopAfter {
    fn search(&self, _: &cronos::SearchStep) -> std::ops::ControlFlow<()> {
        match self.0.fetch_sub(1, Ordering::Relaxed) {
            1 => std::ops::ControlFlow::Break(()),
            _ => std::ops::ControlFlow::Continue(()),
        }
    }
}

fn is_usable(fitted: &Fitted, x: &Matrix<f64>) {
    fitted.network.check().expect("sound");
    let found = fitted.network.predict(x).expect("predictions");
    assert!((0..x.rows()).all(|i| found.at(i, 0).is_finite()));
    let certificate = fitted.certificate;
    assert!(certificate.lower_bound <= certificate.objective * (1.0 + 1e-9));
}

#[test]
fn stopped_at_any_step_there_is_a_network() {
    for (rows, steps) in [
        (FEW, 1),
        (FEW, 2),
        (FEW, 5),
        (FEW, 40),
        (MANY, 1),
        (MANY, 8),
        (MANY, 60),
    ] {
        let x = uniform(rows, 3, 16);
        let (_, labels) = noisy_labels(&x, 17);
        let observer = StopAfter(AtomicUsize::new(steps));
        let trained = Classifier { options: fast() }.fit_observed(&x, &labels, None, &observer);
        let fitted = trained.expect("trained").fitted;
        assert_eq!(
            fitted.status,
            Status::Interrupted,
            "{rows} rows, step {steps}"
        );
        is_usable(&fitted, &x);
    }
}

#[test]
fn out_of_time_there_is_a_network() {
    let x = uniform(3000, 20, 18);
    let y = friedman(&x, 1.0, 19);
    for seconds in [1e-6, 0.3] {
        let settings = Settings {
            time_limit_seconds: Some(seconds),
            ..Settings::default()
        };
        let options = Options {
            settings,
            preset: Preset::Best,
            ..Options::default()
        };
        let fitted = Regressor { options }.fit(&x, &y).expect("trained");
        assert_eq!(fitted.status, Status::TimeLimit);
        is_usable(&fitted, &x);
    }
}

#[test]
fn memory_is_planned() {
    let x = uniform(200, 3, 20);
    let (_, labels) = noisy_labels(&x, 21);
    let with = |limit: u64, beta: Option<f64>| {
        let settings = Settings {
            memory_limit_bytes: Some(limit),
            ..Settings::default()
        };
        let options = Options {
            settings,
            beta,
            ..fast()
        };
        Classifier { options }.fit(&x, &labels)
    };
    for beta in [None, Some(1.0)] {
        let error = with(1000, beta).expect_err("too little");
        assert!(error.to_string().contains("fewer rows"), "{error}");
        let planned = with(1 << 30, beta).expect("enough").fitted.planned_bytes;
        let planned = planned.expect("planned");
        // the limit is on what comes on top of the program and the data
        let more = planned - (14 << 20) - 200 * 3 * 8;
        assert!((10_000..100_000_000).contains(&more), "{more}");
        assert!(with(more, beta).is_ok() && with(more - 1, beta).is_err());
    }
}

#[test]
fn degenerate_tables_are_learned_from() {
    let constant = Matrix::from_fn(60, 2, |_, _| 3.0);
    let labels: Vec<bool> = (0..60).map(|i| i % 3 == 0).collect();
    let trained = Classifier { options: fast() }.fit(&constant, &labels);
    let trained = trained.expect("trained");
    // nothing to see: the larger class
    let predicted = trained.predict(&constant).expect("predicted");
    assert!(predicted.iter().all(|y| !y));
    // one row of a class
    let x = uniform(40, 2, 22);
    let labels: Vec<usize> = (0..40).map(|i| if i == 7 { 2 } else { i % 2 }).collect();
    let trained = Classifier { options: fast() }.fit(&x, &labels);
    assert_eq!(trained.expect("trained").classes, [0, 1, 2]);
    // a target that never changes
    let y = Matrix::from_fn(40, 1, |_, _| -5.0);
    let fitted = Regressor { options: fast() }.fit(&x, &y).expect("trained");
    let found = fitted.network.predict(&x).expect("predicted");
    assert!((0..40).all(|i| (found.at(i, 0) + 5.0).abs() < 1e-6));
}

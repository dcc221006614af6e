//! Training as a whole, on data small enough for seconds.

use burn::tensor::Device;
use cronos::{HeadGates, HeadOptions, Loss, Matrix};
use cronos_deep::optim::Method;
use cronos_deep::{
    Architecture, Augment, End, Epoch, Goal, Inputs, Options, Rule, Samples, Trained,
};
use cronos_deep::{Layers, train};
use std::ops::ControlFlow;

fn wave(at: usize) -> f64 {
    (at as f64 * 0.7 + (at * at % 97) as f64).sin()
}

/// Images of 6 x 6 with a bright bar: lying (−1) or standing (1).
fn bars(rows: usize, first: usize) -> (Matrix<f64>, Matrix<f32>) {
    let stands = |i: usize| (first + i).is_multiple_of(2);
    let x = Matrix::from_fn(rows, 36, |i, at| {
        let place = (first + i) / 2 % 6;
        let bar = if stands(i) { at % 6 } else { at / 6 };
        0.5 * wave((first + i) * 36 + at) + if bar == place { 1.0 } else { 0.0 }
    });
    let y = Matrix::from_fn(rows, 1, |i, _| if stands(i) { 1.0 } else { -1.0 });
    (x, y)
}

fn options(rule: Rule) -> Options {
    Options {
        rule,
        head: HeadOptions {
            loss: Loss::Logistic,
            beta: 0.1,
            gates: 8,
            ..HeadOptions::default()
        },
        epochs: 12,
        batch: 32,
        decay: 0.1,
        ..Options::default()
    }
}

fn run(
    architecture: &str,
    options: &Options,
    observe: &mut dyn FnMut(&Epoch) -> ControlFlow<()>,
) -> Trained<Layers> {
    let (x, y) = bars(300, 0);
    let (x_new, y_new) = bars(200, 1000);
    let image = Some([6, 6, 1]);
    let device = Device::flex().autodiff();
    let inputs = Inputs { table: &x, image };
    let architecture: Architecture = architecture.parse().unwrap();
    let layers = architecture
        .build(&inputs.shape(), options.seed, &device)
        .unwrap();
    let validation = Samples {
        inputs: Inputs {
            table: &x_new,
            image,
        },
        y: &y_new,
        weights: None,
    };
    train(
        layers,
        Samples {
            inputs,
            y: &y,
            weights: None,
        },
        Some(validation),
        options,
        &device,
        observe,
    )
    .unwrap()
}

fn all(architecture: &str, options: &Options) -> Trained<Layers> {
    run(architecture, options, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn the_head_never_raises_the_objective() {
    for source in [HeadGates::Seed, HeadGates::Redrawn, HeadGates::Learned] {
        let mut options = options(Rule::Alternate);
        options.head.source = source;
        let trained = all("mlp:16", &options);
        for epoch in &trained.history {
            assert!(
                epoch.objective <= epoch.before_head,
                "{source:?}: {epoch:?}"
            );
            assert!(epoch.objective.is_finite());
        }
        let (first, last) = (trained.history[0], trained.history[12]);
        assert!(
            last.objective < 0.5 * first.objective,
            "{source:?}: {first:?} {last:?}"
        );
    }
}

#[test]
fn a_penalty_that_leaves_nothing_may_be_lowered() {
    let mut options = options(Rule::Alternate);
    assert_eq!(all("mlp:16", &options).beta, 0.1);
    (options.head.beta, options.head.lower, options.epochs) = (1e4, true, 1);
    let trained = all("mlp:16", &options);
    assert!(trained.beta < 1e4 && (1e4 / trained.beta).log(4.0).fract() < 1e-9);
    assert!(trained.network.neurons() > 0);
}

#[test]
fn every_rule_learns_what_a_bar_is() {
    let descend = |method: Method, rate| Rule::Descend { method, rate };
    let rules = [
        ("mlp:32", Rule::Alternate),
        ("cnn:8", Rule::Alternate),
        ("residual:8,8", Rule::Alternate),
        ("mlp:32", descend(Method::Sgd, 0.03)),
        ("mlp:32", descend(Method::Adam, 0.01)),
        ("mlp:32", descend(Method::AdamW, 0.01)),
        ("mlp:32", descend(Method::Yogi, 0.01)),
        ("mlp:32", descend(Method::Shampoo, 0.1)),
        ("mlp:32", descend(Method::DAdaptedAdam, 1.0)),
        ("mlp:32", descend(Method::DAdaptedAdamW, 1.0)),
    ];
    for (architecture, rule) in rules {
        let trained = all(architecture, &options(rule));
        let best = trained.history[trained.best];
        assert!(best.validation >= 0.9, "{architecture}, {rule:?}: {best:?}");
        let most = trained
            .history
            .iter()
            .map(|epoch| epoch.validation)
            .fold(0.0, f64::max);
        // 200 rows, and one right and one wrong more
        let share: f64 = (200.0 * most + 1.0) / 202.0;
        let enough = most - (share * (1.0 - share) / 202.0).sqrt();
        assert!(best.validation >= enough, "{best:?} is not near {most}");
        for later in &trained.history[trained.best + 1..] {
            assert!(
                later.validation < enough || later.validation_loss >= best.validation_loss,
                "{later:?} is as good, with a lower loss than {best:?}"
            );
        }
    }
}

#[test]
fn the_network_returned_is_that_of_its_best_epoch() {
    let trained = all("mlp:16", &options(Rule::Alternate));
    let (x_new, y_new) = bars(200, 1000);
    let device = Device::flex();
    let h = trained
        .features_of(
            Inputs {
                table: &x_new,
                image: Some([6, 6, 1]),
            },
            &device,
        )
        .unwrap();
    let f = trained.network.predict(&h).unwrap();
    let right = (0..200)
        .filter(|&i| (f.at(i, 0) >= 0.0) == (y_new.at(i, 0) > 0.0))
        .count();
    assert_eq!(
        right as f64 / 200.0,
        trained.history[trained.best].validation
    );
}

#[test]
fn the_same_seed_gives_the_same_bits_for_any_number_of_threads() {
    let mut options = options(Rule::Alternate);
    options.epochs = 3;
    options.augment = Some(Augment {
        shift: 1,
        mirror: true,
    });
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| all("cnn:8", &options))
    };
    let (one, two, three) = (with(1), with(2), with(3));
    assert_eq!(one.network, two.network);
    assert_eq!(one.network, three.network);
    let mut other = options.clone();
    other.seed = 1;
    assert_ne!(all("cnn:8", &other).network, one.network);
}

#[test]
fn numbers_and_several_classes_are_learned_too() {
    let x = Matrix::from_fn(400, 3, |i, j| wave(3 * i + j));
    let device = Device::flex().autodiff();
    let layers = |seed| {
        "mlp:32"
            .parse::<Architecture>()
            .unwrap()
            .build(&[3], seed, &device)
            .unwrap()
    };
    let inputs = Inputs {
        table: &x,
        image: None,
    };
    let y = Matrix::from_fn(400, 2, |i, c| (x.at(i, c) * x.at(i, c + 1)) as f32);
    let mut options = options(Rule::Alternate);
    options.head.loss = Loss::Squared;
    options.goal = Goal::Numbers;
    options.decay = 0.0;
    options.epochs = 30;
    let go_on = &mut |_: &Epoch| ControlFlow::Continue(());
    let trained = train(
        layers(1),
        Samples {
            inputs,
            y: &y,
            weights: None,
        },
        None,
        &options,
        &device,
        go_on,
    )
    .unwrap();
    let best = trained.history[trained.best];
    assert!(best.train >= 0.8, "{best:?}");

    let class = |i: usize| (x.at(i, 0) > 0.0) as usize + (x.at(i, 1) > 0.3) as usize;
    let y = Matrix::from_fn(400, 3, |i, c| if class(i) == c { 1.0 } else { 0.0 });
    options.head.loss = Loss::Softmax;
    options.goal = Goal::Classes;
    let trained = train(
        layers(2),
        Samples {
            inputs,
            y: &y,
            weights: None,
        },
        None,
        &options,
        &device,
        go_on,
    )
    .unwrap();
    let best = trained.history[trained.best];
    assert!(best.train >= 0.95, "{best:?}");
}

#[test]
fn who_breaks_off_keeps_the_best_so_far() {
    let trained = run(
        "mlp:16",
        &options(Rule::Alternate),
        &mut |epoch| match epoch.number {
            3 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        },
    );
    assert_eq!(trained.end, End::BrokenOff);
    assert_eq!(trained.history.len(), 4);
    let mut options = options(Rule::Alternate);
    options.patience = Some(2);
    options.epochs = 200;
    let trained = all("mlp:16", &options);
    assert_eq!(trained.end, End::Finished);
    assert!(trained.history.len() < 200);
    assert_eq!(trained.history.len(), trained.best + 3);
}

#[test]
fn a_rate_that_is_far_too_large_leaves_the_best_epoch_behind() {
    let mut options = options(Rule::Descend {
        method: Method::Sgd,
        rate: 1e30,
    });
    options.head.loss = Loss::Squared;
    let trained = all("mlp:16", &options);
    assert_eq!(trained.end, End::Diverged);
    assert!(trained.history.len() <= 12 && trained.best < trained.history.len());
    let (x_new, _) = bars(200, 1000);
    let inputs = Inputs {
        table: &x_new,
        image: Some([6, 6, 1]),
    };
    let h = trained.features_of(inputs, &Device::flex()).unwrap();
    assert!(trained.network.predict(&h).is_ok());
}

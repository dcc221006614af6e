//! Made-up parts of a report, the same on every machine.

use crate::report::{
    self, Choice, Confusion, ConvergencePoint, Figure, FileNote, Importance, Mistake, PathPoint,
    Permutation, Residuals, RoundPoint,
};

/// Numbers from 0 to 1, the same on every machine.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    }
}

pub fn headline() -> Vec<Figure> {
    [
        ("Test accuracy", "98.14 %", "539 rows"),
        ("Train accuracy", "100.00 %", "1258 rows"),
        ("Certified gap", "0.994 %", "cone violation 0.050 %"),
        ("Neurons", "412", "from 100 gates"),
        ("Time", "24.2 s", "1260 iterations"),
    ]
    .map(|(label, value, note)| Figure {
        label: label.into(),
        value: value.into(),
        note: note.into(),
    })
    .to_vec()
}

pub fn chosen() -> Vec<Choice> {
    [
        (
            "task",
            "classification",
            "the target is a few whole numbers",
        ),
        (
            "penalty β",
            "0.6698",
            "best validation accuracy of 24 penalties, 5 folds",
        ),
        (
            "loss",
            "squared",
            "faster than the logistic loss and as accurate here",
        ),
        (
            "gates",
            "100, learned",
            "5 rounds; the neurons of a round are the gates of the next",
        ),
        ("encoding", "64 numbers", "no column holds text"),
        ("ensemble", "1 network", "more networks did not pay"),
        (
            "solver",
            "direct",
            "factoring S (1258 x 1258) once costs less than solving with it by iteration",
        ),
    ]
    .map(|(what, value, why)| Choice {
        what: what.into(),
        value: value.into(),
        why: why.into(),
    })
    .to_vec()
}

pub fn convergence(iterations: usize) -> Vec<ConvergencePoint> {
    let mut next = noise(1);
    let (mut bound, mut points) = (0.0, Vec::new());
    for iteration in 1..=iterations {
        let time = iteration as f64 / iterations as f64;
        let objective = 69.0 - 30.0 * (-9.0 * time).exp() + 0.1 * (next() - 0.5);
        if iteration % 10 == 0 {
            bound = 68.5 * (1.0 - (-11.0 * time).exp());
        }
        points.push(ConvergencePoint {
            iteration,
            objective,
            lower_bound: bound,
            gap: (objective - bound).abs() / objective,
            violation: 0.1 * (-6.0 * time).exp() * (1.0 + 0.2 * (40.0 * time).sin()),
        });
    }
    points
}

pub fn path() -> Vec<PathPoint> {
    let mut next = noise(2);
    (0..24)
        .map(|i| {
            let place = f64::from(i) / 23.0;
            PathPoint {
                beta: 300.0 * 10f64.powf(-4.0 * place),
                objective: 20.0 + 600.0 * (1.0 - place).powi(3),
                lower_bound: 19.0 + 595.0 * (1.0 - place).powi(3),
                neurons: (1 + i * i * 4) as usize,
                train_score: 1.0 - 0.6 * (-7.0 * place).exp(),
                validation_score: 0.985 - 0.6 * (-6.0 * place).exp() - 0.03 * place.powi(6)
                    + 0.003 * next(),
                spread: 0.006 + 0.02 * (1.0 - place).powi(2),
                chosen: i == 16,
            }
        })
        .collect()
}

pub fn rounds() -> Vec<RoundPoint> {
    [
        (83.1, 792),
        (74.9, 655),
        (71.2, 530),
        (69.9, 447),
        (69.3, 412),
    ]
    .into_iter()
    .enumerate()
    .map(|(i, (network_objective, neurons))| RoundPoint {
        round: i + 1,
        network_objective,
        neurons,
    })
    .collect()
}

pub fn confusion(classes: Vec<String>) -> Confusion {
    let mut next = noise(3);
    let n = classes.len();
    let counts = (0..n)
        .map(|i| {
            (0..n)
                .map(|j| match i == j {
                    true => 40 + (20.0 * next()) as usize,
                    false => (6.0 * next().powi(12)) as usize,
                })
                .collect()
        })
        .collect();
    Confusion {
        of: "539 test rows".into(),
        classes,
        counts,
    }
}

pub fn residuals(rows: usize, scale: f64) -> Residuals {
    let mut next = noise(4);
    let (mut predicted, mut actual) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let value = scale * (250.0 * next() + 90.0 * next());
        let error = scale * (next() + next() + next() - 1.5) * 40.0;
        predicted.push(value);
        actual.push(value + error);
    }
    Residuals {
        output: "price".into(),
        of: format!("{} test rows", report::whole(rows)),
        predicted,
        actual,
    }
}

pub fn importance() -> Vec<Importance> {
    let mut next = noise(5);
    (0..64)
        .map(|i| Importance {
            feature: format!("pixel_{}_{}", i / 8, i % 8),
            group_norm: next() / 32.0,
            permutation: Some(Permutation {
                mean: 0.12 * next().powi(3) - 0.004,
                spread: 0.002 + 0.01 * next(),
            }),
        })
        .collect()
}

/// Real digits with made-up mistakes.
pub fn mistakes() -> Result<Vec<Mistake>, Box<dyn std::error::Error>> {
    let digits = cronos_data::read("digits", &cronos_data::ReadOptions::default())?.train;
    let mistake = |i: usize| Mistake {
        pixels: digits.features.row(i * 7),
        width: 8,
        height: 8,
        channels: 1,
        truth: (i % 10).to_string(),
        predicted: ((i + 1 + i / 10) % 10).to_string(),
    };
    Ok((0..60).map(mistake).collect())
}

pub fn file(name: &str, about: &str, beside: bool) -> FileNote {
    FileNote {
        name: name.into(),
        about: about.into(),
        beside,
    }
}

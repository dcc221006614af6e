//! What `cronos compare` tells, over several seeds: who reached what at which cost.

use super::pieces::{mean, over_seeds, percent, rates, seconds};
use super::record::{Record, number};
use cronos_page::html::{figure, side_by_side, table};
use cronos_page::trajectories::{Against, Measure, Trajectories, every_run, medians};
use serde_json::Value;

/// The alternation, as reports name it.
pub const OURS: &str = "cronos-am";
/// Names in reports and in print, in the order of their colours.
const NAMES: [(&str, &str); 8] = [
    (OURS, "CRONOS-AM"),
    ("sgd", "SGD"),
    ("adam", "Adam"),
    ("adamw", "AdamW"),
    ("yogi", "Yogi"),
    ("shampoo", "Shampoo"),
    ("dadam", "DAdam"),
    ("dadamw", "DAdamW"),
];

/// One way to train, over all seeds.
pub struct Contender {
    pub name: &'static str,
    key: &'static str,
    hue: usize,
    /// Lowest and highest peak on validation rows, over rates and seeds.
    peaks: (f64, f64),
    rates: Vec<f64>,
    /// Test accuracy of the run that was chosen on validation rows, for each seed.
    pub tests: Vec<f64>,
    /// Seconds of training with all rates, for each seed.
    seconds: Vec<f64>,
    by_seconds: Vec<Vec<(f64, f64)>>,
    by_epochs: Vec<Vec<(f64, f64)>>,
}

/// All contenders of some comparisons.
pub fn contenders(records: &[&Record]) -> Result<Vec<Contender>, String> {
    let mut found = Vec::new();
    for (hue, (key, name)) in NAMES.into_iter().enumerate() {
        let mut one = Contender {
            name,
            key,
            hue,
            peaks: (f64::INFINITY, f64::NEG_INFINITY),
            rates: Vec::new(),
            tests: Vec::new(),
            seconds: Vec::new(),
            by_seconds: Vec::new(),
            by_epochs: Vec::new(),
        };
        for record in records {
            let all = record.outcome["optimizers"].as_array();
            let own = all.and_then(|all| all.iter().find(|other| other["name"] == key));
            if let Some(own) = own {
                one.add(own)?;
            }
        }
        if !one.tests.is_empty() {
            found.push(one);
        }
    }
    Ok(found)
}

impl Contender {
    fn add(&mut self, own: &Value) -> Result<(), String> {
        let (low, high) = self.peaks;
        // a run without any number has no peak
        let peak = |name: &str| own[name].as_f64().unwrap_or(f64::NAN);
        self.peaks = (low.min(peak("lowest_peak")), high.max(peak("highest_peak")));
        self.rates.extend(own["best_rate"].as_f64());
        self.tests.push(number(own, "/test/accuracy")?);
        self.seconds.push(number(own, "/seconds")?);
        for run in own["runs"].as_array().into_iter().flatten() {
            let epochs = run["history"].as_array();
            let line = |x: &str| -> Vec<(f64, f64)> {
                let point = |epoch: &Value| {
                    // what is no number is written as null
                    let score = epoch["validation"].as_f64().unwrap_or(f64::NAN);
                    Some((epoch[x].as_f64()?, score))
                };
                epochs.into_iter().flatten().filter_map(point).collect()
            };
            self.by_seconds.push(line("seconds"));
            self.by_epochs.push(line("epoch"));
        }
        Ok(())
    }

    fn drawn(&self, runs: &[Vec<(f64, f64)>]) -> Trajectories {
        Trajectories {
            name: self.name.into(),
            hue: self.hue,
            runs: runs.to_vec(),
        }
    }
}

/// A table of who reached what; `paper` has the peaks of the paper by name.
pub fn results(contenders: &[Contender], paper: &[(&str, &str)]) -> String {
    let row = |one: &Contender| {
        let (low, high) = one.peaks;
        let peaks = match (high - low) < 5e-5 {
            true => percent(high),
            false => format!("{:.2} to {}", 100.0 * low, percent(high)),
        };
        let theirs = paper.iter().find(|(name, _)| *name == one.name);
        vec![
            one.name.to_owned(),
            over_seeds(&one.tests),
            peaks,
            theirs.map_or("–".into(), |(_, peaks)| (*peaks).to_owned()),
            rates(&one.rates),
            seconds(mean(&one.seconds)),
        ]
    };
    let rows: Vec<Vec<String>> = contenders.iter().map(row).collect();
    let head = [
        "optimizer",
        "test accuracy",
        "peaks on validation rows",
        "in the paper",
        "best rate",
        "time, all rates",
    ];
    table("Results of the optimizers", &head, &rows)
}

/// Who wins, in a sentence.
pub fn verdict(contenders: &[Contender]) -> String {
    let ours = contenders.iter().find(|one| one.key == OURS);
    let others = contenders.iter().filter(|one| one.key != OURS);
    let best = others.max_by(|a, b| mean(&a.tests).total_cmp(&mean(&b.tests)));
    let (Some(ours), Some(best)) = (ours, best) else {
        return String::new();
    };
    let apart = 100.0 * (mean(&ours.tests) - mean(&best.tests));
    let cost = mean(&best.seconds) / mean(&ours.seconds);
    let place = match apart {
        apart if apart >= 0.005 => format!("{apart:.2} points above"),
        apart if apart <= -0.005 => format!("{:.2} points below", -apart),
        _ => "level with".into(),
    };
    format!(
        "CRONOS-AM tests at {}, {place} the best of the others, {} ({}), which took {cost:.1} times \
         as long with all its rates.",
        percent(mean(&ours.tests)),
        best.name,
        percent(mean(&best.tests)),
    )
}

/// Scores against time and epochs, and every rate.
pub fn figures(id: [&str; 3], contenders: &[Contender]) -> String {
    let measure = Measure::of_classes(true);
    let by_seconds: Vec<_> = contenders
        .iter()
        .map(|one| one.drawn(&one.by_seconds))
        .collect();
    let by_epochs: Vec<_> = contenders
        .iter()
        .map(|one| one.drawn(&one.by_epochs))
        .collect();
    let charts = [
        medians(id[0], &by_seconds, &measure, Against::Seconds),
        medians(id[1], &by_epochs, &measure, Against::Epochs),
        every_run(id[2], &by_epochs, &measure, Against::Epochs),
    ];
    let drawn = |chart| {
        let keys: Vec<_> = by_seconds.iter().map(Trajectories::key).collect();
        figure(&chart, &keys)
    };
    let figures: Vec<String> = charts.into_iter().flatten().map(drawn).collect();
    side_by_side(&figures)
}

//! What the records say together.

use super::method::Method;
use super::record::{Outcome, Record};
use serde::Serialize;
use std::collections::BTreeMap;

/// What was measured.
#[derive(Debug, PartialEq, Serialize)]
pub struct Summary {
    /// One for each method that was measured.
    pub methods: Vec<Line>,
    /// By how much the worst of the learned networks lies below the best that random
    /// gates can do: the smallest of their lower bounds and objectives.
    pub learning_saves: Option<f64>,
    /// By how much the worst of the learned networks lies below the best restart of
    /// PyTorch; negative if it is above.
    pub below_restarts: Option<f64>,
    /// The largest relative difference between an objective of cronos and the one
    /// that numpy computes from its saved weights.
    pub disagreement: Option<f64>,
    /// Machines and commits of the measurements, each once.
    pub origins: Vec<String>,
    /// Measurements that failed and were not made since.
    pub failures: Vec<String>,
}

/// What a method reached over its seeds.
#[derive(Debug, PartialEq, Serialize)]
pub struct Line {
    /// The method.
    pub method: String,
    /// What it is.
    pub about: String,
    /// How many seeds there are.
    pub runs: usize,
    /// The lowest objective.
    pub best: f64,
    /// The median objective.
    pub median: f64,
    /// The highest objective.
    pub worst: f64,
    /// The lowest of the objectives of the networks themselves, where they are told apart.
    pub network: Option<f64>,
    /// The lowest of the bounds that are certified for its gates.
    pub bound: Option<f64>,
    /// Runs of L-BFGS that the limit of steps ended, not convergence, and that limit.
    pub cut: Option<(usize, usize)>,
    /// Median of the units.
    pub neurons: f64,
    /// Median.
    pub seconds: f64,
}

/// Summarises the records of some methods.
pub fn summarise(measured: &[(Method, Vec<Record>)]) -> Summary {
    let mut lines = Vec::new();
    let mut failures = Vec::new();
    let mut origins = Vec::new();
    let mut disagreement: Option<f64> = None;
    for (method, records) in measured {
        // the last outcome of a seed counts
        let mut outcomes: BTreeMap<u64, &Outcome> = BTreeMap::new();
        for record in records {
            if let Some(outcome) = &record.outcome {
                outcomes.insert(record.seed, outcome);
                let origin = format!("commit {}, {}", record.commit, record.machine);
                if !origins.contains(&origin) {
                    origins.push(origin);
                }
            }
        }
        for record in records {
            if let (Some(error), false) = (&record.error, outcomes.contains_key(&record.seed)) {
                failures.push(format!("{}, seed {}: {error}", method.name(), record.seed));
            }
        }
        for outcome in outcomes.values() {
            if let (Some(again), Some(own)) = (outcome.recomputed, network(outcome)) {
                let apart = (again - own).abs() / own.abs();
                disagreement = Some(disagreement.map_or(apart, |most| most.max(apart)));
            }
        }
        let outcomes: Vec<&Outcome> = outcomes.into_values().collect();
        if !outcomes.is_empty() {
            lines.push(line(*method, &outcomes));
        }
    }
    let find = |method: Method| lines.iter().find(|line| line.method == method.name());
    let learned = find(Method::Learned).map(|line| line.worst);
    let random = find(Method::Random).map(|line| {
        let others = [line.network, line.bound].into_iter().flatten();
        others.fold(line.best, f64::min)
    });
    let restarts = [Method::Lbfgs, Method::Adam]
        .into_iter()
        .filter_map(|method| Some(find(method)?.best))
        .reduce(f64::min);
    let saves = |other: Option<f64>| Some(1.0 - learned? / other?);
    Summary {
        learning_saves: saves(random),
        below_restarts: saves(restarts),
        methods: lines,
        disagreement,
        origins,
        failures,
    }
}

fn line(method: Method, outcomes: &[&Outcome]) -> Line {
    let sorted = |value: fn(&Outcome) -> f64| {
        let mut values: Vec<f64> = outcomes.iter().map(|one| value(one)).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let objectives = sorted(|one| one.objective);
    let lowest = |value: fn(&Outcome) -> Option<f64>| {
        let values = outcomes.iter().filter_map(|one| value(one));
        values.reduce(f64::min)
    };
    Line {
        method: method.name().into(),
        about: method.about().into(),
        runs: outcomes.len(),
        best: objectives[0],
        median: median(&objectives),
        worst: objectives[objectives.len() - 1],
        network: lowest(network),
        bound: lowest(|one| one.details.get("lower_bound")?.as_f64()),
        cut: (method == Method::Lbfgs).then(|| cut(outcomes)),
        neurons: median(&sorted(|one| one.neurons as f64)),
        seconds: median(&sorted(|one| one.seconds)),
    }
}

/// How many runs made all the steps they were allowed, and the most that was allowed.
fn cut(outcomes: &[&Outcome]) -> (usize, usize) {
    let ended = |one: &&&Outcome| {
        let made = one.details.get("iterations").and_then(|made| made.as_u64());
        made.is_some_and(|made| made >= one.steps as u64)
    };
    let most = outcomes.iter().map(|one| one.steps).max();
    (outcomes.iter().filter(ended).count(), most.unwrap_or(0))
}

/// The objective of the network itself, in a report of cronos.
fn network(outcome: &Outcome) -> Option<f64> {
    outcome.details.get("network_objective")?.as_f64()
}

/// Of sorted values.
fn median(values: &[f64]) -> f64 {
    let count = values.len();
    values[(count - 1) / 2].midpoint(values[count / 2])
}

#[cfg(test)]
pub mod tests {
    use super::{Method, Record, summarise};
    use serde_json::json;

    pub fn record(method: Method, seed: u64, objective: f64) -> Record {
        let details = match method.is_cronos() {
            true => json!({ "network_objective": objective + 0.5, "lower_bound": objective - 1.0 }),
            false => json!({ "iterations": 7 }),
        };
        serde_json::from_value(json!({
            "method": method.name(), "seed": seed, "objective": objective,
            "seconds": 2.0 * objective, "neurons": 100 + seed, "steps": 0,
            "recomputed": method.is_cronos().then_some((objective + 0.5) * 1.001),
            "details": details, "machine": "m", "date": "d", "commit": "c",
        }))
        .unwrap()
    }

    fn failed(method: Method, seed: u64) -> Record {
        serde_json::from_value(json!({
            "method": method.name(), "seed": seed, "error": "no", "machine": "m", "date": "d",
            "commit": "c",
        }))
        .unwrap()
    }

    #[test]
    fn savings_compare_the_worst_learned_with_the_best_of_the_others() {
        let (random, learned) = (Method::Random, Method::Learned);
        let summary = summarise(&[
            (
                random,
                vec![record(random, 0, 41.0), record(random, 1, 45.0)],
            ),
            (
                learned,
                vec![record(learned, 0, 7.0), record(learned, 1, 8.0)],
            ),
            (Method::Lbfgs, vec![record(Method::Lbfgs, 0, 10.0)]),
            (Method::Adam, vec![record(Method::Adam, 0, 16.0)]),
        ]);
        // the bound 40 of random gates, not their objective 41; the worse seed, 8
        assert_eq!(summary.learning_saves, Some(1.0 - 8.0 / 40.0));
        assert_eq!(summary.below_restarts, Some(1.0 - 8.0 / 10.0));
        assert!((summary.disagreement.unwrap() - 0.001).abs() < 1e-12);
        let line = &summary.methods[0];
        assert_eq!((line.best, line.median, line.worst), (41.0, 43.0, 45.0));
        assert_eq!((line.network, line.bound), (Some(41.5), Some(40.0)));
        assert_eq!((line.neurons, line.seconds), (100.5, 86.0));
        assert_eq!(summary.methods[2].bound, None);
        assert_eq!(summary.origins, ["commit c, m"]);
    }

    #[test]
    fn restarts_that_the_limit_ended_are_told() {
        let lbfgs = Method::Lbfgs;
        // seven iterations each
        let records = [5, 7, 8].into_iter().enumerate().map(|(seed, steps)| {
            let mut record = record(lbfgs, seed as u64, 3.0);
            record.outcome.as_mut().unwrap().steps = steps;
            record
        });
        let summary = summarise(&[(lbfgs, records.collect())]);
        assert_eq!(summary.methods[0].cut, Some((2, 8)));
    }

    #[test]
    fn a_failure_counts_until_its_seed_succeeds() {
        let adam = Method::Adam;
        let records = vec![failed(adam, 0), failed(adam, 1), record(adam, 1, 3.0)];
        let summary = summarise(&[(adam, records)]);
        assert_eq!(summary.failures, ["adam, seed 0: no"]);
        assert_eq!(summary.methods[0].runs, 1);
        assert_eq!(summary.learning_saves, None);
    }
}

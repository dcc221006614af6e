//! From records to the figures of the report.

use super::learner::Outcome;
use super::record::Record;
use crate::rank::{EQUAL, ranks};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The figures of a report, over the splits that all learners have.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// One line per learner.
    pub learners: Vec<Line>,
    /// One row per table.
    pub tables: Vec<Row>,
    /// Splits (a table and a seed) that all learners have.
    pub splits: usize,
    /// Splits that some learner has and another has not.
    pub left_out: usize,
    /// What failed and was not made good since.
    pub failures: Vec<Failure>,
}

/// The figures of a learner.
#[derive(Debug, PartialEq, Serialize)]
pub struct Line {
    /// Its name.
    pub learner: String,
    /// Mean over the tables of the mean over their seeds.
    pub accuracy: f64,
    /// Rank on each split, averaged like the accuracy.
    pub rank: f64,
    /// Median over the splits.
    pub seconds: f64,
    /// Tables on which no learner has a larger mean accuracy.
    pub wins: usize,
    /// How often its runs ended how, if it says so.
    pub statuses: BTreeMap<String, usize>,
}

/// The mean accuracies on a table, in the order of the learners.
#[derive(Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub table: String,
    /// How many of its splits all learners have.
    pub seeds: usize,
    /// Mean over the seeds.
    pub accuracies: Vec<f64>,
}

impl Row {
    /// Whether no learner has a larger accuracy.
    pub fn is_best(&self, accuracy: f64) -> bool {
        self.accuracies
            .iter()
            .all(|other| accuracy >= other - EQUAL)
    }
}

/// A measurement that failed.
#[derive(Debug, PartialEq, Serialize)]
pub struct Failure {
    /// The learner.
    pub learner: String,
    /// The table.
    pub table: String,
    /// The seed.
    pub seed: u64,
    /// Why.
    pub error: String,
}

type Pair = (String, u64);

/// Summarises the records of some learners.
pub fn summarise(records: &[(&str, Vec<Record>)]) -> Result<Summary, String> {
    let mut failures = Vec::new();
    let mut seen: BTreeSet<Pair> = BTreeSet::new();
    let mut prints: BTreeMap<Pair, &str> = BTreeMap::new();
    let mut outcomes: Vec<BTreeMap<Pair, &Outcome>> = Vec::new();
    for (learner, records) in records {
        let mut done = BTreeMap::new();
        let mut failed = BTreeMap::new();
        for record in records {
            seen.insert(record.pair());
            if let (Some(outcome), Some(rows)) = (&record.outcome, &record.rows) {
                done.insert(record.pair(), outcome);
                let print = *prints.entry(record.pair()).or_insert(&rows.fingerprint);
                if print != rows.fingerprint {
                    return Err(format!(
                        "{learner} was trained on other rows of {}, seed {}, than the rest; \
                         remove the file of its records and run it again",
                        record.table, record.seed
                    ));
                }
            } else if let Some(error) = &record.error {
                failed.insert(record.pair(), error);
            }
        }
        failed.retain(|pair, _| !done.contains_key(pair));
        failures.extend(failed.into_iter().map(|((table, seed), error)| Failure {
            learner: (*learner).to_owned(),
            table,
            seed,
            error: error.clone(),
        }));
        outcomes.push(done);
    }
    let common: BTreeMap<Pair, Vec<&Outcome>> = seen
        .iter()
        .filter_map(|pair| {
            let all = outcomes.iter().map(|done| done.get(pair).copied());
            Some((pair.clone(), all.collect::<Option<Vec<_>>>()?))
        })
        .collect();
    let names: Vec<&str> = records.iter().map(|(name, _)| *name).collect();
    let (learners, tables) = figures(&names, &common);
    Ok(Summary {
        learners,
        tables,
        splits: common.len(),
        left_out: seen.len() - common.len(),
        failures,
    })
}

/// The lines and the rows of the splits that all learners have.
fn figures(names: &[&str], common: &BTreeMap<Pair, Vec<&Outcome>>) -> (Vec<Line>, Vec<Row>) {
    let mut rows: Vec<Row> = Vec::new();
    // for every table and learner the sum of its ranks
    let mut places: Vec<Vec<f64>> = Vec::new();
    for ((table, _), outcomes) in common {
        // a table's splits stand next to each other
        if rows.last().is_none_or(|row| row.table != *table) {
            rows.push(Row {
                table: table.clone(),
                seeds: 0,
                accuracies: vec![0.0; names.len()],
            });
            places.push(vec![0.0; names.len()]);
        }
        let accuracies: Vec<f64> = outcomes.iter().map(|one| one.accuracy).collect();
        if let (Some(row), Some(place)) = (rows.last_mut(), places.last_mut()) {
            row.seeds += 1;
            add(&mut row.accuracies, &accuracies);
            add(place, &ranks(&accuracies));
        }
    }
    for (row, place) in rows.iter_mut().zip(&mut places) {
        for value in row.accuracies.iter_mut().chain(place) {
            *value /= row.seeds as f64;
        }
    }
    let line = |(place, name): (usize, &&str)| {
        let own: Vec<&Outcome> = common.values().map(|all| all[place]).collect();
        let won = |row: &&Row| row.is_best(row.accuracies[place]);
        Line {
            learner: (*name).to_owned(),
            accuracy: mean(rows.iter().map(|row| row.accuracies[place])),
            rank: mean(places.iter().map(|ranks| ranks[place])),
            seconds: median(own.iter().map(|one| one.seconds).collect()),
            wins: rows.iter().filter(won).count(),
            statuses: statuses(&own),
        }
    };
    let lines = names.iter().enumerate().map(line).collect();
    (lines, rows)
}

fn add(sums: &mut [f64], values: &[f64]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

fn statuses(outcomes: &[&Outcome]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let status = |one: &&Outcome| Some(one.details.get("status")?.as_str()?.to_owned());
    for status in outcomes.iter().filter_map(status) {
        *counts.entry(status).or_default() += 1;
    }
    counts
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[count / 2],
        count => values[count / 2 - 1].midpoint(values[count / 2]),
    }
}

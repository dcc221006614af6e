//! `run tables`: makes the measurements that are missing.

use super::collection::{Table, choose, tables};
use super::learner::{Learner, Outcome, build_cronos, cronos};
use super::peers::Peers;
use super::record::{Record, file, measured};
use super::split::{Split, prepare};
use super::{RunOptions, folder};
use crate::{records, say};
use std::collections::BTreeSet;
use std::fs;
use xtask::stamp;

/// Runs every learner on every split that has no measurement yet, learner after
/// learner, and seed after seed within each.
pub fn run(options: &RunOptions) -> Result<(), String> {
    let results = folder(options.results.as_deref())?;
    let tables = choose(tables(&options.data)?, &options.only, options.quick)?;
    let seeds = if options.quick { 1 } else { options.seeds };
    let learners = super::learners(&options.learner);
    fs::create_dir_all(&results)
        .map_err(|error| format!("{} cannot be made: {error}", results.display()))?;
    let mut jobs = Vec::new();
    for &learner in &learners {
        let done = measured(&records::read(&file(&results, learner))?);
        jobs.extend(missing(&tables, seeds, &done).map(|(table, seed)| (learner, table, seed)));
    }
    let all = learners.len() * tables.len() * seeds as usize;
    say(&format!(
        "{} of {all} measurements to make, in {}",
        jobs.len(),
        results.display()
    ));
    let commit = stamp::commit();
    let mut bench = Bench::prepare(jobs.iter().map(|&(learner, ..)| learner))?;
    let mut failures = 0;
    for (place, &(learner, table, seed)) in jobs.iter().enumerate() {
        let split = prepare(table, seed, &results.join("splits"));
        let outcome = match &split {
            Ok(split) => bench.train(learner, seed, split),
            Err(error) => Err(error.clone()),
        };
        let said = match &outcome {
            Ok(Outcome {
                accuracy, seconds, ..
            }) => format!("{:.2} % in {seconds:.2} s", 100.0 * accuracy),
            Err(error) => format!("failed: {error}"),
        };
        failures += usize::from(outcome.is_err());
        let (number, of, name) = (place + 1, jobs.len(), learner.name());
        let line = format!(
            "[{number}/{of}] {name} on {}, seed {seed}: {said}",
            table.name
        );
        say(&line);
        let record = Record::new(&table.name, seed, learner, split.ok(), outcome, &commit);
        records::append(&file(&results, learner), &record)?;
    }
    match failures {
        0 => Ok(()),
        _ => Err(format!(
            "{failures} of {} measurements failed; their records say why, and the next run tries \
             them again",
            jobs.len()
        )),
    }
}

/// The tables and seeds that are not done, all tables of the first seed first.
pub fn missing<'a>(
    tables: &'a [Table],
    seeds: u64,
    done: &BTreeSet<(String, u64)>,
) -> impl Iterator<Item = (&'a Table, u64)> {
    (0..seeds)
        .flat_map(|seed| tables.iter().map(move |table| (table, seed)))
        .filter(|(table, seed)| !done.contains(&(table.name.clone(), *seed)))
}

/// What the learners need: the version of the `cronos` that was built, and the
/// process of the peers.
struct Bench {
    cronos: String,
    peers: Option<Peers>,
}

impl Bench {
    /// Makes what these learners need. Without it none of them could run, so a
    /// failure here ends the run and is no measurement.
    fn prepare(learners: impl Iterator<Item = Learner>) -> Result<Self, String> {
        let (cronos, peers): (Vec<_>, Vec<_>) = learners.partition(|one| *one == Learner::Cronos);
        Ok(Bench {
            cronos: if cronos.is_empty() {
                String::new()
            } else {
                build_cronos()?
            },
            peers: if peers.is_empty() {
                None
            } else {
                Some(Peers::start()?)
            },
        })
    }

    fn train(&mut self, learner: Learner, seed: u64, split: &Split) -> Result<Outcome, String> {
        if learner == Learner::Cronos {
            return cronos(split, &self.cronos);
        }
        let peers = match &mut self.peers {
            Some(peers) => peers,
            None => self.peers.insert(Peers::start()?),
        };
        peers.train(learner, seed, split).unwrap_or_else(|broken| {
            // a new process for the next learner
            self.peers = None;
            Err(broken)
        })
    }
}

//! The rows that the penalties of a path are judged by.

use crate::commands::job::{HOLDOUT, Job};
use crate::commands::labelled::{Truth, WithTruth};
use crate::failure::Failure;
use cronos::{Table, holdout};

/// Takes the held-out rows. Rows to test on are left for the end, when the best
/// network is known, so then some training rows are held out instead.
pub fn set_aside(job: &mut Job, seed: u64) -> Result<Option<WithTruth>, Failure> {
    if job.held_out {
        return Ok(job.test.take());
    }
    let strata = match &job.train_truth {
        Truth::Classes(indices) => Some(&indices[..]),
        Truth::Numbers(_) => None,
    };
    let (train, held_out) = holdout(job.train.rows(), HOLDOUT, seed, strata)?;
    let validation = (
        job.train.select(&held_out),
        job.train_truth.select(&held_out),
    );
    job.train = job.train.select(&train);
    job.train_truth = job.train_truth.select(&train);
    if let Some(weights) = &mut job.weights {
        *weights = train.iter().map(|&row| weights[row]).collect();
    }
    Ok(Some(validation))
}

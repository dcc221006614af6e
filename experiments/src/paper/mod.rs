//! The tables and figures of the paper, measured anew: one experiment each, and a page.

mod bench;
mod comparison;
mod contest;
mod convergence;
mod data;
mod fmnist;
mod imdb;
mod nystrom;
mod optimum;
mod options;
mod page;
mod pieces;
mod problem;
mod record;
mod rho;
mod run;
#[cfg(test)]
mod tests;

pub use options::{Chosen, PageOptions};
pub use page::page;
pub use run::run;

use bench::{Job, Setting};
use record::Record;

/// An experiment.
pub struct Experiment {
    /// The name on the command line and in links.
    pub name: &'static str,
    /// The heading of its section.
    pub title: &'static str,
    /// One line: what is measured.
    pub about: &'static str,
    /// The data it needs, in words.
    pub data: &'static str,
    /// Minutes that it takes on two cores with the usual number of seeds.
    pub minutes: u32,
    /// What is to be measured.
    pub jobs: fn(&Setting<'_>) -> Result<Vec<Job>, String>,
    /// What was measured, as HTML.
    pub section: fn(&[&Record]) -> Result<String, String>,
}

/// All of them, in the order of the page.
pub const ALL: [&Experiment; 12] = [
    &comparison::MLP_CIFAR10,
    &comparison::MLP_IMAGENET171,
    &comparison::MLP_IMAGENET512,
    &comparison::MLP_FOOD,
    &comparison::CNN_CIFAR10,
    &comparison::CNN_IMAGENET171,
    &fmnist::FMNIST,
    &imdb::IMDB,
    &rho::RHO,
    &convergence::CONVERGENCE,
    &nystrom::NYSTROM,
    &optimum::OPTIMUM,
];

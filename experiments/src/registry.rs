//! The experiments there are.

use crate::paper;

/// What `list` says about an experiment that is not of the paper.
pub struct Experiment {
    /// The name on the command line.
    pub name: &'static str,
    /// One line: what is measured.
    pub about: &'static str,
}

/// The experiments that are not of the paper.
pub const OTHERS: [Experiment; 2] = [crate::tables::EXPERIMENT, crate::gates::EXPERIMENT];

/// One line per experiment: its name, how long it takes on two cores, and what it measures.
pub fn list() -> String {
    let line = |name: &str, time: &str, about: &str| format!("{name:17}{time:>9}  {about}\n");
    let papers = paper::ALL.iter().map(|one| {
        let about = format!("{}; data: {}", one.about, one.data);
        line(one.name, &format!("{} min", one.minutes), &about)
    });
    let others = OTHERS.iter().map(|one| line(one.name, "", one.about));
    papers.chain(others).collect()
}

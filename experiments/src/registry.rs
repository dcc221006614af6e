//! The experiments there are.

/// What `list` says about an experiment.
pub struct Experiment {
    /// The name on the command line.
    pub name: &'static str,
    /// One line: what is measured.
    pub about: &'static str,
}

/// All experiments, in the order of `list`.
pub const ALL: [Experiment; 2] = [crate::tables::EXPERIMENT, crate::gates::EXPERIMENT];

/// One line per experiment.
pub fn list() -> String {
    let widest = ALL.iter().map(|one| one.name.len()).max().unwrap_or(0);
    ALL.iter()
        .map(|one| format!("{:widest$}  {}\n", one.name, one.about))
        .collect()
}

//! Where training stands after an epoch, so that it can be resumed with the same bits.

mod file;
mod terms;

pub(super) use terms::Terms;

use super::Epoch;
use crate::optim::Memory;
use cronos::{Error, HeadMemory};

/// All that the next epoch depends on, and the best epoch so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    pub(super) terms: Terms,
    pub(super) history: Vec<Epoch>,
    pub(super) best: usize,
    pub(super) best_values: Vec<f32>,
    pub(super) values: Vec<f32>,
    pub(super) memory: Memory,
    pub(super) head: HeadMemory,
}

impl Checkpoint {
    /// The epochs so far.
    pub fn history(&self) -> &[Epoch] {
        &self.history
    }

    /// Refuses parameters that are not those of such a network.
    pub(super) fn check(
        &self,
        of_features: usize,
        (features, outputs): (usize, usize),
    ) -> Result<(), Error> {
        let fits = |values: &[f32]| {
            let rest = values.len().checked_sub(of_features + outputs);
            rest.is_some_and(|rest| rest.is_multiple_of(features + 1 + outputs))
        };
        if !fits(&self.values) || !fits(&self.best_values) {
            return Err(self.damaged("the parameters"));
        }
        if self.best >= self.history.len() {
            return Err(self.damaged("the best epoch"));
        }
        let HeadMemory {
            features: columns,
            outputs: own,
            ..
        } = self.head;
        match (columns, own) == (features + 1, outputs) || (columns, own) == (0, 0) {
            true => Ok(()),
            false => Err(self.damaged("the head")),
        }
    }

    pub(super) fn damaged(&self, what: &str) -> Error {
        Error::Format(format!(
            "{what} of this checkpoint (epoch {}) do not fit its network; start anew",
            self.history.len().saturating_sub(1)
        ))
    }
}

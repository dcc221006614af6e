//! The state of a run between two iterations, to go on from when the process is another.
//!
//! Everything that the iterations to come depend on is in it, so a run that goes on ends with the
//! same bits as one that was never broken off.

mod file;
mod record;

use super::closing::Closing;
use super::history::Iteration;
use super::run::Run;
use super::settings::{Settings, Split};
use super::solve::Solution;
use crate::Error;
use crate::blocks::Blocks;
use crate::engine::BLOCK;
use crate::engine::Evaluation;
use crate::loss::Loss;
use crate::model::Checksum;
use crate::place::Place;
use crate::program::Program;
use crate::real::Real;
use bytemuck::cast_slice;
use std::ops::ControlFlow;

/// Keeps the state of a run now and then.
pub trait Keeper: Sync {
    /// Iterations between two states, at least 1. With the paper's split of a loss that is not
    /// squared there may be more, so that a sketch need not be kept.
    fn every(&self) -> usize;

    /// The state to go on from, if there is one; asked for once.
    fn start(&self) -> Option<Checkpoint>;

    /// Keeps a state. Who breaks off here ends the run as an interrupt does.
    fn keep(&self, state: &Checkpoint) -> ControlFlow<()>;
}

/// The state of a run after an iteration, of the rows that this process has.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Iterations that were done.
    pub iteration: usize,
    /// What tells this run from any other.
    terms: String,
    arrays: Vec<(String, Numbers)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Numbers {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Numbers {
    fn of<T: Real>(values: &[T]) -> Self {
        match T::NAME == f32::NAME {
            true => Self::Single(cast_slice(values).to_vec()),
            false => Self::Double(cast_slice(values).to_vec()),
        }
    }

    fn values<T: Real>(&self) -> Option<Vec<T>> {
        match self {
            Self::Single(values) if T::NAME == f32::NAME => Some(cast_slice(values).to_vec()),
            Self::Double(values) if T::NAME == f64::NAME => Some(cast_slice(values).to_vec()),
            _ => None,
        }
    }
}

impl Checkpoint {
    fn take<T: Real>(&self, name: &str) -> Result<Vec<T>, Error> {
        let found = self.arrays.iter().find(|(other, _)| other == name);
        let values = found.and_then(|(_, numbers)| numbers.values());
        values.ok_or_else(|| refused(&format!("it has no array `{name}` of {}", T::NAME)))
    }
}

impl<T: Real, X: Blocks<T>> Program<T, X> {
    /// As [`solve`](Self::solve), while `keeper` keeps the state now and then; from where another
    /// process ended, if it knows.
    pub fn solve_kept(
        &self,
        settings: &Settings,
        keeper: &dyn Keeper,
        observe: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Solution, Error> {
        self.check()?;
        if keeper.every() == 0 {
            return Err(Error::setting("checkpoint interval", 0, "at least 1"));
        }
        if settings.keep_dual {
            let expected = "off while the state of the run is kept";
            return Err(Error::setting("keep dual", "on", expected));
        }
        if settings.place != Place::Cpu {
            let expected = "cpu while the state of the run is kept";
            return Err(Error::setting("device", settings.place, expected));
        }
        let terms = self.terms(settings);
        self.with_run(settings, |run| {
            let kept = Kept { keeper, terms };
            run.solve_kept(self.beta, Some(&kept), observe)
        })
    }

    /// A number that other rows, gates or settings would change, but for limits of time and of
    /// iterations.
    fn terms(&self, settings: &Settings) -> String {
        let same = Settings {
            time_limit_seconds: None,
            max_iterations: 1,
            memory_limit_bytes: None,
            device_memory_bytes: None,
            ..settings.clone()
        };
        let mut sum = Checksum::new();
        let rest = (self.beta, self.activation, self.loss, self.shape());
        sum.add(format!("{} {same:?} {rest:?}", T::NAME).as_bytes());
        let mut room = Vec::new();
        for from in (0..self.x.rows()).step_by(BLOCK) {
            let rows = from..self.x.rows().min(from + BLOCK);
            sum.add(cast_slice(self.x.block(rows, &mut room)));
        }
        sum.add(cast_slice(self.y.values()));
        sum.add(cast_slice(self.weights.as_deref().unwrap_or_default()));
        for gate in 0..self.gates.len() {
            sum.add(cast_slice(self.gates.direction(gate)));
        }
        sum.hex()
    }
}

/// A keeper, and the run that it keeps.
pub(super) struct Kept<'k> {
    pub keeper: &'k dyn Keeper,
    pub terms: String,
}

impl<T: Real> Run<'_, T> {
    /// Keeps the state if it is time; `last` is when that was done before.
    pub(super) fn keep(&self, kept: &Kept<'_>, number: usize, last: &mut usize) -> ControlFlow<()> {
        // the sketch of a curvature is made anew then
        let modelled = self.step.split == Split::Paper && self.loss != Loss::Squared;
        let possible = !modelled || number.is_multiple_of(self.settings.refresh_every);
        if number - *last < kept.keeper.every() || !possible {
            return ControlFlow::Continue(());
        }
        *last = number;
        match self.checkpoint(kept, number) {
            Some(state) => kept.keeper.keep(&state),
            None => ControlFlow::Continue(()),
        }
    }

    fn checkpoint(&self, kept: &Kept<'_>, number: usize) -> Option<Checkpoint> {
        let (best, candidate) = match &self.best {
            Some((evaluation, candidate)) => (Some(evaluation), candidate.clone()?),
            None => (None, Vec::new()),
        };
        let wide = |values: &[f64]| Numbers::Double(values.to_vec());
        let numbers = [self.step.rho, self.step.weight, self.groups.threshold];
        let closing = self.closing.numbers();
        let mut arrays = vec![
            ("numbers".to_string(), wide(&numbers)),
            ("schedule".into(), wide(&self.stiffening.schedule())),
            ("closing".into(), wide(&closing)),
            ("groups".into(), wide(&self.groups.stiffness)),
            ("bounds".into(), wide(&self.bounds)),
            ("foreseen".into(), wide(&self.foreseen)),
            (
                "worth".into(),
                wide(&best.map_or(vec![], |best| record::evaluation(best).to_vec())),
            ),
            ("best".into(), wide(&candidate)),
            (
                "history".into(),
                wide(
                    self.history
                        .iter()
                        .map(record::numbers)
                        .collect::<Vec<_>>()
                        .as_flattened(),
                ),
            ),
        ];
        for (at, array) in self.machine.state()?.iter().enumerate() {
            arrays.push((format!("state.{at}"), Numbers::of(array)));
        }
        Some(Checkpoint {
            iteration: number,
            terms: self.terms(kept),
            arrays,
        })
    }

    /// What tells this run from any other, and how it solves, which may depend on free memory.
    fn terms(&self, kept: &Kept<'_>) -> String {
        let (solver, stiff) = (self.choice.solver, self.stiffening.solver());
        format!("{} {solver:?} {stiff:?}", kept.terms)
    }

    /// Takes a state on: all ranks or none.
    pub(super) fn restore(&mut self, kept: &Kept<'_>, state: &Checkpoint) -> Result<(), Error> {
        let settings = self.settings;
        let arrays = settings.team.agree(self.read(kept, state))?;
        // from here on ranks add up what they have
        let by = self.stiffening.begun().then(|| self.stiffening.by());
        let kappa = self.groups.stiffness.clone();
        self.machine.set_state(arrays, by, &kappa)?;
        match self.step.split {
            Split::Paper => self.machine.set_weight(self.step.weight),
            Split::Loss => Ok(()),
        }
    }

    /// Takes on what needs no other rank; the arrays of the machine, which fit.
    fn read(&mut self, kept: &Kept<'_>, state: &Checkpoint) -> Result<Vec<Vec<T>>, Error> {
        if state.terms != self.terms(kept) {
            return Err(refused(
                "it belongs to other data or other settings, or was solved in another way for the \
                 memory there was; give those of the run that wrote it, or start anew",
            ));
        }
        let [rho, weight, threshold] = state.take::<f64>("numbers")?[..] else {
            return Err(refused("its numbers are not three"));
        };
        let groups: Vec<f64> = state.take("groups")?;
        let (bounds, foreseen): (Vec<f64>, Vec<f64>) =
            (state.take("bounds")?, state.take("foreseen")?);
        let sizes = [groups.len(), bounds.len(), foreseen.len()];
        if sizes
            != [
                self.groups.stiffness.len(),
                self.bounds.len(),
                self.bounds.len(),
            ]
        {
            return Err(refused("its arrays are of another size"));
        }
        (self.step.rho, self.step.weight) = (rho, weight);
        self.groups.threshold = threshold;
        self.groups.stiffness = groups;
        (self.bounds, self.foreseen) = (bounds, foreseen);
        self.duals = vec![Default::default(); self.bounds.len()];
        self.fresh = false;
        let candidate: Vec<f64> = state.take("best")?;
        self.best = match state.take::<f64>("worth")?[..] {
            [objective, network_objective, violation] => {
                let evaluation = Evaluation {
                    objective,
                    network_objective,
                    violation,
                    held: 0.0,
                };
                Some((evaluation, Some(candidate)))
            }
            _ => None,
        };
        self.history = (state.take::<f64>("history")?.as_chunks().0.iter())
            .map(record::iteration)
            .collect();
        if self.history.last().map(|record| record.number) != Some(state.iteration) {
            return Err(refused("its history does not end where it does"));
        }
        self.stiffening.follow(&state.take::<f64>("schedule")?);
        self.closing = Closing::from_numbers(&state.take::<f64>("closing")?);
        let arrays: Result<Vec<Vec<T>>, Error> = (0..super::machine::ARRAYS)
            .map(|at| state.take(&format!("state.{at}")))
            .collect();
        let arrays = arrays?;
        match self.machine.fits(&arrays) {
            true => Ok(arrays),
            false => Err(refused("its arrays are of another size")),
        }
    }
}

fn refused(why: &str) -> Error {
    Error::Format(format!("the checkpoint cannot be used: {why}"))
}

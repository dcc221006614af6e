//! The state of a fit in a folder, to go on from when the process is another.
//!
//! Every rank has a file of its own, with the number of iterations in its name. `fit.txt` names the
//! number for which all of them are there; only then the files of the one before go.

use crate::arguments::Keep;
use crate::failure::Failure;
use crate::model_file;
use cronos::{Checkpoint, GateSource, Keeper, Options, Place, Team};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Names the state that is whole.
const WHOLE: &str = "fit.txt";

/// A folder that keeps the state of a fit.
pub struct Kept {
    folder: PathBuf,
    every: usize,
    team: Team,
    /// Where the fit goes on from.
    start: Mutex<Option<Checkpoint>>,
    /// The iterations of the state that is whole.
    last: Mutex<Option<usize>>,
    failure: Mutex<Option<Failure>>,
}

/// Looks at the folder before any work is done; nothing without one.
pub fn open(keep: &Keep, options: &Options, force: bool) -> Result<Option<Kept>, Failure> {
    let Some(folder) = &keep.checkpoint else {
        return Ok(None);
    };
    let team = &options.settings.team;
    if options.settings.place != Place::Cpu {
        return Err(Failure::Usage(
            "--checkpoint keeps a state that is on the processor; leave --device out".into(),
        ));
    }
    // ranks learn gates from a sample, and then solve the convex program
    if matches!(options.gates, GateSource::Learned { .. }) && team.is_alone() {
        return Err(Failure::Usage(
            "--checkpoint keeps the state of the convex solver, and gates are learned without it; \
             fix their number with --gates"
                .into(),
        ));
    }
    if keep.checkpoint_every == 0 {
        let text = "checkpoint-every is 0; it must be at least 1";
        return Err(Failure::Usage(text.into()));
    }
    let whole = folder.join(WHOLE);
    let last = match keep.resume {
        true => Some(named(&whole, team)?),
        false if whole.exists() && !force => {
            return Err(Failure::Usage(format!(
                "{} exists; pass --resume to go on from it, or --force to start anew",
                whole.display()
            )));
        }
        false => {
            fs::create_dir_all(folder).map_err(|error| {
                Failure::Work(format!("cannot create {}: {error}", folder.display()))
            })?;
            None
        }
    };
    let start = match last {
        None => None,
        Some(iteration) => {
            let file = file(folder, team, iteration);
            let shown = file.display();
            let bytes = fs::read(&file)
                .map_err(|error| Failure::Input(format!("cannot read {shown}: {error}")))?;
            let state = Checkpoint::from_bytes(&bytes);
            let state = state.map_err(|error| Failure::Input(format!("{shown}: {error}")))?;
            if state.iteration != iteration {
                return Err(Failure::Input(format!(
                    "{shown}: it is the state after {} iterations; start anew",
                    state.iteration
                )));
            }
            Some(state)
        }
    };
    if team.rank() == 0 && !keep.resume {
        // what is left of another run is not whole any more once its files are written over
        let _ = fs::remove_file(&whole);
    }
    // a rank may not begin to write while another still looks
    team.gather(&[]);
    Ok(Some(Kept {
        folder: folder.clone(),
        every: keep.checkpoint_every,
        team: team.clone(),
        start: Mutex::new(start),
        last: Mutex::new(last),
        failure: Mutex::new(None),
    }))
}

/// The iterations of the state that is whole, as the first rank reads it.
fn named(whole: &Path, team: &Team) -> Result<usize, Failure> {
    let own = match team.rank() {
        0 => read(whole, team)?,
        _ => 0,
    };
    Ok(team.gather(&[own as f64])[0] as usize)
}

fn read(whole: &Path, team: &Team) -> Result<usize, Failure> {
    let shown = whole.display();
    let text = fs::read_to_string(whole).map_err(|error| {
        Failure::Input(format!(
            "cannot read {shown}: {error}; leave --resume out to start anew"
        ))
    })?;
    let numbers: Vec<usize> = (text.split_whitespace())
        .filter_map(|word| word.parse().ok())
        .collect();
    match numbers[..] {
        [iteration, ranks] if ranks == team.ranks() => Ok(iteration),
        [_, ranks] => Err(Failure::Input(format!(
            "{shown}: the state was kept by {ranks} rank(s), this is one of {}; start as many",
            team.ranks()
        ))),
        _ => Err(Failure::Input(format!("{shown}: it is damaged"))),
    }
}

fn file(folder: &Path, team: &Team, iteration: usize) -> PathBuf {
    let (rank, ranks) = (team.rank(), team.ranks());
    folder.join(format!(
        "fit-{iteration}-rank-{rank}-of-{ranks}.safetensors"
    ))
}

impl Kept {
    /// Why the state could not be written, if it could not.
    pub fn failure(&self) -> Option<Failure> {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    fn write(&self, state: &Checkpoint) -> Result<(), Failure> {
        let file = file(&self.folder, &self.team, state.iteration);
        model_file::write(&file, &state.to_bytes()?, true)
    }

    /// Notes a failure; whether any rank has one.
    fn failed(&self, done: Result<(), Failure>) -> bool {
        let failed = done.is_err();
        if let Err(failure) = done {
            let mut noted = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            *noted = Some(failure);
        }
        self.team.largest(f64::from(u8::from(failed))) > 0.0
    }
}

impl Keeper for Kept {
    fn every(&self) -> usize {
        self.every
    }

    fn start(&self) -> Option<Checkpoint> {
        self.start
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    fn keep(&self, state: &Checkpoint) -> ControlFlow<()> {
        if self.failed(self.write(state)) {
            return ControlFlow::Break(());
        }
        let text = format!(
            "{} iterations, {} ranks\n",
            state.iteration,
            self.team.ranks()
        );
        let named = match self.team.rank() {
            0 => model_file::write(&self.folder.join(WHOLE), text.as_bytes(), true),
            _ => Ok(()),
        };
        if self.failed(named) {
            return ControlFlow::Break(());
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = last
            .replace(state.iteration)
            .filter(|&at| at != state.iteration)
        {
            // one that stays takes room, nothing else
            let _ = fs::remove_file(file(&self.folder, &self.team, before));
        }
        ControlFlow::Continue(())
    }
}

//! The ranks that `mpirun` started, for fits with `mpi=True`.

use crate::failure::exception;
use cronos::Team;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The ranks of this process, once somebody asked for them.
static TEAM: Mutex<Option<Team>> = Mutex::new(None);

/// The ranks that this process is one of; nobody else without `mpirun`.
pub fn team() -> PyResult<Team> {
    let mut kept = TEAM.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(team) = &*kept {
        return Ok(team.clone());
    }
    let team = Team::launched().map_err(exception)?;
    *kept = Some(team.clone());
    Ok(team)
}

/// Which of the ranks this is, and how many there are.
#[pyfunction]
pub fn ranks() -> PyResult<(usize, usize)> {
    let team = team()?;
    Ok((team.rank(), team.ranks()))
}

/// Ends all ranks at once, with an exit code.
#[pyfunction]
pub fn abort_ranks(code: i32) -> PyResult<()> {
    team()?.abort(code);
    Ok(())
}

/// Tells the launcher that all is done, as it expects of a process that ends.
#[pyfunction]
pub fn end_ranks() {
    TEAM.lock().unwrap_or_else(PoisonError::into_inner).take();
}

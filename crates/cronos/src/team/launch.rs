//! What launchers of MPI tell the processes that they start.

use super::Team;
use crate::Error;

/// Where they say how many processes they started, and how many of them on this machine.
const RANKS: [&str; 2] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];
const HERE: [&str; 2] = ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"];

impl Team {
    /// The ranks that a launcher started this process with; nobody else without one.
    pub fn launched() -> Result<Self, Error> {
        match Self::started() {
            None => Ok(Self::default()),
            Some(ranks) => of_mpi(ranks),
        }
    }

    /// How many processes a launcher started with this one, if one did.
    pub fn started() -> Option<usize> {
        number(&RANKS)
    }

    /// Threads for a rank: the processors, shared with the ranks beside it. None for whoever is alone.
    pub fn threads(&self) -> Option<usize> {
        if self.is_alone() {
            return None;
        }
        let here = number(&HERE).unwrap_or_else(|| self.ranks());
        let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
        // a rank that is bound to some of them has those to itself
        Some(match processors < here {
            true => processors,
            false => processors / here,
        })
    }
}

#[cfg(feature = "mpi")]
fn of_mpi(_: usize) -> Result<Team, Error> {
    Team::of_mpi()
}

#[cfg(not(feature = "mpi"))]
fn of_mpi(ranks: usize) -> Result<Team, Error> {
    match ranks {
        1 => Ok(Team::default()),
        _ => Err(Error::Team(format!(
            "started as one of {ranks} ranks, but MPI is not compiled in: rebuild with --features mpi"
        ))),
    }
}

fn number(names: &[&str]) -> Option<usize> {
    let values = names.iter().filter_map(|name| std::env::var(name).ok());
    values.filter_map(|value| value.parse().ok()).next()
}

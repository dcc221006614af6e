//! Ranks that `mpirun` started.

use super::{Messenger, Team};
use crate::Error;
use mpi::environment::{Universe, is_finalized, threading_support};
use mpi::traits::{Communicator, Destination, Source};
use mpi::{Threading, initialize_with_threading, topology::SimpleCommunicator};
use std::sync::Arc;

/// Bytes of a message at most: the library counts them in 31 bits.
const MOST: usize = 1 << 30;

struct Mpi {
    /// Ends the library when it goes. None if another part of the process started it, and will end it.
    _universe: Option<Universe>,
    rank: usize,
    ranks: usize,
}

impl Team {
    /// The ranks that `mpirun` started; a team of one for a process that it did not start. Where MPI
    /// runs already, as with mpi4py, it is used as it is.
    pub fn of_mpi() -> Result<Self, Error> {
        if is_finalized() {
            return Err(Error::Team("MPI has ended in this process".into()));
        }
        let (universe, given) = match initialize_with_threading(Threading::Serialized) {
            Some((universe, given)) => (Some(universe), given),
            None => (None, threading_support()),
        };
        if given < Threading::Serialized {
            let text = "this library of MPI is not made for programs with threads; use another";
            return Err(Error::Team(text.into()));
        }
        let world = SimpleCommunicator::world();
        let (rank, ranks) = (world.rank() as usize, world.size() as usize);
        Ok(Self::new(Arc::new(Mpi {
            _universe: universe,
            rank,
            ranks,
        })))
    }
}

impl Messenger for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn send(&self, to: usize, bytes: &[u8]) {
        let world = SimpleCommunicator::world();
        for part in bytes.chunks(MOST) {
            world.process_at_rank(to as i32).send(part);
        }
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) {
        let world = SimpleCommunicator::world();
        for part in bytes.chunks_mut(MOST) {
            world.process_at_rank(from as i32).receive_into(part);
        }
    }

    fn abort(&self, code: i32) {
        SimpleCommunicator::world().abort(code);
    }
}

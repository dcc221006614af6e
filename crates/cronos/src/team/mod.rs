//! Processes that have a part of the rows each and run the same program.
//!
//! Arrays of the rows stay where they are; arrays of the features are the same everywhere. What a
//! product with `Xᵀ` or an inner product over the rows adds up, it adds up chunk by chunk, and the
//! chunks depend on the shape of the whole program alone, as on one machine. A sum goes from rank to
//! rank, each adding its chunks to those before, and comes back as it is: so it has the same bits for
//! any number of ranks.

mod collect;
mod launch;
#[cfg(feature = "mpi")]
mod mpi;
mod sketch;

pub(crate) use sketch::sketch;

use crate::Error;
use crate::engine::{chunk_count, chunk_rows};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Carries messages between ranks, in order between any two of them.
pub trait Messenger: Send + Sync {
    /// Which of the ranks this is, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn ranks(&self) -> usize;

    /// Sends bytes to another rank. Whoever cannot ends the process, and all others with it.
    fn send(&self, to: usize, bytes: &[u8]);

    /// Fills `bytes` with what another rank sends next.
    fn receive(&self, from: usize, bytes: &mut [u8]);

    /// Ends all ranks, with an exit code.
    fn abort(&self, code: i32);
}

/// The ranks that share the rows of a program. The default is alone.
#[derive(Clone, Default)]
pub struct Team {
    shared: Option<Shared>,
}

#[derive(Clone)]
struct Shared {
    messenger: Arc<dyn Messenger>,
    sent: Arc<AtomicU64>,
}

impl Team {
    /// The team that a messenger reaches. A team of one computes as a larger one does.
    pub fn new(messenger: Arc<dyn Messenger>) -> Self {
        Self {
            shared: Some(Shared {
                messenger,
                sent: Arc::default(),
            }),
        }
    }

    /// Whether rows are not shared at all.
    pub fn is_alone(&self) -> bool {
        self.shared.is_none()
    }

    /// Runs `work` as one of the threads that share its loops, which saves waking them all for
    /// every loop. Where ranks wait for each other it stays on its own thread: they may be
    /// more than there are threads, and messages may be bound to it.
    pub(crate) fn among_threads<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self.ranks() {
            1 => rayon::scope(|_| work()),
            _ => work(),
        }
    }

    /// Which of the ranks this is, from 0.
    pub fn rank(&self) -> usize {
        (self.shared.as_ref()).map_or(0, |shared| shared.messenger.rank())
    }

    /// How many there are.
    pub fn ranks(&self) -> usize {
        (self.shared.as_ref()).map_or(1, |shared| shared.messenger.ranks())
    }

    /// Bytes that this rank has sent.
    pub fn sent(&self) -> u64 {
        (self.shared.as_ref()).map_or(0, |shared| shared.sent.load(Ordering::Relaxed))
    }

    /// The rows that this rank has of a program with so many rows and features, the column of ones
    /// among them. Refuses more ranks than there are chunks of rows.
    pub fn share(&self, rows: usize, features: usize) -> Result<Range<usize>, Error> {
        if self.is_alone() {
            return Ok(0..rows);
        }
        let (size, chunks) = (chunk_rows(rows, features), chunk_count(rows, features));
        let (rank, ranks) = (self.rank(), self.ranks());
        if chunks < ranks {
            return Err(Error::Data(format!(
                "{rows} rows make {chunks} chunk(s), too few for {ranks} ranks; start at most {chunks}"
            )));
        }
        let from = |rank: usize| (rank * chunks / ranks * size).min(rows);
        if rows - from(ranks - 1) < 2 {
            return Err(Error::Data(format!(
                "{rows} rows leave one row for the last of {ranks} ranks; start fewer"
            )));
        }
        Ok(from(rank)..from(rank + 1))
    }

    /// How many rows there are on all ranks, if this one has so many. Refuses parts that do not begin
    /// where a chunk does.
    pub(crate) fn all_rows(&self, own: usize, features: usize) -> Result<usize, Error> {
        if self.is_alone() {
            return Ok(own);
        }
        let counts: Vec<usize> = (self.gather(&[own as f64]).iter())
            .map(|&count| count as usize)
            .collect();
        let all = counts.iter().sum();
        let size = chunk_rows(all, features);
        let mut first = 0usize;
        for (rank, count) in counts.into_iter().enumerate() {
            if count == 0 || !first.is_multiple_of(size) {
                return Err(Error::Shape {
                    what: "rows of a rank",
                    expected: format!("some of {all} rows, from a multiple of {size} on"),
                    found: format!("{count} from {first} on for rank {rank}"),
                });
            }
            first += count;
        }
        Ok(all)
    }

    /// This rank's rows in the parts that a sum over all rows is made of: its chunks, or all at once
    /// where nobody has others.
    pub(crate) fn parts(&self, own: usize, features: usize) -> Result<Vec<Range<usize>>, Error> {
        let size = match self.is_alone() {
            true => own.max(1),
            false => chunk_rows(self.all_rows(own, features)?, features),
        };
        let part = |from: usize| from..own.min(from + size);
        Ok((0..own).step_by(size).map(part).collect())
    }

    /// How many rows the ranks before this one have, if it has so many.
    pub(crate) fn first_row(&self, own: usize) -> usize {
        let counts = self.gather(&[own as f64]);
        counts[..self.rank()].iter().sum::<f64>() as usize
    }

    /// What this rank found, if none met an error; else its own, or that of the first that did.
    pub fn agree<R>(&self, found: Result<R, Error>) -> Result<R, Error> {
        if self.ranks() == 1 {
            return found;
        }
        let own = found.as_ref().err().map(Error::to_string);
        let all = self.gather_bytes(own.unwrap_or_default().as_bytes());
        let failed = all.iter().position(|text| !text.is_empty());
        match (failed, found) {
            (None, found) => found,
            (Some(_), Err(error)) => Err(error),
            (Some(rank), Ok(_)) => Err(Error::Team(format!(
                "rank {rank}: {}",
                String::from_utf8_lossy(&all[rank])
            ))),
        }
    }

    /// Ends all ranks of a larger team, with an exit code; returns in a team of one.
    pub fn abort(&self, code: i32) {
        if let Some(shared) = self.shared.as_ref().filter(|_| self.ranks() > 1) {
            shared.messenger.abort(code);
        }
    }

    fn send(&self, to: usize, bytes: &[u8]) {
        if let Some(shared) = &self.shared {
            shared.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            shared.messenger.send(to, bytes);
        }
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) {
        if let Some(shared) = &self.shared {
            shared.messenger.receive(from, bytes);
        }
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_alone() {
            true => f.write_str("alone"),
            false => write!(f, "rank {} of {}", self.rank(), self.ranks()),
        }
    }
}

impl PartialEq for Team {
    fn eq(&self, other: &Self) -> bool {
        match (&self.shared, &other.shared) {
            (Some(a), Some(b)) => Arc::ptr_eq(&a.messenger, &b.messenger),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

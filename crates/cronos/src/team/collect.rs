//! What all ranks do together: sums in order, and lists of what each has.

use super::Team;
use crate::inner::vectorized;
use crate::real::Real;
use bytemuck::{Pod, bytes_of, bytes_of_mut, cast_slice, cast_slice_mut};
use rayon::prelude::*;

/// Numbers that are added and passed on at a time, so that ranks work on different ones at once.
const PIECE: usize = 1 << 14;
/// Numbers that one thread adds at a time.
const PART: usize = 4096;

impl Team {
    /// `out = Σ parts` over the parts of all ranks, in their order.
    pub(crate) fn add_up<T: Real>(&self, parts: &[&[T]], out: &mut [T]) {
        let (rank, ranks) = (self.rank(), self.ranks());
        if ranks == 1 {
            return add(parts, 0, out);
        }
        for (at, piece) in out.chunks_mut(PIECE).enumerate() {
            let from = at * PIECE;
            if rank == 0 {
                add(parts, from, piece);
            } else {
                self.receive(rank - 1, cast_slice_mut(piece));
                for part in parts {
                    for (sum, &value) in piece.iter_mut().zip(&part[from..]) {
                        *sum += value;
                    }
                }
            }
            if rank + 1 < ranks {
                self.send(rank + 1, cast_slice(piece));
            }
        }
        for piece in out.chunks_mut(PIECE) {
            self.pass_back(piece);
        }
    }

    /// What the last rank has, to all others.
    fn pass_back<T: Pod>(&self, values: &mut [T]) {
        let (rank, ranks) = (self.rank(), self.ranks());
        if rank + 1 < ranks {
            self.receive(rank + 1, cast_slice_mut(values));
        }
        if rank > 0 {
            self.send(rank - 1, cast_slice(values));
        }
    }

    /// The bytes of each rank.
    pub fn gather_bytes(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let (rank, ranks) = (self.rank(), self.ranks());
        let mut sizes = vec![0u64; ranks];
        let mut all: Vec<u8> = Vec::new();
        // those of the ranks before, and then its own
        if rank > 0 {
            self.receive(rank - 1, cast_slice_mut(&mut sizes[..rank]));
            all.resize(sizes[..rank].iter().sum::<u64>() as usize, 0);
            self.receive(rank - 1, &mut all);
        }
        sizes[rank] = own.len() as u64;
        all.extend_from_slice(own);
        if rank + 1 < ranks {
            self.send(rank + 1, cast_slice(&sizes[..=rank]));
            self.send(rank + 1, &all);
        }
        self.pass_back(&mut sizes);
        all.resize(sizes.iter().sum::<u64>() as usize, 0);
        self.pass_back(&mut all);
        let mut rest = &all[..];
        let mut take = |size: u64| {
            let (own, others) = rest.split_at(size as usize);
            rest = others;
            own.to_vec()
        };
        sizes.into_iter().map(&mut take).collect()
    }

    /// The numbers of all ranks, one after the other.
    pub fn gather(&self, own: &[f64]) -> Vec<f64> {
        if self.ranks() == 1 {
            return own.to_vec();
        }
        let all = self.gather_bytes(cast_slice(own)).concat();
        all.chunks_exact(size_of::<f64>())
            .map(bytemuck::pod_read_unaligned)
            .collect()
    }

    /// The largest number of all ranks.
    pub fn largest(&self, own: f64) -> f64 {
        self.gather(&[own]).into_iter().fold(own, f64::max)
    }

    /// `Σ` of what each chunk comes to, in the order of all chunks; several such sums at a time.
    pub(crate) fn sums<const N: usize>(&self, own: &[[f64; N]]) -> [f64; N] {
        let mut sums = [0.0; N];
        for of_chunk in self.gather(own.as_flattened()).chunks(N) {
            for (sum, value) in sums.iter_mut().zip(of_chunk) {
                *sum += value;
            }
        }
        sums
    }

    /// A number of rank 0, for all.
    pub(crate) fn of_first(&self, value: u64) -> u64 {
        let mut value = value;
        let (rank, ranks) = (self.rank(), self.ranks());
        if rank > 0 {
            self.receive(rank - 1, bytes_of_mut(&mut value));
        }
        if rank + 1 < ranks {
            self.send(rank + 1, bytes_of(&value));
        }
        value
    }

    /// Numbers of another rank.
    pub(crate) fn receive_from<T: Pod>(&self, rank: usize, values: &mut [T]) {
        self.receive(rank, cast_slice_mut(values));
    }

    /// Numbers for another rank.
    pub(crate) fn send_to<T: Pod>(&self, rank: usize, values: &[T]) {
        self.send(rank, cast_slice(values));
    }
}

/// `out = Σ part[from..]`, in their order.
fn add<T: Real>(parts: &[&[T]], from: usize, out: &mut [T]) {
    let Some((first, others)) = parts.split_first() else {
        return out.fill(T::ZERO);
    };
    out.par_chunks_mut(PART).enumerate().for_each(|(at, out)| {
        let from = from + at * PART;
        out.copy_from_slice(&first[from..][..out.len()]);
        vectorized(
            #[inline(always)]
            || {
                for part in others {
                    for (sum, &value) in out.iter_mut().zip(&part[from..]) {
                        *sum += value;
                    }
                }
            },
        );
    });
}

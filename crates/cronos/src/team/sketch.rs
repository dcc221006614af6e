//! The sketch of an operator on rows that several ranks have: all apply it to their rows, rank 0
//! makes what is small of it.

use super::Team;
use crate::Error;
use crate::nystrom::{Nystrom, Operator, Rank};
use crate::real::Real;

/// A Nyström approximation of an operator on the rows of all ranks; each gets its rows of it.
pub(crate) fn sketch<T: Real>(
    team: &Team,
    operator: &mut impl Operator<T>,
    rank: Rank,
    mu: f64,
    seed: u64,
) -> Result<Nystrom<T>, Error> {
    if team.is_alone() {
        return Nystrom::new(operator, rank, mu, seed);
    }
    let own = operator.size();
    let counts = team.gather(&[own as f64]);
    if team.rank() > 0 {
        follow(team, operator);
        let rank = team.of_first(0) as usize;
        if rank == 0 {
            return Err(Error::Team("rank 0: the sketch could not be made".into()));
        }
        let (mut vectors, mut eigenvalues) = (vec![T::ZERO; own * rank], vec![0.0; rank]);
        team.receive_from(0, &mut vectors);
        team.receive_from(0, &mut eigenvalues);
        return Ok(Nystrom::from_parts(&vectors, eigenvalues));
    }
    let mut whole = Whole {
        team,
        operator,
        counts: counts.into_iter().map(|count| count as usize).collect(),
    };
    let made = Nystrom::new(&mut whole, rank, mu, seed);
    whole.dismiss();
    team.of_first(made.as_ref().map_or(0, |made| made.rank() as u64));
    let made = made?;
    let parts = whole.parts(made.rank(), |column| made.vector(column));
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or_default();
    for (rank, part) in (1..).zip(parts) {
        team.send_to(rank, &part);
        team.send_to(rank, made.eigenvalues());
    }
    Ok(Nystrom::from_parts(&first, made.eigenvalues().to_vec()))
}

/// The operator as rank 0 sees it.
struct Whole<'t, O> {
    team: &'t Team,
    operator: &'t mut O,
    /// Rows of each rank.
    counts: Vec<usize>,
}

impl<O> Whole<'_, O> {
    /// The rows of each rank of some columns.
    fn parts<'v, T: Real>(&self, columns: usize, column: impl Fn(usize) -> &'v [T]) -> Vec<Vec<T>> {
        let mut first = 0;
        let of_rank = |&count: &usize| {
            let rows = first..first + count;
            first = rows.end;
            (0..columns)
                .flat_map(|at| &column(at)[rows.clone()])
                .copied()
                .collect()
        };
        self.counts.iter().map(of_rank).collect()
    }

    /// Lets the others go.
    fn dismiss(&self) {
        for rank in 1..self.counts.len() {
            self.team.send_to(rank, &[0u64]);
        }
    }
}

impl<T: Real, O: Operator<T>> Operator<T> for Whole<'_, O> {
    fn size(&self) -> usize {
        self.counts.iter().sum()
    }

    fn apply(&mut self, x: &[T], out: &mut [T]) {
        let size: usize = self.counts.iter().sum();
        let columns = x.len() / size;
        let parts = self.parts(columns, |column| &x[column * size..][..size]);
        for (rank, part) in parts.iter().enumerate().skip(1) {
            self.team.send_to(rank, &[columns as u64]);
            self.team.send_to(rank, part);
        }
        let mut first = 0;
        for (rank, part) in parts.iter().enumerate() {
            let mut image = vec![T::ZERO; part.len()];
            match rank {
                0 => self.operator.apply(part, &mut image),
                _ => self.team.receive_from(rank, &mut image),
            }
            let count = self.counts[rank];
            for (column, image) in image.chunks(count).enumerate() {
                out[column * size + first..][..count].copy_from_slice(image);
            }
            first += count;
        }
    }
}

/// Applies the operator as long as rank 0 asks for it.
fn follow<T: Real>(team: &Team, operator: &mut impl Operator<T>) {
    loop {
        let mut columns = [0u64];
        team.receive_from(0, &mut columns);
        if columns == [0] {
            return;
        }
        let length = operator.size() * columns[0] as usize;
        let (mut x, mut image) = (vec![T::ZERO; length], vec![T::ZERO; length]);
        team.receive_from(0, &mut x);
        operator.apply(&x, &mut image);
        team.send_to(0, &image);
    }
}

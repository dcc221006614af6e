//! The cone of a gate, and how much of a vector points into it.
//!
//! `{ v : a_jᵀ v ≥ 0 for every row j }` with `a_j = ±x_j / ‖x_j‖`, plus where the
//! gate is active. The projection of `p` onto it is `p + Σ_j α_j a_j` for the
//! `α ≥ 0` that makes its norm smallest: non-negative least squares, solved by
//! the active-set method of Lawson and Hanson.

use crate::gates::Gates;
use crate::inner::{add_scaled, dot, norm};
use crate::matrix::Matrix;
use crate::real::Real;

/// A row is on the right side down to this much, relative to the projection.
const SIDE: f64 = 1e-11;
/// A row with less than this outside the span of others adds nothing to it.
const INDEPENDENT: f64 = 1e-8;

/// The cone of one gate.
pub(crate) struct Cone<'a, T> {
    pub x: &'a Matrix<T>,
    /// `1 / ‖x_j‖`, 0 for a row of zeros.
    pub scales: &'a [f64],
    pub gates: &'a Gates,
    pub gate: usize,
}

/// `1 / ‖x_j‖` of every row; 0 for a row of zeros.
pub(crate) fn scales<T: Real>(x: &Matrix<T>) -> Vec<f64> {
    let scale = |row| match norm(x.row(row)) {
        length if length > 0.0 => 1.0 / length,
        _ => 0.0,
    };
    (0..x.rows()).map(scale).collect()
}

impl<T: Real> Cone<'_, T> {
    /// `1/‖x_j‖`, with the sign of the row's side.
    fn side(&self, row: usize) -> f64 {
        match self.gates.active(self.gate, row) {
            true => self.scales[row],
            false => -self.scales[row],
        }
    }

    /// The norm of the projection of `p`: `max pᵀv` over the `v` of the cone with
    /// `‖v‖ ≤ 1`. The answer is never too small, and the search for it ends as
    /// soon as it is known to be at most `enough`.
    pub fn projection_norm(&self, p: &[f64], enough: f64) -> f64 {
        let most = p.len().max(16);
        let mut held = Held::default();
        let mut residual = p.to_vec();
        let mut length = norm(p);
        // every round looks at all rows once, and then only at the worst of them
        for _ in 0..self.x.rows() + p.len() {
            let mut wrong: Vec<(f64, usize)> = (0..self.x.rows())
                .map(|row| (self.side(row) * dot(self.x.row(row), &residual), row))
                .filter(|&(side, _)| side < -SIDE * length)
                .collect();
            wrong.sort_by(|a, b| a.0.total_cmp(&b.0));
            wrong.truncate(most);
            let before = length;
            let mut rows: Vec<usize> = wrong.into_iter().map(|(_, row)| row).collect();
            while let Some(worst) = self.worst(&rows, &residual, length) {
                let row = rows.swap_remove(worst);
                let side = self.side(row);
                let a: Vec<f64> = (self.x.row(row).iter()).map(|x| side * x.wide()).collect();
                if held.add(row, &a, p) {
                    let gone = held.settle();
                    residual = held.residual(p);
                    let shorter = norm(&residual);
                    // rows that were let go may be wanted again while there is progress
                    if shorter < length {
                        rows.extend(gone);
                        length = shorter;
                    }
                }
                // what is left of p may be rounding only
                if length <= enough.max(1e-14 * norm(p)) {
                    return length;
                }
            }
            if length >= before {
                break;
            }
        }
        length
    }

    /// Where in `rows` the one furthest on the wrong side is.
    fn worst(&self, rows: &[usize], residual: &[f64], length: f64) -> Option<usize> {
        let side = |row: usize| self.side(row) * dot(self.x.row(row), residual);
        (rows.iter().map(|&row| side(row)).enumerate())
            .filter(|&(_, side)| side < -SIDE * length)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(at, _)| at)
    }
}

/// The rows with `α_j > 0`, and `Aᵀ = Q R` for them.
#[derive(Default)]
struct Held {
    rows: Vec<usize>,
    alpha: Vec<f64>,
    /// Orthonormal columns.
    q: Vec<Vec<f64>>,
    /// Column `j` has `j + 1` entries.
    r: Vec<Vec<f64>>,
    /// `Qᵀp`
    image: Vec<f64>,
}

impl Held {
    /// Takes a row in, with `α = 0`; false if it depends on those there are.
    fn add(&mut self, row: usize, a: &[f64], p: &[f64]) -> bool {
        let mut rest = a.to_vec();
        let mut column = vec![0.0; self.q.len() + 1];
        // twice is enough
        for _ in 0..2 {
            for (q, entry) in self.q.iter().zip(&mut column) {
                let along = dot(q, &rest);
                add_scaled(&mut rest, -along, q);
                *entry += along;
            }
        }
        let length = norm(&rest);
        if length <= INDEPENDENT {
            return false;
        }
        rest.iter_mut().for_each(|entry| *entry /= length);
        column[self.q.len()] = length;
        self.image.push(dot(&rest, p));
        self.q.push(rest);
        self.r.push(column);
        self.rows.push(row);
        self.alpha.push(0.0);
        true
    }

    /// Moves `α` to the least squares solution, and lets go of the rows whose
    /// `α` becomes 0 on the way; returns them.
    fn settle(&mut self) -> Vec<usize> {
        let mut gone = Vec::new();
        loop {
            let best = self.least_squares();
            let mut first = None;
            for (at, (&alpha, &best)) in self.alpha.iter().zip(&best).enumerate() {
                if best <= 0.0 {
                    // where on the way from α to the solution 0 lies
                    let step = if alpha > 0.0 {
                        alpha / (alpha - best)
                    } else {
                        0.0
                    };
                    if first.is_none_or(|(_, least)| step < least) {
                        first = Some((at, step));
                    }
                }
            }
            let Some((at, step)) = first else {
                self.alpha = best;
                return gone;
            };
            for (alpha, best) in self.alpha.iter_mut().zip(&best) {
                *alpha += step * (best - *alpha);
            }
            gone.push(self.remove(at));
        }
    }

    /// `α` with `R α = −Qᵀp`
    fn least_squares(&self) -> Vec<f64> {
        let mut alpha: Vec<f64> = self.image.iter().map(|image| -image).collect();
        for j in (0..alpha.len()).rev() {
            let column = &self.r[j];
            alpha[j] /= column[j];
            let (above, rest) = alpha.split_at_mut(j);
            add_scaled(above, -rest[0], &column[..j]);
        }
        alpha
    }

    /// Lets go of a row; rotations make `R` triangular again.
    fn remove(&mut self, at: usize) -> usize {
        self.r.remove(at);
        self.alpha.remove(at);
        for i in at..self.r.len() {
            let (a, b) = (self.r[i][i], self.r[i][i + 1]);
            let length = a.hypot(b);
            let (cosine, sine) = (a / length, b / length);
            let turned = |a: f64, b: f64| (cosine * a + sine * b, cosine * b - sine * a);
            for column in &mut self.r[i..] {
                (column[i], column[i + 1]) = turned(column[i], column[i + 1]);
            }
            self.r[i].truncate(i + 1);
            (self.image[i], self.image[i + 1]) = turned(self.image[i], self.image[i + 1]);
            let (left, right) = self.q.split_at_mut(i + 1);
            for (a, b) in left[i].iter_mut().zip(&mut right[0]) {
                (*a, *b) = turned(*a, *b);
            }
        }
        self.q.pop();
        self.image.pop();
        self.rows.remove(at)
    }

    /// `p − Q Qᵀp = p + Aᵀα`
    fn residual(&self, p: &[f64]) -> Vec<f64> {
        let mut residual = p.to_vec();
        for _ in 0..2 {
            for q in &self.q {
                let along = dot(q, &residual);
                add_scaled(&mut residual, -along, q);
            }
        }
        residual
    }
}

//! Randomized Nyström approximation `H ≈ U Λ Uᵀ` and the preconditioner made of it.

use crate::Error;
use crate::dense::{self, Qr};
use crate::inner::{dot, norm};
use crate::real::Real;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::ops::Range;

/// Attempts to factor the sketch, each with a ten times larger shift.
const CHOLESKY_ATTEMPTS: usize = 8;

/// Power steps for the error estimate of the adaptive rank.
const POWER_STEPS: usize = 8;

/// How the rank of a Nyström approximation is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rank {
    /// This rank; 20 is the default of the method.
    Fixed(usize),
    /// Doubled until the error and the smallest eigenvalue kept are both at
    /// most ten times `mu`, or until `most` is reached.
    Adaptive {
        /// Rank tried first.
        first: usize,
        /// Largest rank tried.
        most: usize,
    },
}

impl Default for Rank {
    fn default() -> Self {
        Self::Fixed(20)
    }
}

/// A symmetric positive semidefinite operator, known by its products.
pub trait Operator<T> {
    /// Size of the vectors.
    fn size(&self) -> usize;
    /// `out = H x` for a block of columns, each of `size()` numbers.
    fn apply(&mut self, x: &[T], out: &mut [T]);
}

/// `H ≈ U Λ Uᵀ`
pub struct Nystrom<T> {
    /// `U`: size x rank, orthonormal columns.
    vectors: Mat<T>,
    /// `Λ`, largest first.
    eigenvalues: Vec<f64>,
}

impl<T: Real> Nystrom<T> {
    /// Sketches `operator` with the rank that `rank` asks for; `mu` is the
    /// regularisation the preconditioner will be used with.
    pub fn new(
        operator: &mut impl Operator<T>,
        rank: Rank,
        mu: f64,
        seed: u64,
    ) -> Result<Self, Error> {
        let size = operator.size();
        if size == 0 {
            return Err(Error::setting("size", size, "at least 1"));
        }
        match rank {
            Rank::Fixed(rank) => Self::sketch(operator, rank.clamp(1, size), seed),
            Rank::Adaptive { first, most } => {
                let most = most.clamp(1, size);
                let mut rank = first.clamp(1, most);
                loop {
                    let sketch = Self::sketch(operator, rank, seed)?;
                    let smallest = sketch.eigenvalues[rank - 1];
                    let error = sketch.error(operator, seed);
                    if rank == most || smallest.max(error) <= 10.0 * mu {
                        return Ok(sketch);
                    }
                    rank = (2 * rank).min(most);
                }
            }
        }
    }

    /// Vectors, column by column, and eigenvalues that were found elsewhere.
    pub(crate) fn from_parts(vectors: &[T], eigenvalues: Vec<f64>) -> Self {
        let rank = eigenvalues.len();
        let size = vectors.len() / rank;
        Self {
            vectors: Mat::from_fn(size, rank, |i, j| vectors[j * size + i]),
            eigenvalues,
        }
    }

    /// The rank-`rank` approximation, Frangella, Tropp and Udell's Algorithm 2.1.
    fn sketch(operator: &mut impl Operator<T>, rank: usize, seed: u64) -> Result<Self, Error> {
        let size = operator.size();
        // Ω = qr(randn)
        let omega = Qr::new(gaussian(size, rank, seed)).q();
        // Y = H Ω
        let test: Vec<T> = columns(&omega);
        let mut product = vec![T::ZERO; test.len()];
        operator.apply(&test, &mut product);
        let y = Mat::from_fn(size, rank, |i, j| product[j * size + i].wide());
        // The products carry errors of one unit in the last place of T, so the
        // shift is one of those, whatever precision the small algebra runs in.
        let mut shift = (size as f64).sqrt() * T::EPSILON * norm(&product);
        if shift == 0.0 {
            return Ok(Self {
                vectors: cast(&omega),
                eigenvalues: vec![0.0; rank],
            });
        }
        for _ in 0..CHOLESKY_ATTEMPTS {
            // Y_ν = Y + ν Ω
            let shifted = Mat::from_fn(size, rank, |i, j| y[(i, j)] + shift * omega[(i, j)]);
            // C = chol(Ωᵀ Y_ν)
            let mut core = Mat::zeros(rank, rank);
            matmul(
                core.as_mut(),
                Accum::Replace,
                omega.transpose(),
                shifted.as_ref(),
                1.0,
                Par::Seq,
            );
            let mut core = Mat::from_fn(rank, rank, |i, j| 0.5 * (core[(i, j)] + core[(j, i)]));
            if dense::cholesky(core.as_mut()).is_err() {
                shift *= 10.0;
                continue;
            }
            // B = Y_ν C⁻ᵀ with C lower
            let mut b = shifted;
            solve_lower_triangular_in_place(core.as_ref(), b.as_mut().transpose_mut(), Par::Seq);
            // U Σ V = svd(B),  Λ = max(0, Σ² − ν)
            let (vectors, singular) = dense::left_singular(b)?;
            return Ok(Self {
                vectors: cast(&vectors),
                eigenvalues: singular.iter().map(|s| (s * s - shift).max(0.0)).collect(),
            });
        }
        Err(Error::Numerical(format!(
            "the Nyström sketch of rank {rank} could not be factored; is the operator positive \
             semidefinite?"
        )))
    }

    /// Estimates `‖H − U Λ Uᵀ‖` by the power method.
    fn error(&self, operator: &mut impl Operator<T>, seed: u64) -> f64 {
        let size = operator.size();
        let mut x: Vec<T> = columns(&gaussian(size, 1, seed ^ 0x5eed));
        let mut image = vec![T::ZERO; size];
        let mut estimate = 0.0;
        for _ in 0..POWER_STEPS {
            let length = norm(&x);
            if length == 0.0 {
                return 0.0;
            }
            x.iter_mut().for_each(|x| *x = T::of(x.wide() / length));
            operator.apply(&x, &mut image);
            for (j, &lambda) in self.eigenvalues.iter().enumerate() {
                let u = self.vector(j);
                let along = T::of(-lambda * dot(u, &x));
                crate::inner::add_scaled(&mut image, along, u);
            }
            estimate = dot(&x, &image).abs();
            x.copy_from_slice(&image);
        }
        estimate
    }

    /// Rank of the approximation.
    pub fn rank(&self) -> usize {
        self.eigenvalues.len()
    }

    /// Approximate eigenvalues, largest first.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Approximate eigenvector `j`.
    pub fn vector(&self, j: usize) -> &[T] {
        self.vectors
            .as_ref()
            .col(j)
            .try_as_col_major()
            .map_or(&[], |column| column.as_slice())
    }

    /// `out = P⁻¹ r` with `P⁻¹ = (λ_r + μ) U (Λ + μ)⁻¹ Uᵀ + (I − U Uᵀ)`
    ///
    /// r, out: size x C
    pub(crate) fn precondition(&self, mu: f64, r: &[T], out: &mut [T]) {
        let along = self.along(r, 0..self.vectors.nrows());
        self.precondition_along(mu, along, r, out);
    }

    /// `Uᵀ r` over some rows: rank x C
    pub(crate) fn along(&self, r: &[T], rows: Range<usize>) -> Mat<T> {
        let size = self.vectors.nrows();
        let r = MatRef::from_column_major_slice(r, size, r.len() / size);
        let mut along = Mat::zeros(self.rank(), r.ncols());
        matmul(
            along.as_mut(),
            Accum::Replace,
            (self.vectors.as_ref().subrows(rows.start, rows.len())).transpose(),
            r.subrows(rows.start, rows.len()),
            T::ONE,
            Par::Seq,
        );
        along
    }

    /// `out = P⁻¹ r` where `Uᵀ r` is known.
    pub(crate) fn precondition_along(&self, mu: f64, mut along: Mat<T>, r: &[T], out: &mut [T]) {
        let (size, rank, count) = (self.vectors.nrows(), self.rank(), along.ncols());
        let smallest = self.eigenvalues[rank - 1];
        for (j, &lambda) in self.eigenvalues.iter().enumerate() {
            let factor = T::of((smallest + mu) / (lambda + mu) - 1.0);
            for c in 0..count {
                along[(j, c)] = factor * along[(j, c)];
            }
        }
        out.copy_from_slice(r);
        matmul(
            MatMut::from_column_major_slice_mut(out, size, count),
            Accum::Add,
            self.vectors.as_ref(),
            along.as_ref(),
            T::ONE,
            Par::Seq,
        );
    }
}

fn gaussian(rows: usize, columns: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || StandardNormal.sample(&mut rng);
    let values: Vec<f64> = (0..rows * columns).map(|_| draw()).collect();
    Mat::from_fn(rows, columns, |i, j| values[j * rows + i])
}

fn columns<T: Real>(a: &Mat<f64>) -> Vec<T> {
    (0..a.ncols())
        .flat_map(|j| (0..a.nrows()).map(move |i| T::of(a[(i, j)])))
        .collect()
}

fn cast<T: Real>(a: &Mat<f64>) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| T::of(a[(i, j)]))
}

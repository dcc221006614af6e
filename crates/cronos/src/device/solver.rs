//! The u-step on a device, with factors and sketches that the processor made.
//!
//! ```text
//! u ← M⁻¹ b ;  r = F u ;  S t = r ;  u ← u − M⁻¹ Fᵀ t        S = (1/c) I + F M⁻¹ Fᵀ
//! ```

use super::link::Link;
use super::loss;
use super::pcg;
use super::rows::Rows;
use crate::cholesky::Tiled;
use crate::loss::Loss;
use crate::nystrom::Nystrom;
use crate::pcg::Stop;
use crate::real::Real;
use crate::solver::{InnerParts, Parts, SampleParts};
use burn::tensor::Tensor;
use faer::MatRef;

/// The identity in `I + H`.
const MU: f64 = 1.0;

/// A way to solve `(I ⊗ M + c FᵀHF) u = b`.
pub(super) enum Way {
    /// Nothing: `u` stays.
    None,
    /// In the space of the rows.
    Sample(Metric, Inner),
    /// The paper's, in the space of the weights.
    Primal(Sketch),
}

/// `M⁻¹ = WᵀW` by its roots `W`.
pub(super) enum Metric {
    One,
    /// The same for all groups: d x d
    Shared(Tensor<2>),
    /// k x d x d
    Own(Tensor<3>),
}

/// How `S t = r` is solved.
pub(super) enum Inner {
    /// By `L⁻¹` for `S = L Lᵀ`: one for all outputs, or one for each.
    Direct(Vec<Tensor<2>>),
    Pcg {
        sketches: Vec<Sketch>,
        error_per_residual: f64,
    },
}

/// A Nyström preconditioner.
pub(super) struct Sketch {
    /// size x rank
    vectors: Tensor<2>,
    /// `(λ_r + μ)/(λ + μ) − 1`: 1 x rank
    factors: Tensor<2>,
}

/// What a u-step needs to know.
pub(super) struct Step<'s> {
    pub rows: &'s Rows,
    pub link: &'s Link,
    /// `c`
    pub weight: f64,
    /// The loss whose curvature stands in the blocks, unless it is 1.
    pub curved: Option<Loss>,
    pub stop: Stop,
}

impl Way {
    pub fn new<T: Real>(parts: Parts<'_, T>, link: &Link) -> Self {
        match parts {
            Parts::Primal(sketch) => Self::Primal(Sketch::new(sketch, MU, link)),
            Parts::Sample(SampleParts {
                roots,
                multiplicity,
                inner,
            }) => {
                let metric = Metric::new(roots, link);
                let scale = multiplicity.sqrt();
                let inner = match inner {
                    InnerParts::Direct(factors) => {
                        let inverse =
                            |factor: &&Tiled<T>| send(factor.inverse().as_ref(), 1.0 / scale, link);
                        Inner::Direct(factors.iter().map(inverse).collect())
                    }
                    InnerParts::Pcg {
                        sketches,
                        mu,
                        error_per_residual,
                    } => Inner::Pcg {
                        sketches: (sketches.iter())
                            .map(|sketch| Sketch::new(sketch, mu, link))
                            .collect(),
                        error_per_residual: error_per_residual / scale,
                    },
                };
                Self::Sample(metric, inner)
            }
        }
    }

    /// Solves for `u` from the last `u` and `t`; returns the inner iterations it took.
    ///
    /// b, u: k x d; t: C x n
    pub fn solve(
        &self,
        step: &Step<'_>,
        b: &Tensor<2>,
        u: &mut Tensor<2>,
        t: &mut Tensor<2>,
    ) -> usize {
        match self {
            Self::None => 0,
            Self::Primal(sketch) => {
                let iterations;
                (*u, iterations) = step.primal(sketch, b, u.clone());
                iterations
            }
            Self::Sample(metric, inner) => {
                let rows = step.rows;
                *u = metric.solve(b.clone());
                let r = rows.predict(&rows.fold(u)).transpose();
                let iterations;
                (*t, iterations) = step.inner(metric, inner, &r, t.clone());
                *u = u.clone() - metric.back(rows, &t.clone().transpose());
                iterations
            }
        }
    }
}

impl Step<'_> {
    /// `S t = r`: C x n
    fn inner(
        &self,
        metric: &Metric,
        inner: &Inner,
        r: &Tensor<2>,
        t: Tensor<2>,
    ) -> (Tensor<2>, usize) {
        match inner {
            Inner::Direct(roots) => {
                // t = r L⁻ᵀ L⁻¹, a system in each row
                let solve = |r: Tensor<2>, root: &Tensor<2>| {
                    r.matmul(root.clone().transpose()).matmul(root.clone())
                };
                (each(r, roots, solve), 0)
            }
            Inner::Pcg {
                sketches,
                error_per_residual,
            } => {
                let rows = self.rows;
                let apply = |t: Tensor<2>| {
                    let u = metric.back(rows, &t.clone().transpose());
                    let image = rows.predict(&rows.fold(&u)).transpose();
                    image + t.div_scalar(self.weight)
                };
                let precondition =
                    |r: Tensor<2>| each(&r, sketches, |r, sketch| sketch.precondition(r));
                let stop = Stop {
                    tolerance: self.stop.tolerance / error_per_residual,
                    ..self.stop
                };
                pcg::solve(apply, precondition, r, t, stop, self.link)
            }
        }
    }

    /// `(I + c FᵀHF + GᵀG) u = b`, a system for each output unless the loss couples them.
    fn primal(&self, sketch: &Sketch, b: &Tensor<2>, u: Tensor<2>) -> (Tensor<2>, usize) {
        let (rows, sizes) = (self.rows, self.rows.sizes);
        let shape = [sizes.groups(), sizes.features];
        let coupled = self.curved.is_some_and(Loss::couples_outputs);
        let systems = if coupled { 1 } else { sizes.outputs };
        let size = sizes.groups() * sizes.features / systems;
        let apply = |u: Tensor<2>| {
            let weights = u.clone().reshape(shape);
            let image = rows.total(|block| {
                let z = block.forward(&weights);
                let mut f = rows.sum(block, z.clone());
                if let Some(loss) = self.curved {
                    f = loss::apply_curvature(loss, block.f.clone(), f);
                }
                let spread = rows.spread(block, f.mul_scalar(self.weight));
                // (2D − I)² = I
                if sizes.signs == 2 { spread + z } else { spread }
            });
            image.reshape([systems, size]) + u.mul_scalar(MU)
        };
        let precondition = |r: Tensor<2>| {
            let of_outputs = r.reshape([sizes.outputs, size * systems / sizes.outputs]);
            sketch.precondition(of_outputs).reshape([systems, size])
        };
        let (b, u) = (
            b.clone().reshape([systems, size]),
            u.reshape([systems, size]),
        );
        let (u, iterations) = pcg::solve(apply, precondition, &b, u, self.stop, self.link);
        (u.reshape(shape), iterations)
    }
}

impl Metric {
    /// roots: none for the identity, one for all groups or one for each
    pub fn new<T: Real>(roots: Vec<MatRef<'_, T>>, link: &Link) -> Self {
        match roots[..] {
            [] => Self::One,
            [root] => Self::Shared(send(root, 1.0, link)),
            _ => {
                let d = roots[0].nrows();
                let all = roots.iter().flat_map(|&root| row_by_row(root, 1.0));
                Self::Own(link.send(all.collect(), [roots.len(), d, d]))
            }
        }
    }

    /// `M⁻¹ b`, rows of d numbers
    pub fn solve(&self, b: Tensor<2>) -> Tensor<2> {
        match self {
            Self::One => b,
            Self::Shared(root) => b.matmul(root.clone().transpose()).matmul(root.clone()),
            Self::Own(roots) => {
                let [k, d] = b.dims();
                let half = roots.clone().matmul(b.reshape([k, d, 1]));
                let whole = roots.clone().transpose().matmul(half);
                whole.reshape([k, d])
            }
        }
    }

    /// `M⁻¹ Fᵀ t`: n x C to k x d
    fn back(&self, rows: &Rows, t: &Tensor<2>) -> Tensor<2> {
        let q = rows.predict_back(t);
        match self {
            Self::Own(_) => self.solve(rows.unfold(q)),
            _ => rows.unfold(self.solve(q)),
        }
    }
}

impl Sketch {
    fn new<T: Real>(sketch: &Nystrom<T>, mu: f64, link: &Link) -> Self {
        let rank = sketch.rank();
        let vectors: Vec<&[T]> = (0..rank).map(|j| sketch.vector(j)).collect();
        let size = vectors[0].len();
        let turned = (0..size).flat_map(|i| vectors.iter().map(move |vector| vector[i]));
        let turned = turned.map(|value| value.wide() as f32).collect();
        let smallest = sketch.eigenvalues()[rank - 1];
        let factor = |&lambda: &f64| ((smallest + mu) / (lambda + mu) - 1.0) as f32;
        let factors = sketch.eigenvalues().iter().map(factor).collect();
        Self {
            vectors: link.send(turned, [size, rank]),
            factors: link.send(factors, [1, rank]),
        }
    }

    /// `P⁻¹ r`, a vector in each row
    fn precondition(&self, r: Tensor<2>) -> Tensor<2> {
        let along = r.clone().matmul(self.vectors.clone()) * self.factors.clone();
        r + along.matmul(self.vectors.clone().transpose())
    }
}

/// All rows by the one there is, or each by its own.
fn each<P>(r: &Tensor<2>, own: &[P], apply: impl Fn(Tensor<2>, &P) -> Tensor<2>) -> Tensor<2> {
    match own {
        [one] => apply(r.clone(), one),
        _ => {
            let rows = own.iter().enumerate();
            let rows = rows.map(|(at, own)| apply(r.clone().narrow(0, at, 1), own));
            Tensor::cat(rows.collect(), 0)
        }
    }
}

/// A matrix, row by row.
fn send<T: Real>(matrix: MatRef<'_, T>, scale: f64, link: &Link) -> Tensor<2> {
    let shape = [matrix.nrows(), matrix.ncols()];
    link.send(row_by_row(matrix, scale).collect(), shape)
}

fn row_by_row<T: Real>(matrix: MatRef<'_, T>, scale: f64) -> impl Iterator<Item = f32> {
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    let row = move |i: usize| (0..columns).map(move |j| (scale * matrix[(i, j)].wide()) as f32);
    (0..rows).flat_map(row)
}

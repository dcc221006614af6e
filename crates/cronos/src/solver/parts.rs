//! What a solver is made of, for a device to apply.

use crate::cholesky::Tiled;
use crate::nystrom::Nystrom;
use faer::MatRef;

pub(crate) enum Parts<'s, T> {
    Sample(SampleParts<'s, T>),
    /// The sketch of `H`, for `I + H`.
    Primal(&'s Nystrom<T>),
}

/// `S = m ((1/mc) I + K)`, of which the processor has the matrix in brackets: `m` is 2 where the two
/// groups of a gate have the same matrix.
pub(crate) struct SampleParts<'s, T> {
    /// `W` of `M⁻¹ = WᵀW`: none for the identity, one for all groups or one for each.
    pub roots: Vec<MatRef<'s, T>>,
    pub multiplicity: f64,
    pub inner: InnerParts<'s, T>,
}

/// One for all outputs, or one for each.
pub(crate) enum InnerParts<'s, T> {
    Direct(Vec<&'s Tiled<T>>),
    Pcg {
        sketches: Vec<&'s Nystrom<T>>,
        /// The shift of the matrix in brackets.
        mu: f64,
        /// A bound on `‖u − exact‖ / ‖residual‖`.
        error_per_residual: f64,
    },
}

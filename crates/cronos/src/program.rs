//! The sampled convex program: data, gates, activation, loss and penalty.

use crate::Error;
use crate::blocks::Blocks;
use crate::gates::Gates;
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::solver::Shape;
use std::borrow::Cow;

/// What a hidden unit does with its pre-activation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activation {
    /// `max(x·v, 0)`: every group is held to the cone of its gate.
    #[default]
    Relu,
    /// `1(x·g ≥ 0) x·v`: the gate stays fixed and there is no cone.
    Gated,
}

impl Activation {
    /// Groups per gate and output: `v` and `w`, or one that takes either sign.
    pub fn signs(self) -> usize {
        match self {
            Self::Relu => 2,
            Self::Gated => 1,
        }
    }

    /// The name a user types.
    pub fn name(self) -> &'static str {
        match self {
            Self::Relu => "relu",
            Self::Gated => "gated",
        }
    }
}

/// The convex program, for each output column `y` of `Y`:
///
/// ```text
/// min  loss( Σ_i D_i X (v_i − w_i), y ) + β Σ_i ( ‖v_i‖ + ‖w_i‖ )
/// s.t. (2 D_i − I) X v_i ≥ 0 ,  (2 D_i − I) X w_i ≥ 0
/// ```
///
/// With the gated activation there is one group per gate and no constraint.
#[derive(Clone, Debug)]
pub struct Program<T, X = Matrix<T>> {
    /// `X`: n x d, with the column of ones if there is a bias.
    pub x: X,
    /// `Y`: n x C.
    pub y: Matrix<T>,
    /// The gates `D_1 … D_P`.
    pub gates: Gates,
    /// Penalty on the norms of the groups.
    pub beta: f64,
    /// ReLU or gated ReLU.
    pub activation: Activation,
    /// The loss.
    pub loss: Loss,
    /// One weight > 0 for each row; a row of weight `w` counts as `w` equal rows.
    pub weights: Option<Vec<f64>>,
}

impl<T: Real, X: Blocks<T>> Program<T, X> {
    /// Refuses shapes that do not fit together, numbers that are not finite
    /// and a negative penalty.
    pub fn check(&self) -> Result<(), Error> {
        if self.x.rows() == 0 || self.x.columns() == 0 || self.y.columns() == 0 {
            return Err(Error::Shape {
                what: "data",
                expected: "at least one row, one feature and one target".into(),
                found: format!(
                    "{} rows, {} features, {} targets",
                    self.x.rows(),
                    self.x.columns(),
                    self.y.columns()
                ),
            });
        }
        if self.y.rows() != self.x.rows() || self.gates.rows() != self.x.rows() {
            return Err(Error::Shape {
                what: "targets and gates",
                expected: format!("{} rows, as many as the features", self.x.rows()),
                found: format!("{} and {} rows", self.y.rows(), self.gates.rows()),
            });
        }
        if !(self.beta >= 0.0 && self.beta.is_finite()) {
            return Err(Error::setting("beta", self.beta, "finite and not negative"));
        }
        self.x.check_finite()?;
        self.y.check_finite("targets")?;
        self.check_weights()?;
        self.loss.check(&self.y)
    }

    fn check_weights(&self) -> Result<(), Error> {
        let Some(weights) = &self.weights else {
            return Ok(());
        };
        if weights.len() != self.x.rows() {
            return Err(Error::Shape {
                what: "weights",
                expected: format!("{}, one for each row", self.x.rows()),
                found: format!("{}", weights.len()),
            });
        }
        let wrong = |weight: &f64| !(*weight > 0.0 && weight.is_finite());
        match weights.iter().position(wrong) {
            Some(row) => Err(Error::Data(format!(
                "row {} has the weight {}; weights must be finite and greater than 0, and rows \
                 of weight 0 left out",
                row + 1,
                weights[row]
            ))),
            None => Ok(()),
        }
    }

    /// `√w` of each row, if there are weights.
    pub(crate) fn roots(&self) -> Option<Vec<T>> {
        let weights = self.weights.as_ref()?;
        Some(weights.iter().map(|weight| T::of(weight.sqrt())).collect())
    }

    /// `√w X` for such roots: the rows as `F` and `G` see them.
    pub(crate) fn rows_seen<'a>(&'a self, roots: Option<&'a [T]>) -> Seen<'a, T> {
        match roots {
            None => Seen::AsTheyAre(&self.x),
            Some(roots) => Seen::Weighted(self.x.weighted(roots)),
        }
    }

    /// The sizes that memory and cost depend on.
    pub(crate) fn shape(&self) -> Shape {
        Shape {
            rows: self.x.rows(),
            features: self.x.columns(),
            gates: self.gates.len(),
            outputs: self.y.columns(),
            signs: self.activation.signs(),
            streamed: self.x.as_matrix().is_none(),
        }
    }

    /// Columns of the weights: signs x P x C.
    pub fn groups(&self) -> usize {
        self.activation.signs() * self.gates.len() * self.y.columns()
    }
}

impl<T: Real> Program<T> {
    /// `√w X`: the rows as `F` and `G` see them.
    pub(crate) fn weighted_features(&self) -> Cow<'_, Matrix<T>> {
        match self.roots() {
            None => Cow::Borrowed(&self.x),
            Some(roots) => Cow::Owned(Matrix::from_fn(
                self.x.rows(),
                self.x.columns(),
                |row, column| roots[row] * self.x.at(row, column),
            )),
        }
    }
}

/// Rows, perhaps times the roots of their weights.
pub(crate) enum Seen<'a, T> {
    AsTheyAre(&'a dyn Blocks<T>),
    Weighted(Box<dyn Blocks<T> + 'a>),
}

impl<T> Seen<'_, T> {
    pub fn blocks(&self) -> &dyn Blocks<T> {
        match self {
            Self::AsTheyAre(x) => *x,
            Self::Weighted(x) => &**x,
        }
    }
}

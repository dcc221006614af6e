//! The network while it is learned: `f(x) = Σ_j a_j max(w_j·x, 0)`.

use crate::real::Real;

/// Hidden units in one array: first all `w_j` (`d` numbers each), then all `a_j`
/// (`C` numbers each). The penalty `½ β (‖w_j‖² + ‖a_j‖²)` is `β ‖w_j‖ ‖a_j‖` once
/// the two are balanced.
#[derive(Clone, Debug)]
pub(crate) struct Hidden<T> {
    pub features: usize,
    pub outputs: usize,
    pub values: Vec<T>,
}

impl<T: Real> Hidden<T> {
    pub fn none(features: usize, outputs: usize) -> Self {
        Self {
            features,
            outputs,
            values: Vec::new(),
        }
    }

    /// The same units in `f64`.
    pub fn wide(&self) -> Hidden<f64> {
        Hidden {
            features: self.features,
            outputs: self.outputs,
            values: self.values.iter().map(|value| value.wide()).collect(),
        }
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.values.len() / (self.features + self.outputs)
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All `w_j`: d x m, column by column.
    pub fn inner(&self) -> &[T] {
        &self.values[..self.len() * self.features]
    }

    /// All `a_j`: C x m, column by column.
    pub fn outer(&self) -> &[T] {
        &self.values[self.len() * self.features..]
    }

    /// The units as pairs of `w_j` and `a_j`.
    pub fn units(&self) -> impl Iterator<Item = (&[T], &[T])> {
        let inner = self.inner().chunks(self.features.max(1));
        inner.zip(self.outer().chunks(self.outputs.max(1)))
    }

    /// The network of these units.
    pub fn from_units<'u>(
        features: usize,
        outputs: usize,
        units: impl Iterator<Item = (&'u [T], &'u [T])> + Clone,
    ) -> Self {
        let inner = units.clone().flat_map(|(w, _)| w);
        let outer = units.flat_map(|(_, a)| a);
        Self {
            features,
            outputs,
            values: inner.chain(outer).copied().collect(),
        }
    }

    /// Only these units, in this order.
    pub fn only(&self, kept: &[usize]) -> Self {
        let all: Vec<(&[T], &[T])> = self.units().collect();
        let kept = kept.iter().map(|&unit| all[unit]);
        Self::from_units(self.features, self.outputs, kept)
    }

    /// `‖w_j‖ ‖a_j‖` of every unit.
    pub fn norms(&self) -> Vec<f64> {
        self.units()
            .map(|(w, a)| crate::inner::norm(w) * crate::inner::norm(a))
            .collect()
    }

    /// Scales every unit so that `‖w_j‖ = ‖a_j‖`, and drops those that are zero.
    pub fn balance(&mut self) {
        let kept: Vec<(Vec<T>, Vec<T>)> = self
            .units()
            .filter_map(|(w, a)| {
                let (of_w, of_a) = (crate::inner::norm(w), crate::inner::norm(a));
                let ratio = (of_a / of_w).sqrt();
                (ratio.is_finite() && ratio > 0.0).then(|| {
                    let (up, down) = (T::of(ratio), T::of(1.0 / ratio));
                    (
                        w.iter().map(|&w| up * w).collect(),
                        a.iter().map(|&a| down * a).collect(),
                    )
                })
            })
            .collect();
        let units = kept.iter().map(|(w, a)| (w.as_slice(), a.as_slice()));
        *self = Self::from_units(self.features, self.outputs, units);
    }
}

//! What the network sees of the features: raw columns, hats, ramps or ranks, scaled.

use crate::encoding::{Encoding, Knots};
use crate::learn::Hidden;
use crate::matrix::Matrix;
use crate::network::{Network, TargetScaling};
use crate::real::Real;
use crate::scaling::Scaling;
use std::borrow::Cow;

/// A way of seeing the features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Style {
    pub name: &'static str,
    pub knots: Knots,
    pub form: Form,
}

/// What is made of the knots of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Ramps beside it, one between two knots.
    Ramps,
    /// Hats beside it, one at each knot.
    Hats,
    /// The sum of the ramps in its place.
    Ranks,
}

const fn style(name: &'static str, categories: usize, pieces: usize, form: Form) -> Style {
    let knots = Knots { categories, pieces };
    Style { name, knots, form }
}

/// From the cheapest to the dearest. Hats on the values of a column with few of
/// them are its categories; ramps are their cumulative sums, the same functions
/// under another penalty. Ranks are what there is room for where columns are many.
pub(super) const STYLES: [Style; 6] = [
    style("as they are", 0, 0, Form::Ramps),
    style("categories", 12, 0, Form::Hats),
    style("8 pieces, ramps", 12, 8, Form::Ramps),
    style("8 pieces, hats", 12, 8, Form::Hats),
    style("16 pieces, hats", 24, 16, Form::Hats),
    style("ranks", 12, 8, Form::Ranks),
];

/// A style fitted to the training rows.
#[derive(Clone, Debug)]
pub(super) struct Design {
    pub style: Style,
    pub encoding: Encoding,
    pub scaling: Scaling,
    features: usize,
    bias: bool,
}

impl Design {
    /// The features as they are.
    pub fn as_they_are(x: &Matrix<f64>, bias: bool) -> Self {
        Self {
            style: STYLES[0],
            encoding: Encoding::default(),
            scaling: Scaling::identity(x.columns()),
            features: x.columns(),
            bias,
        }
    }

    /// The styles on these rows that add at most `most` columns, in their order; ranks if
    /// their ramps would add more.
    pub fn all(x: &Matrix<f64>, bias: bool, most: usize) -> Vec<Self> {
        let encodings = Encoding::several(x, STYLES.map(|style| style.knots));
        let designs = STYLES.into_iter().zip(encodings);
        designs
            .filter(|(style, encoding)| {
                (encoding.ramps.len() <= most) == (style.form != Form::Ranks)
            })
            .map(|(style, mut encoding)| {
                encoding.summed = style.form == Form::Ranks;
                Self {
                    style,
                    encoding,
                    ..Self::as_they_are(x, bias)
                }
            })
            .collect()
    }

    /// Scales the columns to mean 0 and deviation 1.
    pub fn standardize(&mut self, x: &Matrix<f64>, weights: Option<&[f64]>) {
        self.scaling = Scaling::standard(&self.columns_of(x), weights);
    }

    /// Whether both see the same columns.
    pub fn same_columns(&self, other: &Self) -> bool {
        self.encoding == other.encoding && self.style.form == other.style.form
    }

    /// Whether one network can see what both see: ranks leave no room for raw features.
    pub fn averages_with(&self, other: &Self) -> bool {
        let ranks = self.encoding.summed || other.encoding.summed;
        !ranks || self.encoding == other.encoding
    }

    /// Columns that the network sees, without the bias.
    pub fn columns(&self) -> usize {
        self.scaling.mean.len()
    }

    /// The scaled columns, the column of ones behind them if there is a bias.
    pub fn apply<T: Real>(&self, x: &Matrix<f64>) -> Matrix<T> {
        self.scaling.apply(&self.columns_of(x), self.bias)
    }

    /// Raw columns and ramps or hats behind them, or ranks.
    fn columns_of<'x>(&self, x: &'x Matrix<f64>) -> Cow<'x, Matrix<f64>> {
        if self.encoding.ramps.is_empty() {
            return Cow::Borrowed(x);
        }
        let encoded = self.encoding.apply(x);
        if self.style.form != Form::Hats {
            return Cow::Owned(encoded);
        }
        let width = self.features + self.hats().count();
        Cow::Owned(Matrix::from_each_row(x.rows(), width, |i, row| {
            let (raw, ramps) = encoded.row(i).split_at(self.features);
            let (own, hats) = row.split_at_mut(self.features);
            own.copy_from_slice(raw);
            // ramps before and behind a knot: its hat is what one has over the other
            for (hat, (before, behind)) in hats.iter_mut().zip(self.hats()) {
                *hat = before.map_or(1.0, |at| ramps[at]) - behind.map_or(0.0, |at| ramps[at]);
            }
        }))
    }

    /// For each knot the ramp that ends there and the ramp that starts there.
    fn hats(&self) -> impl Iterator<Item = (Option<usize>, Option<usize>)> {
        let ramps = &self.encoding.ramps;
        let column = |at: usize| ramps[at].column;
        (0..ramps.len()).flat_map(move |at| {
            let first = at == 0 || column(at - 1) != column(at);
            let last = at + 1 == ramps.len() || column(at + 1) != column(at);
            let knot = (Some(at), (!last).then_some(at + 1));
            first.then_some((None, Some(at))).into_iter().chain([knot])
        })
    }

    /// The network on raw features and ramps that these units are.
    pub fn network<T: Real>(&self, units: &Hidden<T>, targets: &TargetScaling) -> Network {
        let width = self.features + self.encoding.added();
        let mut hidden = Vec::with_capacity(units.len() * width);
        let mut hidden_bias = Vec::with_capacity(units.len());
        let mut output = Vec::with_capacity(units.len() * units.outputs);
        for (w, a) in units.units() {
            let w: Vec<f64> = w.iter().map(|w| w.wide()).collect();
            let (mut weights, mut bias) = self.scaling.undo(&w);
            if self.style.form == Form::Hats {
                let hats = weights.split_off(self.features);
                weights.resize(width, 0.0);
                for ((before, behind), weight) in self.hats().zip(hats) {
                    match before {
                        Some(at) => weights[self.features + at] += weight,
                        None => bias += weight,
                    }
                    if let Some(at) = behind {
                        weights[self.features + at] -= weight;
                    }
                }
            }
            hidden.extend(weights);
            hidden_bias.push(bias);
            output.extend(a.iter().zip(&targets.scale).map(|(a, s)| a.wide() * s));
        }
        let units_count = units.len();
        Network {
            encoding: self.encoding.clone(),
            hidden: Matrix::from_fn(units_count, width, |i, j| hidden[i * width + j]),
            hidden_bias,
            output: Matrix::from_fn(units_count, units.outputs, |j, c| {
                output[j * units.outputs + c]
            }),
            output_bias: targets.mean.clone(),
            gating: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folded network gives what the units give on the columns they saw.
    #[test]
    fn networks_on_raw_features_equal_units_on_what_they_saw() {
        let x = Matrix::from_fn(40, 3, |i, j| match j {
            0 => (i % 4) as f64,
            1 => ((i * 7) as f64).sin(),
            _ => (i % 2) as f64,
        });
        let designs = Design::all(&x, true, 99);
        let ranks = Design::all(&x, true, 0);
        let names = |designs: &[Design]| -> Vec<&str> {
            designs.iter().map(|design| design.style.name).collect()
        };
        assert_eq!(designs.len(), STYLES.len() - 1);
        assert_eq!(names(&ranks), ["as they are", "ranks"]);
        for mut design in designs.into_iter().chain(ranks) {
            let style = design.style;
            design.standardize(&x, None);
            let seen: Matrix<f64> = design.apply(&x);
            let (d, m, outputs) = (seen.columns(), 5, 2);
            let units = Hidden {
                features: d,
                outputs,
                values: (0..m * (d + outputs)).map(|i| (i as f64).cos()).collect(),
            };
            let targets = TargetScaling {
                mean: vec![0.5, -1.0],
                scale: vec![2.0, 3.0],
            };
            let network = design.network(&units, &targets);
            network.check().expect("sound");
            let found = network.predict(&x).expect("predicted");
            for i in 0..x.rows() {
                for c in 0..outputs {
                    let mut f = 0.0;
                    for (w, a) in units.units() {
                        let z: f64 = w.iter().zip(seen.row(i)).map(|(w, x)| w * x).sum();
                        f += a[c] * z.max(0.0);
                    }
                    let expected = targets.mean[c] + targets.scale[c] * f;
                    assert!((found.at(i, c) - expected).abs() < 1e-9, "{style:?}");
                }
            }
        }
    }
}

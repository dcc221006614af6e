//! The recovered network: an ordinary two-layer network on raw features.

use crate::Error;
use crate::blocks::Blocks;
use crate::encoding::Encoding;
use crate::inner::norm;
use crate::matrix::Matrix;
use crate::program::{Activation, Program};
use crate::real::Real;
use crate::scaling::Scaling;
use crate::sparse::SparseSums;
use crate::table::Table;
use crate::team::Team;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows predicted at a time. A shorter batch is padded to it, so a prediction
/// never depends on the batch it came in.
pub(crate) const BATCH: usize = 64;
/// Columns that are read at a time.
const PANEL: usize = 8192;

/// `Σ_j output_j · unit_j(x) + output_bias`, where unit `j` is
/// `max(hidden_j·x + hidden_bias_j, 0)`, or, with gates,
/// `1(gate·x + gate_bias ≥ 0) (hidden_j·x + hidden_bias_j)`; `x` are the raw
/// features with the ramps of the encoding behind or in place of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// What is made from the raw features.
    pub encoding: Encoding,
    /// One row per hidden unit, one column per raw feature and column made from them.
    pub hidden: Matrix<f64>,
    /// One number per hidden unit.
    pub hidden_bias: Vec<f64>,
    /// One row per hidden unit, one column per output.
    pub output: Matrix<f64>,
    /// One number per output.
    pub output_bias: Vec<f64>,
    /// Fixed gates of the gated activation.
    pub gating: Option<Gating>,
}

/// The gates of a gated network.
#[derive(Clone, Debug, PartialEq)]
pub struct Gating {
    /// One row per gate, one column per raw feature and ramp.
    pub directions: Matrix<f64>,
    /// One number per gate.
    pub bias: Vec<f64>,
    /// The gate of each hidden unit.
    pub gate_of: Vec<usize>,
}

/// What goes into the units and the gates of `BATCH` rows, row by row.
#[derive(Clone)]
pub(crate) struct Sums {
    pub units: Vec<f64>,
    pub gates: Vec<f64>,
}

/// A map of the targets that was applied before training: `(y − mean) / scale`.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetScaling {
    /// Added to each output.
    pub mean: Vec<f64>,
    /// Multiplies each output.
    pub scale: Vec<f64>,
}

impl TargetScaling {
    /// Leaves the targets as they are.
    pub fn identity(outputs: usize) -> Self {
        Self {
            mean: vec![0.0; outputs],
            scale: vec![1.0; outputs],
        }
    }

    /// The network whose outputs are the targets before they were centred and scaled.
    pub fn undo(&self, mut network: Network) -> Network {
        let scaled = |i, c| network.output.at(i, c) * self.scale[c];
        network.output = Matrix::from_fn(network.neurons(), network.outputs(), scaled);
        let biases = network.output_bias.iter_mut();
        for (bias, (mean, scale)) in biases.zip(self.mean.iter().zip(&self.scale)) {
            *bias = mean + scale * *bias;
        }
        network
    }

    /// Centres and scales each target by its mean and standard deviation.
    pub fn standard(y: &Matrix<f64>, weights: Option<&[f64]>) -> Self {
        let Scaling { mean, scale } = Scaling::standard(y, weights);
        Self { mean, scale }
    }

    /// The same over the rows of all ranks of a team, as it shares those of a program with so many
    /// features, the column of ones among them.
    pub fn shared(
        y: &Matrix<f64>,
        weights: Option<&[f64]>,
        features: usize,
        team: &Team,
    ) -> Result<Self, Error> {
        let Scaling { mean, scale } = Scaling::shared(y, weights, features, team)?;
        Ok(Self { mean, scale })
    }
}

impl Network {
    /// The network of a solution's weights, on raw features: groups that are zero are
    /// dropped, `v` becomes a unit `v/√‖v‖` with outer weight `√‖v‖` (`−√‖w‖` for `w`),
    /// and the scaling of features and targets is undone.
    pub fn recover<T: Real, X: Blocks<T>>(
        program: &Program<T, X>,
        weights: &[f64],
        features: &Scaling,
        targets: &TargetScaling,
    ) -> Self {
        let (d, raw) = (program.x.columns(), features.mean.len());
        let (outputs, gates) = (program.y.columns(), program.gates.len());
        let signs = program.activation.signs();
        let mut hidden = Vec::new();
        let mut hidden_bias = Vec::new();
        let mut output = Vec::new();
        let mut used = Vec::new();
        for (column, group) in weights.chunks(d).enumerate() {
            let length = norm(group);
            if length == 0.0 {
                continue;
            }
            let (c, sign) = (column / (signs * gates), column / gates % signs);
            let root = length.sqrt();
            let balanced: Vec<f64> = group.iter().map(|weight| weight / root).collect();
            let (weights, bias) = features.undo(&balanced);
            hidden.extend(weights);
            hidden_bias.push(bias);
            let mut outer = vec![0.0; outputs];
            outer[c] = if sign == 0 { root } else { -root } * targets.scale[c];
            output.extend(outer);
            used.push(column % gates);
        }
        let units = hidden_bias.len();
        let gating = (program.activation == Activation::Gated).then(|| {
            let mut kept = used.clone();
            kept.sort_unstable();
            kept.dedup();
            let folded: Vec<(Vec<f64>, f64)> = kept
                .iter()
                .map(|&gate| features.undo(program.gates.direction(gate)))
                .collect();
            Gating {
                directions: matrix(kept.len(), raw, folded.iter().flat_map(|(g, _)| g.clone())),
                bias: folded.iter().map(|(_, bias)| *bias).collect(),
                gate_of: used
                    .iter()
                    .map(|gate| kept.partition_point(|kept| kept < gate))
                    .collect(),
            }
        });
        Self {
            encoding: Encoding::default(),
            hidden: matrix(units, raw, hidden),
            hidden_bias,
            output: matrix(units, outputs, output),
            output_bias: targets.mean.clone(),
            gating,
        }
    }

    /// Number of raw features.
    pub fn features(&self) -> usize {
        self.hidden.columns() - self.encoding.added()
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.output.columns()
    }

    /// Number of hidden units.
    pub fn neurons(&self) -> usize {
        self.hidden.rows()
    }

    /// Refuses parts whose shapes do not fit together or numbers that are not finite.
    pub fn check(&self) -> Result<(), Error> {
        let units = self.neurons();
        let gates_fit = self.gating.as_ref().is_none_or(|gating| {
            gating.directions.columns() == self.hidden.columns()
                && gating.bias.len() == gating.directions.rows()
                && gating.gate_of.len() == units
                && gating.gate_of.iter().all(|&gate| gate < gating.bias.len())
        });
        if self.hidden_bias.len() != units
            || self.output.rows() != units
            || self.output_bias.len() != self.outputs()
            || self.hidden.columns() <= self.encoding.added()
            || self.outputs() == 0
            || !gates_fit
        {
            return Err(Error::Format(
                "the parts of the network do not fit together".into(),
            ));
        }
        self.encoding.check(self.features())?;
        self.hidden.check_finite("hidden weights")?;
        self.output.check_finite("output weights")?;
        if let Some(gating) = &self.gating {
            gating.directions.check_finite("gate directions")?;
        }
        let biases = [Some(&self.hidden_bias), Some(&self.output_bias)]
            .into_iter()
            .chain([self.gating.as_ref().map(|gating| &gating.bias)])
            .flatten();
        if biases.flatten().any(|bias| !bias.is_finite()) {
            return Err(Error::Format("a bias of the network is not finite".into()));
        }
        Ok(())
    }

    /// The outputs for each row of `x`: rows x outputs.
    pub fn predict(&self, x: &dyn Table) -> Result<Matrix<f64>, Error> {
        if x.columns() != self.features() {
            return Err(Error::Shape {
                what: "features",
                expected: format!("{} columns, as in training", self.features()),
                found: format!("{} columns", x.columns()),
            });
        }
        x.check_finite()?;
        let sparse = (x.to_sparse())
            .filter(|_| self.encoding.ramps.is_empty())
            .map(|x| SparseSums::new(self, x));
        let sums = |first: usize| match &sparse {
            Some(sparse) => sparse.of(self, first),
            None => self.sums_of(x, first),
        };
        let outputs = self.outputs();
        let mut values = vec![0.0; x.rows() * outputs];
        values
            .par_chunks_mut(BATCH * outputs)
            .enumerate()
            .for_each(|(batch, out)| {
                let batch = self.outputs_of(sums(batch * BATCH));
                out.copy_from_slice(&batch[..out.len()]);
            });
        Matrix::from_rows(x.rows(), outputs, values)
    }

    /// What goes into the units and gates for the `BATCH` rows from `first` on.
    pub(crate) fn sums_of(&self, x: &dyn Table, first: usize) -> Sums {
        let (raw, encoding) = (self.features(), &self.encoding);
        let mut sums = Sums {
            units: self.hidden_bias.repeat(BATCH),
            gates: (self.gating.as_ref())
                .map(|gating| gating.bias.repeat(BATCH))
                .unwrap_or_default(),
        };
        // ramps are made from whole rows
        let most = if encoding.ramps.is_empty() {
            PANEL
        } else {
            raw
        };
        for from in (0..raw).step_by(most.max(1)) {
            let read = most.min(raw - from);
            let width = read + encoding.added();
            let mut padded = vec![0.0; BATCH * width];
            for (row, padded) in (first..x.rows()).zip(padded.chunks_mut(width)) {
                x.read(row, from, &mut padded[..read]);
                encoding.encode(padded);
            }
            add_products(&padded, &self.hidden, from, &mut sums.units);
            if let Some(gating) = &self.gating {
                add_products(&padded, &gating.directions, from, &mut sums.gates);
            }
        }
        sums
    }

    /// The outputs of the `BATCH` rows with these sums.
    pub(crate) fn outputs_of(&self, sums: Sums) -> Vec<f64> {
        let Sums { mut units, gates } = sums;
        let count = self.neurons();
        match &self.gating {
            None => units.iter_mut().for_each(|unit| *unit = unit.max(0.0)),
            Some(gating) => {
                for (row, units) in units.chunks_mut(count.max(1)).enumerate() {
                    let gates = &gates[row * gating.bias.len()..];
                    for (unit, &gate) in units.iter_mut().zip(&gating.gate_of) {
                        if gates[gate] < 0.0 {
                            *unit = 0.0;
                        }
                    }
                }
            }
        }
        let mut out: Vec<f64> = self.output_bias.repeat(BATCH);
        let outputs = self.outputs();
        matmul(
            MatMut::from_row_major_slice_mut(&mut out, BATCH, outputs),
            Accum::Add,
            MatRef::from_row_major_slice(&units, BATCH, count),
            MatRef::from_row_major_slice(self.output.values(), count, outputs),
            1.0,
            Par::Seq,
        );
        out
    }
}

/// `sums += rows · weightsᵀ` for columns of the weights from `from` on, row by row.
fn add_products(rows: &[f64], weights: &Matrix<f64>, from: usize, sums: &mut [f64]) {
    let width = rows.len() / BATCH;
    let weights = weights.view(0, weights.rows());
    matmul(
        MatMut::from_row_major_slice_mut(sums, BATCH, weights.nrows()),
        Accum::Add,
        MatRef::from_row_major_slice(rows, BATCH, width),
        weights.subcols(from, width).transpose(),
        1.0,
        Par::Seq,
    );
}

fn matrix(rows: usize, columns: usize, values: impl IntoIterator<Item = f64>) -> Matrix<f64> {
    let values: Vec<f64> = values.into_iter().collect();
    Matrix::from_fn(rows, columns, |i, j| values[i * columns + j])
}

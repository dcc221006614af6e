//! What the score loses when a feature is shuffled.

use super::mixed::Mixed;
use super::weights::{group_norms, is_read};
use crate::Error;
use crate::folds::shuffle;
use crate::matrix::Matrix;
use crate::model::Model;
use crate::network::{BATCH, Network, Sums};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Keeps the orders apart from all else that is drawn from the same seed.
const STREAM: u64 = u64::from_le_bytes(*b"\0\0\0\0\0mix");
/// Bits of the stream that number the repeats of a feature.
const REPEAT_BITS: u32 = 12;
/// Numbers held for the sums of the chosen rows, at most; 8 bytes each.
const MOST_SUMS: usize = 1 << 24;

/// How much work is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Shuffles {
    /// How often each feature is shuffled, at most 4,095 times.
    pub repeats: usize,
    /// Rows, at most; of more, some are drawn.
    pub rows: usize,
    /// Features, at most; of more, those with the largest weights are taken, or, where
    /// layers stand in front of the network, some evenly apart.
    pub features: usize,
    /// The seed of the orders and of the draw.
    pub seed: u64,
}

impl Default for Shuffles {
    fn default() -> Self {
        Self {
            repeats: 5,
            rows: 2000,
            features: 64,
            seed: 0,
        }
    }
}

/// The loss of score over the repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation (divided by the repeats less one; 0 for one repeat).
    pub spread: f64,
}

/// What shuffling costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Shuffled {
    /// The rows used, in ascending order.
    pub rows: Vec<usize>,
    /// The score on them as they are.
    pub score: f64,
    /// For each feature; `None` where it was not measured.
    pub costs: Vec<Option<Cost>>,
}

/// Permutation importance: for each feature `j` the mean over several orders `π` of
///
/// ```text
/// score( f(x_1), …, f(x_n) ) − score( f(x'_1), …, f(x'_n) ) ,   x'_i = x_i with x_π(i),j in place of x_ij
/// ```
///
/// All that the network makes of a feature, such as its ramps, is shuffled with
/// it. A feature that is not read is not shuffled; it costs 0.
/// `score` gets the rows used and the outputs of the network on them. The order of
/// a feature depends on the seed, the feature and the number of rows alone.
pub fn shuffled(
    model: &Model,
    x: &Matrix<f64>,
    shuffles: &Shuffles,
    score: impl Fn(&[usize], &Matrix<f64>) -> f64 + Sync,
) -> Result<Shuffled, Error> {
    let network = &model.network;
    if x.columns() != model.features() {
        return Err(Error::Shape {
            what: "features",
            expected: format!("{} columns, as in training", model.features()),
            found: format!("{} columns", x.columns()),
        });
    }
    if shuffles.repeats == 0 || shuffles.repeats >> REPEAT_BITS > 0 {
        let range = "a whole number from 1 to 4095";
        return Err(Error::setting("repeats", shuffles.repeats, range));
    }
    let rows = draw(x.rows(), shuffles, network);
    if rows.is_empty() {
        return Err(Error::Data("there are no rows to shuffle".into()));
    }
    let chosen = x.select(&rows);
    let chosen = model.filled(&chosen)?;
    chosen.check_finite("features")?;
    let table = model
        .stack
        .is_none()
        .then(|| Shuffler::new(network, &chosen));
    let outputs = |shuffled: Option<(usize, &[usize])>| match (&table, shuffled) {
        (Some(table), _) => table.outputs(shuffled),
        (None, None) => model.decide_filled(chosen.as_ref()),
        (None, Some((feature, order))) => model.decide_filled(&Mixed {
            x: &chosen,
            feature,
            order,
        }),
    };
    let score = |outputs: &Matrix<f64>| score(&rows, outputs);
    let whole = score(&outputs(None)?);
    let read = is_read(model);
    let features = heaviest(model, &read, shuffles.features);
    let tasks: Vec<(usize, usize)> = (features.iter())
        .flat_map(|&feature| (0..shuffles.repeats).map(move |repeat| (feature, repeat)))
        .collect();
    let losses = tasks
        .par_iter()
        .map(|&(feature, repeat)| {
            let stream = STREAM + ((feature as u64) << REPEAT_BITS) + repeat as u64;
            let order = order(rows.len(), shuffles.seed, stream);
            Ok(whole - score(&outputs(Some((feature, &order)))?))
        })
        .collect::<Result<Vec<f64>, Error>>()?;
    let free = Cost {
        mean: 0.0,
        spread: 0.0,
    };
    let mut costs: Vec<Option<Cost>> = (read.iter()).map(|read| (!read).then_some(free)).collect();
    for (&feature, losses) in features.iter().zip(losses.chunks(shuffles.repeats)) {
        costs[feature] = Some(cost(losses));
    }
    Ok(Shuffled {
        rows,
        score: whole,
        costs,
    })
}

/// The rows to use, in ascending order.
fn draw(rows: usize, shuffles: &Shuffles, network: &Network) -> Vec<usize> {
    let gates = (network.gating.as_ref()).map_or(0, |gating| gating.bias.len());
    let held = MOST_SUMS / (network.neurons() + gates).max(1);
    let most = shuffles.rows.min(held.max(1));
    if rows <= most {
        return (0..rows).collect();
    }
    let mut drawn = order(rows, shuffles.seed, STREAM - 1);
    drawn.truncate(most);
    drawn.sort_unstable();
    drawn
}

/// The numbers below `count` in a random order.
fn order(count: usize, seed: u64, stream: u64) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream);
    let mut order: Vec<usize> = (0..count).collect();
    shuffle(&mut order, &mut random);
    order
}

/// The features with the largest weights among those that are read.
fn heaviest(model: &Model, read: &[bool], most: usize) -> Vec<usize> {
    let mut features: Vec<usize> = (0..read.len()).filter(|&j| read[j]).collect();
    let Some(norms) = group_norms(model) else {
        let count = most.min(features.len());
        return (0..count)
            .map(|at| features[at * features.len() / count])
            .collect();
    };
    features.sort_by(|&a, &b| norms[b].total_cmp(&norms[a]).then(a.cmp(&b)));
    features.truncate(most);
    features
}

fn cost(losses: &[f64]) -> Cost {
    let count = losses.len() as f64;
    let mean = losses.iter().sum::<f64>() / count;
    let squares: f64 = losses.iter().map(|loss| (loss - mean).powi(2)).sum();
    let spread = (squares / (count - 1.0).max(1.0)).sqrt();
    Cost { mean, spread }
}

/// Rows with the sums of their units, which a shuffled feature changes by little.
struct Shuffler<'a> {
    network: &'a Network,
    x: &'a Matrix<f64>,
    batches: Vec<Sums>,
}

impl<'a> Shuffler<'a> {
    fn new(network: &'a Network, x: &'a Matrix<f64>) -> Self {
        let firsts: Vec<usize> = (0..x.rows()).step_by(BATCH).collect();
        Self {
            network,
            x,
            batches: (firsts.into_par_iter())
                .map(|first| network.sums_of(x, first))
                .collect(),
        }
    }

    /// The outputs when row `i` has the value of row `order[i]` in one feature.
    fn outputs(&self, shuffled: Option<(usize, &[usize])>) -> Result<Matrix<f64>, Error> {
        let (rows, outputs) = (self.x.rows(), self.network.outputs());
        let inputs = shuffled.map_or(Vec::new(), |(feature, _)| self.inputs(feature));
        let mut values = Vec::with_capacity(self.batches.len() * BATCH * outputs);
        for (batch, sums) in self.batches.iter().enumerate() {
            let mut sums = sums.clone();
            if let Some((feature, order)) = shuffled {
                let places = (batch * BATCH..rows).take(BATCH).enumerate();
                for (place, row) in places {
                    let old = self.x.at(row, feature);
                    let new = self.x.at(order[row], feature);
                    for input in &inputs {
                        let change = input.value(new) - input.value(old);
                        add(&mut sums.units, &input.units, place, change);
                        add(&mut sums.gates, &input.gates, place, change);
                    }
                }
            }
            values.extend(self.network.outputs_of(sums));
        }
        values.truncate(rows * outputs);
        Matrix::from_rows(rows, outputs, values)
    }

    /// Everything in front of the units that is made from a feature.
    fn inputs(&self, feature: usize) -> Vec<Input> {
        let network = self.network;
        let input = |column: usize, ramp| Input {
            ramp,
            units: network.hidden.column(column),
            gates: (network.gating.as_ref())
                .map(|gating| gating.directions.column(column))
                .unwrap_or_default(),
        };
        let encoding = &network.encoding;
        let raw = (!encoding.replaces(feature)).then(|| input(feature, None));
        let ramps = encoding.ramps_of(feature, network.features());
        let ramps = ramps.map(|(at, ramp)| input(at, Some(ramp)));
        raw.into_iter().chain(ramps).collect()
    }
}

/// A column that the units see: a feature or one of its ramps.
struct Input {
    ramp: Option<crate::encoding::Ramp>,
    /// Its weight in each unit and in each gate.
    units: Vec<f64>,
    gates: Vec<f64>,
}

impl Input {
    fn value(&self, x: f64) -> f64 {
        self.ramp.map_or(x, |ramp| ramp.at(x))
    }
}

/// Adds a change of an input to the sums of the row at a place of a batch.
fn add(sums: &mut [f64], weights: &[f64], place: usize, change: f64) {
    if change != 0.0 {
        let row = &mut sums[place * weights.len()..][..weights.len()];
        for (sum, weight) in row.iter_mut().zip(weights) {
            *sum += change * weight;
        }
    }
}

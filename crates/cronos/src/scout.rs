//! Gates that are learned from a sample of the rows, for the convex program of all of them: where ranks
//! share the rows, or features stay in their file.

use crate::Error;
use crate::auto;
use crate::fit::{GateSource, Options, Precision, check_learned};
use crate::inner::norm;
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::network::{Network, TargetScaling};
use crate::observe::{Observer, Watch};
use crate::rows::Rows;
use crate::scaling::Scaling;
use crate::table::Table;
use crate::team::Team;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

/// Rows of a sample, and the share of the memory that they may take.
const ROWS: usize = 10_000;
const MEMORY: u64 = 16;
/// The share of a time limit that learning may take.
const TIME: f64 = 0.3;
/// Gates of all outputs together, and of each, where their number is not given.
const GATES: usize = 128;
const OF_EACH: (usize, usize) = (16, 64);
/// Units that are learned where memory has room for them; the strongest give their gates.
const UNITS: usize = 128;

/// Some of the rows, and what all of them count for.
struct Sample {
    x: Matrix<f64>,
    y: Matrix<f64>,
    weights: Option<Vec<f64>>,
    labels: Option<Vec<usize>>,
    total: f64,
}

/// Options with gates that were learned, for ranks that share the rows. The first of them learns.
pub(crate) fn shared(
    rows: Rows<'_>,
    targets: &TargetScaling,
    loss: Loss,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Options, Error> {
    let team = &options.settings.team;
    team.agree(check_learned(options))?;
    let sample = team.agree(Sample::shared(rows, options))?;
    let features = rows.x.columns() + usize::from(options.bias);
    let scaling = match options.standardize {
        true => Scaling::shared(rows.x, rows.weights, features, team)?,
        false => Scaling::identity(rows.x.columns()),
    };
    let learned = match team.rank() {
        0 => sample.learn(targets, loss, options, observer),
        _ => Ok(Vec::new()),
    };
    let learned = team.gather(&team.agree(learned)?);
    Ok(with_gates(&learned, &scaling, options))
}

/// The same for features that stay in their file, whose rows are scaled so.
pub(crate) fn streamed(
    table: &dyn Table,
    (y, weights, labels): (&Matrix<f64>, Option<&[f64]>, Option<&[usize]>),
    (targets, scaling): (&TargetScaling, &Scaling),
    loss: Loss,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Options, Error> {
    check_learned(options)?;
    let picked = picked(table.rows(), table.columns(), options);
    let sample = Sample {
        x: table.select(&picked).to_matrix().into_owned(),
        y: y.select(&picked),
        weights: weights.map(|all| chosen(all, &picked)),
        labels: labels.map(|all| chosen(all, &picked)),
        total: weights.map_or(table.rows() as f64, |all| all.iter().sum()),
    };
    sample.x.check_finite("features")?;
    let learned = sample.learn(targets, loss, options, observer)?;
    Ok(with_gates(&learned, scaling, options))
}

fn chosen<T: Copy>(all: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&row| all[row]).collect()
}

/// The rows of a sample, in order.
fn picked(rows: usize, columns: usize, options: &Options) -> Vec<usize> {
    let room = crate::memory::limit(&options.settings) / MEMORY / (8 * (columns as u64 + 1));
    let count = ROWS.min(rows).min(room.max(1) as usize);
    let mut draw = ChaCha8Rng::seed_from_u64(options.seed);
    let mut picked = rand::seq::index::sample(&mut draw, rows, count).into_vec();
    picked.sort_unstable();
    picked
}

impl Sample {
    /// The same rows on every rank, for any number of ranks.
    fn shared(rows: Rows<'_>, options: &Options) -> Result<Self, Error> {
        let team = &options.settings.team;
        let own = rows.x.rows();
        let all: f64 = team.gather(&[own as f64]).iter().sum();
        let first = team.first_row(own);
        let mine: Vec<usize> = picked(all as usize, rows.x.columns(), &same_memory(options, team))
            .into_iter()
            .filter(|row| (first..first + own).contains(row))
            .map(|row| row - first)
            .collect();
        let together = |own: &Matrix<f64>| {
            let values = team.gather(own.values());
            Matrix::from_rows(values.len() / own.columns(), own.columns(), values)
        };
        let labels = rows.labels.map(|all| {
            let own: Vec<f64> = mine.iter().map(|&row| all[row] as f64).collect();
            team.gather(&own)
                .iter()
                .map(|&label| label as usize)
                .collect()
        });
        Ok(Self {
            x: together(&rows.x.select(&mine))?,
            y: together(&rows.y.select(&mine))?,
            weights: rows.weights.map(|all| team.gather(&chosen(all, &mine))),
            labels,
            // in the order of all rows
            total: match rows.weights {
                Some(own) => team.gather(own).iter().sum(),
                None => all,
            },
        })
    }

    /// The strongest units: for each its weights on raw features, and its bias.
    fn learn(
        &self,
        targets: &TargetScaling,
        loss: Loss,
        options: &Options,
        observer: &dyn Observer,
    ) -> Result<Vec<f64>, Error> {
        let own: f64 = match &self.weights {
            Some(weights) => weights.iter().sum(),
            None => self.x.rows() as f64,
        };
        let most = match options.gates {
            GateSource::Learned { most: Some(most) } => most,
            _ => (GATES / self.y.columns()).clamp(OF_EACH.0, OF_EACH.1),
        };
        let losses = [loss];
        let task = |units| auto::Task {
            x: &self.x,
            y: &self.y,
            weights: self.weights.as_deref(),
            labels: self.labels.as_deref(),
            losses: &losses,
            targets,
            bias: options.bias,
            standardize: options.standardize,
            encode: false,
            networks: Some(1),
            preset: options.preset,
            beta: options.beta.map(|beta| beta * own / self.total),
            most: Some(units),
            tolerance: options.settings.gap_relative,
            memory: crate::memory::limit(&options.settings),
            seed: options.seed,
        };
        let limit = options.settings.time_limit_seconds;
        let watch = Watch::new(observer, Instant::now(), limit.map(|limit| TIME * limit));
        let search = match options.precision {
            Precision::F32 => auto::search::<f32>,
            Precision::F64 => auto::search::<f64>,
        };
        let mut units = UNITS.max(2 * most);
        let found = loop {
            match search(&task(units), &watch) {
                // their arrays have no room
                Err(Error::Memory { .. }) if units > most => units = most.max(units / 2),
                found => break found?,
            }
        };
        let Network {
            hidden,
            hidden_bias,
            output,
            ..
        } = found.network;
        let size = |unit: usize| norm(hidden.row(unit)) * norm(output.row(unit));
        let mut strongest: Vec<usize> = (0..hidden_bias.len()).collect();
        strongest.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
        strongest.truncate(most);
        let mut learned = Vec::new();
        for unit in strongest {
            learned.extend_from_slice(hidden.row(unit));
            learned.push(hidden_bias[unit]);
        }
        Ok(learned)
    }
}

/// The least memory of all ranks, so that they take the same sample.
fn same_memory(options: &Options, team: &Team) -> Options {
    let own = crate::memory::limit(&options.settings) as f64;
    let mut same = options.clone();
    same.settings.memory_limit_bytes = Some(-team.largest(-own) as u64);
    same
}

/// `x·w + b = z·(s ∘ w) + b + m·w` for `x = m + s ∘ z`
fn with_gates(learned: &[f64], scaling: &Scaling, options: &Options) -> Options {
    let d = scaling.mean.len();
    let units: Vec<&[f64]> = learned.chunks_exact(d + 1).collect();
    let bias = |unit: &[f64]| {
        let moved = scaling.mean.iter().zip(unit).map(|(m, w)| m * w);
        unit[d] + moved.sum::<f64>()
    };
    let directions =
        Matrix::from_fn(
            d + usize::from(options.bias),
            units.len(),
            |j, at| match scaling.scale.get(j) {
                Some(scale) => scale * units[at][j],
                None => bias(units[at]),
            },
        );
    Options {
        gates: match units.len() {
            // nothing was worth a unit
            0 => GateSource::Sampled(OF_EACH.0),
            _ => GateSource::Given(directions),
        },
        ..options.clone()
    }
}

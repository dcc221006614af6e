//! What the knobs of the command line mean to the library.

use crate::arguments::{self, Knobs};
use crate::commands::place;
use crate::failure::Failure;
use crate::{model_file, output};
use cronos::auto::Preset;
use cronos::{
    Activation, GateSource, Loss, Matrix, Options, Place, Precision, Settings, Solver, Table, Team,
};
use cronos_data::{ReadOptions, TargetColumn};
use std::path::Path;

/// The options that the knobs stand for.
pub fn options(knobs: &Knobs, seed: u64) -> Result<Options, Failure> {
    let usual = Settings::default();
    let gates = gates(knobs)?;
    let place = place(knobs, &gates)?;
    Ok(Options {
        beta: knobs.beta,
        gates,
        networks: knobs.networks,
        preset: match (knobs.fast, knobs.best) {
            (true, _) => Preset::Fast,
            (_, true) => Preset::Best,
            _ => Preset::Standard,
        },
        activation: match knobs.activation {
            arguments::Activation::Relu => Activation::Relu,
            arguments::Activation::Gated => Activation::Gated,
        },
        loss: knobs.loss.map(|loss| match loss {
            arguments::Loss::Squared => Loss::Squared,
            arguments::Loss::Logistic => Loss::Logistic,
            arguments::Loss::Softmax => Loss::Softmax,
            arguments::Loss::Huber => Loss::Huber {
                delta: knobs.huber_delta,
            },
            arguments::Loss::SquaredHinge => Loss::SquaredHinge,
            arguments::Loss::Quantile => Loss::Quantile {
                level: knobs.quantile,
            },
        }),
        bias: !knobs.no_bias,
        standardize: !knobs.no_standardize,
        precision: match knobs.precision {
            arguments::Precision::F32 => Precision::F32,
            arguments::Precision::F64 => Precision::F64,
        },
        seed,
        start: None,
        settings: Settings {
            solver: match knobs.solver {
                None | Some(arguments::Solver::Auto) => Solver::Auto,
                Some(arguments::Solver::Direct) => Solver::Direct,
                Some(arguments::Solver::SamplePcg) => Solver::SamplePcg,
                Some(arguments::Solver::PrimalPcg) => Solver::PrimalPcg,
            },
            place,
            memory_limit_bytes: knobs.memory,
            device_memory_bytes: knobs.device_memory,
            rank: knobs.rank.unwrap_or(usual.rank),
            rho: knobs.rho,
            adapt_rho: !knobs.fixed_rho,
            max_iterations: knobs.max_iterations.unwrap_or(usual.max_iterations),
            gap_relative: knobs.tolerance.unwrap_or(usual.gap_relative),
            time_limit_seconds: knobs.time_limit,
            ..usual
        },
    })
}

/// Makes the options those of a rank.
pub fn share(options: &mut Options, team: &Team) {
    if team.is_alone() {
        return;
    }
    options.settings.team = team.clone();
    if matches!(options.gates, GateSource::Learned { .. }) && team.rank() == 0 {
        output::remark("ranks share the rows: gates are learned from a sample of them");
    }
}

/// Tells what becomes of gates while features stay in their file, if they do.
pub fn tell_of_stream(options: &Options, features: &dyn Table) {
    if features.streams() && matches!(options.gates, GateSource::Learned { .. }) {
        output::remark(
            "the features do not fit into memory and stay in their file: gates are learned from a \
             sample of the rows",
        );
    }
}

/// The device that is asked for, which learns no gates.
fn place(knobs: &Knobs, gates: &GateSource) -> Result<Place, Failure> {
    let learned = matches!(gates, GateSource::Learned { .. });
    let place = match learned {
        true => place::find(&knobs.device)?,
        false => place::find_and_tell(&knobs.device)?,
    };
    if place == Place::Cpu && knobs.device_memory.is_some() {
        let text = "--device-memory is for a device; give --device gpu, or leave it out";
        return Err(Failure::Usage(text.into()));
    }
    if knobs.device == "auto" && place != Place::Cpu && learned {
        output::remark(&format!(
            "gates are learned on the processor; to use {place}, fix their number with --gates"
        ));
        return Ok(Place::Cpu);
    }
    Ok(place)
}

/// Gates from a file, or as many as are asked for.
pub fn gates(knobs: &Knobs) -> Result<GateSource, Failure> {
    if let Some(path) = &knobs.gate_file {
        return Ok(GateSource::Given(gate_directions(path)?));
    }
    if knobs.gates == Some(0) {
        return Err(Failure::Usage("gates is 0; it must be at least 1".into()));
    }
    let convex = knobs.solver.is_some()
        || !matches!(knobs.device.as_str(), "cpu" | "auto")
        || knobs.rank.is_some()
        || knobs.rho.is_some()
        || knobs.max_iterations.is_some()
        || knobs.tolerance.is_some()
        || matches!(knobs.activation, arguments::Activation::Gated);
    Ok(GateSource::of(knobs.gates, knobs.learn_gates, convex))
}

/// Refuses gate directions for another number of features.
pub fn check_gates(knobs: &Knobs, gates: &GateSource, features: usize) -> Result<(), Failure> {
    match (&knobs.gate_file, gates) {
        (Some(path), GateSource::Given(directions)) if directions.rows() != features => {
            Err(Failure::Input(format!(
                "{}: it has {} row(s), but the data has {features} feature(s); give one row for \
                 each feature and none for the bias",
                path.display(),
                directions.rows()
            )))
        }
        _ => Ok(()),
    }
}

/// Gate directions from an npy file: features x gates.
fn gate_directions(path: &Path) -> Result<Matrix<f64>, Failure> {
    let options = ReadOptions {
        target: TargetColumn::Absent,
        ..ReadOptions::default()
    };
    let loaded = cronos_data::read(&path.to_string_lossy(), &options).map_err(Failure::reading)?;
    Ok(model_file::table(loaded.train.features)?
        .to_matrix()
        .into_owned())
}

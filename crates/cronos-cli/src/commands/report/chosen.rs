//! Every choice of a fit, whoever made it, and why.

use super::Walked;
use crate::arguments::Fit;
use crate::commands::job::Job;
use crate::report::{Choice, number, percent, whole};
use crate::summary::Summary;
use cronos::{Task, auto};

/// All choices, the ones that matter most first.
pub fn choices(
    fit: &Fit,
    job: &Job,
    summary: &Summary<'_>,
    walked: Option<&Walked<'_>>,
) -> Vec<Choice> {
    let (knobs, fitted) = (&fit.knobs, summary.fitted);
    let training = &summary.model.training;
    let mut choices = vec![
        task(fit, job),
        match walked {
            Some(walked) => validation_rows(fit, job, walked),
            None => test_rows(fit, job),
        },
        choice(
            "penalty β",
            number(fitted.beta),
            match (knobs.beta, &fitted.search) {
                _ if walked.is_some() => "the best on the validation rows among those of the path",
                (Some(_), _) => "given by --beta",
                (None, Some(search)) if search.folds > 0 => {
                    "the best on held-out rows among those of the path"
                }
                (None, _) => {
                    "a thousandth of the smallest penalty that leaves nothing of the network"
                }
            },
        ),
        choice(
            "loss",
            &training.loss,
            "what the distance between outputs and targets costs",
        ),
        choice(
            "gates",
            whole(fitted.gates),
            match (&knobs.gate_file, &fitted.search) {
                (Some(_), _) => "the distinct patterns of the directions in --gate-file",
                (None, Some(_)) => {
                    "learned: each was added where it lowered the objective most, and moved since"
                }
                (None, None) => "distinct activation patterns of random directions",
            },
        ),
        choice("activation", &training.activation, "of the hidden units"),
        encoding(fit),
    ];
    choices.extend(fitted.search.iter().flat_map(members));
    if let Some(values) = &summary.model.imputation {
        let why = "missing values are replaced by the mean or median of the training rows";
        let value = format!("one value for each of {} features", whole(values.len()));
        choices.push(choice("missing values", value, why));
    }
    choices.extend([
        choice(
            "tolerance",
            percent(knobs.tolerance.unwrap_or(0.01)),
            "the certified gap to reach; the cones are met to a tenth of it",
        ),
        choice("solver", &training.solver, &fitted.reason),
        choice("precision", &training.precision, "of the solver's arrays"),
        choice(
            "seed",
            training.seed.to_string(),
            "of the split, the gates and the sketches",
        ),
    ]);
    choices
}

/// The networks of an average, by how they see the features.
fn members(search: &auto::Search) -> Vec<Choice> {
    let tried: Vec<String> = (search.tried.iter())
        .map(|(features, loss)| format!("{features} ({})", loss.name()))
        .collect();
    let tried = format!("tried: {}", tried.join(", "));
    let member = |member: &auto::Member| {
        choice(
            "features seen",
            format!(
                "{}, {} loss: {} of the average, {} neurons, β = {}",
                member.features,
                member.loss.name(),
                percent(member.weight),
                whole(member.neurons),
                number(member.beta)
            ),
            &tried,
        )
    };
    search.members.iter().map(member).collect()
}

fn choice(what: &str, value: impl Into<String>, why: &str) -> Choice {
    Choice {
        what: what.into(),
        value: value.into(),
        why: why.into(),
    }
}

fn task(fit: &Fit, job: &Job) -> Choice {
    let (task, found) = match &job.task {
        Task::Classification { .. } => (
            "classification",
            "the target is text or a few whole numbers",
        ),
        Task::Regression => ("regression", "the target takes many values"),
    };
    let source = &fit.source;
    let why = match &source.task {
        Some(_) => "given by --task",
        None if !source.positive.is_empty() => "the classes of --positive against the rest",
        None if !source.classes.is_empty() => "the classes of --classes",
        None => found,
    };
    choice("task", task, why)
}

fn test_rows(fit: &Fit, job: &Job) -> Choice {
    let Some((x, _)) = &job.test else {
        return choice("test rows", "none", "all rows are for training");
    };
    let why = match (&fit.source.test, job.held_out, fit.source.holdout) {
        (Some(_), ..) => "given by --test",
        (None, false, _) => "the data comes with a test part",
        (None, true, Some(_)) => "held out, the share given by --holdout",
        (None, true, None) => "held out, 30 % of the data",
    };
    choice("test rows", whole(x.rows()), why)
}

fn validation_rows(fit: &Fit, job: &Job, walked: &Walked<'_>) -> Choice {
    let why = match (job.held_out, fit.source.holdout) {
        (false, _) => "held out, 30 % of the training rows; the test rows are others",
        (true, Some(_)) => "held out, the share given by --holdout",
        (true, None) => "held out, 30 % of the data",
    };
    choice("validation rows", whole(walked.validation.0.rows()), why)
}

fn encoding(fit: &Fit) -> Choice {
    let (features, why) = match fit.knobs.no_standardize {
        false => (
            "standardised",
            "by the means and scales of the training rows, which become part of the network",
        ),
        true => ("as they are", "given by --no-standardize"),
    };
    let bias = if fit.knobs.no_bias {
        "no bias"
    } else {
        "with bias"
    };
    choice("features", format!("{features}, {bias}"), why)
}

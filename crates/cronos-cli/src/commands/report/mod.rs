//! Fills the page of a report from a fit.

mod chosen;
mod importance;
mod judged;

use super::job::Job;
use super::labelled::WithTruth;
use crate::arguments::Fit;
use crate::failure::Failure;
use crate::report::{
    ConvergencePoint, Figure, FileNote, Measure, PathPoint, Report, RoundPoint, number, percent,
    whole,
};
use crate::score::Score;
use crate::summary::{Summary, ended};
use cronos::{Model, Task, auto};

/// A gap says something only this near the cones.
const NEAR: f64 = 0.01;

/// What a path adds to the page of its best network.
pub struct Walked<'a> {
    pub points: Vec<PathPoint>,
    /// The rows that it was chosen by.
    pub validation: &'a WithTruth,
    pub score: &'a Score,
}

/// The page of a fit, or of a path.
pub fn page(
    fit: &Fit,
    job: &Job,
    summary: &Summary<'_>,
    walked: Option<&Walked<'_>>,
) -> Result<String, Failure> {
    let mut report = Report {
        title: job.name.clone(),
        task: task(summary.model),
        outcome: outcome(summary),
        headline: headline(summary),
        summary: rows(summary),
        chosen: chosen::choices(fit, job, summary, walked),
        tolerance: Some(fit.knobs.tolerance.unwrap_or(0.01)),
        convergence: convergence(summary),
        measure: Measure::of_classes(summary.model.task != Task::Regression),
        path: walked.map_or_else(|| path(summary), |walked| walked.points.clone()),
        rounds: rounds(summary),
        command: Some(command(std::env::args())),
        files: files(summary, walked.is_some()),
        ..Report::default()
    };
    if let Some(walked) = walked {
        report.headline.insert(0, score("Validation", walked.score));
    }
    let rows = walked.map(|walked| walked.validation);
    judged::fill(&mut report, job, summary.model, rows)?;
    importance::fill(&mut report, job, summary);
    Ok(report.page())
}

/// The path of the heaviest network.
fn path(summary: &Summary<'_>) -> Vec<PathPoint> {
    let Some(lead) = lead(summary) else {
        return Vec::new();
    };
    let point = |(step, point): (usize, &auto::PathPoint)| PathPoint {
        beta: point.beta,
        objective: f64::NAN,
        lower_bound: f64::NAN,
        neurons: point.neurons.round() as usize,
        train_score: point.train_score,
        validation_score: point.validation_score,
        spread: point.spread,
        chosen: step == lead.chosen,
    };
    lead.path.iter().enumerate().map(point).collect()
}

/// How the heaviest network came to its gates.
fn rounds(summary: &Summary<'_>) -> Vec<RoundPoint> {
    let rounds = lead(summary).map_or(&[][..], |lead| &lead.rounds);
    let point = |(at, point): (usize, &auto::RoundPoint)| RoundPoint {
        round: at + 1,
        network_objective: point.objective,
        neurons: point.neurons,
    };
    rounds.iter().enumerate().map(point).collect()
}

fn lead<'a>(summary: &Summary<'a>) -> Option<&'a auto::Member> {
    summary.fitted.search.as_ref()?.members.first()
}

fn task(model: &Model) -> String {
    let target = model.target_name.as_deref().unwrap_or("the target");
    match &model.task {
        Task::Classification { classes } => {
            format!("Classification of {target} into {} classes", classes.len())
        }
        Task::Regression => format!("Regression of {target}"),
    }
}

fn outcome(summary: &Summary<'_>) -> String {
    let fitted = summary.fitted;
    let ended = ended(fitted.status).split(';').next().unwrap_or_default();
    let mut letters = ended.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let ended: String = first.chain(letters).collect();
    let certificate = &fitted.certificate;
    if summary.fitted.beta == 0.0 {
        return format!("{ended}. Without a penalty there is no certificate.");
    }
    if certificate.violation > NEAR {
        return format!(
            "{ended}. The weights still lie outside the cones of their gates, so nothing is \
             certified yet."
        );
    }
    format!(
        "{ended}. The objective is {}; the optimum for these gates is proved to be at least {}.",
        number(certificate.objective),
        number(certificate.lower_bound)
    )
}

fn headline(summary: &Summary<'_>) -> Vec<Figure> {
    let fitted = summary.fitted;
    let certificate = &fitted.certificate;
    let mut figures = Vec::new();
    figures.extend(summary.test.map(|test| score("Test", test)));
    figures.push(score("Train", summary.train));
    if summary.fitted.beta > 0.0 {
        let gap = match certificate.violation <= NEAR {
            true => percent(certificate.gap),
            false => "not yet".into(),
        };
        let note = format!("cone violation {}", percent(certificate.violation));
        figures.push(figure("Certified gap", gap, note));
    }
    let neurons = whole(summary.model.network.neurons());
    let note = format!("from {} gates", whole(summary.fitted.gates));
    figures.push(figure("Neurons", neurons, note));
    let seconds = format!("{:.1} s", summary.total_seconds);
    let note = format!("{} iterations", whole(fitted.iterations));
    figures.push(figure("Time", seconds, note));
    figures
}

fn figure(label: &str, value: String, note: String) -> Figure {
    Figure {
        label: label.into(),
        value,
        note,
    }
}

fn score(part: &str, score: &Score) -> Figure {
    let (name, value, rows) = match score {
        Score::Classes { accuracy, rows } => {
            ("accuracy", format!("{:.2} %", 100.0 * accuracy), rows)
        }
        Score::Numbers { r2, rows, .. } => ("R²", format!("{r2:.4}"), rows),
    };
    let note = format!("{} rows", whole(*rows));
    figure(&format!("{part} {name}"), value, note)
}

fn rows(summary: &Summary<'_>) -> Vec<(String, String)> {
    let lines = summary.lines().into_iter();
    lines.map(|(name, text)| (name.into(), text)).collect()
}

fn convergence(summary: &Summary<'_>) -> Vec<ConvergencePoint> {
    let history = summary.fitted.history.iter();
    history
        .map(|iteration| ConvergencePoint {
            iteration: iteration.number,
            objective: iteration.objective,
            lower_bound: iteration.lower_bound,
            gap: iteration.gap,
            violation: iteration.violation,
        })
        .collect()
}

/// The command line, quoted where a shell would split or read it otherwise.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let quoted = |argument: String| {
        let harmless = |c: char| c.is_alphanumeric() || "-_./,:=@%+".contains(c);
        match !argument.is_empty() && argument.chars().all(harmless) {
            true => argument,
            false => format!("'{}'", argument.replace('\'', "'\\''")),
        }
    };
    let rest = arguments.skip(1).map(quoted);
    std::iter::once("cronos".to_owned())
        .chain(rest)
        .collect::<Vec<_>>()
        .join(" ")
}

fn files(summary: &Summary<'_>, path: bool) -> Vec<FileNote> {
    let note = |name: &str, about: &str, beside: bool| FileNote {
        name: name.into(),
        about: about.into(),
        beside,
    };
    let mut files = vec![
        note(
            "report.json",
            "the numbers of this report, for programs",
            true,
        ),
        match path {
            true => note("path.csv", "a line for every penalty", true),
            false => note("history.csv", "a line for every iteration", true),
        },
    ];
    if let Some(out) = summary.out {
        let about = "the trained network, for cronos predict, eval and export";
        files.push(note(&out.display().to_string(), about, false));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn a_command_can_be_pasted() {
        let line = ["/x/cronos", "fit", "my data.csv", "--target", "it's", ""];
        let line = command(line.into_iter().map(str::to_owned));
        assert_eq!(line, "cronos fit 'my data.csv' --target 'it'\\''s' ''");
    }
}

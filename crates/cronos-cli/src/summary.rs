//! The result of a fit, for people and for programs.

use crate::commands::importance::Measured;
use crate::memory;
use crate::output::colours;
use crate::score::Score;
use cronos::auto::{Member, Search};
use cronos::memory::human;
use cronos::{Fitted, Iteration, Model, Status, Task};
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::Path;

/// Everything there is to say about a fit.
pub struct Summary<'a> {
    pub data: &'a str,
    pub model: &'a Model,
    pub fitted: &'a Fitted,
    pub train: &'a Score,
    pub test: Option<&'a Score>,
    /// How much the features matter, if that was asked for.
    pub importance: Option<&'a Measured>,
    pub out: Option<&'a Path>,
    pub total_seconds: f64,
}

impl Summary<'_> {
    pub fn json(&self) -> Value {
        let training = &self.model.training;
        let mut report = self.fitted.report();
        let own = json!({
            "activation": training.activation,
            "precision": training.precision,
            "seed": training.seed,
            "data": {
                "name": self.data,
                "fingerprint": training.data_fingerprint,
                "rows": training.rows,
                "features": self.model.features(),
                "outputs": self.model.network.outputs(),
                "reduced_features": self.fitted.reduced_features,
                "target": self.model.target_name,
                "classes": match &self.model.task {
                    Task::Classification { classes } => Some(classes),
                    Task::Regression => None,
                },
            },
            "train": self.train.json(),
            "test": self.test.map(Score::json),
            "peak_memory_bytes": memory::peak_bytes(),
            "shuffled": self.importance.map(Measured::rows_json),
            "importance": self.importance.map(Measured::json),
            "model": self.out.map(|path| path.display().to_string()),
        });
        report["seconds"]["total"] = json!(self.total_seconds);
        if let (Value::Object(report), Value::Object(own)) = (&mut report, own) {
            report.extend(own);
        }
        report
    }

    /// A gap says something only near the cones and with a penalty.
    fn certificate(&self) -> String {
        const NEAR: f64 = 0.01;
        let certificate = &self.fitted.certificate;
        let gap = 100.0 * certificate.gap;
        let (violation, own) = (certificate.violation, certificate.network_objective);
        let own = format!("objective of the network itself {own:.5}");
        if self.fitted.beta == 0.0 {
            format!("none without a penalty (β = 0), judged by the residuals; {own}")
        } else if violation > NEAR {
            format!("not yet: outside the cones of its gates by {violation:.1e}; {own}")
        } else {
            format!("gap {gap:.3} %, cone violation {violation:.1e}, {own}")
        }
    }

    pub fn text(&self) -> String {
        two_columns(ended(self.fitted.status), &self.lines())
    }

    /// What there is to say, in lines: a name and a text.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let fitted = self.fitted;
        let certificate = &fitted.certificate;
        let training = &self.model.training;
        let mut lines = vec![
            (
                "data",
                format!(
                    "{}: trained on {} rows, {} features",
                    self.data,
                    training.rows,
                    self.model.features()
                ),
            ),
            ("target", target(self.model)),
            (
                "network",
                format!(
                    "{} {} neurons from {} {} gates, β = {:.4}",
                    self.model.network.neurons(),
                    training.activation,
                    fitted.gates,
                    match fitted.search {
                        Some(_) => "learned",
                        None => "fixed",
                    },
                    fitted.beta
                ),
            ),
        ];
        if let Some(search) = fitted.search.as_ref().filter(|search| search.folds > 0) {
            lines.push(("chosen", chosen(search)));
        }
        if let Some(search) = fitted.search.as_ref().filter(|search| search.folds == 0) {
            lines.extend(learning(search).map(|text| ("learning", text)));
        }
        lines.push(("train", self.train.text()));
        if let Some(test) = self.test {
            lines.push(("test", test.text()));
        }
        lines.push((
            "objective",
            format!(
                "{:.5}; the optimum for these gates is at least {:.5}",
                certificate.objective, certificate.lower_bound
            ),
        ));
        lines.push(("certificate", self.certificate()));
        lines.push(("solver", format!("{}: {}", training.solver, fitted.reason)));
        if let Some(held) = fitted.residence {
            let sent = match held.streamed_rows {
                0 => String::new(),
                rows => format!("; the features of {rows} rows do not fit and are sent every time"),
            };
            let planned = human(held.planned_bytes);
            lines.push((
                "device",
                format!("{}, {planned} planned{sent}", fitted.place),
            ));
        }
        let peak = memory::peak_bytes().map_or(String::new(), |bytes| {
            format!(", peak memory {}", human(bytes))
        });
        lines.push((
            "time",
            format!(
                "{:.2} s ({:.2} s set-up, {} {}){peak}",
                self.total_seconds,
                fitted.seconds.setup,
                fitted.iterations,
                match &fitted.search {
                    Some(search) if search.folds == 0 => "rounds",
                    Some(_) => "steps of the last path",
                    None => "iterations",
                }
            ),
        ));
        lines.push((
            "model",
            match self.out {
                Some(path) => format!("saved to {}", path.display()),
                None => "not saved; pass --out model.safetensors to keep it".to_string(),
            },
        ));
        lines
    }
}

/// What is learned. Many whole numbers are likely quantities, so that guess is named.
pub fn target(model: &Model) -> String {
    const MANY: usize = 20;
    let name = model.target_name.as_deref().unwrap_or("unnamed");
    let outputs = model.network.outputs();
    match &model.task {
        Task::Classification { classes } => {
            let numeric = classes.iter().all(|class| class.parse::<f64>().is_ok());
            let hint = if numeric && classes.len() > MANY {
                "; if they are quantities, pass --task regression"
            } else {
                ""
            };
            let (count, classes) = (classes.len(), listed(classes));
            format!("{name}, {count} classes: {classes}{hint}")
        }
        Task::Regression if outputs == 1 => format!("{name}, a number"),
        Task::Regression => format!("{name}, {outputs} numbers"),
    }
}

/// What the automatic mode chose, and how.
fn chosen(search: &Search) -> String {
    let how = match (search.folds, search.repeats) {
        (1, _) => "a held-out part".to_string(),
        (folds, 1) => format!("{folds} folds"),
        (folds, repeats) => format!("{folds} folds, dealt {repeats} times"),
    };
    let how = match search.sample {
        Some(rows) => format!("{how} of {rows} rows, then on more of them"),
        None => how,
    };
    // networks of one kind differ in their gates only
    let kind = |member: &Member| (member.features, member.loss.name(), member.beta);
    let kinds: Vec<String> = search
        .members
        .chunk_by(|a, b| kind(a) == kind(b))
        .map(|members| {
            let share: f64 = members.iter().map(|member| member.weight).sum();
            let (features, loss, beta) = kind(&members[0]);
            let shown = members[0].validation_score;
            format!(
                "{:.0} % features {features}, {loss} loss (β = {beta:.4}, validation {shown:.4})",
                100.0 * share
            )
        })
        .collect();
    format!("on {how}: {}", kinds.join("; "))
}

/// What the rounds of learning brought, when the penalty was given.
fn learning(search: &Search) -> Option<String> {
    let rounds = &search.members.first()?.rounds;
    let (first, last) = (rounds.first()?, rounds.last()?);
    let lower = 100.0 * (1.0 - last.objective / first.objective);
    Some(format!(
        "objective {:.5} with the first {} gates, {:.5} with the last {}: {lower:.1} % lower",
        first.objective, first.neurons, last.objective, last.neurons
    ))
}

/// The first few classes or other names, in words.
pub fn listed(classes: &[impl AsRef<str>]) -> String {
    const SHOWN: usize = 5;
    let shown = classes
        .iter()
        .take(SHOWN)
        .map(AsRef::as_ref)
        .collect::<Vec<_>>()
        .join(", ");
    match classes.len() {
        0..=SHOWN => shown,
        more => format!("{shown}, and {} more", more - SHOWN),
    }
}

/// Two columns under a headline that says how the run ended.
pub fn two_columns(headline: &str, lines: &[(&str, String)]) -> String {
    let (bold, dim, plain) = if colours(std::io::stdout().is_terminal()) {
        ("\u{1b}[1m", "\u{1b}[2m", "\u{1b}[0m")
    } else {
        ("", "", "")
    };
    let mut text = format!("{bold}{headline}{plain}\n");
    for (name, value) in lines {
        // writing to a string cannot fail
        let _ = writeln!(text, "  {dim}{name:<12}{plain}{value}");
    }
    text
}

/// How a run ended.
pub fn ended(status: Status) -> &'static str {
    match status {
        Status::Solved => "solved to the tolerance",
        Status::Validated => "chosen on held-out rows, trained on all",
        Status::IterationLimit => "stopped at the iteration limit; the best network so far:",
        Status::TimeLimit => "stopped at the time limit; the best network so far:",
        Status::Interrupted => "interrupted; the best network so far:",
        Status::Stalled => {
            "stopped at the precision of the arithmetic; --precision f64 goes further:"
        }
        _ => "stopped by a numerical failure; the best network so far:",
    }
}

/// One line per iteration.
pub fn history_csv(history: &[Iteration]) -> String {
    let mut text = String::from(
        "iteration,objective,violation,primal_residual,dual_residual,lower_bound,gap,rho,\
         inner_iterations,seconds_solve,seconds_sweep,seconds_check\n",
    );
    for record in history {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{}",
            record.number,
            record.objective,
            record.violation,
            record.primal_residual,
            record.dual_residual,
            record.lower_bound,
            record.gap,
            record.rho,
            record.inner_iterations,
            record.seconds.solve,
            record.seconds.sweep,
            record.seconds.check
        );
    }
    text
}

//! `report tables`: what was measured, as text and as JSON.

use super::learner::Learner;
use super::record::{Record, file};
use super::summary::{Summary, summarise};
use super::{ReportOptions, folder, learners};
use crate::records;
use cronos_data::file::write_whole;
use std::fmt::Write;

/// Writes `report.md` and `report.json` beside the records and returns the former.
pub fn report(options: &ReportOptions) -> Result<String, String> {
    let results = folder(options.results.as_deref())?;
    let mut measured: Vec<(&str, Vec<Record>)> = Vec::new();
    for learner in learners(&options.learner) {
        let records = records::read(&file(&results, learner))?;
        if !records.is_empty() {
            measured.push((learner.name(), records));
        } else if options.learner.contains(&learner) {
            return Err(absent(learner));
        }
    }
    if measured.is_empty() {
        return Err(format!(
            "there are no records in {}; measure with `run tables`, or name another folder in \
             --results",
            results.display()
        ));
    }
    let summary = summarise(&measured)?;
    if summary.splits == 0 {
        return Err(nothing(&summary));
    }
    let text = markdown(&summary);
    let json = serde_json::to_vec_pretty(&summary).map_err(|error| error.to_string())?;
    for (name, bytes) in [("report.md", text.as_bytes()), ("report.json", &json)] {
        write_whole(&results.join(name), bytes, true).map_err(|error| error.to_string())?;
    }
    Ok(text)
}

fn absent(learner: Learner) -> String {
    let name = learner.name();
    format!("there are no records of {name}; measure them with `run tables --learner {name}`")
}

/// Why there is nothing to report.
fn nothing(summary: &Summary) -> String {
    let names: Vec<&str> = summary
        .learners
        .iter()
        .map(|line| line.learner.as_str())
        .collect();
    let failed = match summary.failures.first() {
        None => String::new(),
        Some(one) => format!(
            " ({} failed, the first, {} on {}, with: {})",
            summary.failures.len(),
            one.learner,
            one.table,
            one.error
        ),
    };
    format!(
        "none of {} splits was measured with all of {}{failed}; finish `run tables`, or choose \
         with --learner",
        summary.left_out,
        names.join(", ")
    )
}

/// The summary as markdown.
fn markdown(summary: &Summary) -> String {
    let mut text = String::new();
    // writing to a string cannot fail
    let _ = write(&mut text, summary);
    text
}

fn write(text: &mut String, summary: &Summary) -> std::fmt::Result {
    let tables = summary.tables.len();
    writeln!(text, "# Tables\n")?;
    writeln!(
        text,
        "{} splits of {tables} tables, measured with every learner; {} more were left out because \
         a learner lacks them.\n",
        summary.splits, summary.left_out
    )?;
    writeln!(
        text,
        "| learner | mean accuracy | mean rank | wins | median seconds |\n|---|--:|--:|--:|--:|"
    )?;
    let mut lines: Vec<_> = summary.learners.iter().collect();
    lines.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    for line in lines {
        writeln!(
            text,
            "| {} | {:.2} % | {:.3} | {} | {:.3} |",
            line.learner,
            100.0 * line.accuracy,
            line.rank,
            line.wins,
            line.seconds
        )?;
    }
    writeln!(
        text,
        "\nAccuracy and rank (1 is best, ties share) are averaged over the seeds of a table, then \
         over tables. A win is a table on which no learner is better; ties count for each. \
         Seconds: cronos as a command on all cores, from reading the file on; the others to fit \
         and predict on one core."
    )?;
    for line in &summary.learners {
        if !line.statuses.is_empty() {
            let counts: Vec<String> = line
                .statuses
                .iter()
                .map(|(status, count)| format!("{status} {count}"))
                .collect();
            writeln!(text, "\nEnds of {}: {}.", line.learner, counts.join(", "))?;
        }
    }
    grid(text, summary)?;
    if !summary.failures.is_empty() {
        writeln!(text, "\n## Failed\n")?;
        for one in &summary.failures {
            let (learner, table, seed) = (&one.learner, &one.table, one.seed);
            let error = one.error.replace('\n', " ");
            writeln!(text, "- {learner} on {table}, seed {seed}: {error}")?;
        }
    }
    Ok(())
}

/// Accuracy of every learner on every table; the best are bold.
fn grid(text: &mut String, summary: &Summary) -> std::fmt::Result {
    let names: Vec<&str> = summary
        .learners
        .iter()
        .map(|line| line.learner.as_str())
        .collect();
    writeln!(text, "\n## Mean accuracy in percent\n")?;
    writeln!(text, "| table | seeds | {} |", names.join(" | "))?;
    writeln!(text, "|---|--:|{}", "--:|".repeat(names.len()))?;
    for row in &summary.tables {
        let shown: Vec<String> = row
            .accuracies
            .iter()
            .map(|&accuracy| match row.is_best(accuracy) {
                true => format!("**{:.2}**", 100.0 * accuracy),
                false => format!("{:.2}", 100.0 * accuracy),
            })
            .collect();
        writeln!(
            text,
            "| {} | {} | {} |",
            row.table,
            row.seeds,
            shown.join(" | ")
        )?;
    }
    Ok(())
}

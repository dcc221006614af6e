//! `report gates`: what was measured, as text and as JSON.

use super::method::{BETA, GATES, Method};
use super::record::{Record, file};
use super::summary::{Summary, summarise};
use super::{ReportOptions, folder};
use crate::records;
use clap::ValueEnum;
use cronos_data::file::write_whole;
use std::fmt::Write;

/// Writes `report.md` and `report.json` beside the records and returns the former.
pub fn report(options: &ReportOptions) -> Result<String, String> {
    let results = folder(options.results.as_deref())?;
    let mut measured: Vec<(Method, Vec<Record>)> = Vec::new();
    for &method in Method::value_variants() {
        measured.push((method, records::read(&file(&results, method))?));
    }
    let summary = summarise(&measured);
    if summary.methods.is_empty() {
        return Err(format!(
            "there are no measurements in {}; make them with `run gates`, or name another folder \
             in --results",
            results.display()
        ));
    }
    let text = markdown(&summary);
    let json = serde_json::to_vec_pretty(&summary).map_err(|error| error.to_string())?;
    for (name, bytes) in [("report.md", text.as_bytes()), ("report.json", &json)] {
        write_whole(&results.join(name), bytes, true).map_err(|error| error.to_string())?;
    }
    Ok(text)
}

/// The summary as markdown.
fn markdown(summary: &Summary) -> String {
    let mut text = String::new();
    // writing to a string cannot fail
    let _ = write(&mut text, summary);
    text
}

fn write(text: &mut String, summary: &Summary) -> std::fmt::Result {
    writeln!(text, "# Gates\n")?;
    writeln!(
        text,
        "The digits 0 to 4 against 5 to 9 as −1 and 1, all 1,797 rows, standardised, with a bias. \
         Objective: ½ Σ (f(x) − y)² + {BETA} Σ ‖w‖ |a|, lower is better. {GATES} gates or hidden \
         units at most.\n"
    )?;
    writeln!(
        text,
        "| method | runs | best | median | worst | units | seconds |\n|---|--:|--:|--:|--:|--:|--:|"
    )?;
    for line in &summary.methods {
        writeln!(
            text,
            "| {} | {} | {:.4} | {:.4} | {:.4} | {:.0} | {:.1} |",
            line.about, line.runs, line.best, line.median, line.worst, line.neurons, line.seconds
        )?;
    }
    writeln!(
        text,
        "\nUnits and seconds are medians. A random gate may become two units, one of each sign. \
         cronos uses all cores, from reading the data on; PyTorch one, for the training alone."
    )?;
    for line in &summary.methods {
        if let Some((cut @ 1.., limit)) = line.cut {
            writeln!(
                text,
                "\n{}: {cut} of {} runs were ended by the limit of {limit} iterations and might \
                 have gone lower.",
                line.about, line.runs
            )?;
        }
        if let (Some(network), Some(bound)) = (line.network, line.bound) {
            writeln!(
                text,
                "\n{}: the lowest objective of a recovered network is {network:.4}; the smallest \
                 certified lower bound for the gates is {bound:.4}.",
                line.about
            )?;
        }
    }
    if let Some(saves) = summary.learning_saves {
        writeln!(
            text,
            "\nThe worst seed of learned gates lies {} the least that random gates allow: the \
             smallest of their objectives and lower bounds.",
            apart(saves)
        )?;
    }
    if let Some(saves) = summary.below_restarts {
        writeln!(
            text,
            "\nThe worst seed of learned gates lies {} the best restart of PyTorch.",
            apart(saves)
        )?;
    }
    if let Some(disagreement) = summary.disagreement {
        writeln!(
            text,
            "\nnumpy, from the saved weights, finds the objectives of cronos to within {disagreement:.1e} of them."
        )?;
    }
    writeln!(text, "\nMeasured with {}.", summary.origins.join("; "))?;
    if !summary.failures.is_empty() {
        writeln!(text, "\n## Failed\n")?;
        for one in &summary.failures {
            writeln!(text, "- {}", one.replace('\n', " "))?;
        }
    }
    Ok(())
}

/// Below or above, and by how much.
fn apart(saves: f64) -> String {
    let side = if saves >= 0.0 { "below" } else { "above" };
    format!("{:.1} % {side}", 100.0 * saves.abs())
}

#[cfg(test)]
mod tests {
    use super::super::record::missing;
    use super::super::summary::tests::record;
    use super::{Method, ReportOptions, file, records, report};

    #[test]
    fn a_report_needs_measurements_and_shows_them() {
        let folder = tempfile::tempdir().unwrap();
        let options = ReportOptions {
            results: Some(folder.path().to_owned()),
        };
        assert!(report(&options).unwrap_err().contains("run gates"));
        for (method, objective) in [
            (Method::Random, 41.0),
            (Method::Learned, 8.0),
            (Method::Lbfgs, 7.5),
        ] {
            let record = record(method, 0, objective);
            records::append(&file(folder.path(), method), &record).unwrap();
        }
        let text = report(&options).unwrap();
        assert!(text.contains("| PyTorch, L-BFGS | 1 | 7.5000 |"), "{text}");
        assert!(text.contains("lies 80.0 % below the least"), "{text}");
        assert!(text.contains("lies 6.7 % above the best restart"), "{text}");
        assert!(folder.path().join("report.json").is_file());
    }

    #[test]
    fn a_quick_measurement_does_not_stand_for_a_full_one() {
        let mut quick = record(Method::Adam, 0, 9.0);
        quick.outcome.as_mut().unwrap().steps = 200;
        let mut full = record(Method::Adam, 2, 9.0);
        full.outcome.as_mut().unwrap().steps = 6_000;
        let records = [quick, full];
        assert_eq!(missing(&records, 3, 200), [1]);
        assert_eq!(missing(&records, 3, 6_000), [0, 1]);
    }
}

//! `report`: one page with every table and figure.

use super::options::{PageOptions, folder};
use super::record::{Record, file, latest};
use super::{ALL, Experiment};
use crate::records;
use cronos_data::file::write_whole;
use cronos_page::frame::{Page, Section};
use cronos_page::html::{paragraph, table};
use cronos_page::text::escape;
use std::path::Path;

/// Writes the page and returns where it is.
pub fn page(options: &PageOptions) -> Result<String, String> {
    let results = folder(options.results.as_ref(), options.quick)?;
    let html = render(&results, options.quick)?;
    let out = match &options.out {
        Some(out) => out.clone(),
        None => results.join("index.html"),
    };
    write_whole(&out, html.as_bytes(), true).map_err(|error| error.to_string())?;
    Ok(format!("{}\n", out.display()))
}

/// The page of what a folder holds.
pub fn render(results: &Path, quick: bool) -> Result<String, String> {
    let mut sections = Vec::new();
    let mut missing = Vec::new();
    let mut failures = Vec::new();
    for experiment in ALL {
        let all: Vec<Record> = records::read(&file(results, experiment.name))?;
        let good = latest(&all);
        let failed = |record: &&Record| {
            let again = |other: &&&Record| other.key == record.key && other.seed == record.seed;
            record.error.is_some() && good.iter().filter(again).count() == 0
        };
        failures.extend(
            all.iter()
                .filter(failed)
                .map(|record| failure(experiment, record)),
        );
        match good.is_empty() {
            true => missing.push(experiment),
            false => sections.push(Section {
                id: experiment.name,
                title: experiment.title,
                body: (experiment.section)(&good)
                    .unwrap_or_else(|error| paragraph(&format!("This cannot be shown: {error}."))),
            }),
        }
    }
    if sections.is_empty() {
        return Err(format!(
            "nothing was measured in {}; measure with `run NAME`, or name another folder in \
             --results",
            results.display()
        ));
    }
    if !missing.is_empty() || !failures.is_empty() {
        sections.push(gaps(&missing, &failures));
    }
    let outcome = match quick {
        true => {
            "Made with --quick: everything ran, on less than it takes to measure. These are not \
                 results."
        }
        false => {
            "Everything the paper claims, measured again: rates and epochs are chosen on \
                  validation rows and reported on test rows, and the search for a rate counts."
        }
    };
    let page = Page {
        title: "Experiments",
        about: "Neural networks trained by convex optimisation",
        outcome,
        headline: &[],
        sections: &sections,
        end: "Made by cronos: cargo run --release -p experiments -- report",
    };
    Ok(page.html())
}

fn failure(experiment: &Experiment, record: &Record) -> Vec<String> {
    let error = record.error.as_deref().unwrap_or_default();
    vec![
        escape(&format!(
            "{}, {}, seed {}",
            experiment.name, record.key, record.seed
        )),
        escape(error),
    ]
}

/// What is not on the page, and why.
fn gaps(missing: &[&Experiment], failures: &[Vec<String>]) -> Section {
    let mut body = String::new();
    if !missing.is_empty() {
        let rows: Vec<Vec<String>> = (missing.iter())
            .map(|one| {
                let time = format!("about {} min", one.minutes);
                vec![escape(one.title), escape(one.name), escape(one.data), time]
            })
            .collect();
        body += &paragraph("Not measured yet:");
        let head = ["", "name", "data", "time"];
        body += &table("Experiments that were not run", &head, &rows);
    }
    if !failures.is_empty() {
        body += &paragraph("Failed:");
        body += &table("Measurements that failed", &["", "why"], failures);
    }
    Section {
        id: "missing",
        title: "What is missing",
        body,
    }
}

//! What sections have in common.

use super::record::Record;
use cronos_page::text::{escape, scientific};
use std::collections::BTreeSet;

/// The mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// A share as per cent with two decimals, as the paper has them.
pub fn percent(share: f64) -> String {
    format!("{:.2}\u{a0}%", 100.0 * share)
}

/// A mean over seeds, and the lowest and the highest if there are several.
pub fn over_seeds(shares: &[f64]) -> String {
    let (low, high) = extremes(shares);
    match shares.len() {
        0 => "–".into(),
        1 => percent(shares[0]),
        _ => format!(
            "{} <small>({:.2} to {:.2})</small>",
            percent(mean(shares)),
            100.0 * low,
            100.0 * high
        ),
    }
}

/// The lowest and the highest.
pub fn extremes(values: &[f64]) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let wider = |(low, high): (f64, f64), &value: &f64| (low.min(value), high.max(value));
    values.iter().fold(start, wider)
}

/// Seconds with two or three digits.
pub fn seconds(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2}\u{a0}s"),
        value if value < 600.0 => format!("{value:.0}\u{a0}s"),
        value => format!("{:.0}\u{a0}min", value / 60.0),
    }
}

/// Learning rates, or none.
pub fn rates(rates: &[f64]) -> String {
    match rates {
        [] => "none needed".into(),
        rates => {
            let rates: Vec<String> = rates.iter().map(|&rate| scientific(rate, 1)).collect();
            rates.join(", ")
        }
    }
}

/// A number of every record.
pub fn numbers(records: &[&Record], path: &str) -> Result<Vec<f64>, String> {
    records.iter().map(|record| record.number(path)).collect()
}

/// The records of a key.
pub fn of_key<'a>(records: &[&'a Record], key: &str) -> Vec<&'a Record> {
    records
        .iter()
        .filter(|record| record.key == key)
        .copied()
        .collect()
}

/// Of `points`, lists of numbers, the first and another.
pub fn points(record: &Record, which: usize) -> Vec<(f64, f64)> {
    let all = record.outcome["points"].as_array().into_iter().flatten();
    all.filter_map(|one| Some((one[0].as_f64()?, one[which].as_f64()?)))
        .collect()
}

/// From what, when, on what, and by which commands a section was made.
pub fn provenance(records: &[&Record], name: &str) -> String {
    let distinct = |part: fn(&Record) -> String| -> Vec<String> {
        let parts: BTreeSet<String> = records.iter().map(|record| part(record)).collect();
        parts.into_iter().collect()
    };
    let days = distinct(|record| record.date.chars().take(10).collect());
    let commits = distinct(|record| record.commit.clone());
    let machines = distinct(|record| record.machine.clone());
    let seeds = distinct(|record| record.seed.to_string());
    let commands = distinct(|record| record.command.clone());
    let commands: Vec<String> = (commands.iter())
        .filter(|command| !command.is_empty())
        .map(|command| escape(command))
        .collect();
    let listed = match commands.is_empty() {
        true => String::new(),
        false => format!(
            "<details><summary>{}</summary>\n<pre>{}</pre></details>\n",
            match commands.len() {
                1 => "The command".into(),
                count => format!("{count} commands"),
            },
            commands.join("\n")
        ),
    };
    format!(
        "<p><small>Measured {} on {}, from {}; {}. Again: <code>cargo run --release -p \
         experiments -- run {name}</code></small></p>\n{listed}",
        escape(&days.join(", ")),
        escape(&machines.join("; ")),
        escape(&commits.join(", ")),
        match seeds.len() {
            1 => "one seed".into(),
            count => format!("{count} seeds"),
        },
    )
}

//! What was measured: raw as JSON, and as Markdown to be read.

use super::PARTS;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;
use xtask::stamp;

/// The result of a part.
pub struct Record(Map<String, Value>);

impl Record {
    /// What a script wrote: its Markdown and its runs.
    pub fn read(path: &Path) -> Result<Self, String> {
        serde_json::from_str(&text(path)?)
            .map(Self)
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Markdown with tables, each row of which counts as a run.
    pub fn from_markdown(markdown: String) -> Self {
        let runs = rows(&markdown);
        let mut map = Map::new();
        map.insert("markdown".into(), markdown.into());
        map.insert("runs".into(), runs.into());
        Self(map)
    }

    /// Keeps the record, with machine, date and commit, among those of the other parts.
    pub fn write(self, name: &str, results: &Path) -> Result<(), String> {
        let mut whole = json!({
            "part": name,
            "machine": stamp::machine(),
            "date": stamp::now(),
            "commit": stamp::commit(),
        });
        if let Some(map) = whole.as_object_mut() {
            map.extend(self.0);
        }
        save(&part(results, name), &format!("{whole:#}\n"))
    }
}

/// Puts the parts that there are together, in `bench.json` and `bench.md`.
pub fn merge(results: &Path) -> Result<(), String> {
    let mut parts = Vec::new();
    let mut markdown = Vec::new();
    for path in PARTS.iter().map(|one| part(results, one.name)) {
        if !path.exists() {
            continue;
        }
        let Record(record) = Record::read(&path)?;
        let field = |name: &str| record.get(name).and_then(Value::as_str).unwrap_or("");
        markdown.push(format!(
            "<!-- {}: {}; {}; commit {} -->\n{}",
            field("part"),
            field("machine"),
            field("date"),
            field("commit"),
            field("markdown")
        ));
        parts.push(Value::Object(record));
    }
    let whole = json!({ "parts": parts });
    save(&results.join("bench.json"), &format!("{whole:#}\n"))?;
    save(&results.join("bench.md"), &markdown.join("\n"))
}

/// Creates a folder with all above it.
pub fn create(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn part(results: &Path, name: &str) -> std::path::PathBuf {
    results.join("parts").join(format!("{name}.json"))
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a file whole or not at all.
fn save(path: &Path, text: &str) -> Result<(), String> {
    let aside = path.with_extension("new");
    fs::write(&aside, text)
        .and_then(|()| fs::rename(&aside, path))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// The rows of Markdown tables, as objects with the names of their columns.
fn rows(markdown: &str) -> Vec<Value> {
    let mut head: Option<Vec<String>> = None;
    let mut rows = Vec::new();
    for line in markdown.lines() {
        let Some(line) = line.strip_prefix('|') else {
            head = None;
            continue;
        };
        let line = line.trim_end().trim_end_matches('|');
        let cells: Vec<String> = line.split('|').map(|cell| cell.trim().into()).collect();
        match &head {
            None => head = Some(cells),
            Some(_) if cells.iter().all(|cell| is_rule(cell)) => {}
            Some(head) => {
                let pairs = head.iter().cloned().zip(cells.into_iter().map(Value::from));
                rows.push(Value::Object(pairs.collect()));
            }
        }
    }
    rows
}

/// Whether a cell belongs to the line under the head of a table.
fn is_rule(cell: &str) -> bool {
    !cell.is_empty() && cell.chars().all(|c| c == '-' || c == ':')
}

#[cfg(test)]
mod tests {
    use super::rows;
    use serde_json::json;

    #[test]
    fn rows_of_tables_become_objects() {
        let text =
            "Words.\n\n| a | b c |\n|--:|---|\n| 1 | x, y |\n| 2 | |\n\n| d |\n|---|\n| 3 |\n";
        let expected = [
            json!({"a": "1", "b c": "x, y"}),
            json!({"a": "2", "b c": ""}),
            json!({"d": "3"}),
        ];
        assert_eq!(rows(text), expected);
    }
}

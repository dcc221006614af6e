//! Texts with a target: JSON lines, tables, plain lines, and folders of text files.

mod folder;
mod jsonl;
mod lines;
mod table;

use crate::answers::TargetCells;
use crate::dataset::{Dataset, Features, Target};
use crate::error::{DataError, counted, listed, quoted};
use crate::fingerprint::Fingerprint;
use crate::options::TargetColumn;
use crate::origin::{Origin, Places};
use crate::values::Values;
use std::path::Path;

/// What a column of texts is usually called, the likeliest first.
const TEXT_NAMES: [&str; 10] = [
    "text", "review", "sentence", "content", "document", "comment", "message", "body", "tweet",
    "title",
];

/// What a target is usually called.
const TARGET_NAMES: [&str; 5] = ["target", "label", "class", "y", "sentiment"];

/// Texts, and what is known of each.
#[derive(Debug, Clone, PartialEq)]
pub struct Texts {
    /// One each row; none is blank.
    pub texts: Vec<String>,
    /// The target and where it comes from; it has no features.
    pub data: Dataset,
    /// The name of the column or field of the texts, if it has one.
    pub text_name: Option<String>,
}

/// Where texts and targets are.
#[derive(Debug, Clone, Default)]
pub struct TextOptions {
    /// The column or field of the texts; the usual one if nothing is said.
    pub text: Option<String>,
    /// The column or field of the target.
    pub target: TargetColumn,
}

impl Texts {
    /// The named rows, in the order named.
    ///
    /// # Panics
    /// When there is no such row, as slices do.
    pub fn select(&self, rows: &[usize]) -> Texts {
        Texts {
            texts: rows.iter().map(|&row| self.texts[row].clone()).collect(),
            data: self.data.select(rows),
            text_name: self.text_name.clone(),
        }
    }

    /// Tells one collection from another: sixteen hex digits over texts and target.
    pub fn fingerprint(&self) -> String {
        let mut hash = Fingerprint::new();
        hash.text(&self.data.fingerprint());
        self.texts.iter().for_each(|text| hash.text(text));
        hash.digits()
    }
}

/// Reads texts: `.jsonl`, `.csv`, `.tsv` or `.txt`, each also packed as `.gz`, `.parquet`, or a
/// folder with a sub-folder of `.txt` files for each class.
///
/// # Errors
/// When there is no such file, or its content is refused.
pub fn read_texts(path: &str, options: &TextOptions) -> Result<Texts, DataError> {
    if Path::new(path).is_dir() {
        return folder::read(path);
    }
    match kind(path) {
        Some(Kind::Objects) => jsonl::read(path, options),
        Some(Kind::Table) => table::read(path, options),
        Some(Kind::Parquet) => table::read_parquet(path, options),
        Some(Kind::Lines) => lines::read(path, options),
        None => Err(DataError::request(format!(
            "{path} is no file of texts; give .jsonl, .csv, .tsv or .txt (also .gz), .parquet, or a \
             folder with a sub-folder of .txt files for each class"
        ))),
    }
}

/// Files of texts.
enum Kind {
    Objects,
    Table,
    Parquet,
    Lines,
}

/// What a file holds, by its ending.
fn kind(path: &str) -> Option<Kind> {
    let lower = path.to_lowercase();
    let bare = lower.strip_suffix(".gz").unwrap_or(&lower);
    match bare.rsplit_once('.')?.1 {
        "jsonl" | "ndjson" | "json" => Some(Kind::Objects),
        "csv" | "tsv" => Some(Kind::Table),
        "parquet" | "pq" if bare == lower => Some(Kind::Parquet),
        "txt" => Some(Kind::Lines),
        _ => None,
    }
}

/// Whether a path looks like texts: by its ending, or as a folder with a text file in a
/// sub-folder.
pub fn holds_texts(path: &str) -> bool {
    kind(path).is_some() || (Path::new(path).is_dir() && folder::holds_texts(Path::new(path)))
}

/// A short name from a path.
fn name_of(path: &str) -> String {
    let name = Path::new(path).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let end = name.find('.').filter(|&at| at > 0).unwrap_or(name.len());
    name[..end].to_string()
}

/// Rows as they are read.
struct Rows<'a> {
    file: &'a str,
    texts: Vec<String>,
    cells: TargetCells,
    places: Places,
}

impl<'a> Rows<'a> {
    fn new(file: &'a str) -> Self {
        Self::called("line", file)
    }

    /// noun: how messages call a row
    fn called(noun: &'static str, file: &'a str) -> Self {
        Rows {
            file,
            texts: Vec::new(),
            cells: TargetCells::default(),
            places: Places::new(noun),
        }
    }

    fn push_text(&mut self, text: &str, place: u64, column: &str) -> Result<(), DataError> {
        if text.trim().is_empty() {
            let place = self.places.called(place);
            return Err(DataError::content(
                self.file,
                format!("{place}, {column}: the text is empty; drop the row or fill it"),
            ));
        }
        self.texts.push(text.to_owned());
        self.places.push(place);
        Ok(())
    }

    fn push_target(&mut self, cell: &str, place: u64, column: &str) -> Result<(), DataError> {
        let pushed = self.cells.push(cell);
        pushed.map_err(|what| {
            let place = self.places.called(place);
            let place = format!("{place}, {column}: {}", quoted(cell));
            DataError::content(self.file, format!("{place} {what}"))
        })
    }

    /// All rows, with the names of the text and of the target.
    fn finish(self, text: Option<String>, target: Option<String>) -> Result<Texts, DataError> {
        if self.texts.is_empty() {
            return Err(DataError::content(
                self.file,
                "it has no texts; give at least one",
            ));
        }
        let column = target
            .as_ref()
            .map(|name| format!("column {}", quoted(name)));
        let found = match &column {
            Some(column) => Some(self.cells.finish(self.file, column, &self.places)?),
            None => None,
        };
        let origin = column.map(|column| Origin {
            file: self.file.to_owned(),
            column: Some(column),
            places: self.places,
        });
        let rows = self.texts.len();
        let data = described(name_of(self.file), rows, found, target, origin);
        Ok(Texts {
            texts: self.texts,
            data,
            text_name: text,
        })
    }
}

/// A data set without features.
fn described(
    name: String,
    rows: usize,
    target: Option<Target>,
    target_name: Option<String>,
    origin: Option<Origin>,
) -> Dataset {
    Dataset {
        name,
        features: Features {
            rows,
            columns: 0,
            values: Values::Numbers(Vec::new()),
        },
        feature_names: Vec::new(),
        target,
        target_name,
        origin,
        weights: None,
        weight_name: None,
        counting: Vec::new(),
        dropped: Vec::new(),
        image_shape: None,
        image_fit: None,
        files: Vec::new(),
        remarks: Vec::new(),
    }
}

/// The place of the texts and of the target among named columns. `longest` is the place of the
/// longest text of the first row, which is taken if no name is usual.
fn choose(
    file: &str,
    names: &[String],
    longest: Option<usize>,
    options: &TextOptions,
) -> Result<(usize, Option<usize>), DataError> {
    let find = |name: &str| names.iter().position(|other| other == name);
    let usual = |all: &[&str], but: Option<usize>| {
        let place = |usual: &&str| {
            let same = |name: &String| name.trim().eq_ignore_ascii_case(usual);
            names
                .iter()
                .position(same)
                .filter(|&place| Some(place) != but)
        };
        all.iter().find_map(place)
    };
    let missing = |name: &str, flag: &str| {
        let message = format!(
            "there is no column {}; there are {}; name another with {flag}",
            quoted(name),
            listed(names)
        );
        DataError::content(file, message)
    };
    let named = match &options.target {
        TargetColumn::Named(name) => Some(find(name).ok_or_else(|| missing(name, "--target"))?),
        _ => None,
    };
    let text = match &options.text {
        Some(name) => find(name).ok_or_else(|| missing(name, "--text"))?,
        None => usual(&TEXT_NAMES, named)
            .or(longest.filter(|&place| Some(place) != named))
            .ok_or_else(|| {
                let message = format!(
                    "none of its {} looks like a text; name it with --text",
                    counted(names.len(), "column")
                );
                DataError::content(file, message)
            })?,
    };
    let target = match &options.target {
        TargetColumn::Absent => None,
        TargetColumn::Named(_) => named,
        TargetColumn::Auto => usual(&TARGET_NAMES, Some(text)),
    };
    match target {
        Some(target) if target == text => Err(DataError::content(
            file,
            format!(
                "{} cannot be both the text and the target",
                quoted(&names[text])
            ),
        )),
        target => Ok((text, target)),
    }
}

//! The training and test rows of a table, written once for all learners.

use super::collection::{TARGET, Table};
use super::sample::rows;
use cronos_data::file::write_whole;
use cronos_data::impute::{Imputation, Imputer};
use cronos_data::labels::{Labels, encode};
use cronos_data::{DataError, Dataset};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// A split that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// Training rows.
    pub train_rows: usize,
    /// Test rows.
    pub test_rows: usize,
    /// Features.
    pub features: usize,
    /// Classes.
    pub classes: usize,
    /// Fingerprints of both parts; equal for equal content.
    pub fingerprint: String,
    /// Where the files are.
    #[serde(skip)]
    pub folder: PathBuf,
}

impl Split {
    /// The file with the training rows.
    pub fn train(&self) -> PathBuf {
        self.folder.join("train.csv")
    }

    /// The file with the test rows.
    pub fn test(&self) -> PathBuf {
        self.folder.join("test.csv")
    }
}

/// The split of a table by a seed, in `folder/NAME-SEED`: read if it is there,
/// else made and written. `split.json` comes last and marks it as whole.
pub fn prepare(table: &Table, seed: u64, folder: &Path) -> Result<Split, String> {
    let folder = folder.join(format!("{}-{seed}", table.name));
    let mark = folder.join("split.json");
    if let Ok(text) = fs::read(&mark) {
        let mut split: Split = serde_json::from_slice(&text).map_err(|error| {
            let folder = folder.display();
            format!("{} is damaged: {error}; remove {folder}", mark.display())
        })?;
        split.folder = folder;
        return Ok(split);
    }
    let data = table.load()?;
    let failed = |error: DataError| format!("{}: {error}", table.name);
    let labels = match &data.target {
        Some(target) => encode(target).map_err(failed)?,
        None => return Err(format!("{} has no column {TARGET}", table.path.display())),
    };
    let rows = rows(&labels.indices, seed).map_err(|error| format!("{}: {error}", table.name))?;
    let (mut train, mut test) = (data.select(&rows.0), data.select(&rows.1));
    impute(&mut train, &mut test).map_err(failed)?;
    let split = Split {
        train_rows: train.features.rows,
        test_rows: test.features.rows,
        features: data.features.columns,
        classes: labels.classes.len(),
        fingerprint: format!("{}-{}", train.fingerprint(), test.fingerprint()),
        folder,
    };
    fs::create_dir_all(&split.folder)
        .map_err(|error| format!("{} cannot be made: {error}", split.folder.display()))?;
    let mark_text = serde_json::to_vec(&split).map_err(|error| error.to_string())?;
    for (path, bytes) in [
        (split.train(), csv(&train, &rows.0, &labels)?),
        (split.test(), csv(&test, &rows.1, &labels)?),
        (mark, mark_text),
    ] {
        write_whole(&path, &bytes, true).map_err(|error| error.to_string())?;
    }
    Ok(split)
}

/// Replaces missing features by the median of the training rows.
fn impute(train: &mut Dataset, test: &mut Dataset) -> Result<(), DataError> {
    let imputer = Imputer::fit(&train.features, &train.feature_names, Imputation::Median)?;
    imputer.apply(&mut train.features);
    imputer.apply(&mut test.features);
    Ok(())
}

/// The features and, last, the target, with a header. `rows` are the rows of
/// the table that `data` holds.
fn csv(data: &Dataset, rows: &[usize], labels: &Labels) -> Result<Vec<u8>, String> {
    let failed = |error: csv::Error| format!("a split cannot be written: {error}");
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = data.feature_names.iter().map(String::as_str);
    writer.write_record(names.chain([TARGET])).map_err(failed)?;
    for (place, &row) in rows.iter().enumerate() {
        let values = data.features.row(place);
        let values = values.iter().map(f64::to_string);
        let class = labels.classes[labels.indices[row]].clone();
        writer.write_record(values.chain([class])).map_err(failed)?;
    }
    writer
        .into_inner()
        .map_err(|error| format!("a split cannot be written: {error}"))
}

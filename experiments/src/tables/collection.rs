//! A folder of tables: `index.json`, and one `NAME.tsv.gz` for each of its entries.

use cronos_data::{Dataset, IndexColumn, Missing, ReadOptions, TargetColumn, read};
use std::fs;
use std::path::{Path, PathBuf};

/// The target column of every table.
pub const TARGET: &str = "target";
/// How many tables a quick run takes.
const QUICK: usize = 8;

/// An entry of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Name of the table, and of its file.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    rows: usize,
    features: usize,
}

/// The tables of a folder, in the order of its index.
pub fn tables(folder: &Path) -> Result<Vec<Table>, String> {
    let path = folder.join("index.json");
    let place = path.display();
    let text = fs::read(&path).map_err(|error| {
        format!("{place} cannot be read: {error}; name the folder with the tables in --data")
    })?;
    let entries: Vec<(String, usize, usize, usize)> =
        serde_json::from_slice(&text).map_err(|error| {
            format!("{place} is not a list of [name, rows, features, classes]: {error}")
        })?;
    let table = |(name, rows, features, _)| Table {
        path: folder.join(format!("{name}.tsv.gz")),
        name,
        rows,
        features,
    };
    Ok(entries.into_iter().map(table).collect())
}

/// The tables named, or all if none is; a quick run takes the smallest of them.
pub fn choose(tables: Vec<Table>, only: &[String], quick: bool) -> Result<Vec<Table>, String> {
    if let Some(unknown) = only
        .iter()
        .find(|name| tables.iter().all(|table| table.name != **name))
    {
        return Err(format!(
            "there is no table {unknown} in the index; see index.json in the data folder"
        ));
    }
    let mut chosen = tables;
    chosen.retain(|table| only.is_empty() || only.contains(&table.name));
    if quick {
        chosen.sort_by_key(|table| table.rows);
        chosen.truncate(QUICK);
    }
    Ok(chosen)
}

impl Table {
    /// Reads the table; missing features are NaN.
    pub fn load(&self) -> Result<Dataset, String> {
        let options = ReadOptions {
            target: TargetColumn::Named(TARGET.into()),
            missing: Missing::Keep,
            // every column counts, as for every learner
            index: IndexColumn::Keep,
            ..ReadOptions::default()
        };
        let data = read(&self.path.to_string_lossy(), &options)
            .map_err(|error| error.to_string())?
            .train;
        let found = (data.features.rows, data.features.columns);
        if found != (self.rows, self.features) {
            return Err(format!(
                "{} has {} rows and {} features, but the index says {} and {}; correct the index",
                self.path.display(),
                found.0,
                found.1,
                self.rows,
                self.features
            ));
        }
        Ok(data)
    }
}

#[cfg(test)]
mod tests {
    use super::{choose, tables};
    use std::fs;

    #[test]
    fn tables_are_chosen_by_name_and_size() {
        let folder = tempfile::tempdir().unwrap();
        let entries: Vec<String> = (0..10)
            .map(|i| format!("[\"t{i}\", {}, 2, 3]", 100 - i))
            .collect();
        let index = format!("[{}]", entries.join(", "));
        fs::write(folder.path().join("index.json"), index).unwrap();
        let all = tables(folder.path()).unwrap();
        assert_eq!(all.len(), 10);
        assert!(all[3].path.ends_with("t3.tsv.gz"));
        let quick = choose(all.clone(), &[], true).unwrap();
        let names: Vec<&str> = quick.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["t9", "t8", "t7", "t6", "t5", "t4", "t3", "t2"]);
        let only = choose(all.clone(), &["t5".into(), "t1".into()], false).unwrap();
        assert_eq!(only[0].name, "t1");
        assert!(choose(all, &["t11".into()], false).is_err());
    }

    #[test]
    fn a_folder_without_an_index_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(tables(folder.path()).unwrap_err().contains("--data"));
        fs::write(folder.path().join("index.json"), "[1]").unwrap();
        assert!(tables(folder.path()).unwrap_err().contains("list of"));
    }
}

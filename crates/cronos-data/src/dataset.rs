//! What a reader returns.

use crate::error::DataError;
use crate::fingerprint::Fingerprint;
use crate::labels::{self, Labels};
use crate::options::ImageFit;
use crate::origin::{Origin, Trouble};
use crate::values::{Values, gather};

/// Row-major numeric table.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The values, row after row.
    pub values: Values,
}

impl Features {
    /// The value of a row and a column, as a number.
    ///
    /// # Panics
    /// When there is no such row, as slices do.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values.at(row * self.columns + column)
    }

    /// The values of row `index`, as numbers.
    ///
    /// # Panics
    /// When there is no such row, as slices do.
    pub fn row(&self, index: usize) -> Vec<f64> {
        self.values.rows(self.columns, &[index]).into_numbers()
    }

    /// Whether each column has more than one value; a missing one differs from all.
    pub fn varies(&self) -> Vec<bool> {
        fn differ<T: Copy + PartialEq>(values: &[T], columns: usize) -> Vec<bool> {
            let mut varies = vec![false; columns];
            let first = &values[..columns.min(values.len())];
            for row in values.chunks_exact(columns.max(1)) {
                for ((varies, value), first) in varies.iter_mut().zip(row).zip(first) {
                    *varies |= value != first;
                }
            }
            varies
        }
        match &self.values {
            Values::Numbers(values) => differ(values, self.columns),
            Values::Bytes(values) => differ(values, self.columns),
            Values::Stored(values) => {
                let (mut varies, first) = (vec![false; self.columns], values.numbers(0..1));
                for row in 1..self.rows {
                    let row = values.numbers(row..row + 1);
                    for ((varies, value), first) in varies.iter_mut().zip(row).zip(&first) {
                        *varies |= value != *first;
                    }
                }
                varies
            }
        }
    }

    /// The named rows, in the order named.
    ///
    /// # Panics
    /// When there is no such row, as slices do.
    pub fn select(&self, rows: &[usize]) -> Features {
        Features {
            rows: rows.len(),
            columns: self.columns,
            values: self.values.rows(self.columns, rows),
        }
    }

    /// The named rows, which are in ascending order, without a second copy of them.
    ///
    /// # Panics
    /// When there is no such row, as slices do.
    pub fn keep(mut self, rows: &[usize]) -> Features {
        self.values.keep_rows(self.columns, rows);
        self.rows = rows.len();
        self
    }
}

/// What is to be predicted, one entry per row.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Class names.
    Text(Vec<String>),
    /// Numbers: classes, or one or more outputs of a regression.
    Numbers {
        /// Outputs per row.
        columns: usize,
        /// The values, row after row.
        values: Vec<f64>,
    },
}

impl Target {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Target::Text(texts) => texts.len(),
            Target::Numbers { columns, values } => values.len().checked_div(*columns).unwrap_or(0),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The named rows, in the order named.
    ///
    /// # Panics
    /// When there is no such row, as slices do.
    pub fn select(&self, rows: &[usize]) -> Target {
        match self {
            Target::Text(texts) => Target::Text(rows.iter().map(|&r| texts[r].clone()).collect()),
            Target::Numbers { columns, values } => Target::Numbers {
                columns: *columns,
                values: gather(values, *columns, rows),
            },
        }
    }
}

/// A column of a text table that goes up by one with every row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountingColumn {
    /// Its name.
    pub name: String,
    /// Whether it was left out because it is also called like an index; else it is a feature.
    pub left_out: bool,
}

/// Features with their names, and the target if the source has one.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// A short name, made from the file's.
    pub name: String,
    /// The features.
    pub features: Features,
    /// One name per feature; `x0`, `x1`, … where the source has none.
    pub feature_names: Vec<String>,
    /// The target, if there is one.
    pub target: Option<Target>,
    /// The target's name, if it has one.
    pub target_name: Option<String>,
    /// Where the target comes from, if there is one.
    pub origin: Option<Origin>,
    /// One weight per row, finite, at least 0 and not all 0, if they were asked for.
    pub weights: Option<Vec<f64>>,
    /// The name of the weights' column or array, if it has one.
    pub weight_name: Option<String>,
    /// Columns that seem to be an index.
    pub counting: Vec<CountingColumn>,
    /// The names of the columns that were dropped on request.
    pub dropped: Vec<String>,
    /// Height, width and channels when every row is an image.
    pub image_shape: Option<(usize, usize, usize)>,
    /// How images were brought to this shape, if they come from files of their own.
    pub image_fit: Option<ImageFit>,
    /// The name of every row's file; empty if rows do not have one each.
    pub files: Vec<String>,
    /// What a user should know about the source, a sentence each.
    pub remarks: Vec<String>,
}

impl Dataset {
    /// The named rows, in the order named.
    ///
    /// # Panics
    /// When there is no such row, as slices do.
    pub fn select(&self, rows: &[usize]) -> Dataset {
        Dataset {
            name: self.name.clone(),
            features: self.features.select(rows),
            feature_names: self.feature_names.clone(),
            target: self.target.as_ref().map(|target| target.select(rows)),
            target_name: self.target_name.clone(),
            origin: self.origin.as_ref().map(|origin| origin.select(rows)),
            weights: self.weights.as_ref().map(|all| gather(all, 1, rows)),
            weight_name: self.weight_name.clone(),
            counting: self.counting.clone(),
            dropped: self.dropped.clone(),
            image_shape: self.image_shape,
            image_fit: self.image_fit,
            files: match &self.files[..] {
                [] => Vec::new(),
                files => rows.iter().map(|&row| files[row].clone()).collect(),
            },
            remarks: self.remarks.clone(),
        }
    }

    /// The classes of the target, as [`labels::encode`] finds them.
    ///
    /// # Errors
    /// As there, naming the file and the place in it.
    pub fn labels(&self) -> Result<Labels, DataError> {
        labels::all(self.some_target()?).map_err(|trouble| self.at_origin(trouble))
    }

    /// The index of every row's class among `classes`, as [`labels::encode_as`] finds it.
    ///
    /// # Errors
    /// As there, naming the file and the place in it.
    pub fn labels_as(&self, classes: &[String]) -> Result<Vec<usize>, DataError> {
        labels::all_as(self.some_target()?, classes).map_err(|trouble| self.at_origin(trouble))
    }

    /// Only the rows of some classes.
    ///
    /// # Errors
    /// When the target cannot hold classes, naming the file and the place in it.
    pub fn of_classes(&self, classes: &[String]) -> Result<Dataset, DataError> {
        Ok(self.select(&self.rows_of(classes)?))
    }

    /// Which rows belong to some classes.
    ///
    /// # Errors
    /// When the target cannot hold classes, naming the file and the place in it.
    pub fn rows_of(&self, classes: &[String]) -> Result<Vec<usize>, DataError> {
        let rows = labels::rows_of(self.some_target()?, classes);
        rows.map_err(|trouble| self.at_origin(trouble))
    }

    /// The target as numbers, as [`labels::numbers`] gives them.
    ///
    /// # Errors
    /// As there, naming the file and the place in it.
    pub fn numbers(&self) -> Result<(usize, Vec<f64>), DataError> {
        labels::all_numbers(self.some_target()?).map_err(|trouble| self.at_origin(trouble))
    }

    fn some_target(&self) -> Result<&Target, DataError> {
        let none = || DataError::request(format!("{} has no target; name one", self.name));
        self.target.as_ref().ok_or_else(none)
    }

    fn at_origin(&self, trouble: Trouble) -> DataError {
        match &self.origin {
            Some(origin) => trouble.content(origin),
            None => trouble.request(),
        }
    }

    /// Sixteen hex digits (64 bits, made as FNV-1a) over shape, names, feature bits, target and weights.
    ///
    /// The same content gives the same digits on every machine; the data set's own name is
    /// left out, so that a renamed file keeps its fingerprint.
    pub fn fingerprint(&self) -> String {
        let mut hash = Fingerprint::new();
        hash.count(self.features.rows);
        hash.count(self.features.columns);
        hash.count(self.feature_names.len());
        for name in &self.feature_names {
            hash.text(name);
        }
        match &self.features.values {
            Values::Numbers(values) => hash.numbers(values),
            Values::Bytes(values) => hash.words(values),
            Values::Stored(values) => {
                if values.hash(&mut hash).is_err() {
                    // a file that cannot be read has another fingerprint than one that can
                    hash.count(0);
                }
            }
        }
        hash.text(self.target_name.as_deref().unwrap_or(""));
        match &self.target {
            None => hash.count(0),
            Some(Target::Text(texts)) => {
                hash.count(1);
                for text in texts {
                    hash.text(text);
                }
            }
            Some(Target::Numbers { columns, values }) => {
                hash.count(2);
                hash.count(*columns);
                hash.numbers(values);
            }
        }
        if let Some(weights) = &self.weights {
            hash.numbers(weights);
        }
        hash.digits()
    }
}

/// What a source holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The data, or its training part.
    pub train: Dataset,
    /// The test part, when the source itself comes with one.
    pub test: Option<Dataset>,
}

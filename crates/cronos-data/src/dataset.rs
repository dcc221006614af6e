//! What a reader returns.

use crate::fingerprint::Fingerprint;

/// Row-major numeric table.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The values, row after row.
    pub values: Vec<f64>,
}

impl Features {
    /// The values of row `index`.
    ///
    /// # Panics
    /// When there is no such row, as slices do.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.columns..(index + 1) * self.columns]
    }

    /// The named rows, in the order named.
    ///
    /// # Panics
    /// When there is no such row, as slices do.
    pub fn select(&self, rows: &[usize]) -> Features {
        Features {
            rows: rows.len(),
            columns: self.columns,
            values: gather(&self.values, self.columns, rows),
        }
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

fn gather(values: &[f64], columns: usize, rows: &[usize]) -> Vec<f64> {
    let mut chosen = Vec::with_capacity(rows.len() * columns);
    for &row in rows {
        chosen.extend_from_slice(&values[row * columns..(row + 1) * columns]);
    }
    chosen
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
    /// Height, width and channels when every row is an image.
    pub image_shape: Option<(usize, usize, usize)>,
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
            image_shape: self.image_shape,
        }
    }

    /// Sixteen hex digits (FNV-1a, 64 bits) over shape, names, feature bits and target.
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
        hash.numbers(&self.features.values);
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

//! Which columns are features and which one is the target.

use crate::error::{DataError, counted, listed, quoted};
use crate::options::{ReadOptions, TargetColumn};

/// The roles of a table's columns.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Columns that are features, in the order the features are to have.
    pub(crate) features: Vec<usize>,
    pub(crate) feature_names: Vec<String>,
    pub(crate) target: Option<usize>,
    pub(crate) target_name: Option<String>,
    /// The path of a file that holds the target.
    pub(crate) answers: Option<String>,
}

/// Where the target was found.
enum Place {
    Column(usize),
    File(String),
    Nowhere,
}

/// The columns there are: how many, and their names if they have any.
pub(crate) struct Columns<'a> {
    pub(crate) file: &'a str,
    pub(crate) count: usize,
    pub(crate) names: Option<&'a [String]>,
}

impl Columns<'_> {
    /// Gives every column its role.
    pub(crate) fn layout(&self, options: &ReadOptions) -> Result<Layout, DataError> {
        let expected = options.expected_features;
        let by_name = expected.filter(|expected| {
            self.names
                .is_some_and(|names| expected.iter().any(|name| names.contains(name)))
        });
        let (features, place) = match by_name {
            Some(expected) => self.match_names(expected, &options.target)?,
            None => self.match_positions(expected, &options.target)?,
        };
        let feature_names = match expected {
            Some(expected) => expected.to_vec(),
            None => self.feature_names(&features),
        };
        let (target, answers) = match place {
            Place::Column(column) => (Some(column), None),
            Place::File(path) => (None, Some(path)),
            Place::Nowhere => (None, None),
        };
        let target_name = target.and_then(|column| self.name(column)).cloned();
        Ok(Layout {
            features,
            feature_names,
            target,
            target_name,
            answers,
        })
    }

    fn match_names(
        &self,
        expected: &[String],
        target: &TargetColumn,
    ) -> Result<(Vec<usize>, Place), DataError> {
        let mut features = Vec::with_capacity(expected.len());
        for name in expected {
            match self.position(name) {
                Some(column) => features.push(column),
                None => {
                    return Err(self.refuse(format!(
                        "column {} is missing; the model needs it, and the columns here are {}",
                        quoted(name),
                        self.available()
                    )));
                }
            }
        }
        let place = match target {
            TargetColumn::Absent => Place::Nowhere,
            TargetColumn::Named(name) => self.find(name)?,
            TargetColumn::Auto => {
                let mut is_feature = vec![false; self.count];
                for &column in &features {
                    is_feature[column] = true;
                }
                let others: Vec<usize> = (0..self.count).filter(|&c| !is_feature[c]).collect();
                self.usual_target(&others)
                    .map_or(Place::Nowhere, Place::Column)
            }
        };
        Ok((features, place))
    }

    fn match_positions(
        &self,
        expected: Option<&[String]>,
        target: &TargetColumn,
    ) -> Result<(Vec<usize>, Place), DataError> {
        let all: Vec<usize> = (0..self.count).collect();
        let wanted = expected.map(<[String]>::len);
        let place = match target {
            TargetColumn::Absent => Place::Nowhere,
            TargetColumn::Named(name) => self.find(name)?,
            TargetColumn::Auto if wanted == Some(self.count) => Place::Nowhere,
            TargetColumn::Auto => self
                .usual_target(&all)
                .map_or(Place::Nowhere, Place::Column),
        };
        let features: Vec<usize> = match place {
            Place::Column(target) => all.into_iter().filter(|&c| c != target).collect(),
            _ => all,
        };
        match wanted {
            Some(wanted) if wanted != features.len() => {
                let with_target = match target {
                    TargetColumn::Absent => String::new(),
                    _ => format!(", or {} with a target column", wanted + 1),
                };
                Err(self.refuse(format!(
                    "it has {}, but the model needs {wanted}{with_target}",
                    counted(self.count, "column")
                )))
            }
            Some(_) if self.are_others(&features, expected.unwrap_or_default()) => Err(self
                .refuse(format!(
                    "none of its columns {} is a feature of the model, which are {}; rename them, \
                     or remove the header to take them in their order",
                    self.available(),
                    listed(expected.unwrap_or_default())
                ))),
            _ if features.is_empty() => Err(self.refuse(
                "it has only one column; a feature and a target take at least two columns",
            )),
            _ => Ok((features, place)),
        }
    }

    /// Whether columns without a common name are other ones than the model's: both have
    /// names that say something, not just a number.
    fn are_others(&self, features: &[usize], expected: &[String]) -> bool {
        let says = |name: &str| {
            let number = name.strip_prefix('x').unwrap_or(name);
            number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit())
        };
        let named = |&column: &usize| self.name(column).is_some_and(|name| says(name));
        features.iter().any(named) && expected.iter().any(|name| says(name))
    }

    /// The column named target, label, class or y, else the last one.
    fn usual_target(&self, columns: &[usize]) -> Option<usize> {
        ["target", "label", "class", "y"]
            .iter()
            .find_map(|usual| {
                columns.iter().copied().find(|&column| {
                    self.name(column)
                        .is_some_and(|name| name.eq_ignore_ascii_case(usual))
                })
            })
            .or(columns.last().copied())
    }

    fn find(&self, wanted: &str) -> Result<Place, DataError> {
        if let Some(column) = self.position(wanted) {
            return Ok(Place::Column(column));
        }
        if let Ok(index) = wanted.trim().parse::<i64>() {
            let column = if index < 0 {
                self.count
                    .checked_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX))
            } else {
                usize::try_from(index).ok()
            };
            return match column.filter(|&column| column < self.count) {
                Some(column) => Ok(Place::Column(column)),
                None => Err(self.refuse(format!(
                    "there is no column {index} to be the target; it has {}, counted from 0",
                    counted(self.count, "column")
                ))),
            };
        }
        if crate::source::holds_arrays(wanted) {
            return Ok(Place::File(wanted.to_owned()));
        }
        Err(self.refuse(format!(
            "there is no column {} to be the target; the columns are {}",
            quoted(wanted),
            self.available()
        )))
    }

    fn position(&self, wanted: &str) -> Option<usize> {
        self.names?.iter().position(|name| name == wanted)
    }

    fn name(&self, column: usize) -> Option<&String> {
        self.names?.get(column)
    }

    fn available(&self) -> String {
        match self.names {
            Some(names) => listed(names),
            None => format!(
                "unnamed, so give an index from 0 to {}",
                self.count.saturating_sub(1)
            ),
        }
    }

    fn feature_names(&self, features: &[usize]) -> Vec<String> {
        features
            .iter()
            .enumerate()
            .map(|(index, &column)| match self.name(column) {
                Some(name) => name.clone(),
                None => format!("x{index}"),
            })
            .collect()
    }

    /// How a message speaks of a column.
    pub(crate) fn label(&self, column: usize) -> String {
        match self.name(column) {
            Some(name) => format!("column {}", quoted(name)),
            None => format!("column {column} (counting from 0)"),
        }
    }

    fn refuse(&self, message: impl std::fmt::Display) -> DataError {
        DataError::content(self.file, message)
    }
}

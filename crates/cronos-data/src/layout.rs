//! Which columns are features, which one is the target and which one holds weights.

use std::collections::HashMap;

use crate::columns::{Columns, Place, given_number, says_something, whole_number};
use crate::error::{DataError, counted, listed, quoted};
use crate::options::{ReadOptions, TargetColumn, WeightColumn};

const TARGET: &str = "to be the target";
const WEIGHT: &str = "to be the weights";
const DROP: &str = "to drop";

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
    pub(crate) weight: Option<usize>,
    pub(crate) weight_name: Option<String>,
    /// The path of a file that holds the weights.
    pub(crate) weight_file: Option<String>,
    /// The names of the columns that have no role, unless a model chose its features.
    pub(crate) dropped: Vec<String>,
}

/// Columns that are asked for by their names or indices.
struct Requests<'a> {
    target: &'a TargetColumn,
    weight: Place,
    /// Whether data without weights is refused.
    weight_needed: bool,
    dropped: Vec<usize>,
    /// Columns to drop by the names that columns without names are given.
    numbers: Vec<usize>,
}

impl Requests<'_> {
    /// Columns that are neither dropped nor weights.
    fn others(&self, columns: impl Iterator<Item = usize>) -> Vec<usize> {
        let weight = self.weight.column();
        columns
            .filter(|column| Some(*column) != weight && !self.dropped.contains(column))
            .collect()
    }
}

/// Features, target and weights.
type Roles = (Vec<usize>, Place, Place);

impl Columns<'_> {
    /// Gives every column its role.
    pub(crate) fn layout(&self, options: &ReadOptions) -> Result<Layout, DataError> {
        let requests = self.requests(options)?;
        let expected = options.expected_features;
        let by_name = expected.filter(|expected| {
            self.names
                .is_some_and(|names| expected.iter().any(|name| names.contains(name)))
        });
        let (features, target, weight) = match (by_name, expected) {
            (Some(expected), _) => self.match_names(expected, requests)?,
            (None, Some(expected)) => self.match_positions(expected, requests)?,
            (None, None) => self.take_all(requests)?,
        };
        let feature_names = match expected {
            Some(expected) => expected.to_vec(),
            None => self.feature_names(&features, target.column()),
        };
        let dropped: Vec<usize> = match expected {
            Some(_) => Vec::new(),
            None => (0..self.count)
                .filter(|column| {
                    let taken = [target.column(), weight.column()].contains(&Some(*column));
                    !taken && features.binary_search(column).is_err()
                })
                .collect(),
        };
        let name = |place: &Place| place.column().and_then(|c| self.name(c)).cloned();
        Ok(Layout {
            dropped: self.feature_names(&dropped, target.column()),
            features,
            feature_names,
            target_name: name(&target),
            target: target.column(),
            answers: target.into_file(),
            weight_name: name(&weight),
            weight: weight.column(),
            weight_file: weight.into_file(),
        })
    }

    fn requests<'o>(&self, options: &'o ReadOptions) -> Result<Requests<'o>, DataError> {
        let weight = match &options.weight {
            WeightColumn::Absent => Place::Nowhere,
            WeightColumn::Named(wanted) => self.find(wanted, WEIGHT)?,
            WeightColumn::IfThere(wanted) => {
                let by_index = || match self.names {
                    None => whole_number(wanted).and_then(|index| self.at(index)),
                    Some(_) => None,
                };
                let column = self.position(wanted).or_else(by_index);
                column.map_or(Place::Nowhere, Place::Column)
            }
        };
        let (mut dropped, mut numbers) = (Vec::new(), Vec::new());
        for name in &options.drop {
            let given = given_number(name).filter(|_| self.names.is_none());
            // Counted in the training data, an index means nothing in other data with names.
            let counts = self.names.is_none() || options.expected_features.is_none();
            let index = whole_number(name).filter(|_| counts);
            let by_index = || index.and_then(|index| self.at(index));
            match (self.position(name).or_else(by_index), given) {
                (Some(column), _) => dropped.push(column),
                (None, Some(number)) => numbers.push(number),
                (None, None) if options.expected_features.is_some() => {}
                (None, None) => return Err(self.unknown(name, DROP)),
            }
        }
        Ok(Requests {
            target: &options.target,
            weight,
            weight_needed: matches!(options.weight, WeightColumn::Named(_)),
            dropped,
            numbers,
        })
    }

    /// Without a model: all columns that have no other role.
    fn take_all(&self, mut requests: Requests) -> Result<Roles, DataError> {
        let target = match requests.target {
            TargetColumn::Absent => Place::Nowhere,
            TargetColumn::Named(name) => self.find(name, TARGET)?,
            TargetColumn::Auto => self
                .usual_target(&requests.others(0..self.count))
                .map_or(Place::Nowhere, Place::Column),
        };
        let rest = self.without(target.column());
        for number in std::mem::take(&mut requests.numbers) {
            match rest.get(number) {
                Some(&column) => requests.dropped.push(column),
                None => return Err(self.unknown(&format!("x{number}"), DROP)),
            }
        }
        self.check_apart(&target, &requests)?;
        let features = requests.others(rest.into_iter());
        if features.is_empty() {
            return Err(match self.count {
                0 | 1 => self.refuse(
                    "it has only one column; a feature and a target take at least two columns",
                ),
                _ => self.refuse("no column is left to be a feature; drop fewer columns"),
            });
        }
        Ok((features, target, requests.weight))
    }

    fn check_apart(&self, target: &Place, requests: &Requests) -> Result<(), DataError> {
        for (place, role) in [(target, "the target"), (&requests.weight, "the weights")] {
            if let Some(column) = place.column().filter(|c| requests.dropped.contains(c)) {
                return Err(self.refuse(format!(
                    "{} is {role}, so it cannot be dropped; name another column",
                    self.label(column)
                )));
            }
        }
        match target.column() {
            Some(column) if requests.weight.column() == Some(column) => Err(self.refuse(format!(
                "{} cannot be the target and the weights; name another column",
                self.label(column)
            ))),
            _ => Ok(()),
        }
    }

    fn match_names(&self, expected: &[String], requests: Requests) -> Result<Roles, DataError> {
        let mut features = Vec::with_capacity(expected.len());
        let mut is_feature = vec![false; self.count];
        // The first column of a name counts; thousands of names are not searched for one by one.
        let named = self.names.unwrap_or_default().iter().enumerate().rev();
        let places: HashMap<&String, usize> = named.map(|(place, name)| (name, place)).collect();
        for name in expected {
            match places.get(name).copied() {
                Some(column) => {
                    features.push(column);
                    is_feature[column] = true;
                }
                None => {
                    return Err(self.refuse(format!(
                        "column {} is missing; the model needs it, and the columns here are {}",
                        quoted(name),
                        self.available()
                    )));
                }
            }
        }
        let target = match requests.target {
            TargetColumn::Absent => Place::Nowhere,
            TargetColumn::Named(name) => self.find(name, TARGET)?,
            TargetColumn::Auto => {
                let free = |&c: &usize| !is_feature[c] && !self.indices.contains(&c);
                self.usual_target(&requests.others((0..self.count).filter(free)))
                    .map_or(Place::Nowhere, Place::Column)
            }
        };
        let weight = match requests.weight {
            Place::Column(column) if is_feature[column] => Place::Nowhere,
            other => other,
        };
        Ok((features, target, weight))
    }

    /// Matches columns to the features of a model by their order.
    fn match_positions(
        &self,
        expected: &[String],
        mut requests: Requests,
    ) -> Result<Roles, DataError> {
        let wanted = expected.len();
        let no_index = |columns: &[usize]| -> Vec<usize> {
            let other = |c: &&usize| !self.indices.contains(c);
            columns.iter().filter(other).copied().collect()
        };
        let all = self.without(None);
        let target = match requests.target {
            TargetColumn::Absent => Place::Nowhere,
            TargetColumn::Named(name) => self.find(name, TARGET)?,
            TargetColumn::Auto if all.len() == wanted || no_index(&all).len() == wanted => {
                Place::Nowhere
            }
            TargetColumn::Auto => self
                .usual_target(&requests.others(0..self.count))
                .map_or(Place::Nowhere, Place::Column),
        };
        let rest = self.without(target.column());
        let numbers = std::mem::take(&mut requests.numbers);
        let named = numbers.iter().filter_map(|&number| rest.get(number));
        requests.dropped.extend(named);
        let others = requests.others(rest.iter().copied());
        let indexless = no_index(&others);
        let (features, weight) = if others.len() == wanted {
            (others, requests.weight)
        } else if rest.len() == wanted && !requests.weight_needed {
            (rest, Place::Nowhere)
        } else if indexless.len() == wanted {
            (indexless, requests.weight)
        } else if let Some(features) = self.by_number(&rest, expected) {
            (features, Place::Nowhere)
        } else {
            let with_target = match requests.target {
                TargetColumn::Absent => String::new(),
                _ => format!(", or {} with a target column", wanted + 1),
            };
            return Err(self.refuse(format!(
                "it has {}, but the model needs {wanted}{with_target}",
                counted(self.count, "column")
            )));
        };
        // Both have names that say something, and not one in common.
        if !self.only_count(&features) && expected.iter().any(|name| says_something(name)) {
            return Err(self.refuse(format!(
                "none of its columns {} is a feature of the model, which are {}; rename them, or \
                 remove the header to take them in their order",
                self.available(),
                listed(expected)
            )));
        }
        Ok((features, target, weight))
    }

    /// A model of a table without names that left out some columns: its features are called
    /// by their places there, and the columns here are those of that table.
    fn by_number(&self, rest: &[usize], expected: &[String]) -> Option<Vec<usize>> {
        let numbers: Option<Vec<usize>> = expected.iter().map(|n| given_number(n)).collect();
        let numbers = numbers?;
        let same_table = numbers.last()?.checked_add(1) == Some(rest.len());
        if !same_table || !self.only_count(rest) {
            return None;
        }
        numbers.iter().map(|&n| rest.get(n).copied()).collect()
    }

    /// All columns but one.
    fn without(&self, column: Option<usize>) -> Vec<usize> {
        (0..self.count).filter(|&c| Some(c) != column).collect()
    }

    /// The features' names. A column without one is called by its place, for which the
    /// target does not count.
    fn feature_names(&self, features: &[usize], target: Option<usize>) -> Vec<String> {
        let place = |column| column - usize::from(target.is_some_and(|target| target < column));
        features
            .iter()
            .map(|&column| match self.name(column) {
                Some(name) => name.clone(),
                None => format!("x{}", place(column)),
            })
            .collect()
    }
}

//! From a target to classes or numbers.

use std::collections::{BTreeSet, HashMap};

use crate::dataset::Target;
use crate::error::{DataError, listed, quoted};
use crate::names;
use crate::origin::Trouble;

/// What kind of prediction a target asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// One of a set of classes.
    Classification,
    /// One or more numbers.
    Regression,
}

/// The classes of a target, and each row's class by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// The classes' names, sorted.
    pub classes: Vec<String>,
    /// For every row the index of its class.
    pub indices: Vec<usize>,
}

/// A class target has at most this many different numbers.
const MOST_CLASSES: usize = 50;
/// A name joined from several classes is at most this long.
const LONGEST_NAME: usize = 40;

/// Guesses the task.
///
/// Text asks for classification. So does a single column of integers with at most 50
/// different values, each there twice on average (at most half as many values as rows).
/// Everything else is regression.
pub fn infer_task(target: &Target) -> Task {
    let Target::Numbers { columns: 1, values } = target else {
        return match target {
            Target::Text(_) => Task::Classification,
            Target::Numbers { .. } => Task::Regression,
        };
    };
    let mut distinct = BTreeSet::new();
    for &value in values {
        // Adding zero makes -0 and 0 one value.
        distinct.insert((value + 0.0).to_bits());
        if !value.is_finite() || value.fract() != 0.0 || distinct.len() > MOST_CLASSES {
            return Task::Regression;
        }
    }
    if distinct.len() * 2 <= values.len() {
        Task::Classification
    } else {
        Task::Regression
    }
}

/// Finds the classes, sorted as numbers if all of them are numbers, else as text. An integer
/// is named `3`, not `3.0`.
///
/// # Errors
/// When there are no rows, only one class, several columns, or a value that is not finite.
pub fn encode(target: &Target) -> Result<Labels, DataError> {
    all(target).map_err(Trouble::request)
}

pub(crate) fn all(target: &Target) -> Result<Labels, Trouble> {
    let names = class_names(target)?;
    let mut classes: Vec<String> = names
        .iter()
        .cloned()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let numbers: Option<Vec<f64>> = classes.iter().map(|name| number(name)).collect();
    if let Some(numbers) = numbers {
        let mut pairs: Vec<(f64, String)> = numbers.into_iter().zip(classes).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        classes = pairs.into_iter().map(|(_, name)| name).collect();
    }
    match &classes[..] {
        [] => Err(Trouble::whole("has no rows")),
        [only] => Err(Trouble::whole(format!(
            "has only one class, {}, so there is nothing to tell apart; add rows of another class",
            quoted(only)
        ))),
        _ => {
            let indices = encode_names(&names, &classes)?;
            Ok(Labels { classes, indices })
        }
    }
}

/// The index of every row's class among `classes`.
///
/// # Errors
/// When a row's class is not among them, or the target cannot hold classes.
pub fn encode_as(target: &Target, classes: &[String]) -> Result<Vec<usize>, DataError> {
    all_as(target, classes).map_err(Trouble::request)
}

pub(crate) fn all_as(target: &Target, classes: &[String]) -> Result<Vec<usize>, Trouble> {
    encode_names(&class_names(target)?, classes)
}

/// The rows whose class is one of `classes`.
pub(crate) fn rows_of(target: &Target, classes: &[String]) -> Result<Vec<usize>, Trouble> {
    let names = class_names(target)?;
    let wanted = |row: &usize| classes.contains(&names[*row]);
    Ok((0..names.len()).filter(wanted).collect())
}

/// The target as numbers: how many columns, and the values row after row.
///
/// # Errors
/// When a row holds text that is not a number.
pub fn numbers(target: &Target) -> Result<(usize, Vec<f64>), DataError> {
    all_numbers(target).map_err(Trouble::request)
}

pub(crate) fn all_numbers(target: &Target) -> Result<(usize, Vec<f64>), Trouble> {
    match target {
        Target::Numbers { columns, values } => Ok((*columns, values.clone())),
        Target::Text(texts) => {
            let mut values = Vec::with_capacity(texts.len());
            for (row, text) in texts.iter().enumerate() {
                let value = number(text).ok_or_else(|| {
                    let what = format!(
                        "{} is not a number; regression needs numbers, so choose another target \
                         or classification",
                        quoted(text)
                    );
                    Trouble::at(row, what)
                })?;
                values.push(value);
            }
            Ok((1, values))
        }
    }
}

/// The classes that a user's lists name. A list that is itself a class is taken whole, else
/// it is split as [`names::split`] says.
///
/// # Errors
/// When there is no such class.
pub fn chosen(lists: &[String], classes: &[String]) -> Result<Vec<String>, DataError> {
    let mut chosen = Vec::new();
    for list in lists {
        if classes.contains(list) {
            chosen.push(list.clone());
            continue;
        }
        for name in names::split(list)? {
            chosen.push(classes[find(&name, classes)?].clone());
        }
    }
    if chosen.is_empty() {
        return Err(DataError::request(format!(
            "no class is named; the classes are {}",
            listed(classes)
        )));
    }
    Ok(chosen)
}

/// Makes two classes: the positive ones as index 1, all others as index 0. Each is named by
/// joining the names with `|`; the others are called `rest` when that gets too long.
///
/// # Errors
/// When no class, an unknown class, or every class is named.
pub fn group_positive(labels: &Labels, positive: &[String]) -> Result<Labels, DataError> {
    if let Some(unknown) = positive.iter().find(|name| !labels.classes.contains(name)) {
        return Err(no_class(unknown, &labels.classes));
    }
    let (ones, others): (Vec<&String>, Vec<&String>) = labels
        .classes
        .iter()
        .partition(|name| positive.contains(name));
    if ones.is_empty() || others.is_empty() {
        return Err(DataError::request(format!(
            "{} of the classes {} would be positive; name at least one and leave at least one",
            if ones.is_empty() { "none" } else { "all" },
            listed(&labels.classes)
        )));
    }
    let join = |names: &[&String]| {
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        names.join("|")
    };
    let mut rest = join(&others);
    if rest.chars().count() > LONGEST_NAME {
        rest = "rest".to_owned();
    }
    let is_positive: Vec<bool> = labels
        .classes
        .iter()
        .map(|name| positive.contains(name))
        .collect();
    Ok(Labels {
        classes: vec![rest, join(&ones)],
        indices: labels
            .indices
            .iter()
            .map(|&class| usize::from(is_positive[class]))
            .collect(),
    })
}

fn number(text: &str) -> Option<f64> {
    text.trim()
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
}

fn class_names(target: &Target) -> Result<Vec<String>, Trouble> {
    match target {
        Target::Text(texts) => Ok(texts.clone()),
        Target::Numbers { columns: 1, values } => {
            match values.iter().position(|v| !v.is_finite()) {
                // Adding zero turns -0 into 0; the shortest text of 3.0 is already "3".
                None => Ok(values
                    .iter()
                    .map(|value| (value + 0.0).to_string())
                    .collect()),
                Some(row) => {
                    let what = format!("{} is not a class; fill it or drop the row", values[row]);
                    Err(Trouble::at(row, what))
                }
            }
        }
        Target::Numbers { columns, .. } => Err(Trouble::whole(format!(
            "has {columns} columns; classification needs one"
        ))),
    }
}

fn encode_names(names: &[String], classes: &[String]) -> Result<Vec<usize>, Trouble> {
    let places: HashMap<&str, usize> = classes
        .iter()
        .enumerate()
        .map(|(place, class)| (class.as_str(), place))
        .collect();
    let mut indices = Vec::with_capacity(names.len());
    for (row, name) in names.iter().enumerate() {
        let place = places.get(name.as_str()).copied();
        let place = place.or_else(|| spelt_otherwise(name, classes));
        indices.push(place.ok_or_else(|| {
            let what = format!(
                "{} is not among the known classes {}; drop the row or correct it",
                quoted(name),
                listed(classes)
            );
            Trouble::at(row, what)
        })?);
    }
    Ok(indices)
}

/// A file may spell a class 01 or 1.0 that was 1 in training.
fn spelt_otherwise(name: &str, classes: &[String]) -> Option<usize> {
    let value = number(name)?;
    classes
        .iter()
        .position(|class| number(class) == Some(value))
}

/// The index of the class that a user names.
pub(crate) fn find(name: &str, classes: &[String]) -> Result<usize, DataError> {
    let place = classes.iter().position(|class| class == name);
    place
        .or_else(|| spelt_otherwise(name, classes))
        .ok_or_else(|| no_class(name, classes))
}

fn no_class(name: &str, classes: &[String]) -> DataError {
    DataError::request(format!(
        "there is no class {}; the classes are {}",
        quoted(name),
        listed(classes)
    ))
}

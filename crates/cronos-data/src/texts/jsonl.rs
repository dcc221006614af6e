//! An object in each line.

use super::lines::each_line;
use super::{Rows, TextOptions, Texts, choose};
use crate::error::{DataError, listed, quoted};
use serde_json::{Map, Value};

pub(super) fn read(path: &str, options: &TextOptions) -> Result<Texts, DataError> {
    let mut rows = Rows::new(path);
    let mut chosen: Option<(String, Option<String>)> = None;
    each_line(path, |line, text| {
        if text.trim().is_empty() {
            return Ok(());
        }
        let object = object(path, line, text)?;
        if chosen.is_none() {
            let names: Vec<String> = object.keys().cloned().collect();
            let length = |value: &Value| value.as_str().map_or(0, str::len);
            let longest = (object.values().enumerate())
                .filter(|(_, value)| value.is_string())
                .max_by_key(|(_, value)| length(value))
                .map(|(place, _)| place);
            let (text, target) = choose(path, &names, longest, options)?;
            chosen = Some((
                names[text].clone(),
                target.map(|place| names[place].clone()),
            ));
        }
        let Some((text, target)) = &chosen else {
            return Ok(());
        };
        let field = |name: &str| format!("field {}", quoted(name));
        let value = entry(path, line, &object, text)?;
        let value = value.as_str().ok_or_else(|| {
            let message = format!(
                "line {line}, {}: {} is no text; put it in quotes or name another with --text",
                field(text),
                quoted(&value.to_string())
            );
            DataError::content(path, message)
        })?;
        rows.push_text(value, line, &field(text))?;
        if let Some(target) = target {
            let cell = cell(path, line, &object, target)?;
            rows.push_target(&cell, line, &field(target))?;
        }
        Ok(())
    })?;
    let (text, target) = chosen.unzip();
    rows.finish(text, target.flatten())
}

fn object(path: &str, line: u64, text: &str) -> Result<Map<String, Value>, DataError> {
    let refuse = |what: String| DataError::content(path, format!("line {line}: {what}"));
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(refuse(format!(
            "{} is no object; each line must be one, as {{\"text\": \"…\", \"label\": 1}}",
            quoted(text)
        ))),
        Err(error) => Err(refuse(format!("it is no JSON ({error}); correct the line"))),
    }
}

fn entry<'a>(
    path: &str,
    line: u64,
    object: &'a Map<String, Value>,
    name: &str,
) -> Result<&'a Value, DataError> {
    object.get(name).ok_or_else(|| {
        let names: Vec<&String> = object.keys().collect();
        let message = format!(
            "line {line}: there is no field {}; there are {}; add it or drop the line",
            quoted(name),
            listed(&names)
        );
        DataError::content(path, message)
    })
}

/// A target as the text it would have in a table.
fn cell(
    path: &str,
    line: u64,
    object: &Map<String, Value>,
    name: &str,
) -> Result<String, DataError> {
    match entry(path, line, object, name)? {
        Value::String(text) => Ok(text.trim().to_owned()),
        Value::Null => Ok(String::new()),
        value @ (Value::Number(_) | Value::Bool(_)) => Ok(value.to_string()),
        value => Err(DataError::content(
            path,
            format!(
                "line {line}, field {}: {} is neither a text nor a number; targets are one of both",
                quoted(name),
                quoted(&value.to_string())
            ),
        )),
    }
}

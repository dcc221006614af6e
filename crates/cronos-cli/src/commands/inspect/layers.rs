//! The layers in front of a network, as a table of text.

use crate::failure::Failure;
use cronos::Model;
use cronos::stack::Place;
use serde_json::{Value, json};
use std::fmt::Write;

/// A line for each layer, with what comes out of it and how many numbers it has.
pub fn table(model: &Model) -> Result<String, Failure> {
    let Some(stack) = &model.stack else {
        return Ok(String::new());
    };
    let places = stack.places()?;
    let lines: Vec<[String; 3]> = places
        .iter()
        .map(
            |Place {
                 path,
                 layer,
                 output,
             }| {
                // layers within others stand further right
                let depth = path.matches('.').count() / 2;
                let name = format!("{}{path}  {layer}", "  ".repeat(depth));
                [name, output.to_string(), layer.parameters().to_string()]
            },
        )
        .collect();
    let head = ["layer", "output", "parameters"];
    let [layer, output, parameters] = [0, 1, 2].map(|column| {
        let lengths = lines.iter().map(|line| line[column].chars().count());
        lengths.chain([head[column].len()]).max().unwrap_or(0)
    });
    let mut text = format!("\nlayers on {} inputs\n", stack.input);
    for [name, shape, count] in [head.map(String::from)].iter().chain(&lines) {
        // writing to a string cannot fail
        let _ = writeln!(
            text,
            "  {name:<layer$}  {shape:>output$}  {count:>parameters$}"
        );
    }
    let total: usize = places.iter().map(|place| place.layer.parameters()).sum();
    let _ = writeln!(text, "  {total} parameters in front of the network");
    Ok(text)
}

/// Every layer; `null` if there are none.
pub fn json(model: &Model) -> Result<Value, Failure> {
    let Some(stack) = &model.stack else {
        return Ok(Value::Null);
    };
    let layer = |Place {
                     path,
                     layer,
                     output,
                 }: &Place<'_>| {
        json!({
            "path": path,
            "layer": layer.to_string(),
            "output": [output.channels, output.height, output.width],
            "parameters": layer.parameters(),
        })
    };
    Ok(stack.places()?.iter().map(layer).collect())
}

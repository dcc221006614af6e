//! `cronos devices`

use crate::arguments::Devices;
use crate::failure::Failure;
use crate::output;
use cronos::Place;
use serde_json::{Value, json};
use std::fmt::Write;
use std::process::ExitCode;

pub fn run(devices: &Devices) -> Result<ExitCode, Failure> {
    match devices.json {
        true => output::print_json(&as_json())?,
        false => output::print(&as_text())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn as_text() -> String {
    let mut text = format!("cpu     the processor, {} threads\n", threads());
    for kind in Place::DEVICES {
        let found = kind.found();
        let none = match kind.check() {
            Err(why) if found.is_empty() => why.to_string(),
            _ => String::new(),
        };
        for device in &found {
            let _ = writeln!(text, "{:<7} {}", device.place.to_string(), device.name);
        }
        if !none.is_empty() {
            let _ = writeln!(text, "{:<7} {none}", kind.kind());
        }
    }
    text
}

fn as_json() -> Value {
    let kinds: Vec<Value> = Place::DEVICES
        .into_iter()
        .map(|kind| {
            let found = kind.found();
            json!({
                "kind": kind.kind(),
                "compiled_in": kind.is_compiled_in(),
                "devices": found.iter().map(|device| json!({
                    "device": device.place.to_string(),
                    "name": device.name,
                })).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({ "cpu": { "threads": threads() }, "kinds": kinds })
}

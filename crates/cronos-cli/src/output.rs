//! Results go to standard output, everything else to standard error.

use crate::failure::Failure;
use serde_json::Value;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Prints text on standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Failure::PipeClosed,
            _ => Failure::Work(format!("cannot write to standard output: {error}")),
        })
}

/// Prints one JSON object on standard output.
pub fn print_json(value: &Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}

/// Prints a failure on standard error.
pub fn complain(text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let mark = if colours(io::stderr().is_terminal()) {
        "\u{1b}[1;31merror:\u{1b}[0m"
    } else {
        "error:"
    };
    writeln!(io::stderr(), "{mark} {text}")
}

/// Prints a remark on standard error; a closed standard error is no reason to stop.
pub fn remark(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Whether to colour: on a terminal, unless `NO_COLOR` is set.
pub fn colours(terminal: bool) -> bool {
    terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

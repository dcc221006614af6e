//! The `cronos` command.
fn main() {}

//! Hostile files, a function for each idea: every one is refused in a sentence that names it, within
//! bounded memory and time, and nothing is written but what was asked for.
#![cfg(target_os = "linux")]

mod bombs;
mod lies;
mod places;
#[path = "../shell/mod.rs"]
mod shell;

use shell::Folder;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The exit code of input that is refused.
const INPUT: i32 = 3;
/// MiB of addresses that a process gets; the code and the stacks of its threads are among them.
const ADDRESSES: usize = 768;
/// Nothing that is refused takes a tenth of this, on any machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs a line with so many MiB of addresses; the exit code and what it says.
fn run(folder: &Folder, line: &str, addresses: usize) -> (Option<i32>, String) {
    let inner = folder.command(line);
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -v $0 && exec \"$@\""])
        .arg((addresses << 10).to_string())
        .arg(inner.get_program())
        .args(inner.get_args())
        .current_dir(folder.path(""))
        .env("RAYON_NUM_THREADS", "2")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let ended = loop {
        match child.try_wait().unwrap() {
            Some(ended) => break ended,
            None if begun.elapsed() > PATIENCE => {
                child.kill().unwrap();
                panic!("{line} does not end");
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut said = String::new();
    (child.stderr.take().unwrap().read_to_string(&mut said)).unwrap();
    (ended.code(), said)
}

/// The one sentence with which a line is refused.
fn refused(folder: &Folder, line: &str) -> String {
    refused_within(folder, line, ADDRESSES)
}

fn refused_within(folder: &Folder, line: &str, addresses: usize) -> String {
    let (code, said) = run(folder, line, addresses);
    assert_eq!(code, Some(INPUT), "{line}: {said}");
    let sentence = said.strip_prefix("error: ").unwrap_or_default().trim_end();
    assert!(!sentence.is_empty(), "{line}: {said}");
    assert_eq!(sentence.lines().count(), 1, "{line}: {said}");
    assert!(sentence.len() < 2000, "{line}: {said}");
    sentence.to_owned()
}

/// Asserts that a file with this content is refused by its name.
fn is_refused(name: &str, content: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.put(name, content);
    let sentence = refused(&folder, &format!("fit {name}"));
    assert!(sentence.contains(name), "{name}: {sentence}");
    sentence
}

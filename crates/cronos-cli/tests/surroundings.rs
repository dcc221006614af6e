//! What is around the program fails: a full disk behind its output, others at the same time.
#![cfg(target_os = "linux")]

mod shell;

use shell::Folder;
use std::fs::OpenOptions;
use std::process::Stdio;

#[test]
fn a_full_disk_is_told() {
    let folder = Folder::new();
    folder.print("fit digits --gates 2 --max-iterations 20 --out m.safetensors");
    let lines = [
        "inspect digits",
        "inspect digits --json",
        "eval m.safetensors digits",
        "predict m.safetensors digits",
        "fit digits --gates 2 --max-iterations 20 --json",
    ];
    for line in lines {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = folder.command(line).stdout(full).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {told}");
        assert!(told.starts_with("error: cannot write"), "{line}: {told}");
        assert!(told.contains("No space left"), "{line}: {told}");
        assert_eq!(told.lines().count(), 1, "{line}: {told}");
    }
}

/// The model is saved before anything is printed, so a report that cannot be shown loses nothing.
#[test]
fn a_model_is_saved_although_nobody_listens() {
    let folder = Folder::new();
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let line = "fit digits --gates 2 --max-iterations 20 --out m.safetensors";
    folder.command(line).stdout(full).output().unwrap();
    let model = folder.json("inspect m.safetensors --json");
    assert_eq!(model["features"], 64);
}

/// Eight at once on however many cores, all with the answer of one alone.
#[test]
fn many_at_once_find_the_same() {
    let folder = Folder::new();
    let line = |name: &str| {
        format!("fit digits --gates 4 --max-iterations 60 --seed 3 --out {name}.safetensors")
    };
    folder.print(&line("alone"));
    let children: Vec<_> = (0..8)
        .map(|at| {
            let mut command = folder.command(&line(&at.to_string()));
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for (at, mut child) in children.into_iter().enumerate() {
        assert!(child.wait().unwrap().success());
        let found = folder.bytes(&format!("{at}.safetensors"));
        assert!(found == folder.bytes("alone.safetensors"), "{at}");
    }
}

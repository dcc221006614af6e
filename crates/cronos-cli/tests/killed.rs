//! Whatever moment a process is killed at, the files it writes are whole: those from before or the new ones.
#![cfg(unix)]

mod shell;

use shell::Folder;
use shell::tables::{corners, noise};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Commands that write over what another has left, for `DATA`, and the files they write.
const WRITERS: [(&str, &[&str]); 4] = [
    (
        "fit DATA.csv --gates 4 --max-iterations 20 --threads 1 --force --out m.safetensors",
        &["m.safetensors"],
    ),
    (
        "path DATA.csv --gates 4 --steps 3 --max-iterations 20 --threads 1 --force --plot p.svg --out p.safetensors",
        &["p.svg", "p.safetensors"],
    ),
    (
        "predict DATA.safetensors DATA.csv --force --out p.csv",
        &["p.csv"],
    ),
    ("export DATA.safetensors --force --onnx m.onnx", &["m.onnx"]),
];

/// `KILLS` says how often.
#[test]
fn files_are_whole_after_a_kill() {
    let folder = Folder::new();
    for (name, rows) in [("old", 500), ("new", 600)] {
        folder.put(&format!("{name}.csv"), corners(rows, 6).csv());
        folder.print(&format!(
            "fit {name}.csv --gates 8 --max-iterations 40 --out {name}.safetensors"
        ));
    }
    let kills = std::env::var("KILLS").map_or(60, |kills| kills.parse().unwrap());
    let mut draw = noise(3);
    let (mut kept, mut done) = (0, 0);
    for (line, files) in WRITERS {
        let written = |data: &str| {
            let start = Instant::now();
            let ended = folder.run(&line.replace("DATA", data));
            assert_eq!(ended.code, Some(0), "{line}: {ended:?}");
            let bytes: Vec<Vec<u8>> = files.iter().map(|file| folder.bytes(file)).collect();
            (bytes, start.elapsed())
        };
        let (new, length) = written("new");
        let (old, _) = written("old");
        assert!(old != new, "{line}");
        for _ in 0..kills / WRITERS.len() {
            for (file, bytes) in files.iter().zip(&old) {
                folder.put(file, bytes);
            }
            let mut command = folder.command(&line.replace("DATA", "new"));
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            // most of the writing is at the end
            let part = 1.1 - 0.6 * draw().abs();
            std::thread::sleep(Duration::from_secs_f64(part * length.as_secs_f64()));
            let _ = child.kill();
            child.wait().unwrap();
            for ((file, old), new) in files.iter().zip(&old).zip(&new) {
                let found = folder.bytes(file);
                assert!(found == *old || found == *new, "{line}: {file} is torn");
                match found == *old {
                    true => kept += 1,
                    false => done += 1,
                }
            }
        }
    }
    println!("{kept} files were kept, {done} were new");
    assert!(kept > 0, "no kill came in time");
}

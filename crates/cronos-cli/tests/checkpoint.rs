//! A fit that was broken off goes on, and ends with the same bytes.

mod shell;

use shell::Folder;
use shell::tables::corners;
use std::process::Stdio;
use std::time::Duration;

const FIT: &str = "fit d.csv --gates 12 --tolerance 1e-9 --threads 1 --force";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.put("d.csv", corners(900, 6).csv());
    folder
}

/// The bytes of a run without any state.
fn undisturbed(folder: &Folder, iterations: usize) -> Vec<u8> {
    folder.print(&format!(
        "{FIT} --max-iterations {iterations} --out whole.safetensors"
    ));
    folder.bytes("whole.safetensors")
}

#[test]
fn more_iterations_can_be_asked_for() {
    let folder = folder();
    let whole = undisturbed(&folder, 130);
    let kept = format!("{FIT} --checkpoint state --checkpoint-every 20 --out m.safetensors");
    folder.print(&format!("{kept} --max-iterations 70"));
    assert_eq!(folder.text("state/fit.txt"), "60 iterations, 1 ranks\n");
    folder.print(&format!("{kept} --max-iterations 130 --resume"));
    assert!(folder.bytes("m.safetensors") == whole);
    // the state of one moment only
    let files = std::fs::read_dir(folder.path("state")).unwrap().count();
    assert_eq!(files, 2);
}

/// Killed at any moment, it goes on from the last state, or begins anew if there is none. `KILLS` says how often.
#[test]
fn a_killed_fit_goes_on() {
    let folder = folder();
    let whole = undisturbed(&folder, 400);
    let kept = format!(
        "{FIT} --max-iterations 400 --checkpoint state --checkpoint-every 5 --out m.safetensors"
    );
    let resumed = |folder: &Folder| match folder.path("state/fit.txt").exists() {
        true => format!("{kept} --resume"),
        false => kept.clone(),
    };
    let kills = std::env::var("KILLS").map_or(7, |kills| kills.parse().unwrap());
    let mut late = 0;
    for kill in 0..kills {
        let mut command = folder.command(&resumed(&folder));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(40 * (kill % 7 + 1) + kill / 7));
        let _ = child.kill();
        child.wait().unwrap();
        if let Ok(model) = std::fs::read(folder.path("m.safetensors")) {
            assert!(model == whole, "a model that is not whole");
            // it had ended, so the next one begins anew
            std::fs::remove_dir_all(folder.path("state")).unwrap();
            std::fs::remove_file(folder.path("m.safetensors")).unwrap();
            late += 1;
        }
    }
    println!("{} of {kills} kills came in time", kills - late);
    assert!(late < kills, "no kill came in time");
    folder.print(&resumed(&folder));
    assert!(folder.bytes("m.safetensors") == whole);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder();
    let kept = format!("{FIT} --max-iterations 30 --checkpoint state --checkpoint-every 10");
    let why = folder.refused(3, &format!("{kept} --resume"));
    assert!(why.contains("leave --resume out to start anew"), "{why}");
    folder.print(&kept);
    let without = kept.replace(" --force", "");
    let why = folder.refused(2, &without);
    assert!(why.contains("pass --resume to go on from it"), "{why}");
    let why = folder.refused(3, &format!("{kept} --resume --beta 0.7"));
    assert!(why.contains("other data or other settings"), "{why}");
    let why = folder.refused(2, "fit d.csv --checkpoint other");
    assert!(why.contains("--gates"), "{why}");
    let mut bytes = folder.bytes("state/fit-20-rank-0-of-1.safetensors");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.put("state/fit-20-rank-0-of-1.safetensors", bytes);
    let why = folder.refused(3, &format!("{kept} --resume"));
    assert!(why.contains("altered or cut short"), "{why}");
    folder.put("state/fit.txt", "20 iterations, 3 ranks\n");
    let why = folder.refused(3, &format!("{kept} --resume"));
    assert!(why.contains("kept by 3 rank(s)"), "{why}");
}

/// A folder that cannot be written to ends the fit with its best network saved.
#[test]
fn a_state_that_cannot_be_kept_is_told() {
    let folder = folder();
    let blocked = folder.path("state/fit-10-rank-0-of-1.safetensors");
    std::fs::create_dir_all(blocked).unwrap();
    let line = format!(
        "{FIT} --max-iterations 30 --checkpoint state --checkpoint-every 10 --out m.safetensors"
    );
    let ended = folder.run(&line);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("fit-10-rank-0-of-1"), "{ended:?}");
    assert!(folder.path("m.safetensors").exists());
}

//! Features that do not fit into the memory that is given stay in their file.

mod shell;

use serde_json::Value;
use shell::tables::{Data, corners, gzip};
use shell::{Folder, number};

/// Rows and features of which the features are most of the memory.
const SIZE: (usize, usize) = (6000, 300);
const FIT: &str =
    "fit x.npy --target y.npy --gates 4 --solver sample-pcg --max-iterations 40 --force";
/// Less than the 20 MB that they take as numbers and as the solver sees them.
const LITTLE: &str = "--memory 16MiB";

fn folder() -> (Folder, Data) {
    let (folder, data) = (Folder::new(), corners(SIZE.0, SIZE.1));
    folder.put("x.npy", data.npy());
    folder.put("y.npy", data.class_npy());
    (folder, data)
}

/// As they are, the numbers are those of features in memory, whatever rows are held out.
#[test]
fn the_same_bytes_as_in_memory() {
    let (folder, _) = folder();
    for rest in [
        "--holdout 0",
        "--holdout 0.2",
        "--holdout 0 --precision f64",
    ] {
        let line = format!("{FIT} --no-standardize {rest} --json");
        let little = match rest.ends_with("f64") {
            true => "--memory 20MiB",
            false => LITTLE,
        };
        let here = folder.json(&format!("{line} --out here.safetensors"));
        assert!(here.get("read_bytes").is_none(), "{here}");
        let there = folder.json(&format!("{line} --out there.safetensors {little}"));
        assert!(number(&there, "/read_bytes") > 0.0, "{rest}: {there}");
        assert!(
            folder.bytes("here.safetensors") == folder.bytes("there.safetensors"),
            "{rest}"
        );
        let peak = number(&there, "/peak_memory_bytes");
        assert!(peak < number(&here, "/peak_memory_bytes"), "{rest}: {peak}");
    }
}

/// With room for their matrices, rows and groups have a stiffness of their own, as in memory.
#[test]
fn stiffness_follows_the_iterates() {
    let (folder, _) = folder();
    let line = format!("{FIT} --no-standardize --holdout 0 --json").replace("40", "120");
    let here = folder.json(&format!("{line} --out here.safetensors"));
    let there = folder.json(&format!("{line} --out there.safetensors --memory 26MiB"));
    assert!(here.get("read_bytes").is_none(), "{here}");
    assert!(number(&there, "/read_bytes") > 0.0, "{there}");
    assert!(folder.bytes("here.safetensors") == folder.bytes("there.safetensors"));
    // so they had one
    folder.print(&format!("{line} --out without.safetensors {LITTLE}"));
    assert!(folder.bytes("here.safetensors") != folder.bytes("without.safetensors"));
}

/// A text table goes to a temporary file first, packed or not.
#[test]
fn the_same_bytes_from_a_text_table() {
    let (folder, data) = folder();
    folder.put("t.csv", data.csv());
    folder.put("t.csv.gz", gzip(data.csv().as_bytes()));
    let fit = FIT.replace("x.npy --target y.npy", "t.csv");
    let line = format!("{fit} --no-standardize --holdout 0.2 --json");
    let here = folder.json(&format!("{line} --out here.safetensors"));
    assert!(here.get("read_bytes").is_none(), "{here}");
    for table in ["t.csv", "t.csv.gz"] {
        let line = line.replace("t.csv", table);
        let told = folder.run(&format!("{line} --out there.safetensors {LITTLE}"));
        assert!(told.stderr.contains("temporary file"), "{told:?}");
        let there: Value = serde_json::from_str(&told.stdout).expect("an object");
        assert!(number(&there, "/read_bytes") > 0.0, "{table}: {there}");
        for key in ["/objective", "/lower_bound", "/test/accuracy"] {
            assert_eq!(number(&here, key), number(&there, key), "{table} {key}");
        }
        assert!(
            folder.bytes("here.safetensors") == folder.bytes("there.safetensors"),
            "{table}"
        );
    }
}

/// Where nothing can be written, that is said, with the way out.
#[test]
fn no_room_for_a_temporary_file() {
    let (folder, data) = folder();
    folder.put("t.csv", data.csv());
    let fit = FIT.replace("x.npy --target y.npy", "t.csv");
    let mut command = folder.command(&format!("{fit} {LITTLE} --out m.safetensors"));
    let ended = command.env("TMPDIR", folder.path("nowhere")).output();
    let ended = ended.expect("it runs");
    let why = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{why}");
    assert!(why.contains("TMPDIR") && why.contains("nowhere"), "{why}");
    assert!(!folder.path("m.safetensors").exists());
}

/// Scaled in single precision they are the same numbers but for rounding.
#[test]
fn standardised_features_agree() {
    let (folder, _) = folder();
    for rest in [
        "--beta 60",
        "--beta 30 --loss logistic",
        "--beta 60 --activation gated",
    ] {
        let line = format!("{FIT} --holdout 0.2 {rest} --json")
            .replace("--max-iterations 40", "--tolerance 1e-3");
        let here = folder.json(&line);
        let there = folder.json(&format!("{line} {LITTLE}"));
        // either proves something about both: gaps of 1e-3 each add up, and a point that is outside
        // its cones by the 1e-4 that are allowed may lie a little below a bound
        let [objective, bound] = ["/objective", "/lower_bound"]
            .map(|key| [&here, &there].map(|report| number(report, key)));
        for (objective, bound) in [(objective[0], bound[1]), (objective[1], bound[0])] {
            let gap = (objective - bound) / objective;
            assert!((-1e-3..=2e-3).contains(&gap), "{rest}: {objective} {bound}");
        }
        let score = |report| number(report, "/test/accuracy");
        assert!((score(&here) - score(&there)).abs() <= 0.005, "{rest}");
    }
}

/// Features fit, but not with what the solver needs beside them.
#[test]
fn features_stay_where_the_solver_needs_the_room() {
    let (folder, _) = folder();
    let line = format!("{FIT} --no-standardize --holdout 0 --json --gates 64 --max-iterations 5");
    let line = line
        .replace("--gates 4 ", "")
        .replace("--max-iterations 40", "");
    let here = folder.json(&format!("{line} --out here.safetensors"));
    let there = folder.json(&format!("{line} --out there.safetensors --memory 28MiB"));
    assert!(number(&there, "/read_bytes") > 0.0, "{there}");
    assert!(here.get("read_bytes").is_none(), "{here}");
    assert!(folder.bytes("here.safetensors") == folder.bytes("there.safetensors"));
}

/// From a sample of the rows; then the convex program of all of them.
#[test]
fn gates_are_learned_from_a_sample() {
    let (folder, data) = (Folder::new(), corners(20_000, 100));
    folder.put("x.npy", data.npy());
    folder.put("y.npy", data.class_npy());
    let line = "fit x.npy --target y.npy --memory 30MiB --holdout 0 --beta 20 --gates 6 \
                --max-iterations 60";
    let told = folder.run(&format!("{line} --learn-gates --json"));
    assert!(told.stderr.contains("learned from a sample"), "{told:?}");
    let learned: Value = serde_json::from_str(&told.stdout).unwrap();
    let drawn = folder.json(&format!("{line} --json"));
    for found in [&learned, &drawn] {
        assert!(number(found, "/read_bytes") > 0.0, "{found}");
        assert_eq!(found["gates"], 6);
        // what no point can beat is on the far side of what the zero network is worth
        let zero = 0.5 * 20_000.0;
        assert!(
            (0.0..zero).contains(&number(found, "/lower_bound")),
            "{found}"
        );
    }
    // whether or not the points are in their cones by then, the networks are what they are
    let [learned, drawn] = [learned, drawn].map(|found| number(&found, "/network_objective"));
    assert!(learned < 0.7 * drawn, "{learned} {drawn}");
}

#[test]
fn a_run_goes_on_from_its_state() {
    let (folder, _) = folder();
    let line = format!("{FIT} {LITTLE} --holdout 0 --checkpoint state --checkpoint-every 10");
    let line = line.replace("--max-iterations 40", "");
    folder.print(&format!(
        "{line} --max-iterations 30 --out part.safetensors"
    ));
    folder.print(&format!(
        "{line} --max-iterations 40 --resume --out m.safetensors"
    ));
    let whole = format!("{FIT} {LITTLE} --holdout 0 --out whole.safetensors");
    folder.print(&whole);
    assert!(folder.bytes("m.safetensors") == folder.bytes("whole.safetensors"));
}

#[test]
fn what_cannot_be_is_refused_or_told() {
    let (folder, mut data) = folder();
    let short = folder.refused(1, &format!("{FIT} --memory 1MiB"));
    assert!(short.contains("1.0 MiB of memory are available"), "{short}");
    let direct = folder.refused(
        2,
        &format!("{FIT} {LITTLE} --holdout 0").replace("sample-pcg", "direct"),
    );
    assert!(direct.contains("sample-pcg or primal-pcg"), "{direct}");
    data.rows[4321][7] = f64::NAN;
    folder.put("x.npy", data.npy());
    let missing = folder.refused(3, &format!("{FIT} {LITTLE} --holdout 0"));
    assert!(missing.contains("row 4322, feature 7"), "{missing}");
}

//! What is refused: one sentence on standard error and the right exit code.

mod shell;

use shell::Folder;
use shell::tables::{corners, npy, surface};

const USAGE: i32 = 2;
const INPUT: i32 = 3;
const FAILURE: i32 = 1;

/// Refuses a table of the given content; the sentence must hold every part.
fn table_refused(content: &str, options: &str, parts: &[&str]) {
    let folder = Folder::new();
    folder.put("t.csv", content);
    let sentence = folder.refused(INPUT, &format!("fit t.csv {options}"));
    for part in parts {
        assert!(sentence.contains(part), "{part} is not in: {sentence}");
    }
}

/// A folder with `d.csv` and a model of it, `m.safetensors`.
fn with_model() -> Folder {
    let folder = Folder::new();
    folder.put("d.csv", corners(40, 3).csv());
    folder.print("fit d.csv --gates 8 --tolerance 0.05 --max-iterations 50 --out m.safetensors");
    folder
}

#[test]
fn files_that_are_not_there_or_hold_nothing() {
    let folder = Folder::new();
    assert_eq!(
        folder.refused(INPUT, "fit nowhere.csv"),
        "cannot read nowhere.csv: no such file or folder; check the path"
    );
    assert_eq!(
        folder.refused(INPUT, "predict nowhere.safetensors nowhere.csv"),
        "cannot read nowhere.safetensors: no such file or folder; check the path"
    );
    folder.put("t.feather", "1,2\n");
    let sentence = folder.refused(INPUT, "fit t.feather");
    assert!(sentence.starts_with("t.feather: its extension is not known"));
    table_refused("", "", &["t.csv: it is empty"]);
    table_refused("a,b,y\n", "", &["t.csv: it has a header but no rows"]);
}

#[test]
fn data_that_teaches_nothing() {
    table_refused("a,y\n1,red\n", "", &["only one class, \"red\""]);
    table_refused("a,y\n1,2.5\n", "", &["leaves no test rows out of 1"]);
    table_refused("a,y\n1,2.5\n", "--holdout 0", &["1 row(s)", "at least 2"]);
    let parts = ["t.csv: column \"y\", the target, has only one class, \"red\""];
    table_refused("a,y\n1,red\n2,red\n3,red\n", "", &parts);
    table_refused("y\n1\n2\n", "", &["only one column"]);
}

#[test]
fn cells_that_are_no_numbers() {
    for cell in ["", "NaN", "?"] {
        let text = format!("a,b,y\n1,2,red\n3,{cell},blue\n");
        let parts = [
            "t.csv: line 3, column \"b\": missing",
            "--impute mean|median",
        ];
        table_refused(&text, "", &parts);
    }
    let text = "a,b,y\n1,2,red\n3,inf,blue\n";
    table_refused(text, "", &["line 3, column \"b\": \"inf\" is infinite"]);
    let text = "a,b,y\n1,2,red\n3,tall,blue\n";
    let parts = ["line 3, column \"b\": \"tall\" is not a number"];
    table_refused(text, "--impute mean", &parts);
    let text = "a,b,y\n1,2,red\n3,4\n";
    table_refused(text, "", &["line 3: expected 3 fields but found 2"]);
    let text = "a,b,y\n1,,red\n3,,blue\n";
    let parts = [
        "t.csv: column \"b\" has no value in any training row",
        "--drop",
    ];
    table_refused(text, "--impute mean --holdout 0", &parts);
}

#[test]
fn targets_that_are_not_there_or_do_not_fit() {
    let text = "a,b,y\n1,2,red\n3,4,blue\n";
    let parts = ["no column \"price\"", "\"a\", \"b\", \"y\""];
    table_refused(text, "--target price", &parts);
    table_refused(
        text,
        "--target 3",
        &["no column 3", "3 columns, counted from 0"],
    );
    table_refused(text, "--target -4", &["no column -4", "3 columns"]);
    let parts = [
        "t.csv: line 2, column \"y\": \"red\" is not a number",
        "regression needs numbers",
    ];
    table_refused(text, "--task regression", &parts);
    let parts = ["no class \"green\"", "\"blue\", \"red\""];
    table_refused(text, "--positive green", &parts);
    let folder = Folder::new();
    folder.put("r.csv", surface(20));
    assert_eq!(
        folder.refused(USAGE, "fit r.csv --task regression --positive 1"),
        "--positive needs a classification task"
    );
}

#[test]
fn labels_that_training_did_not_see() {
    let folder = with_model();
    folder.put("other.csv", "a0,a1,a2,class\n0,0,0,no\n\n1,1,1,maybe\n");
    let parts = [
        "other.csv: line 4, column \"class\": \"maybe\" is not among",
        "known classes \"no\", \"yes\"",
    ];
    for line in [
        "fit d.csv --test other.csv --gates 8",
        "fit d.csv --test other.csv --gates 8 --positive yes",
        "eval m.safetensors other.csv",
    ] {
        let sentence = folder.refused(INPUT, line);
        for part in parts {
            assert!(sentence.contains(part), "{line}: {sentence}");
        }
    }
}

#[test]
fn data_of_another_model() {
    let folder = with_model();
    for (content, part) in [
        ("a0,a1\n1,2\n", "column \"a2\" is missing"),
        ("p,q,r\n1,2,3\n", "none of its columns \"p\", \"q\", \"r\""),
        (
            "p,q,r,class\n1,2,3,no\n",
            "which are \"a0\", \"a1\", \"a2\"",
        ),
        ("1,2\n", "it has 2 columns, but the model needs 3"),
        ("1,2,3,4,5\n", "it has 5 columns, but the model needs 3"),
        ("a0,a1,a2\n1,2,\n", "line 2, column \"a2\": missing value"),
    ] {
        folder.put("t.csv", content);
        let sentence = folder.refused(INPUT, "predict m.safetensors t.csv");
        assert!(sentence.starts_with("t.csv: "), "{sentence}");
        assert!(sentence.contains(part), "{content}: {sentence}");
    }
    let sentence = folder.refused(INPUT, "fit d.csv --test t.csv");
    assert!(sentence.contains("missing value"), "{sentence}");
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = with_model();
    std::fs::create_dir(folder.path("sub")).unwrap();
    for (line, part) in [
        (
            "fit d.csv --out no/m.safetensors",
            "the folder no does not exist",
        ),
        ("fit d.csv --out sub", "cannot write sub: it is a folder"),
        (
            "fit d.csv --report d.csv",
            "d.csv: it is a file; name a folder",
        ),
        (
            "predict m.safetensors d.csv --out no/p.csv",
            "the folder no does not exist",
        ),
        ("predict m.safetensors d.csv --out sub", "it is a folder"),
        (
            "export m.safetensors --onnx no/m.onnx",
            "the folder no does not exist",
        ),
    ] {
        let sentence = folder.refused(FAILURE, line);
        assert!(sentence.contains(part), "{line}: {sentence}");
    }
    let before = folder.bytes("m.safetensors");
    for line in [
        "fit d.csv --out m.safetensors",
        "predict m.safetensors d.csv --out m.safetensors",
        "export m.safetensors --onnx m.safetensors",
    ] {
        assert_eq!(
            folder.refused(USAGE, line),
            "m.safetensors exists; pass --force to overwrite it"
        );
    }
    assert_eq!(folder.bytes("m.safetensors"), before);
    folder.put("sub/report.json", "{}");
    assert_eq!(
        folder.refused(USAGE, "fit d.csv --report sub"),
        "sub/report.json exists; pass --force to overwrite it"
    );
}

#[test]
fn settings_outside_their_range() {
    let folder = Folder::new();
    folder.put("d.csv", corners(40, 3).csv());
    for (option, sentence) in [
        (
            "--beta -1",
            "beta is -1; it must be finite and greater than 0 while gates are learned",
        ),
        (
            "--gates 5 --beta -1",
            "beta is -1; it must be finite and not negative",
        ),
        (
            "--beta nan",
            "beta is NaN; it must be finite and greater than 0 while gates are learned",
        ),
        (
            "--tolerance -1",
            "tolerance is -1; it must be finite and not negative",
        ),
        ("--threads 0", "threads is 0; it must be at least 1"),
        ("--gates 0", "gates is 0; it must be at least 1"),
        (
            "--max-iterations 0",
            "max iterations is 0; it must be at least 1",
        ),
        (
            "--holdout 1.5",
            "holdout is 1.5; it must be at least 0 and less than 1",
        ),
        (
            "--holdout 1",
            "holdout is 1; it must be at least 0 and less than 1",
        ),
        (
            "--holdout -0.1",
            "holdout is -0.1; it must be at least 0 and less than 1",
        ),
        (
            "--time-limit 0",
            "time limit is 0; it must be finite and greater than 0",
        ),
        ("--rho 0", "rho is 0; it must be finite and greater than 0"),
    ] {
        let line = format!("fit d.csv {option} --out m.safetensors");
        assert_eq!(folder.refused(USAGE, &line), sentence, "{option}");
        assert!(!folder.path("m.safetensors").exists(), "{option}");
    }
    for line in [
        "fit",
        "fit d.csv --gates many",
        "fit d.csv --gates -1",
        "fit d.csv --rank 0",
        "bake d.csv",
    ] {
        let ended = folder.run(line);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(USAGE), ""),
            "{line}"
        );
        assert!(
            ended.stderr.starts_with("error: "),
            "{line}: {}",
            ended.stderr
        );
    }
}

#[test]
fn gates_for_another_number_of_features() {
    let folder = Folder::new();
    folder.put("d.csv", corners(40, 3).csv());
    folder.put("g.npy", npy(&[vec![1.0, -1.0], vec![0.5, 2.0]]));
    for option in ["", "--no-bias"] {
        assert_eq!(
            folder.refused(INPUT, &format!("fit d.csv --gate-file g.npy {option}")),
            "g.npy: it has 2 row(s), but the data has 3 feature(s); give one row for each \
             feature and none for the bias"
        );
    }
    let sentence = folder.refused(INPUT, "fit d.csv --gate-file none.npy");
    assert!(sentence.contains("cannot read none.npy"), "{sentence}");
}

#[test]
fn numbers_that_cannot_be_are_told_what_can() {
    let folder = Folder::new();
    for (option, allowed) in [
        ("--seed -1", "from 0 to 18446744073709551615"),
        ("--seed 1.5", "from 0 to 18446744073709551615"),
        ("--rank -1", "a whole number of at least 1, or `adaptive`"),
        ("--threads -1", "a whole number of at least 1"),
        ("--gates 2.5", "a whole number of at least 1"),
        ("--max-iterations many", "a whole number of at least 1"),
    ] {
        let ended = folder.run(&format!("fit digits {option}"));
        let (name, value) = option.split_once(' ').unwrap();
        let start = format!("error: invalid value '{value}' for '{name} ");
        assert_eq!(ended.code, Some(USAGE), "{option}");
        assert!(ended.stderr.starts_with(&start), "{}", ended.stderr);
        assert!(ended.stderr.contains(allowed), "{}", ended.stderr);
    }
}

/// A build without MPI that `mpirun` starts would train the same network several times over.
#[cfg(not(feature = "mpi"))]
#[test]
fn several_ranks_need_mpi() {
    let folder = Folder::new();
    let mut command = folder.command("fit digits --gates 2");
    command.env("OMPI_COMM_WORLD_SIZE", "4");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("rebuild with --features mpi"), "{said}");
}

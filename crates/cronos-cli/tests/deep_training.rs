//! Deep networks trained from the shell: what is reported, what is saved, what is refused.

mod shell;

use serde_json::{Value, json};
use shell::tables::{corners, idx, surface};
use shell::{Folder, number};

const SMALL: &str = "--arch mlp:16 --gates 8 --epochs 6";

/// A folder with the table `d.csv` of two classes.
fn with_table() -> Folder {
    let folder = Folder::new();
    folder.put("d.csv", corners(240, 4).csv());
    folder
}

#[test]
fn the_saved_model_scores_what_was_reported() {
    let folder = with_table();
    let line = format!("deep d.csv {SMALL} --json --out m.safetensors");
    let report = folder.json(&line);
    assert_eq!(report["status"], "validated");
    assert_eq!(report["solver"], "cronos-am");
    assert_eq!(report["architecture"], "mlp:16");
    assert_eq!(report["loss"], "logistic");
    assert_eq!(report["epochs"], 6);
    assert_eq!(report["model"], "m.safetensors");
    assert!(number(&report, "/planned_memory_bytes") > 1e6, "{report:#}");
    let data = &report["data"];
    let rows = number(data, "/train_rows") + number(data, "/validation_rows");
    assert_eq!((rows, &data["test_rows"]), (168.0, &json!(72)));
    let rows = |part: &str| number(&report, &format!("/{part}/rows"));
    let right = |part: &str| rows(part) * number(&report, &format!("/{part}/accuracy"));
    assert_eq!((rows("train"), rows("test")), (168.0, 72.0));
    assert!(number(&report, "/test/accuracy") > 0.85, "{report:#}");
    // the two parts are the table
    let score = folder.json("eval m.safetensors d.csv --json");
    let all = 240.0 * number(&score, "/accuracy");
    assert!((all - right("train") - right("test")).abs() < 1e-6);
    let model = folder.json("inspect m.safetensors --json");
    assert_eq!(model["deep"]["architecture"], "mlp:16");
    assert_eq!(model["deep"]["optimizer"], "dadam");
    // 4 x 16 weights in front; then 16 and a bias into each unit, and one out of it
    let neurons = number(&report, "/neurons");
    assert_eq!(number(&report, "/parameters"), 64.0 + neurons * 18.0);
    let ended = folder.run("export m.safetensors --onnx m.onnx");
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn the_best_epoch_is_kept_and_the_head_never_raises_the_objective() {
    let folder = with_table();
    let report = folder.json(&format!("deep d.csv {SMALL} --json"));
    let history = report["history"].as_array().unwrap();
    assert_eq!(history.len(), 7);
    let best = report["best_epoch"].as_u64().unwrap() as usize;
    assert_eq!(report["validation"], history[best]["validation"]);
    assert_eq!(report["objective"], history[best]["objective"]);
    // the standard error of a share of so many rows is at most this
    let noise = 0.5 / number(&report, "/data/validation_rows").sqrt();
    let mut before = 0.0;
    for (at, epoch) in history.iter().enumerate() {
        assert_eq!(epoch["epoch"], at);
        if number(epoch, "/validation") >= number(&report, "/validation") && at > best {
            let (later, kept) = (epoch, &history[best]);
            let loss = |epoch| number(epoch, "/validation_loss");
            assert!(loss(later) >= loss(kept), "epoch {at} is better: {report}");
        }
        assert!(number(epoch, "/validation") <= number(&report, "/validation") + noise);
        if at > 0 {
            let (raised, found) = (number(epoch, "/before_head"), number(epoch, "/objective"));
            assert!(found <= raised, "epoch {at}: {found} above {raised}");
        }
        assert!(number(epoch, "/seconds") >= before);
        before = number(epoch, "/seconds");
    }
}

#[test]
fn numbers_are_predicted() {
    let folder = Folder::new();
    let table = surface(300);
    folder.put("d.csv", &table);
    let line = "deep d.csv --arch mlp:16 --gates 8 --epochs 20 --json --out m.safetensors";
    let report = folder.json(line);
    assert!(number(&report, "/test/r2") > 0.9, "{report:#}");
    // R² by hand, from what is predicted and from the last column of the table
    let last = |text: &str| -> Vec<f64> {
        let cells = text.lines().skip(1).map(|line| line.rsplit(',').next());
        cells.map(|cell| cell.unwrap().parse().unwrap()).collect()
    };
    let (y, found) = (
        last(&table),
        last(&folder.print("predict m.safetensors d.csv")),
    );
    let mean = y.iter().sum::<f64>() / 300.0;
    let all: f64 = y.iter().map(|y| (y - mean).powi(2)).sum();
    let left: f64 = y.iter().zip(&found).map(|(y, f)| (y - f).powi(2)).sum();
    let score = folder.json("eval m.safetensors d.csv --json");
    assert!((number(&score, "/r2") - (1.0 - left / all)).abs() < 1e-6);
}

/// Images of 8 x 8 that are light above, or below, as IDX files.
fn with_images() -> Folder {
    let folder = Folder::new();
    let (mut images, mut labels) = (Vec::new(), Vec::new());
    for number in 0..120usize {
        let below = number % 2;
        labels.push(below as u8);
        images.extend((0..64).map(|pixel| {
            let light = (pixel / 32 == below) as u8;
            40 + 120 * light + (7 * pixel + 13 * number) as u8 % 50
        }));
    }
    folder.put("a-images-idx3-ubyte", idx(&[120, 8, 8], &images));
    folder.put("a-labels-idx1-ubyte", idx(&[120], &labels));
    folder
}

#[test]
fn convolutions_learn_images() {
    let folder = with_images();
    let line = "deep a-images-idx3-ubyte --arch cnn:4 --gates 8 --epochs 4 --json \
                --out m.safetensors";
    let report = folder.json(line);
    assert_eq!(report["test"], json!({ "accuracy": 1.0, "rows": 36 }));
    let layers = folder.json("inspect m.safetensors --json")["layers"].clone();
    let names = |layer: &Value| layer["layer"].as_str().map(String::from);
    let names: Vec<String> = layers
        .as_array()
        .unwrap()
        .iter()
        .filter_map(names)
        .collect();
    assert!(
        names.iter().any(|name| name.contains("convolution")),
        "{names:?}"
    );
    let score = folder.json("eval m.safetensors a-images-idx3-ubyte --json");
    assert_eq!(score["accuracy"], 1.0);
}

#[test]
fn threads_change_no_bit() {
    let tables = with_table();
    let images = with_images();
    for (folder, line) in [
        (&tables, format!("deep d.csv {SMALL}")),
        (&tables, format!("deep d.csv {SMALL} --head-gates redrawn")),
        (
            &images,
            "deep a-images-idx3-ubyte --arch cnn:4 --gates 4 --epochs 2".into(),
        ),
    ] {
        let model = |threads: usize| {
            folder.print(&format!(
                "{line} --threads {threads} --force --out m.safetensors"
            ));
            folder.bytes("m.safetensors")
        };
        assert!(model(1) == model(2), "{line}");
    }
}

#[test]
fn a_time_limit_ends_after_an_epoch() {
    let folder = with_table();
    let line = format!("deep d.csv {SMALL} --time-limit 1e-9 --json --out m.safetensors");
    let report = folder.json(&line);
    assert_eq!(
        (&report["status"], &report["epochs"]),
        (&json!("time-limit"), &json!(0))
    );
    let model = folder.json("inspect m.safetensors --json");
    assert_eq!(model["status"], "time-limit");
}

#[test]
fn a_training_that_was_stopped_goes_on_to_the_same_model() {
    let folder = with_table();
    let line = format!("deep d.csv {SMALL}");
    folder.print(&format!("{line} --out whole.safetensors"));
    let kept = format!("{line} --checkpoint state");
    let stopped = folder.json(&format!("{kept} --time-limit 1e-9 --json"));
    assert_eq!(stopped["epochs"], 0);

    let again = folder.refused(2, &kept);
    assert!(
        again.ends_with("exists; pass --resume to go on from it, or --force to start anew"),
        "{again}"
    );
    let other = folder.refused(3, &format!("{kept} --resume --batch 7"));
    assert!(
        other.contains("batch was 128 and is 7 now; resume with what it was made with"),
        "{other}"
    );
    let report = folder.json(&format!("{kept} --resume --json --out parts.safetensors"));
    assert_eq!(report["epochs"], 6);
    assert!(folder.bytes("parts.safetensors") == folder.bytes("whole.safetensors"));

    let missing = folder.refused(3, &format!("{line} --checkpoint nowhere --resume"));
    assert!(
        missing.ends_with("leave --resume out to start anew"),
        "{missing}"
    );
    folder.put("state/deep.safetensors", "damaged");
    let damaged = folder.refused(3, &format!("{kept} --resume"));
    assert!(damaged.contains("it is no safetensors file"), "{damaged}");
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_tried() {
    let folder = with_table();
    for (options, most) in [
        ("--arch mlp:4000000,4000000", "the weights of the layers"),
        (
            "--arch linear:9000000000 --gates 1 --batch 1",
            "the last two layers on all training rows",
        ),
        (
            "--arch mlp:4 --gates 90000000000",
            "the last two layers on all training rows",
        ),
    ] {
        let refused = folder.refused(1, &format!("deep d.csv {options}"));
        assert!(refused.starts_with("the job needs "), "{refused}");
        assert!(
            refused.contains(&format!("most of it is for {most}")),
            "{refused}"
        );
        assert!(refused.contains("; use "), "{refused}");
    }
}

#[test]
fn refusals_say_what_to_do() {
    let folder = with_table();
    let table = folder.refused(3, "deep d.csv --arch cnn");
    assert!(table.contains("cnn:32,32 needs images"), "{table}");
    assert!(table.contains("4 plain numbers; use mlp"), "{table}");
    for (options, sentence) in [
        ("--epochs 0", "epochs is 0; it must be at least 1"),
        ("--batch 0", "batch is 0; it must be at least 1"),
        ("--gates 0", "gates is 0; it must be at least 1"),
        (
            "--head-iterations 0",
            "head-iterations is 0; it must be at least 1",
        ),
        ("--threads 0", "threads is 0; it must be at least 1"),
        (
            "--alpha -1",
            "alpha is -1; it must be finite and not negative",
        ),
        (
            "--beta nan",
            "beta is NaN; it must be finite and not negative",
        ),
        (
            "--beta 1e9",
            "beta is 1000000000; it must be small enough to leave a unit in the last two layers",
        ),
        ("--time-limit 0", "time-limit is 0; it must be above 0"),
        (
            "--holdout 1",
            "holdout is 1; it must be at least 0 and less than 1",
        ),
    ] {
        assert_eq!(
            folder.refused(2, &format!("deep d.csv {options}")),
            sentence
        );
    }
    for (arch, sentence) in [
        ("transformer", "is no architecture; give none, linear"),
        ("mlp:0", "widths are whole numbers of at least 1"),
        ("linear:3,4", "a linear map has one width"),
    ] {
        let ended = folder.run(&format!("deep d.csv --arch {arch}"));
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(sentence), "{}", ended.stderr);
    }
    folder.put(
        "alike.csv",
        format!("x,y\n{}", "1,0\n2,0\n3,0\n".repeat(10)),
    );
    let alike = folder.refused(3, "deep alike.csv --task regression");
    assert!(alike.contains("which may all be alike"), "{alike}");
    let small = with_images().refused(3, "deep a-images-idx3-ubyte --arch cnn:4,4,4,4");
    assert!(small.contains("halves an image 4 times"), "{small}");
    folder.put("m.safetensors", "mine");
    folder.refused(2, "deep d.csv --out m.safetensors");
    assert_eq!(folder.text("m.safetensors"), "mine");
}

//! Columns that are no features: dropped ones, weights and an index.

mod shell;

use serde_json::json;
use shell::tables::{Data, corners};
use shell::{Folder, number};

const QUICK: &str = "--gates 8 --tolerance 0.05 --max-iterations 300";
const USAGE: i32 = 2;
const INPUT: i32 = 3;

/// A table with more columns in front and behind; `{}` in a cell becomes the row's number.
fn table(data: &Data, front: (&str, &str), behind: (&str, &str)) -> String {
    let csv = data.csv();
    let mut text = String::new();
    for (number, line) in csv.lines().enumerate() {
        let cells = |(name, cell): (&str, &str)| match number {
            0 => name.to_owned(),
            row => cell.replace("{}", &(row - 1).to_string()),
        };
        let columns = [cells(front), line.to_owned(), cells(behind)];
        text.push_str(&(columns.join(",") + "\n"));
    }
    text
}

/// What a fit printed, and the numbers of the model it saved. The header, which also tells
/// of the columns that were left out, is not compared.
fn fit(folder: &Folder, line: &str) -> (String, Vec<u8>) {
    let line = format!("fit {line} {QUICK} --force --out m.safetensors");
    let ended = folder.run(&line);
    assert_eq!(ended.code, Some(0), "{line}: {ended:?}");
    let bytes = folder.bytes("m.safetensors");
    let (length, rest) = bytes.split_first_chunk().unwrap();
    let header = u64::from_le_bytes(*length) as usize;
    (ended.stderr, rest[header..].to_vec())
}

#[test]
fn dropped_columns_change_nothing_and_are_not_asked_for() {
    let folder = Folder::new();
    let data = corners(60, 3);
    folder.put("d.csv", data.csv());
    folder.put(
        "more.csv",
        table(&data, ("who,a,b", "Joe {},7"), ("note", "{}")).replace("who,a,b", "who,\"a,b\""),
    );
    let (_, plain) = fit(&folder, "d.csv");
    let expected = folder.print("predict m.safetensors d.csv");
    for options in [
        "--drop who,\"a,b\",note",
        "--drop who --drop \"a,b\" --drop -1",
        "--drop 0,1,6",
    ] {
        let (said, model) = fit(&folder, &format!("more.csv --test more.csv {options}"));
        assert_eq!((said.as_str(), model.is_empty()), ("", false));
        let (_, model) = fit(&folder, &format!("more.csv {options}"));
        assert!(model == plain, "{options}");
        let left_out = &folder.json("inspect m.safetensors --json")["left_out"];
        assert_eq!(left_out, &json!(["who", "a,b", "note"]), "{options}");
        for file in ["d.csv", "more.csv"] {
            let line = format!("predict m.safetensors {file}");
            assert_eq!(folder.print(&line), expected, "{options}: {file}");
        }
        assert_eq!(
            folder.json("eval m.safetensors more.csv --json")["rows"],
            60
        );
    }
    for (options, sentence) in [
        (
            "--drop whom",
            "more.csv: there is no column \"whom\" to drop; did you mean \"who\"?",
        ),
        (
            "--drop class",
            "more.csv: column \"class\" is the target, so it cannot be dropped; name another column",
        ),
    ] {
        let line = format!("fit more.csv --target class {options}");
        assert_eq!(folder.refused(INPUT, &line), sentence);
    }
    let sentence = folder.refused(USAGE, "fit more.csv --drop \"who");
    assert!(sentence.starts_with("a quote in the list"), "{sentence}");
}

#[test]
fn an_index_is_left_out_with_a_remark() {
    let folder = Folder::new();
    let data = corners(60, 3);
    folder.put("d.csv", data.csv());
    let (said, plain) = fit(&folder, "d.csv");
    assert_eq!(said, "");
    let expected = folder.print("predict m.safetensors d.csv");
    for (name, shown) in [
        ("", "Unnamed: 0"),
        ("Unnamed: 0", "Unnamed: 0"),
        ("id", "id"),
        ("index", "index"),
    ] {
        folder.put("i.csv", table(&data, (name, "{}"), ("z", "1")));
        let (said, model) = fit(&folder, "i.csv --drop z");
        assert_eq!(
            said,
            format!(
                "i.csv: column {shown:?} only counts the rows, so it is left out; pass --keep-index \
                 to use it\n"
            )
        );
        assert!(model == plain, "{name}");
        let left_out = &folder.json("inspect m.safetensors --json")["left_out"];
        assert_eq!(left_out, &json!([shown, "z"]));
        let text = folder.print("inspect m.safetensors");
        assert!(
            text.contains(&format!("\nleft out            {shown}, z\n")),
            "{text}"
        );
        assert_eq!(
            folder.json("inspect i.csv --json")["left_out"],
            json!([shown])
        );
        // with or without the index, and with one that does not count
        folder.put("j.csv", table(&data, (name, "a{}"), ("z", "1")));
        for file in ["d.csv", "i.csv", "j.csv"] {
            assert_eq!(
                folder.print(&format!("predict m.safetensors {file}")),
                expected
            );
        }
        let (said, _) = fit(&folder, "i.csv --keep-index");
        assert_eq!(said, "");
        let model = folder.json("inspect m.safetensors --json");
        assert_eq!(model["features"], 5);
    }
    let unnamed: String = folder
        .text("i.csv")
        .lines()
        .skip(1)
        .map(|line| format!("{line}\n"))
        .collect();
    folder.put("u.csv", unnamed);
    let (said, _) = fit(&folder, "u.csv --target 4");
    let remark = "u.csv: its first column only counts the rows; if it is an index, leave it out with \
                  --drop x0\n";
    assert_eq!(said, remark);
    let (said, _) = fit(&folder, "u.csv --target 4 --drop x0");
    assert_eq!(said, "");
    assert_eq!(
        folder
            .print("predict m.safetensors u.csv --target 4")
            .lines()
            .count(),
        61
    );
}

#[test]
fn weights_are_no_feature_and_not_asked_for() {
    let folder = Folder::new();
    let data = corners(60, 3);
    folder.put("d.csv", data.csv());
    folder.put("w.csv", table(&data, ("w", "2"), ("z", "0")));
    let line = "w.csv --weight-column w --drop z";
    let (said, _) = fit(&folder, line);
    assert_eq!(said, "");
    assert_eq!(folder.json("inspect m.safetensors --json")["features"], 3);
    let expected = folder.print("predict m.safetensors d.csv");
    assert_eq!(folder.print("predict m.safetensors w.csv"), expected);
    for test in ["d.csv", "w.csv"] {
        let report = folder.json(&format!("fit {line} --test {test} {QUICK} --json"));
        assert_eq!(report["test"]["rows"], 60);
        assert_eq!(
            number(&report, "/test/accuracy"),
            number(&report, "/train/accuracy")
        );
    }
    folder.put("bad.csv", table(&data, ("w", "-{}"), ("z", "0")));
    for (line, sentence) in [
        (
            "fit bad.csv --weight-column w",
            "bad.csv: line 3, column \"w\": \"-1\" is no weight; a weight must be a finite number, 0 or more",
        ),
        (
            "fit w.csv --weight-column z",
            "w.csv: column \"z\": every weight is 0, so no row counts; give some rows a weight above 0",
        ),
        (
            "fit w.csv --weight-column ww",
            "w.csv: there is no column \"ww\" to be the weights; did you mean \"w\"?",
        ),
        (
            "fit d.csv --class-weight yes=2,maybe=3",
            "there is no class \"maybe\"; the classes are \"no\", \"yes\"",
        ),
    ] {
        assert_eq!(folder.refused(INPUT, line), sentence);
    }
    for (line, sentence) in [
        (
            "fit d.csv --class-weight yes",
            "--class-weight: \"yes\" does not say a class and its weight; write NAME=WEIGHT, or the \
             word balanced alone",
        ),
        (
            "fit d.csv --class-weight yes=-2",
            "--class-weight: the weight of class \"yes\" is \"-2\"; it must be a finite number above 0",
        ),
        (
            "fit d.csv --target a0 --drop class --class-weight balanced",
            "--class-weight needs a classification task",
        ),
    ] {
        assert_eq!(folder.refused(USAGE, line), sentence);
    }
}

#[test]
fn a_class_with_a_comma_can_be_positive() {
    let folder = Folder::new();
    let classes = ["\"red, light\"", "\"red, dark\"", "blue"];
    let mut text = String::from("a,b,class\n");
    for (row, cells) in corners(60, 2).rows.iter().enumerate() {
        text.push_str(&format!("{},{},{}\n", cells[0], cells[1], classes[row % 3]));
    }
    folder.put("d.csv", text.replace(", ", ","));
    for options in [
        "--positive red,light --positive red,dark",
        "--positive \"red,light\",\"red,dark\"",
        "--positive red,dark --positive \"red,light\"",
    ] {
        let report = folder.json(&format!("fit d.csv --json {QUICK} {options}"));
        let classes = &report["data"]["classes"];
        assert_eq!(*classes, json!(["blue", "red,dark|red,light"]), "{options}");
    }
    let sentence = folder.refused(INPUT, "fit d.csv --positive red");
    assert!(
        sentence.contains("there is no class \"red\"; the classes are \"blue\""),
        "{sentence}"
    );
    let sentence = folder.refused(INPUT, "fit d.csv --positive \"red,light");
    assert!(sentence.contains("a quote in the list"), "{sentence}");
}

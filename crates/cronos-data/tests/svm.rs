//! Sparse text of LIBSVM and SVMlight.

mod sample;

use cronos_data::{Dataset, ReadOptions, Target, WeightColumn, read};
use sample::{Folder, absent, gzip, keep, loaded, npy, refused, target};

fn plain() -> ReadOptions<'static> {
    ReadOptions::default()
}

fn numbers(values: &[f64]) -> Option<Target> {
    Some(Target::Numbers {
        columns: 1,
        values: values.to_vec(),
    })
}

fn sparse(content: impl AsRef<[u8]>, options: &ReadOptions) -> Dataset {
    let folder = Folder::new();
    loaded(&folder.put("t.libsvm", content), options)
}

fn refusal(content: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let folder = Folder::new();
    refused(&folder.put("t.libsvm", content), options)
}

fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|v| v.to_string()).collect()
}

const TEXT: &str = "+1 1:0.5 3:-2e1 # a comment\r\n\n-1 2:7\n# nothing\n+1\n";

#[test]
fn zeros_are_filled_in() {
    let folder = Folder::new();
    for name in ["t.libsvm", "t.svm", "t.svmlight", "t.svm.gz"] {
        let path = match name.ends_with("gz") {
            true => folder.put(name, gzip(TEXT.as_bytes())),
            false => folder.put(name, TEXT),
        };
        let data = loaded(&path, &plain());
        assert_eq!(data.name, "t");
        assert_eq!(data.feature_names, ["x0", "x1", "x2"]);
        assert_eq!(
            data.features.values.to_numbers(),
            [0.5, 0.0, -20.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0]
        );
        assert_eq!(data.target, numbers(&[1.0, -1.0, 1.0]));
        assert_eq!(data.target_name.as_deref(), Some("label"));
    }
    assert_eq!(
        sparse(TEXT, &target("label")).target,
        numbers(&[1.0, -1.0, 1.0])
    );
    let data = sparse(TEXT, &absent());
    assert_eq!((data.target, data.features.columns), (None, 3));
    let error = sparse(TEXT, &plain())
        .labels_as(&strings(&["1"]))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("t.libsvm: line 3: \"-1\" is not among"),
        "{error}"
    );
}

#[test]
fn other_data_has_the_width_of_the_model() {
    let expected = strings(&["x0", "x1", "x2", "x3"]);
    let options = ReadOptions {
        expected_features: Some(&expected),
        ..plain()
    };
    let data = sparse("1 2:5\n", &options);
    assert_eq!(data.features.values.to_numbers(), [0.0, 5.0, 0.0, 0.0]);
    assert_eq!(data.target, numbers(&[1.0]));
    assert_eq!(
        sparse("1\n", &options).features.values.to_numbers(),
        [0.0; 4]
    );
    assert_eq!(
        refusal("1 1:1\n1 5:1\n", &options),
        ": line 2: index 5 is beyond the 4 features of the model; remove it, or train with rows \
         that have it"
    );
    // A model of such data that left out its first and third feature.
    let dropped = ReadOptions {
        drop: strings(&["x0", "x2"]),
        ..plain()
    };
    let train = sparse("1 1:1 2:2 3:3 4:4\n", &dropped);
    assert_eq!(train.feature_names, ["x1", "x3"]);
    let options = ReadOptions {
        expected_features: Some(&train.feature_names),
        ..plain()
    };
    assert_eq!(
        sparse("1 1:5 2:6\n", &options).features.values.to_numbers(),
        [6.0, 0.0]
    );
    // Names that say something are matched by position.
    let named = strings(&["age", "size"]);
    let options = ReadOptions {
        expected_features: Some(&named),
        ..plain()
    };
    assert_eq!(
        sparse("1 2:6\n", &options).features.values.to_numbers(),
        [0.0, 6.0]
    );
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (text, what) in [
        ("", "it is empty"),
        ("# only this\n", "it is empty"),
        ("1\n2\n", "it has no feature in any row"),
        ("1 1:1\nyes 1:1\n", "line 2: \"yes\" is not a label"),
        ("1 1:1\n1,2 1:1\n", "line 2: \"1,2\" is not a label"),
        ("1:1 2:1\n", "line 1: \"1:1\" is not a label"),
        ("nan 1:1\n", "line 1: \"nan\" is not a label"),
        (
            "1 1:1\n\n1 2\n",
            "line 3: \"2\" is not of the form index:value",
        ),
        ("1 qid:3 1:1\n", "line 1: qid groups rows for ranking"),
        ("1 0:1 1:2\n", "line 1: index 0, but indices count from 1"),
        ("1 -1:1\n", "line 1: \"-1\" is not an index"),
        ("1 1.5:1\n", "line 1: \"1.5\" is not an index"),
        ("1 99999999999999999999:1\n", "is not an index"),
        ("1 2:1 1:1\n", "line 1: index 1 comes after 2"),
        ("1 2:1 2:1\n", "line 1: index 2 comes after 2"),
        ("1 2:x\n", "line 1: index 2: \"x\" is not a finite number"),
        (
            "1 2:inf\n",
            "line 1: index 2: \"inf\" is not a finite number",
        ),
        ("1 2:\n", "line 1: index 2: missing value"),
        ("1 2:nan\n", "line 1: index 2: missing value"),
    ] {
        let message = refusal(text, &plain());
        assert!(message.contains(what), "{text}: {message}");
    }
    let message = refusal(b"1 1:1\n\xff 1:1\n", &plain());
    assert!(message.starts_with(": line 2: not UTF-8 text"), "{message}");
    assert!(sparse("1 2:nan\n", &keep()).features.values.to_numbers()[1].is_nan());
}

#[test]
fn a_huge_index_does_not_take_memory() {
    let message = refusal("1 1:1\n1 4294967295:1\n", &plain());
    assert_eq!(
        message,
        ": as a full table it would have 2 rows of 4294967295 values, too many for the 2 that are \
         not zero; renumber or select features (index 4294967295 is on line 2)"
    );
    let many = format!("1 1000000:1\n{}", "1\n".repeat(1000));
    assert!(refusal(many, &plain()).contains("1001 rows of 1000000 values"));
    // This much is nothing to worry about.
    assert_eq!(
        sparse("1 1000000:1\n", &plain()).features.columns,
        1_000_000
    );
}

#[test]
fn weights_come_from_a_file() {
    let folder = Folder::new();
    let path = folder.put("t.svm", "1 1:1\n2 1:2\n");
    let file = folder.put("w.npy", npy("|u1", false, "(2,)", &[3, 4]));
    let weighted = |name: &str| ReadOptions {
        weight: WeightColumn::Named(name.to_owned()),
        ..plain()
    };
    assert_eq!(
        loaded(&path, &weighted(&file)).weights,
        Some(vec![3.0, 4.0])
    );
    let error = read(&path, &weighted("w")).unwrap_err().to_string();
    assert!(
        error.contains("no column \"w\" to be the weights"),
        "{error}"
    );
}

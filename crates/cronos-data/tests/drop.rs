//! Columns that are dropped.

mod sample;

use cronos_data::{Dataset, ReadOptions, TargetColumn};
use sample::{Folder, loaded, npy, refused, target};

fn drop(names: &[&str]) -> ReadOptions<'static> {
    ReadOptions {
        drop: names.iter().map(|name| name.to_string()).collect(),
        ..ReadOptions::default()
    }
}

fn table(content: impl AsRef<[u8]>, options: &ReadOptions) -> Dataset {
    let folder = Folder::new();
    loaded(&folder.put("t.csv", content), options)
}

fn refusal(content: &str, options: &ReadOptions) -> String {
    let folder = Folder::new();
    refused(&folder.put("t.csv", content), options)
}

#[test]
fn dropped_columns_are_not_used() {
    let text = "name,a,b,price,note\nJoe,1,2,3.5,\nAnn,4,5,6.5,x\n";
    for names in [
        &["name", "note"][..],
        &["0", "-1"],
        &["note", "name", "note"],
    ] {
        let data = table(text, &drop(names));
        assert_eq!(data.feature_names, ["a", "b"]);
        // The last column that is left is the target.
        assert_eq!(data.target_name.as_deref(), Some("price"));
        assert_eq!(data.features.values.to_numbers(), [1.0, 2.0, 4.0, 5.0]);
        assert_eq!(data.dropped, ["name", "note"]);
    }
    assert_eq!(
        refusal(text, &drop(&["nam"])),
        ": there is no column \"nam\" to drop; did you mean \"name\"?"
    );
    let message = refusal("size1,size2,y\n1,2,3\n", &drop(&["size"]));
    assert!(
        message.ends_with("close names are \"size1\", \"size2\""),
        "{message}"
    );
    let message = refusal(text, &drop(&["height"]));
    assert!(
        message.contains("the columns are \"name\", \"a\""),
        "{message}"
    );
    let message = refusal(text, &drop(&["9"]));
    assert!(
        message.contains("there is no column \"9\" to drop"),
        "{message}"
    );
    let options = ReadOptions {
        drop: vec!["a".into()],
        ..target("a")
    };
    let message = refusal("a,b\n1,2\n", &options);
    assert!(
        message.contains("\"a\" is the target, so it cannot be dropped"),
        "{message}"
    );
    let message = refusal("a,b,y\n1,2,3\n", &drop(&["a", "b"]));
    assert!(
        message.contains("no column is left to be a feature"),
        "{message}"
    );
}

#[test]
fn columns_without_names_are_dropped_by_place() {
    let text = "1,2,3,9\n4,5,6,8\n";
    for name in ["1", "x1", "-3"] {
        let data = table(text, &drop(&[name]));
        assert_eq!(data.feature_names, ["x0", "x2"], "{name}");
        assert_eq!(data.features.values.to_numbers(), [1.0, 3.0, 4.0, 6.0]);
        assert_eq!(data.dropped, ["x1"], "{name}");
    }
    let message = refusal(text, &drop(&["x3"]));
    assert!(
        message.contains("there is no column \"x3\" to drop"),
        "{message}"
    );
    // The target does not count for the name.
    let options = ReadOptions {
        target: TargetColumn::Named("0".into()),
        ..drop(&["x0"])
    };
    let data = table(text, &options);
    assert_eq!(data.feature_names, ["x1", "x2"]);
    assert_eq!(data.features.values.to_numbers(), [3.0, 9.0, 6.0, 8.0]);
    let folder = Folder::new();
    let path = folder.put(
        "a.npy",
        npy("|u1", false, "(2, 2, 2)", &[1, 2, 3, 4, 5, 6, 7, 8]),
    );
    let data = loaded(&path, &drop(&["x1", "3"]));
    assert_eq!(
        (data.feature_names, data.image_shape),
        (vec!["x0".to_owned(), "x2".to_owned()], None)
    );
    assert_eq!(data.features.values.to_numbers(), [1.0, 3.0, 5.0, 7.0]);
    let data = loaded("digits", &drop(&["pixel_0_0"]));
    assert_eq!((data.features.columns, data.image_shape), (63, None));
}

#[test]
fn a_model_does_not_ask_for_what_was_dropped() {
    let expected = ["x0".to_owned(), "x2".to_owned()];
    let options = |target, names: &[&str]| ReadOptions {
        target,
        expected_features: Some(&expected),
        ..drop(names)
    };
    for (text, target) in [
        ("1,3\n", TargetColumn::Absent),
        ("1,2,3\n", TargetColumn::Absent),
        ("1,2,3,9\n", TargetColumn::Auto),
        ("9,1,2,3\n", TargetColumn::Named("0".into())),
        ("x0,x2\n1,3\n", TargetColumn::Absent),
        ("x2,x1,x0\n3,,1\n", TargetColumn::Absent),
    ] {
        for names in [&[][..], &["x1"]] {
            let data = table(text, &options(target.clone(), names));
            assert_eq!(
                data.features.values.to_numbers(),
                [1.0, 3.0],
                "{text} {names:?}"
            );
        }
    }
    let message = refusal("1,2,3,4,5\n", &options(TargetColumn::Auto, &[]));
    assert!(
        message.contains("it has 5 columns, but the model needs 2"),
        "{message}"
    );
    // With the same --drop a test file of the same columns is read.
    let last = ["x0".to_owned(), "x1".to_owned()];
    for text in ["1,2,3,9\n", "1,2,9\n"] {
        let options = ReadOptions {
            expected_features: Some(&last),
            ..drop(&["x2"])
        };
        let data = table(text, &options);
        assert_eq!(data.features.values.to_numbers(), [1.0, 2.0], "{text}");
        assert!(data.target.is_some());
    }
    // An index into the training data says nothing about other data with names.
    let named = ["a".to_owned()];
    let options = ReadOptions {
        expected_features: Some(&named),
        ..drop(&["1", "gone"])
    };
    assert_eq!(
        table("a,y\n1,2\n", &options).target_name.as_deref(),
        Some("y")
    );
}

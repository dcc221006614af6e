//! Text tables.

mod sample;

use cronos_data::{ReadOptions, Target, read};
use sample::{Folder, gzip, keep, loaded, refused, target};

fn plain() -> ReadOptions<'static> {
    ReadOptions::default()
}

fn numbers(values: &[f64]) -> Option<Target> {
    Some(Target::Numbers {
        columns: 1,
        values: values.to_vec(),
    })
}

fn texts(values: &[&str]) -> Option<Target> {
    Some(Target::Text(values.iter().map(|v| v.to_string()).collect()))
}

/// What is said about a file of this content.
fn refusal(content: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let folder = Folder::new();
    refused(&folder.put("t.csv", content), options)
}

fn table(content: impl AsRef<[u8]>, options: &ReadOptions) -> cronos_data::Dataset {
    let folder = Folder::new();
    loaded(&folder.put("t.csv", content), options)
}

#[test]
fn a_header_names_the_columns_and_the_last_is_the_target() {
    let data = table("age, size ,price\n1,2.5,3\n4,-5e-1, 6 \n", &plain());
    assert_eq!(data.name, "t");
    assert_eq!(data.feature_names, ["age", "size"]);
    assert_eq!((data.features.rows, data.features.columns), (2, 2));
    assert_eq!(data.features.values.to_numbers(), [1.0, 2.5, 4.0, -0.5]);
    assert_eq!(data.features.row(1), [4.0, -0.5]);
    assert_eq!(data.target, numbers(&[3.0, 6.0]));
    assert_eq!(data.target_name.as_deref(), Some("price"));
    assert_eq!(data.image_shape, None);
}

#[test]
fn a_table_without_header_gets_names() {
    let data = table("1,2,3\n4,5,6\n", &target("0"));
    assert_eq!(data.feature_names, ["x0", "x1"]);
    assert_eq!(data.target, numbers(&[1.0, 4.0]));
    assert_eq!(data.target_name, None);
    assert_eq!(data.features.values.to_numbers(), [2.0, 3.0, 5.0, 6.0]);
}

#[test]
fn a_row_with_a_class_name_is_not_a_header() {
    let data = table("5.1,3.5,setosa\n4.9,3.0,virginica\n", &plain());
    assert_eq!(data.features.rows, 2);
    assert_eq!(data.target, texts(&["setosa", "virginica"]));
}

#[test]
fn numbers_that_count_up_may_be_a_header() {
    let data = table("0,1,class\n5.1,3.5,a\n", &plain());
    assert_eq!(data.features.rows, 1);
    assert_eq!(data.feature_names, ["0", "1"]);
    let data = table("7,b,2001\n1,2,3\n", &plain());
    assert_eq!(data.feature_names, ["7", "b"]);
}

#[test]
fn a_mixed_target_is_text_as_it_stands() {
    let data = table("a,y\n1,01\n2,inf\n3,x\n4,2.50\n", &plain());
    assert_eq!(data.target, texts(&["01", "inf", "x", "2.50"]));
}

#[test]
fn every_token_for_missing_is_refused_with_line_and_column() {
    for token in [
        "", " ", "?", "NA", "n/a", "nan", "NaN", "NULL", "None", "-nan",
    ] {
        let text = format!("age,b,y\n1,2,3\n\n{token},2,3\n");
        assert_eq!(
            refusal(&text, &plain()),
            ": line 4, column \"age\": missing value; fill it, drop the row, or fit with \
             --impute mean|median",
            "{token}"
        );
        let kept = table(&text, &keep());
        assert!(kept.features.values.to_numbers()[2].is_nan(), "{token}");
    }
    let message = refusal("1,2,3\n4,,6\n", &plain());
    let expected = "line 2, column 1 (counting from 0): missing value";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_missing_target_is_refused_even_when_missing_values_are_kept() {
    let message = refusal("a,y\n1,2\n3,NA\n", &keep());
    let expected = ": line 3, column \"y\": missing target value";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn infinite_values_are_refused() {
    for value in ["inf", "-Infinity", "1e999"] {
        let message = refusal(format!("a,y\n1,2\n{value},2\n"), &keep());
        let expected = format!(": line 3, column \"a\": \"{value}\" is infinite or too large");
        assert!(message.starts_with(&expected), "{message}");
        let message = refusal(format!("a,y\n1,2\n1,{value}\n"), &keep());
        let expected = format!(": line 3, column \"y\": \"{value}\" is infinite or too large");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn text_among_features_is_refused_with_its_value() {
    assert_eq!(
        refusal("a,city,y\n1,2,3\n1,Rome,3\n", &plain()),
        ": line 3, column \"city\": \"Rome\" is not a number; encode the column as numbers or \
         drop it"
    );
    let long = "z".repeat(5000);
    let message = refusal(format!("a,y\n1,2\n{long},2\n"), &plain());
    assert!(message.len() < 200, "{message}");
}

#[test]
fn ragged_rows_are_refused_with_both_counts() {
    let message = refusal("a,b,y\n1,2,3\n1,2\n", &plain());
    let expected = ": line 3: expected 3 fields but found 2";
    assert!(message.starts_with(expected), "{message}");
    let message = refusal("a,b,y\n1,2,3,4\n", &plain());
    let expected = ": line 2: expected 3 fields but found 4";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn empty_files_and_lone_headers_are_refused() {
    for empty in ["", "\n\n", "\u{feff}"] {
        assert!(refusal(empty, &plain()).contains("is empty"), "{empty:?}");
    }
    assert!(refusal("a,b\n", &plain()).contains("a header but no rows"));
    assert!(refusal("a\n1\n", &plain()).contains("only one column"));
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let data = table("\u{feff}a,y\n1,2\n", &plain());
    assert_eq!(data.feature_names, ["a"]);
}

#[test]
fn bytes_that_are_not_utf8_are_refused_with_their_line() {
    let message = refusal(b"a,y\n1,x\n2,\xff\xfe\n", &plain());
    let expected = ": line 3, column 1 (counting from 0): not UTF-8 text";
    assert!(message.starts_with(expected), "{message}");
    let message = refusal(b"\xe9,y\n1,x\n", &plain());
    assert!(message.starts_with(": line 1, column 0"), "{message}");
}

#[test]
fn a_name_that_appears_twice_is_refused() {
    let message = refusal("a,b, a\n1,2,3\n", &plain());
    assert!(message.contains("line 1, column 2"), "{message}");
    assert!(message.contains("\"a\" appears twice"), "{message}");
}

#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    for (end, name) in [("\n", "lf"), ("\r\n", "crlf"), ("\r", "cr")] {
        let text = ["a,y", "", "1,\"two", "lines\"", "", "", "bad,3"].join(end);
        let message = refusal(&text, &plain());
        assert!(message.starts_with(": line 7,"), "{name}: {message}");
        let message = refusal(format!("{text}{end}"), &plain());
        assert!(message.starts_with(": line 7,"), "{name}: {message}");
        let text = ["a,y", "", "1,\"two", "lines\",3"].join(end);
        let message = refusal(&text, &plain());
        assert!(message.starts_with(": line 3:"), "{name}: {message}");
    }
}

#[test]
fn delimiters_follow_the_name_or_the_first_line() {
    let folder = Folder::new();
    let cases = [
        ("t.tsv", "a\tb b\ty\n1\t2\t3\n"),
        ("semi.csv", "\"a,1\";b;y\n1;2;3\n"),
        ("a.txt", "a,b,y\n1,2,3\n"),
        ("b.txt", "a;b;y\n1;2;3\n"),
        ("c.txt", "a\tb\ty\n1\t2\t3\n"),
        ("d.txt", "  a   b  y  \n\n 1  2   3\n"),
    ];
    for (name, text) in cases {
        let data = loaded(&folder.put(name, text), &plain());
        assert_eq!(data.features.values.to_numbers(), [1.0, 2.0], "{name}");
        let packed = folder.put(&format!("{name}.gz"), gzip(text.as_bytes()));
        assert_eq!(
            loaded(&packed, &plain()).features.values.to_numbers(),
            [1.0, 2.0]
        );
        // The bytes tell gzip, not the name.
        let misnamed = folder.put(&format!("packed-{name}"), gzip(text.as_bytes()));
        assert_eq!(
            loaded(&misnamed, &plain()).features.values.to_numbers(),
            [1.0, 2.0]
        );
    }
}

#[test]
fn damaged_gzip_is_refused() {
    let folder = Folder::new();
    let packed = gzip(b"a,y\n1,2\n3,4\n");
    let path = folder.put("t.csv.gz", &packed[..packed.len() - 3]);
    let message = refused(&path, &plain());
    assert!(message.contains("damaged or cut off"), "{message}");
}

#[test]
fn unknown_extensions_and_absent_files_are_told_apart() {
    let folder = Folder::new();
    let message = refused(&folder.put("t.xlsx", "a"), &plain());
    for known in [".csv", ".tsv", ".txt", ".npy", ".npz", ".idx", "digits"] {
        assert!(message.contains(known), "{message}");
    }
    let path = folder.path("none.csv");
    let error = read(&path, &plain()).unwrap_err();
    assert!(!error.is_input());
    let expected = format!("cannot read {path}: no such file or folder; check the path");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_fingerprint_depends_on_content_only() {
    let print = |text: &str| table(text, &plain()).fingerprint();
    let one = print("a,b,y\n1,2,3\n");
    assert_eq!(one.len(), 16);
    assert!(one.bytes().all(|b| b.is_ascii_hexdigit()));
    assert_eq!(one, print("a,b,y\r\n1.0, 2,3"));
    for other in [
        "a,c,y\n1,2,3\n",
        "a,b,y\n1,2,4\n",
        "a,b,y\n2,2,3\n",
        "a,b,z\n1,2,3\n",
        "a,b,y\n1,2,three\n",
        "a,b,y\n1,2,3\n1,2,3\n",
    ] {
        assert_ne!(one, print(other), "{other}");
    }
}

#[test]
fn rows_can_be_selected() {
    let data = table("a,y\n1,p\n2,q\n3,r\n", &plain()).select(&[2, 0, 2]);
    assert_eq!(data.features.values.to_numbers(), [3.0, 1.0, 3.0]);
    assert_eq!(data.features.rows, 3);
    assert_eq!(data.target, texts(&["r", "p", "r"]));
}

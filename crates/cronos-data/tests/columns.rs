//! Which columns become features and target.

mod sample;

use cronos_data::{ReadOptions, Target, TargetColumn, read};
use sample::{Folder, absent, loaded, refused, target};

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
fn the_usual_names_of_a_target_go_first_in_their_order() {
    let data = table("y,Label,a\n1,no,3\n4,yes,6\n", &plain());
    assert_eq!(data.target_name.as_deref(), Some("Label"));
    assert_eq!(data.feature_names, ["y", "a"]);
    assert_eq!(data.target, texts(&["no", "yes"]));
}

#[test]
fn a_target_may_be_named_or_counted() {
    let text = "a,b,c\n1,2,3\n4,5,6\n";
    assert_eq!(table(text, &target("b")).target, numbers(&[2.0, 5.0]));
    assert_eq!(table(text, &target("0")).target, numbers(&[1.0, 4.0]));
    assert_eq!(table(text, &target("-3")).target, numbers(&[1.0, 4.0]));
    let all = table(text, &absent());
    assert_eq!((all.target, all.features.columns), (None, 3));
}

#[test]
fn an_unknown_target_lists_ten_columns() {
    let header: Vec<String> = (0..13).map(|i| format!("c{i}")).collect();
    let text = format!("{}\n{}\n", header.join(","), ["1"; 13].join(","));
    let message = refusal(&text, &target("price"));
    assert_eq!(
        message,
        ": there is no column \"price\" to be the target; the columns are \"c0\", \"c1\", \"c2\", \
         \"c3\", \"c4\", \"c5\", \"c6\", \"c7\", \"c8\", \"c9\" and 3 more"
    );
    let message = refusal(&text, &target("-14"));
    assert!(message.contains("there is no column -14"), "{message}");
    assert!(message.contains("13 columns"), "{message}");
    let message = refusal("1,2\n3,4\n", &target("price"));
    assert!(message.contains("an index from 0 to 1"), "{message}");
}

#[test]
fn features_are_matched_by_name_in_any_order() {
    let expected = ["b".to_owned(), "a".to_owned()];
    let options = |target| ReadOptions {
        target,
        expected_features: Some(&expected),
        ..ReadOptions::default()
    };
    let auto = options(TargetColumn::Auto);
    let data = table("a,id,y,b\n1,7,3,2\n", &auto);
    assert_eq!(data.features.values.to_numbers(), [2.0, 1.0]);
    assert_eq!(data.feature_names, expected);
    assert_eq!(data.target, numbers(&[3.0]));
    // A column that is not asked for may hold anything.
    let data = table("a,note,b\n1,hello,2\n", &options(TargetColumn::Absent));
    assert_eq!(
        (data.features.values.to_numbers(), data.target),
        (vec![2.0, 1.0], None)
    );
    let data = table("a,b\n1,2\n", &auto);
    assert_eq!(
        (data.features.values.to_numbers(), data.target),
        (vec![2.0, 1.0], None)
    );
    let message = refusal("a,c\n1,2\n", &auto);
    let start =
        ": column \"b\" is missing; the model needs it, and the columns here are \"a\", \"c\"";
    assert_eq!(message, start);
    let message = refusal("a,b\n1,2\n", &options(TargetColumn::Named("y".into())));
    assert!(message.contains("no column \"y\""), "{message}");
}

#[test]
fn without_common_names_features_are_matched_by_position() {
    let expected = ["b".to_owned(), "a".to_owned()];
    let options = |target| ReadOptions {
        target,
        expected_features: Some(&expected),
        ..ReadOptions::default()
    };
    let auto = options(TargetColumn::Auto);
    let data = table("1,2\n3,4\n", &auto);
    assert_eq!(data.features.values.to_numbers(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!((data.feature_names, data.target), (expected.to_vec(), None));
    // Names that only count say nothing about what a column holds.
    for header in ["0,1,y", "x0,x1,y"] {
        let data = table(format!("{header}\n1,2,3\n"), &auto);
        assert_eq!(data.features.values.to_numbers(), [1.0, 2.0], "{header}");
        assert_eq!(data.target, numbers(&[3.0]), "{header}");
    }
    let counted = ["x0".to_owned(), "x1".to_owned()];
    let data = table(
        "p,q,r\n1,2,3\n",
        &ReadOptions {
            expected_features: Some(&counted),
            ..auto.clone()
        },
    );
    assert_eq!(data.features.values.to_numbers(), [1.0, 2.0]);
    let message = refusal("p,q,r\n1,2,3\n", &auto);
    assert_eq!(
        message,
        ": none of its columns \"p\", \"q\", \"r\" is a feature of the model, which are \"b\", \"a\"; \
         rename them, or remove the header to take them in their order"
    );
    let message = refusal("1,2,3,4\n", &auto);
    let start = ": it has 4 columns, but the model needs 2, or 3 with a target column";
    assert_eq!(message, start);
    let message = refusal("1,2,3\n", &options(TargetColumn::Absent));
    assert_eq!(message, ": it has 3 columns, but the model needs 2");
    let message = refusal("1,2\n", &options(TargetColumn::Named("-1".into())));
    assert!(message.contains("it has 2 columns"), "{message}");
}

#[test]
fn the_target_may_be_in_a_file_of_its_own() {
    let folder = Folder::new();
    let path = folder.put("t.csv", "a,b\n1,2\n3,4\n");
    let y = folder.put("y.npy", sample::npy("|u1", false, "(2,)", &[7, 9]));
    let data = loaded(&path, &target(&y));
    assert_eq!(data.features.columns, 2);
    assert_eq!(data.target, numbers(&[7.0, 9.0]));
    let y = folder.put("z.npy", sample::npy("|u1", false, "(3,)", &[7, 9, 9]));
    let message = read(&path, &target(&y)).unwrap_err().to_string();
    assert!(message.starts_with(&y), "{message}");
    assert!(message.contains("3 rows"), "{message}");
    assert!(message.contains("have 2"), "{message}");
}

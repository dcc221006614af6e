//! Columns that only count the rows.

mod sample;

use cronos_data::{CountingColumn, Dataset, IndexColumn, ReadOptions, TargetColumn};
use sample::{Folder, absent, loaded, target};

fn plain() -> ReadOptions<'static> {
    ReadOptions::default()
}

fn table(content: impl AsRef<[u8]>, options: &ReadOptions) -> Dataset {
    let folder = Folder::new();
    loaded(&folder.put("t.csv", content), options)
}

/// The same rows in every case: `a` is 5, 3, 7 and `y` is 1.5, 2.5, 3.5.
fn with_index(header: &str, index: [&str; 3]) -> String {
    let [p, q, r] = index;
    format!("{header},a,y\n{p},5,1.5\n{q},3,2.5\n{r},7,3.5\n")
}

fn left_out(name: &str) -> Vec<CountingColumn> {
    vec![CountingColumn {
        name: name.to_owned(),
        left_out: true,
    }]
}

#[test]
fn an_index_is_left_out_and_told() {
    for (header, name) in [
        ("", "Unnamed: 0"),
        ("\"\"", "Unnamed: 0"),
        ("Unnamed: 0", "Unnamed: 0"),
        ("index", "index"),
        ("Row_ID", "Row_ID"),
        ("rownames", "rownames"),
        ("id", "id"),
        ("ID", "ID"),
    ] {
        for index in [
            ["0", "1", "2"],
            ["1", "2", "3"],
            ["\"1\"", "\"2\"", "\"3\""],
            ["70", "71", "72"],
        ] {
            let text = with_index(header, index);
            let data = table(&text, &plain());
            assert_eq!(data.feature_names, ["a"], "{header}");
            assert_eq!(data.features.values.to_numbers(), [5.0, 3.0, 7.0]);
            assert_eq!(data.features.columns, 1);
            assert_eq!(data.counting, left_out(name));
            let kept = ReadOptions {
                index: IndexColumn::Keep,
                ..plain()
            };
            let data = table(&text, &kept);
            assert_eq!((data.features.columns, data.counting), (2, Vec::new()));
            // Without a target every column is a feature.
            assert_eq!(table(&text, &absent()).features.columns, 3);
        }
    }
}

#[test]
fn what_does_not_count_or_has_another_name_is_a_feature() {
    for (header, index) in [
        ("", ["0", "2", "1"]),
        ("id", ["1", "2", "2"]),
        ("id", ["7", "13", "14"]),
        ("index", ["0.5", "1.5", "2.5"]),
        ("index", ["3", "2", "1"]),
        ("t", ["0", "1", "2"]),
        ("year", ["2001", "2002", "2003"]),
        ("idle", ["0", "1", "2"]),
    ] {
        let data = table(with_index(header, index), &plain());
        assert_eq!(
            (data.features.columns, data.counting),
            (2, Vec::new()),
            "{header}"
        );
    }
    // In front only, but for `id` and what pandas calls a column without a name.
    let data = table("a,index,y\n5,0,2.5\n7,1,3.5\n", &plain());
    assert_eq!(data.feature_names, ["a", "index"]);
    let data = table("a,id,Unnamed: 2,y\n5,4,0,2.5\n7,5,1,3.5\n", &plain());
    assert_eq!(data.feature_names, ["a"]);
    assert_eq!(data.counting.len(), 2);
    assert_eq!(data.features.values.to_numbers(), [5.0, 7.0]);
    // One row does not count, and an only feature is kept.
    assert_eq!(table("id,a,y\n1,5,2\n", &plain()).features.columns, 2);
    let data = table("index,y\n0,5.5\n1,7.5\n", &plain());
    assert_eq!(
        (data.feature_names[0].as_str(), data.counting),
        ("index", Vec::new())
    );
    // A role that was asked for goes first.
    let data = table(with_index("id", ["1", "2", "3"]), &target("id"));
    assert_eq!(
        (data.feature_names, data.counting),
        (vec!["a".to_owned(), "y".to_owned()], vec![])
    );
}

#[test]
fn frames_without_names_have_a_header_of_numbers() {
    let data = table(",0,1,2\n0,5,6,1.5\n1,7,8,2.5\n", &plain());
    assert_eq!(data.feature_names, ["0", "1"]);
    assert_eq!(data.features.values.to_numbers(), [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(data.counting, left_out("Unnamed: 0"));
    // A row of data with a gap in front is none.
    let data = table(",0,1,2\n5,5,6,1.5\n", &sample::keep());
    assert_eq!((data.features.rows, data.features.columns), (2, 3));
    // The index is not called x0, which is the name of a feature.
    let data = table(",x0,x1,y\n0,5,6,1.5\n1,7,8,2.5\n", &plain());
    assert_eq!(data.feature_names, ["x0", "x1"]);
    assert_eq!(data.counting, left_out("Unnamed: 0"));
}

#[test]
fn a_column_without_any_name_is_only_remarked_on() {
    let rows = |from: usize, count: usize| -> String {
        (from..from + count)
            .map(|i| format!("{i},{},{}\n", i * i % 7, i % 3))
            .collect()
    };
    for from in [0, 1] {
        let data = table(rows(from, 10), &plain());
        assert_eq!(data.features.columns, 2);
        let found = CountingColumn {
            name: "x0".into(),
            left_out: false,
        };
        assert_eq!(data.counting, [found]);
        assert!(table(rows(from, 9), &plain()).counting.is_empty());
    }
    assert!(table(rows(2, 10), &plain()).counting.is_empty());
}

#[test]
fn a_model_that_left_out_an_index_copes_with_it() {
    let expected = ["a".to_owned(), "b".to_owned()];
    let counted = ["x0".to_owned(), "x1".to_owned()];
    let read = |text: &str, expected: &[String], target| {
        let options = ReadOptions {
            target,
            expected_features: Some(expected),
            ..ReadOptions::default()
        };
        table(text, &options)
    };
    for text in [
        ",a,b\n0,1,2\n",
        "id,a,b,y\nx7,1,2,3\n",
        "a,b\n1,2\n",
        "b,index,a\n2,,1\n",
    ] {
        let data = read(text, &expected, TargetColumn::Absent);
        assert_eq!(data.features.values.to_numbers(), [1.0, 2.0], "{text}");
    }
    // An index is not mistaken for the target.
    assert_eq!(
        read("id,a,b\n7,1,2\n", &expected, TargetColumn::Auto).target,
        None
    );
    // By position the name of the index tells it from the features.
    for (text, target) in [
        (",p,q\n0,1,2\n", TargetColumn::Absent),
        (",p,q\n0,1,2\n", TargetColumn::Auto),
        (",p,q,y\n0,1,2,3\n", TargetColumn::Auto),
        ("p,q,y\n1,2,3\n", TargetColumn::Auto),
        ("p,q\n1,2\n", TargetColumn::Absent),
        (",0,1\n0,1,2\n", TargetColumn::Absent),
    ] {
        let data = read(text, &counted, target);
        assert_eq!(data.features.values.to_numbers(), [1.0, 2.0], "{text}");
    }
}

//! Weights of rows.

mod sample;

use cronos_data::{Dataset, ReadOptions, WeightColumn, read};
use sample::{Folder, floats, idx, loaded, npy, npz, refused};

fn weighted(name: &str) -> ReadOptions<'static> {
    ReadOptions {
        weight: WeightColumn::Named(name.to_owned()),
        ..ReadOptions::default()
    }
}

fn table(content: &str, options: &ReadOptions) -> Dataset {
    let folder = Folder::new();
    loaded(&folder.put("t.csv", content), options)
}

fn refusal(content: &str, options: &ReadOptions) -> String {
    let folder = Folder::new();
    refused(&folder.put("t.csv", content), options)
}

fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|v| v.to_string()).collect()
}

#[test]
fn a_column_of_weights_is_no_feature() {
    // The last column would be the target if it were not the weights.
    let text = "a,b,price,w\n1,2,3.5,0.5\n4,5,6.5,0\n";
    for name in ["w", "-1", "3"] {
        let data = table(text, &weighted(name));
        assert_eq!(data.feature_names, ["a", "b"], "{name}");
        assert_eq!(data.target_name.as_deref(), Some("price"));
        assert_eq!(data.weights, Some(vec![0.5, 0.0]));
        assert_eq!(data.weight_name.as_deref(), Some("w"));
        let last = data.select(&[1, 1, 0]);
        assert_eq!(last.weights, Some(vec![0.0, 0.0, 0.5]));
    }
    let plain = table(text, &ReadOptions::default());
    assert_eq!((plain.weights, plain.features.columns), (None, 3));
    let other = text.replace("0.5", "0.25");
    let print = |text: &str| table(text, &weighted("w")).fingerprint();
    assert_ne!(print(text), print(&other));
    assert_eq!(print(text), print(text));
}

#[test]
fn what_is_no_weight_is_refused_with_its_place() {
    for (cell, what) in [
        (
            "-1",
            "\"-1\" is no weight; a weight must be a finite number, 0 or more",
        ),
        ("inf", "\"inf\" is no weight"),
        ("heavy", "\"heavy\" is no weight"),
        ("", "missing weight; fill it or drop the row"),
        ("nan", "missing weight"),
    ] {
        let message = refusal(&format!("a,w,y\n1,1,2\n\n3,{cell},4\n"), &weighted("w"));
        let start = format!(": line 4, column \"w\": {what}");
        assert!(message.starts_with(&start), "{message}");
    }
    assert_eq!(
        refusal("a,w,y\n1,0,2\n3,-0,4\n", &weighted("w")),
        ": column \"w\": every weight is 0, so no row counts; give some rows a weight above 0"
    );
}

#[test]
fn a_column_of_weights_must_be_there_and_have_no_other_role() {
    let text = "a,weight,y\n1,1,2\n3,1,4\n";
    let message = refusal(text, &weighted("wieght"));
    assert_eq!(
        message,
        ": there is no column \"wieght\" to be the weights; did you mean \"weight\"?"
    );
    let message = refusal(text, &weighted("mass"));
    assert!(
        message.ends_with("the columns are \"a\", \"weight\", \"y\""),
        "{message}"
    );
    let both = ReadOptions {
        weight: WeightColumn::Named("y".into()),
        ..sample::target("y")
    };
    let message = refusal(text, &both);
    assert!(
        message.contains("\"y\" cannot be the target and the weights"),
        "{message}"
    );
    let dropped = ReadOptions {
        drop: strings(&["weight"]),
        ..weighted("weight")
    };
    let message = refusal(text, &dropped);
    assert!(
        message.contains("\"weight\" is the weights, so it cannot be dropped"),
        "{message}"
    );
    let message = refusal("w,y\n1,2\n", &weighted("w"));
    assert!(message.contains("no column is left"), "{message}");
}

#[test]
fn other_data_may_lack_the_weights() {
    let expected = strings(&["a", "b"]);
    let options = ReadOptions {
        weight: WeightColumn::IfThere("w".into()),
        expected_features: Some(&expected),
        ..ReadOptions::default()
    };
    // Behind the target the weights are not mistaken for it.
    let data = table("b,a,price,w\n2,1,3.5,7\n", &options);
    assert_eq!(
        (data.weights, data.target_name.as_deref()),
        (Some(vec![7.0]), Some("price"))
    );
    assert_eq!(data.features.values.to_numbers(), [1.0, 2.0]);
    let data = table("b,a,price\n2,1,3.5\n", &options);
    assert_eq!(
        (data.weights, data.target_name.as_deref()),
        (None, Some("price"))
    );
    // A model that was trained with weights does not know of them.
    let options = ReadOptions {
        expected_features: Some(&expected),
        ..sample::absent()
    };
    for text in ["a,b\n1,2\n", "w,a,b\n-5,1,2\n", "a,w,b,y\n1,,2,3\n"] {
        let data = table(text, &options);
        assert_eq!(
            (data.features.values.to_numbers(), data.weights),
            (vec![1.0, 2.0], None)
        );
    }
}

#[test]
fn a_table_without_names_has_its_weights_by_index() {
    let train = table("9,1,2,0.5\n8,3,4,1.5\n", &weighted("0"));
    assert_eq!(train.features.values.to_numbers(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(train.feature_names, ["x1", "x2"]);
    assert_eq!(
        (train.weights, train.weight_name),
        (Some(vec![9.0, 8.0]), None)
    );
    let names = &train.feature_names[..];
    let other = |text: &str, weight: WeightColumn, target| {
        let options = ReadOptions {
            target,
            weight,
            expected_features: Some(names),
            ..ReadOptions::default()
        };
        table(text, &options)
    };
    use cronos_data::TargetColumn::{Absent, Auto};
    let if_there = || WeightColumn::IfThere("0".into());
    let data = other("7,1,2,0.5\n", if_there(), Auto);
    assert_eq!(
        (data.features.values.to_numbers(), data.weights),
        (vec![1.0, 2.0], Some(vec![7.0]))
    );
    let data = other("1,2\n", if_there(), Absent);
    assert_eq!(
        (data.features.values.to_numbers(), data.weights),
        (vec![1.0, 2.0], None)
    );
    // The names tell the places of the features to whoever knows nothing of the weights.
    for (text, target) in [
        ("1,2\n", Absent),
        ("7,1,2\n", Absent),
        ("7,1,2,0.5\n", Auto),
    ] {
        let data = other(text, WeightColumn::Absent, target);
        assert_eq!(data.features.values.to_numbers(), [1.0, 2.0], "{text}");
    }
}

#[test]
fn arrays_have_weights_in_another_array_a_column_or_a_file() {
    let folder = Folder::new();
    let grid = |rows: usize| npy("|u1", false, &format!("({rows}, 2)"), &vec![1; 2 * rows]);
    let line = |values: &[f64]| {
        npy(
            "<f8",
            false,
            &format!("({},)", values.len()),
            &floats(values),
        )
    };
    let parts = [
        ("x_train", grid(2)),
        ("y_train", line(&[0.0, 1.0])),
        ("w_train", line(&[2.0, 3.0])),
        ("x_test", grid(1)),
        ("y_test", line(&[1.0])),
    ];
    let path = folder.put("a.npz", npz(&parts));
    let both = read(&path, &weighted("w_train")).unwrap();
    assert_eq!(both.train.weights, Some(vec![2.0, 3.0]));
    assert_eq!(both.train.weight_name.as_deref(), Some("w_train"));
    assert_eq!(both.test.unwrap().weights, None);
    let more = [&parts[..], &[("w_test", line(&[4.0]))]].concat();
    let path = folder.put("b.npz", npz(&more));
    let test = read(&path, &weighted("w_train")).unwrap().test.unwrap();
    assert_eq!(test.weights, Some(vec![4.0]));

    for (wrong, what) in [
        (line(&[1.0]), "array \"w\": the array of weights has 1 row"),
        (line(&[1.0, -2.0]), "array \"w\": row 2: -2 is no weight"),
        (line(&[1.0, f64::NAN]), "row 2: NaN is no weight"),
        (line(&[0.0, 0.0]), "every weight is 0"),
        (grid(2), "must be a 1-D array of numbers"),
        (
            npy("<U1", false, "(2,)", &[97, 0, 0, 0, 98, 0, 0, 0]),
            "must be a 1-D array",
        ),
    ] {
        let arrays = [("X", grid(2)), ("y", line(&[0.0, 1.0])), ("w", wrong)];
        let path = folder.put("c.npz", npz(&arrays));
        let message = refused(&path, &weighted("w"));
        assert!(message.contains(what), "{message}");
    }

    let column = npy("|u1", false, "(2, 3)", &[1, 5, 0, 2, 6, 1]);
    let data = loaded(&folder.put("a.npy", column), &weighted("1"));
    assert_eq!(
        (data.weights, data.features.values.to_numbers()),
        (Some(vec![5.0, 6.0]), vec![1.0, 2.0])
    );
    let file = folder.put("w.npy", line(&[1.0, 2.0]));
    let images = folder.put("p-images.idx", idx(8, &[2, 1, 1], &[1, 2]));
    let data = loaded(&images, &weighted(&file));
    assert_eq!(
        (data.weights, data.image_shape),
        (Some(vec![1.0, 2.0]), Some((1, 1, 1)))
    );
    let text = folder.put("t.csv", "a,y\n1,2\n3,4\n5,6\n");
    let message = read(&text, &weighted(&file)).unwrap_err().to_string();
    assert!(message.starts_with(&file), "{message}");
    assert!(
        message.contains("has 2 rows but the features in"),
        "{message}"
    );
}

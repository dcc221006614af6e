//! Weights of classes, and lists of names.

use cronos_data::names::split;
use cronos_data::weights::{ClassWeights, product};

fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|v| v.to_string()).collect()
}

#[test]
fn classes_are_weighted_by_name_or_balanced() {
    let classes = strings(&["1", "two", "a=b,c"]);
    let indices = [0, 0, 0, 1, 2, 2];
    let parse = |lists: &[&str]| ClassWeights::parse(&strings(lists)).unwrap();
    assert_eq!(parse(&["balanced"]), ClassWeights::Balanced);
    let balanced = ClassWeights::Balanced.of(&classes, &indices, None).unwrap();
    assert_eq!(balanced, [6.0 / 9.0, 6.0 / 3.0, 6.0 / 6.0]);
    let own = [1.0, 0.0, 0.0, 4.0, 2.0, 1.0];
    let balanced = ClassWeights::Balanced
        .of(&classes, &indices, Some(&own))
        .unwrap();
    assert_eq!(balanced, [8.0 / 3.0, 8.0 / 12.0, 8.0 / 9.0]);
    // Every class then has the same total.
    let rows = product(Some(own.to_vec()), Some((&indices, &balanced)))
        .unwrap()
        .unwrap();
    for (class, expected) in [(0, 8.0 / 3.0), (1, 8.0 / 3.0), (2, 8.0 / 3.0)] {
        let of_class =
            |(row, weight): (usize, &f64)| if indices[row] == class { *weight } else { 0.0 };
        let total: f64 = rows.iter().enumerate().map(of_class).sum();
        assert!((total - expected).abs() < 1e-12, "{class}: {total}");
    }
    let given = parse(&["two = 0.5 , 1.0=3", "\"a=b,c=2\""]);
    assert_eq!(given.of(&classes, &indices, None).unwrap(), [3.0, 0.5, 2.0]);
    assert_eq!(
        parse(&["two=2"]).of(&classes, &indices, None).unwrap(),
        [1.0, 2.0, 1.0]
    );
}

#[test]
fn class_weights_that_make_no_sense_are_refused() {
    let classes = strings(&["no", "yes"]);
    for (list, what) in [
        (
            "no",
            "\"no\" does not say a class and its weight; write NAME=WEIGHT",
        ),
        ("no=1,balanced", "\"balanced\" does not say a class"),
        (
            "no=heavy",
            "the weight of class \"no\" is \"heavy\"; it must be a finite number above 0",
        ),
        ("no=0", "is \"0\""),
        ("no=-1", "is \"-1\""),
        ("no=inf", "is \"inf\""),
        ("no=NaN", "is \"NaN\""),
        ("\"no=1", "a quote in the list"),
    ] {
        let message = ClassWeights::parse(&strings(&[list]))
            .unwrap_err()
            .to_string();
        assert!(message.contains(what), "{message}");
    }
    for (lists, what) in [
        (
            &["maybe=2"][..],
            "no class \"maybe\"; the classes are \"no\", \"yes\"",
        ),
        (
            &["no=2", "no=3"][..],
            "class \"no\" is given a weight twice",
        ),
    ] {
        let parsed = ClassWeights::parse(&strings(lists)).unwrap();
        let message = parsed.of(&classes, &[0, 1], None).unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    }
    let error = ClassWeights::Balanced
        .of(&classes, &[0, 1], Some(&[1.0, 0.0]))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("no training row of class \"yes\""),
        "{error}"
    );
    let error = product(Some(vec![0.0, 0.0]), None).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("every training row has weight 0"),
        "{error}"
    );
    let error = product(Some(vec![1e308, 1e308]), None).unwrap_err();
    assert!(
        error.to_string().contains("more than a number can hold"),
        "{error}"
    );
    assert_eq!(product(None, None).unwrap(), None);
}

#[test]
fn lists_are_split_like_csv() {
    for (list, names) in [
        ("5,6,7", &["5", "6", "7"][..]),
        (" a , b c ,", &["a", "b c"]),
        ("\"a,b\",c", &["a,b", "c"]),
        ("c,\"say \"\"hi\"\"\"", &["c", "say \"hi\""]),
        ("5\" pipe,x", &["5\" pipe", "x"]),
        ("\" a \" , \"\"", &[" a ", ""]),
        ("", &[]),
    ] {
        assert_eq!(split(list).unwrap(), names, "{list}");
    }
    for list in ["\"a", "\"a\"b", "x,\"a,b", "\"\"\""] {
        assert!(split(list).is_err(), "{list}");
    }
}

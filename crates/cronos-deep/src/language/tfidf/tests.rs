//! Small texts by hand.

use super::*;

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|text| text.to_string()).collect()
}

fn dense(x: &Sparse) -> Vec<Vec<f64>> {
    let row = |i: usize| {
        let mut row = vec![0.0; x.columns()];
        let (indices, values) = x.row(i);
        for (&j, &value) in indices.iter().zip(values) {
            row[j as usize] = f64::from(value);
        }
        row
    };
    (0..x.rows()).map(row).collect()
}

#[test]
fn terms_and_numbers_are_those_computed_by_hand() {
    let texts = texts(&["The cat, the CAT sat.", "the cat ran!", "a dog ran"]);
    let tfidf = Tfidf::learn(&texts, TfidfSettings::default()).expect("learned");
    // in two texts or more: "the cat" too, but "cat the" and "sat" in one; "a" is too short
    assert_eq!(tfidf.terms(), ["cat", "ran", "the", "the cat"]);
    // df is 2 of 3 everywhere
    let idf = (4.0f64 / 3.0).ln() + 1.0;
    assert!(tfidf.idf().iter().all(|found| (found - idf).abs() < 1e-15));
    let x = dense(&tfidf.encode(&texts).expect("encoded"));
    // twice each: all have the same weight
    let third = (1.0f64 / 3.0).sqrt();
    for (found, expected) in [
        (&x[0], [third, 0.0, third, third]),
        (&x[1], [0.5; 4]),
        (&x[2], [0.0, 1.0, 0.0, 0.0]),
    ] {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-7, "{x:?}");
        }
    }
}

#[test]
fn counts_grow_with_their_logarithm_or_as_they_are() {
    let texts = texts(&["up up up down", "up down", "up left"]);
    for (sublinear, tf) in [(true, 1.0 + 3f64.ln()), (false, 3.0)] {
        let settings = TfidfSettings {
            ngrams: (1, 1),
            sublinear,
            ..TfidfSettings::default()
        };
        let tfidf = Tfidf::learn(&texts, settings).expect("learned");
        assert_eq!(tfidf.terms(), ["down", "up"]);
        let (down, up) = ((4.0f64 / 3.0).ln() + 1.0, tf * 1.0);
        let length = down.hypot(up);
        let x = dense(&tfidf.encode(&texts).expect("encoded"));
        assert!((x[0][0] - down / length).abs() < 1e-7);
        assert!((x[0][1] - up / length).abs() < 1e-7);
    }
}

#[test]
fn the_most_frequent_terms_are_kept_and_ties_go_by_the_alphabet() {
    let texts = texts(&["cc bb aa bb", "aa cc bb", "dd dd dd dd dd"]);
    let settings = TfidfSettings {
        ngrams: (1, 1),
        most_terms: 2,
        ..TfidfSettings::default()
    };
    let tfidf = Tfidf::learn(&texts, settings).expect("learned");
    // bb three times, aa and cc twice, dd in one text only
    assert_eq!(tfidf.terms(), ["aa", "bb"]);
    let row = tfidf.encode(&texts).expect("encoded");
    assert_eq!(row.row(2).0.len(), 0, "nothing known: zeros");
}

#[test]
fn words_of_any_script_count_and_may_be_kept_apart_by_case() {
    let texts = texts(&["Été_1 ΑΒΓ straße 日本 x", "été_1 αβγ STRASSE 日本 y"]);
    let all = TfidfSettings {
        ngrams: (1, 1),
        least_texts: 1,
        ..TfidfSettings::default()
    };
    let tfidf = Tfidf::learn(&texts, all.clone()).expect("learned");
    assert_eq!(tfidf.terms(), ["strasse", "straße", "été_1", "αβγ", "日本"]);
    let cased = TfidfSettings {
        lowercase: false,
        ..all
    };
    let tfidf = Tfidf::learn(&texts, cased).expect("learned");
    assert_eq!(tfidf.terms().len(), 7);
}

#[test]
fn stored_parts_encode_the_same_and_any_number_of_threads_too() {
    let words = ["red", "green", "blue", "dark", "light", "pale", "deep"];
    let text = |i: usize| -> String {
        let word = |j: usize| words[(i * i + 3 * j + i * j) % 7];
        (0..5 + i % 9).map(word).collect::<Vec<_>>().join(" ")
    };
    let texts: Vec<String> = (0..3000).map(text).collect();
    let runs = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| {
            let tfidf = Tfidf::learn(&texts, TfidfSettings::default()).expect("learned");
            let x = tfidf.encode(&texts).expect("encoded");
            (tfidf, x)
        })
    });
    assert!(runs[0] == runs[1] && runs[0] == runs[2]);
    let (tfidf, x) = &runs[0];
    let again = Tfidf::from_parts(
        tfidf.settings().clone(),
        tfidf.terms().to_vec(),
        tfidf.idf().to_vec(),
    );
    assert_eq!(&again.expect("stored").encode(&texts).expect("encoded"), x);
}

#[test]
fn what_cannot_be_is_refused() {
    let told = |texts: &[&str], settings: TfidfSettings| {
        let error = Tfidf::learn(&self::texts(texts), settings).expect_err("refused");
        error.to_string()
    };
    let standard = TfidfSettings::default();
    assert!(told(&["one two", "three"], standard.clone()).contains("no term occurs in 2"));
    let ngrams = TfidfSettings {
        ngrams: (2, 1),
        ..standard.clone()
    };
    assert!(told(&["one"], ngrams).contains("ngrams is 2 to 1"));
    let none = TfidfSettings {
        most_terms: 0,
        ..standard.clone()
    };
    assert!(told(&["one"], none).contains("most terms is 0"));
    let parts = |terms: &[&str], idf: &[f64]| {
        let made = Tfidf::from_parts(TfidfSettings::default(), self::texts(terms), idf.to_vec());
        made.expect_err("refused").to_string()
    };
    assert!(parts(&["b", "a"], &[1.0, 1.0]).contains("\"b\" comes before \"a\""));
    assert!(parts(&["a"], &[1.0, 1.0]).contains("1 and 2"));
    assert!(parts(&["a"], &[f64::NAN]).contains("NaN"));
}

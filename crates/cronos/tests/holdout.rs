//! Test parts set aside.

use cronos::holdout;

#[test]
fn parts_are_disjoint_sorted_and_cover_all_rows() {
    let (train, test) = holdout(101, 0.25, 7, None).unwrap();
    assert_eq!((train.len(), test.len()), (76, 25));
    assert!(train.is_sorted() && test.is_sorted());
    let mut all = [train, test].concat();
    all.sort_unstable();
    assert_eq!(all, (0..101).collect::<Vec<_>>());
}

#[test]
fn the_seed_decides() {
    let split = |seed| holdout(100, 0.3, seed, None).unwrap();
    assert_eq!(split(1), split(1));
    assert_ne!(split(1), split(2));
}

#[test]
fn every_row_is_equally_likely_to_be_tested() {
    let mut counts = [0u32; 10];
    for seed in 0..2000 {
        for row in holdout(10, 0.3, seed, None).unwrap().1 {
            counts[row] += 1;
        }
    }
    // 600 expected of each; five standard deviations are 102.
    assert!(counts.iter().all(|c| c.abs_diff(600) < 102), "{counts:?}");
}

#[test]
fn classes_keep_their_share() {
    let strata: Vec<usize> = (0..100).map(|row| usize::from(row % 10 == 0)).collect();
    let (train, test) = holdout(100, 0.2, 3, Some(&strata)).unwrap();
    let ones = |rows: &[usize]| rows.iter().filter(|&&r| strata[r] == 1).count();
    assert_eq!((train.len(), test.len()), (80, 20));
    assert_eq!((ones(&train), ones(&test)), (8, 2));
}

#[test]
fn each_class_keeps_a_row_for_training() {
    let strata = [0, 0, 1, usize::MAX, usize::MAX];
    let (train, test) = holdout(5, 0.9, 3, Some(&strata)).unwrap();
    let classes = |rows: &[usize]| -> Vec<usize> { rows.iter().map(|&r| strata[r]).collect() };
    assert_eq!(classes(&train), [0, 1, usize::MAX]);
    assert_eq!(classes(&test), [0, usize::MAX]);
}

#[test]
fn empty_parts_and_wrong_fractions_are_refused() {
    for fraction in [0.0, 1.0, -0.5, 2.0, f64::NAN, f64::INFINITY] {
        let message = holdout(10, fraction, 0, None).unwrap_err().to_string();
        assert!(message.contains("above 0 and below 1"), "{message}");
    }
    let message = holdout(3, 0.1, 0, None).unwrap_err().to_string();
    assert!(message.contains("no test rows out of 3"), "{message}");
    let message = holdout(3, 0.9, 0, None).unwrap_err().to_string();
    assert!(message.contains("no training rows out of 3"), "{message}");
    assert!(holdout(0, 0.5, 0, None).is_err());
    assert!(holdout(0, 0.5, 0, Some(&[])).is_err());
    let message = holdout(3, 0.5, 0, Some(&[0, 1])).unwrap_err().to_string();
    assert!(message.contains("3 rows but 2 classes"), "{message}");
}

//! Gates depend on the seed and the features, not on the order or number of rows.

use cronos::{Gates, Matrix};

fn rows(n: usize) -> Matrix<f64> {
    Matrix::from_fn(n, 4, |i, j| ((i * 31 + j * 17 + i * j) % 23) as f64 - 11.0)
}

fn active(gates: &Gates, gate: usize, x: &Matrix<f64>, row: usize) -> bool {
    let product: f64 = (0..4)
        .map(|j| x.at(row, j) * gates.direction(gate)[j])
        .sum();
    product >= 0.0
}

#[test]
fn bits_are_the_signs_of_the_products() {
    let x = rows(200);
    let gates = Gates::sample(&x, 9, 5).expect("gates");
    assert_eq!(gates.len(), 9);
    for gate in 0..9 {
        for row in 0..200 {
            assert_eq!(gates.active(gate, row), active(&gates, gate, &x, row));
        }
    }
}

#[test]
fn directions_do_not_depend_on_the_rows() {
    let many = rows(200);
    let few = Matrix::from_fn(70, 4, |i, j| many.at(i, j));
    let reversed = Matrix::from_fn(200, 4, |i, j| many.at(199 - i, j));
    let first = Gates::sample(&many, 6, 11).expect("gates");
    for other in [&few, &reversed] {
        let gates = Gates::sample(other, 6, 11).expect("gates");
        for gate in 0..6 {
            assert_eq!(gates.direction(gate), first.direction(gate));
        }
    }
    let seeded = Gates::sample(&many, 6, 12).expect("gates");
    assert_ne!(seeded.direction(0), first.direction(0));
}

#[test]
fn repeated_and_empty_patterns_are_dropped() {
    let x = Matrix::from_fn(50, 2, |i, j| if j == 0 { 1.0 + i as f64 } else { 1.0 });
    // the same pattern twice, then one that is active nowhere
    let directions = Matrix::from_fn(2, 3, |i, gate| match (i, gate) {
        (0, 0) => 1.0,
        (0, 1) => 2.0,
        (0, 2) => -1.0,
        _ => 0.0,
    });
    let gates = Gates::from_directions(&x, &directions).expect("gates");
    assert_eq!((gates.len(), gates.dropped()), (1, 2));
    // one feature has two patterns, and only one of them is active anywhere
    let narrow = Matrix::from_fn(50, 1, |i, _| 1.0 + i as f64);
    let gates = Gates::sample(&narrow, 10, 0).expect("gates");
    assert_eq!(gates.len(), 1);
}

#[test]
fn gates_that_cannot_be_used_are_refused() {
    let x = rows(20);
    let wrong = Matrix::from_fn(3, 2, |_, _| 1.0);
    let error = Gates::from_directions(&x, &wrong)
        .expect_err("shape")
        .to_string();
    assert!(
        error.contains("4 rows") && error.contains("3 rows"),
        "{error}"
    );
    let positive = Matrix::from_fn(20, 4, |_, _| 1.0);
    let negative = Matrix::from_fn(4, 1, |_, _| -1.0);
    let error = Gates::from_directions(&positive, &negative).expect_err("empty");
    assert!(error.to_string().contains("none of the 1 gates"), "{error}");
    assert!(Gates::sample(&x, 0, 0).is_err());
    // far more than there are patterns: what there is, without a huge allocation
    let narrow = Matrix::from_fn(5, 1, |i, _| i as f64 - 2.0);
    assert_eq!(Gates::sample(&narrow, 50_000, 0).expect("gates").len(), 2);
}

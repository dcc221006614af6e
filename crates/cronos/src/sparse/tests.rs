//! Products against plain loops, and what is refused.

use super::*;
use crate::learn::{Features, Hidden, Landscape, Objective, SparseRows};
use crate::loss::Loss;
use crate::matrix::Matrix;
use std::borrow::Cow;

/// Rows of different lengths, some empty.
fn sparse(rows: usize, columns: usize) -> Sparse {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..rows {
        for j in 0..columns {
            if i % 7 != 3 && (i * 31 + j * 17 + i * j) % 11 < 3 {
                indices.push(j as u32);
                values.push(((i * 5 + j * 3) % 13) as f32 / 4.0 - 1.5);
            }
        }
        starts.push(indices.len());
    }
    Sparse::new(rows, columns, starts, indices, values).expect("sound")
}

fn numbers(count: usize) -> Vec<f64> {
    (0..count)
        .map(|i| ((i * i + 3 * i) as f64 * 0.37).sin())
        .collect()
}

#[test]
fn products_equal_plain_loops() {
    let x = sparse(150, 40);
    let dense = (&x as &dyn Table).to_matrix().into_owned();
    for k in [1, 2, 3, 7, 16, 31] {
        let (v, z) = (numbers(40 * k), numbers(150 * k));
        let (forward, back) = (x.times(&v, k), x.transposed().times(&z, k));
        for c in 0..k {
            for i in 0..150 {
                let expected: f64 = (0..40).map(|j| dense.at(i, j) * v[j * k + c]).sum();
                assert!((forward[i * k + c] - expected).abs() < 1e-12, "{k}");
            }
            for j in 0..40 {
                let expected: f64 = (0..150).map(|i| dense.at(i, j) * z[i * k + c]).sum();
                assert!((back[j * k + c] - expected).abs() < 1e-12, "{k}");
            }
        }
    }
    assert_eq!(x.transposed().transposed(), x);
    assert_eq!(
        flip(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3),
        [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]
    );
}

#[test]
fn tables_read_and_select_as_matrices_do() {
    let x = sparse(30, 20);
    let table: &dyn Table = &x;
    let dense = table.to_matrix().into_owned();
    let mut part = [9.0; 6];
    for i in 0..30 {
        table.read(i, 5, &mut part);
        assert_eq!(part, dense.row(i)[5..11]);
    }
    let rows = [4, 4, 17, 0];
    let chosen = crate::table::Chosen {
        table,
        rows: rows.to_vec(),
    };
    let picked = chosen.to_sparse().expect("sparse").into_owned();
    assert_eq!(picked, x.select(&rows));
    let picked: &dyn Table = &picked;
    assert_eq!(picked.to_matrix().into_owned(), dense.select(&rows));
    assert!(table.select(&rows).as_sparse().is_some());
}

/// Value and gradient on sparse rows are those on the same numbers as a dense matrix.
#[test]
fn the_objective_is_that_of_dense_rows() {
    let (x, scale) = (sparse(600, 25), 1.7);
    let raw = (&x as &dyn Table).to_matrix().into_owned();
    let dense = Matrix::from_fn(
        600,
        26,
        |i, j| if j < 25 { raw.at(i, j) / scale } else { 1.0 },
    );
    let rows = SparseRows::new(Cow::Borrowed(&x), scale, true);
    let weights: Vec<f64> = (0..600).map(|i| 0.5 + (i % 3) as f64).collect();
    for (loss, outputs) in [(Loss::Squared, 2), (Loss::Logistic, 1), (Loss::Softmax, 3)] {
        let y = Matrix::from_fn(600, outputs, |i, c| match loss {
            Loss::Logistic => [-1.0, 1.0][i % 2],
            _ => f64::from(i % outputs == c),
        });
        for m in [0, 5] {
            let units = Hidden {
                features: 26,
                outputs,
                values: numbers(m * (26 + outputs)),
            };
            macro_rules! objective {
                ($x:expr) => {
                    Objective {
                        x: $x,
                        y: &y,
                        weights: Some(&weights),
                        loss,
                        beta: 0.3,
                    }
                };
            }
            let (a, b) = (objective!(&dense), objective!(&rows));
            let (of_a, of_b) = (a.slope(&units), b.slope(&units));
            assert!((of_a.value - of_b.value).abs() < 1e-9 * of_a.value);
            assert!((of_a.loss - of_b.loss).abs() < 1e-9 * of_a.value);
            assert_eq!(of_a.gradient.len(), of_b.gradient.len());
            for (a, b) in of_a.gradient.iter().zip(&of_b.gradient) {
                assert!((a - b).abs() < 1e-9 * of_a.value, "{a} {b}");
            }
            let [(_, of_a), (_, of_b)] = [a.pull(&units), b.pull(&units)];
            let [f, g] = [dense.predict(&units), rows.predict(&units)];
            for (a, b) in of_a.iter().zip(&of_b).chain(f.iter().zip(&g)) {
                assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let told = |starts: &[usize], indices: &[u32], values: &[f32]| {
        let made = Sparse::new(2, 3, starts.to_vec(), indices.to_vec(), values.to_vec());
        made.expect_err("refused").to_string()
    };
    let full = [1.0, 2.0, 3.0];
    for (error, part) in [
        (
            told(&[0, 3], &[0, 1, 2], &full),
            "3 numbers, one more than rows",
        ),
        (told(&[0, 1, 2], &[0, 1, 2], &full), "from 0 to 3"),
        (
            told(&[0, 3, 3], &[0, 1], &full),
            "one for each column index",
        ),
        (told(&[0, 4, 3], &[0, 1, 2], &full), "must not fall"),
        (told(&[0, 2, 3], &[0, 3, 0], &full), "column 3"),
        (told(&[0, 2, 3], &[1, 1, 0], &full), "must ascend"),
        (
            told(&[0, 1, 3], &[1, 0, 2], &[1.0, f32::NAN, 2.0]),
            "row 1, column 0",
        ),
    ] {
        assert!(error.contains(part), "{error}");
    }
}

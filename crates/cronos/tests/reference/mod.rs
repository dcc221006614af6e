//! The optimum of the convex program by an interior-point method.

#![allow(dead_code, clippy::needless_range_loop)]

use crate::verify::Raw;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SupportedConeT};

/// The optimal objective. The outputs are independent, so each is solved alone.
///
/// Rounding may stop the interior-point method short of its tolerances, so its
/// answer is judged by what it is worth: its weights, recomputed from raw data,
/// must meet its dual value.
pub fn optimum(raw: &Raw) -> f64 {
    let mut weights = Vec::new();
    let mut dual = 0.0;
    for c in 0..raw.outputs() {
        let (of_output, bound) = solve_output(raw, c);
        weights.extend(of_output);
        dual += bound;
    }
    let worth = raw.worth(&weights);
    let spread = (worth.objective - dual).abs() / worth.objective;
    assert!(
        spread <= 1e-8 && worth.violation <= 1e-8,
        "interior point: spread {spread:e}, violation {:e}",
        worth.violation
    );
    worth.objective
}

/// Variables: the groups and their norm bounds. The loss stands in the quadratic
/// term, `½ uᵀFᵀF u − yᵀF u + ½ yᵀy`, so that every constraint is a cone.
fn solve_output(raw: &Raw, c: usize) -> (Vec<f64>, f64) {
    let (n, d, gates) = (raw.n(), raw.d(), raw.gates.len());
    let groups = if raw.relu { 2 * gates } else { gates };
    let norms = groups * d;
    let variables = norms + groups;
    let forward: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            (0..norms)
                .map(|at| {
                    let (group, j) = (at / d, at % d);
                    let side = if group < gates { 1.0 } else { -1.0 };
                    let active = raw.gates[group % gates][i];
                    if active { side * raw.x[i][j] } else { 0.0 }
                })
                .collect()
        })
        .collect();
    let column_product =
        |a: &dyn Fn(usize) -> f64, b: usize| -> f64 { (0..n).map(|i| a(i) * forward[i][b]).sum() };
    let mut quadratic = Vec::new();
    let mut linear = vec![raw.beta; variables];
    for b in 0..norms {
        linear[b] = -column_product(&|i| raw.y[i][c], b);
        for a in 0..=b {
            quadratic.push((a, b, column_product(&|i| forward[i][a], b)));
        }
    }
    let constant: f64 = (0..n).map(|i| 0.5 * raw.y[i][c] * raw.y[i][c]).sum();
    let mut triplets: Vec<(usize, usize, f64)> = Vec::new();
    let mut right = Vec::new();
    let mut cones = Vec::new();
    let mut row = 0;
    // (2D − I) X u ≥ 0
    if raw.relu {
        for group in 0..groups {
            for i in 0..n {
                let side = if raw.gates[group % gates][i] {
                    1.0
                } else {
                    -1.0
                };
                for j in 0..d {
                    triplets.push((row, group * d + j, -side * raw.x[i][j]));
                }
                right.push(0.0);
                row += 1;
            }
        }
        cones.push(SupportedConeT::NonnegativeConeT(groups * n));
    }
    // ‖u_g‖ ≤ t_g
    for group in 0..groups {
        triplets.push((row, norms + group, -1.0));
        for j in 0..d {
            triplets.push((row + 1 + j, group * d + j, -1.0));
        }
        right.extend(std::iter::repeat_n(0.0, d + 1));
        row += d + 1;
        cones.push(SupportedConeT::SecondOrderConeT(d + 1));
    }
    let unzip = |entries: &[(usize, usize, f64)], rows: usize| {
        CscMatrix::new_from_triplets(
            rows,
            variables,
            entries.iter().map(|e| e.0).collect(),
            entries.iter().map(|e| e.1).collect(),
            entries.iter().map(|e| e.2).collect(),
        )
    };
    let (quadratic, constraints) = (unzip(&quadratic, variables), unzip(&triplets, row));
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-10)
        .build()
        .expect("settings");
    let mut solver =
        DefaultSolver::new(&quadratic, &linear, &constraints, &right, &cones, settings)
            .expect("problem");
    solver.solve();
    let solution = &solver.solution;
    (
        solution.x[..norms].to_vec(),
        solution.obj_val_dual + constant,
    )
}

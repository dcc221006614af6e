//! The optimum of the convex program by an interior-point method.

#![allow(dead_code)]

use crate::verify::Raw;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};

/// The optimal objective, summed over the outputs, which are independent.
pub fn optimum(raw: &Raw) -> f64 {
    (0..raw.outputs()).map(|c| optimum_of_output(raw, c)).sum()
}

/// Variables: the groups, their norm bounds, the residual `f = F u − y`.
fn optimum_of_output(raw: &Raw, c: usize) -> f64 {
    let (n, d, gates) = (raw.n(), raw.d(), raw.gates.len());
    let groups = if raw.relu { 2 * gates } else { gates };
    let norms = groups * d;
    let residual = norms + groups;
    let variables = residual + n;
    let mut triplets: Vec<(usize, usize, f64)> = Vec::new();
    let mut right = Vec::new();
    let mut cones = Vec::new();
    // F u − f = y
    for i in 0..n {
        for group in 0..groups {
            if raw.gates[group % gates][i] {
                let side = if group < gates { 1.0 } else { -1.0 };
                for j in 0..d {
                    triplets.push((i, group * d + j, side * raw.x[i][j]));
                }
            }
        }
        triplets.push((i, residual + i, -1.0));
        right.push(raw.y[i][c]);
    }
    cones.push(SupportedConeT::ZeroConeT(n));
    let mut row = n;
    // (2D − I) X u ≥ 0
    if raw.relu {
        for group in 0..groups {
            for i in 0..n {
                let side = if raw.gates[group % gates][i] { 1.0 } else { -1.0 };
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
    let quadratic: Vec<_> = (0..n).map(|i| (residual + i, residual + i, 1.0)).collect();
    let mut linear = vec![0.0; variables];
    linear[norms..residual].fill(raw.beta);
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-11)
        .build()
        .expect("settings");
    let mut solver = DefaultSolver::new(
        &unzip(&quadratic, variables),
        &linear,
        &unzip(&triplets, row),
        &right,
        &cones,
        settings,
    )
    .expect("problem");
    solver.solve();
    assert!(
        matches!(
            solver.solution.status,
            SolverStatus::Solved | SolverStatus::AlmostSolved
        ),
        "{:?}",
        solver.solution.status
    );
    solver.solution.obj_val
}

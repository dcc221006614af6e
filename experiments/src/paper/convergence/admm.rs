//! ADMM by the book, on dense matrices.

use super::super::problem::Small;
use super::{BETA, RHO};
use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

/// Where the averages are.
pub struct Averages {
    /// `½‖F ū − y‖² + β Σ ‖v̄_g‖`
    pub objective: f64,
    /// `‖(ū − v̄, G ū − s̄)‖`
    pub feasibility: f64,
}

/// ADMM by the book; every system is solved exactly. `seen` gets the averages of every iteration.
pub fn admm(
    small: &Small,
    iterations: usize,
    mut seen: impl FnMut(usize, Averages),
) -> Result<(), String> {
    let (n, d, groups) = (small.x.nrows(), small.x.ncols(), small.groups());
    let f = small.f();
    let cones: Vec<Mat<f64>> = (0..groups).map(|g| small.cone(g)).collect();
    // G u, the blocks one below the other
    let g_times = |u: &Mat<f64>| {
        let mut all = Mat::zeros(n, groups);
        for (g, cone) in cones.iter().enumerate() {
            let product = cone * u.subrows(g * d, d);
            all.col_mut(g).copy_from(product.col(0));
        }
        all
    };
    // FᵀF + ρ (I + GᵀG), where GᵀG has XᵀX in every block
    let gram = small.x.transpose() * &small.x;
    let mut system = f.transpose() * &f;
    for g in 0..groups {
        for i in 0..d {
            for j in 0..d {
                let unit = if i == j { 1.0 } else { 0.0 };
                system[(g * d + i, g * d + j)] += RHO * (unit + gram[(i, j)]);
            }
        }
    }
    let factor = system
        .llt(Side::Lower)
        .map_err(|error| format!("the system cannot be factored: {error:?}"))?;
    let fty = f.transpose() * &small.y;
    let m = groups * d;
    let (mut v, mut lambda) = (Mat::<f64>::zeros(m, 1), Mat::<f64>::zeros(m, 1));
    let (mut s, mut nu) = (Mat::<f64>::zeros(n, groups), Mat::<f64>::zeros(n, groups));
    let (mut u_sum, mut v_sum) = (Mat::<f64>::zeros(m, 1), Mat::<f64>::zeros(m, 1));
    let mut s_sum = Mat::<f64>::zeros(n, groups);
    for k in 1..=iterations {
        // (FᵀF + ρ(I + GᵀG)) u = Fᵀy + ρ(v − λ) + ρGᵀ(s − ν)
        let mut right = &fty + faer::Scale(RHO) * (&v - &lambda);
        let pull = &s - &nu;
        for (g, cone) in cones.iter().enumerate() {
            let own = cone.transpose() * pull.subcols(g, 1);
            for i in 0..d {
                right[(g * d + i, 0)] += RHO * own[(i, 0)];
            }
        }
        let u = factor.solve(&right);
        // v = prox of (β/ρ)Σ‖·‖ at u + λ
        v = &u + &lambda;
        for g in 0..groups {
            let norm = v.subrows(g * d, d).norm_l2();
            let keep = (1.0 - BETA / (RHO * norm)).max(0.0);
            for i in 0..d {
                v[(g * d + i, 0)] *= keep;
            }
        }
        // s = (Gu + ν)₊
        let gu = g_times(&u);
        let shifted = &gu + &nu;
        s = Mat::from_fn(n, groups, |i, g| shifted[(i, g)].max(0.0));
        lambda += &u - &v;
        nu += &gu - &s;
        u_sum += &u;
        v_sum += &v;
        s_sum += &s;
        let mean = faer::Scale(1.0 / k as f64);
        let (u, v, s) = (mean * &u_sum, mean * &v_sum, mean * &s_sum);
        let residual = &f * &u - &small.y;
        let norms: f64 = (0..groups).map(|g| v.subrows(g * d, d).norm_l2()).sum();
        let apart = (&u - &v).norm_l2().hypot((g_times(&u) - &s).norm_l2());
        seen(
            k,
            Averages {
                objective: 0.5 * residual.squared_norm_l2() + BETA * norms,
                feasibility: apart,
            },
        );
    }
    Ok(())
}

//! A system of ADMM, its preconditioner, and what conjugate gradients need for it.

use super::super::problem::Small;
use super::{GATES, RHO, ROWS, TOLERANCE};
use cronos::nystrom::{Nystrom, Operator, Rank};
use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use serde_json::{Value, json};

/// `H` of the system `(H + I) u = b`, over all weights or over all rows.
fn system(key: &str, small: &Small) -> Result<Mat<f64>, String> {
    let (d, groups) = (small.x.ncols(), small.groups());
    let gram = small.x.transpose() * &small.x;
    if key == "weights" {
        // FᵀF / ρ + GᵀG
        let f = small.f();
        let mut h = faer::Scale(1.0 / RHO) * (f.transpose() * &f);
        for g in 0..groups {
            for i in 0..d {
                for j in 0..d {
                    h[(g * d + i, g * d + j)] += gram[(i, j)];
                }
            }
        }
        return Ok(h);
    }
    // (2/ρ) Σ D_i X M⁻¹ Xᵀ D_i, where M = I + XᵀX
    let m = Mat::from_fn(d, d, |i, j| gram[(i, j)] + if i == j { 1.0 } else { 0.0 });
    let m = m
        .llt(Side::Lower)
        .map_err(|error| format!("M cannot be factored: {error:?}"))?;
    let k = &small.x * m.solve(small.x.transpose().to_owned());
    let shared = |i: usize, j: usize| {
        let both = |&g: &usize| small.active(g, i) && small.active(g, j);
        (0..groups).filter(both).count() as f64
    };
    Ok(Mat::from_fn(ROWS, ROWS, |i, j| {
        shared(i, j) * k[(i, j)] / RHO
    }))
}

/// Iterations and bounds for some ranks.
pub fn measure(key: &str, ranks: &[usize], seed: u64) -> Result<Value, String> {
    let small = Small::new(ROWS, GATES, 1.0, seed)?;
    let h = system(key, &small)?;
    let size = h.nrows();
    let b = Mat::from_fn(size, 1, |i, _| ((i * 37 + 11) % 101) as f64 / 50.0 - 1.0);
    let mut points = Vec::new();
    for &rank in ranks.iter().filter(|&&rank| rank < size) {
        let sketch = match rank {
            0 => None,
            rank => Some(
                Nystrom::new(&mut Dense(&h), Rank::Fixed(rank), 1.0, seed)
                    .map_err(|error| error.to_string())?,
            ),
        };
        // κ ≤ λ_r + 1 + ‖H − UΛUᵀ‖
        let (mut rest, mut least) = (h.clone(), 0.0);
        if let Some(sketch) = &sketch {
            let u = Mat::from_fn(size, sketch.rank(), |i, j| sketch.vector(j)[i]);
            let values = sketch.eigenvalues();
            let scaled = Mat::from_fn(size, sketch.rank(), |i, j| u[(i, j)] * values[j]);
            rest -= scaled * u.transpose();
            least = values.last().copied().unwrap_or(0.0);
        }
        let values = rest
            .self_adjoint_eigenvalues(Side::Lower)
            .map_err(|error| format!("no eigenvalues: {error:?}"))?;
        let error = values.iter().fold(0.0, |a: f64, &b| a.max(b.abs()));
        let bound = least + 1.0 + error;
        // ‖x_t − x‖ falls by (√κ − 1)/(√κ + 1) in every iteration
        let root = bound.sqrt();
        let most = (TOLERANCE / (2.0 * root)).ln() / ((root - 1.0) / (root + 1.0)).ln();
        let iterations = conjugate_gradients(&h, &b, sketch.as_ref());
        points.push(json!([rank, iterations, bound, most]));
    }
    Ok(json!({ "size": size, "points": points }))
}

struct Dense<'a>(&'a Mat<f64>);

impl Operator<f64> for Dense<'_> {
    fn size(&self) -> usize {
        self.0.nrows()
    }

    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        let n = self.size();
        for (x, out) in x.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
            let product = self.0 * Mat::from_fn(n, 1, |i, _| x[i]);
            (0..n).for_each(|i| out[i] = product[(i, 0)]);
        }
    }
}

/// Iterations until the residual of `(H + I) x = b` is small.
fn conjugate_gradients(h: &Mat<f64>, b: &Mat<f64>, sketch: Option<&Nystrom<f64>>) -> usize {
    let apply = |x: &Mat<f64>| h * x + x;
    let precondition = |w: &Mat<f64>| {
        let mut z = w.clone();
        if let Some(sketch) = sketch {
            // (λ_r + 1) U (Λ + I)⁻¹ Uᵀ + (I − U Uᵀ)
            let values = sketch.eigenvalues();
            let least = values.last().copied().unwrap_or(0.0);
            for (j, value) in values.iter().enumerate() {
                let vector = sketch.vector(j);
                let along: f64 = vector.iter().enumerate().map(|(i, u)| u * w[(i, 0)]).sum();
                let factor = ((least + 1.0) / (value + 1.0) - 1.0) * along;
                vector
                    .iter()
                    .enumerate()
                    .for_each(|(i, u)| z[(i, 0)] += factor * u);
            }
        }
        z
    };
    let dot = |a: &Mat<f64>, b: &Mat<f64>| (a.transpose() * b)[(0, 0)];
    let mut w = b.clone();
    let mut z = precondition(&w);
    let mut p = z.clone();
    let mut rho = dot(&w, &z);
    for iteration in 0..10 * b.nrows() {
        if w.norm_l2() <= TOLERANCE * b.norm_l2() {
            return iteration;
        }
        let q = apply(&p);
        let alpha = rho / dot(&p, &q);
        w -= faer::Scale(alpha) * &q;
        z = precondition(&w);
        let next = dot(&w, &z);
        p = &z + faer::Scale(next / rho) * &p;
        rho = next;
    }
    10 * b.nrows()
}

#[cfg(test)]
mod tests {
    #[test]
    fn iterations_keep_to_the_bound_and_fall_with_the_rank() {
        let value = super::measure("rows", &[0, 10, 160], 0).unwrap();
        let points = value["points"].as_array().unwrap();
        let of = |at: usize, which: usize| points[at][which].as_f64().unwrap();
        for at in 0..3 {
            assert!(of(at, 1) <= of(at, 3).ceil(), "{value}");
        }
        assert!(of(1, 1) < of(0, 1) && of(2, 1) < of(1, 1), "{value}");
    }
}

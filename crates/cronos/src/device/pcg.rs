//! Preconditioned conjugate gradients for several systems at once, one in each row.

use super::link::Link;
use crate::pcg::Stop;
use burn::tensor::Tensor;

/// Solves `A x = b` from the guess `x`: systems x size. Returns the solution and the iterations.
pub(super) fn solve(
    apply: impl Fn(Tensor<2>) -> Tensor<2>,
    precondition: impl Fn(Tensor<2>) -> Tensor<2>,
    b: &Tensor<2>,
    mut x: Tensor<2>,
    stop: Stop,
    link: &Link,
) -> (Tensor<2>, usize) {
    let mut w = b.clone() - apply(x.clone());
    let mut z = precondition(w.clone());
    let mut p = z.clone();
    let mut rho = dot(&w, &z);
    let norms = link.numbers(vec![b.clone().square().sum(), w.clone().square().sum()]);
    let floor = 4.0 * f64::from(f32::EPSILON) * norms[0].sqrt();
    let mut residual = norms[1].sqrt();
    for iterations in 0..stop.most {
        if residual <= stop.tolerance.max(floor) || !residual.is_finite() {
            return (x, iterations);
        }
        let q = apply(p.clone());
        // α = wᵀz / pᵀAp
        let alpha = ratio(&rho, dot(&p, &q));
        x = x + alpha.clone() * p.clone();
        w = w - alpha * q;
        z = precondition(w.clone());
        // p = z + (w'ᵀz' / wᵀz) p
        let next = dot(&w, &z);
        p = z + ratio(&next, rho) * p;
        rho = next;
        residual = link.numbers(vec![w.clone().square().sum()])[0].sqrt();
    }
    (x, stop.most)
}

/// Of each row: systems x 1.
fn dot(a: &Tensor<2>, b: &Tensor<2>) -> Tensor<2> {
    (a.clone() * b.clone()).sum_dim(1)
}

/// `a / b`, and 0 where one of them is not above 0.
fn ratio(a: &Tensor<2>, b: Tensor<2>) -> Tensor<2> {
    let none = a.clone().min_pair(b.clone()).lower_equal_elem(0.0);
    (a.clone() / b.clone().mask_fill(none.clone(), 1.0)).mask_fill(none, 0.0)
}

//! Records of iterations as numbers.

use crate::admm::{Iteration, Seconds};
use crate::certificate::Certificate;
use crate::engine::Evaluation;

/// Numbers of an iteration.
const FIELDS: usize = 20;

pub(super) fn evaluation(of: &Evaluation) -> [f64; 3] {
    [of.objective, of.network_objective, of.violation]
}

/// Nothing but numbers that are none stands for no certificate.
pub(super) fn numbers(of: &Iteration) -> [f64; FIELDS] {
    let certificate = of.certificate.map_or([f64::NAN; 5], |certificate| {
        [
            certificate.objective,
            certificate.lower_bound,
            certificate.gap,
            certificate.violation,
            certificate.network_objective,
        ]
    });
    let [objective, lower_bound, gap, violation, network] = certificate;
    [
        of.number as f64,
        of.objective,
        of.violation,
        of.primal_residual,
        of.dual_residual,
        of.primal_norm,
        of.dual_norm,
        of.lower_bound,
        of.gap,
        of.rho,
        of.inner_iterations as f64,
        objective,
        lower_bound,
        gap,
        violation,
        network,
        of.seconds.setup,
        of.seconds.solve,
        of.seconds.sweep,
        of.seconds.check,
    ]
}

pub(super) fn iteration(of: &[f64; FIELDS]) -> Iteration {
    let certificate = Certificate {
        objective: of[11],
        lower_bound: of[12],
        gap: of[13],
        violation: of[14],
        network_objective: of[15],
    };
    Iteration {
        number: of[0] as usize,
        objective: of[1],
        violation: of[2],
        primal_residual: of[3],
        dual_residual: of[4],
        primal_norm: of[5],
        dual_norm: of[6],
        lower_bound: of[7],
        gap: of[8],
        rho: of[9],
        inner_iterations: of[10] as usize,
        certificate: (!of[11..16].iter().all(|number| number.is_nan())).then_some(certificate),
        seconds: Seconds {
            setup: of[16],
            solve: of[17],
            sweep: of[18],
            check: of[19],
        },
    }
}

//! What an iteration costs, counted: operations, and bytes between memory and processor.

#![allow(dead_code)]

/// n rows, d features, P gates, C outputs.
#[derive(Clone, Copy)]
pub struct Shape {
    pub n: usize,
    pub d: usize,
    pub gates: usize,
    pub outputs: usize,
}

/// Of one iteration.
#[derive(Clone, Copy)]
pub struct Cost {
    pub operations: f64,
    pub bytes: f64,
}

/// Passes over the wide arrays of an iteration if no two operations are made in one, and if all are.
pub const PASSES: [f64; 2] = [40.0, 4.0];

/// An iteration with so many inner iterations of `sample-pcg`; with `None` that of `direct`. Products
/// with X there and back for the slacks (2PC columns) and for the u-step (PC); M⁻¹ and S⁻¹ as two
/// matrices, which a device takes for whole though they are triangles.
pub fn iteration(shape: Shape, inner: Option<f64>, passes: f64) -> Cost {
    let [n, d, p, c] = [shape.n, shape.d, shape.gates, shape.outputs].map(|size| size as f64);
    let (half, wide) = (p * c, 2.0 * p * c);
    let products = |columns: f64| 4.0 * n * d * columns;
    let metric = |columns: f64| 4.0 * d * d * columns;
    let reading = 2.0 * n * d;
    let common = Cost {
        operations: products(wide) + products(half) + metric(wide) + metric(half),
        bytes: 4.0 * (2.0 * reading + passes * n * wide + 8.0 * d * wide + 4.0 * d * d),
    };
    match inner {
        None => Cost {
            operations: common.operations + 4.0 * n * n * c,
            bytes: common.bytes + 4.0 * 2.0 * n * n,
        },
        Some(inner) => {
            let times = inner + 1.0;
            let one = products(half) + metric(half) + 4.0 * 20.0 * n * c;
            Cost {
                operations: common.operations + times * one,
                bytes: common.bytes
                    + times * 4.0 * (reading + 0.5 * passes * n * half + 2.0 * d * d),
            }
        }
    }
}

/// Seconds at so many operations and bytes a second, whichever takes longer.
pub fn seconds(cost: Cost, operations: f64, bytes: f64) -> f64 {
    (cost.operations / operations).max(cost.bytes / bytes)
}

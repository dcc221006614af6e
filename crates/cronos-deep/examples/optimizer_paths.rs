//! Fifty steps of every optimizer on a fixed problem, for comparison with other programs:
//! a line for each step, with the name of the optimizer and all parameters after it.
//!
//! The gradient of parameter `i` at step `k` is `c_i (p_i − cos(0.3 i)) + 0.05 sin(0.9 k + i)`
//! with `c_i = (1 + i mod 5) / 5`; parameters start at `sin(i)`.

use cronos_deep::optim::{Layout, Method, Shampoo};
use std::io::{BufWriter, Write};

const STEPS: usize = 50;
const DECAY: f64 = 0.02;

fn main() -> std::io::Result<()> {
    let layout = Layout {
        shapes: vec![vec![12, 7], vec![7], vec![5, 3, 3, 3], vec![40, 9]],
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    for method in Method::ALL {
        let rate = if method.needs_rate() { 0.01 } else { 1.0 };
        let mut optimizer = match method {
            // its roots as fresh as the reference's, and not lost in rounding
            Method::Shampoo => {
                let mut shampoo = Shampoo::new(&layout, rate, DECAY, 1e-3);
                shampoo.every = 1;
                Box::new(shampoo)
            }
            _ => method.build(&layout, rate, DECAY),
        };
        let mut values: Vec<f32> = (0..layout.size())
            .map(|i| (i as f64).sin() as f32)
            .collect();
        for step in 0..STEPS {
            let slope = |(i, &p): (usize, &f32)| {
                let (at, time) = (i as f64, step as f64);
                let pull = (1 + i % 5) as f64 / 5.0 * (f64::from(p) - (0.3 * at).cos());
                (pull + 0.05 * (0.9 * time + at).sin()) as f32
            };
            let mut gradient: Vec<f32> = values.iter().enumerate().map(slope).collect();
            optimizer.step(&mut values, &mut gradient);
            write!(out, "{}", method.name())?;
            for value in &values {
                write!(out, " {value:e}")?;
            }
            writeln!(out)?;
        }
    }
    out.flush()
}

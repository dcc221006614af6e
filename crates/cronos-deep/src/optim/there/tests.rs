//! Steps next to those of the processor.

use super::build;
use crate::optim::{Layout, Method};
use crate::tensors::numbers;
use burn::tensor::{Device, Tensor, TensorData};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn steps_are_those_of_the_processor() {
    let device = Device::flex();
    let layout = Layout {
        shapes: vec![vec![6, 5], vec![7]],
    };
    let size = layout.size();
    for method in Method::ALL {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut draw = || -> Vec<f32> { (0..size).map(|_| rng.random_range(-1.0..1.0)).collect() };
        let rate = if method.needs_rate() { 0.01 } else { 1.0 };
        let mut here = method.build(&layout, rate, 0.1);
        let mut there = build(method, &layout, rate, 0.1, &device);
        let send = |values: &[f32]| -> Tensor<1> {
            Tensor::from_data(TensorData::new(values.to_vec(), [size]), &device)
        };
        let (start, target) = (draw(), draw());
        let (mut p, mut q) = (start.clone(), send(&start));
        for step in 0..100 {
            if step == 50 {
                // from here on as after a checkpoint
                let memory = here.memory();
                there = build(method, &layout, rate, 0.1, &device);
                assert!(there.resume(&memory));
            }
            let scale = 1.0 - step as f64 / 200.0;
            // of half the squared distance to the target, with some noise
            let mut gradient = draw();
            for ((g, p), target) in gradient.iter_mut().zip(&p).zip(&target) {
                *g = p - target + 0.1 * *g;
            }
            here.set_scale(scale);
            there.set_scale(scale);
            q = there.step(q, send(&gradient)).unwrap();
            here.step(&mut p, &mut gradient);
        }
        let moved = start.iter().zip(&p).map(|(a, b)| (a - b).abs());
        let moved = moved.fold(0.0f32, f32::max);
        assert!(moved > 0.02, "{method:?} moved by {moved}");
        let q = numbers(q).unwrap();
        for (p, q) in p.iter().zip(&q) {
            assert!(
                (p - q).abs() <= 1e-5 * moved.max(1.0),
                "{method:?}: {p} {q}"
            );
        }
    }
}

//! The kernels against the same layers as Burn modules.

use burn::tensor::{Device, Tensor, TensorData};
use cronos_deep::{Architecture, Features, Layers, parameters};

fn wave(at: usize) -> f32 {
    (at as f64 * 0.7 + (at * at % 97) as f64).sin() as f32
}

fn waves(from: usize, count: usize) -> Vec<f32> {
    (from..from + count).map(wave).collect()
}

/// Refuses a difference above 1e-5 of the largest number.
fn assert_close(what: &str, found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(0.0f32, |most, e| most.max(e.abs()));
    assert!(largest > 0.0, "{what}: nothing to compare");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (found - expected).abs() <= 1e-5 * largest,
            "{what}, {at}: {found} {expected}"
        );
    }
}

fn compare(name: &str, layers: Layers, rows: usize) {
    let device = Device::flex().autodiff();
    let columns = layers.input().iter().product();
    let (start, _) = parameters::read(&layers);
    // biases begin at 0, where they would hide a mistake
    let values: Vec<f32> = (start.iter().enumerate())
        .map(|(at, p)| p + 0.05 * wave(at))
        .collect();
    let layers = parameters::write(layers, &values);
    let x = waves(7, rows * columns);
    let f = layers.forward(Tensor::from_data(
        TensorData::new(x.clone(), [rows, columns]),
        &device,
    ));
    let [_, width] = f.dims();
    let pull = waves(3, rows * width);
    let factors = Tensor::from_data(TensorData::new(pull.clone(), [rows, width]), &device);
    let mut gradients = (f.clone() * factors).sum().backward();
    let mut expected = Vec::new();
    parameters::gradient(&layers, &mut gradients, &mut expected);

    let kernels = layers.kernels().unwrap();
    let f = f.into_data();
    let f = f.as_slice::<f32>().unwrap();
    assert_close(
        &format!("{name}: features"),
        &kernels.features(&values, &x),
        f,
    );
    let found = kernels.gradient(&values, &x, &pull);
    assert_close(&format!("{name}: gradient"), &found, &expected);
    // the threads change no bit
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        assert_eq!(pool.install(|| kernels.gradient(&values, &x, &pull)), found);
    }
}

#[test]
fn named_architectures() {
    let device = Device::flex().autodiff();
    for shape in [[3, 9, 7], [1, 5, 12], [2, 8, 8]] {
        for name in ["linear:5", "mlp:70,9", "cnn:3,5", "residual:3,4,6"] {
            let architecture: Architecture = name.parse().unwrap();
            let layers = architecture.build(&shape, 3, &device).unwrap();
            compare(&format!("{name} on {shape:?}"), layers, 19);
        }
    }
    let wide: Architecture = "mlp:300,150".parse().unwrap();
    compare("wide", wide.build(&[200], 3, &device).unwrap(), 200);
}

#[test]
fn layers_of_ones_own_choice() {
    let device = &Device::flex().autodiff();
    let seeded = |layers: Layers| {
        let (values, _) = parameters::read(&layers);
        parameters::write(layers, &waves(11, values.len()))
    };
    for shape in [[2, 11, 7], [1, 4, 5]] {
        let strided = Layers::new(&shape)
            .convolution(3, 3, device)
            .relu()
            .convolution(2, 2, device)
            .linear(4, device);
        compare("strides", seeded(strided), 9);
        let far = Layers::new(&shape)
            .convolution(7, 2, device)
            .convolution(13, 1, device)
            .convolution(10, 4, device)
            .relu()
            .residual(device);
        compare("far strides", seeded(far), 9);
        let pooled = Layers::new(&shape)
            .relu()
            .residual(device)
            .average_pool(3)
            .linear(6, device)
            .relu()
            .linear(3, device);
        compare("pools", seeded(pooled), 17);
        let averaged = Layers::new(&shape)
            .residual(device)
            .residual(device)
            .relu()
            .global_average();
        compare("means", seeded(averaged), 8);
        let quarters = Layers::new(&shape).residual(device).relu().quarters();
        compare("quarters", seeded(quarters), 8);
    }
    // one line of pixels, and one pixel
    let thin = Layers::new(&[2, 1, 1]).convolution(3, 2, device).relu();
    compare("a pixel", seeded(thin), 5);
    let line = Layers::new(&[6])
        .convolution(2, 2, device)
        .linear(3, device);
    compare("a line", seeded(line), 5);
}

//! Runs an ONNX encoder on stored inputs, for comparisons with other runtimes.
//!
//! ```text
//! onnx_encode FILE                                       its inputs and outputs
//! onnx_encode FILE tokens IDS.json OUT.f32 [RUNS]
//! onnx_encode FILE images PIXELS HEIGHT WIDTH CHANNELS SCALE OUT.f32 [RUNS]
//! ```

use cronos_deep::language::onnx::{Encoded, OnnxEncoder, PixelScale};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [file, task @ ..] = &arguments[..] else {
        return Err("onnx_encode FILE [tokens … | images …]".into());
    };
    let clock = Instant::now();
    let encoder = OnnxEncoder::open(Path::new(file))?;
    println!("opened in {:.3} s", clock.elapsed().as_secs_f64());
    match task {
        ["tokens", ids, out, runs @ ..] => {
            let ids: Vec<Vec<u32>> = serde_json::from_slice(&std::fs::read(ids)?)?;
            repeat(runs, out, || encoder.encode_tokens(&ids))
        }
        [
            "images",
            pixels,
            height,
            width,
            channels,
            scale,
            out,
            runs @ ..,
        ] => {
            let pixels = std::fs::read(pixels)?;
            let size = [height.parse()?, width.parse()?, channels.parse()?];
            let count = pixels.len() / size.iter().product::<usize>().max(1);
            let scale = match *scale {
                "unit" => PixelScale::Unit,
                "symmetric" => PixelScale::Symmetric,
                "imagenet" => PixelScale::ImageNet,
                // that of EfficientNet-Lite
                _ => PixelScale::Channels {
                    mean: vec![127.0; size[2]],
                    deviation: vec![128.0; size[2]],
                },
            };
            repeat(runs, out, || {
                encoder.encode_images(&pixels, count, size, &scale)
            })
        }
        _ => {
            for port in encoder.inputs() {
                println!(
                    "input {} {:?} {}",
                    port.name,
                    port.entries,
                    port.shape_text()
                );
            }
            for port in encoder.outputs() {
                println!(
                    "output {} {:?} {}",
                    port.name,
                    port.entries,
                    port.shape_text()
                );
            }
            Ok(())
        }
    }
}

/// Runs, writes the numbers and prints the fastest time.
fn repeat(
    runs: &[&str],
    out: &str,
    run: impl Fn() -> Result<Encoded, cronos::Error>,
) -> Result<(), Box<dyn Error>> {
    let runs: usize = runs.first().map_or(Ok(1), |runs| runs.parse())?;
    let mut fastest = f64::INFINITY;
    let mut encoded = Encoded::default();
    for _ in 0..runs.max(1) {
        let clock = Instant::now();
        encoded = run()?;
        fastest = fastest.min(clock.elapsed().as_secs_f64());
    }
    println!("{:?} in {fastest:.4} s", encoded.shape);
    let bytes: Vec<u8> = (encoded.values.iter())
        .flat_map(|value| value.to_le_bytes())
        .collect();
    std::fs::write(out, bytes)?;
    Ok(())
}

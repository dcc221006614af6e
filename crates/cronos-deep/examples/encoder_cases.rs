//! What transformers compute, for a comparison with other software: `encoder_cases FOLDER…`.
//!
//! Each folder holds a model, or `model.gguf`, and `inputs.json`: token lists, the length they are
//! filled up to, the token that fills up. What comes out is written to `ours.safetensors` there,
//! for `model.gguf` without gradients. A folder that holds `texts.json` has a tokenizer, and what
//! it makes of the texts is written to `tokens.json`.

use cronos_deep::language::transformer::{Batch, Family, Tape, Transformer};
use cronos_deep::language::{Encoder, Tokens};
use safetensors::tensor::{Dtype, TensorView};
use serde_json::Value;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    for folder in std::env::args().skip(1) {
        let folder = Path::new(&folder);
        match folder.join("texts.json").is_file() {
            true => tokens(folder)?,
            false => case(folder)?,
        }
    }
    Ok(())
}

fn tokens(folder: &Path) -> Result<(), Box<dyn Error>> {
    let texts: Vec<String> =
        serde_json::from_str(&std::fs::read_to_string(folder.join("texts.json"))?)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let tokens = Tokens::open(folder)?.encode(&texts, usize::MAX)?;
    std::fs::write(folder.join("tokens.json"), serde_json::to_string(&tokens)?)?;
    Ok(())
}

fn case(folder: &Path) -> Result<(), Box<dyn Error>> {
    let gguf = folder.join("model.gguf");
    let (transformer, parameters) = match gguf.is_file() {
        true => {
            let encoder = Encoder::open(&gguf)?;
            (encoder.transformer().clone(), encoder.parameters().to_vec())
        }
        false => Transformer::open(folder)?,
    };
    let inputs: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("inputs.json"))?)?;
    let texts: Vec<Vec<u32>> = serde_json::from_value(inputs["texts"].clone())?;
    let length = inputs["length"].as_u64().ok_or("no length")? as usize;
    let filler = inputs["filler"].as_u64().ok_or("no filler")? as u32;
    let batch = Batch::filled(texts.iter().map(Vec::as_slice), length, filler)?;
    let width = transformer.config().width;
    let states = transformer.states(&parameters, &batch);
    let mut tensors = vec![(
        "states".to_string(),
        vec![texts.len(), length, width],
        states,
    )];
    let mut gradient = vec![0.0; transformer.parameters()];
    let mut tape = Tape::default();
    transformer.forward(&parameters, &batch, &mut tape);
    transformer.clear(&mut gradient);
    let (loss, mut pull) = match transformer.config().family {
        // ½ the mean of the squared states of real tokens
        Family::Bert => {
            let mut pull = vec![0.0; tape.states().len()];
            let mut loss = 0.0;
            let count: usize = texts.iter().map(|text| text.len() * width).sum();
            for (range, real) in batch.texts() {
                let own = range.start * width..(range.start + real) * width;
                for at in own {
                    let state = tape.states()[at];
                    loss += 0.5 * f64::from(state * state) / count as f64;
                    pull[at] = state / count as f32;
                }
            }
            (loss, pull)
        }
        _ => {
            let scores = transformer.scores(&parameters, tape.states());
            let shape = vec![texts.len(), length, transformer.config().vocabulary];
            tensors.push(("scores".into(), shape, scores));
            transformer.next_token_loss(&parameters, &batch, tape.states(), Some(&mut gradient))
        }
    };
    transformer.backward(&parameters, &batch, &mut tape, &mut pull, &mut gradient);
    tensors.push(("loss".into(), vec![1], vec![loss as f32]));
    for slot in transformer.slots().into_iter().filter(|_| !gguf.is_file()) {
        let own = slot.take(&gradient);
        tensors.push((format!("gradient.{}", slot.name), slot.shape, own));
    }
    let bytes: Vec<Vec<u8>> = tensors
        .iter()
        .map(|(.., values)| {
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect()
        })
        .collect();
    let mut views = Vec::new();
    for ((name, shape, _), bytes) in tensors.iter().zip(&bytes) {
        views.push((
            name.as_str(),
            TensorView::new(Dtype::F32, shape.clone(), bytes)?,
        ));
    }
    safetensors::serialize_to_file(views, None, &folder.join("ours.safetensors"))?;
    Ok(())
}

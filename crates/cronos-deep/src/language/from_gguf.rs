//! A Llama from a GGUF file, which holds its sizes, its tokenizer and its weights.

use super::encoder::Encoder;
use super::gguf::Gguf;
use super::tokens::Tokens;
use super::transformer::{Activation, Config, Family, Slot, Transformer};
use cronos::Error;
use std::path::Path;

/// Parts of a block by their names elsewhere and in GGUF files.
const PARTS: [(&str, &str); 9] = [
    ("input_layernorm", "attn_norm"),
    ("self_attn.q_proj", "attn_q"),
    ("self_attn.k_proj", "attn_k"),
    ("self_attn.v_proj", "attn_v"),
    ("self_attn.o_proj", "attn_output"),
    ("post_attention_layernorm", "ffn_norm"),
    ("mlp.gate_proj", "ffn_gate"),
    ("mlp.up_proj", "ffn_up"),
    ("mlp.down_proj", "ffn_down"),
];

/// Whether a path names such a file.
pub(super) fn is_one(path: &Path) -> bool {
    path.is_file()
        && path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("gguf"))
}

/// Reads the whole encoder.
pub(super) fn open(path: &Path) -> Result<Encoder, Error> {
    let file = Gguf::open(path)?;
    let config = config(&file, path)?;
    let tokens = Tokens::of(file.tokenizer()?);
    let transformer = Transformer::new(config);
    let mut parameters = vec![0.0; transformer.parameters()];
    for slot in transformer.slots() {
        let name = name(&slot.name);
        let (shape, mut tensor) = file.tensor(&name)?;
        if shape != slot.shape {
            return Err(Error::Format(format!(
                "{}: {name} has the shape {shape:?}, but the sizes in the file make it {:?}; get \
                 the file again",
                path.display(),
                slot.shape
            )));
        }
        if let Some(at) = tensor.iter().position(|number| !number.is_finite()) {
            return Err(Error::Format(format!(
                "{}: number {at} of {name} is not finite; get the file again",
                path.display()
            )));
        }
        if name.ends_with("attn_q.weight") || name.ends_with("attn_k.weight") {
            let config = transformer.config();
            tensor = halves(&tensor, &slot, config.width / config.heads);
        }
        slot.put(&tensor, &mut parameters);
    }
    Encoder::new(transformer, parameters, tokens)
}

fn config(file: &Gguf, path: &Path) -> Result<Config, Error> {
    let kind = file.get_str("general.architecture")?;
    if kind != "llama" {
        return Err(Error::Format(format!(
            "{}: its architecture is {kind:?}; of GGUF files only llama is known, others as \
             safetensors or ONNX",
            path.display()
        )));
    }
    let size = |name: &str| -> Result<usize, Error> {
        Ok(file.get_u32(&format!("llama.{name}"))? as usize)
    };
    let heads = size("attention.head_count")?;
    let key_heads = match file.has("llama.attention.head_count_kv") {
        true => size("attention.head_count_kv")?,
        false => heads,
    };
    let rotation = match file.has("llama.rope.freq_base") {
        true => f64::from(file.get_f32("llama.rope.freq_base")?),
        false => 10_000.0,
    };
    let config = Config {
        family: Family::Llama,
        vocabulary: file.get_strings("tokenizer.ggml.tokens")?.len(),
        width: size("embedding_length")?,
        blocks: size("block_count")?,
        heads,
        key_heads,
        inner: size("feed_forward_length")?,
        positions: size("context_length")?,
        kinds: 0,
        epsilon: file.get_f32("llama.attention.layer_norm_rms_epsilon")?,
        activation: Activation::SiluGated,
        rotation,
        tied: !file.has_tensor("output.weight"),
        end: file.get_u32("tokenizer.ggml.eos_token_id").ok(),
    };
    config.check()?;
    Ok(config)
}

/// The name that a tensor has in GGUF files.
fn name(own: &str) -> String {
    match own {
        "embed_tokens.weight" => return "token_embd.weight".into(),
        "norm.weight" => return "output_norm.weight".into(),
        "lm_head.weight" => return "output.weight".into(),
        _ => {}
    }
    let mut name = own.replacen("layers.", "blk.", 1);
    for (part, other) in PARTS {
        name = name.replace(part, other);
    }
    name
}

/// Rows of queries and keys in the order in which pairs that are rotated together stand half a
/// head apart. In GGUF files they are neighbours.
fn halves(tensor: &[f32], slot: &Slot, size: usize) -> Vec<f32> {
    let columns = slot.shape[1];
    let half = size / 2;
    (0..slot.shape[0])
        .flat_map(|row| {
            let (head, at) = (row / size, row % size);
            let from = head * size + 2 * (at % half) + at / half;
            &tensor[from * columns..][..columns]
        })
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_gguf_files() {
        for (own, other) in [
            ("embed_tokens.weight", "token_embd.weight"),
            ("layers.11.self_attn.q_proj.weight", "blk.11.attn_q.weight"),
            (
                "layers.0.post_attention_layernorm.weight",
                "blk.0.ffn_norm.weight",
            ),
            ("norm.weight", "output_norm.weight"),
        ] {
            assert_eq!(name(own), other);
        }
    }
}

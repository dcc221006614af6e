//! The names that tensors have in published files, and where each stands among the parameters.

use super::Transformer;
use super::block::Block;
use super::config::{Activation, Config, Family};
use super::norm::Norm;
use crate::kernels::Linear;

/// A tensor of a file, and its place: `rows x columns` numbers, one row every `stride`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its name, without the prefix that some files have.
    pub name: String,
    /// Its shape in the file.
    pub shape: Vec<usize>,
    first: usize,
    rows: usize,
    columns: usize,
    stride: usize,
    /// Whether the file has columns where the parameters have rows.
    turned: bool,
}

impl Slot {
    /// Copies a tensor, as it stands in a file, to its place.
    pub fn put(&self, tensor: &[f32], parameters: &mut [f32]) {
        for row in 0..self.rows {
            let own = &mut parameters[self.first + row * self.stride..][..self.columns];
            match self.turned {
                true => (own.iter_mut().zip(tensor[row..].iter().step_by(self.rows)))
                    .for_each(|(own, value)| *own = *value),
                false => own.copy_from_slice(&tensor[row * self.columns..][..self.columns]),
            }
        }
    }

    /// The tensor as it stands in a file.
    pub fn take(&self, parameters: &[f32]) -> Vec<f32> {
        let at = |row: usize, column: usize| parameters[self.first + row * self.stride + column];
        match self.turned {
            true => (0..self.columns)
                .flat_map(|column| (0..self.rows).map(move |row| at(row, column)))
                .collect(),
            false => (0..self.rows)
                .flat_map(|row| (0..self.columns).map(move |column| at(row, column)))
                .collect(),
        }
    }

    fn vector(name: String, first: usize, size: usize) -> Self {
        Self {
            shape: vec![size],
            ..Self::matrix(name, first, [1, size])
        }
    }

    fn matrix(name: String, first: usize, [rows, columns]: [usize; 2]) -> Self {
        Self {
            name,
            shape: vec![rows, columns],
            first,
            rows,
            columns,
            stride: columns,
            turned: false,
        }
    }
}

/// Collects slots under names.
struct Names(Vec<Slot>);

impl Names {
    fn norm(&mut self, name: &str, norm: &Norm) {
        self.0.push(Slot::vector(
            format!("{name}.weight"),
            norm.first,
            norm.width,
        ));
        if norm.centred {
            let bias = norm.first + norm.width;
            self.0
                .push(Slot::vector(format!("{name}.bias"), bias, norm.width));
        }
    }

    /// A linear layer as the file has it, or turned.
    fn linear(&mut self, name: &str, linear: &Linear, turned: bool) {
        self.part(name, linear, 0, linear.outputs, turned);
    }

    /// Some outputs of a linear layer.
    fn part(&mut self, name: &str, linear: &Linear, from: usize, outputs: usize, turned: bool) {
        let shape = match turned {
            true => vec![outputs, linear.inputs],
            false => vec![linear.inputs, outputs],
        };
        self.0.push(Slot {
            name: format!("{name}.weight"),
            shape,
            first: linear.first + from,
            rows: linear.inputs,
            columns: outputs,
            stride: linear.outputs,
            turned,
        });
        if linear.bias {
            let bias = linear.first + linear.inputs * linear.outputs + from;
            self.0
                .push(Slot::vector(format!("{name}.bias"), bias, outputs));
        }
    }
}

impl Transformer {
    /// Every tensor that a file must have; together they are all parameters.
    pub fn slots(&self) -> Vec<Slot> {
        let config = &self.config;
        let table =
            |name: &str, first, rows| Slot::matrix(name.into(), first, [rows, config.width]);
        let (tokens, positions) = match config.family {
            Family::Gpt2 => ("wte.weight", "wpe.weight"),
            Family::Bert => (
                "embeddings.word_embeddings.weight",
                "embeddings.position_embeddings.weight",
            ),
            Family::Llama => ("embed_tokens.weight", ""),
        };
        let mut names = Names(vec![table(tokens, 0, config.vocabulary)]);
        if let Some(first) = self.positions {
            names.0.push(table(positions, first, config.positions));
        }
        if let Some(first) = self.kinds {
            let name = "embeddings.token_type_embeddings.weight";
            names.0.push(table(name, first, config.kinds));
        }
        if let Some(norm) = &self.embedding_norm {
            names.norm("embeddings.LayerNorm", norm);
        }
        for (at, block) in self.blocks.iter().enumerate() {
            match config.family {
                Family::Gpt2 => gpt2(&mut names, at, block),
                Family::Bert => bert(&mut names, at, block),
                Family::Llama => llama(&mut names, at, block, config),
            }
        }
        if let Some(norm) = &self.last_norm {
            let name = match config.family {
                Family::Gpt2 => "ln_f",
                _ => "norm",
            };
            names.norm(name, norm);
        }
        if !config.tied {
            names
                .0
                .push(table("lm_head.weight", self.head, config.vocabulary));
        }
        names.0
    }
}

fn gpt2(names: &mut Names, at: usize, block: &Block) {
    let name = |part: &str| format!("h.{at}.{part}");
    names.norm(&name("ln_1"), &block.first_norm);
    names.linear(&name("attn.c_attn"), &block.qkv, false);
    names.linear(&name("attn.c_proj"), &block.project, false);
    names.norm(&name("ln_2"), &block.second_norm);
    names.linear(&name("mlp.c_fc"), &block.up, false);
    names.linear(&name("mlp.c_proj"), &block.down, false);
}

fn bert(names: &mut Names, at: usize, block: &Block) {
    let name = |part: &str| format!("encoder.layer.{at}.{part}");
    let width = block.qkv.inputs;
    for (which, part) in ["query", "key", "value"].into_iter().enumerate() {
        let name = name(&format!("attention.self.{part}"));
        names.part(&name, &block.qkv, which * width, width, true);
    }
    names.linear(&name("attention.output.dense"), &block.project, true);
    names.norm(&name("attention.output.LayerNorm"), &block.first_norm);
    names.linear(&name("intermediate.dense"), &block.up, true);
    names.linear(&name("output.dense"), &block.down, true);
    names.norm(&name("output.LayerNorm"), &block.second_norm);
}

fn llama(names: &mut Names, at: usize, block: &Block, config: &Config) {
    let name = |part: &str| format!("layers.{at}.{part}");
    let size = config.head_size();
    let (queries, keys) = (config.heads * size, config.key_heads * size);
    names.norm(&name("input_layernorm"), &block.first_norm);
    names.part(&name("self_attn.q_proj"), &block.qkv, 0, queries, true);
    names.part(&name("self_attn.k_proj"), &block.qkv, queries, keys, true);
    names.part(
        &name("self_attn.v_proj"),
        &block.qkv,
        queries + keys,
        keys,
        true,
    );
    names.linear(&name("self_attn.o_proj"), &block.project, true);
    names.norm(&name("post_attention_layernorm"), &block.second_norm);
    debug_assert_eq!(block.activation, Activation::SiluGated);
    names.part(&name("mlp.gate_proj"), &block.up, 0, config.inner, true);
    names.part(
        &name("mlp.up_proj"),
        &block.up,
        config.inner,
        config.inner,
        true,
    );
    names.linear(&name("mlp.down_proj"), &block.down, true);
}

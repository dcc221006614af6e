//! A block of a transformer: attention, then two inner layers, each added to what went in.

use super::attention::Attention;
use super::batch::Batch;
use super::config::{Activation, Config, Family};
use super::norm::Norm;
use super::pointwise::{activate, deactivate};
use crate::kernels::{Linear, Rows};
use rayon::prelude::*;

/// Numbers that a thread adds at a time.
const PART: usize = 1 << 14;

/// The layers of a block.
///
/// ```text
/// before:  m = x + project(attention(qkv(norm(x))))     y = m + down(activation(up(norm(m))))
/// behind:  m = norm(x + project(attention(qkv(x))))     y = norm(m + down(activation(up(m))))
/// ```
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub first_norm: Norm,
    pub qkv: Linear,
    pub attention: Attention,
    pub project: Linear,
    pub second_norm: Norm,
    pub up: Linear,
    pub activation: Activation,
    pub down: Linear,
    /// Whether normalisations stand behind the sums instead of before the layers.
    pub behind: bool,
}

/// What a block keeps of a batch for the way back.
#[derive(Default)]
pub(super) struct Kept {
    pub x: Vec<f32>,
    /// The normalised input, or the sum before it is normalised.
    first: Vec<f32>,
    qkv: Vec<f32>,
    mixed: Vec<f32>,
    middle: Vec<f32>,
    second: Vec<f32>,
    up: Vec<f32>,
    active: Vec<f32>,
}

/// Room for gradients on the way back.
#[derive(Default)]
pub(super) struct Room {
    one: Vec<f32>,
    other: Vec<f32>,
}

impl Block {
    /// The block whose parameters begin at `first`, in the order of the fields.
    pub fn new(config: &Config, first: usize) -> Self {
        let centred = config.family != Family::Llama;
        let mut at = first;
        let norm = |at: &mut usize| {
            let norm = Norm {
                width: config.width,
                first: *at,
                centred,
                epsilon: config.epsilon,
            };
            *at += norm.size();
            norm
        };
        let linear = |at: &mut usize, inputs: usize, outputs: usize| {
            let linear = Linear {
                inputs,
                outputs,
                first: *at,
                bias: centred,
            };
            *at += linear.size();
            linear
        };
        let attention = Attention {
            heads: config.heads,
            key_heads: config.key_heads,
            size: config.head_size(),
            causal: config.family != Family::Bert,
            rotation: (config.family == Family::Llama).then_some(config.rotation),
        };
        let raised = match config.activation {
            Activation::SiluGated => 2 * config.inner,
            _ => config.inner,
        };
        Self {
            first_norm: norm(&mut at),
            qkv: linear(&mut at, config.width, attention.inputs()),
            project: linear(&mut at, attention.outputs(), config.width),
            attention,
            second_norm: norm(&mut at),
            up: linear(&mut at, config.width, raised),
            activation: config.activation,
            down: linear(&mut at, config.inner, config.width),
            behind: config.family == Family::Bert,
        }
    }

    pub fn size(&self) -> usize {
        self.first_norm.size()
            + self.qkv.size()
            + self.project.size()
            + self.second_norm.size()
            + self.up.size()
            + self.down.size()
    }

    /// Numbers that are kept of a token.
    pub fn kept(&self) -> usize {
        let (width, inner) = (self.qkv.inputs, self.down.inputs);
        4 * width + self.qkv.outputs + self.project.inputs + self.up.outputs + inner
    }

    /// From `kept.x` to `y`.
    pub fn forward(&self, parameters: &[f32], batch: &Batch, kept: &mut Kept, y: &mut Vec<f32>) {
        let Kept {
            x,
            first,
            qkv,
            mixed,
            middle,
            second,
            up,
            active,
        } = kept;
        let width = self.qkv.inputs;
        if self.behind {
            self.qkv.forward(parameters, Rows::packed(x, width), qkv);
        } else {
            self.first_norm.forward(parameters, x, first);
            self.qkv
                .forward(parameters, Rows::packed(first, width), qkv);
        }
        self.attention.rotate(batch, qkv, false);
        self.attention.forward(batch, qkv, mixed);
        let mixed = Rows::packed(mixed, self.project.inputs);
        if self.behind {
            self.project.forward(parameters, mixed, first);
            add(first, x);
            self.first_norm.forward(parameters, first, middle);
            self.up.forward(parameters, Rows::packed(middle, width), up);
        } else {
            self.project.forward(parameters, mixed, middle);
            add(middle, x);
            self.second_norm.forward(parameters, middle, second);
            self.up.forward(parameters, Rows::packed(second, width), up);
        }
        activate(self.activation, self.up.outputs, up, active);
        let active = Rows::packed(active, self.down.inputs);
        if self.behind {
            self.down.forward(parameters, active, second);
            add(second, middle);
            self.second_norm.forward(parameters, second, y);
        } else {
            self.down.forward(parameters, active, y);
            add(y, middle);
        }
    }

    /// Makes of the gradient in what came out that in what went in, and writes that in the
    /// parameters.
    pub fn backward(
        &self,
        parameters: &[f32],
        batch: &Batch,
        kept: &Kept,
        pull: &mut Vec<f32>,
        gradient: &mut [f32],
        room: &mut Room,
    ) {
        let Room { one, other } = room;
        let width = self.qkv.inputs;
        if self.behind {
            self.second_norm
                .replace(parameters, &kept.second, pull, gradient, one);
        }
        let active = Rows::packed(&kept.active, self.down.inputs);
        self.down
            .backward(parameters, active, pull, gradient, Some(one));
        deactivate(self.activation, self.up.outputs, &kept.up, one, other);
        let seen = if self.behind {
            &kept.middle
        } else {
            &kept.second
        };
        self.up.backward(
            parameters,
            Rows::packed(seen, width),
            other,
            gradient,
            Some(one),
        );
        if self.behind {
            add(pull, one);
            self.first_norm
                .replace(parameters, &kept.first, pull, gradient, one);
        } else {
            self.second_norm
                .backward(parameters, &kept.middle, one, gradient, pull);
        }
        let mixed = Rows::packed(&kept.mixed, self.project.inputs);
        self.project
            .backward(parameters, mixed, pull, gradient, Some(one));
        self.attention.backward(batch, &kept.qkv, one, other);
        self.attention.rotate(batch, other, true);
        let seen = if self.behind { &kept.x } else { &kept.first };
        self.qkv.backward(
            parameters,
            Rows::packed(seen, width),
            other,
            gradient,
            Some(one),
        );
        if self.behind {
            add(pull, one);
        } else {
            self.first_norm
                .backward(parameters, &kept.x, one, gradient, pull);
        }
    }
}

fn add(sum: &mut [f32], term: &[f32]) {
    (sum.par_chunks_mut(PART).zip(term.par_chunks(PART))).for_each(|(sum, term)| {
        sum.iter_mut()
            .zip(term)
            .for_each(|(sum, term)| *sum += term)
    });
}

//! The same layers as a Burn module: for devices, and for whoever trains with Burn.
//!
//! Its parameters come in the order of the slice that [`Transformer`] takes, so
//! [`parameters::read`](crate::parameters::read) and [`write`](crate::parameters::write) go from one to
//! the other. Short texts are filled up.

use super::config::{Activation, Config, Family};
use super::{Batch, Transformer};
use crate::parameters;
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::activation::{gelu, gelu_approximate, log_softmax, silu, softmax};
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};
use cronos::Error;

/// Scores of tokens that are not looked at.
const HIDDEN: f32 = -1e30;

/// A transformer on a device.
#[derive(Module, Debug)]
pub struct TransformerModule {
    tokens: Param<Tensor<2>>,
    positions: Option<Param<Tensor<2>>>,
    kinds: Option<Param<Tensor<2>>>,
    embedding_norm: Option<NormModule>,
    blocks: Vec<BlockModule>,
    last_norm: Option<NormModule>,
    head: Option<Param<Tensor<2>>>,
    #[module(skip)]
    config: Config,
}

/// `w (x − mean) / √(variance + ε) + b`, or `w x / √(mean of squares + ε)`.
#[derive(Module, Debug)]
struct NormModule {
    weight: Param<Tensor<1>>,
    bias: Option<Param<Tensor<1>>>,
    epsilon: f64,
}

#[derive(Module, Debug)]
struct BlockModule {
    first_norm: NormModule,
    qkv: Linear,
    project: Linear,
    second_norm: NormModule,
    up: Linear,
    down: Linear,
}

/// Texts of one length, as the module takes them.
pub struct Padded {
    /// texts x length
    tokens: Tensor<2, Int>,
    /// Which tokens may not be looked at: texts x 1 x length or 1 x length
    hidden: Tensor<4, Bool>,
    /// Where a token has a next one, and that: texts x length
    has_next: Tensor<2>,
    next: Tensor<2, Int>,
}

impl Transformer {
    /// The same layers as a module on a device, with these parameters.
    pub fn module(&self, parameters: &[f32], device: &Device) -> TransformerModule {
        let config = self.config();
        let table = |rows: usize| -> Param<Tensor<2>> {
            Param::from_tensor(Tensor::zeros([rows, config.width], device))
        };
        let norm = || NormModule::new(config, device);
        let bert = config.family == Family::Bert;
        let module = TransformerModule {
            tokens: table(config.vocabulary),
            positions: (config.family != Family::Llama).then(|| table(config.positions)),
            kinds: (config.kinds > 0).then(|| table(config.kinds)),
            embedding_norm: bert.then(norm),
            blocks: (0..config.blocks)
                .map(|_| BlockModule::new(config, device))
                .collect(),
            last_norm: (!bert).then(norm),
            head: (!config.tied).then(|| table(config.vocabulary)),
            config: config.clone(),
        };
        parameters::write(module, parameters)
    }
}

impl TransformerModule {
    /// A batch whose texts all have one length, for this module; see [`Batch::filled`].
    pub fn pad(&self, batch: &Batch) -> Result<Padded, Error> {
        let (config, device) = (&self.config, &self.tokens.val().device());
        let causal = config.family != Family::Bert;
        let count = batch.texts.len();
        let length = batch.texts.first().map_or(0, |text| text.length);
        if let Some(other) = batch.texts.iter().find(|text| text.length != length) {
            return Err(Error::Data(format!(
                "texts of {length} and of {} tokens; fill them up to one length",
                other.length
            )));
        }
        if length == 0 || length > config.positions {
            return Err(Error::Data(format!(
                "texts of {length} tokens; this transformer takes 1 to {}",
                config.positions
            )));
        }
        if let Some(token) = (batch.tokens.iter()).find(|&&t| t as usize >= config.vocabulary) {
            return Err(Error::Data(format!(
                "there is no token {token}; there are {}",
                config.vocabulary
            )));
        }
        let whole = |tokens: Vec<i64>| {
            let data = TensorData::new(tokens, [count, length]);
            Tensor::<2, Int>::from_data(data, device)
        };
        let looks = if causal { length } else { 1 };
        let mut hidden = Vec::with_capacity(count * looks * length);
        let (mut next, mut has_next) = (Vec::new(), Vec::new());
        for text in &batch.texts {
            for at in 0..looks {
                let seen = if causal {
                    text.real.min(at + 1)
                } else {
                    text.real
                };
                hidden.extend((0..length).map(|other| other >= seen));
            }
            for at in 0..length {
                let follows = at + 1 < text.real;
                has_next.push(if follows { 1.0f32 } else { 0.0 });
                let token = if follows {
                    batch.tokens[text.first + at + 1]
                } else {
                    0
                };
                next.push(i64::from(token));
            }
        }
        let tokens = batch.tokens.iter().map(|&token| i64::from(token)).collect();
        Ok(Padded {
            tokens: whole(tokens),
            hidden: Tensor::from_data(TensorData::new(hidden, [count, 1, looks, length]), device),
            has_next: Tensor::from_data(TensorData::new(has_next, [count, length]), device),
            next: whole(next),
        })
    }

    /// The last hidden states: texts x length x width.
    pub fn forward(&self, batch: &Padded) -> Tensor<3> {
        let [count, length] = batch.tokens.dims();
        let width = self.config.width;
        let tokens = batch.tokens.clone().reshape([count * length]);
        let embedded = self.tokens.val().select(0, tokens);
        let mut sums = embedded.reshape([count, length, width]);
        if let Some(positions) = &self.positions {
            let first = positions.val().slice(0..length);
            sums = sums + first.reshape([1, length, width]);
        }
        if let Some(kinds) = &self.kinds {
            let first = kinds.val().slice(0..1);
            sums = sums + first.reshape([1, 1, width]);
        }
        let mut x = sums.reshape([count * length, width]);
        if let Some(norm) = &self.embedding_norm {
            x = norm.forward(x);
        }
        let turns = self.turns(length);
        for block in &self.blocks {
            x = block.forward(x, batch, &self.config, turns.as_ref());
        }
        if let Some(norm) = &self.last_norm {
            x = norm.forward(x);
        }
        x.reshape([count, length, width])
    }

    /// The mean of `−ln` of the probability of the next token, over all tokens that have one.
    pub fn next_token_loss(&self, states: Tensor<3>, batch: &Padded) -> Tensor<1> {
        let [count, length, width] = states.dims();
        let head = self.head.as_ref().unwrap_or(&self.tokens).val();
        let scores = states
            .reshape([count * length, width])
            .matmul(head.transpose());
        let next = batch.next.clone().reshape([count * length, 1]);
        let chances = log_softmax(scores, 1).gather(1, next);
        let counted = batch.has_next.clone().reshape([count * length, 1]);
        let total = counted.clone().sum().clamp_min(1.0);
        (chances * counted).sum().neg() / total
    }

    /// Cosines and sines of the angles of all positions: 1 x 1 x length x half a head.
    fn turns(&self, length: usize) -> Option<[Tensor<4>; 2]> {
        let config = &self.config;
        if config.family != Family::Llama {
            return None;
        }
        let size = config.head_size();
        let angle = |at: usize| {
            let (position, j) = (at / (size / 2), at % (size / 2));
            position as f64 * config.rotation.powf(-2.0 * j as f64 / size as f64)
        };
        let table = |turn: fn(f64) -> f64| {
            let values: Vec<f32> = (0..length * (size / 2))
                .map(|at| turn(angle(at)) as f32)
                .collect();
            let data = TensorData::new(values, [1, 1, length, size / 2]);
            Tensor::from_data(data, &self.tokens.val().device())
        };
        Some([table(f64::cos), table(f64::sin)])
    }
}

impl NormModule {
    fn new(config: &Config, device: &Device) -> Self {
        let vector = || Param::from_tensor(Tensor::zeros([config.width], device));
        Self {
            weight: vector(),
            bias: (config.family != Family::Llama).then(vector),
            epsilon: f64::from(config.epsilon),
        }
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let x = match self.bias {
            Some(_) => x.clone() - x.mean_dim(1),
            None => x,
        };
        let deviation = (x.clone().square().mean_dim(1) + self.epsilon).sqrt();
        let y = x / deviation * self.weight.val().unsqueeze::<2>();
        match &self.bias {
            Some(bias) => y + bias.val().unsqueeze::<2>(),
            None => y,
        }
    }
}

impl BlockModule {
    fn new(config: &Config, device: &Device) -> Self {
        let size = config.head_size();
        let linear = |inputs: usize, outputs: usize| {
            let bias = config.family != Family::Llama;
            LinearConfig::new(inputs, outputs)
                .with_bias(bias)
                .init(device)
        };
        let raised = match config.activation {
            Activation::SiluGated => 2 * config.inner,
            _ => config.inner,
        };
        Self {
            first_norm: NormModule::new(config, device),
            qkv: linear(config.width, (config.heads + 2 * config.key_heads) * size),
            project: linear(config.heads * size, config.width),
            second_norm: NormModule::new(config, device),
            up: linear(config.width, raised),
            down: linear(config.inner, config.width),
        }
    }

    /// Rows of all tokens to rows of all tokens.
    fn forward(
        &self,
        x: Tensor<2>,
        batch: &Padded,
        config: &Config,
        turns: Option<&[Tensor<4>; 2]>,
    ) -> Tensor<2> {
        let attend = |x: Tensor<2>| {
            let mixed = attention(self.qkv.forward(x), batch, config, turns);
            self.project.forward(mixed)
        };
        let inner = |x: Tensor<2>| self.down.forward(activated(self.up.forward(x), config));
        match config.family {
            Family::Bert => {
                let m = self.first_norm.forward(x.clone() + attend(x));
                self.second_norm.forward(m.clone() + inner(m))
            }
            _ => {
                let m = x.clone() + attend(self.first_norm.forward(x));
                m.clone() + inner(self.second_norm.forward(m))
            }
        }
    }
}

fn activated(x: Tensor<2>, config: &Config) -> Tensor<2> {
    match config.activation {
        Activation::GeluTanh => gelu_approximate(x),
        Activation::Gelu => gelu(x),
        Activation::SiluGated => {
            let gate = x.clone().narrow(1, 0, config.inner);
            silu(gate) * x.narrow(1, config.inner, config.inner)
        }
    }
}

/// `softmax(q kᵀ / √size) v` for each head.
fn attention(
    qkv: Tensor<2>,
    batch: &Padded,
    config: &Config,
    turns: Option<&[Tensor<4>; 2]>,
) -> Tensor<2> {
    let [count, length] = batch.tokens.dims();
    let (heads, keys, size) = (config.heads, config.key_heads, config.head_size());
    // texts x heads x length x size; heads that share keys and values stand together
    let part = |first: usize, own: usize| -> Tensor<4> {
        let part = qkv.clone().narrow(1, first * size, own * size);
        let by_head = part.reshape([count, length, own, size]).swap_dims(1, 2);
        match heads / own {
            1 => by_head,
            times => by_head
                .reshape([count * own, 1, length, size])
                .repeat_dim(1, times)
                .reshape([count, heads, length, size]),
        }
    };
    let [q, k] = [part(0, heads), part(heads, keys)].map(|x| match turns {
        Some(turns) => turned(x, turns),
        None => x,
    });
    let v = part(heads + keys, keys);
    let scores = q.matmul(k.transpose()).div_scalar((size as f64).sqrt());
    let looks = scores.dims();
    let hidden = batch.hidden.clone().expand(looks);
    let weights = softmax(scores.mask_fill(hidden, HIDDEN), 3);
    let mixed = weights.matmul(v).swap_dims(1, 2);
    mixed.reshape([count * length, heads * size])
}

/// Pairs of a number of the first half of a head and one of the second, turned.
fn turned(x: Tensor<4>, [cos, sin]: &[Tensor<4>; 2]) -> Tensor<4> {
    let half = x.dims()[3] / 2;
    let (a, b) = (x.clone().narrow(3, 0, half), x.narrow(3, half, half));
    Tensor::cat(
        vec![
            a.clone() * cos.clone() - b.clone() * sin.clone(),
            b * cos.clone() + a * sin.clone(),
        ],
        3,
    )
}

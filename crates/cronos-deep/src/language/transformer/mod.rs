//! Transformers on the CPU: GPT-2, BERT and Llama, forward and backward on plain slices.
//!
//! Texts of a batch stand one behind the other, so no time goes into filling up short ones.
//! Rows are cut in fixed blocks and sums are added in order: threads change no bit.

mod attention;
mod batch;
mod block;
mod config;
mod module;
mod next_token;
mod norm;
mod pointwise;
mod slots;

pub use batch::Batch;
pub use config::{Activation, Config, Family};
pub use module::{Padded, TransformerModule};
pub use slots::Slot;

use block::{Block, Kept, Room};
use norm::Norm;

/// The layers of a transformer; its parameters stand elsewhere, in one slice.
#[derive(Clone, Debug)]
pub struct Transformer {
    config: Config,
    /// Where the learned positions begin, if there are any, and the kinds of tokens.
    positions: Option<usize>,
    kinds: Option<usize>,
    /// Behind the sum of the embeddings.
    embedding_norm: Option<Norm>,
    blocks: Vec<Block>,
    last_norm: Option<Norm>,
    /// Where the matrix begins that tells the next token: `vocabulary x width`.
    head: usize,
    size: usize,
}

/// All that is kept of a batch for the way back.
#[derive(Default)]
pub struct Tape {
    blocks: Vec<Kept>,
    /// Sums of embeddings, before they are normalised, and what comes out of the last block.
    embedded: Vec<f32>,
    last: Vec<f32>,
    states: Vec<f32>,
    room: Room,
}

impl Tape {
    /// What came out: a row for each token.
    pub fn states(&self) -> &[f32] {
        &self.states
    }
}

impl Transformer {
    /// The layers of a configuration.
    pub fn new(config: Config) -> Self {
        let (width, centred) = (config.width, config.family != Family::Llama);
        let mut at = config.vocabulary * width;
        let mut reserve = |size: usize| {
            let first = at;
            at += size;
            first
        };
        let positions = centred.then(|| reserve(config.positions * width));
        let kinds = (config.kinds > 0).then(|| reserve(config.kinds * width));
        let norm = |first| Norm {
            width,
            first,
            centred,
            epsilon: config.epsilon,
        };
        let normed = 2 * width;
        let bert = config.family == Family::Bert;
        let embedding_norm = bert.then(|| norm(reserve(normed)));
        let blocks = (0..config.blocks)
            .map(|_| {
                let size = Block::new(&config, 0).size();
                Block::new(&config, reserve(size))
            })
            .collect();
        let last_norm = (!bert).then(|| norm(reserve(if centred { normed } else { width })));
        let head = match config.tied {
            true => 0,
            false => reserve(config.vocabulary * width),
        };
        Self {
            positions,
            kinds,
            embedding_norm,
            blocks,
            last_norm,
            head,
            size: at,
            config,
        }
    }

    /// The sizes.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.size
    }

    /// Numbers that a token takes while the gradient is computed.
    pub fn kept(&self) -> usize {
        let blocks = self.blocks.first().map_or(0, Block::kept);
        self.config.blocks * blocks + 8 * self.config.width + 2 * self.config.inner
    }

    /// The last hidden states: a row for each token of the batch.
    pub fn states(&self, parameters: &[f32], batch: &Batch) -> Vec<f32> {
        let (mut kept, mut y) = (Kept::default(), Vec::new());
        self.embed(parameters, batch, &mut y, &mut kept.x);
        for block in &self.blocks {
            block.forward(parameters, batch, &mut kept, &mut y);
            std::mem::swap(&mut kept.x, &mut y);
        }
        match &self.last_norm {
            Some(norm) => {
                norm.forward(parameters, &kept.x, &mut y);
                y
            }
            None => kept.x,
        }
    }

    /// The same, with all kept that [`backward`](Self::backward) needs.
    pub fn forward(&self, parameters: &[f32], batch: &Batch, tape: &mut Tape) {
        self.forward_from(parameters, batch, tape, 0);
    }

    /// The same, with what the blocks from `from` on need.
    pub(super) fn forward_from(
        &self,
        parameters: &[f32],
        batch: &Batch,
        tape: &mut Tape,
        from: usize,
    ) {
        let Tape {
            blocks,
            embedded,
            last,
            states,
            ..
        } = tape;
        // those that are not trained share the room of the first that is
        let trained = self.blocks.len() - from;
        blocks.resize_with(trained + 1, Kept::default);
        self.embed(parameters, batch, embedded, &mut blocks[0].x);
        let mut y = Vec::new();
        for block in &self.blocks[..from] {
            block.forward(parameters, batch, &mut blocks[0], &mut y);
            std::mem::swap(&mut blocks[0].x, &mut y);
        }
        for (at, block) in self.blocks[from..].iter().enumerate() {
            let (before, behind) = blocks.split_at_mut(at + 1);
            block.forward(parameters, batch, &mut before[at], &mut behind[0].x);
        }
        let x = &mut blocks[trained].x;
        match &self.last_norm {
            Some(norm) => {
                norm.forward(parameters, x, states);
                std::mem::swap(last, x);
            }
            None => std::mem::swap(states, x),
        }
    }

    /// Adds to the gradient in the embeddings and writes that in all other parameters, from
    /// the gradient `pull` in the states, which is used up.
    pub fn backward(
        &self,
        parameters: &[f32],
        batch: &Batch,
        tape: &mut Tape,
        pull: &mut Vec<f32>,
        gradient: &mut [f32],
    ) {
        self.backward_from(parameters, batch, tape, pull, gradient, 0);
    }

    /// The same for the blocks from `from` on, and what stands behind them; with all of them
    /// also for the embeddings.
    pub(super) fn backward_from(
        &self,
        parameters: &[f32],
        batch: &Batch,
        tape: &mut Tape,
        pull: &mut Vec<f32>,
        gradient: &mut [f32],
        from: usize,
    ) {
        let mut room = Vec::new();
        if let Some(norm) = &self.last_norm {
            norm.replace(parameters, &tape.last, pull, gradient, &mut room);
        }
        for (block, kept) in self.blocks[from..].iter().zip(&tape.blocks).rev() {
            block.backward(parameters, batch, kept, pull, gradient, &mut tape.room);
        }
        if from > 0 {
            return;
        }
        if let Some(norm) = &self.embedding_norm {
            norm.replace(parameters, &tape.embedded, pull, gradient, &mut room);
        }
        let width = self.config.width;
        let mut rows = pull.chunks(width).zip(&batch.tokens);
        for text in &batch.texts {
            for (position, (pull, &token)) in rows.by_ref().take(text.length).enumerate() {
                add_to(gradient, token as usize * width, pull);
                if let Some(first) = self.positions {
                    add_to(gradient, first + position * width, pull);
                }
                if let Some(first) = self.kinds {
                    add_to(gradient, first, pull);
                }
            }
        }
    }

    /// Where the parameters of the last `blocks` begin; all that stands behind belongs to them.
    pub(super) fn first_of_last(&self, blocks: usize) -> usize {
        let from = self.blocks.len().saturating_sub(blocks);
        match (from, self.blocks.get(from), &self.last_norm) {
            (0, ..) => 0,
            (_, Some(block), _) => block.first_norm.first,
            (_, None, Some(norm)) => norm.first,
            (_, None, None) => self.size,
        }
    }

    /// Sets the gradient in the embeddings, which is only added to, to 0.
    pub fn clear(&self, gradient: &mut [f32]) {
        let end = match (&self.embedding_norm, self.blocks.first()) {
            (Some(norm), _) => norm.first,
            (None, Some(block)) => block.first_norm.first,
            (None, None) => self.size,
        };
        gradient[..end].fill(0.0);
        gradient[self.head..][..self.config.vocabulary * self.config.width].fill(0.0);
    }

    /// The sum of what stands for a token, its position and its kind, then perhaps normalised.
    fn embed(&self, parameters: &[f32], batch: &Batch, sums: &mut Vec<f32>, x: &mut Vec<f32>) {
        let width = self.config.width;
        let target = match self.embedding_norm {
            Some(_) => &mut *sums,
            None => &mut *x,
        };
        target.clear();
        for text in &batch.texts {
            for (position, &token) in batch.tokens[text.range()].iter().enumerate() {
                let first = target.len();
                target.extend_from_slice(&parameters[token as usize * width..][..width]);
                let place = self.positions.map(|at| at + position * width);
                for place in [place, self.kinds].into_iter().flatten() {
                    add_to(target, first, &parameters[place..][..width]);
                }
            }
        }
        if let Some(norm) = &self.embedding_norm {
            norm.forward(parameters, sums, x);
        }
    }
}

fn add_to(sums: &mut [f32], first: usize, term: &[f32]) {
    let sums = &mut sums[first..][..term.len()];
    sums.iter_mut()
        .zip(term)
        .for_each(|(sum, term)| *sum += term);
}

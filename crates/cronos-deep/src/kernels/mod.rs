//! The ready-made layers on the CPU, without a graph of tensors: forward and backward on plain
//! slices. They compute what the same layers compute as Burn modules, several times faster.
//!
//! Rows and outputs are cut in fixed blocks and sums are added in order, so that the number of
//! threads changes no bit.

mod chain;
mod convolution;
mod correlate;
mod frame;
mod layout;
mod linear;
mod pool;
mod slide;

use chain::Chain;
use convolution::Convolution;
pub(crate) use layout::Rows;
pub(crate) use linear::Linear;
pub(crate) use pool::{GlobalAverage, Pool};

/// Layers one behind the other; their parameters stand elsewhere, in one slice, in the order
/// in which a Burn module has them.
#[derive(Clone, Debug)]
pub struct Kernels {
    stages: Vec<Stage>,
    input: usize,
    parameters: usize,
}

/// Rows go through a chain one by one, and through a linear layer all together.
#[derive(Clone, Debug)]
enum Stage {
    Linear(Linear),
    Chain(Chain),
}

/// Room for a batch: what came out of every stage, and the gradients on the way back.
#[derive(Default)]
pub(crate) struct Tape {
    stages: Vec<Kept>,
    pull: Vec<f32>,
    back: Vec<f32>,
}

#[derive(Default)]
struct Kept {
    linear: Vec<f32>,
    chain: chain::Tape,
}

impl Kernels {
    /// No layers for rows of so many numbers.
    pub(crate) fn new(input: usize) -> Self {
        Self {
            stages: Vec::new(),
            input,
            parameters: 0,
        }
    }

    /// Numbers of a row that goes in.
    pub(crate) fn input(&self) -> usize {
        self.input
    }

    /// Numbers of a row that comes out.
    pub(crate) fn output(&self) -> usize {
        match self.stages.last() {
            None => self.input,
            Some(Stage::Linear(linear)) => linear.outputs,
            Some(Stage::Chain(chain)) => chain.output(),
        }
    }

    /// Numbers that are kept of a row on its way through, for the gradient.
    pub fn kept(&self) -> usize {
        let stages = self.stages.iter().map(|stage| match stage {
            Stage::Linear(linear) => linear.outputs,
            Stage::Chain(chain) => chain.kept(),
        });
        stages.sum()
    }

    pub(crate) fn linear(&mut self, outputs: usize, bias: bool) {
        let linear = Linear {
            inputs: self.output(),
            outputs,
            first: self.parameters,
            bias,
        };
        self.parameters += linear.size();
        self.stages.push(Stage::Linear(linear));
    }

    /// Kernels of 3 x 3 on images of channels, height and width, every `stride` pixels.
    pub(crate) fn convolution(&mut self, image: [usize; 3], outputs: usize, stride: usize) {
        let [channels, height, width] = image;
        let convolution = Convolution {
            channels,
            height,
            width,
            outputs,
            stride,
            first: self.parameters,
        };
        let size = convolution.size();
        self.chain(|chain| chain.convolution(convolution));
        self.parameters += size;
    }

    /// The features of rows that stand one behind the other.
    pub fn features(&self, parameters: &[f32], x: &[f32]) -> Vec<f32> {
        let mut tape = Tape::default();
        let found = self.apply(parameters, Rows::packed(x, self.input), &mut tape);
        let rows = 0..found.count();
        rows.flat_map(|row| found.row(row)).copied().collect()
    }

    /// The gradient of `⟨pull, features⟩` in the parameters.
    pub fn gradient(&self, parameters: &[f32], x: &[f32], pull: &[f32]) -> Vec<f32> {
        let (mut tape, x) = (Tape::default(), Rows::packed(x, self.input));
        self.forward(parameters, x, &mut tape);
        let mut gradient = vec![0.0; self.parameters];
        self.backward(parameters, x, &mut tape, pull, &mut gradient);
        gradient
    }

    /// Adds to the chain at the end, where there may be none yet.
    pub(crate) fn chain<R>(&mut self, add: impl FnOnce(&mut Chain) -> R) -> R {
        let mut chain = match self.stages.pop() {
            Some(Stage::Chain(chain)) => chain,
            other => {
                self.stages.extend(other);
                Chain::new(self.output(), self.parameters)
            }
        };
        let result = add(&mut chain);
        self.stages.push(Stage::Chain(chain));
        result
    }

    /// What comes out of rows that stand one behind the other.
    pub(crate) fn apply<'t>(
        &self,
        parameters: &[f32],
        x: Rows<'t>,
        tape: &'t mut Tape,
    ) -> Rows<'t> {
        let (mut from, mut to) = (&mut tape.pull, &mut tape.back);
        for (at, stage) in self.stages.iter().enumerate() {
            let x = match at {
                0 => x,
                _ => Rows::packed(from, stage.input()),
            };
            match stage {
                Stage::Linear(linear) => linear.forward(parameters, x, to),
                Stage::Chain(chain) => chain.apply(parameters, x, to),
            }
            std::mem::swap(&mut from, &mut to);
        }
        match self.stages.is_empty() {
            true => x,
            false => Rows::packed(from, self.output()),
        }
    }

    /// The same, with all kept that `backward` needs.
    pub(crate) fn forward<'t>(
        &self,
        parameters: &[f32],
        x: Rows<'t>,
        tape: &'t mut Tape,
    ) -> Rows<'t> {
        tape.stages.resize_with(self.stages.len(), Kept::default);
        for (at, stage) in self.stages.iter().enumerate() {
            let (before, after) = tape.stages.split_at_mut(at);
            let x = self.seen(at, before, x);
            match stage {
                Stage::Linear(linear) => linear.forward(parameters, x, &mut after[0].linear),
                Stage::Chain(chain) => chain.forward(parameters, x, &mut after[0].chain),
            }
        }
        self.seen(self.stages.len(), &tape.stages, x)
    }

    /// What goes into a stage.
    fn seen<'t>(&self, at: usize, kept: &'t [Kept], x: Rows<'t>) -> Rows<'t> {
        let Some(before) = at.checked_sub(1) else {
            return x;
        };
        match &self.stages[before] {
            Stage::Linear(linear) => Rows::packed(&kept[before].linear, linear.outputs),
            Stage::Chain(chain) => chain.rows(&kept[before].chain),
        }
    }

    /// Writes the gradient of `⟨pull, outputs⟩` after `forward`, in as many of the parameters
    /// as `gradient` has room for.
    pub(crate) fn backward(
        &self,
        parameters: &[f32],
        x: Rows<'_>,
        tape: &mut Tape,
        pull: &[f32],
        gradient: &mut [f32],
    ) {
        let Tape {
            stages,
            pull: here,
            back,
        } = tape;
        here.clear();
        here.extend_from_slice(pull);
        for (at, stage) in self.stages.iter().enumerate().rev() {
            let (before, after) = stages.split_at_mut(at);
            let into = (at > 0).then_some(&mut *back);
            match stage {
                Stage::Linear(linear) => {
                    let x = self.seen(at, before, x);
                    linear.backward(parameters, x, here, gradient, into);
                }
                Stage::Chain(chain) => {
                    chain.backward(&mut after[0].chain, here, gradient, into);
                }
            }
            std::mem::swap(here, back);
        }
    }
}

impl Stage {
    fn input(&self) -> usize {
        match self {
            Self::Linear(linear) => linear.inputs,
            Self::Chain(chain) => chain.input(),
        }
    }
}

//! From rows and targets to a model: everything that can be chosen by name, with defaults that need no
//! change.

mod data;
mod memory;
mod model;
mod report;

pub use data::{Data, Truth};
pub use model::{ALTERNATION, About};

use crate::architecture::Architecture;
use crate::augment::Augment;
use crate::features::Layers;
use crate::train::{Options, Rule, Trained, Watch, train_with};
use burn::tensor::Device;
use cronos::{Error, HeadGates, HeadOptions, Loss, Place};

/// Rows that are gone over in all epochs together, unless there are very many or very few.
const GONE_OVER: usize = 300_000;
/// The penalty for each row, which stands beside a sum over rows.
const BETA: f64 = 0.005;
/// An image may be shifted by one part in so many of its size.
const SHIFT: usize = 8;

/// How a deep network is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// What stands in front of the last two layers. Default: `mlp:256,256`.
    pub architecture: Architecture,
    /// Times that all rows are gone over. Default: 20, up to 100 for few rows.
    pub epochs: Option<usize>,
    /// Rows in a step. Default 128.
    pub batch: usize,
    /// Default: the likelihood for classes, squared for numbers.
    pub loss: Option<Loss>,
    /// Decay of the weights in front of the last two layers. Default 0.
    pub alpha: f64,
    /// Penalty on the last two layers. Default: 0.005 for each row, and less where that leaves nothing.
    pub beta: Option<f64>,
    /// Gates of the last two layers, for each output. Default 32.
    pub gates: usize,
    /// Where they come from. Default: learned.
    pub head_gates: HeadGates,
    /// Iterations on the last two layers after every epoch. Default 5.
    pub head_iterations: usize,
    /// What is done to images at random. Default: coloured ones, which are likely photographs, are mirrored
    /// and shifted, others shifted; a mirrored digit or letter is another.
    pub moves: Option<Moves>,
    /// Where it is trained. Default: the processor.
    pub place: Place,
    /// Default 0.
    pub seed: u64,
}

/// What is done to images at random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Nothing.
    None,
    /// They are shifted by up to an eighth of their size.
    Shift,
    /// They are shifted, and every other one mirrored.
    Mirror,
}

impl Default for Recipe {
    fn default() -> Self {
        Self {
            architecture: Architecture::Mlp(vec![256, 256]),
            epochs: None,
            batch: 128,
            loss: None,
            alpha: 0.0,
            beta: None,
            gates: 32,
            head_gates: HeadGates::Learned,
            head_iterations: 5,
            moves: None,
            place: Place::Cpu,
            seed: 0,
        }
    }
}

impl Recipe {
    /// Refuses settings out of range.
    pub fn check(&self) -> Result<(), Error> {
        let refused = |name, value: String, expected| {
            Err(Error::Setting {
                name,
                value,
                expected,
            })
        };
        let counts = [
            ("epochs", self.epochs.unwrap_or(1)),
            ("batch", self.batch),
            ("gates", self.gates),
            ("head-iterations", self.head_iterations),
        ];
        if let Some((name, value)) = counts.into_iter().find(|(_, value)| *value == 0) {
            return refused(name, value.to_string(), "at least 1");
        }
        let penalties = [("alpha", self.alpha), ("beta", self.beta.unwrap_or(0.0))];
        let wrong = |value: f64| !(value >= 0.0 && value.is_finite());
        match penalties.into_iter().find(|(_, value)| wrong(*value)) {
            Some((name, value)) => refused(name, value.to_string(), "finite and not negative"),
            None => Ok(()),
        }
    }

    /// How often all rows are gone over: more often where there are few.
    pub fn epochs(&self, data: &Data<'_>) -> usize {
        let rows = data.rows()[0].max(1);
        self.epochs.unwrap_or((GONE_OVER / rows).clamp(20, 100))
    }

    /// The penalty on the last two layers.
    pub fn beta(&self, data: &Data<'_>) -> f64 {
        self.beta.unwrap_or(BETA * data.rows()[0] as f64)
    }

    /// What it means for some rows.
    pub fn options(&self, data: &Data<'_>, rule: Rule) -> Options {
        Options {
            rule,
            head: HeadOptions {
                loss: data.loss,
                beta: self.beta(data),
                lower: self.beta.is_none(),
                gates: self.gates,
                source: self.head_gates,
                iterations: self.head_iterations,
                seed: self.seed,
            },
            goal: data.goal,
            epochs: self.epochs(data),
            batch: self.batch,
            decay: self.alpha,
            place: self.place,
            augment: self.augment(data.image()),
            seed: self.seed,
            ..Options::default()
        }
    }

    /// What is done to images of height, width and channels.
    fn augment(&self, image: Option<[usize; 3]>) -> Option<Augment> {
        let [height, width, channels] = image?;
        let mirror = match self.moves {
            None => channels >= 3,
            Some(Moves::None) => return None,
            Some(Moves::Shift) => false,
            Some(Moves::Mirror) => true,
        };
        Some(Augment {
            shift: height.min(width) / SHIFT,
            mirror,
        })
    }

    /// Trains, with options that [`options`](Self::options) made.
    pub fn train(
        &self,
        data: &Data<'_>,
        options: &Options,
        watch: Watch<'_>,
    ) -> Result<Trained<Layers>, Error> {
        let device = self.place.open()?.unwrap_or_else(Device::flex).autodiff();
        let (train, validation) = (data.train(), data.validation());
        let shape = train.inputs.shape();
        self.place.guard(|| {
            let layers = self.architecture.build(&shape, options.seed, &device)?;
            train_with(layers, train, validation, options, &device, watch)
        })
    }
}

//! First-order optimizers on flat parameters.
//!
//! All parameters of a network stand one behind the other in one slice, their gradient in
//! another. A step is one pass over both, in parallel; sums over all parameters are taken by
//! blocks, in order, so that threads change no bit.

mod adam;
mod adapted;
mod sgd;
mod shampoo;
pub(crate) mod there;

pub use adam::{Adam, Yogi};
pub use adapted::DAdapted;
pub use sgd::Sgd;
pub use shampoo::Shampoo;

/// Parameters that a thread moves at a time.
const BLOCK: usize = 1 << 14;

/// The shapes of the tensors behind one another in a slice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The sides of each.
    pub shapes: Vec<Vec<usize>>,
}

impl Layout {
    /// Numbers in all tensors.
    pub fn size(&self) -> usize {
        self.shapes.iter().map(|shape| size(shape)).sum()
    }
}

fn size(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// What an optimizer remembers between two steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Single numbers.
    pub numbers: Vec<f64>,
    /// Numbers for all parameters, or matrices.
    pub arrays: Vec<Vec<f32>>,
}

impl Memory {
    /// Takes the place of what is remembered, if it has the same form; tells whether it has.
    fn replace(&self, numbers: &mut [&mut f64], arrays: &mut [&mut [f32]]) -> bool {
        let fits = self.numbers.len() == numbers.len()
            && self.arrays.len() == arrays.len()
            && (self.arrays.iter().zip(&*arrays)).all(|(new, old)| new.len() == old.len());
        if fits {
            (numbers.iter_mut().zip(&self.numbers)).for_each(|(old, new)| **old = *new);
            (arrays.iter_mut().zip(&self.arrays)).for_each(|(old, new)| old.copy_from_slice(new));
        }
        fits
    }
}

/// A rule that moves parameters against their gradient.
pub trait Optimizer: Send {
    /// One step. `gradient` may be overwritten.
    fn step(&mut self, parameters: &mut [f32], gradient: &mut [f32]);

    /// Scales the learning rate, as a schedule does; 1 to begin with.
    fn set_scale(&mut self, scale: f64);

    /// All that the next step depends on, but for its settings.
    fn memory(&self) -> Memory;

    /// Goes on from there; tells whether it could, which is when the memory is that of such
    /// an optimizer for as many parameters.
    fn resume(&mut self, memory: &Memory) -> bool;
}

/// The optimizers by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Stochastic gradient descent with momentum.
    Sgd,
    /// Adam.
    Adam,
    /// Adam whose decay shrinks the parameters themselves.
    AdamW,
    /// Yogi.
    Yogi,
    /// Shampoo.
    Shampoo,
    /// Adam that finds its own rate.
    DAdaptedAdam,
    /// The same with the decay of AdamW.
    DAdaptedAdamW,
}

impl Method {
    /// In the order in which they are reported.
    pub const ALL: [Self; 7] = [
        Self::Sgd,
        Self::Adam,
        Self::AdamW,
        Self::Yogi,
        Self::Shampoo,
        Self::DAdaptedAdam,
        Self::DAdaptedAdamW,
    ];

    /// The name a user types.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sgd => "sgd",
            Self::Adam => "adam",
            Self::AdamW => "adamw",
            Self::Yogi => "yogi",
            Self::Shampoo => "shampoo",
            Self::DAdaptedAdam => "dadam",
            Self::DAdaptedAdamW => "dadamw",
        }
    }

    /// Whether a learning rate has to be chosen.
    pub fn needs_rate(self) -> bool {
        !matches!(self, Self::DAdaptedAdam | Self::DAdaptedAdamW)
    }

    /// The optimizer with its usual settings; `rate` is 1 for those that find their own.
    pub fn build(self, layout: &Layout, rate: f64, decay: f64) -> Box<dyn Optimizer> {
        let size = layout.size();
        match self {
            Self::Sgd => Box::new(Sgd::new(size, rate, decay)),
            Self::Adam => Box::new(Adam::new(size, rate, decay, false)),
            Self::AdamW => Box::new(Adam::new(size, rate, decay, true)),
            Self::Yogi => Box::new(Yogi::new(size, rate, decay)),
            Self::Shampoo => Box::new(Shampoo::new(layout, rate, decay, 1e-6)),
            Self::DAdaptedAdam => Box::new(DAdapted::new(size, rate, decay, false)),
            Self::DAdaptedAdamW => Box::new(DAdapted::new(size, rate, decay, true)),
        }
    }
}

//! The multipliers behind the best bound so far, kept where they are until a certificate is asked for.

use super::link::Link;
use super::rows::{Block, Rows, Sizes};
use crate::engine::SweepStep;
use burn::tensor::Tensor;
use std::ops::Range;

/// The state that proves a bound on a set of outputs.
pub(super) struct Proof {
    pub step: SweepStep,
    blocks: Vec<Part>,
}

/// Its columns of the state of some rows, as in [`Block`].
struct Part {
    a: Option<Tensor<2>>,
    stiffness: Option<Tensor<2>>,
    thin: [Tensor<2>; 3],
}

impl Rows {
    /// The present state of one of so many sets of outputs.
    pub fn proof(&self, step: &SweepStep, set: usize, sets: usize) -> Proof {
        let Sizes { outputs, .. } = self.sizes;
        let own = |all: usize| set * all / sets..(set + 1) * all / sets;
        let (wide, thin) = (own(self.sizes.groups()), own(outputs));
        let part = |block: &Block| Part {
            a: block.a.as_ref().map(|a| columns(a, &wide)),
            stiffness: (block.stiffness.as_ref()).map(|stiffness| columns(stiffness, &wide)),
            thin: [&block.e, &block.f, &block.fu].map(|values| columns(values, &thin)),
        };
        Proof {
            step: *step,
            blocks: self.blocks.iter().map(part).collect(),
        }
    }
}

/// Arrays of all rows, row by row: slacks and their stiffness, which may be empty, and `e`, `f`, `F u`.
pub(super) fn fetch(proofs: &[&Proof], link: &Link) -> ([Vec<f32>; 2], [Vec<f32>; 3]) {
    let blocks = proofs.first().map_or(0, |proof| proof.blocks.len());
    let of_all = |part: &dyn Fn(&Part) -> Option<Tensor<2>>| -> Vec<f32> {
        let rows = (0..blocks).flat_map(|block| {
            let sets = proofs.iter().map(|proof| part(&proof.blocks[block]));
            let sets: Option<Vec<Tensor<2>>> = sets.collect();
            sets.map_or(Vec::new(), |sets| link.fetch(Tensor::cat(sets, 1)))
        });
        rows.collect()
    };
    let stiff = proofs
        .iter()
        .any(|proof| proof.blocks.iter().any(|part| part.stiffness.is_some()));
    let stiffness = |part: &Part| match &part.stiffness {
        // before there was any
        None if stiff => part.a.as_ref().map(Tensor::ones_like),
        stiffness => stiffness.clone(),
    };
    let thin = |which: usize| of_all(&move |part| Some(part.thin[which].clone()));
    (
        [of_all(&|part| part.a.clone()), of_all(&stiffness)],
        [thin(0), thin(1), thin(2)],
    )
}

/// Some columns; all of them need no copy.
fn columns(values: &Tensor<2>, own: &Range<usize>) -> Tensor<2> {
    let [rows, all] = values.dims();
    match own.len() == all {
        true => values.clone(),
        false => values.clone().slice([0..rows, own.clone()]),
    }
}

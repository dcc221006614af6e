//! Learned gates: the convex program over *all* gates, by column generation.
//!
//! A round looks for directions that violate the dual constraint
//! `‖Zᵀ (X v)_+‖ ≤ β`, adds a small unit along each, and then descends on the
//! objective of the whole network, whose units move and turn their gates with
//! them. Units that the penalty drives to zero are dropped. Where units are bounded in
//! number, a round may hold a few more, until the weakest are dropped: so better ones take
//! their places. The objective never rises: a round that fails is undone.
//!
//! Where rows are many, a network is learned from nothing in batches of them instead.

mod ascent;
mod batches;
mod descent;
mod features;
mod fresh;
mod hidden;
mod objective;
mod sparse;

pub(crate) use ascent::Climb;
pub(crate) use batches::BATCH;
#[cfg(any(test, feature = "device"))]
pub(crate) use descent::Landscape;
#[cfg(feature = "device")]
pub(crate) use descent::Slope;
pub(crate) use descent::{Patience, descend};
pub(crate) use features::Features;
pub(crate) use fresh::{Fresh, learn_afresh};
pub(crate) use hidden::Hidden;
pub(crate) use objective::{Objective, PART};
pub(crate) use sparse::SparseRows;

use crate::real::Real;
use ascent::{Atom, steepest};

/// How much work learning may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Units at most.
    pub units: usize,
    /// Units beyond them that a round may hold before it drops the weakest.
    pub spare: usize,
    /// New units in a round at most.
    pub new_units: usize,
    /// How a round looks for new units.
    pub climb: Climb,
    /// Rounds at most.
    pub rounds: usize,
    /// Rounds in a row that bring nothing before learning ends.
    pub tries: usize,
    /// A direction is worth a unit if it violates the dual constraint by this fraction.
    pub tolerance: f64,
    pub patience: Patience,
}

/// What a round did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Objective of the network after the round.
    pub objective: f64,
    /// Units after the round.
    pub neurons: usize,
    /// The largest `‖Zᵀ (X v)_+‖ / β` found before it.
    pub violation: f64,
}

/// Rounds of learning from `units`; returns what each did that was not undone.
pub(crate) fn learn<T: Real, X: Features<T>>(
    objective: &Objective<'_, T, X>,
    units: &mut Hidden<T>,
    effort: Effort,
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Round> {
    let mut rounds: Vec<Round> = Vec::new();
    let mut in_vain = 0;
    for round in 0..effort.rounds {
        let (loss, pull) = objective.pull(units);
        let room = (effort.units + effort.spare).saturating_sub(units.len());
        let seed = seed ^ (round as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let most = effort.new_units.min(room).max(1);
        let mut atoms = steepest(objective.x, &pull, effort.climb, seed, most);
        let violation = atoms.first().map_or(0.0, |atom| atom.gain / objective.beta);
        atoms.retain(|atom| atom.gain > objective.beta * (1.0 + effort.tolerance));
        if room == 0 {
            atoms.clear();
        }
        let settled = atoms.is_empty() && round > 0;
        if settled || stop() {
            break;
        }
        let before = units.clone();
        let value = loss + penalty(units, objective.beta);
        add(objective, units, value, &atoms);
        let mut slope = descend(objective, units, effort.patience, stop);
        if prune(units, effort.units) {
            slope = descend(objective, units, effort.patience, stop);
        }
        units.balance();
        let reached = slope.loss + penalty(units, objective.beta);
        let progress = value - reached > 1e-4 * reached;
        // the first round of a penalty may have nothing to gain
        let kept = reached <= value && reached.is_finite();
        if kept {
            rounds.push(Round {
                objective: reached,
                neurons: units.len(),
                violation,
            });
        } else {
            *units = before;
        }
        in_vain = if progress { 0 } else { in_vain + 1 };
        let spent = in_vain >= effort.tries && (round > 0 || !kept);
        if spent || stop() {
            break;
        }
    }
    rounds
}

/// The largest `‖Zᵀ (X v)_+‖` that an ascent finds.
pub(crate) fn largest_gain<T: Real, X: Features<T>>(
    objective: &Objective<'_, T, X>,
    units: &Hidden<T>,
    climb: Climb,
    seed: u64,
) -> f64 {
    let (_, pull) = objective.pull(units);
    let atoms = steepest(objective.x, &pull, climb, seed, 1);
    atoms.first().map_or(0.0, |atom| atom.gain)
}

/// `β Σ ‖w_j‖ ‖a_j‖`
pub(crate) fn penalty<T: Real>(units: &Hidden<T>, beta: f64) -> f64 {
    beta * units.norms().iter().sum::<f64>()
}

/// Adds a unit along each atom, short enough that the objective falls.
fn add<T: Real, X: Features<T>>(
    objective: &Objective<'_, T, X>,
    units: &mut Hidden<T>,
    value: f64,
    atoms: &[Atom<T>],
) {
    let curvature = objective.loss.largest_curvature();
    let mut share = 1.0 / atoms.len().max(1) as f64;
    for _ in 0..20 {
        // the gain falls by at most curvature · reach² times the length
        let new: Vec<(Vec<T>, Vec<T>)> = atoms
            .iter()
            .map(|atom| {
                let reach = curvature * atom.reach * atom.reach;
                let length = share * (atom.gain - objective.beta) / reach;
                let root = T::of(length.sqrt());
                let scaled = |v: &[T]| v.iter().map(|&v| root * v).collect();
                (scaled(&atom.inner), scaled(&atom.outer))
            })
            .collect();
        let old = units.units();
        let new = new.iter().map(|(w, a)| (w.as_slice(), a.as_slice()));
        let all: Vec<(&[T], &[T])> = old.chain(new).collect();
        let trial = Hidden::from_units(units.features, units.outputs, all.into_iter());
        let (loss, _) = objective.pull(&trial);
        if loss + penalty(&trial, objective.beta) <= value {
            *units = trial;
            return;
        }
        share *= 0.5;
    }
}

/// Drops units that are negligible, and the weakest beyond `most`; tells whether
/// there were any.
fn prune<T: Real>(units: &mut Hidden<T>, most: usize) -> bool {
    let strongest = strongest(units, most);
    if strongest.len() == units.len() {
        return false;
    }
    *units = units.only(&strongest);
    true
}

/// So many of the units at most, in order, without those that add next to nothing.
fn strongest<T: Real>(units: &Hidden<T>, most: usize) -> Vec<usize> {
    let norms = units.norms();
    let total: f64 = norms.iter().sum();
    let mut strongest: Vec<usize> = (0..norms.len()).collect();
    strongest.sort_by(|&a, &b| norms[b].total_cmp(&norms[a]));
    strongest.truncate(most);
    strongest.retain(|&unit| norms[unit] > 1e-5 * total);
    strongest.sort_unstable();
    strongest
}

//! From some of the rows towards all. Each level has several times the rows of the
//! one before and starts from its network; there the penalty falls as long as the
//! network gets better on rows left out. All rows come last, with the penalty found.

use super::path::{Seen, penalty_for};
use super::plan::Plan;
use super::validate::{Goal, Tally, tally};
use crate::folds::folds;
use crate::learn::{Hidden, learn};
use crate::loss::Loss;
use crate::real::Real;

/// Rows of a level relative to the one before.
const GROWTH: usize = 3;
/// Rows left out, at most, and as a share.
const MOST_HELD: usize = 5000;
const SHARE_HELD: usize = 10;
/// Parts that the rows of the levels come in.
const PARTS: usize = 200;
/// Penalties on a level at most.
const STEPS: usize = 6;

/// The rows of every level, and those left out.
pub(super) struct Levels {
    /// Rows in the order in which the levels take them.
    order: Vec<usize>,
    sizes: Vec<usize>,
    held: Vec<usize>,
    goal: Goal,
}

impl Levels {
    /// Levels above a sample of the rows.
    pub fn above(sample: &[usize], labels: Option<&[usize]>, rows: usize, seed: u64) -> Self {
        let goal = Goal::of(labels);
        let mut taken = vec![false; rows];
        sample.iter().for_each(|&row| taken[row] = true);
        let others: Vec<usize> = (0..rows).filter(|&row| !taken[row]).collect();
        let wanted = (rows / SHARE_HELD).clamp(1, MOST_HELD);
        let mut parts = deal(&others, labels, others.len() / wanted, seed);
        let held = if parts.len() > 1 {
            parts.swap_remove(0)
        } else {
            Vec::new()
        };
        // any order will do, but not that of the table
        let rest = deal(&parts.concat(), None, PARTS, seed).concat();
        let order: Vec<usize> = sample.iter().chain(&rest).copied().collect();
        let smaller = |size: &usize| Some(size / GROWTH);
        let mut sizes: Vec<usize> = std::iter::successors(Some(order.len() / GROWTH), smaller)
            .take_while(|&size| size >= 2 * sample.len())
            .collect();
        sizes.reverse();
        if sizes.is_empty() {
            sizes.push(order.len());
        }
        Self {
            order,
            sizes,
            held,
            goal,
        }
    }

    /// Learns on level after level from `start`; returns the best network.
    pub fn climb<T: Real>(
        &self,
        rows: &Seen<T>,
        loss: Loss,
        plan: &Plan,
        start: Climber<T>,
        stop: &(dyn Fn() -> bool + Sync),
        mut visit: impl FnMut(&Climber<T>),
    ) -> Climber<T> {
        let goal = self.goal;
        let held_out = rows.select(&self.held);
        let judge = |units: &Hidden<T>| tally(&held_out, units, loss, goal, true);
        let mut best = start;
        best.tally = judge(&best.units);
        for (level, &size) in self.sizes.iter().enumerate() {
            let learned_from = rows.select(&self.order[..size]);
            let total = learned_from.total();
            let effort = plan.level(size, rows.x.columns());
            let mut penalty = best.beta(total) / total;
            for step in 0..STEPS {
                let mut next = Climber {
                    units: best.units.clone(),
                    penalty,
                    total,
                    tally: Tally::default(),
                };
                let objective = learned_from.objective(loss, penalty * total);
                let seed = 7919 * (level * STEPS + step + 1) as u64;
                learn(&objective, &mut next.units, effort, seed, stop);
                next.tally = judge(&next.units);
                visit(&next);
                let better = next.tally.score(goal) < best.tally.score(goal);
                if better {
                    best = next;
                }
                if !better || stop() {
                    break;
                }
                penalty *= plan.ratio;
            }
            if stop() {
                break;
            }
        }
        best
    }
}

/// Deals rows into parts with as many of each class.
fn deal(rows: &[usize], labels: Option<&[usize]>, parts: usize, seed: u64) -> Vec<Vec<usize>> {
    let labels: Option<Vec<usize>> =
        labels.map(|labels| rows.iter().map(|&row| labels[row]).collect());
    let dealt = folds(labels.as_deref(), rows.len(), parts.max(1), seed);
    let named = |part: Vec<usize>| part.into_iter().map(|at| rows[at]).collect();
    dealt.into_iter().map(named).collect()
}

/// A network on its way up.
pub(super) struct Climber<T> {
    pub units: Hidden<T>,
    /// Penalty per unit of row weight, and the weight of the rows it was learned on.
    pub penalty: f64,
    pub total: f64,
    /// What it shows on the rows left out.
    pub tally: Tally,
}

impl<T> Climber<T> {
    /// The penalty on rows of this weight.
    pub fn beta(&self, total: f64) -> f64 {
        penalty_for(self.penalty, self.total, total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_grow_towards_all_rows_but_those_held() {
        let labels: Vec<usize> = (0..1000).map(|row| row % 3).collect();
        let sample: Vec<usize> = (0..50).map(|row| 20 * row).collect();
        let levels = Levels::above(&sample, Some(&labels), 1000, 1);
        // 950 rows are left, a tenth of all is wanted
        assert_eq!(levels.held.len(), 106);
        assert_eq!(levels.sizes, [298]);
        assert_eq!(levels.order[..50], sample);
        let mut all: Vec<usize> = [&levels.order[..], &levels.held].concat();
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<_>>());
        for class in 0..3 {
            let held = levels.held.iter().filter(|&&row| labels[row] == class);
            assert!((35..=36).contains(&held.count()));
            let early = levels.order[..298]
                .iter()
                .filter(|&&row| labels[row] == class);
            assert!((80..=120).contains(&early.count()));
        }
    }
}

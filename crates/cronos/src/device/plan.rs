//! What a device has to hold, and what is sent to it block by block where it cannot.

use super::rows::Sizes;
use crate::Error;
use crate::memory::Plan;
use crate::solver::Solver;

/// Numbers of a wide array that a block may have, and wide arrays that a step makes in between.
const WIDE: usize = if cfg!(test) { 1 << 11 } else { 1 << 24 };
const BETWEEN: usize = 8;

const WAY_OUT: &str = "use fewer gates, --solver sample-pcg, or --device cpu";

/// How the rows are laid out.
pub(super) struct Room {
    /// Rows of a block.
    pub block: usize,
    /// Rows whose features stay on the device; those of the others are sent for every product.
    pub staying: usize,
    pub plan: Plan,
}

impl Room {
    /// Refuses what does not fit even if features are sent block by block.
    ///
    /// stiff: who solves once groups have matrices of their own, if they get some; limit: bytes that
    /// the device has; without one everything stays there
    pub fn new(
        sizes: Sizes,
        solver: Solver,
        rank: usize,
        stiff: Option<Solver>,
        limit: Option<u64>,
    ) -> Result<Self, Error> {
        let Sizes {
            rows,
            features,
            gates,
            signs,
            outputs,
        } = sizes;
        let bytes = |numbers: &[usize]| {
            let numbers = numbers.iter().map(|&count| count as f64).product::<f64>();
            (4.0 * numbers) as u64
        };
        let groups = sizes.groups();
        let block = (WIDE / groups.max(features)).clamp(1, rows.max(1));
        // with those behind the best bounds
        let slacks = if signs == 2 { 4 } else { 0 };
        let (own, factors) = match (solver, stiff) {
            (Solver::PrimalPcg, _) => (0, bytes(&[groups / outputs, features, rank + 4 * outputs])),
            (_, Some(by)) => {
                let each = match by {
                    Solver::SamplePcg => bytes(&[rows, rank + 6]),
                    _ => bytes(&[rows, rows]),
                };
                let own = bytes(&[groups, features, features]);
                (own, each.saturating_mul(outputs as u64))
            }
            (Solver::SamplePcg, None) => (0, bytes(&[rows, rank + 6 * outputs])),
            _ => (0, bytes(&[rows, rows])),
        };
        let shared = match solver == Solver::PrimalPcg || signs == 1 {
            true => 0,
            false => bytes(&[features, features]),
        };
        let plan = Plan::of(vec![
            ("gates D", bytes(&[rows, gates])),
            ("targets and predictions", bytes(&[6, rows, outputs])),
            (
                "weights and right-hand sides",
                bytes(&[8, groups, features]),
            ),
            ("slacks and their stiffness", bytes(&[slacks, rows, groups])),
            ("factors of the u-step", factors),
            ("roots of M", shared.saturating_add(own)),
            ("what a step makes", bytes(&[BETWEEN, block, groups])),
            ("features on their way", bytes(&[block, features])),
        ]);
        let limit = limit.unwrap_or(u64::MAX);
        plan.check(limit, WAY_OUT)?;
        let left = limit - plan.total();
        let of_block = bytes(&[block, features]).max(1);
        let blocks = (left / of_block).min(rows.div_ceil(block) as u64) as usize;
        let staying = (blocks * block).min(rows);
        Ok(Self {
            block,
            staying,
            plan: plan.and("features X", bytes(&[staying, features])),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_that_do_not_fit_are_sent() {
        let sizes = Sizes {
            rows: 1_000_000,
            features: 3000,
            gates: 16,
            signs: 2,
            outputs: 1,
        };
        let room = |limit| Room::new(sizes, Solver::SamplePcg, 20, None, limit);
        let all = room(None).unwrap();
        assert_eq!(all.staying, 1_000_000);
        let total = all.plan.total();
        assert_eq!(room(Some(total)).unwrap().staying, 1_000_000);
        let some = room(Some(8 << 30)).unwrap();
        assert!(some.staying > 0 && some.staying < 1_000_000);
        assert!(some.plan.total() <= 8 << 30);
        let why = room(Some(1 << 28)).err().unwrap().to_string();
        assert!(why.contains("--device cpu"), "{why}");
    }
}

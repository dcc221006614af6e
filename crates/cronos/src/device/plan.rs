//! What a device has to hold, and what is sent to it block by block where it cannot.

use super::rows::Sizes;
use crate::Error;
use crate::memory::Plan;
use crate::solver::Solver;

/// Numbers of a wide array that a block may have, and wide arrays that a step makes in between.
const WIDE: usize = 1 << 24;
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
    /// limit: bytes that the device has; without one everything stays there
    pub fn new(
        sizes: Sizes,
        solver: Solver,
        rank: usize,
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
        let slacks = if signs == 2 { 2 } else { 0 };
        let factors = match solver {
            Solver::Direct | Solver::Auto => bytes(&[rows, rows]),
            Solver::SamplePcg => bytes(&[rows, rank + 6 * outputs]),
            Solver::PrimalPcg => bytes(&[groups, features, rank + 4]),
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
            ("M and its root", bytes(&[features, features])),
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
        let room = |limit| Room::new(sizes, Solver::SamplePcg, 20, limit);
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

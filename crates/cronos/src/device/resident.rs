//! Features that are in the memory of a device, as a layer in front of the last two leaves them.

use super::link::Link;
use crate::Error;
use crate::blocks::Blocks;
use crate::matrix::Matrix;
use burn::tensor::Tensor;
use faer::Mat;
use std::ops::Range;
use std::sync::Arc;

/// Gates that come back in one number: as many as single precision holds exactly, and few enough.
pub(super) const BITS: usize = 16;
/// Numbers of gates that are packed and come back at a time.
const PACKED: usize = 512;
/// Rows whose products are added up in single precision at a time.
const TOGETHER: usize = 256;

/// The features of all rows on a device. What a run needs to know of them is computed there; rows
/// come back only if somebody asks for them.
pub struct Resident {
    /// In order, rows x d each.
    blocks: Vec<Tensor<2>>,
    /// The first row of each, and their number.
    starts: Vec<usize>,
    columns: usize,
    link: Arc<Link>,
}

impl Resident {
    /// x: at least one block
    pub(super) fn new(x: &[Tensor<2>], link: Arc<Link>) -> Self {
        let mut starts = vec![0];
        for block in x {
            starts.push(starts[starts.len() - 1] + block.dims()[0]);
        }
        Self {
            blocks: x.to_vec(),
            starts,
            columns: x[0].dims()[1],
            link,
        }
    }

    fn count(&self) -> usize {
        self.starts[self.blocks.len()]
    }

    /// The rows in parts of so many.
    pub(super) fn parts(&self, rows: usize) -> impl Iterator<Item = (Range<usize>, Tensor<2>)> {
        let starts = (0..self.count()).step_by(rows);
        starts.map(move |from| {
            let range = from..self.count().min(from + rows);
            let mut own: Vec<Tensor<2>> = self.within(&range).collect();
            let part = match own.len() {
                1 => own.remove(0),
                _ => Tensor::cat(own, 0),
            };
            (range, part)
        })
    }

    /// The device, and the bytes that went there and back.
    pub(super) fn link(&self) -> Arc<Link> {
        self.link.clone()
    }

    /// What each block has of some rows.
    fn within(&self, rows: &Range<usize>) -> impl Iterator<Item = Tensor<2>> {
        let blocks = self.blocks.iter().zip(&self.starts);
        blocks.filter_map(|(block, &start)| {
            let count = block.dims()[0];
            let from = rows.start.max(start) - start;
            let to = rows.end.min(start + count).saturating_sub(start);
            match to.saturating_sub(from) {
                0 => None,
                all if all == count => Some(block.clone()),
                _ => Some(block.clone().slice(from..to)),
            }
        })
    }

    /// `1(X g ≥ 0)` as bits, for each direction.
    pub(crate) fn patterns(&self, directions: &[Vec<f64>]) -> Vec<Vec<u64>> {
        let shape = [directions.len(), self.columns];
        let directions = self.link.send_all::<f64, 2>(&directions.concat(), shape);
        let powers = (0..BITS).map(|bit| (1u32 << bit) as f32).collect();
        let powers: Tensor<3> = self.link.send(powers, [1, BITS, 1]);
        let count = shape[0];
        let mut patterns = vec![vec![0u64; self.count().div_ceil(64)]; count];
        for (rows, x) in self.parts(PACKED * BITS) {
            let z = x.matmul(directions.clone().transpose());
            let mut active = z.greater_equal_elem(0.0).float();
            let words = rows.len().div_ceil(BITS);
            let missing = words * BITS - rows.len();
            if missing > 0 {
                let none = Tensor::zeros([missing, count], &self.link.device);
                active = Tensor::cat(vec![active, none], 0);
            }
            let packed = active.reshape([words, BITS, count]) * powers.clone();
            let packed = self.link.fetch(packed.sum_dim(1).reshape([words, count]));
            for (word, of_word) in packed.chunks(count).enumerate() {
                let place = rows.start + word * BITS;
                for (bits, &word) in patterns.iter_mut().zip(of_word) {
                    bits[place / 64] |= (word as u64) << (place % 64);
                }
            }
        }
        patterns
    }

    /// The lower half of `XᵀX`: in single precision, but for few rows at a time, whose sums are added
    /// up in pairs.
    pub(super) fn gram(&self) -> Mat<f64> {
        // one sum for each bit of the number of those that went into it
        let mut sums: Vec<Option<Tensor<2>>> = Vec::new();
        for (_, x) in self.parts(TOGETHER) {
            let mut sum = x.clone().transpose().matmul(x);
            let mut at = 0;
            while let Some(other) = sums.get_mut(at).and_then(Option::take) {
                sum = sum + other;
                at += 1;
            }
            match sums.get_mut(at) {
                Some(place) => *place = Some(sum),
                None => sums.push(Some(sum)),
            }
        }
        let d = self.columns;
        let mut gram = Mat::<f64>::zeros(d, d);
        for sum in sums.into_iter().flatten() {
            let sum = self.link.fetch(sum);
            for j in 0..d {
                for i in j..d {
                    gram[(i, j)] += f64::from(sum[i * d + j]);
                }
            }
        }
        gram
    }

    fn fetch(&self, rows: &Range<usize>) -> Vec<f32> {
        let parts = self.within(rows).map(|part| self.link.fetch(part));
        parts.flatten().collect()
    }

    /// All rows, on the processor.
    pub(super) fn fetched(&self) -> Result<Matrix<f32>, Error> {
        Matrix::from_rows(self.count(), self.columns, self.fetch(&(0..self.count())))
    }

    /// Whether sums in the precision of the device are exact enough for `M = κI + XᵀX`: their errors,
    /// about one unit in the last place of what is added up and independent of each other, have a norm
    /// well below `κ`.
    ///
    /// weights: of the rows
    pub(super) fn is_summed_well(&self, weights: &[Option<Tensor<2>>], kappa: f64) -> bool {
        if !self.multiplies_in_single() {
            return false;
        }
        let squares = self.blocks.iter().zip(weights).map(|(x, weights)| {
            let squares = x.clone().square();
            let weighted = match weights {
                Some(weights) => squares * weights.clone(),
                None => squares,
            };
            weighted.sum_dim(0)
        });
        let diagonal = Tensor::cat(squares.collect(), 0).sum_dim(0);
        let diagonal = self.link.fetch(diagonal).into_iter().map(f64::from);
        let (largest, trace) = diagonal.fold((0.0, 0.0), |(largest, trace), square| {
            (square.max(largest), trace + square)
        });
        // ‖√g_i √g_j e_ij‖ ≤ 2 √(max g · Σ g) for errors e of size 1, and as much to spare
        4.0 * f64::from(f32::EPSILON) * (largest * trace).sqrt() <= kappa
    }

    /// Whether products keep all bits of single precision: some cards round the factors.
    fn multiplies_in_single(&self) -> bool {
        let fine = 1.0 + 2f32.powi(-13);
        let shape = [TOGETHER.min(self.count()), self.columns];
        let ones = Tensor::<2>::full(shape, fine, &self.link.device);
        let product = ones.clone().transpose().matmul(ones);
        let expected = shape[0] as f64 * f64::from(fine) * f64::from(fine);
        let found = f64::from(self.link.fetch(product.slice([0..1, 0..1]))[0]);
        (found - expected).abs() <= 1e-5 * expected
    }
}

impl Blocks<f32> for Resident {
    fn rows(&self) -> usize {
        self.count()
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn block<'b>(&'b self, rows: Range<usize>, room: &'b mut Vec<f32>) -> &'b [f32] {
        *room = self.fetch(&rows);
        room
    }

    fn weighted<'a>(&'a self, roots: &'a [f32]) -> Box<dyn Blocks<f32> + 'a> {
        let blocks = self.blocks.iter().zip(self.starts.windows(2));
        let weighted = blocks.map(|(block, rows)| {
            let own = self
                .link
                .send_all(&roots[rows[0]..rows[1]], [rows[1] - rows[0], 1]);
            block.clone() * own
        });
        let weighted: Vec<Tensor<2>> = weighted.collect();
        Box::new(Self::new(&weighted, self.link.clone()))
    }

    fn check_finite(&self) -> Result<(), Error> {
        let wrong = (self.blocks.iter()).map(|x| x.clone().is_finite().bool_not().float().sum());
        let wrong = self.link.numbers(wrong.collect());
        match wrong.iter().all(|&count| count == 0.0) {
            true => Ok(()),
            // the processor knows where
            false => self.fetched()?.check_finite("features"),
        }
    }

    fn failure(&self) -> Option<String> {
        self.link.failure()
    }

    fn there(&self) -> Option<&Resident> {
        Some(self)
    }
}

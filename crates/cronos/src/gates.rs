//! Gates: the activation patterns `D_i = 1(X g_i >= 0)`, one bit per row.

use crate::Error;
use crate::blocks::Blocks;
use crate::inner::dot;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::team::Team;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::collections::HashSet;

/// Rows per word of a bit pattern.
pub(crate) const WORD: usize = 64;

/// How many candidates may be drawn for each gate asked for, before giving up on more.
const DRAWS_PER_GATE: usize = 4;

/// Candidates drawn at a time.
const BATCH: usize = 1024;

/// Distinct, non-zero activation patterns of the training rows, and the
/// directions `g_i` they come from.
#[derive(Clone, Debug)]
pub struct Gates {
    rows: usize,
    words: usize,
    /// Gate `i` is `bits[i * words..][..words]`; bit `j % 64` of word `j / 64` is row `j`.
    bits: Vec<u64>,
    /// Gate `i` came from `directions[i]`, one number per column of `X`.
    directions: Vec<Vec<f64>>,
    /// Candidates that were dropped because they repeated a pattern or were all zero.
    dropped: usize,
}

impl Gates {
    /// Draws Gaussian directions until `count` distinct, non-zero patterns are
    /// found, or until `4 * count` draws were made.
    ///
    /// Direction `i` depends on the seed, on `i` and on the number of columns
    /// of `x`, never on the rows.
    pub fn sample<T: Real>(x: &Matrix<T>, count: usize, seed: u64) -> Result<Self, Error> {
        Self::sample_shared(x, count, seed, &Team::default())
    }

    /// The same for rows of which others have some, too: all get the same gates.
    pub fn sample_shared<T: Real>(
        x: &dyn Blocks<T>,
        count: usize,
        seed: u64,
        team: &Team,
    ) -> Result<Self, Error> {
        if count == 0 {
            return Err(Error::setting("gates", count, "at least 1"));
        }
        let mut gates = Self::empty(x.rows());
        let mut seen = HashSet::new();
        let limit = count.saturating_mul(DRAWS_PER_GATE);
        let mut drawn = 0;
        while gates.len() < count && drawn < limit {
            let batch = drawn..limit.min(drawn + (count - gates.len()).min(BATCH));
            drawn = batch.end;
            let directions: Vec<Vec<f64>> = batch
                .into_par_iter()
                .map(|i| direction(seed, i as u64, x.columns()))
                .collect();
            gates.take(x, directions, &mut seen, team);
        }
        gates.some_left()
    }

    /// Patterns of the given directions, one per column of `directions`
    /// (`x.columns()` rows). Repeated and all-zero patterns are dropped, which
    /// leaves the optimum of the convex program as it is.
    pub fn from_directions<T: Real>(
        x: &Matrix<T>,
        directions: &Matrix<f64>,
    ) -> Result<Self, Error> {
        Self::from_directions_shared(x, directions, &Team::default())
    }

    /// The same for rows of which others have some, too.
    pub fn from_directions_shared<T: Real>(
        x: &dyn Blocks<T>,
        directions: &Matrix<f64>,
        team: &Team,
    ) -> Result<Self, Error> {
        if directions.rows() != x.columns() {
            return Err(Error::Shape {
                what: "gate directions",
                expected: format!("{} rows, one for each feature", x.columns()),
                found: format!("{} rows", directions.rows()),
            });
        }
        directions.check_finite("gate directions")?;
        let mut gates = Self::empty(x.rows());
        let mut seen = HashSet::new();
        let directions: Vec<Vec<f64>> = (0..directions.columns())
            .map(|i| directions.column(i))
            .collect();
        gates.take(x, directions, &mut seen, team);
        gates.some_left()
    }

    fn empty(rows: usize) -> Self {
        Self {
            rows,
            words: rows.div_ceil(WORD),
            bits: Vec::new(),
            directions: Vec::new(),
            dropped: 0,
        }
    }

    /// Takes on the directions whose patterns are new and active somewhere.
    fn take<T: Real>(
        &mut self,
        x: &dyn Blocks<T>,
        directions: Vec<Vec<f64>>,
        seen: &mut HashSet<u128>,
        team: &Team,
    ) {
        let patterns = patterns(x, &directions);
        let marks = marks(&patterns, self.rows, team);
        for ((bits, direction), mark) in patterns.into_iter().zip(directions).zip(marks) {
            if mark == 0 || !seen.insert(mark) {
                self.dropped += 1;
                continue;
            }
            self.bits.extend(bits);
            self.directions.push(direction);
        }
    }

    fn some_left(self) -> Result<Self, Error> {
        if self.directions.is_empty() {
            return Err(Error::Data(format!(
                "none of the {} gates is active on any training row; draw or give others",
                self.dropped
            )));
        }
        Ok(self)
    }

    /// Number of gates, `P`.
    pub fn len(&self) -> usize {
        self.directions.len()
    }

    /// Whether there is no gate at all; never true for gates that were built.
    pub fn is_empty(&self) -> bool {
        self.directions.is_empty()
    }

    /// Number of rows, `n`.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Candidates dropped because they repeated a pattern or were all zero.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The direction gate `i` came from.
    pub fn direction(&self, i: usize) -> &[f64] {
        &self.directions[i]
    }

    /// Whether gate `i` is active on row `j`.
    pub fn active(&self, i: usize, j: usize) -> bool {
        self.bits[i * self.words + j / WORD] >> (j % WORD) & 1 == 1
    }

    /// Writes gate `i` on the rows `from..from + mask.len()` as zeros and ones;
    /// zeros past the last row. `from` is a multiple of 64, the length of `mask` one of 32.
    #[inline(always)]
    pub(crate) fn expand<T: Real>(&self, i: usize, from: usize, mask: &mut [T]) {
        const HALF: usize = WORD / 2;
        let words = &self.bits[i * self.words..][from / WORD..self.words];
        let halves = (words.iter()).flat_map(|&word| [word as u32, (word >> HALF) as u32]);
        let halves = halves.chain(std::iter::repeat(0));
        for (lane, half) in mask.as_chunks_mut::<HALF>().0.iter_mut().zip(halves) {
            for (j, entry) in lane.iter_mut().enumerate() {
                *entry = if half & 1 << j != 0 { T::ONE } else { T::ZERO };
            }
        }
    }

    /// The patterns the other way round: for each row, one bit per gate, in
    /// `len().div_ceil(64)` words.
    pub(crate) fn by_row(&self) -> Vec<u64> {
        let words = self.len().div_ceil(WORD);
        let mut rows = vec![0; self.rows * words];
        for i in 0..self.len() {
            for j in 0..self.rows {
                if self.active(i, j) {
                    rows[j * words + i / WORD] |= 1 << (i % WORD);
                }
            }
        }
        rows
    }
}

/// Gaussian direction number `index` of the stream that `seed` starts.
fn direction(seed: u64, index: u64, columns: usize) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    (0..columns)
        .map(|_| StandardNormal.sample(&mut rng))
        .collect()
}

/// A number for each pattern that hardly two share: 0 for one that is active nowhere, the sum over
/// its words, those of other ranks included, for any other.
fn marks(patterns: &[Vec<u64>], rows: usize, team: &Team) -> Vec<u128> {
    let first = team.first_row(rows) / WORD;
    let mark = |bits: &Vec<u64>| {
        let words = bits.iter().enumerate().filter(|&(_, &word)| word != 0);
        words.fold(0u128, |mark, (at, &word)| {
            mark.wrapping_add(scramble((first + at) as u64, word))
        })
    };
    let own: Vec<u128> = patterns.par_iter().map(mark).collect();
    let mut all = vec![0u128; own.len()];
    for of_rank in team.gather_bytes(bytemuck::cast_slice(&own)) {
        for (mark, bytes) in all.iter_mut().zip(of_rank.chunks_exact(size_of::<u128>())) {
            *mark = mark.wrapping_add(bytemuck::pod_read_unaligned(bytes));
        }
    }
    all
}

/// 128 bits in which every bit of a word and of its place counts, never 0.
fn scramble(place: u64, word: u64) -> u128 {
    let mix = |mut bits: u64| {
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    };
    let seed = mix(place.wrapping_add(0x9e37_79b9_7f4a_7c15));
    let (high, low) = (
        mix(word ^ seed),
        mix(word.wrapping_add(seed.rotate_left(32))),
    );
    u128::from(high) << 64 | u128::from(low | 1)
}

/// `1(X g >= 0)` as bits, for each direction. Rows are taken a word at a time, so that
/// they stay in cache for all directions.
fn patterns<T: Real>(x: &dyn Blocks<T>, directions: &[Vec<f64>]) -> Vec<Vec<u64>> {
    #[cfg(feature = "device")]
    if let Some(there) = x.there() {
        return there.patterns(directions);
    }
    let words: Vec<Vec<u64>> = (0..x.rows().div_ceil(WORD))
        .into_par_iter()
        .map_init(Vec::new, |room, word| {
            let rows = word * WORD..x.rows().min((word + 1) * WORD);
            let rows = x.block(rows, room);
            let bits = |g: &Vec<f64>| {
                let rows = rows.chunks(x.columns()).enumerate();
                let active = rows.filter(|(_, row)| dot(row, g) >= 0.0);
                active.fold(0, |bits, (at, _)| bits | 1 << at)
            };
            directions.iter().map(bits).collect()
        })
        .collect();
    (0..directions.len())
        .map(|at| words.iter().map(|word| word[at]).collect())
        .collect()
}

//! How well a transformer tells the next token.

use super::pointwise::softmax;
use super::{Batch, Transformer};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Tokens whose scores are in memory at a time, and how many of them a thread takes.
const ROWS: usize = 128;
const PART: usize = 16;
/// Tokens of the vocabulary that a thread takes.
const STRIP: usize = 1024;

impl Transformer {
    /// The scores of every token of the vocabulary to be the next, `states x vocabulary`.
    pub fn scores(&self, parameters: &[f32], states: &[f32]) -> Vec<f32> {
        let mut scores = Vec::new();
        self.score(parameters, states, &mut scores);
        scores
    }

    fn score(&self, parameters: &[f32], states: &[f32], scores: &mut Vec<f32>) {
        let (width, vocabulary) = (self.config.width, self.config.vocabulary);
        let rows = states.len() / width;
        scores.resize(rows * vocabulary, 0.0);
        let head = self.head_matrix(parameters);
        let states = MatRef::from_row_major_slice(states, rows, width);
        // scores = states headᵀ
        MatMut::from_row_major_slice_mut(scores, rows, vocabulary)
            .par_col_chunks_mut(STRIP)
            .enumerate()
            .for_each(|(at, out)| {
                let head = head.subrows(at * STRIP, out.ncols()).transpose();
                matmul(out, Accum::Replace, states, head, 1.0, Par::Seq);
            });
    }

    fn head_matrix<'p>(&self, parameters: &'p [f32]) -> MatRef<'p, f32> {
        let (width, vocabulary) = (self.config.width, self.config.vocabulary);
        let own = &parameters[self.head..][..vocabulary * width];
        MatRef::from_row_major_slice(own, vocabulary, width)
    }

    /// The mean of `−ln` of the probability of the next token, over all tokens that have one.
    /// With a `gradient`, adds that in the head to it and returns that in the states.
    pub fn next_token_loss(
        &self,
        parameters: &[f32],
        batch: &Batch,
        states: &[f32],
        gradient: Option<&mut [f32]>,
    ) -> (f64, Vec<f32>) {
        let width = self.config.width;
        // rows of states, and the token that follows
        let pairs: Vec<(usize, usize)> = (batch.texts.iter())
            .flat_map(|text| text.first..text.first + text.real - 1)
            .map(|row| (row, batch.tokens[row + 1] as usize))
            .collect();
        let count = pairs.len().max(1) as f64;
        let mut pull = vec![0.0; if gradient.is_some() { states.len() } else { 0 }];
        let mut gradient = gradient;
        let mut loss = 0.0;
        let (mut chosen, mut scores, mut back) = (Vec::new(), Vec::new(), Vec::new());
        for pairs in pairs.chunks(ROWS) {
            chosen.clear();
            let rows = pairs
                .iter()
                .flat_map(|&(row, _)| &states[row * width..][..width]);
            chosen.extend(rows);
            self.score(parameters, &chosen, &mut scores);
            loss += self.pull_scores(pairs, &mut scores, (1.0 / count) as f32);
            let Some(gradient) = gradient.as_deref_mut() else {
                continue;
            };
            self.score_back(parameters, (&chosen, &scores), gradient, &mut back);
            for (&(row, _), back) in pairs.iter().zip(back.chunks(width)) {
                pull[row * width..][..width].copy_from_slice(back);
            }
        }
        (loss / count, pull)
    }

    /// Makes of scores the gradient of the loss in them; returns the sum of the losses.
    fn pull_scores(&self, pairs: &[(usize, usize)], scores: &mut [f32], share: f32) -> f64 {
        let vocabulary = self.config.vocabulary;
        let losses: Vec<f64> = (scores.par_chunks_mut(PART * vocabulary))
            .zip(pairs.par_chunks(PART))
            .map(|(scores, pairs)| {
                let rows = scores.chunks_mut(vocabulary).zip(pairs);
                rows.map(|(scores, &(_, next))| {
                    let own = scores[next];
                    let log = softmax(scores);
                    // p − 1 at the token that follows
                    scores[next] -= 1.0;
                    scores.iter_mut().for_each(|score| *score *= share);
                    f64::from(log - own)
                })
                .sum()
            })
            .collect();
        losses.iter().sum()
    }

    fn score_back(
        &self,
        parameters: &[f32],
        (states, pull): (&[f32], &[f32]),
        gradient: &mut [f32],
        back: &mut Vec<f32>,
    ) {
        let (width, vocabulary) = (self.config.width, self.config.vocabulary);
        let rows = states.len() / width;
        back.resize(rows * width, 0.0);
        let head = self.head_matrix(parameters);
        let states = MatRef::from_row_major_slice(states, rows, width);
        let pull = MatRef::from_row_major_slice(pull, rows, vocabulary);
        // dhead += pullᵀ states
        let own = &mut gradient[self.head..][..vocabulary * width];
        own.par_chunks_mut(STRIP * width)
            .enumerate()
            .for_each(|(at, own)| {
                let count = own.len() / width;
                let pull = pull.subcols(at * STRIP, count).transpose();
                let own = MatMut::from_row_major_slice_mut(own, count, width);
                matmul(own, Accum::Add, pull, states, 1.0, Par::Seq);
            });
        // dstates = pull head
        MatMut::from_row_major_slice_mut(back, rows, width)
            .par_row_chunks_mut(PART)
            .enumerate()
            .for_each(|(at, out)| {
                let pull = pull.subrows(at * PART, out.nrows());
                matmul(out, Accum::Replace, pull, head, 1.0, Par::Seq);
            });
    }
}

//! Every token looks at the others of its text.
//!
//! `out = softmax(q kᵀ / √size) v` for each head. Nothing but q, k and v is kept for the way back;
//! the weights are computed again.

use super::batch::{Batch, Text};
use super::pointwise::softmax;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// The heads. A row of `qkv` holds the queries of all heads, then the keys, then the values;
/// several heads may share keys and values.
#[derive(Clone, Debug)]
pub(super) struct Attention {
    pub heads: usize,
    pub key_heads: usize,
    /// Numbers of a query.
    pub size: usize,
    /// Whether a token looks only at those before it and at itself.
    pub causal: bool,
    /// `θ` of the rotations that tell positions, if there are any.
    pub rotation: Option<f64>,
}

/// Where the parts of a head begin in a row.
struct Places {
    query: usize,
    key: usize,
    value: usize,
}

impl Attention {
    /// Numbers in a row of `qkv`.
    pub fn inputs(&self) -> usize {
        (self.heads + 2 * self.key_heads) * self.size
    }

    /// Numbers in a row that comes out.
    pub fn outputs(&self) -> usize {
        self.heads * self.size
    }

    fn places(&self, head: usize) -> Places {
        let shared = head / (self.heads / self.key_heads);
        Places {
            query: head * self.size,
            key: (self.heads + shared) * self.size,
            value: (self.heads + self.key_heads + shared) * self.size,
        }
    }

    /// Tokens that the token at a place of a text looks at: the first so many.
    fn seen(&self, text: Text, at: usize) -> usize {
        match self.causal {
            true => text.real.min(at + 1),
            false => text.real,
        }
    }

    /// Turns queries and keys by angles that grow with the position; `back` turns the other way,
    /// as gradients are. Pairs are a number of the first half of a head and one of the second.
    pub fn rotate(&self, batch: &Batch, qkv: &mut [f32], back: bool) {
        let Some(theta) = self.rotation else {
            return;
        };
        let half = self.size / 2;
        // angle = position · θ^(−2 j / size)
        let rates: Vec<f64> = (0..half)
            .map(|j| theta.powf(-2.0 * j as f64 / self.size as f64))
            .collect();
        let turned = (self.heads + self.key_heads) * self.size;
        let inputs = self.inputs();
        let texts = batch.cut(qkv, inputs);
        texts.into_par_iter().for_each(|rows| {
            for (position, row) in rows.chunks_mut(inputs).enumerate() {
                let turns: Vec<(f32, f32)> = (rates.iter())
                    .map(|rate| {
                        let angle = position as f64 * rate;
                        let angle = if back { -angle } else { angle };
                        (angle.cos() as f32, angle.sin() as f32)
                    })
                    .collect();
                for head in row[..turned].chunks_mut(self.size) {
                    let (a, b) = head.split_at_mut(half);
                    for ((a, b), (cos, sin)) in a.iter_mut().zip(b).zip(&turns) {
                        (*a, *b) = (*a * cos - *b * sin, *b * cos + *a * sin);
                    }
                }
            }
        });
    }

    /// The weights of the tokens of a text for one head, `length x real`.
    fn weights(&self, text: Text, qkv: MatRef<'_, f32>, head: usize, weights: &mut Vec<f32>) {
        let places = self.places(head);
        let q = qkv.subcols(places.query, self.size);
        let k = qkv.subcols(places.key, self.size).subrows(0, text.real);
        weights.resize(text.length * text.real, 0.0);
        let scores = MatMut::from_row_major_slice_mut(weights, text.length, text.real);
        let scale = 1.0 / (self.size as f32).sqrt();
        matmul(scores, Accum::Replace, q, k.transpose(), scale, Par::Seq);
        for (at, row) in weights.chunks_mut(text.real).enumerate() {
            let (seen, hidden) = row.split_at_mut(self.seen(text, at));
            softmax(seen);
            hidden.fill(0.0);
        }
    }

    pub fn forward(&self, batch: &Batch, qkv: &[f32], out: &mut Vec<f32>) {
        let (inputs, outputs) = (self.inputs(), self.outputs());
        out.resize(batch.tokens.len() * outputs, 0.0);
        let texts = batch.cut(out, outputs);
        (texts.into_par_iter().zip(&batch.texts)).for_each_init(
            Vec::new,
            |weights, (out, text)| {
                let qkv = &qkv[text.first * inputs..][..text.length * inputs];
                let qkv = MatRef::from_row_major_slice(qkv, text.length, inputs);
                let mut out = MatMut::from_row_major_slice_mut(out, text.length, outputs);
                for head in 0..self.heads {
                    self.weights(*text, qkv, head, weights);
                    let w = MatRef::from_row_major_slice(weights, text.length, text.real);
                    let v = qkv.subcols(self.places(head).value, self.size);
                    let out = out.as_mut().subcols_mut(head * self.size, self.size);
                    let v = v.subrows(0, text.real);
                    matmul(out, Accum::Replace, w, v, 1.0, Par::Seq);
                }
            },
        );
    }

    /// Writes the gradient in `qkv`, from that in what came out.
    pub fn backward(&self, batch: &Batch, qkv: &[f32], pull: &[f32], back: &mut Vec<f32>) {
        let (inputs, outputs) = (self.inputs(), self.outputs());
        back.clear();
        back.resize(qkv.len(), 0.0);
        let texts = batch.cut(back, inputs);
        (texts.into_par_iter().zip(&batch.texts)).for_each_init(
            || (Vec::new(), Vec::new()),
            |(weights, slopes), (back, text)| {
                let qkv = &qkv[text.first * inputs..][..text.length * inputs];
                let pull = &pull[text.first * outputs..][..text.length * outputs];
                let qkv = MatRef::from_row_major_slice(qkv, text.length, inputs);
                let pull = MatRef::from_row_major_slice(pull, text.length, outputs);
                let mut back = MatMut::from_row_major_slice_mut(back, text.length, inputs);
                for head in 0..self.heads {
                    self.weights(*text, qkv, head, weights);
                    let pull = pull.subcols(head * self.size, self.size);
                    self.head_back(*text, qkv, head, (weights, slopes), pull, back.as_mut());
                }
            },
        );
    }

    fn head_back(
        &self,
        text: Text,
        qkv: MatRef<'_, f32>,
        head: usize,
        (weights, slopes): (&[f32], &mut Vec<f32>),
        pull: MatRef<'_, f32>,
        mut back: MatMut<'_, f32>,
    ) {
        let Text { length, real, .. } = text;
        let places = self.places(head);
        let part = |first: usize| qkv.subcols(first, self.size);
        // dw = pull vᵀ
        slopes.resize(length * real, 0.0);
        let v = part(places.value).subrows(0, real);
        let dw = MatMut::from_row_major_slice_mut(slopes, length, real);
        matmul(dw, Accum::Replace, pull, v.transpose(), 1.0, Par::Seq);
        // ds = w ∘ (dw − ⟨w, dw⟩)
        for (w, ds) in weights.chunks(real).zip(slopes.chunks_mut(real)) {
            let along: f32 = w.iter().zip(&*ds).map(|(w, ds)| w * ds).sum();
            ds.iter_mut()
                .zip(w)
                .for_each(|(ds, w)| *ds = w * (*ds - along));
        }
        let w = MatRef::from_row_major_slice(weights, length, real);
        let ds = MatRef::from_row_major_slice(slopes, length, real);
        let scale = 1.0 / (self.size as f32).sqrt();
        // dq = ds k / √size, dk = dsᵀ q / √size, dv = wᵀ pull; those of keys and values are
        // sums over the heads that share them
        let mut into = |first: usize, a: MatRef<'_, f32>, b: MatRef<'_, f32>, factor: f32| {
            let place = back.as_mut().subcols_mut(first, self.size);
            let place = place.subrows_mut(0, a.nrows());
            matmul(place, Accum::Add, a, b, factor, Par::Seq);
        };
        into(places.query, ds, part(places.key).subrows(0, real), scale);
        into(places.key, ds.transpose(), part(places.query), scale);
        into(places.value, w.transpose(), pull, 1.0);
    }
}

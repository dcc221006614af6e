//! A linear layer from features to classes.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// `features x outputs` and a constant for each.
pub(super) struct Dense {
    pub outputs: usize,
    pub features: usize,
}

impl Dense {
    pub fn size(&self) -> usize {
        (self.features + 1) * self.outputs
    }

    /// The mean cross-entropy of a batch, its gradient in the layer and in the features.
    pub fn slope(&self, layer: &[f32], x: &[f32], labels: &[usize]) -> (f64, Vec<f32>, Vec<f32>) {
        let (rows, features, outputs) = (labels.len(), self.features, self.outputs);
        let (weight, constants) = layer.split_at(features * outputs);
        let weight = MatRef::from_row_major_slice(weight, features, outputs);
        let x = MatRef::from_row_major_slice(x, rows, features);
        let mut scores: Vec<f32> = (0..rows).flat_map(|_| constants).copied().collect();
        let product = |out: &mut [f32], shape: [usize; 2], how, a, b| {
            let out = MatMut::from_row_major_slice_mut(out, shape[0], shape[1]);
            matmul(out, how, a, b, 1.0, Par::Seq);
        };
        product(&mut scores, [rows, outputs], Accum::Add, x, weight);
        let mut loss = 0.0;
        for (scores, &label) in scores.chunks_mut(outputs).zip(labels) {
            let most = scores
                .iter()
                .fold(f32::NEG_INFINITY, |most, &s| most.max(s));
            let sum: f32 = scores.iter().map(|s| (s - most).exp()).sum();
            loss += f64::from(most + sum.ln() - scores[label]);
            // (p − 1 at the label) / rows
            for (class, score) in scores.iter_mut().enumerate() {
                let own = if class == label { 1.0 } else { 0.0 };
                *score = ((*score - most).exp() / sum - own) / rows as f32;
            }
        }
        let slopes = MatRef::from_row_major_slice(&scores, rows, outputs);
        let mut gradient = vec![0.0; self.size()];
        let (of_weight, of_constants) = gradient.split_at_mut(features * outputs);
        let shape = [features, outputs];
        product(of_weight, shape, Accum::Replace, x.transpose(), slopes);
        for row in scores.chunks(outputs) {
            of_constants.iter_mut().zip(row).for_each(|(c, s)| *c += s);
        }
        let mut back = vec![0.0; rows * features];
        let shape = [rows, features];
        product(&mut back, shape, Accum::Replace, slopes, weight.transpose());
        (loss / rows as f64, gradient, back)
    }
}

//! On the processor.

use super::dense::Dense;
use super::{Classes, DECAY, LONGEST, Steps, Tuning, check, course};
use crate::language::encoder::Encoder;
use crate::language::transformer::{Batch, Tape};
use crate::optim::{Adam, Optimizer};
use cronos::Error;

impl Encoder {
    pub(super) fn tune_on_classes_here(
        &mut self,
        on: Classes<'_>,
        tuning: &Tuning,
        watch: &mut dyn Steps,
    ) -> Result<f64, Error> {
        let (pool, width) = (on.pool, self.transformer.config().width);
        let dense = Dense {
            outputs: on.classes,
            features: pool.features(width, on.length),
        };
        let mut last = vec![0.0; dense.size()];
        let mut adam = Adam::new(last.len(), tuning.rate.max(1e-3), DECAY, true);
        let mut pooled = Vec::new();
        let texts = on.texts.len();
        self.train(
            texts,
            tuning,
            watch,
            |encoder, rows, tape, gradient, share| {
                let (texts, labels) = on.of(rows);
                let batch = encoder.batch(&texts, pool, on.length)?;
                encoder.run(&batch, tape, tuning);
                pooled.clear();
                pool.apply(&batch, tape.states(), width, &mut pooled);
                let (loss, mut slope, pull) = dense.slope(&last, &pooled, &labels);
                adam.set_scale(share);
                adam.step(&mut last, &mut slope);
                let mut pull = pool.back(&batch, &pull, width);
                encoder.back(&batch, tape, &mut pull, gradient, tuning);
                Ok(loss)
            },
        )
    }

    pub(super) fn tune_on_texts_here(
        &mut self,
        texts: &[Vec<u32>],
        tuning: &Tuning,
        watch: &mut dyn Steps,
    ) -> Result<f64, Error> {
        let slope = |encoder: &Self,
                     rows: &[usize],
                     tape: &mut Tape,
                     gradient: &mut [f32],
                     _: f64|
         -> Result<f64, Error> {
            let batch = Batch::new(rows.iter().map(|&row| &texts[row][..]))?;
            encoder.run(&batch, tape, tuning);
            let (loss, mut pull) = encoder.transformer.next_token_loss(
                &encoder.parameters,
                &batch,
                tape.states(),
                Some(&mut *gradient),
            );
            encoder.back(&batch, tape, &mut pull, gradient, tuning);
            Ok(loss)
        };
        self.train(texts.len(), tuning, watch, slope)
    }

    fn run(&self, batch: &Batch, tape: &mut Tape, tuning: &Tuning) {
        let from = self.first_block(tuning);
        self.transformer
            .forward_from(&self.parameters, batch, tape, from);
    }

    fn back(
        &self,
        batch: &Batch,
        tape: &mut Tape,
        pull: &mut Vec<f32>,
        gradient: &mut [f32],
        tuning: &Tuning,
    ) {
        let from = self.first_block(tuning);
        self.transformer
            .backward_from(&self.parameters, batch, tape, pull, gradient, from);
    }

    /// The first block that is trained.
    fn first_block(&self, tuning: &Tuning) -> usize {
        let all = self.transformer.config().blocks;
        all - tuning.blocks.map_or(all, |blocks| blocks.min(all))
    }

    /// Steps over all texts; `slope` computes the gradient of some of them.
    fn train(
        &mut self,
        texts: usize,
        tuning: &Tuning,
        watch: &mut dyn Steps,
        mut slope: impl FnMut(&Self, &[usize], &mut Tape, &mut [f32], f64) -> Result<f64, Error>,
    ) -> Result<f64, Error> {
        let first = self.first_trained(tuning);
        let mut gradient = vec![0.0; self.parameters.len()];
        let mut adam = Adam::new(self.parameters.len() - first, tuning.rate, DECAY, true);
        let mut tape = Tape::default();
        course(texts, tuning, watch, |rows, share| {
            self.transformer.clear(&mut gradient);
            let loss = slope(self, rows, &mut tape, &mut gradient, share)?;
            let loss = check(loss, tuning)?;
            shorten(&mut gradient[first..]);
            adam.set_scale(share);
            adam.step(&mut self.parameters[first..], &mut gradient[first..]);
            Ok(loss)
        })
    }
}

/// Brings a gradient that is too long to the longest allowed.
fn shorten(gradient: &mut [f32]) {
    let squares: f64 = gradient.iter().map(|&g| f64::from(g) * f64::from(g)).sum();
    let length = squares.sqrt();
    if length > LONGEST {
        let factor = (LONGEST / length) as f32;
        gradient.iter_mut().for_each(|g| *g *= factor);
    }
}

//! Operations on single rows, one behind the other, so that a row stays in the cache.
//!
//! All that a row passes through stands in one slice, its tape; an operation reads it at one
//! place and writes it at another behind that, or at the same.

use super::convolution::Convolution;
use super::layout::{Rows, sized};
use super::pool::{GlobalAverage, Pool};
use rayon::prelude::*;

/// Rows whose gradients are added up by one thread.
const GROUP: usize = 8;

/// What is done to a row.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Convolution(Convolution),
    /// `max(x, 0)`
    Relu,
    Pool(Pool),
    GlobalAverage(GlobalAverage),
    /// Adds what stands at the first place to what stands at the second.
    Add,
}

/// An operation and its places.
#[derive(Clone, Debug)]
struct Step {
    op: Op,
    from: usize,
    to: usize,
    /// Numbers read and written.
    input: usize,
    output: usize,
}

/// A part of a network without linear layers.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    steps: Vec<Step>,
    /// Numbers of a row that goes in.
    input: usize,
    /// Where what comes out stands, and how much it is.
    at: usize,
    output: usize,
    /// Numbers of a tape.
    length: usize,
    /// Where the parameters begin, and how many there are.
    first: usize,
    size: usize,
    /// Room that a convolution needs.
    room: usize,
}

/// Room for a batch.
#[derive(Default)]
pub(crate) struct Tape {
    /// All tapes, one row each.
    rows: Vec<f32>,
    /// What every group of rows adds to the gradient.
    sums: Vec<f32>,
    /// The weights of all convolutions as they need them.
    packed: Vec<f32>,
}

impl Chain {
    /// Nothing is done to a row of so many numbers yet.
    pub fn new(input: usize, first: usize) -> Self {
        Self {
            steps: Vec::new(),
            input,
            at: 0,
            output: input,
            length: input,
            first,
            size: 0,
            room: 0,
        }
    }

    pub fn input(&self) -> usize {
        self.input
    }

    pub fn output(&self) -> usize {
        self.output
    }

    /// Numbers of a tape.
    pub fn kept(&self) -> usize {
        self.length
    }

    /// The place of what comes out so far.
    pub fn place(&self) -> usize {
        self.at
    }

    pub fn convolution(&mut self, op: Convolution) {
        self.size += op.size();
        self.room = self.room.max(op.room());
        let (input, output) = (op.input(), op.output());
        self.push(Op::Convolution(op), input, output);
    }

    pub fn pool(&mut self, op: Pool) {
        let (input, output) = (op.input(), op.output());
        self.push(Op::Pool(op), input, output);
    }

    pub fn global_average(&mut self, op: GlobalAverage) {
        let (input, output) = (op.channels * op.pixels, op.channels);
        self.push(Op::GlobalAverage(op), input, output);
    }

    /// In place, unless what goes in is needed again.
    pub fn relu(&mut self, keep: bool) {
        let (at, size) = (self.at, self.output);
        match keep {
            true => self.push(Op::Relu, size, size),
            false => self.steps.push(Step {
                op: Op::Relu,
                from: at,
                to: at,
                input: size,
                output: size,
            }),
        }
    }

    /// Adds what stood at `from`.
    pub fn add(&mut self, from: usize) {
        self.steps.push(Step {
            op: Op::Add,
            from,
            to: self.at,
            input: self.output,
            output: self.output,
        });
    }

    fn push(&mut self, op: Op, input: usize, output: usize) {
        self.steps.push(Step {
            op,
            from: self.at,
            to: self.length,
            input,
            output,
        });
        (self.at, self.output) = (self.length, output);
        self.length += output;
    }

    fn convolutions(&self) -> impl Iterator<Item = &Convolution> {
        self.steps.iter().filter_map(|step| match &step.op {
            Op::Convolution(op) => Some(op),
            _ => None,
        })
    }

    fn pack(&self, parameters: &[f32], packed: &mut Vec<f32>) {
        packed.clear();
        self.convolutions()
            .for_each(|op| op.pack(parameters, packed));
    }

    /// What comes out of rows, of which nothing else is kept.
    pub fn apply(&self, parameters: &[f32], x: Rows<'_>, y: &mut Vec<f32>) {
        let mut packed = Vec::new();
        self.pack(parameters, &mut packed);
        sized(y, x.count() * self.output)
            .par_chunks_mut(self.output.max(1))
            .enumerate()
            .for_each_init(
                || (vec![0.0; self.length], vec![0.0; self.room]),
                |(tape, room), (row, y)| {
                    tape[..self.input].copy_from_slice(x.row(row));
                    self.play(parameters, &packed, tape, room);
                    y.copy_from_slice(&tape[self.at..][..self.output]);
                },
            );
    }

    /// The same with the tapes kept.
    pub fn forward(&self, parameters: &[f32], x: Rows<'_>, tape: &mut Tape) {
        let Tape { rows, packed, .. } = tape;
        self.pack(parameters, packed);
        sized(rows, x.count() * self.length)
            .par_chunks_mut(self.length.max(1))
            .enumerate()
            .for_each_init(
                || vec![0.0; self.room],
                |room, (row, tape)| {
                    tape[..self.input].copy_from_slice(x.row(row));
                    self.play(parameters, packed, tape, room);
                },
            );
    }

    /// What came out.
    pub fn rows<'t>(&self, tape: &'t Tape) -> Rows<'t> {
        Rows {
            values: &tape.rows,
            offset: self.at,
            stride: self.length,
            width: self.output,
        }
    }

    fn play(&self, parameters: &[f32], mut packed: &[f32], tape: &mut [f32], room: &mut [f32]) {
        for step in &self.steps {
            if step.from == step.to {
                relu(&mut tape[step.to..][..step.output]);
                continue;
            }
            let (before, after) = tape.split_at_mut(step.to);
            let (x, y) = (
                &before[step.from..][..step.input],
                &mut after[..step.output],
            );
            match &step.op {
                Op::Convolution(op) => {
                    let (own, rest) = packed.split_at(op.packed());
                    op.forward(parameters, own, x, y, room);
                    packed = rest;
                }
                Op::Pool(op) => op.forward(x, y),
                Op::GlobalAverage(op) => op.forward(x, y),
                Op::Relu => {
                    y.copy_from_slice(x);
                    relu(y);
                }
                Op::Add => add(y, x),
            }
        }
    }

    /// Writes the gradient in the parameters, if they have a place in it, and that in the
    /// rows that went in, if it is wanted.
    pub fn backward(
        &self,
        tape: &mut Tape,
        pull: &[f32],
        gradient: &mut [f32],
        back: Option<&mut Vec<f32>>,
    ) {
        let rows = pull.len() / self.output.max(1);
        let groups = rows.div_ceil(GROUP);
        let packed = &tape.packed;
        tape.sums.clear();
        tape.sums.resize(groups * self.size, 0.0);
        // as many parts as there are groups, even where there is nothing to write
        let mut sums: Vec<&mut [f32]> = tape.sums.chunks_mut(self.size.max(1)).collect();
        sums.resize_with(groups, Default::default);
        let mut backs: Vec<&mut [f32]> = match back {
            Some(back) => sized(back, rows * self.input)
                .chunks_mut(GROUP * self.input)
                .collect(),
            None => Vec::new(),
        };
        let wanted = !backs.is_empty();
        backs.resize_with(groups, Default::default);
        (sums.into_par_iter().zip(backs))
            .zip(tape.rows.par_chunks(GROUP * self.length))
            .zip(pull.par_chunks(GROUP * self.output))
            .for_each_init(
                || (vec![0.0; self.length], vec![0.0; self.room]),
                |(pulls, room), (((sum, back), tapes), pull)| {
                    let mut back = back.chunks_mut(self.input);
                    let tapes = tapes.chunks(self.length);
                    for (tape, pull) in tapes.zip(pull.chunks(self.output)) {
                        pulls[self.at..][..self.output].copy_from_slice(pull);
                        self.rewind(packed, tape, pulls, sum, wanted, room);
                        if let Some(back) = back.next() {
                            back.copy_from_slice(&pulls[..self.input]);
                        }
                    }
                },
            );
        if let Some(own) = gradient.get_mut(self.first..self.first + self.size) {
            own.fill(0.0);
            for sum in tape.sums.chunks(self.size.max(1)) {
                add(own, sum);
            }
            let mut rest = own;
            for op in self.convolutions() {
                let (gradient, behind) = rest.split_at_mut(op.size());
                op.order(gradient);
                rest = behind;
            }
        }
    }

    /// From the gradient in what comes out to that in what went in. A place is written by
    /// the last operation that read it; only a residual is read twice, and then added to.
    fn rewind(
        &self,
        mut packed: &[f32],
        tape: &[f32],
        pulls: &mut [f32],
        mut sum: &mut [f32],
        wanted: bool,
        room: &mut [f32],
    ) {
        for step in self.steps.iter().rev() {
            let y = &tape[step.to..][..step.output];
            if step.from == step.to {
                mask(&mut pulls[step.to..][..step.output], y);
                continue;
            }
            let (before, after) = pulls.split_at_mut(step.to);
            let (back, pull) = (
                &mut before[step.from..][..step.input],
                &mut after[..step.output],
            );
            match &step.op {
                Op::Convolution(op) => {
                    let (rest, own) = sum.split_at_mut(sum.len() - op.size());
                    let x = &tape[step.from..][..step.input];
                    let back = (wanted || step.from > 0).then_some(back);
                    let (before, weights) = packed.split_at(packed.len() - op.packed());
                    op.backward(weights, x, pull, own, back, room);
                    (sum, packed) = (rest, before);
                }
                Op::Pool(op) => op.backward(pull, back),
                Op::GlobalAverage(op) => op.backward(pull, back),
                Op::Relu => {
                    mask(pull, y);
                    add(back, pull);
                }
                Op::Add => back.copy_from_slice(pull),
            }
        }
    }
}

fn relu(x: &mut [f32]) {
    for x in x {
        *x = x.max(0.0);
    }
}

/// 0 where nothing came out.
fn mask(pull: &mut [f32], y: &[f32]) {
    for (pull, &y) in pull.iter_mut().zip(y) {
        *pull = if y > 0.0 { *pull } else { 0.0 };
    }
}

fn add(sum: &mut [f32], term: &[f32]) {
    for (sum, term) in sum.iter_mut().zip(term) {
        *sum += term;
    }
}

//! A machine whose arrays are on a device.

use super::groups::{Thresholds, rescale, squares};
use super::link::Link;
use super::plan::Room;
use super::proof::{self, Proof};
use super::rows::{Block, Rows, Sizes};
use super::setup;
use super::solver::{Step, Way};
use crate::Error;
use crate::admm::{Groups, Machine, MachineStart as Start, Point, Residence, ShrinkSums, shrunk};
use crate::engine::{
    Candidate, Engine, Evaluation, OutputBound, RowState, SweepStep, SweepSums, Workspace,
};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::pcg::Stop;
use crate::real::Real;
use crate::solver::{self, Build, Solver, Stiff, USolver};
use burn::tensor::{Device, Tensor};
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

pub(crate) struct Card<'a, T: Real> {
    engine: Engine<'a, T>,
    y: &'a Matrix<T>,
    /// Makes the factors that the device uses.
    host: Box<dyn USolver<T>>,
    work: Workspace<T>,
    build: Build,
    stiff: bool,
    way: Way,
    /// Whether the u-step has the curvature of a loss.
    curved: Option<Loss>,
    link: Arc<Link>,
    residence: Residence,
    rows: Rows,
    thresholds: Thresholds,
    /// k x d each, as on the processor
    u: Tensor<2>,
    b: Tensor<2>,
    right: Tensor<2>,
    /// C x n: the last solution in sample space
    t: Tensor<2>,
    /// k x d: the point that is remembered
    kept: Option<Tensor<2>>,
    /// What the best bounds were found with.
    proofs: Vec<Option<Proof>>,
    /// The bounds that were estimated last.
    estimated: Vec<f64>,
    /// The state that certificates are about, if it was fetched since it last changed.
    seen: OnceCell<RowState<T>>,
}

impl<'a, T: Real> Card<'a, T> {
    /// At `u = 0`, its solver built.
    pub fn new(device: Device, start: Start<'a, '_, T>) -> Result<Self, Error> {
        let Start {
            engine,
            y,
            solver,
            build,
            groups,
            step,
            rank,
            limit,
            stiff,
        } = start;
        let link = match engine.x.there() {
            Some(there) => there.link(),
            None => Arc::new(Link::new(device)),
        };
        let sizes = Sizes::of(&engine, y.columns());
        let room = Room::new(sizes, solver, rank, stiff, limit)?;
        let mut work = engine.workspace(build.outputs);
        let mut rows = Rows::new(&engine, y, &link, &room);
        let streamed_rows = match engine.x.there() {
            Some(_) => 0,
            None => sizes.rows - room.staying,
        };
        let cones = rows.sizes.signs == 2 && solver == Solver::SamplePcg;
        let host: Box<dyn USolver<T>> = match engine.x.there().filter(|_| cones) {
            Some(there) => Box::new(setup::sample_pcg(there, &rows, &engine, build, &link)?),
            None => solver::build(solver, &engine, build, &mut work)?,
        };
        rows.reset(step, &link);
        let zeros = Tensor::zeros([rows.sizes.groups(), engine.features()], &link.device);
        Ok(Self {
            way: Way::new(host.parts(), &link),
            thresholds: Thresholds::new(groups, &link),
            t: Tensor::zeros([build.outputs, engine.rows()], &link.device),
            engine,
            y,
            host,
            work,
            build,
            stiff: false,
            curved: None,
            link,
            residence: Residence {
                planned_bytes: room.plan.total(),
                streamed_rows,
            },
            rows,
            u: zeros.clone(),
            b: zeros.clone(),
            right: zeros,
            kept: None,
            proofs: Vec::new(),
            estimated: Vec::new(),
            seen: OnceCell::new(),
        })
    }

    /// Bytes that went to the device and back.
    #[cfg(all(test, feature = "flex"))]
    pub fn bytes(&self) -> [u64; 2] {
        self.link.bytes()
    }

    fn fetch<const D: usize>(&self, tensor: &Tensor<D>) -> Vec<T> {
        let values = self.link.fetch(tensor.clone());
        values.into_iter().map(|v| T::of(f64::from(v))).collect()
    }

    fn fetch_wide(&self, tensor: &Tensor<2>) -> Candidate {
        let values = self.link.fetch(tensor.clone());
        values.into_iter().map(f64::from).collect()
    }

    /// A point where it is.
    fn there(&self, which: Point) -> Tensor<2> {
        match which {
            Point::Solved => self.u.clone(),
            Point::Shrunk => self.thresholds.shrunk(&self.b),
        }
    }

    /// An array of all rows, row by row.
    fn fetch_rows(&self, part: impl Fn(&Block) -> Option<&Tensor<2>>) -> Vec<T> {
        let parts = self.rows.blocks.iter().filter_map(part);
        parts.flat_map(|tensor| self.fetch(tensor)).collect()
    }

    /// The state behind the best bounds on the processor, fetched once after every change.
    fn state(&self) -> &RowState<T> {
        self.seen.get_or_init(|| {
            let proofs: Option<Vec<&Proof>> = self.proofs.iter().map(Option::as_ref).collect();
            let Some(proofs) = proofs.filter(|proofs| !proofs.is_empty()) else {
                return self.fetch_state();
            };
            let wide = |values: Vec<f32>| -> Vec<T> {
                values.into_iter().map(|v| T::of(f64::from(v))).collect()
            };
            let (slacks, thin) = proof::fetch(&proofs, &self.link);
            let ([a, stiffness], [e, f, fu]) = (slacks.map(wide), thin.map(wide));
            self.engine.state_of([&a, &stiffness], [&e, &f, &fu])
        })
    }

    /// The step of the state behind the bound on some outputs.
    fn step_of<'s>(&'s self, step: &'s SweepStep, outputs: &Range<usize>) -> &'s SweepStep {
        let all = self.proofs.iter().all(Option::is_some);
        let proof = self.proofs.get(outputs.start / outputs.len().max(1));
        match proof.and_then(Option::as_ref).filter(|_| all) {
            Some(proof) => &proof.step,
            None => step,
        }
    }

    fn fetch_state(&self) -> RowState<T> {
        let a = self.fetch_rows(|block| block.a.as_ref());
        let stiffness = self.fetch_rows(|block| block.stiffness.as_ref());
        let e = self.fetch_rows(|block| Some(&block.e));
        let f = self.fetch_rows(|block| Some(&block.f));
        let fu = self.fetch_rows(|block| Some(&block.fu));
        self.engine.state_of([&a, &stiffness], [&e, &f, &fu])
    }

    fn follow_host(&mut self) {
        // what was there makes room first
        self.way = Way::None;
        self.way = Way::new(self.host.parts(), &self.link);
    }
}

impl<T: Real> Machine<T> for Card<'_, T> {
    fn solve(&mut self, tolerance: f64) -> usize {
        let step = Step {
            rows: &self.rows,
            link: &self.link,
            weight: self.build.weight,
            curved: self.curved,
            stop: Stop {
                tolerance,
                most: self.build.most_inner,
            },
        };
        let (u, t) = (&mut self.u, &mut self.t);
        self.way.solve(&step, &self.right, u, t)
    }

    fn kappa(&self) -> f64 {
        self.host.kappa()
    }

    fn right_norm(&self) -> f64 {
        let square = self.right.clone().square().sum();
        self.link.numbers(vec![square])[0].sqrt()
    }

    fn group_norms(&self) -> Vec<f64> {
        let norms = squares(self.u.clone()).sqrt();
        self.link.fetch(norms).into_iter().map(f64::from).collect()
    }

    fn reset(&mut self, step: &SweepStep) {
        self.u = self.u.zeros_like();
        self.seen.take();
        self.rows.reset(step, &self.link);
    }

    fn shrink(&mut self, _: &Groups, relaxation: f64) -> ShrinkSums {
        let (u, b) = (&self.u, self.b.clone());
        let (b, right, sums) = self.thresholds.step(u, b, relaxation, &self.link);
        (self.b, self.right) = (b, right);
        sums
    }

    fn sweep(&mut self, step: &SweepStep) -> SweepSums {
        self.seen.take();
        let (image, sums) = self.rows.sweep(&self.u, step, &self.link);
        self.right = self.right.clone() + image;
        sums
    }

    fn rescale_groups(&mut self, before: &Groups, after: &Groups) {
        let k = before.stiffness.len();
        let ratios = (0..k).map(|group| before.ratio(after, group) as f32);
        let ratios = self.link.send(ratios.collect(), [k, 1]);
        let old = Thresholds::new(before, &self.link);
        let (b, v) = rescale(&self.b, &old, ratios);
        self.thresholds = Thresholds::new(after, &self.link);
        self.right = self.thresholds.reflected(v, b.clone());
        self.b = b;
    }

    fn rescale_rows(&mut self, step: &SweepStep, ratio: f64) {
        self.seen.take();
        self.rows.rescale(step, ratio);
    }

    fn refresh(&mut self, step: &SweepStep) {
        self.right = self.right.clone() + self.rows.image(step);
    }

    fn set_weight(&mut self, weight: f64) -> Result<(), Error> {
        self.build.weight = weight;
        self.host.set_weight(&self.engine, weight, &mut self.work)?;
        self.follow_host();
        Ok(())
    }

    fn follow_curvature(&mut self, loss: Loss, refresh: bool) -> Result<(), Error> {
        self.curved = Some(loss);
        if refresh {
            let (n, outputs) = (self.engine.rows(), self.y.columns());
            let rows = self.fetch_rows(|block| Some(&block.f));
            let by_output = (0..outputs).flat_map(|c| (0..n).map(move |i| i * outputs + c));
            let curvature: Vec<T> = by_output.map(|at| rows[at]).collect();
            (self.host).set_curvature(&self.engine, loss, &curvature, true, &mut self.work)?;
            self.follow_host();
        }
        Ok(())
    }

    fn stiffen_rows(&mut self, stiff: f64, soft: f64) {
        self.seen.take();
        self.rows.stiffen(stiff, soft);
    }

    fn set_stiffness(&mut self, by: Solver, kappa: &[f64]) -> Result<(), Error> {
        if !std::mem::replace(&mut self.stiff, true) {
            self.host = Box::new(Stiff::new(&self.engine, by, self.build, self.host.kappa()));
            self.t = self.t.zeros_like();
        }
        let state = self.fetch_state();
        (self.host).set_stiffness(&self.engine, kappa, &state, &mut self.work)?;
        self.follow_host();
        Ok(())
    }

    fn point(&self, which: Point, groups: &Groups) -> Candidate {
        match which {
            Point::Solved => self.fetch_wide(&self.u),
            Point::Shrunk => shrunk(&self.fetch(&self.b), groups),
        }
    }

    fn estimates(&self) -> bool {
        true
    }

    fn estimate(&self, which: Point, step: &SweepStep, beta: f64) -> Option<Evaluation> {
        Some((self.rows).evaluate(&self.there(which), step, beta, &self.link))
    }

    fn estimate_bounds(&mut self, step: &SweepStep, beta: f64, best: &[f64]) -> Option<Vec<f64>> {
        let sets = best.len();
        let bounds = self.rows.bounds(step, beta, sets, &self.link);
        self.proofs.resize_with(sets, || None);
        for set in 0..sets {
            if bounds[set] >= best[set] {
                self.proofs[set] = Some(self.rows.proof(step, set, sets));
                self.seen.take();
            }
        }
        self.estimated.clone_from(&bounds);
        Some(bounds)
    }

    fn keep(&mut self, which: Point) {
        self.kept = Some(self.there(which));
    }

    fn kept(&self) -> Option<Candidate> {
        self.kept.as_ref().map(|kept| self.fetch_wide(kept))
    }

    fn evaluate(&self, candidate: &[f64], step: &SweepStep, beta: f64) -> Evaluation {
        if self.engine.x.there().is_some() {
            let shape = [self.rows.sizes.groups(), self.engine.features()];
            let point = self.link.send_all(candidate, shape);
            return self.rows.evaluate(&point, step, beta, &self.link);
        }
        self.engine
            .evaluate(candidate, self.y, step.loss, beta, None)
    }

    fn lower_bound(&self, step: &SweepStep, beta: f64, outputs: Range<usize>) -> OutputBound {
        if self.engine.x.there().is_some() {
            let set = outputs.start / outputs.len().max(1);
            return OutputBound::estimated(self.estimated.get(set).copied().unwrap_or(0.0));
        }
        let step = self.step_of(step, &outputs);
        self.engine
            .lower_bound(self.state(), self.y, step, beta, outputs)
    }

    fn dual(
        &self,
        bound: &OutputBound,
        step: &SweepStep,
        outputs: Range<usize>,
    ) -> (Vec<f64>, Vec<f64>) {
        let rho = self.step_of(step, &outputs).rho;
        self.engine.dual(self.state(), bound, rho, outputs)
    }

    fn take(&mut self, b: Vec<T>, rows: RowState<T>) {
        self.seen.take();
        let k = self.rows.sizes.groups();
        self.b = self.link.send_all(&b, [k, self.engine.features()]);
        let slacks = self.engine.slacks_of(&rows);
        for block in &mut self.rows.blocks {
            let count = block.range.len();
            let part = |values: &[T]| {
                let own = values.get(block.range.start * k..block.range.end * k)?;
                Some(self.link.send_all(own, [count, k]))
            };
            (block.a, block.stiffness) = (part(&slacks[0]), part(&slacks[1]));
        }
        let outputs = self.y.columns();
        let thin = |part: fn(&crate::engine::ThinState<T>) -> &Vec<T>| -> Vec<T> {
            rows.thin.iter().flat_map(part).copied().collect()
        };
        let thin = [
            thin(|thin| &thin.e),
            thin(|thin| &thin.f),
            thin(|thin| &thin.fu),
        ];
        for block in &mut self.rows.blocks {
            let (count, range) = (block.range.len(), block.range.clone());
            let [e, f, fu] = thin.each_ref().map(|values| {
                let own = &values[range.start * outputs..range.end * outputs];
                self.link.send_all(own, [count, outputs])
            });
            (block.e, block.f, block.fu) = (e, f, fu);
        }
    }

    fn leave(&mut self) -> (Vec<T>, RowState<T>) {
        (self.fetch(&self.b), self.fetch_state())
    }

    fn rank(&self) -> Option<usize> {
        self.host.rank()
    }

    fn epsilon(&self) -> f64 {
        f64::from(f32::EPSILON)
    }

    fn failure(&self) -> Option<Error> {
        let why = self.link.failure()?;
        Some(Error::Device(format!("the device failed: {why}")))
    }

    fn residence(&self) -> Option<Residence> {
        Some(self.residence)
    }
}

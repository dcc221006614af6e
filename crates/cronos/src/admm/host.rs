//! The state of a run in the memory of the processor.

use super::machine::{ARRAYS, Machine, Point, Start};
use super::shrink::{self, Groups, ShrinkSums};
use crate::Error;
use crate::engine::{
    Candidate, Engine, Evaluation, Multipliers, OutputBound, RowState, SweepStep, SweepSums,
    ThinState, Workspace,
};
use crate::inner::{add_scaled, norm};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::solver::{self, Build, Solver, Stiff, USolver};
use std::ops::Range;

pub(super) struct Host<'a, T: Real> {
    engine: Engine<'a, T>,
    y: &'a Matrix<T>,
    solver: Box<dyn USolver<T>>,
    /// What it was built with, and whether it has matrices for a stiffness.
    build: Build,
    stiff: bool,
    work: Workspace<T>,
    rows: RowState<T>,
    /// d x k each: the u-step's solution, `v + λ`, its right-hand side, and the
    /// part of it that comes from row space
    u: Vec<T>,
    b: Vec<T>,
    right: Vec<T>,
    image: Vec<T>,
    /// n x C, for the paper's split of a loss that is not squared
    curvature: Vec<T>,
}

impl<'a, T: Real> Host<'a, T> {
    /// At `u = 0`, its solver built.
    pub fn new(start: Start<'a, '_, T>) -> Result<Self, Error> {
        let Start {
            engine,
            y,
            solver,
            build,
            step,
            ..
        } = start;
        let mut work = engine.workspace(build.outputs);
        let solver = solver::build(solver, &engine, build, &mut work)?;
        let zeros = vec![T::ZERO; engine.weights_per_output() * build.outputs];
        Ok(Self {
            rows: engine.row_state(y, step),
            engine,
            y,
            solver,
            build,
            stiff: false,
            work,
            u: zeros.clone(),
            b: zeros.clone(),
            right: zeros.clone(),
            image: zeros,
            curvature: Vec::new(),
        })
    }
}

impl<T: Real> Machine<T> for Host<'_, T> {
    fn solve(&mut self, tolerance: f64) -> usize {
        let (engine, solver, work) = (&self.engine, &mut self.solver, &mut self.work);
        let (right, u) = (&self.right, &mut self.u);
        (engine.team()).among_threads(|| solver.solve(engine, right, u, tolerance, work))
    }

    fn kappa(&self) -> f64 {
        self.solver.kappa()
    }

    fn right_norm(&self) -> f64 {
        norm(&self.right)
    }

    fn group_norms(&self) -> Vec<f64> {
        self.u.chunks(self.engine.features()).map(norm).collect()
    }

    fn reset(&mut self, step: &SweepStep) {
        self.u.fill(T::ZERO);
        self.rows = self.engine.row_state(self.y, step);
    }

    fn shrink(&mut self, groups: &Groups, relaxation: f64) -> ShrinkSums {
        shrink::step(&self.u, &mut self.b, &mut self.right, groups, relaxation)
    }

    fn sweep(&mut self, step: &SweepStep) -> SweepSums {
        let (engine, u, y, work) = (&self.engine, &self.u, self.y, &mut self.work);
        let (rows, image, right) = (&mut self.rows, &mut self.image, &mut self.right);
        engine.team().among_threads(|| {
            let sums = engine.sweep(u, y, rows, step, image, work);
            add_scaled(right, T::ONE, image);
            sums
        })
    }

    fn rescale_groups(&mut self, before: &Groups, after: &Groups) {
        shrink::rescale(&mut self.b, &mut self.right, before, after);
    }

    fn rescale_rows(&mut self, step: &SweepStep, ratio: f64) {
        self.engine.rescale(&mut self.rows, step, ratio);
    }

    fn refresh(&mut self, step: &SweepStep) {
        let (rows, image) = (&mut self.rows, &mut self.image);
        self.engine.image(self.y, rows, step, image, &mut self.work);
        add_scaled(&mut self.right, T::ONE, &self.image);
    }

    fn set_weight(&mut self, weight: f64) -> Result<(), Error> {
        self.solver.set_weight(&self.engine, weight, &mut self.work)
    }

    fn follow_curvature(&mut self, loss: Loss, refresh: bool) -> Result<(), Error> {
        let (engine, curvature) = (&self.engine, &mut self.curvature);
        engine.curvature(&self.rows, self.y.columns(), curvature);
        self.solver
            .set_curvature(engine, loss, curvature, refresh, &mut self.work)
    }

    fn stiffen_rows(&mut self, stiff: f64, soft: f64) {
        self.engine.stiffen(&mut self.rows, stiff, soft);
    }

    fn set_stiffness(&mut self, by: Solver, kappa: &[f64]) -> Result<(), Error> {
        let engine = &self.engine;
        if !std::mem::replace(&mut self.stiff, true) {
            self.solver = Box::new(Stiff::new(engine, by, self.build, self.solver.kappa()));
        }
        let (solver, rows, work) = (&mut self.solver, &self.rows, &mut self.work);
        (engine.team()).among_threads(|| solver.set_stiffness(engine, kappa, rows, work))
    }

    fn point(&self, which: Point, groups: &Groups) -> Candidate {
        match which {
            Point::Solved => self.u.iter().map(|u| u.wide()).collect(),
            Point::Shrunk => shrink::shrunk(&self.b, groups),
        }
    }

    fn evaluate(&self, candidate: &[f64], step: &SweepStep, beta: f64) -> Evaluation {
        let multipliers = Multipliers {
            state: &self.rows,
            rho: step.rho,
        };
        let (y, loss) = (self.y, step.loss);
        (self.engine).evaluate(candidate, y, loss, beta, Some(multipliers))
    }

    fn lower_bound(&self, step: &SweepStep, beta: f64, outputs: Range<usize>) -> OutputBound {
        self.engine
            .lower_bound(&self.rows, self.y, step, beta, outputs)
    }

    fn dual(
        &self,
        bound: &OutputBound,
        step: &SweepStep,
        outputs: Range<usize>,
    ) -> (Vec<f64>, Vec<f64>) {
        self.engine.dual(&self.rows, bound, step.rho, outputs)
    }

    fn take(&mut self, b: Vec<T>, rows: RowState<T>) {
        (self.b, self.rows) = (b, rows);
    }

    fn leave(&mut self) -> (Vec<T>, RowState<T>) {
        let rows = RowState {
            a: std::mem::take(&mut self.rows.a),
            stiffness: std::mem::take(&mut self.rows.stiffness),
            thin: std::mem::take(&mut self.rows.thin),
        };
        (std::mem::take(&mut self.b), rows)
    }

    fn state(&self) -> Option<[Vec<T>; ARRAYS]> {
        let thin = |of: fn(&ThinState<T>) -> &Vec<T>| -> Vec<T> {
            self.rows.thin.iter().flat_map(of).copied().collect()
        };
        Some([
            self.u.clone(),
            self.b.clone(),
            self.right.clone(),
            self.rows.a.clone(),
            self.rows.stiffness.clone(),
            thin(|thin| &thin.e),
            thin(|thin| &thin.f),
            thin(|thin| &thin.fu),
            self.solver.memory().to_vec(),
        ])
    }

    fn fits(&self, state: &[Vec<T>]) -> bool {
        let [u, b, right, a, stiffness, e, f, fu, memory] = state else {
            return false;
        };
        let thin: usize = self.rows.thin.iter().map(|thin| thin.e.len()).sum();
        [u, b, right].map(Vec::len) == [self.u.len(); 3]
            && a.len() == self.rows.a.len()
            && (stiffness.is_empty() || stiffness.len() == a.len())
            && [e, f, fu].map(Vec::len) == [thin; 3]
            && (memory.is_empty() || memory.len() == thin)
    }

    fn set_state(
        &mut self,
        state: Vec<Vec<T>>,
        by: Option<Solver>,
        kappa: &[f64],
    ) -> Result<(), Error> {
        let Ok([u, b, right, a, stiffness, e, f, fu, memory]) = <[Vec<T>; ARRAYS]>::try_from(state)
        else {
            return Ok(());
        };
        (self.u, self.b, self.right) = (u, b, right);
        (self.rows.a, self.rows.stiffness) = (a, stiffness);
        let mut from = 0;
        for thin in &mut self.rows.thin {
            let own = from..from + thin.e.len();
            from = own.end;
            thin.e.copy_from_slice(&e[own.clone()]);
            thin.f.copy_from_slice(&f[own.clone()]);
            thin.fu.copy_from_slice(&fu[own]);
        }
        if let Some(by) = by {
            self.set_stiffness(by, kappa)?;
        }
        self.solver.set_memory(&memory);
        Ok(())
    }

    fn rank(&self) -> Option<usize> {
        self.solver.rank()
    }

    fn failure(&self) -> Option<Error> {
        self.engine.x.failure().map(Error::Data)
    }

    fn epsilon(&self) -> f64 {
        T::EPSILON
    }
}

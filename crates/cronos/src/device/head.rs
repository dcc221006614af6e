//! The last two layers of a deeper network whose features are on a device.

use super::link::Link;
use super::loss;
use super::resident::Resident;
use crate::Error;
use crate::blocks::Blocks;
use crate::head::{Ground, KAPPA};
use crate::learn::{Hidden, Landscape, Patience, Slope, descend};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::place::Place;
use burn::tensor::Tensor;
use std::cell::OnceCell;
use std::sync::Arc;

/// Features, targets and weights of all rows on a device.
pub(crate) struct There<'a> {
    x: Resident,
    blocks: Vec<Block>,
    y: &'a Matrix<f32>,
    weights: Option<&'a [f64]>,
    loss: Loss,
    place: Place,
    link: Arc<Link>,
    /// Whether ADMM can be set up there, if it was asked.
    stays: OnceCell<bool>,
    /// The features on the processor, if they were needed there.
    here: OnceCell<Matrix<f32>>,
}

/// Some of the rows.
struct Block {
    /// rows x d
    x: Tensor<2>,
    /// rows x C
    y: Tensor<2>,
    /// rows x 1
    weights: Option<Tensor<2>>,
}

impl<'a> There<'a> {
    /// x: blocks of rows of features, in order; place: the device that they are on
    pub fn new(
        x: &[Tensor<2>],
        y: &'a Matrix<f32>,
        weights: Option<&'a [f64]>,
        loss: Loss,
        place: Place,
    ) -> Result<Self, Error> {
        let rows: usize = x.iter().map(|x| x.dims()[0]).sum();
        let first = x.first().filter(|_| rows == y.rows());
        let Some(first) = first else {
            return Err(Error::Shape {
                what: "features",
                expected: format!("{} rows, as there are targets", y.rows()),
                found: rows.to_string(),
            });
        };
        let columns = first.dims()[1];
        if let Some(other) = x.iter().find(|x| x.dims()[1] != columns) {
            return Err(Error::Shape {
                what: "features",
                expected: format!("{columns} columns in every block"),
                found: other.dims()[1].to_string(),
            });
        }
        let link = Arc::new(Link::new(first.device()));
        let mut from = 0;
        let blocks = x.iter().map(|x| {
            let rows = from..from + x.dims()[0];
            from = rows.end;
            let outputs = y.columns();
            let own = &y.values()[rows.start * outputs..rows.end * outputs];
            Block {
                x: x.clone(),
                y: link.send(own.to_vec(), [rows.len(), outputs]),
                weights: weights
                    .map(|weights| link.send_all(&weights[rows.clone()], [rows.len(), 1])),
            }
        });
        Ok(Self {
            x: Resident::new(x, link.clone()),
            blocks: blocks.collect(),
            y,
            weights,
            loss,
            place,
            link,
            stays: OnceCell::new(),
            here: OnceCell::new(),
        })
    }

    fn objective(&self, units: &Hidden<f32>, beta: f64) -> Objective<'_, '_> {
        Objective {
            ground: self,
            units: units.len(),
            features: units.features,
            outputs: units.outputs,
            beta,
        }
    }

    /// Bytes that went to the device and back.
    #[cfg(all(test, feature = "flex"))]
    pub fn bytes(&self) -> [u64; 2] {
        self.link.bytes()
    }

    fn send(&self, units: &Hidden<f32>) -> Tensor<1> {
        self.link.send(units.values.clone(), [units.values.len()])
    }
}

impl Ground for There<'_> {
    fn value(&self, units: &Hidden<f32>, beta: f64) -> f64 {
        self.objective(units, beta).value(&self.send(units))
    }

    fn descend(&self, units: &mut Hidden<f32>, beta: f64, patience: Patience) -> f64 {
        let objective = self.objective(units, beta);
        let mut point = self.send(units);
        let last = descend(&objective, &mut point, patience, &|| false);
        units.values = self.link.fetch(point);
        last.value
    }

    /// With more features than rows the processor finds a smaller program; and some sums need more
    /// than single precision.
    fn features(&self) -> Option<&dyn Blocks<f32>> {
        let stays = *self.stays.get_or_init(|| {
            let weights = self.blocks.iter().map(|block| block.weights.clone());
            let there = self
                .place
                .open()
                .is_ok_and(|device| device.as_ref() == Some(&self.link.device));
            let tall = self.x.rows() >= self.x.columns();
            there && tall && self.x.is_summed_well(&weights.collect::<Vec<_>>(), KAPPA)
        });
        stays.then_some(&self.x as _)
    }

    fn fetched(&self) -> Result<&Matrix<f32>, Error> {
        if let Some(here) = self.here.get() {
            return Ok(here);
        }
        let x = self.x.fetched();
        self.check()?;
        let x = x?;
        Ok(self.here.get_or_init(|| x))
    }

    fn targets(&self) -> &Matrix<f32> {
        self.y
    }

    fn weights(&self) -> Option<&[f64]> {
        self.weights
    }

    fn place(&self) -> Place {
        self.place
    }

    fn check(&self) -> Result<(), Error> {
        match self.link.failure() {
            Some(why) => Err(Error::Device(format!("the device failed: {why}"))),
            None => Ok(()),
        }
    }
}

/// `Σ_i weight_i loss(f(x_i), y_i) + ½ β ‖units‖²` of so many units, all in one vector: their inner
/// weights, `units x d`, then the outer ones, `units x C`.
struct Objective<'g, 'a> {
    ground: &'g There<'a>,
    units: usize,
    features: usize,
    outputs: usize,
    beta: f64,
}

impl Objective<'_, '_> {
    fn layers(&self, point: &Tensor<1>) -> [Tensor<2>; 2] {
        let inner = self.units * self.features;
        let all = inner + self.units * self.outputs;
        let part = |from: usize, to: usize, width: usize| {
            let own = point.clone().slice(from..to);
            own.reshape([self.units, width])
        };
        [
            part(0, inner, self.features),
            part(inner, all, self.outputs),
        ]
    }

    /// `½ β ‖units‖²`
    fn penalty(&self, point: &Tensor<1>) -> Tensor<1> {
        point.clone().square().sum().mul_scalar(0.5 * self.beta)
    }

    fn value(&self, point: &Tensor<1>) -> f64 {
        let [inner, outer] = self.layers(point);
        let blocks = self.ground.blocks.iter();
        let mut terms: Vec<Tensor<1>> = blocks
            .map(|block| {
                let z = block.x.clone().matmul(inner.clone().transpose());
                block.lost(self.ground.loss, z.clamp_min(0.0).matmul(outer.clone()))
            })
            .collect();
        terms.push(self.penalty(point));
        self.ground.link.numbers(terms).iter().sum()
    }
}

impl Landscape for Objective<'_, '_> {
    type Point = Tensor<1>;
    type Vector = Tensor<1>;

    fn slope(&self, at: &Tensor<1>) -> Slope<Tensor<1>> {
        let [inner, outer] = self.layers(at);
        let (mut of_inner, mut of_outer) = (inner.zeros_like(), outer.zeros_like());
        let mut terms = Vec::new();
        for block in &self.ground.blocks {
            // f = max(X W, 0) A
            let z = block
                .x
                .clone()
                .matmul(inner.clone().transpose())
                .clamp_min(0.0);
            let f = z.clone().matmul(outer.clone());
            terms.push(block.lost(self.ground.loss, f.clone()));
            let mut pull = loss::gradient(self.ground.loss, f, block.y.clone());
            if let Some(weights) = &block.weights {
                pull = pull * weights.clone();
            }
            of_outer = of_outer + z.clone().transpose().matmul(pull.clone());
            // 1(z > 0) (pull · a)
            let off = z.lower_equal_elem(0.0);
            let back = pull.matmul(outer.clone().transpose()).mask_fill(off, 0.0);
            of_inner = of_inner + back.transpose().matmul(block.x.clone());
        }
        terms.push(self.penalty(at));
        let numbers = self.ground.link.numbers(terms);
        let (penalty, losses) = numbers.split_last().unwrap_or((&0.0, &[]));
        let loss: f64 = losses.iter().sum();
        let size = |layer: &Tensor<2>| layer.dims()[0] * layer.dims()[1];
        let sizes = [size(&of_inner), size(&of_outer)];
        let gradient = Tensor::cat(
            vec![of_inner.reshape([sizes[0]]), of_outer.reshape([sizes[1]])],
            0,
        );
        Slope {
            value: loss + penalty,
            loss,
            gradient: gradient + at.clone().mul_scalar(self.beta),
        }
    }

    fn go(&self, point: &mut Tensor<1>, factor: f64, vector: &Tensor<1>) {
        *point = point.clone() + vector.clone().mul_scalar(factor);
    }

    fn length(&self, point: &Tensor<1>) -> f64 {
        self.norm(point)
    }

    fn dot(&self, a: &Tensor<1>, b: &Tensor<1>) -> f64 {
        let terms = (a.clone() * b.clone()).sum();
        self.ground.link.numbers(vec![terms])[0]
    }

    fn add(&self, a: &mut Tensor<1>, factor: f64, b: &Tensor<1>) {
        self.go(a, factor, b);
    }

    fn scaled(&self, factor: f64, a: &Tensor<1>) -> Tensor<1> {
        a.clone().mul_scalar(factor)
    }
}

impl Block {
    /// `Σ w loss(f)`
    fn lost(&self, loss: Loss, f: Tensor<2>) -> Tensor<1> {
        let rows = loss::value(loss, f, self.y.clone());
        match &self.weights {
            Some(weights) => (rows * weights.clone()).sum(),
            None => rows.sum(),
        }
    }
}

//! The parameters of a module as one slice, and back.

use crate::optim::Layout;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Gradients, Tensor, TensorData};

/// All float parameters of a module, one behind the other.
pub fn read<M: Module>(module: &M) -> (Vec<f32>, Layout) {
    let mut reader = Reader::default();
    module.visit(&mut reader);
    (reader.values, reader.layout)
}

/// Appends the gradient of every parameter, 0 where there is none, in the same order.
pub fn gradient<M: Module>(module: &M, gradients: &mut Gradients, into: &mut Vec<f32>) {
    module.visit(&mut Slopes { gradients, into });
}

/// The module with other values.
pub fn write<M: Module>(module: M, values: &[f32]) -> M {
    module.map(&mut Writer { values })
}

/// The gradient of every parameter, 0 where there is none, on its device.
pub(crate) fn gradient_there<M: Module>(module: &M, gradients: &mut Gradients) -> Vec<Tensor<1>> {
    let parts = Vec::new();
    let mut slopes = SlopesThere { gradients, parts };
    module.visit(&mut slopes);
    slopes.parts
}

/// The module with other values, which are on its device.
pub(crate) fn write_there<M: Module>(module: M, values: &Tensor<1>) -> M {
    module.map(&mut WriterThere { values, at: 0 })
}

#[derive(Default)]
struct Reader {
    values: Vec<f32>,
    layout: Layout,
}

impl ModuleVisitor for Reader {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.val().inner();
        self.layout.shapes.push(value.dims().to_vec());
        append(&mut self.values, value.into_data());
    }
}

struct Slopes<'a> {
    gradients: &'a mut Gradients,
    into: &'a mut Vec<f32>,
}

impl ModuleVisitor for Slopes<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.val();
        match value.grad_remove(self.gradients) {
            Some(slope) => append(self.into, slope.into_data()),
            None => self
                .into
                .resize(self.into.len() + value.shape().num_elements(), 0.0),
        }
    }
}

struct Writer<'a> {
    values: &'a [f32],
}

impl ModuleMapper for Writer<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (id, old, mapper) = param.consume();
        let (own, rest) = self.values.split_at(old.shape().num_elements());
        self.values = rest;
        let data = TensorData::new(own.to_vec(), old.shape());
        let mut value = Tensor::from_data(data, &old.device());
        if old.is_require_grad() {
            value = value.require_grad();
        }
        Param::from_mapped_value(id, value, mapper)
    }
}

/// The module, of whose first so many parameters no gradient is asked.
pub(crate) fn freeze<M: Module>(module: M, first: usize) -> M {
    module.map(&mut Freezer { left: first })
}

struct Freezer {
    left: usize,
}

impl ModuleMapper for Freezer {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let frozen = self.left > 0;
        self.left = self.left.saturating_sub(param.val().shape().num_elements());
        param.set_require_grad(!frozen)
    }
}

struct SlopesThere<'a> {
    gradients: &'a mut Gradients,
    parts: Vec<Tensor<1>>,
}

impl ModuleVisitor for SlopesThere<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.val();
        let slope = value.grad_remove(self.gradients);
        let slope = slope.unwrap_or_else(|| value.inner().zeros_like());
        self.parts.push(flat(slope));
    }
}

struct WriterThere<'a> {
    values: &'a Tensor<1>,
    at: usize,
}

impl ModuleMapper for WriterThere<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (id, old, mapper) = param.consume();
        let size = old.shape().num_elements();
        let own = self.values.clone().slice(self.at..self.at + size);
        self.at += size;
        let mut value = own.reshape(old.shape());
        if old.is_autodiff() {
            value = Tensor::from_inner(value);
        }
        if old.is_require_grad() {
            value = value.require_grad();
        }
        Param::from_mapped_value(id, value, mapper)
    }
}

fn flat<const D: usize>(tensor: Tensor<D>) -> Tensor<1> {
    let size = tensor.shape().num_elements();
    tensor.reshape([size])
}

fn append(values: &mut Vec<f32>, data: TensorData) {
    match data.as_slice::<f32>() {
        Ok(own) => values.extend_from_slice(own),
        Err(_) => values.extend(data.iter::<f32>()),
    }
}

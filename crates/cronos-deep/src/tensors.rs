//! Slices as tensors, and back.

use burn::tensor::{Device, Tensor, TensorData};

/// Rows of `columns` numbers as a matrix on a device.
pub(crate) fn matrix(values: Vec<f32>, columns: usize, device: &Device) -> Tensor<2> {
    let rows = values.len() / columns.max(1);
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}

/// The numbers of a tensor, row by row.
pub(crate) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    let data = tensor.into_data();
    match data.as_slice::<f32>() {
        Ok(values) => values.to_vec(),
        Err(_) => data.iter::<f32>().collect(),
    }
}

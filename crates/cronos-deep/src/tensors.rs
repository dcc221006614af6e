//! Slices as tensors, and back.

use burn::tensor::{Device, Tensor, TensorData};
use cronos::Error;

/// Rows of `columns` numbers as a matrix on a device.
pub(crate) fn matrix(values: Vec<f32>, columns: usize, device: &Device) -> Tensor<2> {
    let rows = values.len() / columns.max(1);
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}

/// The only number of a tensor.
pub(crate) fn number(tensor: Tensor<1>) -> Result<f64, Error> {
    let all = numbers(tensor)?;
    Ok(all.first().map_or(f64::NAN, |&first| f64::from(first)))
}

/// The numbers of a tensor, row by row; an error if its device failed.
pub(crate) fn numbers<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, Error> {
    let data = tensor
        .try_into_data()
        .map_err(|why| Error::Device(format!("the device failed: {why}")))?;
    Ok(match data.as_slice::<f32>() {
        Ok(values) => values.to_vec(),
        Err(_) => data.iter::<f32>().collect(),
    })
}

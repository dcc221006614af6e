//! What goes to the device and comes back, counted.

use crate::real::Real;
use burn::tensor::{Bool, Device, Tensor, TensorData};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A device, and the bytes that went there and back.
pub(crate) struct Link {
    pub device: Device,
    sent: AtomicU64,
    fetched: AtomicU64,
    failure: Mutex<Option<String>>,
}

impl Link {
    pub fn new(device: Device) -> Self {
        Self {
            device,
            sent: AtomicU64::new(0),
            fetched: AtomicU64::new(0),
            failure: Mutex::new(None),
        }
    }

    /// Why the device failed first, if it did.
    pub fn failure(&self) -> Option<String> {
        self.failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Bytes that went there, and back.
    #[cfg(all(test, feature = "flex"))]
    pub fn bytes(&self) -> [u64; 2] {
        [&self.sent, &self.fetched].map(|bytes| bytes.load(Ordering::Relaxed))
    }

    pub fn send<const D: usize>(&self, values: Vec<f32>, shape: [usize; D]) -> Tensor<D> {
        self.sent
            .fetch_add(4 * values.len() as u64, Ordering::Relaxed);
        Tensor::from_data(TensorData::new(values, shape), &self.device)
    }

    pub fn send_all<T: Real, const D: usize>(&self, values: &[T], shape: [usize; D]) -> Tensor<D> {
        let singles = values.iter().map(|value| value.wide() as f32).collect();
        self.send(singles, shape)
    }

    pub fn send_bits<const D: usize>(&self, bits: Vec<bool>, shape: [usize; D]) -> Tensor<D, Bool> {
        self.sent.fetch_add(bits.len() as u64, Ordering::Relaxed);
        Tensor::from_data(TensorData::new(bits, shape), &self.device)
    }

    /// All numbers of a tensor; none of them is a number if the device failed.
    pub fn fetch<const D: usize>(&self, tensor: Tensor<D>) -> Vec<f32> {
        let count = tensor.shape().num_elements();
        self.fetched.fetch_add(4 * count as u64, Ordering::Relaxed);
        let data = tensor.try_into_data().map_err(|why| why.to_string());
        let values = data.and_then(|data| {
            let values = data.try_to_vec::<f32>();
            values.map_err(|why| format!("{why:?}"))
        });
        values.unwrap_or_else(|why| {
            let failure = self.failure.lock();
            failure
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert(why);
            vec![f32::NAN; count]
        })
    }

    /// Several single numbers at once.
    pub fn numbers(&self, numbers: Vec<Tensor<1>>) -> Vec<f64> {
        let fetched = self.fetch(Tensor::cat(numbers, 0));
        fetched.into_iter().map(f64::from).collect()
    }
}

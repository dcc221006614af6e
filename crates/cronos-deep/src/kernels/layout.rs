//! Rows of numbers that stand in a larger array.

use faer::MatRef;

/// Rows of `width` numbers, the first at `offset`, one every `stride` numbers.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub values: &'a [f32],
    pub offset: usize,
    pub stride: usize,
    pub width: usize,
}

impl<'a> Rows<'a> {
    /// Rows one behind the other.
    pub fn packed(values: &'a [f32], width: usize) -> Self {
        Self {
            values,
            offset: 0,
            stride: width,
            width,
        }
    }

    pub fn count(&self) -> usize {
        self.values.len() / self.stride.max(1)
    }

    pub fn row(&self, row: usize) -> &'a [f32] {
        &self.values[row * self.stride + self.offset..][..self.width]
    }

    pub fn matrix(&self) -> MatRef<'a, f32> {
        MatRef::from_row_major_slice(self.values, self.count(), self.stride)
            .subcols(self.offset, self.width)
    }
}

/// A buffer of so many numbers, whatever they are.
pub(super) fn sized(buffer: &mut Vec<f32>, size: usize) -> &mut [f32] {
    buffer.resize(size, 0.0);
    buffer
}

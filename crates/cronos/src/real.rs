//! The two storage precisions, `f32` and `f64`.

use crate::Error;
use crate::table::Table;
use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Range, Sub, SubAssign};

/// A floating-point number the solver can store its arrays in.
///
/// Products run in this precision; the certificate and the inner products of
/// conjugate gradients accumulate in `f64`.
pub trait Real:
    faer::traits::RealField
    + bytemuck::Pod
    + Copy
    + Default
    + Send
    + Sync
    + Debug
    + Display
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Sum
    + 'static
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// Distance from 1 to the next larger number, as `f64`.
    const EPSILON: f64;
    /// The name a user types: `f32` or `f64`.
    const NAME: &'static str;

    /// Rounds an `f64`.
    fn of(value: f64) -> Self;
    /// Widens to `f64`, exactly.
    fn wide(self) -> f64;
    /// Its square root.
    fn root(self) -> Self;
    /// `max(self, 0)`.
    fn positive_part(self) -> Self;
    /// `min(self, 0)`.
    fn negative_part(self) -> Self;
    /// Rows of a table, one after the other.
    fn read_rows(table: &dyn Table, rows: Range<usize>, out: &mut [Self]) -> Result<(), Error>;
}

macro_rules! real {
    ($float:ident, $read:ident) => {
        impl Real for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: f64 = $float::EPSILON as f64;
            const NAME: &'static str = stringify!($float);

            #[inline(always)]
            fn of(value: f64) -> Self {
                value as $float
            }
            #[inline(always)]
            fn wide(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn positive_part(self) -> Self {
                if self > 0.0 { self } else { 0.0 }
            }
            #[inline(always)]
            fn negative_part(self) -> Self {
                if self < 0.0 { self } else { 0.0 }
            }
            fn read_rows(
                table: &dyn Table,
                rows: Range<usize>,
                out: &mut [Self],
            ) -> Result<(), Error> {
                table.$read(rows, out)
            }
        }
    };
}

real!(f32, read_singles);
real!(f64, read_doubles);

//! Axes: a range of numbers, where they lie on it, and round ticks.

use crate::text::{exponent, plain, scientific};

/// Numbers beyond this are taken for infinite, so that differences are not.
const HUGE: f64 = 1e100;

/// The smallest and the largest of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub low: f64,
    pub high: f64,
}

impl Range {
    /// Of the finite numbers; `None` if there are none.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        let finite = |number: &f64| number.abs() < HUGE;
        numbers
            .into_iter()
            .filter(finite)
            .fold(None, |range, number| {
                let range = range.unwrap_or(Self {
                    low: number,
                    high: number,
                });
                Some(Self {
                    low: range.low.min(number),
                    high: range.high.max(number),
                })
            })
    }

    /// Of the numbers above 0.
    pub fn of_positive(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        Self::of(numbers.into_iter().filter(|&number| number > 0.0))
    }

    /// This range and another number.
    pub fn with(self, number: f64) -> Self {
        Self {
            low: self.low.min(number),
            high: self.high.max(number),
        }
    }

    pub fn span(self) -> f64 {
        self.high - self.low
    }

    /// A range of one number, as far as labels can tell, becomes one with the
    /// number in its middle; 0 is at the low end of its own.
    fn opened(self) -> Self {
        let size = self.low.abs().max(self.high.abs());
        if self.span() > 1e-7 * size {
            return self;
        }
        if size == 0.0 {
            return Self {
                low: 0.0,
                high: 1.0,
            };
        }
        let half = 0.05 * size;
        Self {
            low: self.low - half,
            high: self.high + half,
        }
    }
}

/// How the numbers of an axis are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    Plain,
    /// 1 is written as 100 %.
    Percent,
}

impl Unit {
    fn factor(self) -> f64 {
        match self {
            Self::Plain => 1.0,
            Self::Percent => 100.0,
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Percent => "\u{a0}%",
        }
    }
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    pub name: String,
    range: Range,
    log: bool,
    /// Values and their labels.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// A linear axis that begins and ends with a tick.
    pub fn linear(name: &str, range: Range, unit: Unit) -> Self {
        let inner = range;
        let range = range.opened();
        let step = nice(range.span() / 5.5, &[1.0, 2.0, 2.5, 5.0]);
        let mut range = Range {
            low: (range.low / step + 1e-9).floor() * step,
            high: (range.high / step - 1e-9).ceil() * step,
        };
        // no share is above 100 %
        if unit == Unit::Percent && inner.high <= 1.0 {
            range.high = range.high.min(1.0);
        }
        Self {
            name: name.into(),
            ticks: linear_ticks(range, step, unit),
            range,
            log: false,
        }
    }

    /// A linear axis of whole numbers, no longer than the numbers on it.
    pub fn whole(name: &str, range: Range) -> Self {
        let range = if range.span() >= 1.0 {
            range
        } else {
            Range {
                low: range.low - 1.0,
                high: range.high + 1.0,
            }
        };
        let step = nice(range.span() / 5.0, &[1.0, 2.0, 5.0]).max(1.0);
        Self {
            name: name.into(),
            ticks: linear_ticks(range, step, Unit::Plain),
            range,
            log: false,
        }
    }

    /// A logarithmic axis for numbers above 0, no longer than the numbers on it.
    pub fn log(name: &str, range: Range, unit: Unit) -> Self {
        Self::logarithmic(name, range, unit, false)
    }

    /// A logarithmic axis that begins and ends with a tick where it can.
    pub fn log_wide(name: &str, range: Range, unit: Unit) -> Self {
        Self::logarithmic(name, range, unit, true)
    }

    fn logarithmic(name: &str, range: Range, unit: Unit, wide: bool) -> Self {
        let mut range = Range {
            low: range.low.max(1.0 / HUGE),
            high: range.high.max(1.0 / HUGE),
        };
        if range.high / range.low < 1.02 {
            range = Range {
                low: range.low / 1.5,
                high: range.high * 1.5,
            };
        }
        let decades = (range.high / range.low).log10();
        if wide && decades > 1.5 {
            range.low = 10f64.powf((range.low.log10() + 0.02).floor());
            range.high = 10f64.powf((range.high.log10() - 0.02).ceil());
        }
        let factor = unit.factor();
        let label = |value: f64| log_label(value * factor) + unit.sign();
        let mut ticks: Vec<(f64, String)> = log_ticks(range, decades)
            .into_iter()
            .map(|value| (value, label(value)))
            .collect();
        if ticks.len() < 3 {
            ticks = linear_ticks(range, nice(range.span() / 4.0, &[1.0, 2.0, 5.0]), unit);
        }
        Self {
            name: name.into(),
            range,
            log: true,
            ticks,
        }
    }

    /// Where a number lies: 0 at the low end, 1 at the high end.
    pub fn place(&self, value: f64) -> Option<f64> {
        let Range { low, high } = self.range;
        let place = if self.log {
            (value / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        };
        place.is_finite().then_some(place)
    }
}

/// One of `steps`, from 1 to 10, times a power of ten, near `step` and not below it.
fn nice(step: f64, steps: &[f64]) -> f64 {
    let power = 10f64.powi(exponent(step));
    let fits = steps.iter().find(|&s| s * power >= step * (1.0 - 1e-9));
    power * fits.copied().unwrap_or(10.0)
}

fn linear_ticks(range: Range, step: f64, unit: Unit) -> Vec<(f64, String)> {
    let factor = unit.factor();
    let first = (range.low / step - 1e-6).ceil();
    let count = ((range.high / step + 1e-6).floor() - first).clamp(0.0, 20.0) as usize;
    let largest = factor * range.low.abs().max(range.high.abs());
    // the place of the last digit of the step; 2.5 has one more than 2
    let first_place = exponent(factor * step * (1.0 + 1e-9));
    let digit = factor * step / 10f64.powi(first_place);
    let step_exponent = first_place - i32::from((digit - 2.5).abs() < 1e-6);
    let label = |value: f64| {
        if value == 0.0 {
            "0".into()
        } else if !(1e-3..1e6).contains(&largest) {
            let digits = exponent(value * (1.0 + 1e-9)) - step_exponent;
            scientific(value, digits.clamp(0, 12) as usize)
        } else {
            plain(value, (-step_exponent).clamp(0, 12) as usize)
        }
    };
    (0..=count)
        .map(|i| {
            let value = (first + i as f64) * step;
            (value, label(factor * value) + unit.sign())
        })
        .collect()
}

/// Powers of ten, or 1, 2 and 5 times them where there are few.
fn log_ticks(range: Range, decades: f64) -> Vec<f64> {
    let first = range.low.log10().floor() as i32;
    let last = range.high.log10().ceil() as i32;
    let (steps, stride): (&[f64], i32) = match decades {
        decades if decades > 2.9 => (&[1.0], (decades / 6.0).ceil() as i32),
        decades if decades > 1.5 => (&[1.0, 3.0], 1),
        _ => (&[1.0, 2.0, 5.0], 1),
    };
    let inside =
        |&value: &f64| value >= range.low * (1.0 - 1e-9) && value <= range.high * (1.0 + 1e-9);
    (first..=last)
        .filter(|power| (power - first) % stride == 0)
        .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)))
        .filter(inside)
        .collect()
}

fn log_label(value: f64) -> String {
    let decimals = (-exponent(value * (1.0 + 1e-9))).max(0);
    if decimals > 3 || value >= 1e5 {
        scientific(value, 0)
    } else {
        plain(value, decimals as usize)
    }
}

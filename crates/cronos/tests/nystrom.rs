//! The Nyström approximation against matrices whose eigenvalues are known.

use cronos::Real;
use cronos::nystrom::{Nystrom, Operator, Rank};

/// `H = Σ λ_k h_k h_kᵀ` with the Hartley basis, which is orthonormal.
struct Known {
    size: usize,
    eigenvalues: Vec<f64>,
}

impl Known {
    fn basis(&self, k: usize, i: usize) -> f64 {
        let angle = std::f64::consts::TAU * (k * i) as f64 / self.size as f64;
        (angle.cos() + angle.sin()) / (self.size as f64).sqrt()
    }
}

impl<T: Real> Operator<T> for Known {
    fn size(&self) -> usize {
        self.size
    }

    fn apply(&mut self, x: &[T], out: &mut [T]) {
        for (x, out) in x.chunks(self.size).zip(out.chunks_mut(self.size)) {
            let mut sum = vec![0.0; self.size];
            for (k, lambda) in self.eigenvalues.iter().enumerate() {
                let along: f64 = (0..self.size).map(|i| self.basis(k, i) * x[i].wide()).sum();
                for (i, sum) in sum.iter_mut().enumerate() {
                    *sum += lambda * along * self.basis(k, i);
                }
            }
            for (out, sum) in out.iter_mut().zip(sum) {
                *out = T::of(sum);
            }
        }
    }
}

#[test]
fn a_matrix_of_low_rank_is_found_exactly() {
    let eigenvalues = vec![90.0, 40.0, 7.0, 2.0, 0.5];
    let mut known = Known {
        size: 60,
        eigenvalues: eigenvalues.clone(),
    };
    let double = Nystrom::<f64>::new(&mut known, Rank::Fixed(12), 1.0, 3).expect("sketch");
    let single = Nystrom::<f32>::new(&mut known, Rank::Fixed(12), 1.0, 3).expect("sketch");
    for (k, expected) in eigenvalues.iter().enumerate() {
        assert!((double.eigenvalues()[k] - expected).abs() <= 1e-9);
        assert!((single.eigenvalues()[k] - expected).abs() <= 2e-3);
    }
    // beyond the rank there is only the shift, which is removed
    assert!(double.eigenvalues()[5..].iter().all(|&value| value <= 1e-9));
    assert!(single.eigenvalues()[5..].iter().all(|&value| value <= 2e-3));
}

#[test]
fn eigenvalues_are_never_overestimated() {
    let mut known = Known {
        size: 80,
        eigenvalues: (1..=80).map(|k| 100.0 / (k * k) as f64).collect(),
    };
    let sketch = Nystrom::<f64>::new(&mut known, Rank::Fixed(20), 1.0, 9).expect("sketch");
    assert_eq!(sketch.rank(), 20);
    for (k, value) in sketch.eigenvalues().iter().enumerate() {
        assert!(
            *value <= known.eigenvalues[k] * (1.0 + 1e-9),
            "{k}: {value}"
        );
    }
    assert!(sketch.eigenvalues()[0] >= 99.0);
}

#[test]
fn the_zero_matrix_has_a_sketch() {
    let mut known = Known {
        size: 10,
        eigenvalues: vec![],
    };
    let sketch = Nystrom::<f32>::new(&mut known, Rank::Fixed(4), 1.0, 0).expect("sketch");
    assert_eq!(sketch.eigenvalues(), [0.0; 4]);
}

#[test]
fn the_adaptive_rank_stops_near_the_effective_dimension() {
    let mut known = Known {
        size: 120,
        eigenvalues: (1..=120).map(|k| 2000.0 / (k * k) as f64).collect(),
    };
    let rank = Rank::Adaptive {
        first: 2,
        most: 100,
    };
    let sketch = Nystrom::<f64>::new(&mut known, rank, 1.0, 1).expect("sketch");
    // λ_14 is the first eigenvalue of at most 10 μ
    assert!((14..=64).contains(&sketch.rank()), "{}", sketch.rank());
    let tight = Nystrom::<f64>::new(&mut known, rank, 1e-9, 1).expect("sketch");
    assert_eq!(tight.rank(), 100);
}

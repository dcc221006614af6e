//! Training rows, and what is refused about them.

use crate::Error;
use crate::matrix::Matrix;
use crate::network::TargetScaling;
use crate::table::Pick;
use crate::team::Team;

/// Training rows: raw features, targets, and what each row counts for.
#[derive(Debug)]
pub struct Rows<'a, X = Matrix<f64>> {
    /// n x d
    pub x: &'a X,
    /// n x C
    pub y: &'a Matrix<f64>,
    /// A row of weight `w` counts as `w` equal rows; `None` is 1 for every row.
    pub weights: Option<&'a [f64]>,
    /// The class of each row, when the targets stand for classes.
    pub labels: Option<&'a [usize]>,
}

impl<X> Clone for Rows<'_, X> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<X> Copy for Rows<'_, X> {}

impl<X: Pick> Rows<'_, X> {
    /// Refuses shapes that do not fit together and numbers that are not finite.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let n = self.x.rows();
        if n < 2 {
            return Err(Error::Data(format!(
                "the training data has {n} row(s); at least 2 are needed"
            )));
        }
        if self.y.rows() != n {
            return Err(Error::Shape {
                what: "targets",
                expected: format!("{n} rows, as many as the features"),
                found: format!("{} rows", self.y.rows()),
            });
        }
        check_weights(n, self.weights)?;
        self.x.check_finite()?;
        self.y.check_finite("targets")
    }

    /// What `run` makes of the rows whose weight is not 0.
    pub(crate) fn counting<R>(
        self,
        run: impl FnOnce(Rows<'_, X>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.check()?;
        let Some(weights) = self.weights.filter(|weights| weights.contains(&0.0)) else {
            return run(self);
        };
        let kept: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] != 0.0).collect();
        let weights: Vec<f64> = kept.iter().map(|&i| weights[i]).collect();
        let labels: Option<Vec<usize>> =
            (self.labels).map(|labels| kept.iter().map(|&i| labels[i]).collect());
        let (x, y) = (self.x.pick(&kept), self.y.select(&kept));
        let rows = Rows {
            x: &x,
            y: &y,
            weights: Some(&weights),
            labels: labels.as_deref(),
        };
        // there may be too few left
        rows.check()?;
        run(rows)
    }

    /// Where ranks share rows, refuses what any of them would; and rows without weight: leaving them
    /// out would tear chunks.
    pub(crate) fn check_shared(&self, team: &Team) -> Result<(), Error> {
        if team.is_alone() {
            return Ok(());
        }
        let zero = self.weights.is_some_and(|weights| weights.contains(&0.0));
        team.agree(match zero {
            true => Err(Error::Data(
                "a row that ranks share has the weight 0; leave such rows out".into(),
            )),
            false => self.check(),
        })
    }

    pub(crate) fn check_targets(&self, scaling: &TargetScaling) -> Result<(), Error> {
        let (d, outputs) = (self.x.columns(), self.y.columns());
        if d == 0 || outputs == 0 || scaling.mean.len() != outputs {
            return Err(Error::Shape {
                what: "data",
                expected: "at least one feature, one target, and a scaling for each target".into(),
                found: format!(
                    "{d} features, {outputs} targets, {} scalings",
                    scaling.mean.len()
                ),
            });
        }
        Ok(())
    }
}

/// Refuses weights that are not one for each row, finite and not negative.
pub(crate) fn check_weights(rows: usize, weights: Option<&[f64]>) -> Result<(), Error> {
    let Some(weights) = weights else {
        return Ok(());
    };
    if weights.len() != rows {
        return Err(Error::Shape {
            what: "weights",
            expected: format!("{rows}, one for each row"),
            found: format!("{} weights", weights.len()),
        });
    }
    let wrong = |weight: &f64| !(*weight >= 0.0 && weight.is_finite());
    match weights.iter().position(wrong) {
        Some(row) => Err(Error::Data(format!(
            "row {} has the weight {}; weights must be finite and not negative",
            row + 1,
            weights[row]
        ))),
        None => Ok(()),
    }
}

//! Classifier and regressor: labels or numbers in, a trained network out.

use crate::Error;
use crate::fit::{Fitted, GateSource, Options, fit};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::network::TargetScaling;
use crate::observe::Observer;
use crate::path::{Grid, Path, path};
use crate::rows::Rows;
use crate::sparse::fit_sparse;
use crate::streamed::fit_streamed;
use crate::table::{Pick, Table};
use crate::wide::{Networks, with_matrix};

/// Trains a network that tells classes apart.
///
/// ```
/// use cronos::{Classifier, Matrix};
///
/// // XOR: no line separates it, a two-layer network does
/// let x = Matrix::from_rows(4, 2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0])?;
/// let labels = ["same", "different", "different", "same"];
/// let classifier = Classifier::default().fit(&x, &labels)?;
/// assert_eq!(classifier.predict(&x)?, labels);
/// let certificate = classifier.fitted.certificate;
/// assert!(certificate.lower_bound <= certificate.objective);
/// # Ok::<(), cronos::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Classifier {
    /// Everything that can be chosen.
    pub options: Options,
}

/// A trained classifier.
#[derive(Clone, Debug)]
pub struct TrainedClassifier<L> {
    /// The labels, in order.
    pub classes: Vec<L>,
    /// The network and its certificate.
    pub fitted: Fitted,
}

impl Classifier {
    /// Trains on features (`n x d`) and one label per row.
    pub fn fit<L: Ord + Clone>(
        &self,
        x: &dyn Table,
        labels: &[L],
    ) -> Result<TrainedClassifier<L>, Error> {
        self.fit_observed(x, labels, None, &())
    }

    /// Trains on rows that count for more or less than one while `observer` sees
    /// every step and may break off.
    pub fn fit_observed<L: Ord + Clone>(
        &self,
        x: &dyn Table,
        labels: &[L],
        weights: Option<&[f64]>,
        observer: &dyn Observer,
    ) -> Result<TrainedClassifier<L>, Error> {
        if x.streams() {
            let targets = self.targets(labels)?;
            let (scaling, options) = (targets.scaling(), &targets.options);
            let rows = (&targets.y, weights, Some(&targets.indices[..]));
            let fitted = fit_streamed(x, rows, scaling, options, observer)?;
            let classes = targets.classes;
            return Ok(TrainedClassifier { classes, fitted });
        }
        let (classes, fitted) = match x.to_sparse().filter(|_| learned(&self.options)) {
            Some(x) => {
                let targets = self.targets(labels)?;
                let rows = targets.rows(&*x, weights);
                let fitted = fit_sparse(rows, targets.scaling(), &targets.options, observer)?;
                (targets.classes, fitted)
            }
            None => {
                let run = |rows: Rows<'_>, scaling, options: &Options| {
                    fit(rows, scaling, options, observer)
                };
                self.with_rows(x, labels, weights, observer, run)?
            }
        };
        Ok(TrainedClassifier { classes, fitted })
    }

    /// Trains on rows of which the other ranks of a team have some, too: features and the index of
    /// the class of each row, out of so many classes. All ranks find the same.
    pub fn fit_shared(
        &self,
        x: &Matrix<f64>,
        indices: &[usize],
        classes: usize,
        weights: Option<&[f64]>,
        observer: &dyn Observer,
    ) -> Result<Fitted, Error> {
        let targets = self.targets_of(indices, (0..classes).collect())?;
        let rows = targets.rows(x, weights);
        fit(rows, targets.scaling(), &targets.options, observer)
    }

    /// Networks for a range of penalties, from the one that leaves nothing
    /// downwards; see [`path()`](crate::path()).
    pub fn path<L: Ord + Clone>(
        &self,
        x: &dyn Table,
        labels: &[L],
        weights: Option<&[f64]>,
        grid: &Grid,
        observer: &dyn Observer,
    ) -> Result<(Vec<L>, Path), Error> {
        let run = |rows: Rows<'_>, scaling, options: &Options| {
            path(rows, scaling, grid, options, observer)
        };
        self.with_rows(x, labels, weights, observer, run)
    }

    /// The same on rows of which the other ranks of a team have some, too.
    pub fn path_shared(
        &self,
        x: &Matrix<f64>,
        indices: &[usize],
        classes: usize,
        weights: Option<&[f64]>,
        grid: &Grid,
        observer: &dyn Observer,
    ) -> Result<Path, Error> {
        let targets = self.targets_of(indices, (0..classes).collect())?;
        let rows = targets.rows(x, weights);
        path(rows, targets.scaling(), grid, &targets.options, observer)
    }

    /// The classes, and what `run` makes of the targets that stand for them.
    fn with_rows<L: Ord + Clone, R: Networks>(
        &self,
        x: &dyn Table,
        labels: &[L],
        weights: Option<&[f64]>,
        observer: &dyn Observer,
        run: impl FnOnce(Rows<'_>, TargetScaling, &Options) -> Result<R, Error>,
    ) -> Result<(Vec<L>, R), Error> {
        let targets = self.targets(labels)?;
        let made = with_matrix(x, weights, &targets.options, observer, |x, options| {
            run(targets.rows(x, weights), targets.scaling(), options)
        })?;
        Ok((targets.classes, made))
    }

    /// The targets that stand for labels, and options that fit them.
    fn targets<L: Ord + Clone>(&self, labels: &[L]) -> Result<ClassTargets<L>, Error> {
        let mut classes = labels.to_vec();
        classes.sort();
        classes.dedup();
        self.targets_of(labels, classes)
    }

    /// The same, for classes in order that are known.
    fn targets_of<L: Ord + Clone>(
        &self,
        labels: &[L],
        classes: Vec<L>,
    ) -> Result<ClassTargets<L>, Error> {
        if classes.len() < 2 {
            return Err(Error::Data(format!(
                "the labels name {} class(es); at least 2 are needed",
                classes.len()
            )));
        }
        let loss = self.loss(classes.len())?;
        Ok(ClassTargets {
            y: class_targets(labels, &classes, loss),
            indices: labels
                .iter()
                .map(|label| classes.partition_point(|class| class < label))
                .collect(),
            options: Options {
                loss,
                ..self.options.clone()
            },
            classes,
        })
    }

    /// The loss that is given; softmax over two classes is logistic.
    fn loss(&self, classes: usize) -> Result<Option<Loss>, Error> {
        match self.options.loss {
            Some(Loss::Softmax) if classes == 2 => Ok(Some(Loss::Logistic)),
            Some(loss @ (Loss::Huber { .. } | Loss::Quantile { .. })) => {
                let expected = "squared, logistic, softmax or squared-hinge for classes";
                Err(Error::setting("loss", loss.name(), expected))
            }
            loss => Ok(loss),
        }
    }
}

/// Labels as numbers.
struct ClassTargets<L> {
    classes: Vec<L>,
    y: Matrix<f64>,
    /// The class of each row.
    indices: Vec<usize>,
    options: Options,
}

impl<L> ClassTargets<L> {
    fn rows<'a, X>(&'a self, x: &'a X, weights: Option<&'a [f64]>) -> Rows<'a, X> {
        Rows {
            x,
            y: &self.y,
            weights,
            labels: Some(&self.indices),
        }
    }

    fn scaling(&self) -> TargetScaling {
        TargetScaling::identity(self.y.columns())
    }
}

impl<L: Clone> TrainedClassifier<L> {
    /// The label of each row of `x`.
    pub fn predict(&self, x: &dyn Table) -> Result<Vec<L>, Error> {
        let decisions = self.fitted.network.predict(x)?;
        Ok((0..decisions.rows())
            .map(|i| self.classes[chosen_class(decisions.row(i))].clone())
            .collect())
    }
}

/// Two classes: one column of −1 and 1. More: one column per class, 1 for the
/// row's own class and 0 for the others, −1 where the loss wants it.
fn class_targets<L: Ord>(labels: &[L], classes: &[L], loss: Option<Loss>) -> Matrix<f64> {
    let other = match loss {
        Some(Loss::Logistic | Loss::SquaredHinge) => -1.0,
        _ => 0.0,
    };
    if classes.len() == 2 {
        Matrix::from_fn(labels.len(), 1, |i, _| {
            if labels[i] == classes[1] { 1.0 } else { -1.0 }
        })
    } else {
        Matrix::from_fn(labels.len(), classes.len(), |i, c| {
            if labels[i] == classes[c] { 1.0 } else { other }
        })
    }
}

/// The class that a row of outputs stands for: with one output class 1 if it is
/// at least 0, else the largest output, the first of them on a tie.
pub(crate) fn chosen_class(outputs: &[f64]) -> usize {
    if let [decision] = outputs {
        return usize::from(*decision >= 0.0);
    }
    let mut best = 0;
    for (class, output) in outputs.iter().enumerate() {
        if *output > outputs[best] {
            best = class;
        }
    }
    best
}

/// Trains a network that predicts numbers.
#[derive(Clone, Debug, Default)]
pub struct Regressor {
    /// Everything that can be chosen.
    pub options: Options,
}

impl Regressor {
    /// Trains on features (`n x d`) and targets (`n x C`).
    pub fn fit(&self, x: &dyn Table, y: &Matrix<f64>) -> Result<Fitted, Error> {
        self.fit_observed(x, y, None, &())
    }

    /// Trains on rows that count for more or less than one while `observer` sees
    /// every step and may break off.
    ///
    /// A penalty that is given applies to the targets as they are; when it is
    /// chosen automatically, targets are standardised first.
    pub fn fit_observed(
        &self,
        x: &dyn Table,
        y: &Matrix<f64>,
        weights: Option<&[f64]>,
        observer: &dyn Observer,
    ) -> Result<Fitted, Error> {
        let scale = || match self.options.beta {
            Some(_) => TargetScaling::identity(y.columns()),
            None => TargetScaling::standard(y, weights),
        };
        if x.streams() {
            return fit_streamed(x, (y, weights, None), scale(), &self.options, observer);
        }
        if let Some(x) = x.to_sparse().filter(|_| learned(&self.options)) {
            let rows = regression(&*x, y, weights)?;
            return fit_sparse(rows, scale(), &self.options, observer);
        }
        with_matrix(x, weights, &self.options, observer, |x, options| {
            let rows = regression(x, y, weights)?;
            fit(rows, scale(), options, observer)
        })
    }

    /// Trains on rows of which the other ranks of a team have some, too. All ranks find the same.
    pub fn fit_shared(
        &self,
        x: &Matrix<f64>,
        y: &Matrix<f64>,
        weights: Option<&[f64]>,
        observer: &dyn Observer,
    ) -> Result<Fitted, Error> {
        let rows = regression(x, y, weights)?;
        let scaling = match self.options.beta {
            Some(_) => TargetScaling::identity(y.columns()),
            None => scaling_shared(rows, &self.options)?,
        };
        fit(rows, scaling, &self.options, observer)
    }

    /// Networks for a range of penalties, from the one that leaves nothing
    /// downwards, for standardised targets; see [`path()`](crate::path()).
    pub fn path(
        &self,
        x: &dyn Table,
        y: &Matrix<f64>,
        weights: Option<&[f64]>,
        grid: &Grid,
        observer: &dyn Observer,
    ) -> Result<Path, Error> {
        with_matrix(x, weights, &self.options, observer, |x, options| {
            let rows = regression(x, y, weights)?;
            let scaling = TargetScaling::standard(rows.y, rows.weights);
            path(rows, scaling, grid, options, observer)
        })
    }

    /// The same on rows of which the other ranks of a team have some, too.
    pub fn path_shared(
        &self,
        x: &Matrix<f64>,
        y: &Matrix<f64>,
        weights: Option<&[f64]>,
        grid: &Grid,
        observer: &dyn Observer,
    ) -> Result<Path, Error> {
        let rows = regression(x, y, weights)?;
        let scaling = scaling_shared(rows, &self.options)?;
        path(rows, scaling, grid, &self.options, observer)
    }
}

/// The scaling of targets of which the other ranks of a team have some, too.
fn scaling_shared(rows: Rows<'_>, options: &Options) -> Result<TargetScaling, Error> {
    let features = rows.x.columns() + usize::from(options.bias);
    TargetScaling::shared(rows.y, rows.weights, features, &options.settings.team)
}

/// Whether gates are learned, which sparse features need not become dense for.
fn learned(options: &Options) -> bool {
    matches!(options.gates, GateSource::Learned { .. })
}

/// Rows with numbers as targets that fit together.
fn regression<'a, X: Pick>(
    x: &'a X,
    y: &'a Matrix<f64>,
    weights: Option<&'a [f64]>,
) -> Result<Rows<'a, X>, Error> {
    let rows = Rows {
        x,
        y,
        weights,
        labels: None,
    };
    rows.check()?;
    Ok(rows)
}

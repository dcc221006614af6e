//! Predictions against the truth: confusion, residuals and misclassified images.

use crate::commands::job::Job;
use crate::commands::labelled::{Truth, WithTruth};
use crate::failure::Failure;
use crate::report::{Confusion, Mistake, Report, Residuals, whole};
use cronos::{Matrix, Model, Table, Task};

/// Misclassified images given to the page.
const IMAGES: usize = 48;
/// An image has at least this many pixels.
const PIXELS: usize = 16;

/// Fills in how the model does on the test rows, else on the rows it was chosen
/// by, or on the training rows if there are no others.
pub fn fill(
    report: &mut Report,
    job: &Job,
    model: &Model,
    validation: Option<&WithTruth>,
) -> Result<(), Failure> {
    let (x, truth, part) = match (&job.test, validation) {
        (Some((x, truth)), _) => (x, truth, "test"),
        (None, Some((x, truth))) => (x, truth, "validation"),
        (None, None) => (&job.train, &job.train_truth, "training"),
    };
    let x: &dyn Table = x.as_ref();
    let of = format!("{} {part} rows", whole(x.rows()));
    match (truth, &job.task) {
        (Truth::Classes(truth), Task::Classification { classes }) => {
            let predicted = model.classify(x)?;
            if let Some(shape) = image_shape(job) {
                let worst = most_wrong(&model.decide(x)?, truth, &predicted);
                report.mistakes = worst
                    .into_iter()
                    .take(IMAGES)
                    .map(|i| {
                        let mut pixels = vec![0.0; x.columns()];
                        x.read(i, 0, &mut pixels);
                        mistake(pixels, shape, &classes[truth[i]], &classes[predicted[i]])
                    })
                    .collect();
            }
            let mut counts = vec![vec![0; classes.len()]; classes.len()];
            for (&truth, &predicted) in truth.iter().zip(&predicted) {
                counts[truth][predicted] += 1;
            }
            report.confusion = Some(Confusion {
                of,
                classes: classes.clone(),
                counts,
            });
        }
        (Truth::Numbers(truth), _) => {
            let predicted = model.decide(x)?;
            let name = model.target_name.as_deref().unwrap_or("the target");
            let residuals = |c: usize| Residuals {
                output: match truth.columns() {
                    1 => name.to_owned(),
                    _ => format!("{name}, output {c}"),
                },
                of: of.clone(),
                predicted: predicted.column(c),
                actual: truth.column(c),
            };
            report.residuals = (0..truth.columns()).map(residuals).collect();
        }
        _ => {}
    }
    Ok(())
}

/// Height, width and channels if the rows are images: the reader says so, or
/// the features are a square of columns called `pixel…`.
pub fn image_shape(job: &Job) -> Option<(usize, usize, usize)> {
    let pixels = job.feature_names.len();
    let shape = job.image_shape.or_else(|| {
        let side = pixels.isqrt();
        let named = |name: &String| name.to_lowercase().starts_with("pixel");
        (side * side == pixels && job.feature_names.iter().all(named)).then_some((side, side, 1))
    });
    shape
        .filter(|(height, width, channels)| pixels >= PIXELS && height * width * channels == pixels)
}

/// The rows classified wrongly, the most clearly wrong first: by how far the
/// output of the predicted class is above that of the true one.
fn most_wrong(decisions: &Matrix<f64>, truth: &[usize], predicted: &[usize]) -> Vec<usize> {
    let margin = |i: usize| match decisions.columns() {
        1 => decisions.at(i, 0).abs(),
        _ => decisions.at(i, predicted[i]) - decisions.at(i, truth[i]),
    };
    let mut wrong: Vec<usize> = (0..truth.len())
        .filter(|&i| truth[i] != predicted[i])
        .collect();
    wrong.sort_by(|&a, &b| margin(b).total_cmp(&margin(a)).then(a.cmp(&b)));
    wrong
}

fn mistake(
    pixels: Vec<f64>,
    (height, width, channels): (usize, usize, usize),
    truth: &str,
    predicted: &str,
) -> Mistake {
    Mistake {
        pixels,
        width,
        height,
        channels,
        truth: truth.into(),
        predicted: predicted.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::most_wrong;
    use cronos::Matrix;

    #[test]
    fn the_most_clearly_wrong_come_first() {
        let values = vec![0.9, 0.1, 0.0, 0.2, 0.9, 0.3, 0.6, 0.5, 0.1];
        let three = Matrix::from_rows(3, 3, values).unwrap();
        assert_eq!(most_wrong(&three, &[1, 1, 1], &[0, 1, 0]), [0, 2]);
        let two = Matrix::from_rows(3, 1, vec![0.1, -3.0, 2.0]).unwrap();
        assert_eq!(most_wrong(&two, &[0, 1, 0], &[1, 0, 1]), [1, 2, 0]);
    }
}

//! How the data of a job is read.

use crate::arguments::Source;
use crate::commands::labelled::target_column;
use crate::failure::Failure;
use crate::progress;
use cronos_data::{
    DataError, Dataset, ImageFit, ImageOptions, IndexColumn, Loaded, Missing, ReadOptions,
    TargetColumn, WeightColumn, names,
};
use std::path::Path;

/// How the training data is read.
pub(super) fn read_options(source: &Source) -> Result<ReadOptions<'static>, Failure> {
    let mut drop = Vec::new();
    for list in &source.drop {
        drop.extend(names::split(list).map_err(usage)?);
    }
    Ok(ReadOptions {
        target: target_column(source.target.as_ref()),
        weight: match &source.weight_column {
            Some(name) => WeightColumn::Named(name.clone()),
            None => WeightColumn::Absent,
        },
        drop,
        index: match source.keep_index {
            true => IndexColumn::Keep,
            false => IndexColumn::LeaveOut,
        },
        missing: match source.impute {
            Some(_) => Missing::Keep,
            None => Missing::Refuse,
        },
        expected_features: None,
        images: source.images.options(),
        in_file: false,
        watch: Some(progress::rows_read),
    })
}

/// Reads the data named by `--test`, which may lack the weights.
pub(super) fn read_test(
    source: &Source,
    test: &str,
    train: &Dataset,
    options: ReadOptions<'static>,
) -> Result<Dataset, Failure> {
    let weight = train.weight_name.as_ref().or(source.weight_column.as_ref());
    let options = ReadOptions {
        target: test_target(source)?,
        weight: weight.map_or(WeightColumn::Absent, |name| {
            WeightColumn::IfThere(name.clone())
        }),
        drop: train.dropped.clone(),
        expected_features: Some(&train.feature_names),
        images: ImageOptions {
            size: train.image_shape.map(|(height, width, _)| (height, width)),
            channels: train.image_shape.map(|(.., channels)| channels),
            fit: Some(train.image_fit.unwrap_or(ImageFit::Pad)),
            ..options.images
        },
        ..options
    };
    Ok(read(test, &options)?.train)
}

/// Reads, and shows how that gets on.
pub(super) fn read(path: &str, options: &ReadOptions) -> Result<Loaded, Failure> {
    let loaded = cronos_data::read(path, options);
    progress::all_read();
    loaded.map_err(Failure::reading)
}

/// Where the target of the test data is. A target in a file of its own belongs
/// to the training data, so the test data needs another.
fn test_target(source: &Source) -> Result<TargetColumn, Failure> {
    match (&source.test_target, &source.target) {
        (None, Some(target)) if Path::new(target).is_file() => Err(Failure::Usage(format!(
            "--target {target} holds the targets of the training data; name those of the test \
             data with --test-target"
        ))),
        (named, usual) => Ok(target_column(named.as_ref().or(usual.as_ref()))),
    }
}

fn usage(error: DataError) -> Failure {
    Failure::Usage(error.to_string())
}

//! The texts of a command.

use super::sample::sample;
use crate::arguments::{Encoding, Source};
use crate::commands::labelled::target_column;
use crate::failure::Failure;
use cronos_data::{TextOptions, Texts, read_texts};

/// The texts to train on, and those to test on if they come from a file of their own.
pub fn read(source: &Source, encoding: &Encoding) -> Result<(Texts, Option<Texts>), Failure> {
    refuse(source)?;
    let options = |target: Option<&String>| TextOptions {
        text: encoding.text.clone(),
        target: target_column(target),
    };
    let read = |path: &str, target: Option<&String>| {
        read_texts(path, &options(target)).map_err(Failure::reading)
    };
    let train = read(&source.data, source.target.as_ref())?;
    let named = source.test_target.as_ref().or(source.target.as_ref());
    let test = match &source.test {
        Some(path) => Some(read(path, named)?),
        None => None,
    };
    let some = |texts| sample(texts, encoding.sample, source.seed);
    Ok((some(train)?, test.map(some).transpose()?))
}

/// Options that make no sense for texts.
fn refuse(source: &Source) -> Result<(), Failure> {
    for (option, given) in [
        ("--drop", !source.drop.is_empty()),
        ("--impute", source.impute.is_some()),
        ("--keep-index", source.keep_index),
        ("--weight-column", source.weight_column.is_some()),
        ("--image-size", source.images.image_size.is_some()),
        ("--image-fit", source.images.image_fit.is_some()),
    ] {
        if given {
            return Err(Failure::Usage(format!(
                "{option} is not for texts; leave it out"
            )));
        }
    }
    Ok(())
}

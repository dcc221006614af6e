//! Folders of `.jpg` and `.png` images, one sub-folder for each class.
//!
//! A first pass reads sizes only, so that memory is planned; a second one draws every image
//! straight to its place.

mod decode;
mod folder;
mod frame;

use std::path::Path;

use rayon::prelude::*;

use crate::array::{Answer, Array, Elements, LABEL};
use crate::dataset::{Dataset, Loaded, Target};
use crate::error::{DataError, counted};
use crate::options::{ImageFit, ReadOptions, TargetColumn};
use crate::origin::Origin;
use crate::source;
use decode::Header;
use folder::{Found, Picture};
use frame::Frame;

pub(crate) use folder::is_called_so;

/// Reads a folder of images; `None` if it holds none.
pub(crate) fn read_folder(path: &str, options: &ReadOptions) -> Result<Option<Loaded>, DataError> {
    let (train, test, remarks) = match folder::find(path)? {
        None => return Ok(None),
        Some(Found::Whole(pictures, remarks)) => (pictures, None, remarks),
        Some(Found::Parts(train, test, remarks)) => (train, test, remarks),
    };
    let headers = headers(&train)?;
    let frame = frame(path, &headers, options)?;
    let rows = train.len() + test.as_ref().map_or(0, Vec::len);
    check_memory(path, rows, frame, options)?;
    let test = match &test {
        Some(test) => {
            let options = options.of_test_part();
            let name = format!("{}-test", source::short_name(path));
            Some(draw(path, name, test, frame, &options)?)
        }
        None => None,
    };
    let mut train = draw(path, source::short_name(path), &train, frame, options)?;
    train.remarks = remarks;
    Ok(Some(Loaded { train, test }))
}

/// Reads one image.
pub(crate) fn read_file(path: &str, options: &ReadOptions) -> Result<Dataset, DataError> {
    let picture = Picture {
        path: path.into(),
        name: match Path::new(path).file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => path.to_owned(),
        },
        class: None,
    };
    let pictures = [picture];
    let frame = frame(path, &headers(&pictures)?, options)?;
    check_memory(path, 1, frame, options)?;
    draw(path, source::short_name(path), &pictures, frame, options)
}

fn headers(pictures: &[Picture]) -> Result<Vec<Header>, DataError> {
    let all: Vec<Result<Header, DataError>> = pictures
        .par_iter()
        .map(|picture| decode::header(&picture.path))
        .collect();
    // The first failure in the order of names, whichever thread met one first.
    all.into_iter().collect()
}

/// What every image is brought to: as asked for, else the largest height and width there are.
fn frame(path: &str, headers: &[Header], options: &ReadOptions) -> Result<Frame, DataError> {
    let wanted = &options.images;
    let largest = |side: fn(&Header) -> usize| headers.iter().map(side).max().unwrap_or(0);
    let (height, width) = wanted
        .size
        .unwrap_or_else(|| (largest(|h| h.height), largest(|h| h.width)));
    let gray = headers.iter().all(|header| header.gray);
    let channels = wanted.channels.unwrap_or(if gray { 1 } else { 3 });
    if height == 0 || width == 0 {
        return Err(DataError::request(format!(
            "the image size is {height}x{width}; both must be at least 1"
        )));
    }
    if channels != 1 && channels != 3 {
        return Err(DataError::content(
            path,
            format!(
                "images are read with 1 or 3 channels, but {channels} are needed; give an array \
                 (.npy) of the shape that the model was trained with"
            ),
        ));
    }
    let fit = wanted.fit.unwrap_or(match wanted.size {
        Some(_) => ImageFit::Resize,
        None => ImageFit::Pad,
    });
    Ok(Frame {
        height,
        width,
        channels,
        fit,
    })
}

/// Refuses images that do not fit into memory, before any is reserved.
fn check_memory(
    path: &str,
    rows: usize,
    frame: Frame,
    options: &ReadOptions,
) -> Result<(), DataError> {
    let needed = frame.bytes().and_then(|each| each.checked_mul(rows));
    let limit = options.images.memory_limit_bytes.unwrap_or(u64::MAX);
    match needed {
        // No array is larger than this.
        Some(needed) if needed <= isize::MAX as usize && needed as u64 <= limit => Ok(()),
        needed => {
            const MIB: f64 = 1024.0 * 1024.0;
            let needed = needed.map_or(f64::INFINITY, |needed| needed as f64);
            Err(DataError::content(
                path,
                format!(
                    "{} of {}x{}x{} take {:.0} MiB, but {:.0} MiB are available; make them \
                     smaller with --image-size",
                    counted(rows, "image"),
                    frame.height,
                    frame.width,
                    frame.channels,
                    needed / MIB,
                    limit as f64 / MIB
                ),
            ))
        }
    }
}

/// Draws the images, in their order, into one array.
fn draw(
    path: &str,
    name: String,
    pictures: &[Picture],
    frame: Frame,
    options: &ReadOptions,
) -> Result<Dataset, DataError> {
    let Frame {
        height,
        width,
        channels,
        fit,
    } = frame;
    let row = height * width * channels;
    // values: rows × height × width × channels
    let mut values = vec![0; pictures.len() * row];
    let all: Vec<Result<(), DataError>> = values
        .par_chunks_mut(row)
        .zip(pictures)
        .map(|(pixels, picture)| decode::draw(&picture.path, frame, pixels))
        .collect();
    all.into_iter().collect::<Result<(), DataError>>()?;
    let classes: Option<Vec<String>> = pictures.iter().map(|p| p.class.clone()).collect();
    let answer = match classes {
        Some(classes) => {
            let origin = Origin::array(path, classes.len());
            Answer::label(&options.target, || Ok((Target::Text(classes), origin)))?
        }
        // The labels of a model that was trained on class folders.
        None if options.target == TargetColumn::Named(LABEL.to_owned()) => Answer::None,
        None => Answer::Search,
    };
    let array = Array {
        shape: vec![pictures.len(), height, width, channels],
        values: Elements::Bytes(values),
    };
    let mut dataset = array.into_dataset(path, name, answer, None, options)?;
    dataset.image_fit = dataset.image_shape.map(|_| fit);
    dataset.files = pictures.iter().map(|p| p.name.clone()).collect();
    Ok(dataset)
}

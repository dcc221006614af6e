//! The built-in data set; `builtin/README.md` says where it comes from.

use crate::dataset::{Dataset, Features};
use crate::delimiter::Delimiter;
use crate::error::DataError;
use crate::options::{ReadOptions, TargetColumn};
use crate::stream;
use crate::table::Table;

/// The name under which it is read.
pub(crate) const NAME: &str = "digits";
const CLASS: &str = "class";
const SIDE: usize = 8;
static PACKED: &[u8] = include_bytes!("../builtin/digits.csv.gz");

/// Unpacks the 1,797 images.
pub(crate) fn read(options: &ReadOptions) -> Result<Dataset, DataError> {
    let mut names: Vec<String> = (0..SIDE * SIDE)
        .map(|pixel| format!("pixel_{}_{}", pixel / SIDE, pixel % SIDE))
        .collect();
    let pixels = names.clone();
    names.push(CLASS.to_owned());
    let table = Table {
        file: NAME,
        name: NAME.to_owned(),
        stream: stream::unpack(NAME, PACKED)?,
        delimiter: Delimiter::Comma,
        names: Some(names),
    };
    let mut options = ReadOptions {
        in_file: false,
        ..options.clone()
    };
    // Without a target the class must not slip in among the pixels.
    if options.target == TargetColumn::Absent {
        options.drop.push(CLASS.to_owned());
    }
    let mut dataset = table.read(&options)?;
    let Features { columns, .. } = dataset.features;
    if columns == SIDE * SIDE && dataset.feature_names == pixels {
        dataset.image_shape = Some((SIDE, SIDE, 1));
    }
    Ok(dataset)
}

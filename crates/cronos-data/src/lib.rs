//! Readers for tables, arrays, texts and folders of images.
//!
//! [`read`] takes a path, or the built-in name `digits`, and gives numeric features and a
//! target, or a [`DataError`] whose text is one sentence that names the file, the line or
//! row, the column, the value and the remedy.
//!
//! Files are treated as hostile: a size declared in a header is compared with what the file
//! holds before it is believed, and memory grows only with data that was really read; only a page of
//! a Parquet file is unpacked whole, whatever that takes.

mod ahead;
mod answers;
mod array;
mod cell;
mod cifar;
mod columns;
mod dataset;
mod delimiter;
mod digits;
mod error;
mod feature_file;
pub mod file;
mod fingerprint;
mod header;
mod idx;
mod images;
pub mod impute;
mod index;
pub mod labels;
mod layout;
mod lines;
pub mod names;
mod npy;
mod npz;
mod options;
mod origin;
mod parquet;
mod records;
mod source;
mod spill;
mod stored;
mod stream;
mod svm;
mod table;
mod texts;
mod values;
pub mod weights;

pub use dataset::{CountingColumn, Dataset, Features, Loaded, Target};
pub use error::DataError;
pub use feature_file::{FeatureFile, read_features};
pub use fingerprint::Fingerprint;
pub use labels::Task;
pub use options::{
    ImageFit, ImageOptions, IndexColumn, Missing, ReadOptions, TargetColumn, WeightColumn,
};
pub use origin::Origin;
pub use source::{bytes_of_numbers, read};
pub use stored::Stored;
pub use texts::{TextOptions, Texts, holds_texts, read_texts};
pub use values::Values;

//! What a reader is told about the data.

/// Where the target is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TargetColumn {
    /// The usual place of the format: in a table the column named `target`, `label`, `class`
    /// or `y`, else the last one.
    #[default]
    Auto,
    /// A column's name, its index from 0 (negative from the end, as `-1`), an array's name
    /// in an `.npz` file, or the path of an `.npy`, `.npz` or IDX file that holds the target.
    Named(String),
    /// There is none: every column is a feature.
    Absent,
}

/// Where the weights of the rows are. A column of weights is no feature.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum WeightColumn {
    /// There are none.
    #[default]
    Absent,
    /// As [`TargetColumn::Named`] says where the target is.
    Named(String),
    /// The same, but the data may lack it, as a test part does. Here a number means a column
    /// only where columns have no names, and a file is not read.
    IfThere(String),
}

/// What to do with a feature that has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Refuse the file.
    #[default]
    Refuse,
    /// Keep it as NaN, to be filled by [`crate::impute`].
    Keep,
}

/// What to do with a column of a text table that is called like an index and counts the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexColumn {
    /// Leave it out and say so in [`crate::Dataset::counting`].
    #[default]
    LeaveOut,
    /// Take it as a feature.
    Keep,
}

/// How an image of another size is brought to the wanted one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFit {
    /// In the middle of black. One that is too large is shrunk first, keeping the ratio of its
    /// sides; none is enlarged.
    Pad,
    /// Stretched or shrunk to fill it, whatever becomes of the ratio of its sides.
    Resize,
}

impl ImageFit {
    /// `pad` or `resize`.
    pub fn name(self) -> &'static str {
        match self {
            ImageFit::Pad => "pad",
            ImageFit::Resize => "resize",
        }
    }

    /// The one with a name.
    pub fn named(name: &str) -> Option<ImageFit> {
        [ImageFit::Pad, ImageFit::Resize]
            .into_iter()
            .find(|fit| fit.name() == name)
    }
}

/// What images of a folder are brought to.
#[derive(Debug, Clone, Default)]
pub struct ImageOptions {
    /// Height and width; the largest among the training images if nothing is said.
    pub size: Option<(usize, usize)>,
    /// How; if nothing is said, images are resized to a given size and else padded.
    pub fit: Option<ImageFit>,
    /// 1 for gray or 3 for colour; if nothing is said, 1 if every training image is gray.
    pub channels: Option<usize>,
    /// Images that take more than this together are refused.
    pub memory_limit_bytes: Option<u64>,
}

/// How to read a data set.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions<'a> {
    /// Where the target is.
    pub target: TargetColumn,
    /// Where the weights of the rows are.
    pub weight: WeightColumn,
    /// Columns that are not used, each by its name or index. With `expected_features` they
    /// need not be there.
    pub drop: Vec<String>,
    /// What to do with a column that counts the rows. It is kept when `target` is `Absent`,
    /// and does not matter with `expected_features`.
    pub index: IndexColumn,
    /// What to do with missing feature values.
    pub missing: Missing,
    /// The features a model was trained with; columns are matched to them.
    pub expected_features: Option<&'a [String]>,
    /// What images of a folder are brought to.
    pub images: ImageOptions,
    /// Whether the features of an npy file stay in it, and those of a text table or a Parquet file in
    /// a temporary one, to be read when they are needed.
    pub in_file: bool,
    /// Is told now and then how many rows of a text table or a Parquet file have been read.
    pub watch: Option<fn(usize)>,
}

impl ReadOptions<'_> {
    /// For the test part that comes with the data: a file with the target or the weights
    /// belongs to the training part.
    pub(crate) fn of_test_part(&self) -> Self {
        Self {
            target: match &self.target {
                TargetColumn::Named(_) => TargetColumn::Auto,
                other => other.clone(),
            },
            weight: WeightColumn::Absent,
            ..self.clone()
        }
    }
}

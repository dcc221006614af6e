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

/// What to do with a feature that has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Refuse the file.
    #[default]
    Refuse,
    /// Keep it as NaN, to be filled by [`crate::impute`].
    Keep,
}

/// How to read a data set.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions<'a> {
    /// Where the target is.
    pub target: TargetColumn,
    /// What to do with missing feature values.
    pub missing: Missing,
    /// The features a model was trained with; columns are matched to them.
    pub expected_features: Option<&'a [String]>,
}

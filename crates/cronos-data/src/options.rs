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

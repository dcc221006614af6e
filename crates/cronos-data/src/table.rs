//! Text tables: csv, tsv and txt.

use crate::answers::{self, TargetCells};
use crate::cell::{self, Cell, Cells};
use crate::columns::Columns;
use crate::dataset::{Dataset, Features};
use crate::delimiter::Delimiter;
use crate::error::{DataError, counted, quoted};
use crate::header;
use crate::index::{self, Counter};
use crate::layout::Layout;
use crate::options::{IndexColumn, Missing, ReadOptions, TargetColumn};
use crate::origin::{Origin, Places};
use crate::records::{Records, Row};
use crate::spill::{self, Spill};
use crate::stream::{self, Stream};
use crate::values::Values;
use crate::weights;

/// How many rows are read from one word about it to the next.
const WATCHED: usize = 10_000;

/// A table to be read.
pub(crate) struct Table<'a> {
    pub(crate) file: &'a str,
    pub(crate) name: String,
    pub(crate) stream: Stream<'a>,
    pub(crate) delimiter: Delimiter,
    /// Names of the columns when the table is known to have no header of its own.
    pub(crate) names: Option<Vec<String>>,
}

impl<'a> Table<'a> {
    /// Reads the rows one by one; only the target is held as text.
    pub(crate) fn read(self, options: &ReadOptions) -> Result<Dataset, DataError> {
        let (head, stream) = stream::peek(self.file, self.stream)?;
        let delimiter = self.delimiter.resolve(&head);
        let mut records = Records::new(self.file, stream, delimiter);
        let (mut row, mut next) = (Row::default(), Row::default());
        if !records.next(&mut row)? {
            return Err(DataError::content(
                self.file,
                "it is empty; a table needs at least one row",
            ));
        }
        let mut more = records.next(&mut next)?;
        let (mut names, mut indices) = (self.names, Vec::new());
        if names.is_none() && header::is_one(&row, more.then_some(&next)) {
            indices = header::indices(&row);
            names = Some(header::names_of(self.file, &row)?);
            if !more {
                return Err(DataError::content(
                    self.file,
                    "it has a header but no rows; a table needs at least one row",
                ));
            }
            std::mem::swap(&mut row, &mut next);
            more = records.next(&mut next)?;
        }
        let count = names.as_ref().map_or(row.cells.len(), Vec::len);
        let columns = Columns {
            file: self.file,
            count,
            names: names.as_deref(),
            indices,
        };
        let layout = columns.layout(options)?;
        let mut rows = Rows::new(&columns, &layout, options, "line")?;
        rows.push(&row)?;
        while more {
            rows.push(&next)?;
            more = records.next(&mut next)?;
        }
        rows.finish(self.name)
    }
}

/// The rows read so far.
pub(crate) struct Rows<'a> {
    columns: &'a Columns<'a>,
    layout: &'a Layout,
    missing: Missing,
    /// The features of the row that is being read, and of those before.
    row: Vec<f64>,
    values: Spill,
    watch: Option<fn(usize)>,
    target: TargetCells,
    weights: Vec<f64>,
    counters: Vec<Counter>,
    places: Places,
    count: usize,
}

impl<'a> Rows<'a> {
    /// noun: how messages call a row
    pub(crate) fn new(
        columns: &'a Columns<'a>,
        layout: &'a Layout,
        options: &ReadOptions,
        noun: &'static str,
    ) -> Result<Self, DataError> {
        let may_leave_out = options.index == IndexColumn::LeaveOut
            && options.expected_features.is_none()
            && options.target != TargetColumn::Absent;
        let counters = layout
            .features
            .iter()
            .enumerate()
            .filter_map(|(place, column)| {
                let named = columns.indices.contains(column);
                let candidate = named || (columns.names.is_none() && *column == 0);
                (candidate && may_leave_out).then(|| Counter::new(place, named))
            });
        Ok(Rows {
            columns,
            layout,
            missing: options.missing,
            row: Vec::new(),
            values: Spill::new(options.in_file)?,
            watch: options.watch,
            target: TargetCells::default(),
            weights: Vec::new(),
            counters: counters.collect(),
            places: Places::new(noun),
            count: 0,
        })
    }

    pub(crate) fn push(&mut self, row: &impl Cells) -> Result<(), DataError> {
        if row.count() != self.columns.count {
            return Err(DataError::content(
                self.columns.file,
                format!(
                    "{}: expected {} but found {}; check the delimiter and the quotes",
                    self.places.called(row.place()),
                    counted(self.columns.count, "field"),
                    row.count()
                ),
            ));
        }
        self.row.clear();
        for &column in &self.layout.features {
            let value = match row.feature(column) {
                Cell::Number(value) => value,
                Cell::Missing if self.missing == Missing::Keep => f64::NAN,
                Cell::Missing => return Err(self.refuse(row, column, cell::MISSING)),
                Cell::Infinite => {
                    let what = format!(
                        "{} is infinite or too large; use a finite number or leave it empty",
                        quoted(&row.text(column))
                    );
                    return Err(self.refuse(row, column, &what));
                }
                Cell::Text => {
                    let what = match row.other(column) {
                        Some(what) => format!("it is {what}, not a number"),
                        None => format!("{} is not a number", quoted(&row.text(column))),
                    };
                    let what = format!("{what}; encode the column as numbers or drop it");
                    return Err(self.refuse(row, column, &what));
                }
            };
            self.row.push(value);
        }
        self.values.push(&self.row)?;
        for counter in &mut self.counters {
            counter.push(&self.row);
        }
        if let Some(column) = self.layout.weight {
            let text = row.text_or_number(column);
            let weight = text.and_then(|text| weights::parse(row.feature(column), &text));
            let weight = weight.map_err(|what| self.refuse(row, column, &what))?;
            self.weights.push(weight);
        }
        if let Some(column) = self.layout.target {
            let text = row.text_or_number(column);
            let text = text.map_err(|what| self.refuse(row, column, &what))?;
            let pushed = self.target.push(&text);
            pushed.map_err(|what| self.refuse(row, column, what))?;
        }
        self.places.push(row.place());
        self.count += 1;
        if let Some(watch) = self.watch.filter(|_| self.count.is_multiple_of(WATCHED)) {
            watch(self.count);
        }
        Ok(())
    }

    fn refuse(&self, row: &impl Cells, column: usize, what: &str) -> DataError {
        let place = self.places.called(row.place());
        DataError::content(
            self.columns.file,
            format!("{place}, {}: {what}", self.columns.label(column)),
        )
    }

    pub(crate) fn finish(self, name: String) -> Result<Dataset, DataError> {
        let file = self.columns.file;
        let mut target_name = self.layout.target_name.clone();
        let (target, origin) = match (self.layout.target, &self.layout.answers) {
            (Some(column), _) => {
                let label = self.columns.label(column);
                let target = self.target.finish(file, &label, &self.places)?;
                let origin = Origin {
                    file: file.to_owned(),
                    column: Some(label),
                    places: self.places,
                };
                (Some(target), Some(origin))
            }
            (None, Some(path)) => {
                target_name = Some(crate::source::short_name(path));
                let target = answers::read(path, file, self.count)?;
                (Some(target), Some(Origin::array(path, self.count)))
            }
            (None, None) => (None, None),
        };
        let weights = match (self.layout.weight, &self.layout.weight_file) {
            (Some(column), _) => {
                let label = self.columns.label(column);
                Some(weights::some_count(self.weights, file, Some(&label))?)
            }
            (None, Some(path)) => Some(answers::read_weights(path, file, self.count)?),
            (None, None) => None,
        };
        let mut feature_names = self.layout.feature_names.clone();
        let shape = [self.count, feature_names.len()];
        let mut values = self.values.finish(file, shape)?;
        let remarks = match &values {
            Values::Stored(_) => vec![spill::remark(file, values.len())],
            _ => Vec::new(),
        };
        let counting = index::leave_out(&self.counters, &mut feature_names, &mut values);
        Ok(Dataset {
            name,
            features: Features {
                rows: self.count,
                columns: feature_names.len(),
                values,
            },
            feature_names,
            target,
            target_name,
            origin,
            weights,
            weight_name: self.layout.weight_name.clone(),
            counting,
            dropped: self.layout.dropped.clone(),
            image_shape: None,
            image_fit: None,
            files: Vec::new(),
            remarks,
        })
    }
}

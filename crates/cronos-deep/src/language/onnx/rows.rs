//! Rows of numbers through an ONNX model.

use super::{Encoded, Entries, Feed, OnnxEncoder, refused};
use cronos::Error;

/// Numbers of a run, if the model takes any number of rows.
const AT_ONCE: usize = 1 << 20;

impl OnnxEncoder {
    /// The model on rows of `columns` numbers each.
    pub fn encode_rows(&self, rows: &[f32], columns: usize) -> Result<Encoded, Error> {
        if columns == 0 || rows.is_empty() || !rows.len().is_multiple_of(columns) {
            return Err(Error::Shape {
                what: "rows",
                expected: format!("1 or more rows of {columns} numbers"),
                found: format!("{} numbers", rows.len()),
            });
        }
        let ([input], true) = (&self.inputs[..], self.inputs[0].entries == Entries::Reals) else {
            return Err(refused(
                &self.path,
                "does not have one input of real numbers; give a model for tables",
            ));
        };
        let batch = match input.shape.as_deref() {
            None => None,
            Some(&[batch, length]) if length.is_none_or(|length| length == columns) => batch,
            Some(_) => {
                return Err(refused(
                    &self.path,
                    &format!(
                        "takes input `{}` of shape {}, not rows of {columns} numbers; give it its \
                         own columns",
                        input.name,
                        input.shape_text()
                    ),
                ));
            }
        };
        let count = rows.len() / columns;
        let batch = batch.unwrap_or((AT_ONCE / columns).clamp(1, count));
        let Some(length) = batch.checked_mul(columns).filter(|&l| l <= 1 << 28) else {
            return Err(refused(
                &self.path,
                &format!("takes {batch} rows at once; export it with a free batch"),
            ));
        };
        let mut all = Encoded::default();
        for part in rows.chunks(length) {
            // without a free batch, rows that are not there are 0
            let given = if input.takes_any_batch() {
                part.len()
            } else {
                length
            };
            let mut values = part.to_vec();
            values.resize(given, 0.0);
            let feeds = vec![(0, vec![given / columns, columns], Feed::Reals(values))];
            let encoded = self.run(feeds, given / columns)?;
            self.append(&mut all, encoded, part.len() / columns)?;
        }
        Ok(all)
    }
}

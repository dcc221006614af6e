//! A table with a header, of which one column is the texts.

use super::{Rows, TextOptions, Texts, choose};
use crate::delimiter::Delimiter;
use crate::error::{DataError, counted, quoted};
use crate::header;
use crate::records::{Records, Row};
use crate::stream;

pub(super) fn read(path: &str, options: &TextOptions) -> Result<Texts, DataError> {
    let (head, stream) = stream::peek(path, stream::open(path)?)?;
    let tabs = path.to_lowercase().contains(".tsv");
    let delimiter = if tabs {
        Delimiter::Tab
    } else {
        Delimiter::Comma
    };
    let mut records = Records::new(path, stream, delimiter.resolve(&head));
    let mut row = Row::default();
    if !records.next(&mut row)? {
        return Err(DataError::content(
            path,
            "it is empty; a table needs at least one row",
        ));
    }
    let names = header::names(path, &row)?;
    let mut rows = Rows::new(path);
    let mut chosen = None;
    while records.next(&mut row)? {
        if row.cells.len() != names.len() {
            let message = format!(
                "line {} has {}, but the header has {}; put texts with a separator in quotes",
                row.line,
                counted(row.cells.len(), "cell"),
                names.len()
            );
            return Err(DataError::content(path, message));
        }
        let (text, target) = match chosen {
            Some(chosen) => chosen,
            None => {
                let long = (0..names.len()).max_by_key(|&place| row.cell(place).len());
                let is_text = |place: &usize| row.cell(*place).parse::<f64>().is_err();
                *chosen.insert(choose(path, &names, long.filter(is_text), options)?)
            }
        };
        let column = |place: usize| format!("column {}", quoted(&names[place]));
        rows.push_text(row.cell(text), row.line, &column(text))?;
        if let Some(target) = target {
            rows.push_target(row.cell(target), row.line, &column(target))?;
        }
    }
    let (text, target) = chosen.unzip();
    let named = |place: usize| names[place].clone();
    rows.finish(text.map(named), target.flatten().map(named))
}

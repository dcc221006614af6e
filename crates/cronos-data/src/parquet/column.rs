//! One column: what its values mean, and reading some of them.

use super::pages::Pages;
use crate::cell::{self, Cell};
use half::f16;
use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::{SchemaDescriptor, Type};
use std::borrow::Cow;

/// A value as it was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Missing,
    Number(f64),
    Flag(bool),
    /// UTF-8, in the memory of its page or dictionary.
    Text(ByteArray),
    /// Something that is none of these, as a message calls it.
    Other(&'static str),
}

impl Value {
    /// As it would stand in a text.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Value::Missing => "".into(),
            Value::Number(value) => value.to_string().into(),
            Value::Flag(flag) => flag.to_string().into(),
            Value::Text(text) => trimmed(text).into(),
            Value::Other(what) => (*what).into(),
        }
    }

    /// What it means as a feature: a flag is 0 or 1.
    pub(super) fn feature(&self) -> Cell {
        match self {
            Value::Missing => Cell::Missing,
            Value::Number(value) => cell::of_number(*value),
            Value::Flag(flag) => Cell::Number(f64::from(u8::from(*flag))),
            Value::Text(text) => cell::parse(trimmed(text)),
            Value::Other(_) => Cell::Text,
        }
    }
}

/// What the numbers or bytes of a column stand for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meaning {
    /// Themselves.
    Plain,
    /// Whole numbers that are never negative, in so many bits.
    Unsigned(u32),
    /// Whole numbers, divided by this.
    Decimal(f64),
    Half,
    Utf8,
    /// Nothing that a network is trained on.
    Other(&'static str),
}

/// A column of the table.
pub(super) struct Column {
    pub(super) name: String,
    meaning: Meaning,
    /// Its place among all that hold values; a column with columns of its own has none.
    leaf: Option<usize>,
    /// The level at which a value is there.
    defined: i16,
    /// Whether anybody looks at its values; else they are not read.
    pub(super) used: bool,
    reader: Option<ColumnReader>,
}

impl Column {
    /// leaf: the number of columns that hold values before it
    pub(super) fn of(field: &Type, schema: &SchemaDescriptor, leaf: usize) -> Self {
        let flat = field.is_primitive() && schema.column(leaf).max_rep_level() == 0;
        Self {
            name: field.name().to_owned(),
            meaning: match flat {
                true => meaning(field),
                false => Meaning::Other("a list or structure"),
            },
            leaf: flat.then_some(leaf),
            defined: match flat {
                true => schema.column(leaf).max_def_level(),
                false => 0,
            },
            used: true,
            reader: None,
        }
    }

    /// Begins with the values of a group of so many rows.
    pub(super) fn open(&mut self, group: &dyn RowGroupReader, rows: usize) -> Result<()> {
        self.reader = None;
        let read = self.used && !matches!(self.meaning, Meaning::Other(_));
        let Some(leaf) = self.leaf.filter(|_| read) else {
            return Ok(());
        };
        let chunk = group.metadata().column(leaf);
        if usize::try_from(chunk.num_values()) != Ok(rows) {
            return Err(ParquetError::General(format!(
                "column {} has {} values where {rows} are expected",
                self.name,
                chunk.num_values()
            )));
        }
        let pages = Pages::new(group.get_column_page_reader(leaf)?, self.defined > 0);
        let pages = Box::new(pages);
        self.reader = Some(get_column_reader(chunk.column_descr_ptr(), pages));
        Ok(())
    }

    /// The next `count` values.
    pub(super) fn read(&mut self, count: usize) -> Result<Vec<Value>> {
        let (meaning, defined, used) = (self.meaning, self.defined, self.used);
        let Some(reader) = self.reader.as_mut().filter(|_| used) else {
            let what = match meaning {
                Meaning::Other(what) => what,
                _ => "not used",
            };
            return Ok(vec![Value::Other(what); count]);
        };
        let number = |value: f64| match meaning {
            Meaning::Decimal(unit) => Value::Number(value / unit),
            _ => Value::Number(value),
        };
        match reader {
            ColumnReader::BoolColumnReader(reader) => some(reader, count, defined, Value::Flag),
            ColumnReader::Int32ColumnReader(reader) => {
                some(reader, count, defined, |value| match meaning {
                    Meaning::Unsigned(bits) => {
                        let unused = 32u32.saturating_sub(bits).min(31);
                        Value::Number(f64::from(value.cast_unsigned() << unused >> unused))
                    }
                    _ => number(f64::from(value)),
                })
            }
            ColumnReader::Int64ColumnReader(reader) => {
                some(reader, count, defined, |value| match meaning {
                    Meaning::Unsigned(_) => Value::Number(value.cast_unsigned() as f64),
                    _ => number(value as f64),
                })
            }
            ColumnReader::FloatColumnReader(reader) => {
                some(reader, count, defined, |value| Value::Number(value.into()))
            }
            ColumnReader::DoubleColumnReader(reader) => some(reader, count, defined, Value::Number),
            ColumnReader::ByteArrayColumnReader(reader) => {
                some(reader, count, defined, |value| match meaning {
                    Meaning::Utf8 => text(value),
                    _ => bytes(value.data(), meaning),
                })
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                some(reader, count, defined, |value| bytes(value.data(), meaning))
            }
            ColumnReader::Int96ColumnReader(_) => Ok(vec![Value::Other(A_TIME); count]),
        }
    }
}

const A_TIME: &str = "a date or time";

/// Columns that hold values, of a field.
pub(super) fn leaves(field: &Type) -> usize {
    match field.is_primitive() {
        true => 1,
        false => field.get_fields().iter().map(|field| leaves(field)).sum(),
    }
}

fn meaning(field: &Type) -> Meaning {
    let info = field.get_basic_info();
    let decimal = || Meaning::Decimal(10f64.powi(field.get_scale()));
    match (info.logical_type_ref(), info.converted_type()) {
        (Some(LogicalType::Decimal(_)), _) | (None, ConvertedType::DECIMAL) => decimal(),
        (Some(LogicalType::Integer(kind)), _) if !kind.is_signed => {
            Meaning::Unsigned(u32::from(kind.bit_width.unsigned_abs()))
        }
        (None, ConvertedType::UINT_8) => Meaning::Unsigned(8),
        (None, ConvertedType::UINT_16) => Meaning::Unsigned(16),
        (None, ConvertedType::UINT_32) => Meaning::Unsigned(32),
        (None, ConvertedType::UINT_64) => Meaning::Unsigned(64),
        (Some(LogicalType::Float16), _) => Meaning::Half,
        (Some(LogicalType::Date | LogicalType::Time(_) | LogicalType::Timestamp(_)), _)
        | (
            None,
            ConvertedType::DATE
            | ConvertedType::TIME_MILLIS
            | ConvertedType::TIME_MICROS
            | ConvertedType::TIMESTAMP_MILLIS
            | ConvertedType::TIMESTAMP_MICROS
            | ConvertedType::INTERVAL,
        ) => Meaning::Other(A_TIME),
        _ => match field.get_physical_type() {
            Physical::BYTE_ARRAY => Meaning::Utf8,
            Physical::FIXED_LEN_BYTE_ARRAY => Meaning::Other("bytes"),
            Physical::INT96 => Meaning::Other(A_TIME),
            _ => Meaning::Plain,
        },
    }
}

fn bytes(bytes: &[u8], meaning: Meaning) -> Value {
    match meaning {
        Meaning::Decimal(unit) => match whole(bytes) {
            Some(value) => Value::Number(value / unit),
            None => Value::Other("a number of too many digits"),
        },
        Meaning::Half => match bytes {
            &[low, high] => Value::Number(f16::from_le_bytes([low, high]).to_f64()),
            _ => Value::Other("bytes"),
        },
        _ => Value::Other("bytes"),
    }
}

fn text(bytes: ByteArray) -> Value {
    match std::str::from_utf8(bytes.data()) {
        Ok(_) => Value::Text(bytes),
        Err(_) => Value::Other("bytes"),
    }
}

fn trimmed(text: &ByteArray) -> &str {
    std::str::from_utf8(text.data()).unwrap_or_default().trim()
}

/// A whole number in two's complement, highest byte first.
fn whole(bytes: &[u8]) -> Option<f64> {
    let negative = bytes.first().is_some_and(|&first| first >= 0x80);
    let mut all = [if negative { 0xff } else { 0 }; 16];
    all[16usize.checked_sub(bytes.len())?..].copy_from_slice(bytes);
    Some(i128::from_be_bytes(all) as f64)
}

/// The next values of a column of one type, missing ones among them.
fn some<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    defined: i16,
    value: impl Fn(T::T) -> Value,
) -> Result<Vec<Value>> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (found, _, _) = reader.read_records(count, Some(&mut levels), None, &mut values)?;
    let mut values = values.into_iter().map(value);
    let all: Vec<Value> = match defined {
        0 => values.collect(),
        _ => {
            let next = levels.iter().map(|&level| match level == defined {
                true => values.next(),
                false => Some(Value::Missing),
            });
            next.flatten().collect()
        }
    };
    match found == count && all.len() == count {
        true => Ok(all),
        false => Err(ParquetError::EOF(format!(
            "a column has {} values where {count} are expected",
            all.len()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_have_a_sign() {
        assert_eq!(whole(&[0xff, 0x38]), Some(-200.0));
        assert_eq!(whole(&[0x01, 0x00]), Some(256.0));
        assert_eq!(whole(&[]), Some(0.0));
        assert_eq!(whole(&[1; 17]), None);
        assert_eq!(
            bytes(&[0xff, 0x38], Meaning::Decimal(100.0)),
            Value::Number(-2.0)
        );
    }
}

//! NumPy's array files.
//!
//! The elements and the header's dictionary are read by `npyz`. It believes a header's
//! sizes and parses it by recursion, so the header is looked over first.

use std::fs::File;
use std::io::{BufReader, Read};

use npyz::{DType, Deserialize, NpyFile, NpyHeader, Order, TypeChar};

use crate::array::{Array, Elements};
use crate::error::DataError;
use crate::stored::{Kind, Stored};

/// NumPy itself refuses longer headers unless told otherwise.
const LONGEST_HEADER: u64 = 10_000;
/// A dictionary that holds tuples needs two levels, structured types a few more.
const DEEPEST_HEADER: usize = 6;

/// Opens an `.npy` file.
pub(crate) fn open(path: &str) -> Result<Array, DataError> {
    let (file, size) = opened(path)?;
    read(BufReader::with_capacity(1 << 16, file), size, path)
}

/// The same, but its numbers stay in it where they can: in C order, single or double precision or
/// bytes, more than one number in a row.
pub(crate) fn open_stored(path: &str) -> Result<Array, DataError> {
    let (mut file, size) = opened(path)?;
    let head = header_bytes(&mut file, size, path)?;
    let header = NpyHeader::from_reader(&head[..]).ok();
    let found = header.as_ref().and_then(|header| {
        let DType::Plain(kind) = header.dtype() else {
            return None;
        };
        let little = kind.to_string().starts_with(['<', '|']);
        let kind = match (kind.type_char(), kind.num_bytes()) {
            (TypeChar::Float, Some(4)) => Kind::F32,
            (TypeChar::Float, Some(8)) => Kind::F64,
            (TypeChar::Uint, Some(1)) => Kind::U8,
            _ => return None,
        };
        let shape: Option<Vec<usize>> = (header.shape().iter())
            .map(|&length| usize::try_from(length).ok())
            .collect();
        let shape = shape.filter(|shape| shape.len() > 1)?;
        let declared = header.len().checked_mul(kind.size() as u64);
        let whole = declared == Some(size - head.len() as u64);
        (little && whole && header.order() == Order::C).then_some((kind, shape))
    });
    let Some((kind, shape)) = found else {
        return open(path);
    };
    let sizes = [shape[0], shape[1..].iter().product()];
    let values = Stored::new(file, path, head.len() as u64, kind, sizes);
    Ok(Array {
        shape,
        values: Elements::Stored(values),
    })
}

fn opened(path: &str) -> Result<(File, u64), DataError> {
    let failed = |e| DataError::io("read", path, e);
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    Ok((file, size))
}

/// Reads an array of `size` bytes, header included.
pub(crate) fn read(mut reader: impl Read, size: u64, file: &str) -> Result<Array, DataError> {
    let head = header_bytes(&mut reader, size, file)?;
    let damaged = || {
        DataError::content(
            file,
            "its npy header is damaged; write it again with numpy.save",
        )
    };
    let header = NpyHeader::from_reader(&head[..]).map_err(|_| damaged())?;
    let DType::Plain(kind) = header.dtype() else {
        return Err(structured(file));
    };
    let Some(width) = kind.num_bytes().filter(|&width| width > 0) else {
        return Err(unsupported(file, &kind.to_string()));
    };
    // The look at the header made sure that the product does not overflow.
    let declared = header.len().checked_mul(width as u64);
    let held = size.saturating_sub(head.len() as u64);
    if declared != Some(held) {
        return Err(DataError::content(
            file,
            format!(
                "its header declares the shape {:?} of {width}-byte values, but {held} bytes \
                 follow; write it again with numpy.save",
                header.shape()
            ),
        ));
    }
    let shape: Option<Vec<usize>> = header
        .shape()
        .iter()
        .map(|&length| usize::try_from(length).ok())
        .collect();
    let shape = shape.ok_or_else(damaged)?;
    let order = header.order();
    let source = NpyFile::with_header(header, reader);
    let values = match (kind.type_char(), width) {
        (TypeChar::Float, 8) => Elements::Numbers(collect(source, file, |v: f64| v)?),
        (TypeChar::Float, 4) => Elements::Numbers(collect(source, file, |v: f32| v.into())?),
        (TypeChar::Int, 8) => Elements::Numbers(collect(source, file, |v: i64| v as f64)?),
        (TypeChar::Int, 4) => Elements::Numbers(collect(source, file, |v: i32| v.into())?),
        (TypeChar::Int, 2) => Elements::Numbers(collect(source, file, |v: i16| v.into())?),
        (TypeChar::Int, 1) => Elements::Numbers(collect(source, file, |v: i8| v.into())?),
        (TypeChar::Uint, 8) => Elements::Numbers(collect(source, file, |v: u64| v as f64)?),
        (TypeChar::Uint, 4) => Elements::Numbers(collect(source, file, |v: u32| v.into())?),
        (TypeChar::Uint, 2) => Elements::Numbers(collect(source, file, |v: u16| v.into())?),
        (TypeChar::Uint, 1) => Elements::Bytes(collect(source, file, |v: u8| v)?),
        (TypeChar::Bool, 1) => {
            Elements::Numbers(collect(source, file, |v: bool| f64::from(u8::from(v)))?)
        }
        (TypeChar::UnicodeStr | TypeChar::ByteStr, _) => {
            Elements::Text(collect(source, file, |v: String| v)?)
        }
        _ => return Err(unsupported(file, &kind.to_string())),
    };
    let values = match (values, order) {
        (Elements::Numbers(values), Order::Fortran) => Elements::Numbers(reorder(&values, &shape)),
        (Elements::Bytes(values), Order::Fortran) => Elements::Bytes(reorder(&values, &shape)),
        (Elements::Text(values), Order::Fortran) => Elements::Text(reorder(&values, &shape)),
        (values, _) => values,
    };
    Ok(Array { shape, values })
}

fn collect<T: Deserialize, U>(
    source: NpyFile<impl Read>,
    file: &str,
    convert: impl Fn(T) -> U,
) -> Result<Vec<U>, DataError> {
    let elements = source
        .data::<T>()
        .map_err(|e| DataError::content(file, format!("its values cannot be read: {e}")))?;
    // Not `collect`, which would reserve what an archive declares before any of it was read.
    let mut values = Vec::new();
    for element in elements {
        values.push(convert(element.map_err(|e| DataError::reading(file, e))?));
    }
    Ok(values)
}

/// From Fortran's order, in which the first index runs fastest, to C's.
fn reorder<T: Clone>(values: &[T], shape: &[usize]) -> Vec<T> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for &length in shape {
        strides.push(stride);
        stride *= length;
    }
    let mut index = vec![0; shape.len()];
    let mut ordered = Vec::with_capacity(values.len());
    for _ in 0..values.len() {
        let place: usize = index.iter().zip(&strides).map(|(i, s)| i * s).sum();
        ordered.push(values[place].clone());
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    ordered
}

/// The header with the bytes that come before it, found to be harmless.
fn header_bytes(reader: &mut impl Read, size: u64, file: &str) -> Result<Vec<u8>, DataError> {
    let refuse = |what: &str| DataError::content(file, what);
    let not_npy = || refuse("it is not an npy file; write it with numpy.save");
    let mut head = take(reader, 10, file)?;
    if head.len() < 10 || !head.starts_with(b"\x93NUMPY") {
        return Err(not_npy());
    }
    let length = match head[6] {
        1 => u64::from(u16::from_le_bytes([head[8], head[9]])),
        2 | 3 => {
            head.extend(take(reader, 2, file)?);
            let &[.., a, b, c, d] = &head[..] else {
                return Err(not_npy());
            };
            u64::from(u32::from_le_bytes([a, b, c, d]))
        }
        version => return Err(refuse(&format!("its npy version {version} is not known"))),
    };
    if head.len() as u64 + length > size || length > LONGEST_HEADER {
        return Err(refuse(&format!(
            "its npy header declares {length} bytes, more than there can be; it is damaged"
        )));
    }
    let text = take(reader, length, file)?;
    look_over(&text, file)?;
    head.extend(text);
    Ok(head)
}

fn take(reader: &mut impl Read, count: u64, file: &str) -> Result<Vec<u8>, DataError> {
    let mut bytes = Vec::new();
    reader
        .take(count)
        .read_to_end(&mut bytes)
        .map_err(|e| DataError::reading(file, e))?;
    Ok(bytes)
}

/// Refuses headers that would overflow a product of sizes or the stack.
fn look_over(text: &[u8], file: &str) -> Result<(), DataError> {
    let damaged = || DataError::content(file, "its npy header is damaged; write it again");
    let text = std::str::from_utf8(text).map_err(|_| damaged())?;
    let mut depth = 0usize;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            // An escape could hide the word searched for below.
            b'\\' => return Err(damaged()),
            _ => {}
        }
        if depth > DEEPEST_HEADER {
            return Err(damaged());
        }
    }
    if text.contains('[') {
        return Err(structured(file));
    }
    let (_, rest) = text.split_once("shape").ok_or_else(damaged)?;
    let (before, rest) = rest.split_once('(').ok_or_else(damaged)?;
    let (shape, rest) = rest.split_once(')').ok_or_else(damaged)?;
    let plain = before
        .bytes()
        .all(|b| matches!(b, b'\'' | b'"' | b':' | b' '));
    if !plain || rest.contains("shape") {
        return Err(damaged());
    }
    let mut count = 1u64;
    for length in shape.split(',').map(str::trim).filter(|l| !l.is_empty()) {
        if !length.bytes().all(|b| b.is_ascii_digit()) {
            return Err(damaged());
        }
        let product = length.parse().ok().and_then(|l| count.checked_mul(l));
        count = match product {
            Some(0) => {
                return Err(DataError::content(
                    file,
                    format!("its shape ({shape}) has no elements; at least one row is needed"),
                ));
            }
            Some(product) => product,
            None => {
                return Err(DataError::content(
                    file,
                    format!("its header declares the shape ({shape}), more than there can be"),
                ));
            }
        };
    }
    Ok(())
}

fn structured(file: &str) -> DataError {
    DataError::content(
        file,
        "it holds structured values or dates; save a plain array of numbers instead",
    )
}

fn unsupported(file: &str, kind: &str) -> DataError {
    DataError::content(
        file,
        format!("its values are of type {kind}; convert them with .astype(\"float64\")"),
    )
}

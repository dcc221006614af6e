//! The values of the metadata.

use super::bytes::Bytes;
use std::io::Read;

/// Lists in lists in lists: nothing is known to need more than one.
const DEEPEST: usize = 4;

/// A value of the metadata.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A number without a sign, of 8 to 64 bits.
    Unsigned(u64),
    /// A number with a sign, of 8 to 64 bits.
    Signed(i64),
    /// A real number of 32 or 64 bits.
    Real(f64),
    /// True or false.
    Bool(bool),
    /// A text.
    Text(String),
    /// A list of numbers or truth values.
    Numbers(Numbers),
    /// A list of texts.
    Texts(Vec<String>),
    /// A list of lists.
    Lists(Vec<Value>),
}

/// A list of numbers as it is in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    kind: Kind,
    bytes: Vec<u8>,
}

impl Numbers {
    /// The numbers, one by one.
    pub fn iter(&self) -> impl Iterator<Item = Value> {
        let size = self.kind.size() as usize;
        self.bytes
            .chunks_exact(size)
            .map(|bytes| number(self.kind, bytes))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.kind.size() as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    U64,
    I64,
    F64,
}

const TEXT: u32 = 8;
const LIST: u32 = 9;

impl Kind {
    /// By its number in the file; texts (8) and lists (9) are no numbers.
    fn of(code: u32) -> Option<Self> {
        use Kind::*;
        let (before, behind) = ([U8, I8, U16, I16, U32, I32, F32, Bool], [U64, I64, F64]);
        let code = code as usize;
        let place = before.get(code);
        place.or(behind.get(code.wrapping_sub(10))).copied()
    }

    fn size(self) -> u64 {
        match self {
            Self::U8 | Self::I8 | Self::Bool => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }
}

/// The number in the little-endian `bytes`, as many as its kind has.
fn number(kind: Kind, bytes: &[u8]) -> Value {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    let word = u64::from_le_bytes(word);
    match kind {
        Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64 => Value::Unsigned(word),
        Kind::I8 => Value::Signed((word as i8).into()),
        Kind::I16 => Value::Signed((word as i16).into()),
        Kind::I32 => Value::Signed((word as i32).into()),
        Kind::I64 => Value::Signed(word as i64),
        Kind::F32 => Value::Real(f32::from_bits(word as u32).into()),
        Kind::F64 => Value::Real(f64::from_bits(word)),
        Kind::Bool => Value::Bool(word != 0),
    }
}

impl Value {
    /// The next value of the header, with the number of its kind in front.
    pub(super) fn read<R: Read>(from: &mut Bytes<R>) -> Result<Self, String> {
        match from.u32()? {
            TEXT => Ok(Self::Text(from.text()?)),
            LIST => Self::list(from, 1),
            code => {
                let kind = Kind::of(code).ok_or_else(|| unknown(code))?;
                Ok(number(kind, &from.take(kind.size())?))
            }
        }
    }

    fn list<R: Read>(from: &mut Bytes<R>, depth: usize) -> Result<Self, String> {
        if depth > DEEPEST {
            return Err(format!(
                "has more than {DEEPEST} lists inside each other; it is damaged"
            ));
        }
        let code = from.u32()?;
        let count = from.u64()?;
        match code {
            TEXT => {
                from.expect(count, 8, "texts")?;
                let texts = (0..count).map(|_| from.text());
                Ok(Self::Texts(texts.collect::<Result<_, _>>()?))
            }
            LIST => {
                from.expect(count, 12, "lists")?;
                let lists = (0..count).map(|_| Self::list(from, depth + 1));
                Ok(Self::Lists(lists.collect::<Result<_, _>>()?))
            }
            _ => {
                let kind = Kind::of(code).ok_or_else(|| unknown(code))?;
                from.expect(count, kind.size(), "numbers")?;
                let bytes = from.take(count * kind.size())?;
                Ok(Self::Numbers(Numbers { kind, bytes }))
            }
        }
    }

    /// A number that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::Unsigned(number) => Some(number),
            Self::Signed(number) => number.try_into().ok(),
            _ => None,
        }
    }

    /// A whole number.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Unsigned(number) => number.try_into().ok(),
            Self::Signed(number) => Some(number),
            _ => None,
        }
    }

    /// A real number.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Self::Real(number) => Some(number),
            _ => None,
        }
    }

    /// True or false.
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Self::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// A text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A list of texts.
    pub fn as_strings(&self) -> Option<&[String]> {
        match self {
            Self::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    /// A list of numbers.
    pub fn as_numbers(&self) -> Option<&Numbers> {
        match self {
            Self::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// For messages: a number itself, of anything longer what it is.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Unsigned(number) => number.to_string(),
            Self::Signed(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Bool(truth) => truth.to_string(),
            Self::Text(text) => format!("a text of {} bytes", text.len()),
            Self::Numbers(numbers) => format!("a list of {} numbers", numbers.len()),
            Self::Texts(texts) => format!("a list of {} texts", texts.len()),
            Self::Lists(lists) => format!("a list of {} lists", lists.len()),
        }
    }
}

fn unknown(code: u32) -> String {
    format!("has a value of kind {code}, where kinds end at 12; it is damaged or of a new version")
}

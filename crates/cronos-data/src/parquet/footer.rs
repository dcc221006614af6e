//! The footer of a file, walked through before it is believed: no list is longer than the bytes behind
//! it, and nothing is nested deeply.
//!
//! It is a structure in Thrift's compact encoding: fields with a number and a type, lists with a length
//! and one type. The tree of columns is a list of elements, each followed by its children.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// The length of the footer and four letters, at the end of a file.
const TAIL: u64 = 8;
const LETTERS: &[u8] = b"PAR1";
/// How deep structures and columns may be nested.
const DEEPEST: usize = 64;

/// The field of the footer that is the tree of columns, and that of an element which counts its
/// children.
const SCHEMA: i16 = 2;
const CHILDREN: i16 = 5;

type Refused = &'static str;

/// Refuses a footer that would take memory or depth out of proportion; one that cannot be found is
/// left to others to refuse.
pub(super) fn check(file: &mut File) -> io::Result<Result<(), Refused>> {
    let length = file.seek(SeekFrom::End(0))?;
    let Some(start) = length.checked_sub(TAIL) else {
        return Ok(Ok(()));
    };
    let mut tail = [0; TAIL as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, letters @ ..] = tail;
    let size = u64::from(u32::from_le_bytes([a, b, c, d]));
    if letters != LETTERS || size > start {
        return Ok(Ok(()));
    }
    file.seek(SeekFrom::Start(start - size))?;
    let mut bytes = Vec::new();
    file.take(size).read_to_end(&mut bytes)?;
    Ok(check_bytes(&bytes))
}

fn check_bytes(bytes: &[u8]) -> Result<(), Refused> {
    let mut walk = Walk {
        left: bytes,
        depth: 0,
        children: Vec::new(),
    };
    walk.structure(Place::Footer)?;
    check_tree(&walk.children)
}

/// children: of each element, in order
fn check_tree(children: &[usize]) -> Result<(), Refused> {
    // elements that are still to come, on each level
    let mut open: Vec<usize> = Vec::new();
    for (at, &count) in children.iter().enumerate() {
        if count > children.len() - at - 1 {
            return Err("a column says that it has more columns than there are");
        }
        if let Some(last) = open.last_mut() {
            *last -= 1;
        }
        match count {
            0 => {}
            _ => open.push(count),
        }
        while open.last() == Some(&0) {
            open.pop();
        }
        if open.len() > DEEPEST {
            return Err("its columns are nested too deeply");
        }
    }
    Ok(())
}

/// Where a structure is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Footer,
    /// An element of the tree of columns.
    Element,
    Elsewhere,
}

struct Walk<'b> {
    left: &'b [u8],
    depth: usize,
    /// Of each element of the tree of columns.
    children: Vec<usize>,
}

impl Walk<'_> {
    fn byte(&mut self) -> Result<u8, Refused> {
        let (&first, left) = self.left.split_first().ok_or("its footer is cut off")?;
        self.left = left;
        Ok(first)
    }

    fn skip(&mut self, count: u64) -> Result<(), Refused> {
        let count = usize::try_from(count).ok();
        self.left = count
            .and_then(|count| self.left.get(count..))
            .ok_or("its footer is cut off")?;
        Ok(())
    }

    /// A number in groups of seven bits, lowest first.
    fn number(&mut self) -> Result<u64, Refused> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err("a number of its footer is too long")
    }

    /// The same for numbers with a sign, which is the lowest bit.
    fn signed(&mut self) -> Result<i64, Refused> {
        let number = self.number()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    fn structure(&mut self, place: Place) -> Result<(), Refused> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("its footer is nested too deeply");
        }
        if place == Place::Element {
            self.children.push(0);
        }
        let mut field = 0i16;
        loop {
            let head = self.byte()?;
            if head == 0 {
                break;
            }
            field = match head >> 4 {
                0 => self.signed()? as i16,
                step => field.wrapping_add(i16::from(step)),
            };
            match (place, field, head & 0x0f) {
                (Place::Element, CHILDREN, 5) => {
                    let count = usize::try_from(self.signed()?);
                    let count = count.map_err(|_| "a column has less than no columns")?;
                    if let Some(children) = self.children.last_mut() {
                        *children = count;
                    }
                }
                (Place::Footer, SCHEMA, 9) => self.list(Place::Element)?,
                // truth values are in the type
                (_, _, 1 | 2) => {}
                (_, _, kind) => self.value(kind, Place::Elsewhere)?,
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn list(&mut self, of: Place) -> Result<(), Refused> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.number()?,
            count => u64::from(count),
        };
        // nothing takes less than a byte
        if count > self.left.len() as u64 {
            return Err("a list of its footer says that it is longer than the footer");
        }
        for _ in 0..count {
            self.value(head & 0x0f, of)?;
        }
        Ok(())
    }

    /// place: what a structure would be
    fn value(&mut self, kind: u8, place: Place) -> Result<(), Refused> {
        match kind {
            1..=3 => self.skip(1),
            4..=6 => self.number().map(|_| ()),
            7 => self.skip(8),
            8 => {
                let count = self.number()?;
                self.skip(count)
            }
            9 | 10 => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err("its footer is nested too deeply");
                }
                self.list(Place::Elsewhere)?;
                self.depth -= 1;
                Ok(())
            }
            12 => self.structure(place),
            13 => self.skip(16),
            _ => Err("its footer has a value of no known type"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer whose tree has elements with so many children each.
    fn footer(children: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x15, 2, 0x19, (children.len() as u8) << 4 | 12];
        for &count in children {
            // field 4, a name; field 5
            bytes.extend([0x48, 1, b'a', 0x15, 2 * count, 0]);
        }
        bytes.push(0);
        bytes
    }

    #[test]
    fn trees_that_can_be_are_let_through() {
        for tree in [&[2, 0, 0][..], &[1, 1, 1, 0], &[3, 0, 2, 0, 0, 0]] {
            assert_eq!(check_bytes(&footer(tree)), Ok(()));
        }
    }

    #[test]
    fn what_lies_is_refused() {
        let why = |bytes: &[u8]| check_bytes(bytes).unwrap_err();
        assert!(why(&footer(&[50, 0, 0])).contains("more columns than there are"));
        let whole = footer(&[2, 0, 0]);
        for length in 0..whole.len() {
            assert!(why(&whole[..length]).contains("footer"));
        }
        // a list of 2^40 structures; of -1 columns
        let long = [0x29, 0xfc, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0];
        assert!(why(&long).contains("longer than the footer"));
        assert!(why(&[0x29, 0x1c, 0x55, 1, 0, 0]).contains("less than no columns"));
        // structures in structures, and lists in lists
        assert!(why(&[0x1c; 1000]).contains("nested too deeply"));
        assert!(why(&[&[0x19][..], &[0x19; 1000]].concat()).contains("nested too deeply"));
        let deep: Vec<usize> = (0..100).map(|at| usize::from(at < 99)).collect();
        assert!(check_tree(&deep).unwrap_err().contains("too deeply"));
    }
}

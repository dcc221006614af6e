//! A reader that gives every line one line feed as its end, the last one included, and that
//! watches over the quotes.
//!
//! The csv reader skips blank lines and counts line feeds only; with a uniform end the
//! physical line of a record can be told from the count behind it. It also takes a quote
//! that is never closed for a field that goes on to the end of the file.

use std::fmt;
use std::io::{self, BufRead, ErrorKind, Read};

/// A longer line is taken for a mistake, or for an attempt to fill the memory.
const LONGEST_LINE: usize = 256 << 20;

/// The normalised text.
pub(crate) struct Lines<R> {
    inner: R,
    /// A space here makes runs of spaces count as one, those at a line's ends as none.
    delimiter: u8,
    before: u8,
    ready: Vec<u8>,
    given: usize,
    space_waits: bool,
    /// Bytes of the line so far, or of all lines inside a pair of quotes.
    line_length: usize,
    /// The line of the next byte, counted from 1.
    line: u64,
    place: Place,
    /// The line of the latest opening quote.
    opened: u64,
    /// What is wrong behind the bytes that are ready.
    wrong: Option<WrongQuote>,
    ended: bool,
}

/// Where in a field the next byte stands, as the csv reader sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Plain,
    Quoted,
    /// Behind a quote that ends the field, unless another quote follows.
    Closing,
    /// Behind the quotes; nothing but white space should follow.
    Behind,
}

/// A quote that is not closed where it should be.
#[derive(Debug)]
pub(crate) enum WrongQuote {
    /// The file ends, or goes on for too long, inside the quotes.
    Open {
        /// The line of the opening quote.
        opened: u64,
    },
    /// Text follows the quotes, which span several lines.
    Text {
        /// The line of the opening quote.
        opened: u64,
        /// The line of the text.
        line: u64,
    },
}

impl fmt::Display for WrongQuote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WrongQuote::Open { opened } => write!(
                f,
                "line {opened}: a quote opens here and is never closed; close it, or remove it"
            ),
            WrongQuote::Text { opened, line } => write!(
                f,
                "line {opened}: a quote opens here and the next one, on line {line}, does not end \
                 the field; close it on its line, or double the quotes inside a text"
            ),
        }
    }
}

impl std::error::Error for WrongQuote {}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(inner: R, delimiter: u8) -> Self {
        Lines {
            inner,
            delimiter,
            before: b'\n',
            ready: Vec::new(),
            given: 0,
            space_waits: false,
            line_length: 0,
            line: 1,
            place: Place::Start,
            opened: 0,
            wrong: None,
            ended: false,
        }
    }

    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.given = 0;
        while self.ready.is_empty() && !self.ended {
            let chunk = self.inner.fill_buf()?;
            let length = chunk.len();
            if length == 0 {
                self.ended = true;
                if self.place == Place::Quoted {
                    return Err(self.open_quote());
                }
                if self.line_length > 0 {
                    self.ready.push(b'\n');
                }
                return Ok(());
            }
            // Taken out so that `take` may borrow the whole reader.
            let bytes = chunk.to_vec();
            self.inner.consume(length);
            for byte in bytes {
                self.take(byte);
                if self.wrong.is_some() {
                    self.ended = true;
                    break;
                }
            }
            if self.line_length > LONGEST_LINE {
                if self.place == Place::Quoted {
                    return Err(self.open_quote());
                }
                return Err(io::Error::new(
                    ErrorKind::FileTooLarge,
                    format!("line {} is longer than 256 MiB", self.line),
                ));
            }
        }
        // The rows before it are judged first.
        match self.wrong.take_if(|_| self.ready.is_empty()) {
            Some(wrong) => Err(io::Error::new(ErrorKind::InvalidData, wrong)),
            None => Ok(()),
        }
    }

    fn open_quote(&self) -> io::Error {
        let opened = self.opened;
        io::Error::new(ErrorKind::InvalidData, WrongQuote::Open { opened })
    }

    /// Takes a byte of the source.
    fn take(&mut self, byte: u8) {
        let before = std::mem::replace(&mut self.before, byte);
        match byte {
            b'\n' if before == b'\r' => {}
            b'\n' | b'\r' => {
                self.give(b'\n');
                self.space_waits = false;
                self.line += 1;
                // An unclosed quote must not get around the limit.
                let quoted = self.place == Place::Quoted;
                self.line_length = if quoted { self.line_length + 1 } else { 0 };
            }
            b' ' if self.delimiter == b' ' && self.place != Place::Quoted => {
                self.space_waits = self.line_length > 0;
            }
            _ => {
                if std::mem::take(&mut self.space_waits) {
                    self.give(b' ');
                }
                self.give(byte);
                self.line_length += 1;
            }
        }
    }

    /// Passes a byte on and follows the quotes.
    fn give(&mut self, byte: u8) {
        let ends = byte == self.delimiter || byte == b'\n';
        self.place = match (self.place, byte) {
            (Place::Quoted, b'"') => Place::Closing,
            (Place::Quoted, _) => Place::Quoted,
            (_, _) if ends => Place::Start,
            (Place::Start, b'"') => {
                self.opened = self.line;
                Place::Quoted
            }
            (Place::Closing, b'"') => Place::Quoted,
            (Place::Closing | Place::Behind, b' ' | b'\t') => Place::Behind,
            (Place::Closing | Place::Behind, _) if self.opened < self.line => {
                self.wrong = Some(WrongQuote::Text {
                    opened: self.opened,
                    line: self.line,
                });
                return;
            }
            _ => Place::Plain,
        };
        self.ready.push(byte);
    }
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.refill()?;
        }
        let rest = &self.ready[self.given..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}

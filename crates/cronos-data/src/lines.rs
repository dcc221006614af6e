//! A reader that gives every line one line feed as its end, the last one included.
//!
//! The csv reader skips blank lines and counts line feeds only; with a uniform end the
//! physical line of a record can be told from the count behind it.

use std::io::{self, BufRead, Read};

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
    quoted: bool,
    space_waits: bool,
    /// Bytes of the line so far, or of all lines inside a pair of quotes.
    line_length: usize,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(inner: R, delimiter: u8) -> Self {
        Lines {
            inner,
            delimiter,
            before: b'\n',
            ready: Vec::new(),
            given: 0,
            quoted: false,
            space_waits: false,
            line_length: 0,
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
            }
            if self.line_length > LONGEST_LINE {
                return Err(io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    "a line is longer than 256 MiB",
                ));
            }
        }
        Ok(())
    }

    fn take(&mut self, byte: u8) {
        let before = std::mem::replace(&mut self.before, byte);
        match byte {
            b'\n' if before == b'\r' => {}
            b'\n' | b'\r' => {
                self.ready.push(b'\n');
                self.space_waits = false;
                // An unclosed quote must not get around the limit.
                self.line_length = if self.quoted { self.line_length + 1 } else { 0 };
            }
            b' ' if self.delimiter == b' ' && !self.quoted => {
                self.space_waits = self.line_length > 0;
            }
            _ => {
                if std::mem::take(&mut self.space_waits) {
                    self.ready.push(b' ');
                }
                if byte == b'"' {
                    let opens = before == self.delimiter || matches!(before, b'\n' | b'\r' | b'"');
                    self.quoted = !self.quoted && opens;
                }
                self.ready.push(byte);
                self.line_length += 1;
            }
        }
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

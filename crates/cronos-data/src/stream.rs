//! Opening a file, unpacking gzip on the way.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::DataError;

const BUFFER: usize = 1 << 16;

/// Bytes of a source, already unpacked.
pub(crate) type Stream<'a> = Box<dyn BufRead + 'a>;

/// Opens a file; whether it is gzip is told by its first bytes, not by its name.
pub(crate) fn open(path: &str) -> Result<Stream<'static>, DataError> {
    let file = File::open(Path::new(path)).map_err(|e| DataError::io("read", path, e))?;
    unpack(path, BufReader::with_capacity(BUFFER, file))
}

/// Unpacks what starts like gzip and passes on anything else.
pub(crate) fn unpack<'a>(
    file: &str,
    mut reader: impl BufRead + 'a,
) -> Result<Stream<'a>, DataError> {
    let head = reader
        .fill_buf()
        .map_err(|e| DataError::io("read", file, e))?;
    if head.starts_with(&[0x1f, 0x8b]) {
        let unpacked = MultiGzDecoder::new(reader);
        Ok(Box::new(BufReader::with_capacity(BUFFER, unpacked)))
    } else {
        Ok(Box::new(reader))
    }
}

/// Reads up to 64 KiB ahead, for guessing the delimiter; the stream still gives all bytes,
/// but for a UTF-8 byte order mark.
pub(crate) fn peek<'a>(
    file: &str,
    mut stream: Stream<'a>,
) -> Result<(Vec<u8>, Stream<'a>), DataError> {
    let mut head = Vec::new();
    stream
        .by_ref()
        .take(BUFFER as u64)
        .read_to_end(&mut head)
        .map_err(|e| DataError::reading(file, e))?;
    if head.starts_with(b"\xef\xbb\xbf") {
        head.drain(..3);
    }
    let whole: Stream<'a> = Box::new(Cursor::new(head.clone()).chain(stream));
    Ok((head, whole))
}

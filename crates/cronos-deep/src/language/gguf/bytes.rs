//! Reads numbers and texts in the order of a GGUF header. No length is believed before it
//! has been compared with what the file still holds.

use std::io::Read;

/// A header is read up to here; the largest vocabularies need a tenth of it.
const LIMIT: u64 = 128 << 20;

/// Bytes of a file in order, and how many have been taken.
pub(super) struct Bytes<R> {
    source: R,
    taken: u64,
    length: u64,
}

impl<R: Read> Bytes<R> {
    /// The first bytes of a file of this `length`.
    pub(super) fn new(source: R, length: u64) -> Self {
        Self {
            source,
            taken: 0,
            length,
        }
    }

    /// How many bytes have been taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Refuses `count` things of at least `size` bytes if the file cannot hold them.
    pub(super) fn expect(&self, count: u64, size: u64, what: &str) -> Result<(), String> {
        let left = self.length.min(LIMIT).saturating_sub(self.taken);
        if count.checked_mul(size).is_some_and(|bytes| bytes <= left) {
            return Ok(());
        }
        Err(if self.length > LIMIT {
            format!("declares {count} {what}, more than a header of 128 MiB has; it is damaged")
        } else {
            format!(
                "declares {count} {what} at byte {} of {}; it is cut short or damaged; get it again",
                self.taken, self.length
            )
        })
    }

    /// The next bytes.
    pub(super) fn take(&mut self, count: u64) -> Result<Vec<u8>, String> {
        self.expect(count, 1, "bytes")?;
        let mut bytes = vec![0; count as usize];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.expect(N as u64, 1, "bytes")?;
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), String> {
        let unreadable = |error| format!("cannot be read ({error})");
        self.source.read_exact(bytes).map_err(unreadable)?;
        self.taken += bytes.len() as u64;
        Ok(())
    }

    /// The next 4 bytes as a number.
    pub(super) fn u32(&mut self) -> Result<u32, String> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// The next 8 bytes as a number.
    pub(super) fn u64(&mut self) -> Result<u64, String> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// The next text: its length, then its bytes.
    pub(super) fn text(&mut self) -> Result<String, String> {
        let length = self.u64()?;
        let start = self.taken;
        String::from_utf8(self.take(length)?)
            .map_err(|_| format!("has a text at byte {start} that is not UTF-8; it is damaged"))
    }

    /// The next text, as the name of something.
    pub(super) fn name(&mut self) -> Result<String, String> {
        const LONGEST: usize = 1024;
        let name = self.text()?;
        if name.len() > LONGEST {
            return Err(format!(
                "has a name of {} bytes, where {LONGEST} are allowed; it is damaged",
                name.len()
            ));
        }
        Ok(name)
    }
}

//! FNV-1a, 64 bits: short, stable and the same everywhere. Not meant to resist attack.

const PRIME: u64 = 0x0000_0100_0000_01b3;

/// A running hash, which tells one content from another.
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprint {
    /// Of nothing yet.
    pub fn new() -> Self {
        Fingerprint(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    pub(crate) fn count(&mut self, count: usize) {
        self.bytes(&(count as u64).to_le_bytes());
    }

    /// Adds a text. The length goes first, so that `ab`, `c` and `a`, `bc` differ.
    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes(text.as_bytes());
    }

    pub(crate) fn numbers(&mut self, values: &[f64]) {
        for &value in values {
            // One pattern for every NaN: which one arises depends on the machine.
            let value = if value.is_nan() { f64::NAN } else { value };
            self.bytes(&value.to_bits().to_le_bytes());
        }
    }

    /// Adds bytes, by eights, so that gigabytes take a second.
    pub fn words(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for word in words {
            let mixed = (self.0 ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME);
            // A product carries only upwards; this brings the high bits down.
            self.0 = mixed ^ (mixed >> 32);
        }
        self.bytes(rest);
    }

    /// Sixteen hex digits.
    pub fn digits(&self) -> String {
        format!("{:016x}", self.0)
    }
}

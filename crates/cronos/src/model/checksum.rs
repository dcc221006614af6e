//! The checksum of model files and checkpoints: FNV-1a, 64 bits.

/// A checksum that grows piece by piece.
pub(crate) struct Checksum(u64);

impl Checksum {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a piece and its length, so that no two lists of pieces run together.
    pub(crate) fn add(&mut self, piece: &[u8]) {
        for byte in (piece.len() as u64).to_le_bytes().iter().chain(piece) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The checksum as 16 hexadecimal digits.
    pub(crate) fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_keep_pieces_apart() {
        let of = |pieces: &[&str]| {
            let mut sum = Checksum::new();
            pieces.iter().for_each(|piece| sum.add(piece.as_bytes()));
            sum.hex()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_eq!(of(&[]), "cbf29ce484222325");
    }
}

//! Single numbers, and blocks of 32 with one scale.

use half::{bf16, f16};

/// Applies `one` to every block.
pub(super) fn each<const BYTES: usize, const BLOCK: usize>(
    bytes: &[u8],
    values: &mut [f32],
    one: impl Fn(&[u8; BYTES], &mut [f32; BLOCK]),
) {
    let blocks = bytes.as_chunks().0.iter();
    for (block, values) in blocks.zip(values.as_chunks_mut().0) {
        one(block, values);
    }
}

/// The number in half precision at a place of a block.
pub(super) fn half_at(block: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([block[at], block[at + 1]]).to_f32()
}

pub(super) fn f32(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b, [x]| *x = f32::from_le_bytes(*b));
}

pub(super) fn f16(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b, [x]| *x = f16::from_le_bytes(*b).to_f32());
}

pub(super) fn bf16(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b, [x]| {
        *x = bf16::from_le_bytes(*b).to_f32();
    });
}

/// d, then 16 bytes: entry j in the low half of byte j, entry j + 16 in the high half.
pub(super) fn q4_0(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b: &[u8; 18], x: &mut [f32; 32]| {
        let d = half_at(b, 0);
        for (j, q) in nibbles(&b[2..]) {
            // x = d (q − 8)
            x[j] = d * (f32::from(q) - 8.0);
        }
    });
}

/// d, m, then as above.
pub(super) fn q4_1(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b: &[u8; 20], x: &mut [f32; 32]| {
        let (d, m) = (half_at(b, 0), half_at(b, 2));
        for (j, q) in nibbles(&b[4..]) {
            // x = d q + m
            x[j] = d * f32::from(q) + m;
        }
    });
}

/// d, 32 fifth bits, then as above.
pub(super) fn q5_0(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b: &[u8; 22], x: &mut [f32; 32]| {
        let d = half_at(b, 0);
        for (j, q) in nibbles(&b[6..]) {
            // x = d (q − 16)
            x[j] = d * (f32::from(q | fifth(&b[2..6], j)) - 16.0);
        }
    });
}

/// d, m, 32 fifth bits, then as above.
pub(super) fn q5_1(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b: &[u8; 24], x: &mut [f32; 32]| {
        let (d, m) = (half_at(b, 0), half_at(b, 2));
        for (j, q) in nibbles(&b[8..]) {
            // x = d q + m
            x[j] = d * f32::from(q | fifth(&b[4..8], j)) + m;
        }
    });
}

/// d, then 32 bytes with a sign.
pub(super) fn q8_0(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b: &[u8; 34], x: &mut [f32; 32]| {
        let d = half_at(b, 0);
        for (x, &q) in x.iter_mut().zip(&b[2..]) {
            *x = d * f32::from(q as i8);
        }
    });
}

/// The halves of 16 bytes with their places: the low ones are the first 16 entries.
fn nibbles(bytes: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    let low = bytes.iter().map(|byte| byte & 15);
    let high = bytes.iter().map(|byte| byte >> 4);
    low.chain(high).enumerate()
}

/// Bit j of the fifth bits, at its place in the entry.
fn fifth(bits: &[u8], j: usize) -> u8 {
    (bits[j / 8] >> (j % 8) & 1) << 4
}

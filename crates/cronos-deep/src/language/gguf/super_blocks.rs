//! Blocks of 256 in groups of 16 or 32, each with a scale that is itself a small number.

use super::quants::{each, half_at};

/// 16 scales (low half) and minima (high half), 64 bytes of 4 entries, d, d of the minima.
pub(super) fn q2_k(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b: &[u8; 84], x: &mut [f32; 256]| {
        let (scales, q) = (&b[..16], &b[16..80]);
        let (d, d_min) = (half_at(b, 80), half_at(b, 82));
        for (j, x) in x.iter_mut().enumerate() {
            let (half, pair, l) = (j / 128, j / 32 % 4, j % 32);
            let scale = scales[j / 16];
            let q = q[32 * half + l] >> (2 * pair) & 3;
            // x = d s q − d_min m
            *x = d * f32::from(scale & 15) * f32::from(q) - d_min * f32::from(scale >> 4);
        }
    });
}

/// 32 bytes of third bits, 64 bytes of 4 entries, 16 scales of 6 bits, d.
pub(super) fn q3_k(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b: &[u8; 110], x: &mut [f32; 256]| {
        let (high, q, scales) = (&b[..32], &b[32..96], &b[96..108]);
        let d = half_at(b, 108);
        for (j, x) in x.iter_mut().enumerate() {
            let (half, pair, l) = (j / 128, j / 32 % 4, j % 32);
            let group = j / 16;
            // scales: four low bits as in nibbles of 8 bytes, two high bits from the last 4
            let low = scales[group % 8] >> (4 * (group / 8)) & 15;
            let top = scales[8 + group % 4] >> (2 * (group / 4)) & 3;
            let scale = i16::from(low | top << 4) - 32;
            let q = i16::from(q[32 * half + l] >> (2 * pair) & 3);
            let third = i16::from(high[l] >> (4 * half + pair) & 1);
            // x = d s (q − 4 + 4 h)
            *x = d * f32::from(scale) * f32::from(q - 4 + 4 * third);
        }
    });
}

/// d, d of the minima, 8 scales and minima of 6 bits, 128 bytes of 2 entries.
pub(super) fn q4_k(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b: &[u8; 144], x: &mut [f32; 256]| {
        let q = &b[16..];
        groups(b, x, |group, l| {
            q[32 * (group / 2) + l] >> (4 * (group % 2)) & 15
        });
    });
}

/// The same with 32 bytes of fifth bits in front of the 128.
pub(super) fn q5_k(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b: &[u8; 176], x: &mut [f32; 256]| {
        let (high, q) = (&b[16..48], &b[48..]);
        groups(b, x, |group, l| {
            let low = q[32 * (group / 2) + l] >> (4 * (group % 2)) & 15;
            low | (high[l] >> group & 1) << 4
        });
    });
}

/// Eight groups of 32 with a scale and a minimum each; `entry` is entry l of a group.
fn groups(block: &[u8], values: &mut [f32; 256], entry: impl Fn(usize, usize) -> u8) {
    let (d, d_min) = (half_at(block, 0), half_at(block, 2));
    for (group, values) in values.chunks_exact_mut(32).enumerate() {
        let (scale, minimum) = scale_and_minimum(&block[4..16], group);
        let (scale, minimum) = (d * f32::from(scale), d_min * f32::from(minimum));
        for (l, x) in values.iter_mut().enumerate() {
            // x = d s q − d_min m
            *x = scale * f32::from(entry(group, l)) - minimum;
        }
    }
}

/// Of 12 bytes: the first four groups have theirs in the low 6 bits of bytes 0 to 3 and 4 to
/// 7; the others have four bits in bytes 8 to 11 and two on top of the first eight.
fn scale_and_minimum(bytes: &[u8], group: usize) -> (u8, u8) {
    if group < 4 {
        return (bytes[group] & 63, bytes[group + 4] & 63);
    }
    let both = bytes[group + 4];
    (
        both & 15 | bytes[group - 4] >> 6 << 4,
        both >> 4 | bytes[group] >> 6 << 4,
    )
}

/// 128 bytes of two low halves, 64 bytes of 4 times two high bits, 16 scales with a sign, d.
pub(super) fn q6_k(bytes: &[u8], values: &mut [f32]) {
    each(bytes, values, |b: &[u8; 210], x: &mut [f32; 256]| {
        let (low, high, scales) = (&b[..128], &b[128..192], &b[192..208]);
        let d = half_at(b, 208);
        for (j, x) in x.iter_mut().enumerate() {
            let (half, quarter, l) = (j / 128, j / 32 % 4, j % 32);
            let nibble = low[64 * half + 32 * (quarter % 2) + l] >> (4 * (quarter / 2)) & 15;
            let top = high[32 * half + l] >> (2 * quarter) & 3;
            let scale = scales[j / 16] as i8;
            // x = d s (q − 32)
            *x = d * f32::from(scale) * (f32::from(nibble | top << 4) - 32.0);
        }
    });
}

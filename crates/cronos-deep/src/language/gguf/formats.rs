//! The formats of the entries of a tensor: how many make a block, its bytes, and how it is
//! read.

use super::{quants, super_blocks};

/// A format that can be read.
pub(super) struct Format {
    pub(super) code: u32,
    pub(super) name: &'static str,
    /// Entries of a block.
    pub(super) block: usize,
    /// Bytes of a block.
    pub(super) bytes: usize,
    /// Fills whole blocks of entries from as many blocks of bytes.
    pub(super) decode: fn(&[u8], &mut [f32]),
}

/// The same list for a reader.
pub(super) const READABLE: &str =
    "F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K or Q6_K";

const fn format(
    code: u32,
    name: &'static str,
    [block, bytes]: [usize; 2],
    decode: fn(&[u8], &mut [f32]),
) -> Format {
    Format {
        code,
        name,
        block,
        bytes,
        decode,
    }
}

/// By the numbers of ggml.
static FORMATS: [Format; 13] = [
    format(0, "F32", [1, 4], quants::f32),
    format(1, "F16", [1, 2], quants::f16),
    format(30, "BF16", [1, 2], quants::bf16),
    format(2, "Q4_0", [32, 18], quants::q4_0),
    format(3, "Q4_1", [32, 20], quants::q4_1),
    format(6, "Q5_0", [32, 22], quants::q5_0),
    format(7, "Q5_1", [32, 24], quants::q5_1),
    format(8, "Q8_0", [32, 34], quants::q8_0),
    format(10, "Q2_K", [256, 84], super_blocks::q2_k),
    format(11, "Q3_K", [256, 110], super_blocks::q3_k),
    format(12, "Q4_K", [256, 144], super_blocks::q4_k),
    format(13, "Q5_K", [256, 176], super_blocks::q5_k),
    format(14, "Q6_K", [256, 210], super_blocks::q6_k),
];

/// Formats that exist and cannot be read.
const OTHERS: [(u32, &str); 20] = [
    (9, "Q8_1"),
    (15, "Q8_K"),
    (16, "IQ2_XXS"),
    (17, "IQ2_XS"),
    (18, "IQ3_XXS"),
    (19, "IQ1_S"),
    (20, "IQ4_NL"),
    (21, "IQ3_S"),
    (22, "IQ2_S"),
    (23, "IQ4_XS"),
    (24, "I8"),
    (25, "I16"),
    (26, "I32"),
    (27, "I64"),
    (28, "F64"),
    (29, "IQ1_M"),
    (34, "TQ1_0"),
    (35, "TQ2_0"),
    (39, "MXFP4"),
    (40, "NVFP4"),
];

/// The format of this number.
pub(super) fn format_of(code: u32) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.code == code)
}

/// The name of the format of this number.
pub(super) fn name(code: u32) -> String {
    let known = format_of(code).map(|format| format.name);
    let other = || OTHERS.iter().find(|other| other.0 == code);
    match known.or_else(|| other().map(|other| other.1)) {
        Some(name) => name.to_string(),
        None => format!("format {code}"),
    }
}

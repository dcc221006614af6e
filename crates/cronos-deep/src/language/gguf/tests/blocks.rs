//! Blocks of every format against figures of the Python package `gguf`.

use super::super::formats::format_of;

/// A format, the sum of (j + 1) x_j over the entries of a block, and some of the entries.
type Golden = (&'static str, f64, &'static [(usize, f32)]);

/// What gguf.quants.dequantize of the Python package `gguf` 0.19 makes of these blocks.
#[rustfmt::skip]
const GOLDEN: [Golden; 10] = [
    ("Q4_0", -22.125, &[(0, 0.375), (1, 0.375), (17, -0.25), (31, 0.875)]),
    ("Q4_1", 314.0, &[(0, 0.75), (1, 0.25), (17, 1.5), (31, -0.25)]),
    ("Q5_0", 77.875, &[(0, 0.5), (1, 1.5), (17, -0.625), (31, 0.75)]),
    ("Q5_1", 906.375, &[(0, 2.5), (1, 1.0), (17, 1.0), (31, 3.5)]),
    ("Q8_0", 918.0, &[(0, 7.375), (1, 13.375), (17, 2.25), (31, 3.125)]),
    ("Q2_K", 121987.375, &[(0, 0.0), (1, 0.625), (33, 1.125), (79, 6.0), (100, 1.875), (162, 1.875), (211, 3.75), (255, 0.375)]),
    ("Q3_K", -15015.5, &[(0, -10.875), (1, -3.625), (33, 1.25), (79, -10.5), (100, 0.0), (162, -0.25), (211, -6.75), (255, -4.75)]),
    ("Q4_K", 1551755.75, &[(0, 61.625), (1, 25.75), (33, 121.5), (79, 16.75), (100, 26.25), (162, 95.25), (211, 17.625), (255, 65.125)]),
    ("Q5_K", 2832592.125, &[(0, 97.5), (1, 112.875), (33, 75.125), (79, 44.25), (100, 33.75), (162, 156.0), (211, 80.625), (255, 26.875)]),
    ("Q6_K", 240828.875, &[(0, -37.125), (1, 34.375), (33, 75.25), (79, -259.25), (100, -204.0), (162, 374.625), (211, 116.25), (255, 90.0)]),
];

#[test]
fn blocks_are_read_as_the_reference_reads_them() {
    for (name, sum, entries) in GOLDEN {
        let format = (0..40).filter_map(format_of).find(|f| f.name == name);
        let format = format.unwrap();
        let byte = |i: usize| ((i * i * 7 + i * 13 + 5) % 251) as u8;
        let mut bytes: Vec<u8> = (0..format.bytes).map(byte).collect();
        let scales: &[usize] = match name {
            "Q4_0" | "Q5_0" | "Q8_0" => &[0],
            "Q2_K" => &[80, 82],
            "Q3_K" => &[108],
            "Q6_K" => &[208],
            _ => &[0, 2],
        };
        // 0.125 and −0.375 in half precision
        for (at, scale) in scales.iter().zip([0x3000u16, 0xb600]) {
            bytes[*at..at + 2].copy_from_slice(&scale.to_le_bytes());
        }
        let mut values = vec![0.0; format.block];
        (format.decode)(&bytes, &mut values);
        for &(at, expected) in entries {
            assert_eq!(values[at], expected, "{name}, entry {at}");
        }
        let weighted = (1..)
            .zip(&values)
            .map(|(j, &x)| f64::from(j) * f64::from(x));
        assert_eq!(weighted.sum::<f64>(), sum, "{name}");
    }
}

//! Images are PNG that another reader would accept.

use crate::report::png::{Image, base64};
use crate::report::{Importance, PixelMap, Report};
use std::io::Read;

/// The chunks of a PNG, after a check of their sums: names and contents.
fn chunks(png: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut rest = png.strip_prefix(b"\x89PNG\r\n\x1a\n").unwrap();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
        let (chunk, sum) = rest[4..].split_at(length + 4);
        assert_eq!(sum[..4], crc(chunk).to_be_bytes());
        let name = String::from_utf8(chunk[..4].to_vec()).unwrap();
        found.push((name, chunk[4..].to_vec()));
        rest = &sum[4..];
    }
    found
}

/// The check sum of PNG, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    !sum
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut found = Vec::new();
    let mut decoder = flate2::read::ZlibDecoder::new(bytes);
    decoder.read_to_end(&mut found).unwrap();
    found
}

fn from_base64(text: &str) -> Vec<u8> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits = String::new();
    for letter in text.trim_end_matches('=').chars() {
        bits += &format!("{:06b}", letters.find(letter).unwrap());
    }
    let byte = |bits: &[u8]| u8::from_str_radix(std::str::from_utf8(bits).unwrap(), 2).unwrap();
    bits.as_bytes().chunks_exact(8).map(byte).collect()
}

#[test]
fn an_image_comes_back() {
    let pixels = [0.0, 8.0, 16.0, 4.0, f64::NAN, 99.0];
    let image = Image::new(&pixels, (3, 2, 1), (0.0, 16.0)).unwrap();
    let uri = image.data_uri().unwrap();
    let png = from_base64(uri.strip_prefix("data:image/png;base64,").unwrap());
    let chunks = chunks(&png);
    let names: Vec<&str> = chunks.iter().map(|(name, _)| &name[..]).collect();
    assert_eq!(names, ["IHDR", "IDAT", "IEND"]);
    assert_eq!(chunks[0].1, [0, 0, 0, 3, 0, 0, 0, 2, 8, 0, 0, 0, 0]);
    // a filter byte, then the row
    assert_eq!(unpacked(&chunks[1].1), [0, 0, 128, 255, 0, 64, 0, 255]);
}

#[test]
fn colours_keep_their_order_and_large_images_shrink() {
    let image = Image::new(&[1.0, 0.0, 0.5], (1, 1, 3), (0.0, 1.0)).unwrap();
    assert_eq!((image.channels, &image.bytes[..]), (3, &[255, 0, 128][..]));
    // of channels that are no colours the first is shown
    let image = Image::new(&[1.0, 0.0], (1, 1, 2), (0.0, 1.0)).unwrap();
    assert_eq!((image.channels, &image.bytes[..]), (1, &[255][..]));
    // squares of 3 x 3 become their means
    let stripes: Vec<f64> = (0..144 * 100)
        .map(|i| f64::from(i % 144 % 3 == 0))
        .collect();
    let image = Image::new(&stripes, (144, 100, 1), (0.0, 1.0)).unwrap();
    assert_eq!((image.width, image.height), (48, 34));
    assert!(image.bytes.iter().all(|&byte| byte == 85));
    assert!(Image::new(&stripes, (144, 101, 1), (0.0, 1.0)).is_none());
    assert!(Image::new(&[], (0, 5, 1), (0.0, 1.0)).is_none());
}

#[test]
fn pixels_are_drawn_by_their_share() {
    let map = |shares: Vec<f64>, width| {
        let feature = |share: &f64| Importance {
            feature: "pixel".into(),
            group_norm: *share,
            permutation: None,
        };
        let report = Report {
            importance: shares.iter().map(feature).collect(),
            pixels: Some(PixelMap {
                height: shares.len() / width,
                shares,
                width,
            }),
            ..Report::default()
        };
        report.page()
    };
    let page = map(vec![0.0, 0.1, 0.4, 0.0, 0.3, 0.2], 3);
    let (_, uri) = page.split_once("data:image/png;base64,").unwrap();
    let chunks = chunks(&from_base64(uri.split('"').next().unwrap()));
    // ink is black: the largest share, 0.4, is 0 and no share is 255
    assert_eq!(unpacked(&chunks[1].1), [0, 255, 191, 0, 0, 255, 64, 128]);
    assert!(page.contains("largest, 40.0\u{a0}%. 2 of 6 pixels are not read."));
    assert!(
        !map(vec![0.0; 6], 3).contains("<img"),
        "there is nothing to draw"
    );
    assert!(
        !map(vec![0.1; 7], 3).contains("<img"),
        "7 pixels are no rows of 3"
    );
}

#[test]
fn base64_is_padded() {
    for (plain, packed) in [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foobar", "Zm9vYmFy"),
    ] {
        assert_eq!(base64(plain.as_bytes()), packed);
    }
}

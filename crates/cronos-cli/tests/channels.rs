//! Colours stay what they are, from the file to the first layer.

mod shell;

use image::{Rgb, RgbImage};
use shell::Folder;

const SIDE: u32 = 32;

/// A picture that is light in one channel, and noisy. Its upper half is lighter, so that a
/// channel is no other when it is read row by row.
fn picture(light: usize, number: u32) -> RgbImage {
    RgbImage::from_fn(SIDE, SIDE, |x, y| {
        let mut colour = [0, 1, 2].map(|c| 30 + ((x * 7 + y * 5 + number * 11 + c * 3) % 40) as u8);
        colour[light] += if y < SIDE / 2 { 120 } else { 90 };
        Rgb(colour)
    })
}

/// Only the channel tells the class: red, green and blue pictures as a folder, then the like
/// of them as CIFAR-10 has them, plane after plane, and as an array with all values of
/// a pixel together.
#[test]
fn a_network_of_a_folder_knows_colours_in_other_files() {
    let folder = Folder::new();
    for (channel, name) in ["red", "green", "blue"].into_iter().enumerate() {
        std::fs::create_dir_all(folder.path(&format!("data/{name}"))).unwrap();
        for number in 0..12 {
            let path = folder.path(&format!("data/{name}/{number}.png"));
            picture(channel, number).save(path).unwrap();
        }
    }
    let line = "deep data --arch cnn:4 --gates 4 --epochs 3 --holdout 0 --out m.safetensors --json";
    assert_eq!(folder.json(line)["train"]["accuracy"], 1.0);
    // blue, red, green, and again
    let (mut planes, mut pixels) = (Vec::new(), Vec::new());
    for number in 0..6usize {
        let picture = picture([2, 0, 1][number % 3], 50 + number as u32);
        planes.push(number as u8);
        for channel in 0..3 {
            planes.extend(picture.pixels().map(|pixel| pixel.0[channel]));
        }
        pixels.extend(picture.into_raw());
    }
    folder.put("test_batch.bin", planes);
    folder.put("p.npy", shell::tables::bytes_npy(&[6, 32, 32, 3], &pixels));
    for file in ["test_batch.bin", "p.npy"] {
        let found = folder.json(&format!("predict m.safetensors {file} --json"));
        let expected = ["blue", "red", "green", "blue", "red", "green"];
        assert_eq!(found["labels"], serde_json::json!(expected), "{file}");
    }
}

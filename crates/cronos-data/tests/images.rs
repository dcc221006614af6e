//! Folders of images.

use cronos_data::{
    Dataset, ImageFit, ImageOptions, Loaded, ReadOptions, Target, TargetColumn, Values, read,
};
use image::{DynamicImage, GrayImage, ImageFormat, Luma, Rgb, RgbImage, Rgba, RgbaImage};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &str {
        self.0.path().to_str().unwrap()
    }

    /// The path of a file in it, whose folders are made.
    fn file(&self, name: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    fn put(&self, name: &str, image: impl Into<DynamicImage>) {
        image.into().save(self.file(name)).unwrap();
    }

    fn read(&self, options: &ReadOptions) -> Loaded {
        read(self.path(), options).unwrap()
    }

    fn whole(&self) -> Dataset {
        self.read(&ReadOptions::default()).train
    }

    fn refused(&self, options: &ReadOptions) -> String {
        read(self.path(), options).unwrap_err().to_string()
    }
}

/// An image whose every value tells its place.
fn coloured(width: u32, height: u32) -> RgbImage {
    let place = |x, y| Rgb([(10 * y) as u8, (10 * x) as u8, 200]);
    RgbImage::from_fn(width, height, place)
}

fn plain(width: u32, height: u32, shade: u8) -> RgbImage {
    RgbImage::from_pixel(width, height, Rgb([shade; 3]))
}

fn bytes(data: &Dataset) -> &[u8] {
    match &data.features.values {
        Values::Bytes(values) => values,
        _ => panic!("pixels must stay bytes"),
    }
}

fn sized(size: (usize, usize), fit: Option<ImageFit>) -> ReadOptions<'static> {
    ReadOptions {
        images: ImageOptions {
            size: Some(size),
            fit,
            ..ImageOptions::default()
        },
        ..ReadOptions::default()
    }
}

#[test]
fn a_png_keeps_every_value_by_row_column_and_channel() {
    let folder = Folder::new();
    folder.put("b/1.png", coloured(3, 2));
    folder.put("a/2.PNG", plain(3, 2, 7));
    folder.put("a/10.png", plain(3, 2, 9));
    let data = folder.whole();
    assert_eq!(data.image_shape, Some((2, 3, 3)));
    assert_eq!(data.image_fit, Some(ImageFit::Pad));
    assert_eq!(data.files, ["a/10.png", "a/2.PNG", "b/1.png"]);
    let classes = ["a", "a", "b"].map(String::from).to_vec();
    assert_eq!(data.target, Some(Target::Text(classes)));
    assert_eq!(data.target_name.as_deref(), Some("label"));
    assert_eq!(data.feature_names[17], "x17");
    let rows = bytes(&data);
    assert_eq!((&rows[..18], &rows[18..36]), (&[9; 18][..], &[7; 18][..]));
    let expected = [
        [0, 0, 200, 0, 10, 200, 0, 20, 200],
        [10, 0, 200, 10, 10, 200, 10, 20, 200],
    ];
    assert_eq!(rows[36..], expected.concat());
    let chosen = data.select(&[2, 0]);
    assert_eq!(chosen.files, ["b/1.png", "a/10.png"]);
    assert_eq!(bytes(&chosen)[..18], rows[36..]);
}

#[test]
fn a_jpeg_is_close() {
    let folder = Folder::new();
    let smooth = RgbImage::from_fn(32, 24, |x, y| Rgb([5 * x as u8, 8 * y as u8, 90]));
    folder.put("a/1.jpg", smooth.clone());
    folder.put("b/1.JPEG", plain(32, 24, 100));
    let data = folder.whole();
    assert_eq!(data.image_shape, Some((24, 32, 3)));
    let pairs = bytes(&data).iter().zip(smooth.as_raw());
    let off: u64 = pairs.map(|(&a, &b)| u64::from(a.abs_diff(b))).sum();
    let mean = off as f64 / smooth.as_raw().len() as f64;
    assert!(mean < 3.0, "{mean}");
}

#[test]
fn smaller_images_are_centred_on_black() {
    let folder = Folder::new();
    folder.put("a/wide.png", plain(4, 1, 50));
    folder.put("b/high.png", plain(2, 3, 60));
    let data = folder.whole();
    assert_eq!(data.image_shape, Some((3, 4, 3)));
    let red: Vec<u8> = bytes(&data).iter().step_by(3).copied().collect();
    assert_eq!(red[..12], [0, 0, 0, 0, 50, 50, 50, 50, 0, 0, 0, 0]);
    assert_eq!(red[12..], [0, 60, 60, 0, 0, 60, 60, 0, 0, 60, 60, 0]);
}

#[test]
fn a_given_size_resizes_or_pads() {
    let folder = Folder::new();
    folder.put("a/1.png", plain(8, 4, 80));
    folder.put("b/1.png", plain(1, 2, 90));
    let data = folder.read(&sized((2, 2), None)).train;
    assert_eq!(data.image_fit, Some(ImageFit::Resize));
    assert_eq!(bytes(&data), [[80; 12], [90; 12]].concat());
    let data = folder.read(&sized((4, 4), Some(ImageFit::Pad))).train;
    assert_eq!(data.image_shape, Some((4, 4, 3)));
    let red: Vec<u8> = bytes(&data).iter().step_by(3).copied().collect();
    let shrunk = [[0; 4], [80; 4], [80; 4], [0; 4]].concat();
    assert_eq!(red[..16], shrunk);
    assert_eq!(
        red[16..],
        [0, 0, 0, 0, 0, 90, 0, 0, 0, 90, 0, 0, 0, 0, 0, 0]
    );
    assert!(folder.refused(&sized((0, 4), None)).contains("at least 1"));
}

#[test]
fn gray_images_have_one_channel_unless_one_is_coloured() {
    let folder = Folder::new();
    folder.put("a/1.png", GrayImage::from_pixel(2, 1, Luma([77])));
    let deep = image::ImageBuffer::from_pixel(2, 1, Luma([0x8080u16]));
    folder.put("b/1.png", deep);
    let data = folder.whole();
    assert_eq!(data.image_shape, Some((1, 2, 1)));
    assert_eq!(bytes(&data), [77, 77, 128, 128]);
    folder.put("c/1.png", coloured(2, 1));
    let data = folder.whole();
    assert_eq!(data.image_shape, Some((1, 2, 3)));
    assert_eq!(bytes(&data)[..6], [77; 6]);
}

#[test]
fn what_is_transparent_is_laid_on_black() {
    let folder = Folder::new();
    let glass = RgbaImage::from_fn(3, 1, |x, _| Rgba([200, 100, 50, [0, 255, 128][x as usize]]));
    folder.put("a/1.png", glass);
    folder.put("b/1.png", plain(3, 1, 1));
    let data = folder.whole();
    assert_eq!(bytes(&data)[..9], [0, 0, 0, 200, 100, 50, 100, 50, 25]);
}

#[test]
fn train_and_test_folders_are_the_parts() {
    let folder = Folder::new();
    for (name, side) in [("train/a/1", 2), ("train/b/1", 3), ("test/b/1", 5)] {
        folder.put(&format!("{name}.png"), plain(side, side, 40));
    }
    let Loaded { train, test } = folder.read(&ReadOptions::default());
    let test = test.unwrap();
    assert_eq!((train.features.rows, test.features.rows), (2, 1));
    // the training images tell the size; a larger one is shrunk to it
    assert_eq!(test.image_shape, Some((3, 3, 3)));
    assert_eq!(bytes(&test), [40; 27]);
    assert_eq!(test.files, ["test/b/1.png"]);
    assert_eq!(test.target, Some(Target::Text(vec!["b".into()])));
    folder.put("val/a/1.png", plain(2, 2, 40));
    let train = folder.whole();
    assert!(train.remarks[0].contains("validation images are not used"));
}

#[test]
fn images_without_class_folders_have_no_target() {
    let folder = Folder::new();
    folder.put("2.png", plain(2, 2, 2));
    folder.put("1.png", plain(2, 2, 1));
    let data = folder.whole();
    assert_eq!((data.target.clone(), data.files.len()), (None, 2));
    assert_eq!(bytes(&data)[11..13], [1, 2]);
    let one = read(&format!("{}/2.png", folder.path()), &ReadOptions::default()).unwrap();
    assert_eq!(one.train.files, ["2.png"]);
    // a model of gray images gets gray ones
    let options = ReadOptions {
        target: TargetColumn::Absent,
        images: ImageOptions {
            size: Some((1, 1)),
            channels: Some(1),
            ..ImageOptions::default()
        },
        ..ReadOptions::default()
    };
    assert_eq!(bytes(&folder.read(&options).train), [1, 2]);
}

#[test]
fn other_files_are_skipped_and_strange_ones_told() {
    let folder = Folder::new();
    folder.put("a/deep/er/1.png", plain(1, 1, 1));
    folder.put("b/1.png", plain(1, 1, 2));
    for name in ["README.md", "a/.DS_Store", "a/Thumbs.db", ".git/x"] {
        fs::write(folder.file(name), "text").unwrap();
    }
    let data = folder.whole();
    assert_eq!(data.files, ["a/deep/er/1.png", "b/1.png"]);
    assert!(data.remarks.is_empty());
    fs::write(folder.file("b/x.webp"), "text").unwrap();
    let remark = folder.whole().remarks.concat();
    assert!(remark.contains("1 file left out") && remark.contains("b/x.webp"));
}

#[test]
fn the_same_on_every_number_of_threads() {
    let folder = Folder::new();
    for i in 0..40u32 {
        let class = ["a", "b"][(i % 2) as usize];
        folder.put(&format!("{class}/{i}.jpg"), coloured(5 + i % 7, 5 + i % 5));
    }
    let options = sized((8, 6), None);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| folder.read(&options))
    };
    let one = on(1);
    assert_eq!(one, on(4));
    assert_eq!(one.train.fingerprint(), on(3).train.fingerprint());
}

#[test]
fn refusals_name_the_file_and_the_remedy() {
    let plain_options = ReadOptions::default();
    let folder = Folder::new();
    let said = folder.refused(&plain_options);
    assert!(said.contains("IDX") && said.contains("CIFAR-10") && said.contains(".png"));
    folder.put("a/1.png", plain(9, 9, 1));
    fs::create_dir(folder.0.path().join("empty")).unwrap();
    let said = folder.refused(&plain_options);
    assert!(said.contains("\"empty\" holds no .jpg") && said.contains("remove it"));
    fs::remove_dir(folder.0.path().join("empty")).unwrap();
    let said = folder.whole().labels().unwrap_err().to_string();
    assert!(said.contains("class"), "{said}");
    folder.put("stray.png", plain(9, 9, 1));
    assert!(
        folder
            .refused(&plain_options)
            .contains("\"stray.png\" lies beside")
    );
    let limit = ReadOptions {
        images: ImageOptions {
            size: Some((4000, 5000)),
            memory_limit_bytes: Some(1 << 20),
            ..ImageOptions::default()
        },
        ..ReadOptions::default()
    };
    fs::remove_file(folder.0.path().join("stray.png")).unwrap();
    let said = folder.refused(&limit);
    assert!(
        said.contains("57 MiB") && said.contains("--image-size"),
        "{said}"
    );
    let food = Folder::new();
    food.put("training/1.png", plain(1, 1, 1));
    food.put("validation/1.png", plain(1, 1, 1));
    assert!(
        food.refused(&plain_options)
            .contains("one folder for each class")
    );
}

/// Reads one damaged image.
fn damaged(path: &Path, content: &[u8]) -> Result<Loaded, String> {
    fs::write(path, content).unwrap();
    let result = read(path.to_str().unwrap(), &sized((8, 8), None));
    result.map_err(|error| error.to_string())
}

#[test]
fn damaged_images_are_refused_by_name_and_never_panic() {
    let folder = Folder::new();
    for (name, format) in [("x.png", ImageFormat::Png), ("x.jpg", ImageFormat::Jpeg)] {
        let path = folder.file(name);
        let mut whole = std::io::Cursor::new(Vec::new());
        coloured(20, 20).write_to(&mut whole, format).unwrap();
        let whole = whole.into_inner();
        assert!(damaged(&path, &whole).is_ok());
        for length in 0..whole.len().min(700) {
            let said = damaged(&path, &whole[..length]);
            // the last bytes of a PNG say only that it ends
            if format == ImageFormat::Jpeg || length + 20 < whole.len() {
                let said = said.unwrap_err();
                assert!(
                    said.contains(name) && (said.contains("again") || said.contains("remove it")),
                    "{said}"
                );
            }
        }
        for place in 0..whole.len() {
            let mut content = whole.clone();
            content[place] ^= 0x55;
            let _ = damaged(&path, &content);
        }
    }
    let said = damaged(&folder.file("text.jpg"), b"not an image").unwrap_err();
    assert!(
        said.contains("text.jpg") && said.contains("convert it to PNG"),
        "{said}"
    );
}

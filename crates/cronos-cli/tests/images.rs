//! Folders of images: fitted, predicted and refused.

mod shell;

use image::{Rgb, RgbImage};
use shell::Folder;

/// Puts an image that is light above, or below, of a size that depends on its number.
fn put(folder: &Folder, name: &str, light_above: bool, number: u32) {
    let path = folder.path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let (width, height) = (6 + number % 3, 7 + number % 2);
    let image = RgbImage::from_fn(width, height, |x, y| {
        let shade = if (y < height / 2) == light_above {
            180
        } else {
            40
        };
        Rgb([shade + (7 * x + 3 * number) as u8 % 16, shade, 90])
    });
    image.save(path).unwrap();
}

/// Twenty images of each class in `data`.
fn images() -> Folder {
    let folder = Folder::new();
    for number in 0..20 {
        put(
            &folder,
            &format!("data/above/{number:02}.png"),
            true,
            number,
        );
        put(
            &folder,
            &format!("data/below/{number:02}.jpg"),
            false,
            number,
        );
    }
    folder
}

const FIT: &str = "--gates 8 --tolerance 0.05 --max-iterations 300 --out m.safetensors";

#[test]
fn a_folder_is_fitted_and_other_images_are_predicted_by_name() {
    let folder = images();
    let report = folder.json(&format!("fit data --json {FIT}"));
    assert_eq!(report["data"]["features"], 8 * 8 * 3);
    assert_eq!(
        report["data"]["classes"],
        serde_json::json!(["above", "below"])
    );
    assert_eq!(report["test"]["accuracy"], 1.0);
    let model = folder.print("inspect m.safetensors");
    assert!(model.contains("8x8x3, pad"), "{model}");
    // of other sizes, without classes, and one by itself
    put(&folder, "new/one.png", true, 1);
    put(&folder, "new/two, too.png", false, 0);
    let text = folder.print("predict m.safetensors new");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "file,prediction,decision");
    assert!(lines[1].starts_with("one.png,above,"), "{text}");
    assert!(lines[2].starts_with("\"two, too.png\",below,"), "{text}");
    assert_eq!(lines.len(), 3);
    let one = folder.print("predict m.safetensors new/one.png");
    assert_eq!(one.lines().nth(1), Some(lines[1]));
    let score = folder.json("eval m.safetensors data --json");
    assert_eq!(score["rows"], 40);
    let flat = folder.run("eval m.safetensors new");
    assert_eq!(flat.code, Some(3));
    assert!(flat.stderr.contains("sub-folder called like its class"));
}

#[test]
fn the_model_keeps_the_size_and_how_it_was_reached() {
    let folder = images();
    folder.json(&format!("fit data --image-size 4x5 --json {FIT}"));
    let model = folder.json("inspect m.safetensors --json");
    assert_eq!(model["image"], "4x5x3, resize");
    let score = folder.json("eval m.safetensors data --json");
    assert_eq!(score["accuracy"], 1.0);
    let data = folder.json("inspect data --image-size 9 --image-fit pad --json");
    assert_eq!(
        (&data["image"], &data["features"]),
        (&"9x9x3".into(), &243.into())
    );
}

#[test]
fn train_and_test_folders_are_used() {
    let folder = images();
    std::fs::rename(folder.path("data"), folder.path("train")).unwrap();
    std::fs::create_dir(folder.path("data")).unwrap();
    std::fs::rename(folder.path("train"), folder.path("data/train")).unwrap();
    put(&folder, "data/test/above/big.png", true, 2);
    let report = folder.json(&format!("fit data --json {FIT}"));
    assert_eq!(
        (&report["train"]["rows"], &report["test"]["rows"]),
        (&40.into(), &1.into())
    );
    put(&folder, "other/below/x.png", false, 2);
    let fit = format!("fit data/train --test other --force --json {FIT}");
    assert_eq!(folder.json(&fit)["test"]["rows"], 1);
}

#[test]
fn refusals_have_their_exit_codes() {
    let folder = images();
    let size = folder.run("fit data --image-size 0x3");
    assert_eq!(size.code, Some(2), "{}", size.stderr);
    let huge = folder.run("fit data --image-size 9999999x9999999");
    assert_eq!(huge.code, Some(3), "{}", huge.stderr);
    assert!(huge.stderr.contains("--image-size"), "{}", huge.stderr);
    let one = folder.run("fit data/above");
    assert_eq!(one.code, Some(3));
    folder.put("data/above/03.png", "no image");
    let damaged = folder.run("fit data");
    assert_eq!(damaged.code, Some(3));
    assert!(damaged.stderr.contains("03.png"), "{}", damaged.stderr);
}

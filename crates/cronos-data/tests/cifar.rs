//! Binary files of CIFAR-10.

mod sample;

use cronos_data::{ReadOptions, Target, read};
use sample::{Folder, absent, gzip, loaded, npy, refused, target};

const RECORD: usize = 1 + 3 * 1024;

fn plain() -> ReadOptions<'static> {
    ReadOptions::default()
}

fn numbers(values: &[f64]) -> Option<Target> {
    Some(Target::Numbers {
        columns: 1,
        values: values.to_vec(),
    })
}

/// An image of one colour.
fn image(label: u8, colour: [u8; 3]) -> Vec<u8> {
    let planes = colour.iter().flat_map(|&value| [value; 1024]);
    std::iter::once(label).chain(planes).collect()
}

#[test]
fn images_and_labels_are_read() {
    let folder = Folder::new();
    let mut second = image(3, [7, 8, 9]);
    // Row 1, column 2 of the red plane.
    second[1 + 32 + 2] = 200;
    let bytes = [image(9, [1, 2, 3]), second].concat();
    for (name, bytes) in [
        ("data_batch_1.bin", bytes.clone()),
        ("test_batch.bin.gz", gzip(&bytes)),
    ] {
        let data = loaded(&folder.put(name, bytes), &plain());
        assert_eq!(data.image_shape, Some((32, 32, 3)));
        assert_eq!((data.features.rows, data.features.columns), (2, 3072));
        assert_eq!(data.features.row(0)[..6], [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
        let pixel = 3 * (32 + 2);
        assert_eq!(data.features.row(1)[pixel..pixel + 3], [200.0, 8.0, 9.0]);
        assert_eq!(data.target, numbers(&[9.0, 3.0]));
        assert_eq!(data.target_name.as_deref(), Some("label"));
        assert_eq!(data.feature_names[3071], "x3071");
    }
    let path = folder.path("data_batch_1.bin");
    assert_eq!(loaded(&path, &absent()).target, None);
    assert_eq!(loaded(&path, &target("label")).target, numbers(&[9.0, 3.0]));
    let y = folder.put("y.npy", npy("|u1", false, "(2,)", &[1, 0]));
    assert_eq!(loaded(&path, &target(&y)).target, numbers(&[1.0, 0.0]));
    let error = loaded(&path, &plain())
        .labels_as(&["9".to_owned()])
        .unwrap_err();
    assert!(
        error.to_string().contains("row 2: \"3\" is not among"),
        "{error}"
    );
}

#[test]
fn a_folder_gives_all_batches_in_order() {
    let folder = Folder::new();
    for batch in [10u8, 2, 1] {
        let name = format!("data_batch_{batch}.bin");
        folder.put(&name, image(batch % 10, [batch; 3]));
    }
    folder.put("batches.meta.txt", "airplane\n");
    let alone = read(&folder.path(""), &plain()).unwrap();
    assert_eq!(alone.train.target, numbers(&[1.0, 2.0, 0.0]));
    assert!(alone.test.is_none());
    folder.put("test_batch.bin", image(5, [4; 3]));
    let both = read(&folder.path(""), &plain()).unwrap();
    let test = both.test.unwrap();
    assert_eq!(
        (test.features.values.to_numbers()[0], test.target),
        (4.0, numbers(&[5.0]))
    );
    assert_eq!(test.name, format!("{}-test", both.train.name));
}

#[test]
fn files_of_another_length_or_kind_are_refused() {
    let folder = Folder::new();
    let two = [image(1, [1; 3]), image(2, [2; 3])].concat();
    for length in [1, RECORD - 1, RECORD + 1, 2 * RECORD - 1] {
        let path = folder.put("data_batch_1.bin", &two[..length]);
        let message = refused(&path, &plain());
        let (image, bytes) = (length / RECORD + 1, length % RECORD);
        let what = format!(": image {image}: it has {bytes} bytes, but an image takes 3073");
        assert!(message.starts_with(&what), "{message}");
    }
    let message = refused(&folder.put("data_batch_1.bin", []), &plain());
    assert!(message.contains("it is empty"), "{message}");
    let wrong = [image(1, [1; 3]), image(10, [2; 3])].concat();
    let message = refused(&folder.put("data_batch_1.bin", wrong), &plain());
    assert!(
        message.starts_with(": image 2: its label is 10, but"),
        "{message}"
    );
    let packed = gzip(&two);
    let path = folder.put("data_batch_2.bin.gz", &packed[..packed.len() - 4]);
    let message = refused(&path, &plain());
    assert!(message.contains("damaged or cut off"), "{message}");
    // Another binary file is not taken for one.
    let message = refused(&folder.put("other.bin", &two), &plain());
    assert!(message.contains("data_batch_1.bin"), "{message}");
}

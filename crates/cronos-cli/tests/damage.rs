//! Model files that were cut, altered or never were models.

mod shell;

use shell::Folder;
use shell::tables::corners;

const INPUT: i32 = 3;

#[test]
fn models_that_are_damaged() {
    let folder = Folder::new();
    folder.put("d.csv", corners(40, 3).csv());
    folder.print("fit d.csv --gates 8 --max-iterations 50 --out m.safetensors");
    let whole = folder.bytes("m.safetensors");
    for length in [0, 4, 8, 9, 100, whole.len() / 2, whole.len() - 1] {
        folder.put("cut.safetensors", &whole[..length]);
        for line in ["predict cut.safetensors d.csv", "inspect cut.safetensors"] {
            let sentence = folder.refused(INPUT, line);
            assert!(sentence.starts_with("cut.safetensors: "), "{sentence}");
        }
    }
    let sentence = {
        folder.put("cut.safetensors", &whole[..whole.len() - 1]);
        folder.refused(INPUT, "export cut.safetensors --onnx m.onnx")
    };
    assert!(sentence.contains("it is cut short"), "{sentence}");
    assert!(!folder.path("m.onnx").exists());
    for place in (0..whole.len()).step_by(97).chain([whole.len() - 1]) {
        let mut altered = whole.clone();
        altered[place] ^= 1;
        folder.put("altered.safetensors", &altered);
        let sentence = folder.refused(INPUT, "inspect altered.safetensors");
        assert!(
            sentence.starts_with("altered.safetensors: "),
            "{place}: {sentence}"
        );
    }
    let sentence = folder.refused(INPUT, "predict d.csv d.csv");
    assert!(
        sentence.starts_with("d.csv: this is not a model file"),
        "{sentence}"
    );
}

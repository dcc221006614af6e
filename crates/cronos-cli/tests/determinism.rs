//! The same command gives the same bytes, on any number of threads.

mod shell;

use shell::Folder;
use shell::tables::corners;

/// The model that a fit of `d.csv` saves.
fn model(folder: &Folder, options: &str) -> Vec<u8> {
    let line = format!("fit d.csv --gates 8 --force --out m.safetensors {options}");
    let ended = folder.run(&line);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{line}");
    folder.bytes("m.safetensors")
}

/// Compares one, two and three threads for every way to solve.
fn threads_change_nothing(folder: &Folder, options: &str) {
    for solver in ["direct", "sample-pcg", "primal-pcg"] {
        for activation in ["relu", "gated"] {
            for precision in ["f32", "f64"] {
                let options = format!(
                    "--solver {solver} --activation {activation} --precision {precision} {options}"
                );
                let one = model(folder, &format!("{options} --threads 1"));
                for threads in [2, 3] {
                    let more = model(folder, &format!("{options} --threads {threads}"));
                    assert!(one == more, "{options} --threads {threads}");
                }
            }
        }
    }
}

#[test]
fn threads_change_nothing_with_many_rows() {
    let folder = Folder::new();
    // 350 rows are several blocks of 128
    folder.put("d.csv", corners(500, 6).csv());
    threads_change_nothing(&folder, "--max-iterations 40 --tolerance 1e-6");
}

#[test]
fn threads_change_nothing_with_more_features_than_rows() {
    let folder = Folder::new();
    folder.put("d.csv", corners(40, 90).csv());
    threads_change_nothing(&folder, "--max-iterations 20 --tolerance 1e-6");
}

#[test]
fn threads_change_nothing_with_several_outputs() {
    let folder = Folder::new();
    let fit = |threads| {
        let line = format!(
            "fit digits --gates 12 --max-iterations 25 --force --out m.safetensors \
             --threads {threads}"
        );
        folder.print(&line);
        folder.bytes("m.safetensors")
    };
    assert!(fit(1) == fit(2));
}

#[test]
fn the_seed_alone_decides() {
    let folder = Folder::new();
    folder.put("d.csv", corners(100, 4).csv());
    let options = "--max-iterations 30 --tolerance 0.01";
    let first = model(&folder, options);
    assert!(first == model(&folder, options));
    assert!(first == model(&folder, &format!("{options} --seed 0")));
    assert!(first != model(&folder, &format!("{options} --seed 1")));
    let held = format!("{options} --holdout 0");
    assert!(model(&folder, &held) != model(&folder, &format!("{held} --seed 1")));
}

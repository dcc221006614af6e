//! Food-5K: photographs named after their class, 0 for other things and 1 for food.

use super::failed;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Arranges `from` as `to/train/CLASS` and `to/test/CLASS`. A photograph that is there twice is
/// kept once, in the part to test on if it is there.
pub fn arrange(from: &Path, to: &Path) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for (part, sources) in [
        ("test", &["evaluation"][..]),
        ("train", &["training", "validation"]),
    ] {
        for class in ["other", "food"] {
            let folder = to.join(part).join(class);
            fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
        }
        for source in sources {
            for path in photographs(&from.join(source))? {
                let bytes = fs::read(&path).map_err(|error| failed(&path, &error))?;
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let class = match name.split('_').next() {
                    Some("0") => "other",
                    Some("1") => "food",
                    _ => {
                        return Err(failed(
                            &path,
                            &"its name begins neither with 0_ nor with 1_",
                        ));
                    }
                };
                let target = to.join(part).join(class).join(format!("{source}-{name}"));
                if seen.insert(bytes.clone()) {
                    fs::write(&target, bytes).map_err(|error| failed(&target, &error))?;
                }
            }
        }
    }
    Ok(())
}

/// The photographs of a folder by name.
fn photographs(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths
        .collect::<Result<_, _>>()
        .map_err(|error| failed(folder, &error))?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "jpg"));
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::arrange;
    use std::fs;

    #[test]
    fn a_photograph_is_in_one_part_only() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        for (name, bytes) in [
            ("training/0_1.jpg", "a"),
            ("training/1_2.jpg", "b"),
            ("validation/1_2.jpg", "c"),
            ("evaluation/1_9.jpg", "b"),
            ("evaluation/notes.txt", "n"),
        ] {
            let path = from.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        arrange(&from, &to).unwrap();
        let names = |part: &str| {
            let entries = fs::read_dir(to.join(part)).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names("train/other"), ["training-0_1.jpg"]);
        assert_eq!(names("train/food"), ["validation-1_2.jpg"]);
        assert_eq!(names("test/food"), ["evaluation-1_9.jpg"]);
    }
}

//! The page of promises names tests that there are.

use std::path::{Path, PathBuf};

#[test]
fn every_promise_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/promises.md")).unwrap();
    let mut named = 0;
    for line in page.lines().filter(|line| line.starts_with('|')) {
        let tests = line.trim_end_matches('|').rsplit('|').next().unwrap();
        // a file without a folder is in that of the one before
        let mut folder = PathBuf::new();
        for name in tests.split('`').skip(1).step_by(2) {
            let path = Path::new(name);
            if path.components().count() > 1 {
                folder = path.parent().unwrap().to_owned();
            }
            let path = folder.join(path.file_name().unwrap());
            let found = ["crates", "."].map(|base| root.join(base).join(&path).exists());
            assert!(found.contains(&true), "{}: {line}", path.display());
            named += 1;
        }
    }
    assert!(named > 40, "{named}");
}

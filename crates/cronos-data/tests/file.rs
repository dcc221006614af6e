//! Files written whole.

use std::fs;

use cronos_data::file::write_whole;

fn names(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_written_and_not_overwritten_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.bin");
    write_whole(&path, b"one", false).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"one");
    let error = write_whole(&path, b"two", false).unwrap_err();
    let expected = format!("{} exists; pass --force to overwrite it", path.display());
    assert_eq!(error.to_string(), expected);
    assert!(error.is_input());
    assert_eq!(fs::read(&path).unwrap(), b"one");
    write_whole(&path, b"two", true).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(names(folder.path()), ["model.bin"]);
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let error = write_whole(&inner, b"x", true).unwrap_err();
    assert!(!error.is_input(), "{error}");
    let error = write_whole(&folder.path().join("no/such/file"), b"x", true).unwrap_err();
    assert!(!error.is_input());
    assert!(
        error.to_string().contains("no such file or folder"),
        "{error}"
    );
    assert_eq!(names(folder.path()), ["inner"]);
    assert!(names(&inner).is_empty());
}

#[cfg(unix)]
#[test]
fn the_access_rights_of_an_old_file_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.bin");
    write_whole(&path, b"one", false).unwrap();
    let fresh = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(fresh & 0o600, 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    write_whole(&path, b"two", true).unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o640);
}

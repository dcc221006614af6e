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

#[cfg(unix)]
#[test]
fn links_are_followed_and_pipes_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [file, link, lost] = ["file", "link", "lost"].map(|name| folder.path().join(name));
    fs::write(&file, "one").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    write_whole(&link, b"two", true).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&file).unwrap(), b"two");
    assert!(write_whole(&link, b"three", false).is_err());
    // a link to nothing becomes the file
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &lost).unwrap();
    write_whole(&lost, b"four", true).unwrap();
    assert_eq!(fs::read(&lost).unwrap(), b"four");

    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let error = write_whole(&pipe, b"x", true).unwrap_err();
    assert!(
        error.is_input() && error.to_string().contains("pipe"),
        "{error}"
    );
    assert!(!fs::metadata(&pipe).unwrap().is_file());
    // also behind a link
    let behind = folder.path().join("behind");
    std::os::unix::fs::symlink(&pipe, &behind).unwrap();
    assert!(write_whole(&behind, b"x", true).is_err());
    assert!(fs::symlink_metadata(&behind).unwrap().is_symlink());
    fs::remove_file(&behind).unwrap();
    assert_eq!(names(folder.path()), ["file", "link", "lost", "pipe"]);
}

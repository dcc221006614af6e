//! Names and links that lead elsewhere.

use crate::shell::Folder;
use crate::shell::tables::{bytes_npy, npz};
use crate::{ADDRESSES, refused, refused_within, run};
use std::os::unix::fs::symlink;

/// Arrays whose names climb out of the archive: nothing is ever unpacked to a file.
#[test]
fn names_that_climb() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("inner")).unwrap();
    let array = bytes_npy(&[4, 2], &[1, 2, 3, 4, 5, 6, 7, 8]);
    for name in ["../../evil", "/tmp/cronos-evil", "..\\evil", "X/../../evil"] {
        folder.put("inner/x.npz", npz(&[(name, array.clone())]));
        run(&folder, "fit inner/x.npz --holdout 0", ADDRESSES);
        assert!(!folder.path("evil.npy").exists());
        assert!(!std::path::Path::new("/tmp/cronos-evil.npy").exists());
        let inner = std::fs::read_dir(folder.path("inner")).unwrap();
        assert_eq!(inner.count(), 1, "{name}");
    }
}

/// A link to a file without end, to itself, or to nowhere.
#[test]
fn links_that_lead_astray() {
    let folder = Folder::new();
    symlink("/dev/zero", folder.path("zero.csv")).unwrap();
    symlink("loop.csv", folder.path("loop.csv")).unwrap();
    symlink("/nowhere/at/all", folder.path("nowhere.csv")).unwrap();
    symlink(".", folder.path("folder.csv")).unwrap();
    for name in ["zero.csv", "loop.csv", "nowhere.csv", "folder.csv"] {
        let sentence = refused_within(&folder, &format!("fit {name}"), 1536);
        assert!(sentence.contains(name), "{name}: {sentence}");
    }
    for name in [
        "zero.npy",
        "zero.npz",
        "zero.parquet",
        "zero.svm",
        "zero.csv.gz",
    ] {
        symlink("/dev/zero", folder.path(name)).unwrap();
        let sentence = refused_within(&folder, &format!("fit {name}"), 1536);
        assert!(sentence.contains(name), "{name}: {sentence}");
    }
    symlink("/dev/zero", folder.path("zero.jsonl")).unwrap();
    refused_within(&folder, "text fit zero.jsonl", 1536);
    symlink("/dev/zero", folder.path("zero.safetensors")).unwrap();
    folder.put("d.csv", "a,b,y\n1,2,no\n2,1,yes\n");
    refused_within(&folder, "predict zero.safetensors d.csv", 1536);
}

/// A folder of pictures that holds itself.
#[test]
fn folders_that_hold_themselves() {
    let folder = Folder::new();
    for class in ["cat", "dog"] {
        std::fs::create_dir_all(folder.path(&format!("photos/{class}"))).unwrap();
        symlink("..", folder.path(&format!("photos/{class}/again"))).unwrap();
    }
    let sentence = refused(&folder, "fit photos");
    assert!(sentence.contains("photos"), "{sentence}");
}

//! Which files of a folder are images, and of which class.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{DataError, counted, listed, quoted};

/// An image file.
pub(super) struct Picture {
    pub(super) path: PathBuf,
    /// Its path below the folder.
    pub(super) name: String,
    /// The name of its class folder.
    pub(super) class: Option<String>,
}

/// The images of a folder, and what is to be said about it.
pub(super) enum Found {
    Whole(Vec<Picture>, Vec<String>),
    /// A training part and perhaps a test part.
    Parts(Vec<Picture>, Option<Vec<Picture>>, Vec<String>),
}

/// Whether a file is called as an image is that can be read.
pub(crate) fn is_called_so(name: &str) -> bool {
    has_ending(name, &["jpg", "jpeg", "png"])
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    endings.iter().any(|e| e.eq_ignore_ascii_case(ending))
}

/// Files and folders that systems and people put beside images.
fn is_beside(name: &str) -> bool {
    const NAMES: [&str; 3] = ["thumbs.db", "desktop.ini", "__macosx"];
    const STARTS: [&str; 2] = ["readme", "license"];
    let lower = name.to_lowercase();
    name.starts_with('.')
        || NAMES.contains(&&lower[..])
        || (STARTS.iter().any(|start| lower.starts_with(start)) && !is_called_so(name))
        || has_ending(name, &["md"])
}

/// What a sub-folder with classes of its own is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Train,
    Test,
    Validation,
}

fn role(name: &str) -> Option<Role> {
    match &name.to_lowercase()[..] {
        "train" | "training" => Some(Role::Train),
        "test" | "testing" | "eval" | "evaluation" => Some(Role::Test),
        "val" | "valid" | "validation" => Some(Role::Validation),
        _ => None,
    }
}

/// One folder's content, each in the order of names.
#[derive(Default)]
struct Entries {
    folders: Vec<(String, PathBuf)>,
    images: Vec<(String, PathBuf)>,
    others: Vec<String>,
}

/// Looks into a folder. `links` tells whether a link to a folder is followed: among classes it
/// is, but deeper down it might lead back up.
fn entries(path: &Path, links: bool) -> Result<Entries, DataError> {
    let failed = |e| DataError::io("read", path.display(), e);
    let mut entries = Entries::default();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_beside(&name) {
            continue;
        }
        let is_link = entry.file_type().map_err(failed)?.is_symlink();
        // A link to nothing is reported as no image.
        let kind = fs::metadata(entry.path()).ok();
        match kind {
            Some(kind) if kind.is_dir() && (links || !is_link) => {
                entries.folders.push((name, entry.path()));
            }
            Some(kind) if kind.is_file() && is_called_so(&name) => {
                entries.images.push((name, entry.path()));
            }
            _ => entries.others.push(name),
        }
    }
    entries.folders.sort();
    entries.images.sort();
    entries.others.sort();
    Ok(entries)
}

/// Finds the images of a folder; `None` if there are none in it.
pub(super) fn find(path: &str) -> Result<Option<Found>, DataError> {
    let top = entries(Path::new(path), true)?;
    let mut others = Vec::new();
    if !top.folders.is_empty() && top.folders.iter().all(|(name, _)| role(name).is_some()) {
        return parts(path, top);
    }
    let found = match (top.images.first(), top.folders.first()) {
        (Some((image, _)), Some((folder, _))) => {
            return Err(DataError::content(
                path,
                format!(
                    "the image {} lies beside the folder {}; put every image into the folder of \
                     its class, or have no folders",
                    quoted(image),
                    quoted(folder)
                ),
            ));
        }
        (Some(_), None) => {
            others.extend(top.others);
            let flat = |(name, path)| Picture {
                path,
                name,
                class: None,
            };
            top.images.into_iter().map(flat).collect()
        }
        (None, _) => classes(path, "", top, &mut others)?,
    };
    Ok((!found.is_empty()).then(|| Found::Whole(found, left_out(path, &others))))
}

/// A folder with `train` and the like only.
fn parts(path: &str, top: Entries) -> Result<Option<Found>, DataError> {
    let mut others = top.others;
    let mut remarks = Vec::new();
    let (mut train, mut test, mut validation) = (None, None, None);
    for (name, folder) in top.folders {
        let inside = entries(&folder, true)?;
        if let Some((image, _)) = inside.images.first() {
            return Err(DataError::content(
                path,
                format!(
                    "its folder {} holds images such as {} itself; put them into one folder for \
                     each class there",
                    quoted(&name),
                    quoted(image)
                ),
            ));
        }
        let place = match role(&name) {
            Some(Role::Train) => &mut train,
            Some(Role::Test) => &mut test,
            _ => &mut validation,
        };
        if place.is_some() {
            return Err(DataError::content(
                path,
                format!(
                    "its folder {} is for the same as another one; rename or remove one of them",
                    quoted(&name)
                ),
            ));
        }
        let pictures = classes(path, &format!("{name}/"), inside, &mut others)?;
        *place = (!pictures.is_empty()).then_some(pictures);
    }
    let Some(train) = train else {
        let any = test.is_some() || validation.is_some();
        let what = "it has folders for testing, but none called train with images in the folders \
                    of their classes; name one of its folders instead";
        return if any {
            Err(DataError::content(path, what))
        } else {
            Ok(None)
        };
    };
    if test.is_some() && validation.is_some() {
        remarks.push(format!(
            "{path}: its validation images are not used, because there are test images"
        ));
    }
    remarks.extend(left_out(path, &others));
    Ok(Some(Found::Parts(train, test.or(validation), remarks)))
}

/// The images in the folders of their classes, which must all have some, unless none has.
fn classes(
    path: &str,
    prefix: &str,
    top: Entries,
    others: &mut Vec<String>,
) -> Result<Vec<Picture>, DataError> {
    let mut pictures = Vec::new();
    let mut empty = None;
    others.extend(top.others.iter().map(|name| format!("{prefix}{name}")));
    for (class, folder) in top.folders {
        let before = pictures.len();
        let name = format!("{prefix}{class}");
        walk(&folder, &name, &class, &mut pictures, others)?;
        if pictures.len() == before {
            empty.get_or_insert(name);
        }
    }
    match empty {
        Some(empty) if !pictures.is_empty() => Err(DataError::content(
            path,
            format!(
                "its folder {} holds no .jpg, .jpeg or .png image; every folder is a class, so \
                 add images or remove it",
                quoted(&empty)
            ),
        )),
        _ => Ok(pictures),
    }
}

/// Adds the images of a class, those in folders below its own as well.
fn walk(
    folder: &Path,
    prefix: &str,
    class: &str,
    pictures: &mut Vec<Picture>,
    others: &mut Vec<String>,
) -> Result<(), DataError> {
    let inside = entries(folder, false)?;
    for (name, path) in inside.images {
        pictures.push(Picture {
            path,
            name: format!("{prefix}/{name}"),
            class: Some(class.to_owned()),
        });
    }
    others.extend(inside.others.iter().map(|name| format!("{prefix}/{name}")));
    for (name, path) in inside.folders {
        walk(&path, &format!("{prefix}/{name}"), class, pictures, others)?;
    }
    Ok(())
}

/// Says which files are no images that can be read.
fn left_out(path: &str, others: &[String]) -> Vec<String> {
    if others.is_empty() {
        return Vec::new();
    }
    let (files, them) = match others {
        [_] => ("1 file".to_owned(), "it is"),
        _ => (counted(others.len(), "file"), "they are"),
    };
    vec![format!(
        "{path}: {files} left out, because {them} no .jpg, .jpeg or .png: {}",
        listed(others)
    )]
}

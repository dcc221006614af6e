//! From texts to features by an encoder, with progress, kept for the next time.

use crate::arguments::Encoding;
use crate::commands::job::Encoded;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Bar;
use cronos::{Place, Singles, Table, TextInput};
use cronos_data::{FeatureFile, Fingerprint, read_features};
use cronos_deep::language::{Pool, TextEncoder};
use std::fs;
use std::path::{Path, PathBuf};

/// Features computed between two writes.
const PART: usize = 1 << 18;
/// Texts that are cut into tokens at a time.
const CUT: usize = 1024;

/// An encoder and how it is used.
pub struct Features<'a> {
    pub encoder: &'a TextEncoder,
    /// Tells this encoder from others.
    pub key: &'a str,
    pub pool: Pool,
    pub length: usize,
    pub batch: usize,
    /// Folder that keeps features.
    pub cache: Option<&'a Path>,
}

/// Tells encoders apart by all that is in their folder.
pub fn key(folder: &Path) -> Result<String, Failure> {
    let failed = |error| Failure::Input(format!("{} cannot be read: {error}", folder.display()));
    if folder.is_file() {
        let mut hash = Fingerprint::new();
        hash.words(&fs::read(folder).map_err(failed)?);
        return Ok(hash.digits());
    }
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(failed)?;
    let used = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        path.is_file() && matches!(ending, Some("json" | "txt" | "bpe" | "safetensors"))
    };
    files.retain(used);
    files.sort();
    let mut hash = Fingerprint::new();
    for file in files {
        hash.text(&file.file_name().unwrap_or_default().to_string_lossy());
        hash.words(&fs::read(&file).map_err(failed)?);
    }
    Ok(hash.digits())
}

/// The folder that keeps features, made if it is not there; `None` if none is wanted.
pub fn cache(encoding: &Encoding) -> Option<PathBuf> {
    if encoding.no_cache {
        return None;
    }
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let usual = || {
        let own = variable("XDG_CACHE_HOME").map(PathBuf::from);
        let home = || Some(PathBuf::from(variable("HOME")?).join(".cache"));
        Some(own.or_else(home)?.join("cronos"))
    };
    let folder = encoding.cache.clone().or_else(usual)?;
    match fs::create_dir_all(&folder) {
        Ok(()) => Some(folder),
        Err(error) => {
            output::remark(&format!(
                "features are not kept: {} cannot be made: {error}",
                folder.display()
            ));
            None
        }
    }
}

impl Features<'_> {
    pub fn columns(&self) -> usize {
        self.encoder.columns(self.pool, self.length)
    }

    /// Tells these features from others.
    fn content(&self, texts: &[String]) -> String {
        let mut hash = Fingerprint::new();
        hash.text(self.key);
        hash.text(&format!("{} {}", self.pool, self.length));
        // a device rounds otherwise
        if self.encoder.place() != Place::Cpu {
            hash.text(&self.encoder.place().to_string());
        }
        texts.iter().for_each(|text| hash.text(text));
        hash.digits()
    }

    /// Where features of texts are kept, once they are there.
    pub fn kept(&self, texts: &[String]) -> Option<PathBuf> {
        self.cache
            .map(|folder| folder.join(format!("{}.npy", self.content(texts))))
    }

    /// All texts of a fit, by the encoder in a folder.
    pub fn encoded(
        &self,
        folder: &Path,
        train: &[String],
        test: Option<&[String]>,
        interrupt: &Interrupt,
    ) -> Result<Encoded, Failure> {
        if let Some(cache) = self.cache {
            output::remark(&format!("features are kept in {}", cache.display()));
        }
        let path = std::path::absolute(folder).unwrap_or(folder.to_owned());
        Ok(Encoded {
            train: self.table(train, "training texts", interrupt)?,
            test: match test {
                Some(texts) => Some(self.table(texts, "test texts", interrupt)?),
                None => None,
            },
            names: (0..self.columns()).map(|at| format!("x{at}")).collect(),
            text: TextInput::Encoder {
                path: path.display().to_string(),
                fingerprint: self.key.into(),
                pool: self.pool.name().into(),
                max_length: self.length,
            },
        })
    }

    /// Features of texts, from the cache if they are there.
    pub fn table(
        &self,
        texts: &[String],
        what: &str,
        interrupt: &Interrupt,
    ) -> Result<Box<dyn Table>, Failure> {
        let (rows, columns) = (texts.len(), self.columns());
        let all = match self.kept(texts) {
            None => {
                let mut all = Vec::with_capacity(rows * columns);
                self.each(texts, 0, what, interrupt, |features| {
                    all.extend_from_slice(features);
                    Ok(())
                })?;
                all
            }
            Some(file) => {
                if !file.is_file() {
                    self.write(texts, &file, what, interrupt)?;
                }
                read_features(&file, rows, columns).map_err(Failure::reading)?
            }
        };
        Ok(Box::new(Singles::from_rows(rows, columns, all)?))
    }

    /// Writes features to a file; what was written of it before stays.
    pub fn write(
        &self,
        texts: &[String],
        path: &Path,
        what: &str,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        let key = self.content(texts);
        let open = FeatureFile::open(path, texts.len(), self.columns(), &key);
        let mut file = open.map_err(Failure::writing)?;
        let done = file.done();
        if done > 0 {
            output::remark(&format!(
                "{done} of {} texts were encoded before",
                texts.len()
            ));
        }
        self.each(&texts[done..], done, what, interrupt, |features| {
            file.append(features).map_err(Failure::writing)
        })?;
        file.finish().map_err(Failure::writing)
    }

    /// Encodes texts by batches and hands over features of several batches at a time.
    fn each(
        &self,
        texts: &[String],
        before: usize,
        what: &str,
        interrupt: &Interrupt,
        mut take: impl FnMut(&[f32]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let bar = Bar::new(before + texts.len(), what);
        let (mut ready, mut done) = (Vec::new(), before);
        for texts in texts.chunks(CUT) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let tokens = self.encoder.cut(&texts, self.length);
            let tokens = tokens.map_err(|error| at_row(error, done))?;
            for tokens in tokens.chunks(self.batch) {
                if interrupt.asked() {
                    take(&ready)?;
                    bar.finish();
                    return Err(self.interrupted());
                }
                ready.extend(self.encoder.features(tokens, self.pool, self.length)?);
                if ready.len() >= PART {
                    take(&ready)?;
                    ready.clear();
                }
                done += tokens.len();
                bar.set(done);
            }
        }
        bar.finish();
        take(&ready)
    }

    fn interrupted(&self) -> Failure {
        let kept = match self.cache {
            Some(_) => "; what is done is kept, run the same again to go on",
            None => "",
        };
        Failure::Interrupted(format!("interrupted while encoding{kept}"))
    }
}

/// An error about a row of some texts as one about a row of all texts.
fn at_row(error: cronos::Error, first: usize) -> Failure {
    match first {
        0 => error.into(),
        _ => {
            let failure: Failure = error.into();
            Failure::Input(format!("in the texts from row {first} on: {failure}"))
        }
    }
}

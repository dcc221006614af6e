//! Any ONNX model as a frozen encoder: texts or images in, numbers out.
//!
//! The model is run by [rten](https://github.com/robertknight/rten) in single precision if the
//! crate is built with the feature `onnx`; without it, [`OnnxEncoder::open`] says so. An ONNX
//! file is a program: one that asks for more memory than there is ends the process, so open only
//! files of a source you trust.

#[cfg(not(feature = "onnx"))]
#[path = "absent.rs"]
mod session;
#[cfg(feature = "onnx")]
mod session;

mod images;
mod rows;
mod text;

pub use images::PixelScale;

use cronos::Error;
use session::Session;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest file: protobuf messages end at 2 GiB. Larger models keep their weights in a
/// file beside it.
const FILE_LIMIT: u64 = i32::MAX as u64;
/// The endings of the file beside a model that holds its weights.
const BESIDE: [&str; 2] = [".data", "_data"];
/// More dimensions than any encoder has.
const DIMENSIONS: usize = 8;

/// An ONNX model that turns texts or images into numbers.
#[derive(Debug)]
pub struct OnnxEncoder {
    path: PathBuf,
    session: Session,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    output: usize,
    padding: u32,
}

/// An input or output of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// What its entries are.
    pub entries: Entries,
    /// Its shape, if the file says: `None` is a length that is free.
    pub shape: Option<Vec<Option<usize>>>,
}

/// What the entries of an input or output are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entries {
    /// Real numbers.
    Reals,
    /// Whole numbers.
    Whole,
    /// Something that cannot be given here.
    Other,
}

/// What an encoder made of a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Encoded {
    /// The shape; the first length is that of the batch.
    pub shape: Vec<usize>,
    /// The numbers, row by row.
    pub values: Vec<f32>,
}

/// Numbers for an input.
#[cfg_attr(not(feature = "onnx"), expect(dead_code))]
enum Feed {
    Reals(Vec<f32>),
    Whole(Vec<i32>),
}

impl OnnxEncoder {
    /// Opens a model. Weights in a file beside it, `NAME.onnx.data` or `NAME.onnx_data`, are
    /// read with it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if !session::COMPILED_IN {
            return Err(Error::Format(
                "running ONNX models is not compiled in: rebuild with --features onnx".into(),
            ));
        }
        let refused = |why: String| refused(path, &why);
        let bytes = read(path).map_err(refused)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = BESIDE.map(|ending| format!("{name}{ending}"));
        let beside: Vec<(String, Vec<u8>)> = (beside.into_iter())
            .map(|name| (path.with_file_name(&name), name))
            .filter(|(path, _)| path.is_file())
            .map(|(path, name)| read(&path).map(|bytes| (name, bytes)))
            .collect::<Result<_, _>>()
            .map_err(refused)?;
        let session = Session::load(bytes, beside).map_err(refused)?;
        let (inputs, outputs) = (session.inputs(), session.outputs());
        if inputs.is_empty() || outputs.is_empty() {
            return Err(refused(
                "has no input or no output; give a model exported for inference".into(),
            ));
        }
        if let Some(port) = inputs.iter().find(|port| port.is_absurd()) {
            return Err(refused(format!(
                "has input `{}` of shape {}, which is no input of an encoder",
                port.name,
                port.shape_text()
            )));
        }
        Ok(Self {
            path: path.to_path_buf(),
            session,
            inputs,
            outputs,
            output: 0,
            padding: 0,
        })
    }

    /// The inputs of the model.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// The outputs of the model.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// Takes the output of this name in place of the first.
    pub fn with_output(mut self, name: &str) -> Result<Self, Error> {
        let named = self.outputs.iter().position(|output| output.name == name);
        self.output = named.ok_or_else(|| {
            let names: Vec<&str> = self.outputs.iter().map(|port| &port.name[..]).collect();
            refused(
                &self.path,
                &format!("has no output `{name}`; take one of {}", names.join(", ")),
            )
        })?;
        Ok(self)
    }

    /// Fills shorter texts of a batch with this token in place of 0.
    pub fn with_padding(mut self, token: u32) -> Self {
        self.padding = token;
        self
    }

    /// One run of the model on a batch of `rows`, all of which must be in the result.
    fn run(&self, feeds: Vec<(usize, Vec<usize>, Feed)>, rows: usize) -> Result<Encoded, Error> {
        let encoded = self
            .session
            .run(feeds, self.output)
            .map_err(|why| refused(&self.path, &format!("cannot be run on this batch: {why}")))?;
        if encoded.shape.first() == Some(&rows) && !encoded.values.is_empty() {
            return Ok(encoded);
        }
        Err(refused(
            &self.path,
            &format!(
                "gives output `{}` of shape {:?} for a batch of {rows}; the first length must be \
                 that of the batch; take another output or export it with a free batch",
                self.outputs[self.output].name, encoded.shape
            ),
        ))
    }

    /// Puts the first `rows` of a run behind those of runs before it.
    fn append(&self, all: &mut Encoded, mut run: Encoded, rows: usize) -> Result<(), Error> {
        let width = run.values.len() / run.shape[0];
        run.values.truncate(rows * width);
        run.shape[0] = rows;
        let before = all.shape.first().copied().unwrap_or(0);
        if let Some(at) = run.values.iter().position(|value| !value.is_finite()) {
            return Err(refused(
                &self.path,
                &format!(
                    "gives {} for row {} (counting from 0); look at that row, or take another \
                     model",
                    run.values[at],
                    before + at / width
                ),
            ));
        }
        if before == 0 {
            *all = run;
            return Ok(());
        }
        if all.shape[1..] != run.shape[1..] {
            return Err(refused(
                &self.path,
                &format!(
                    "gives rows of shape {:?}, then of {:?}; export it with a free batch",
                    &all.shape[1..],
                    &run.shape[1..]
                ),
            ));
        }
        all.shape[0] += rows;
        all.values.extend(run.values);
        Ok(())
    }
}

impl Port {
    /// Whether the number of rows is free.
    fn takes_any_batch(&self) -> bool {
        let shape = self.shape.as_deref().unwrap_or_default();
        shape.first().is_none_or(Option::is_none)
    }

    fn is_absurd(&self) -> bool {
        let longest = |length: &Option<usize>| length.is_some_and(|l| l == 0 || l > 1 << 24);
        let shape = self.shape.as_deref().unwrap_or_default();
        shape.len() > DIMENSIONS || shape.iter().any(longest)
    }

    /// `[?, 3, 224, 224]`
    pub fn shape_text(&self) -> String {
        let Some(shape) = &self.shape else {
            return "[unknown]".into();
        };
        let length = |length: &Option<usize>| length.map_or("?".into(), |l| l.to_string());
        let lengths: Vec<String> = shape.iter().take(2 * DIMENSIONS).map(length).collect();
        format!("[{}]", lengths.join(", "))
    }
}

/// A whole file, if it is not larger than such a file can be.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |error| format!("cannot be read ({error})");
    let mut file = File::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let weights = BESIDE
        .iter()
        .any(|end| path.to_string_lossy().ends_with(end));
    let available = cronos::memory::available();
    if length > if weights { u64::MAX } else { FILE_LIMIT } || length > available {
        return Err(format!(
            "has {} of {}, too much to be read; take a smaller model",
            cronos::memory::human(length),
            if weights { "weights" } else { "a model" },
        ));
    }
    let mut bytes = Vec::new();
    (bytes.try_reserve_exact(length as usize))
        .map_err(|error| format!("is too large ({error})"))?;
    (&mut file)
        .take(length)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    Ok(bytes)
}

fn refused(path: &Path, why: &str) -> Error {
    Error::Format(format!("the ONNX file {} {why}", path.display()))
}

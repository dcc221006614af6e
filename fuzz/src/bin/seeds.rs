//! Writes a small whole file of each kind into `corpus`, for the fuzzer to begin with.

use cronos::{Checkpoint, Classifier, GateSource, Keeper, Matrix, Options, Program, Settings};
use cronos_deep::language::transformer::{Config, Transformer};
use cronos_deep::language::{Encoder, Tokens};
use cronos_fuzz::joined;
use flate2::{Compression, write::GzEncoder};
use image::{ImageFormat, RgbImage};
use std::error::Error;
use std::io::{Cursor, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use zip::{ZipWriter, write::SimpleFileOptions};

fn main() -> Result<(), Box<dyn Error>> {
    tables()?;
    arrays()?;
    texts()?;
    pictures()?;
    parquet()?;
    network()?;
    checkpoint()?;
    encoders()
}

fn seed(target: &str, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join(format!("seed-{name}")), bytes)
}

/// Bytes behind the one that names their kind.
fn kind(at: u8, bytes: &[u8]) -> Vec<u8> {
    [&[at], bytes].concat()
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes)?;
    packed.finish()
}

fn tables() -> std::io::Result<()> {
    let csv = b"a,\"b, c\",y\r\n1,2.5e3,x\n3,?,\"z \"\"q\"\"\"\n,-7,x\n";
    seed("tables", "csv", &kind(0, csv))?;
    seed("tables", "tsv", &kind(1, b"a\tb\ty\n1\t2\t0\n3\t4\t1\n"))?;
    seed("tables", "txt", &kind(2, b" 1  2  3 \n 4  5  6"))?;
    seed("tables", "svm", &kind(3, b"1 1:2 3:4 # x\n-1 qid:3 2:5\n"))?;
    seed("tables", "gz", &kind(4, &gzip(csv)?))
}

fn npy(kind: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (header.len() + 11).next_multiple_of(64) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{header:<width$}\n", width = length - 1).into_bytes());
    bytes.extend_from_slice(values);
    bytes
}

fn arrays() -> Result<(), Box<dyn Error>> {
    let numbers: Vec<u8> = (0..6).flat_map(|at| f64::from(at).to_le_bytes()).collect();
    let x = npy("<f8", "(3, 2)", &numbers);
    seed("arrays", "npy", &kind(0, &x))?;
    seed("gates", "npy", &npy("<f8", "(2, 3)", &numbers))?;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in [("X.npy", &x), ("y.npy", &npy("|u1", "(3,)", &[0, 1, 1]))] {
        zip.start_file(name, SimpleFileOptions::default())?;
        zip.write_all(bytes)?;
    }
    seed("arrays", "npz", &kind(1, &zip.finish()?.into_inner()))?;
    let idx = [0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4];
    seed("idx", "plain", &kind(0, &idx))?;
    seed("idx", "packed", &kind(1, &gzip(&idx)?))?;
    let record = |class: u8| [&[class][..], &[7; 3072]].concat();
    let files = [record(0), record(1)].concat();
    Ok(seed(
        "cifar",
        "two",
        &joined(&[b"cat\ndog\n", &files, &files]),
    )?)
}

fn texts() -> std::io::Result<()> {
    let lines = b"{\"text\": \"good\", \"label\": 1}\n{\"text\": \"b\\u0061d\", \"label\": 0}\n";
    seed("texts", "jsonl", &kind(0, lines))?;
    seed("texts", "gz", &kind(1, &gzip(lines)?))?;
    seed(
        "texts",
        "csv",
        &kind(2, b"text,label\n\"good, so\",1\nbad,0\n"),
    )?;
    seed("texts", "txt", &kind(4, b"good\nbad\n"))
}

fn pictures() -> Result<(), Box<dyn Error>> {
    let image = RgbImage::from_fn(3, 2, |i, j| image::Rgb([i as u8, 9, j as u8]));
    for (at, format) in [ImageFormat::Png, ImageFormat::Jpeg]
        .into_iter()
        .enumerate()
    {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format)?;
        seed(
            "images",
            &at.to_string(),
            &kind(at as u8, &bytes.into_inner()),
        )?;
    }
    Ok(())
}

fn parquet() -> Result<(), Box<dyn Error>> {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cronos-data/tests/parquet");
    for entry in std::fs::read_dir(kept)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "parquet") {
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let bytes = std::fs::read(&path)?;
            seed("parquet", &name, &bytes)?;
            seed("texts", &name, &kind(5, &bytes))?;
        }
    }
    Ok(())
}

fn square() -> Matrix<f64> {
    Matrix::from_fn(40, 2, |i, j| ((i * (3 + j)) as f64).sin())
}

fn network() -> Result<(), Box<dyn Error>> {
    let x = square();
    let labels: Vec<usize> = (0..40)
        .map(|i| usize::from(x.at(i, 0) * x.at(i, 1) > 0.0))
        .collect();
    let options = Options {
        gates: GateSource::Sampled(2),
        ..Options::default()
    };
    let trained = (Classifier {
        options: options.clone(),
    })
    .fit(&x, &labels)?;
    let task = cronos::Task::Classification {
        classes: vec!["no".into(), "yes".into()],
    };
    let names = vec!["a".into(), "b".into()];
    let model = cronos::Model::of(&trained.fitted, &options, task, names, 40);
    seed("model", "two-layers", &model.to_bytes()?)?;
    Ok(seed("onnx", "two-layers", &model.to_onnx()?)?)
}

struct First(Mutex<Vec<u8>>);

impl Keeper for First {
    fn every(&self) -> usize {
        1
    }

    fn start(&self) -> Option<Checkpoint> {
        None
    }

    fn keep(&self, state: &Checkpoint) -> ControlFlow<()> {
        *self.0.lock().expect("no panic") = state.to_bytes().unwrap_or_default();
        ControlFlow::Break(())
    }
}

fn checkpoint() -> Result<(), Box<dyn Error>> {
    let x = square();
    let program = Program {
        gates: cronos::Gates::sample(&x, 2, 0)?,
        y: Matrix::from_fn(40, 1, |i, _| x.at(i, 0)),
        x,
        beta: 0.1,
        activation: cronos::Activation::Relu,
        loss: cronos::Loss::Squared,
        weights: None,
    };
    let keeper = First(Mutex::default());
    program.solve_kept(&Settings::default(), &keeper, &mut |_| {
        ControlFlow::Continue(())
    })?;
    let bytes = keeper.0.into_inner()?;
    Ok(seed("checkpoint", "fit", &bytes)?)
}

fn encoders() -> Result<(), Box<dyn Error>> {
    let folder = cronos_fuzz::folder().join("seed");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("vocab.json"), r#"{"a": 0, "b": 1}"#)?;
    std::fs::write(folder.join("merges.txt"), "#version: 0.2\n")?;
    let tokens = Tokens::open(&folder)?;
    let mut config = Config::gpt2(2, 4, 1, 1);
    (config.positions, config.inner) = (8, 4);
    let transformer = Transformer::new(config);
    let parameters = vec![0.25; transformer.parameters()];
    Encoder::new(transformer, parameters, tokens)?.save(&folder)?;
    let read = |name: &str| std::fs::read(folder.join(name));
    let parts = [
        read("config.json")?,
        read("tokenizer.json")?,
        read("model.safetensors")?,
    ];
    seed(
        "encoder",
        "gpt2",
        &joined(&parts.each_ref().map(Vec::as_slice)),
    )?;
    std::fs::remove_dir_all(cronos_fuzz::folder())?;
    Ok(seed("gguf", "small", &gguf())?)
}

/// Two entries and a tensor.
fn gguf() -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    bytes.extend([1u64, 2].iter().flat_map(|count| count.to_le_bytes()));
    bytes.extend(
        [
            text("general.architecture"),
            8u32.to_le_bytes().to_vec(),
            text("llama"),
        ]
        .concat(),
    );
    bytes.extend([text("llama.block_count"), 4u32.to_le_bytes().to_vec()].concat());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend([text("token_embd.weight"), 1u32.to_le_bytes().to_vec()].concat());
    bytes.extend([4u64.to_le_bytes(), [0; 8]].concat());
    // its kind, and where it begins
    let at = bytes.len() - 8;
    bytes.splice(
        at..,
        [&0u32.to_le_bytes()[..], &0u64.to_le_bytes()].concat(),
    );
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    bytes.extend((0..4).flat_map(|at| (at as f32).to_le_bytes()));
    bytes
}

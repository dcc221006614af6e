//! What is in a GGUF file, for comparisons with other readers.
//!
//! ```text
//! gguf_dump FILE                      its metadata and tensors
//! gguf_dump FILE tensors DIR          every tensor in single precision, DIR/NAME.f32
//! gguf_dump FILE tokens TEXTS.json    the tokens of each text, as JSON
//! ```

use cronos_deep::language::gguf::{Gguf, Value};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [file] => list(&Gguf::open(Path::new(file))?),
        [file, "tensors", folder] => tensors(&Gguf::open(Path::new(file))?, Path::new(folder))?,
        [file, "tokens", texts] => tokens(&Gguf::open(Path::new(file))?, Path::new(texts))?,
        _ => return Err("gguf_dump FILE [tensors DIR | tokens TEXTS.json]".into()),
    }
    Ok(())
}

fn list(file: &Gguf) {
    println!("version {}", file.version());
    for (key, value) in file.entries() {
        match value {
            Value::Text(text) => println!("{key}: {:?}", text.chars().take(60).collect::<String>()),
            Value::Texts(texts) => println!("{key}: {} texts", texts.len()),
            Value::Numbers(numbers) => println!("{key}: {} numbers", numbers.len()),
            other => println!("{key}: {other:?}"),
        }
    }
    for tensor in file.tensors() {
        println!("{} {} {:?}", tensor.name, tensor.type_name(), tensor.shape);
    }
}

fn tensors(file: &Gguf, folder: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    for tensor in file.tensors() {
        let (_, values) = file.tensor(&tensor.name)?;
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        std::fs::write(folder.join(format!("{}.f32", tensor.name)), bytes)?;
    }
    Ok(())
}

fn tokens(file: &Gguf, texts: &Path) -> Result<(), Box<dyn Error>> {
    let tokenizer = file.tokenizer()?;
    let texts: Vec<String> = serde_json::from_slice(&std::fs::read(texts)?)?;
    let mut all = Vec::new();
    for text in texts {
        let encoding = tokenizer
            .encode(text, false)
            .map_err(|error| error.to_string())?;
        all.push(encoding.get_ids().to_vec());
    }
    println!("{}", serde_json::to_string(&all)?);
    Ok(())
}

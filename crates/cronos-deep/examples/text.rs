//! Classifies texts: `cargo run --release -p cronos-deep --example text -- TRAIN TEST`.
//!
//! Both files have a JSON object with `text` and `label` in each line, perhaps compressed by gzip. More arguments, in
//! any order: `fast` or `best`, `squared` or `logistic`, `words=3` (in a term at most), `terms=100000` (at most),
//! `beta=20`.

use cronos::auto::Preset;
use cronos::{Classifier, Loss, Options};
use cronos_deep::language::{Tfidf, TfidfSettings};
use std::fs::File;
use std::io::Read;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [train, test, more @ ..] = &arguments[..] else {
        return Err("give a file to train on and one to test on".into());
    };
    let (mut settings, mut options) = (TfidfSettings::default(), Options::default());
    for argument in more {
        match argument.split_once('=') {
            Some(("words", count)) => settings.ngrams.1 = count.parse()?,
            Some(("terms", count)) => settings.most_terms = count.parse()?,
            Some(("beta", beta)) => options.beta = Some(beta.parse()?),
            None if argument == "fast" => options.preset = Preset::Fast,
            None if argument == "best" => options.preset = Preset::Best,
            None if argument == "squared" => options.loss = Some(Loss::Squared),
            None if argument == "logistic" => options.loss = Some(Loss::Logistic),
            _ => return Err(format!("{argument:?} is not known here").into()),
        }
    }
    let [train, test] = [read(train)?, read(test)?];
    let clock = Instant::now();
    let tfidf = Tfidf::learn(&train.texts, settings)?;
    println!("{} terms in {:.1?}", tfidf.terms().len(), clock.elapsed());
    let x = tfidf.encode(&train.texts)?;
    println!("{} entries, after {:.1?}", x.entries(), clock.elapsed());
    let clock = Instant::now();
    let trained = Classifier { options }.fit(&x, &train.labels)?;
    let fitted = &trained.fitted;
    println!(
        "fitted in {:.1?}: {}",
        clock.elapsed(),
        fitted.status.name()
    );
    if let Some(search) = &fitted.search {
        for member in &search.members {
            println!(
                "{} units, {} loss, beta {:.4}, held out {:.4}",
                member.neurons,
                member.loss.name(),
                member.beta,
                member.validation_score
            );
            for point in &member.path {
                println!(
                    "  beta {:9.4}  units {:3}  train {:.4}  held out {:.4}  score {:.4}",
                    point.beta,
                    point.neurons,
                    point.train_score,
                    point.validation_score,
                    point.validation_loss
                );
            }
        }
    }
    println!("{:?}", fitted.certificate);
    println!("planned {:?} bytes", fitted.planned_bytes);
    println!(
        "train accuracy {:.4}",
        accuracy(&trained.predict(&x)?, &train.labels)
    );
    let clock = Instant::now();
    let found = trained.predict(&tfidf.encode(&test.texts)?)?;
    println!(
        "test accuracy {:.4}, in {:.1?}",
        accuracy(&found, &test.labels),
        clock.elapsed()
    );
    Ok(())
}

struct Texts {
    texts: Vec<String>,
    labels: Vec<String>,
}

fn read(path: &str) -> Result<Texts, Failure> {
    let mut lines = String::new();
    let mut file = File::open(path)?;
    match path.ends_with(".gz") {
        true => flate2::read::MultiGzDecoder::new(file).read_to_string(&mut lines)?,
        false => file.read_to_string(&mut lines)?,
    };
    let (mut texts, mut labels) = (Vec::new(), Vec::new());
    for line in lines.lines() {
        let record: serde_json::Value = serde_json::from_str(line)?;
        texts.push(
            record["text"]
                .as_str()
                .ok_or("a line has no text")?
                .to_owned(),
        );
        labels.push(record["label"].to_string());
    }
    Ok(Texts { texts, labels })
}

fn accuracy(found: &[String], labels: &[String]) -> f64 {
    let right = found.iter().zip(labels).filter(|(a, b)| a == b).count();
    right as f64 / labels.len() as f64
}

//! Training an encoder before its features are taken.

use crate::arguments::{Setting, TextFit};
use crate::commands::labelled::Truth;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Bar;
use cronos::Place;
use cronos_data::{TargetColumn, TextOptions, read_texts};
use cronos_deep::language::{Encoder, Pool, Tuning};

/// Refuses options that do not fit together, before any work.
pub fn check(text: &TextFit) -> Result<(), Failure> {
    if !(text.tune_rate > 0.0 && text.tune_rate.is_finite()) {
        return Err(Failure::Usage(format!(
            "tune-rate is {}; it must be above 0",
            text.tune_rate
        )));
    }
    let frozen = text.setting == Setting::Frozen;
    if !frozen && text.encoding.encoder.is_none() {
        return Err(Failure::Usage(
            "--setting is for an encoder; name one with --encoder".into(),
        ));
    }
    for (option, given) in [
        ("--save-encoder", frozen && text.save_encoder.is_some()),
        ("--tune-blocks", frozen && text.tune_blocks.is_some()),
    ] {
        if given {
            return Err(Failure::Usage(format!(
                "{option} is for an encoder that is trained; pass --setting fine-tuned or \
                 domain-adapted, too"
            )));
        }
    }
    if text.unlabelled.is_some() && text.setting != Setting::DomainAdapted {
        return Err(Failure::Usage(
            "--unlabelled is for --setting domain-adapted".into(),
        ));
    }
    if !frozen && text.fit.out.is_some() && text.save_encoder.is_none() {
        return Err(Failure::Usage(
            "a model with an encoder that is trained here needs it later; say where with \
             --save-encoder DIR"
                .into(),
        ));
    }
    match &text.save_encoder {
        Some(folder) if folder.exists() && !text.fit.force => Err(Failure::Usage(format!(
            "{} exists; pass --force to overwrite what is in it",
            folder.display()
        ))),
        _ => Ok(()),
    }
}

/// Trains the encoder as the setting says.
pub fn tune(
    text: &TextFit,
    encoder: &mut Encoder,
    pool: Pool,
    (texts, truth): (&[String], &Truth),
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let tuning = Tuning {
        epochs: text.tune_epochs,
        batch: text.tune_batch,
        rate: text.tune_rate,
        blocks: text.tune_blocks,
        seed: text.fit.source.seed,
    };
    let length = text.encoding.max_length;
    let needed = match encoder.place() {
        Place::Cpu => encoder.tuning_bytes(&tuning, length),
        _ => 0,
    };
    let available = cronos::memory::available();
    if needed > available {
        return Err(Failure::Work(format!(
            "training the encoder needs {}, but there are {}; use --tune-blocks, a smaller \
             --tune-batch or a smaller --max-length",
            cronos::memory::human(needed),
            cronos::memory::human(available)
        )));
    }
    let mut watch = Watch {
        bar: Bar::new(0, "steps of training the encoder"),
        interrupt,
    };
    match (text.setting, truth) {
        (Setting::Frozen, _) => {}
        (Setting::FineTuned, Truth::Classes(labels)) => {
            let tokens = cut(encoder, texts, length)?;
            let classes = labels.iter().max().map_or(0, |most| most + 1);
            encoder.tune_on_classes(
                &tokens,
                (labels, classes),
                (pool, length),
                &tuning,
                &mut watch,
            )?;
        }
        (Setting::FineTuned, Truth::Numbers(_)) => {
            return Err(Failure::Usage(
                "--setting fine-tuned needs classes; use frozen or domain-adapted for numbers"
                    .into(),
            ));
        }
        (Setting::DomainAdapted, _) => {
            let tokens = match &text.unlabelled {
                Some(path) => cut(encoder, &unlabelled(text, path)?, length)?,
                None => cut(encoder, texts, length)?,
            };
            encoder.tune_on_texts(&tokens, &tuning, &mut watch)?;
        }
    }
    watch.bar.finish();
    match interrupt.asked() {
        true => Err(Failure::Interrupted(
            "interrupted while the encoder was trained; nothing was saved".into(),
        )),
        false => Ok(()),
    }
}

fn unlabelled(text: &TextFit, path: &str) -> Result<Vec<String>, Failure> {
    let options = TextOptions {
        text: text.encoding.text.clone(),
        target: TargetColumn::Absent,
    };
    let texts = read_texts(path, &options).map_err(Failure::reading)?;
    Ok(texts.texts)
}

fn cut(encoder: &Encoder, texts: &[String], length: usize) -> Result<Vec<Vec<u32>>, Failure> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok(encoder.cut(&texts, length)?)
}

struct Watch<'a> {
    bar: Bar,
    interrupt: &'a Interrupt,
}

impl cronos_deep::language::Steps for Watch<'_> {
    fn step(&mut self, step: usize, of: usize, loss: f64) -> bool {
        self.bar.show(step, of, &format!("loss {loss:.4}"));
        !self.interrupt.asked()
    }
}

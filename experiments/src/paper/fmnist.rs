//! Ten classes: a two-layer network on Fashion-MNIST.

use super::Experiment;
use super::bench::{Job, Setting};
use super::contest::{contenders, figures, results, verdict};
use super::pieces::{mean, numbers, of_key, over_seeds, provenance, seconds};
use super::record::Record;
use cronos_page::html::{paragraph, table};

pub const FMNIST: Experiment = Experiment {
    name: "fmnist",
    title: "Ten classes: Fashion-MNIST",
    about: "a two-layer network of 60 units against optimizers with large and small batches",
    data: "Fashion-MNIST",
    minutes: 150,
    jobs,
    section,
};

/// What the optimizers go over at a time.
const BATCHES: [usize; 2] = [10_000, 128];
/// What the paper has, with batches of 10,000.
const PAPER: [(&str, &str); 5] = [
    ("Adam", "12.24 to 78.62 %"),
    ("AdamW", "12.23 to 78.61 %"),
    ("SGD", "6.63 to 75.32 %"),
    ("Shampoo", "5.87 to 78.49 %"),
    ("Yogi", "19.44 to 71.54 %"),
];

fn jobs(setting: &Setting<'_>) -> Result<Vec<Job>, String> {
    let folder = setting.places.fashion()?;
    let few = match setting.quick {
        true => "--epochs 1 --rates 1 --optimizers adamw",
        false => "--epochs 20",
    };
    let fast = if setting.quick { "--fast" } else { "" };
    let mut jobs = Vec::new();
    for seed in 0..setting.seeds {
        let fit = format!("fit {{}} --gates 60 --learn-gates {fast}");
        jobs.push(Job::cronos("fit", seed, &fit, &[&folder]));
        for batch in BATCHES {
            // 2 signs x 3 gates x 10 classes are 60 units
            let line =
                format!("compare {{}} --arch none --gates 3 --augment none --batch {batch} {few}");
            let key = format!("batch {batch}");
            jobs.push(Job::cronos(&key, seed, &line, &[&folder]));
        }
    }
    Ok(jobs)
}

fn section(records: &[&Record]) -> Result<String, String> {
    let mut html = paragraph(
        "60,000 images to train on, 10,000 to test, two layers with 60 units in between (the paper \
         has 64; the last two layers here come in pairs for each class). The paper trains the \
         optimizers with batches of 10,000; batches of 128 are kinder to them.",
    );
    let fits = of_key(records, "fit");
    let (tests, times, units) = (
        numbers(&fits, "/test/accuracy")?,
        numbers(&fits, "/seconds/total")?,
        numbers(&fits, "/neurons")?,
    );
    if !fits.is_empty() {
        let row = vec![
            "cronos fit, gates learned".to_owned(),
            over_seeds(&tests),
            "85.8 %".to_owned(),
            format!("{:.0}", mean(&units)),
            seconds(mean(&times)),
        ];
        let head = ["", "test accuracy", "in the paper", "units", "time"];
        html += &table("The network without a learning rate", &head, &[row]);
    }
    for (batch, charts) in BATCHES.into_iter().zip([
        [
            "fmnist-large-seconds",
            "fmnist-large-epochs",
            "fmnist-large-rates",
        ],
        [
            "fmnist-small-seconds",
            "fmnist-small-epochs",
            "fmnist-small-rates",
        ],
    ]) {
        let key = format!("batch {batch}");
        let own = of_key(records, &key);
        let found = contenders(&own)?;
        let paper: &[_] = if batch == BATCHES[0] { &PAPER } else { &[] };
        html += &format!("<h3>Batches of {batch}</h3>\n");
        html += &paragraph(&verdict(&found));
        html += &results(&found, paper);
        html += &figures(charts, &found);
    }
    Ok(html + &provenance(records, FMNIST.name))
}

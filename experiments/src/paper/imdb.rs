//! Texts: heads on the features of a language model that is frozen, fine-tuned or adapted.

use super::Experiment;
use super::bench::{Job, Setting};
use super::contest::{contenders, figures, results, verdict};
use super::pieces::{mean, numbers, of_key, over_seeds, provenance, seconds};
use super::record::Record;
use cronos_page::html::{paragraph, table};

pub const IMDB: Experiment = Experiment {
    name: "imdb",
    title: "Texts: IMDb",
    about: "heads on features of a language model: frozen, fine-tuned and adapted (table 3)",
    data: "imdb, and an encoder named by --encoder",
    minutes: 120,
    jobs,
    section,
};

/// Keys, names in print, flags, and the paper's accuracy.
const SETTINGS: [(&str, &str, &str, &str); 3] = [
    ("frozen", "frozen", "frozen", "77.66 %"),
    (
        "fine-tuned",
        "fine-tuned, one epoch on the classes",
        "fine-tuned",
        "93.91 %",
    ),
    (
        "domain-adapted",
        "adapted, one epoch on the texts alone",
        "domain-adapted",
        "76.15 %",
    ),
];

fn jobs(setting: &Setting<'_>) -> Result<Vec<Job>, String> {
    let [train, test] = setting.places.imdb()?;
    let sample = if setting.quick { 40 } else { 1500 };
    let mut jobs = Vec::new();
    for seed in 0..setting.seeds {
        let words = format!(
            "text fit {{}} --test {{}} --target label {}",
            match setting.quick {
                true => "--sample 2000 --fast",
                false => "",
            }
        );
        jobs.push(Job::cronos("words", seed, &words, &[&train, &test]));
        let Some(encoder) = setting.encoder else {
            continue;
        };
        for (key, _, flag, _) in SETTINGS {
            let line = format!(
                "text fit {{}} --test {{}} --target label --encoder {{}} --sample {sample} --setting {flag}"
            );
            jobs.push(Job::cronos(key, seed, &line, &[&train, &test, encoder]));
        }
        let few = if setting.quick {
            "--epochs 1 --rates 1"
        } else {
            ""
        };
        let line = format!(
            "text compare {{}} --test {{}} --target label --encoder {{}} --sample {sample} --optimizers \
             adamw {few}"
        );
        jobs.push(Job::cronos(
            "compare",
            seed,
            &line,
            &[&train, &test, encoder],
        ));
    }
    Ok(jobs)
}

fn section(records: &[&Record]) -> Result<String, String> {
    let mut rows = Vec::new();
    let mut add = |key: &str, name: &str, paper: &str| -> Result<(), String> {
        let own = of_key(records, key);
        let (tests, times) = (
            numbers(&own, "/test/accuracy")?,
            numbers(&own, "/seconds/total")?,
        );
        if let Some(first) = own.first() {
            rows.push(vec![
                name.to_owned(),
                over_seeds(&tests),
                paper.to_owned(),
                format!("{:.0}", first.number("/train/rows")?),
                seconds(mean(&times)),
            ]);
        }
        Ok(())
    };
    add("words", "counts of words, no language model", "–")?;
    for (key, name, _, paper) in SETTINGS {
        add(key, name, paper)?;
    }
    let encoders: std::collections::BTreeSet<&str> = (records.iter())
        .filter_map(|one| one.command.split("--encoder ").nth(1)?.split(' ').next())
        .filter_map(|path| path.trim_end_matches('/').rsplit('/').next())
        .collect();
    let encoder = match encoders.is_empty() {
        true => {
            "No encoder was named with --encoder, so only counts of words were measured.".into()
        }
        false => format!(
            "Encoder: {}. The paper has GPT-2; where another one stands here, its figures are not \
             of the same features.",
            encoders.into_iter().collect::<Vec<_>>().join(", ")
        ),
    };
    let mut html = paragraph(
        "Movie reviews, good or bad. Test accuracy on reviews of other films; the paper gives the \
         best accuracy on the rows it chose on. Language models see 60 tokens of 1,500 reviews.",
    );
    html += &paragraph(&encoder);
    let head = [
        "features",
        "test accuracy",
        "in the paper",
        "rows",
        "time, features included",
    ];
    html += &table("Accuracy by features", &head, &rows);
    let own = of_key(records, "compare");
    let found = contenders(&own)?;
    if found.iter().any(|one| !one.tests.is_empty()) {
        html += "<h3>Heads on frozen features</h3>\n";
        html += &paragraph(&verdict(&found));
        html += &results(&found, &[("AdamW", "40.29 to 73.69 %")]);
        html += &figures(["imdb-seconds", "imdb-epochs", "imdb-rates"], &found);
    }
    Ok(html + &provenance(records, IMDB.name))
}

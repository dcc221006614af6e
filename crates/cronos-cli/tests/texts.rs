//! Texts from the file to the answer: by an encoder, and by counts of words.

mod shell;
#[cfg(feature = "onnx")]
#[allow(dead_code)]
#[path = "../../cronos-deep/tests/written/mod.rs"]
mod written;

use cronos_deep::language::transformer::{Config, Transformer};
use cronos_deep::language::{Encoder, Tokens};
use shell::{Folder, number};
use std::fmt::Write;

/// Reviews whose words tell their class, with some that do not.
fn reviews(count: usize) -> Vec<(String, &'static str)> {
    let good = ["fine", "great", "lovely", "warm"];
    let bad = ["dull", "poor", "awful", "cold"];
    let about = ["film", "story", "cast", "plot", "music"];
    (0..count)
        .map(|at| {
            let class = at * 7 % 2;
            let words = if class == 1 { good } else { bad };
            let text = format!(
                "the {} was {} and the {} {}, said number {}",
                about[at % 5],
                words[at % 4],
                about[(at + 2) % 5],
                words[(at / 4) % 4],
                at % 13
            );
            (text, ["neg", "pos"][class])
        })
        .collect()
}

fn jsonl(reviews: &[(String, &str)]) -> String {
    let mut text = String::new();
    for (review, class) in reviews {
        let line = serde_json::json!({"id": 1, "label": class, "text": review});
        writeln!(text, "{line}").unwrap();
    }
    text
}

fn csv(reviews: &[(String, &str)]) -> String {
    let mut text = String::from("sentiment,review\n");
    for (review, class) in reviews {
        writeln!(text, "{class},\"{review}\"").unwrap();
    }
    text
}

/// A tokenizer of single letters; returns their number.
fn letters(folder: &Folder, name: &str) -> usize {
    let mut vocabulary = serde_json::Map::new();
    let letters = ('a'..='z').chain('0'..='9').chain(['Ġ', ',']);
    for (at, letter) in letters.enumerate() {
        vocabulary.insert(letter.to_string(), at.into());
    }
    let count = vocabulary.len();
    let text = serde_json::Value::Object(vocabulary).to_string();
    folder.put(&format!("{name}/vocab.json"), text);
    folder.put(&format!("{name}/merges.txt"), "#version: 0.2\n");
    count
}

/// A small GPT-2 with weights of no use, whose vocabulary is single letters.
fn encoder(folder: &Folder, name: &str) {
    let place = folder.path(name);
    std::fs::create_dir(&place).unwrap();
    let count = letters(folder, name);
    let mut config = Config::gpt2(count, 16, 2, 2);
    config.positions = 64;
    let transformer = Transformer::new(config);
    let wave = |at: usize| 0.3 * ((at * at % 8191) as f32 * 0.77).sin();
    let parameters = (0..transformer.parameters()).map(wave).collect();
    let tokens = Tokens::open(&place).unwrap();
    Encoder::new(transformer, parameters, tokens)
        .and_then(|encoder| encoder.save(&place))
        .unwrap();
}

#[test]
fn features_are_written_kept_and_the_same_again() {
    let folder = Folder::new();
    encoder(&folder, "gpt2");
    folder.put("reviews.jsonl", jsonl(&reviews(70)));
    let line = "embed reviews.jsonl --encoder gpt2 --cache kept --targets y.npy --json";
    let run = |line: &str| {
        let ended = folder.run(line);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        serde_json::from_str::<serde_json::Value>(&ended.stdout).unwrap()
    };
    let report = run(&format!("{line} --out x.npy"));
    assert_eq!(number(&report, "/rows"), 70.0);
    assert_eq!(number(&report, "/features"), 16.0);
    // another size of batches, from the cache, and without one
    let again = line.replace("y.npy", "z.npy");
    run(&format!("{again} --out again.npy --batch 7"));
    assert_eq!(folder.bytes("x.npy"), folder.bytes("again.npy"));
    let alone = "embed reviews.jsonl --encoder gpt2 --no-cache --json --out";
    run(&format!("{alone} alone.npy"));
    assert_eq!(folder.bytes("x.npy"), folder.bytes("alone.npy"));
    let kept = std::fs::read_dir(folder.path("kept")).unwrap().count();
    assert_eq!(kept, 1);
    // work that was broken off goes on: half of the rows are there already
    let whole = folder.bytes("x.npy");
    let name = std::fs::read_dir(folder.path("kept"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let name = name.file_name().into_string().unwrap();
    let key = name.strip_suffix(".npy").unwrap();
    std::fs::remove_file(folder.path(&format!("kept/{name}"))).unwrap();
    let half = whole.len() - 35 * 16 * 4 - 3;
    folder.put(&format!("kept/.{name}.{key}.part"), &whole[..half]);
    let ended = folder.run("embed reviews.jsonl --encoder gpt2 --cache kept --out more.npy");
    assert!(
        ended.stderr.contains("34 of 70 texts were encoded before"),
        "{ended:?}"
    );
    assert_eq!(folder.bytes("more.npy"), whole);
    // the features and targets are those of any other fit
    folder.print("fit x.npy --target y.npy --gates 5 --beta 1 --tolerance 0.1");
    // flat: all tokens
    let report = run(&format!("{alone} flat.npy --pool flat --max-length 9"));
    assert_eq!(number(&report, "/features"), 144.0);
}

#[test]
fn a_model_on_an_encoder_predicts_raw_text() {
    let folder = Folder::new();
    encoder(&folder, "gpt2");
    folder.put("reviews.csv", csv(&reviews(120)));
    let line = "text fit reviews.csv --encoder gpt2 --no-cache --fast --json --out m.safetensors";
    let report = folder.json(line);
    assert!(report["test"]["accuracy"].is_number());
    assert_eq!(number(&report, "/data/features"), 16.0);
    let text = folder.print("predict m.safetensors reviews.csv");
    assert_eq!(text.lines().count(), 121);
    let scores = folder.json("eval m.safetensors reviews.csv --json");
    let accuracy = number(&scores, "/accuracy");
    let truth = reviews(120);
    let lines = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap());
    let right = lines.zip(&truth).filter(|(line, (_, class))| line == class);
    assert!((right.count() as f64 / 120.0 - accuracy).abs() < 1e-9);
    // the encoder is somewhere else now
    std::fs::rename(folder.path("gpt2"), folder.path("moved")).unwrap();
    let refused = folder.refused(3, "predict m.safetensors reviews.csv");
    assert!(
        refused.contains("say where it is with --encoder"),
        "{refused}"
    );
    assert_eq!(
        folder.print("predict m.safetensors reviews.csv --encoder moved"),
        text
    );
}

#[test]
fn the_three_settings_run() {
    let folder = Folder::new();
    encoder(&folder, "gpt2");
    folder.put("reviews.csv", csv(&reviews(80)));
    let line = "text fit reviews.csv --encoder gpt2 --no-cache --fast --json";
    let frozen = folder.json(line);
    for setting in ["fine-tuned", "domain-adapted", "ft", "da"] {
        let line = format!("{line} --setting {setting} --tune-rate 0.003 --tune-batch 8");
        let report = folder.json(&line);
        assert_ne!(report["objective"], frozen["objective"], "{setting}");
    }
    // saved, the encoder that was trained is part of the model
    let line =
        format!("{line} --setting ft --tune-rate 0.003 --out m.safetensors --save-encoder tuned");
    let report = folder.json(&line);
    let scores = folder.json("eval m.safetensors reviews.csv --json");
    assert!(number(&scores, "/accuracy") <= 1.0 && report["train"].is_object());
    for (line, part) in [
        ("text fit reviews.csv --setting ft", "--encoder"),
        (
            "text fit reviews.csv --encoder gpt2 --setting ft --out n",
            "--save-encoder",
        ),
        (
            "text fit reviews.csv --encoder gpt2 --save-encoder tuned",
            "--setting",
        ),
        (
            "text fit reviews.csv --encoder gpt2 --setting ft --save-encoder tuned",
            "exists",
        ),
        (
            "text fit reviews.csv --encoder gpt2 --unlabelled reviews.csv",
            "domain-adapted",
        ),
        (
            "text fit reviews.csv --encoder gpt2 --setting ft --tune-rate 0",
            "above 0",
        ),
        (
            "text fit reviews.csv --encoder gpt2 --pool most",
            "first, last, mean",
        ),
    ] {
        let ended = folder.run(line);
        assert_eq!(ended.code, Some(2), "{line}: {ended:?}");
        assert!(ended.stderr.contains(part), "{line}: {ended:?}");
    }
}

#[test]
fn bad_texts_are_refused() {
    let folder = Folder::new();
    encoder(&folder, "gpt2");
    let cases: [(&str, &[u8], &str); 12] = [
        (
            "a.jsonl",
            b"{\"text\": \"a\", \"label\": 1}\n{\"text\": \"  \", \"label\": 0}\n",
            "line 2",
        ),
        (
            "b.jsonl",
            b"{\"text\": \"a\", \"label\": 1}\n{\"text\": \"b\"}\n",
            "no field \"label\"",
        ),
        (
            "c.jsonl",
            b"{\"text\": \"a\", \"label\": 1}\nnonsense\n",
            "line 2: it is no JSON",
        ),
        ("d.jsonl", b"{\"text\": \"a\", \"label\": null}\n", "line 1"),
        ("e.jsonl", b"{\"text\": 7, \"label\": 1}\n", "is no text"),
        (
            "f.jsonl",
            b"{\"text\": \"\xff\", \"label\": 1}\n",
            "not UTF-8",
        ),
        ("g.jsonl", b"[1]\n", "is no object"),
        ("h.csv", b"text,label\na,1\nb,\n", "line 3"),
        ("i.csv", b"text,label\na, b,1\n", "line 2 has 3 cells"),
        ("j.csv", b"text,label\n", "no texts"),
        ("k.csv", b"text,words\nsome text,others\n", "no target"),
        ("l.csv", b"", "empty"),
    ];
    for (name, bytes, part) in cases {
        folder.put(name, bytes);
        let refused = folder.refused(3, &format!("text fit {name} --encoder gpt2 --no-cache"));
        assert!(refused.contains(part), "{name}: {refused}");
    }
    folder.put("m.jsonl", jsonl(&reviews(20)));
    for (line, part) in [
        ("text fit m.jsonl --encoder nowhere", "is no encoder"),
        (
            "text fit m.jsonl --encoder gpt2 --max-length 65",
            "not between 1 and 64",
        ),
        (
            "text fit m.jsonl --text words",
            "there is no column \"words\"",
        ),
        (
            "text fit m.jsonl --target words",
            "there is no column \"words\"",
        ),
        (
            "text fit m.jsonl --target text --text text",
            "both the text and the target",
        ),
        ("text fit m.feather", "is no file of texts"),
        ("text fit m2.jsonl", "no such file"),
    ] {
        let refused = folder.refused(3, line);
        assert!(refused.contains(part), "{line}: {refused}");
    }
    // an encoder that makes no sense: each part that is missing or broken is named
    std::fs::remove_file(folder.path("gpt2/config.json")).unwrap();
    let refused = folder.refused(3, "embed m.jsonl --encoder gpt2 --no-cache --out x.npy");
    assert!(refused.contains("config.json"), "{refused}");
    assert!(!folder.path("x.npy").exists());
}

#[test]
fn folders_and_plain_lines_are_texts_too() {
    let folder = Folder::new();
    for (at, (review, class)) in reviews(40).iter().enumerate() {
        std::fs::create_dir_all(folder.path(&format!("set/{class}"))).unwrap();
        folder.put(&format!("set/{class}/{at}.txt"), review);
    }
    let report = folder.json("text fit set --fast --json --out m.safetensors");
    assert_eq!(report["data"]["classes"], serde_json::json!(["neg", "pos"]));
    folder.put(
        "new.txt",
        "the film was great and fine\nthe plot was awful and dull\n",
    );
    let text = folder.print("predict m.safetensors new.txt");
    let labels: Vec<&str> = text.lines().skip(1).map(|line| &line[..3]).collect();
    assert_eq!(labels, ["pos", "neg"]);
}

/// Nothing but the texts is needed.
#[test]
fn counts_of_words_need_no_encoder() {
    let folder = Folder::new();
    folder.put("reviews.jsonl", jsonl(&reviews(200)));
    let report = folder.json("text fit reviews.jsonl --json --out m.safetensors");
    assert!(number(&report, "/test/accuracy") > 0.95, "{report:#}");
    assert!(number(&report, "/lower_bound") <= number(&report, "/objective"));
    let again = folder.json("eval m.safetensors reviews.jsonl --json");
    assert!(number(&again, "/accuracy") > 0.95);
    let text = folder.print("inspect m.safetensors");
    assert!(text.contains("great") || text.contains("dull"), "{text}");
    let refused = folder.refused(2, "embed reviews.jsonl --out x.npy");
    assert!(refused.contains("--encoder is missing"));
}

/// Every optimizer gets the features that a convex network gets.
#[test]
fn heads_are_compared_on_the_same_features() {
    let folder = Folder::new();
    encoder(&folder, "gpt2");
    folder.put("reviews.csv", csv(&reviews(120)));
    let line = "text compare reviews.csv --encoder gpt2 --no-cache --optimizers adamw --rates 2 \
                --gates 4 --epochs 3 --batch 16 --json";
    let report = folder.json(line);
    assert_eq!(report["architecture"], "none");
    let optimizers = report["optimizers"].as_array().unwrap();
    let names: Vec<&serde_json::Value> = optimizers.iter().map(|own| &own["name"]).collect();
    assert_eq!(names, ["cronos-am", "adamw"]);
    assert_eq!(optimizers[1]["runs"].as_array().unwrap().len(), 2);
    for own in optimizers {
        assert!(number(own, "/test/accuracy") > 0.3, "{own:#}");
    }
    // by hand: the features as a table, the same seed, the same split
    folder.run("embed reviews.csv --encoder gpt2 --no-cache --out x.npy --targets y.npy");
    let by_hand = line.replace(
        "text compare reviews.csv --encoder gpt2 --no-cache",
        "compare x.npy",
    );
    let by_hand = folder.json(&format!(
        "{by_hand} --target y.npy --task classification --arch none"
    ));
    let peaks = |report: &serde_json::Value| number(report, "/optimizers/1/highest_peak");
    assert_eq!(peaks(&report), peaks(&by_hand));
    let ended = folder.run("text compare reviews.csv");
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("--encoder"), "{ended:?}");
}

/// The mean over the tokens of a text, computed again.
#[cfg(feature = "onnx")]
#[test]
fn an_onnx_file_encodes_texts() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("onnx")).unwrap();
    let count = letters(&folder, "onnx");
    folder.put("onnx/model.onnx", written::words(count as u64, 0, 0));
    let reviews = reviews(60);
    folder.put("reviews.jsonl", jsonl(&reviews));
    let line = "--encoder onnx/model.onnx --max-length 200 --no-cache";
    folder.print(&format!("embed reviews.jsonl {line} --out x.npy"));
    let bytes = folder.bytes("x.npy");
    let values = bytes[bytes.len() - 60 * 2 * 4..].chunks(4);
    let values: Vec<f32> = values
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
        .collect();
    let token = |letter: char| match letter {
        'a'..='z' => letter as u32 - 'a' as u32,
        '0'..='9' => 26 + letter as u32 - '0' as u32,
        ' ' => 36,
        _ => 37,
    };
    for ((text, _), found) in reviews.iter().zip(values.chunks(2)) {
        let tokens: Vec<f32> = text.chars().map(|letter| token(letter) as f32).collect();
        let mean = 2.0 * tokens.iter().sum::<f32>() / tokens.len() as f32;
        assert!(
            (found[0] - mean - 0.5).abs() < 1e-3,
            "{text}: {found:?} {mean}"
        );
        assert!(
            (found[1] - mean - 1.5).abs() < 1e-3,
            "{text}: {found:?} {mean}"
        );
    }
    folder.print(&format!(
        "text fit reviews.jsonl {line} --fast --out m.safetensors"
    ));
    assert_eq!(
        folder
            .print("predict m.safetensors reviews.jsonl")
            .lines()
            .count(),
        61
    );
    let ended = folder.run(&format!("text fit reviews.jsonl {line} --setting ft"));
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("an ONNX file cannot be trained"),
        "{ended:?}"
    );
}

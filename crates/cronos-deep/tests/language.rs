//! Encoders: files as they are published, what is refused, and properties of what is computed.

use burn::tensor::Device;
use cronos_deep::language::transformer::{Activation, Batch, Config, Family, Tape, Transformer};
use cronos_deep::language::{Encoder, Pool, Tokens, Tuning};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

fn small(family: Family) -> Config {
    let mut config = Config::gpt2(31, 12, 2, 3);
    config.positions = 16;
    config.inner = 20;
    config.family = family;
    config.end = Some(30);
    match family {
        Family::Gpt2 => {}
        Family::Bert => {
            config.kinds = 2;
            config.activation = Activation::Gelu;
        }
        Family::Llama => {
            config.activation = Activation::SiluGated;
            config.rotation = 1000.0;
            config.key_heads = 1;
            config.tied = false;
        }
    }
    config
}

fn drawn(transformer: &Transformer) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut draw = || rng.random_range(-0.4..0.4);
    (0..transformer.parameters()).map(|_| draw()).collect()
}

const FAMILIES: [Family; 3] = [Family::Gpt2, Family::Bert, Family::Llama];
const TEXTS: [&[u32]; 3] = [&[1, 5, 9, 2, 7], &[3], &[8, 8, 4]];

#[test]
fn every_parameter_has_a_name_and_a_place() {
    for family in FAMILIES {
        let transformer = Transformer::new(small(family));
        let numbers: Vec<f32> = (0..transformer.parameters()).map(|at| at as f32).collect();
        let mut again = vec![-1.0; numbers.len()];
        let mut names = Vec::new();
        for slot in transformer.slots() {
            let tensor = slot.take(&numbers);
            assert_eq!(tensor.len(), slot.shape.iter().product::<usize>());
            slot.put(&tensor, &mut again);
            names.push(slot.name);
        }
        assert_eq!(again, numbers, "{family:?}");
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

/// What fills up a text changes nothing for its own tokens, nor do other texts.
#[test]
fn texts_do_not_see_one_another() {
    for family in FAMILIES {
        let transformer = Transformer::new(small(family));
        let parameters = drawn(&transformer);
        let width = transformer.config().width;
        let filled = Batch::filled(TEXTS, 7, 30).unwrap();
        let together = transformer.states(&parameters, &filled);
        for (text, (range, real)) in TEXTS.into_iter().zip(filled.texts()) {
            let alone = transformer.states(&parameters, &Batch::new([text]).unwrap());
            let own = &together[range.start * width..(range.start + real) * width];
            for (a, b) in alone.iter().zip(own) {
                assert!((a - b).abs() < 1e-5, "{family:?}: {a} {b}");
            }
        }
    }
}

/// Earlier tokens know nothing of later ones where they only look back.
#[test]
fn only_some_look_ahead() {
    for family in FAMILIES {
        let transformer = Transformer::new(small(family));
        let parameters = drawn(&transformer);
        let states = |last: u32| {
            let text = [1, 5, 9, last];
            transformer.states(&parameters, &Batch::new([&text[..]]).unwrap())
        };
        let width = transformer.config().width;
        let same = states(2)[..3 * width] == states(3)[..3 * width];
        assert_eq!(same, family != Family::Bert, "{family:?}");
    }
}

/// The gradient of a random combination of the states against differences.
#[test]
fn gradients_are_slopes() {
    for family in FAMILIES {
        let transformer = Transformer::new(small(family));
        let parameters = drawn(&transformer);
        let batch = Batch::filled(TEXTS, 6, 30).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let count = batch.tokens() * transformer.config().width;
        let pull: Vec<f32> = (0..count).map(|_| rng.random_range(-1.0..1.0)).collect();
        let value = |parameters: &[f32]| -> f64 {
            let states = transformer.states(parameters, &batch);
            let terms = states.iter().zip(&pull);
            terms.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let mut tape = Tape::default();
        transformer.forward(&parameters, &batch, &mut tape);
        assert_eq!(tape.states(), transformer.states(&parameters, &batch));
        let mut gradient = vec![0.0; parameters.len()];
        transformer.backward(
            &parameters,
            &batch,
            &mut tape,
            &mut pull.clone(),
            &mut gradient,
        );
        for _ in 0..4 {
            let along: Vec<f32> = parameters
                .iter()
                .map(|_| rng.random_range(-1.0..1.0))
                .collect();
            let moved = |step: f32| -> Vec<f32> {
                parameters
                    .iter()
                    .zip(&along)
                    .map(|(p, a)| p + step * a)
                    .collect()
            };
            let h = 1e-3;
            let difference = (value(&moved(h)) - value(&moved(-h))) / (2.0 * f64::from(h));
            let slope: f64 = (gradient.iter().zip(&along))
                .map(|(g, a)| f64::from(*g) * f64::from(*a))
                .sum();
            let error = (slope - difference).abs() / difference.abs().max(1.0);
            assert!(error < 5e-3, "{family:?}: {slope} {difference}");
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let transformer = Transformer::new(small(Family::Gpt2));
    let parameters = drawn(&transformer);
    let batch = Batch::new(TEXTS).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut gradient = vec![0.0; parameters.len()];
            let mut tape = Tape::default();
            transformer.forward(&parameters, &batch, &mut tape);
            let (loss, mut pull) = transformer.next_token_loss(
                &parameters,
                &batch,
                tape.states(),
                Some(&mut gradient),
            );
            transformer.backward(&parameters, &batch, &mut tape, &mut pull, &mut gradient);
            (loss, gradient)
        })
    };
    let one = run(1);
    for threads in [2, 3] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

/// A vocabulary of the 31 tokens of the small models: letters and a few pairs.
fn tokenizer(folder: &Path) {
    let mut vocabulary = serde_json::Map::new();
    for (at, letter) in ('a'..='z').enumerate() {
        vocabulary.insert(letter.to_string(), json!(at));
    }
    for (at, token) in ["Ġ", "th", "the", "an", "<|endoftext|>"]
        .into_iter()
        .enumerate()
    {
        vocabulary.insert(token.into(), json!(26 + at));
    }
    fs::write(
        folder.join("vocab.json"),
        Value::Object(vocabulary).to_string(),
    )
    .unwrap();
    let merges = "#version: 0.2\nt h\nth e\na n\n";
    fs::write(folder.join("merges.txt"), merges).unwrap();
}

/// A small GPT-2 as an encoder, written to a folder.
fn written(folder: &Path) -> Encoder {
    tokenizer(folder);
    let transformer = Transformer::new(small(Family::Gpt2));
    let parameters = drawn(&transformer);
    let tokens = Tokens::open(folder).unwrap();
    let encoder = Encoder::new(transformer, parameters, tokens).unwrap();
    encoder.save(folder).unwrap();
    encoder
}

#[test]
fn an_encoder_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let encoder = written(folder.path());
    // vocab.json and merges.txt, then the tokenizer.json that was made of them
    for round in 0..2 {
        let again = Encoder::open(folder.path()).unwrap();
        assert_eq!(again.parameters(), encoder.parameters());
        assert_eq!(again.transformer().config(), encoder.transformer().config());
        let texts = ["the ant and the bee", "a"];
        let tokens = again.cut(&texts, 8).unwrap();
        assert_eq!(tokens[0][..5], [28, 26, 29, 19, 26], "round {round}");
        assert_eq!((tokens[0].len(), &tokens[1][..]), (8, &[0][..]));
        let _ = fs::remove_file(folder.path().join("vocab.json"));
    }
    let tokens = encoder.cut(&["the end"], 16).unwrap();
    let flat = encoder.features(&tokens, Pool::Flat, 16).unwrap();
    assert_eq!(flat.len(), 16 * 12);
    let last = encoder.features(&tokens, Pool::Last, 16).unwrap();
    let at = (tokens[0].len() - 1) * 12;
    for (a, b) in last.iter().zip(&flat[at..]) {
        assert!((a - b).abs() < 1e-5);
    }
}

/// What is refused, and why.
#[test]
fn broken_encoders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let file = |name: &str| folder.path().join(name);
    let refused = |part: &str| {
        let text = Encoder::open(folder.path()).unwrap_err().to_string();
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    };
    let weights = fs::read(file("model.safetensors")).unwrap();
    for length in [0, 4, 100, weights.len() / 2, weights.len() - 1] {
        fs::write(file("model.safetensors"), &weights[..length]).unwrap();
        refused("model.safetensors");
    }
    let mut huge = weights.clone();
    huge[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    fs::write(file("model.safetensors"), &huge).unwrap();
    refused("header of 18446744073709551615 bytes");
    fs::write(file("model.safetensors"), &weights).unwrap();
    let config = fs::read_to_string(file("config.json")).unwrap();
    let with = |from: &str, to: &str| {
        assert!(config.contains(from));
        fs::write(file("config.json"), config.replace(from, to)).unwrap();
    };
    with("\"n_embd\": 12", "\"n_embd\": 24");
    refused("has the shape [31, 12], but config.json makes it [31, 24]");
    with("\"n_head\": 3", "\"n_head\": 5");
    refused("cannot be cut into 5 heads");
    with("\"n_layer\": 2", "\"n_layer\": 3");
    refused("no tensor h.2.");
    with("\"n_layer\": 2", "\"n_layer\": 2.5");
    refused("n_layer is 2.5");
    with("\"n_layer\": 2", "\"n_layer\": 9999999999");
    refused("is not between 1 and 4096");
    with("gpt2", "mamba");
    refused("model_type \"mamba\" is not known");
    fs::write(file("config.json"), "{").unwrap();
    refused("config.json cannot be read");
    fs::remove_file(file("config.json")).unwrap();
    refused("it comes with the weights");
    fs::write(file("config.json"), &config).unwrap();
    fs::write(file("tokenizer.json"), "{}").unwrap();
    refused("tokenizer");
    for name in ["tokenizer.json", "vocab.json"] {
        fs::remove_file(file(name)).unwrap();
    }
    refused("has no tokenizer.json and no vocab.json");
    fs::remove_file(file("model.safetensors")).unwrap();
    refused("has no model.safetensors");
}

#[test]
fn texts_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let encoder = written(folder.path());
    let refused = |text: &str, length: usize| encoder.cut(&["a", text], length).unwrap_err();
    assert!(
        refused("", 8)
            .to_string()
            .contains("row 1: the text \"\" has no tokens")
    );
    assert!(
        refused("a", 17)
            .to_string()
            .contains("not between 1 and 16")
    );
    // a very long text is cut
    let long = "the ".repeat(100_000);
    assert_eq!(encoder.cut(&[&long], 16).unwrap()[0].len(), 16);
    assert!(Batch::new([&[][..]]).is_err());
    assert!(Batch::filled([&[1, 2, 3][..]], 2, 0).is_err());
}

/// A file of the published size and names, which is all zeros and takes no room on the disk.
#[test]
fn the_published_file_of_gpt2_is_read() {
    for prefix in ["", "transformer."] {
        let folder = tempfile::tempdir().unwrap();
        let mut shapes: Vec<(String, Vec<usize>)> = vec![
            ("wte.weight".into(), vec![50_257, 768]),
            ("wpe.weight".into(), vec![1024, 768]),
            ("ln_f.weight".into(), vec![768]),
            ("ln_f.bias".into(), vec![768]),
        ];
        for block in 0..12 {
            for (name, shape) in [
                ("ln_1.weight", vec![768]),
                ("ln_1.bias", vec![768]),
                ("attn.bias", vec![1, 1, 1024, 1024]),
                ("attn.c_attn.weight", vec![768, 2304]),
                ("attn.c_attn.bias", vec![2304]),
                ("attn.c_proj.weight", vec![768, 768]),
                ("attn.c_proj.bias", vec![768]),
                ("ln_2.weight", vec![768]),
                ("ln_2.bias", vec![768]),
                ("mlp.c_fc.weight", vec![768, 3072]),
                ("mlp.c_fc.bias", vec![3072]),
                ("mlp.c_proj.weight", vec![3072, 768]),
                ("mlp.c_proj.bias", vec![768]),
            ] {
                shapes.push((format!("h.{block}.{name}"), shape));
            }
        }
        let (mut header, mut end) = (serde_json::Map::new(), 0);
        for (name, shape) in shapes {
            let bytes = 4 * shape.iter().product::<usize>();
            let entry = json!({"dtype": "F32", "shape": shape, "data_offsets": [end, end + bytes]});
            header.insert(format!("{prefix}{name}"), entry);
            end += bytes;
        }
        let header = Value::Object(header).to_string();
        let mut file = File::create(folder.path().join("model.safetensors")).unwrap();
        file.write_all(&(header.len() as u64).to_le_bytes())
            .unwrap();
        file.write_all(header.as_bytes()).unwrap();
        file.set_len((8 + header.len() + end) as u64).unwrap();
        let config = json!({
            "model_type": "gpt2", "vocab_size": 50257, "n_embd": 768, "n_layer": 12, "n_head": 12,
            "n_positions": 1024, "n_ctx": 1024, "layer_norm_epsilon": 1e-5,
            "activation_function": "gelu_new", "bos_token_id": 50256, "eos_token_id": 50256
        });
        fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
        let (transformer, parameters) = Transformer::open(folder.path()).unwrap();
        assert_eq!(parameters.len(), 124_439_808);
        assert_eq!(transformer.config().end, Some(50_256));
    }
}

/// Texts whose class is their first letter: training on classes lowers the loss a lot.
#[test]
fn training_on_classes_and_on_texts_lowers_the_loss() {
    let folder = tempfile::tempdir().unwrap();
    let encoder = written(folder.path());
    let texts: Vec<String> = (0..64)
        .map(|at| format!("{} the ant {}", ["b", "z"][at % 2], ["c", "d", "e"][at % 3]))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let tokens = encoder.cut(&texts, 16).unwrap();
    let labels: Vec<usize> = (0..64).map(|at| at % 2).collect();
    for blocks in [None, Some(1)] {
        let tuning = Tuning {
            epochs: 40,
            rate: 3e-3,
            blocks,
            ..Tuning::default()
        };
        let mut losses = Vec::new();
        let mut watch = |_: usize, _: usize, loss: f64| {
            losses.push(loss);
            true
        };
        let mut tuned = encoder.clone();
        let goal = ((&labels[..], 2), (Pool::Mean, 16));
        tuned
            .tune_on_classes(&tokens, goal.0, goal.1, &tuning, &mut watch)
            .unwrap();
        assert!(
            losses[0] > 0.6 && losses[losses.len() - 1] < 0.5 * losses[0],
            "{blocks:?}: {losses:?}"
        );
        let changed = |first: usize, last: usize| {
            tuned.parameters()[first..last] != encoder.parameters()[first..last]
        };
        assert_eq!(changed(0, 31 * 12), blocks.is_none(), "{blocks:?}");
        let end = encoder.parameters().len();
        assert!(changed(end - 100, end));
        let mut losses = Vec::new();
        let mut watch = |_: usize, _: usize, loss: f64| {
            losses.push(loss);
            true
        };
        let mut tuned = encoder.clone();
        tuned.tune_on_texts(&tokens, &tuning, &mut watch).unwrap();
        assert!(
            losses[losses.len() - 1] < 0.8 * losses[0],
            "{blocks:?}: {losses:?}"
        );
    }
    let mut bert = {
        let transformer = Transformer::new(small(Family::Bert));
        let parameters = drawn(&transformer);
        Encoder::new(transformer, parameters, encoder.tokenizer().clone()).unwrap()
    };
    let mut watch = |_: usize, _: usize, _: f64| true;
    let refused = bert.tune_on_texts(&tokens, &Tuning::default(), &mut watch);
    assert!(refused.unwrap_err().to_string().contains("looks both ways"));
}

/// The module of Burn gives the same states, loss and gradients as the layers on slices.
#[test]
fn a_module_of_burn_is_the_same() {
    let device = Device::flex().autodiff();
    for family in FAMILIES {
        let transformer = Transformer::new(small(family));
        let parameters = drawn(&transformer);
        let module = transformer.module(&parameters, &device);
        let (read, _) = cronos_deep::parameters::read(&module);
        assert_eq!(read, parameters, "{family:?}");
        let batch = Batch::filled(TEXTS, 7, 30).unwrap();
        assert!(
            module.pad(&Batch::new(TEXTS).unwrap()).is_err(),
            "of several lengths"
        );
        let long = Batch::filled(TEXTS, 17, 30).unwrap();
        assert!(
            module.pad(&long).is_err(),
            "longer than there are positions"
        );
        let padded = module.pad(&batch).unwrap();
        let states = module.forward(&padded);
        let near = |what: &str, ours: &[f32], theirs: &[f32]| {
            let scale = ours.iter().fold(1e-3, |most: f32, x| most.max(x.abs()));
            assert_eq!(ours.len(), theirs.len());
            for (a, b) in ours.iter().zip(theirs) {
                assert!((a - b).abs() < 2e-5 * scale, "{family:?} {what}: {a} {b}");
            }
        };
        let mut tape = Tape::default();
        transformer.forward(&parameters, &batch, &mut tape);
        let found = states.clone().into_data().try_to_vec::<f32>().unwrap();
        near("states", tape.states(), &found);
        let mut gradient = vec![0.0; parameters.len()];
        let own = tape.states().to_vec();
        let (loss, mut pull) =
            transformer.next_token_loss(&parameters, &batch, &own, Some(&mut gradient));
        transformer.backward(&parameters, &batch, &mut tape, &mut pull, &mut gradient);
        let of_burn = module.next_token_loss(states, &padded);
        let value = of_burn.clone().into_data().try_to_vec::<f32>().unwrap()[0];
        assert!((f64::from(value) - loss).abs() < 1e-5, "{value} {loss}");
        let mut slopes = Vec::new();
        cronos_deep::parameters::gradient(&module, &mut of_burn.backward(), &mut slopes);
        near("gradients", &gradient, &slopes);
    }
}

//! The structure of the ONNX export, read without the code that wrote it. What
//! onnxruntime makes of it is checked by `cargo xtask test`.

mod models;

use cronos::{Model, Task};

/// The fields of a protobuf message: number and content.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let content = match key & 7 {
            0 => varint(&mut bytes).to_le_bytes().to_vec(),
            2 => {
                let length = varint(&mut bytes) as usize;
                let (content, rest) = bytes.split_at(length);
                bytes = rest;
                content.to_vec()
            }
            kind => panic!("wire type {kind}"),
        };
        fields.push((key >> 3, content));
    }
    fields
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for at in 0.. {
        let byte = bytes[at];
        value |= u64::from(byte & 127) << (7 * at);
        if byte < 128 {
            *bytes = &bytes[at + 1..];
            break;
        }
    }
    value
}

/// Every content of the field `number`.
fn each(message: &[u8], number: u64) -> Vec<Vec<u8>> {
    let fields = fields(message).into_iter();
    fields
        .filter(|field| field.0 == number)
        .map(|field| field.1)
        .collect()
}

fn texts(message: &[u8], number: u64) -> Vec<String> {
    let texts = each(message, number).into_iter();
    texts.map(|text| String::from_utf8(text).unwrap()).collect()
}

fn graph(model: &Model) -> Vec<u8> {
    each(&model.to_onnx().unwrap(), 7).remove(0)
}

fn operations(model: &Model) -> Vec<String> {
    let nodes = each(&graph(model), 1);
    nodes.iter().flat_map(|node| texts(node, 4)).collect()
}

/// The names of the inputs (11) or outputs (12).
fn names(model: &Model, number: u64) -> Vec<String> {
    let values = each(&graph(model), number);
    values.iter().flat_map(|value| texts(value, 1)).collect()
}

#[test]
fn equal_models_give_equal_bytes() {
    for model in models::all() {
        assert_eq!(model.to_onnx().unwrap(), model.clone().to_onnx().unwrap());
    }
}

#[test]
fn the_file_names_its_versions_and_its_features() {
    let bytes = models::classifier().to_onnx().unwrap();
    assert_eq!(each(&bytes, 1), [8u64.to_le_bytes()]);
    assert_eq!(texts(&bytes, 2), ["cronos"]);
    let operators = each(&bytes, 8).remove(0);
    assert_eq!(each(&operators, 2), [17u64.to_le_bytes()]);
    let property = each(&bytes, 14).remove(0);
    assert_eq!(texts(&property, 1), ["feature_names"]);
    assert_eq!(texts(&property, 2), [r#"["x0","x1"]"#]);
}

#[test]
fn every_value_is_made_before_it_is_used() {
    for model in models::all() {
        let graph = graph(&model);
        let mut known = names(&model, 11);
        let constants = each(&graph, 5);
        known.extend(constants.iter().flat_map(|constant| texts(constant, 8)));
        for node in each(&graph, 1) {
            for input in texts(&node, 1) {
                assert!(known.contains(&input), "{input}");
            }
            for output in texts(&node, 2) {
                assert!(!known.contains(&output), "{output} twice");
                known.push(output);
            }
        }
        for output in names(&model, 12) {
            assert!(known.contains(&output), "{output}");
        }
    }
}

#[test]
fn operations_and_outputs_follow_the_model() {
    let classifier = models::classifier();
    assert_eq!(names(&classifier, 11), ["features"]);
    assert_eq!(names(&classifier, 12), ["decision", "label"]);
    let expected = "Cast IsNaN Where Gemm Relu Gemm Cast ArgMax Gather";
    assert_eq!(operations(&classifier).join(" "), expected);
    let expected = "Cast Gemm Relu Gemm Cast GreaterOrEqual Cast Squeeze Gather";
    assert_eq!(operations(&models::binary()).join(" "), expected);
    let expected = "Cast Gemm Gemm GreaterOrEqual Gather Where Gemm Cast";
    assert_eq!(operations(&models::gated()).join(" "), expected);
    assert_eq!(names(&models::empty(), 12), ["prediction"]);
    assert_eq!(
        operations(&models::empty()).join(" "),
        "Cast Gemm Relu Gemm Cast"
    );
    let expected = "Cast Cast Sub Div Gemm Relu Gemm Add Cast Gemm Relu Gemm Cast";
    assert_eq!(operations(&models::stacked()).join(" "), expected);
    let expected = "Cast Cast Reshape Transpose Conv Relu Conv Relu AveragePool Conv Add \
                    GlobalAveragePool Flatten Cast Gemm Relu Gemm Cast ArgMax Gather";
    assert_eq!(operations(&models::convolved()).join(" "), expected);
}

#[test]
fn labels_are_integers_only_when_each_is_written_as_one() {
    let kind = |first: &str, second: &str| {
        let mut model = models::binary();
        model.task = Task::Classification {
            classes: vec![first.into(), second.into()],
        };
        let constants = each(&graph(&model), 5).into_iter();
        let classes = constants
            .filter(|constant| texts(constant, 8) == ["classes"])
            .collect::<Vec<_>>();
        each(&classes[0], 2)
    };
    let (integer, string) = ([7u64.to_le_bytes()], [8u64.to_le_bytes()]);
    assert_eq!(kind("0", "1"), integer);
    assert_eq!(kind("-5", "9223372036854775807"), integer);
    assert_eq!(kind("01", "1"), string);
    assert_eq!(kind("0", "9223372036854775808"), string);
    assert_eq!(kind("+1", "2"), string);
}

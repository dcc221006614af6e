//! The model as an ONNX file.

use super::onnx_graph::Graph;
use super::onnx_proto::{DOUBLE, FLOAT, INT64, ModelProto, OperatorSet, Property, STRING};
use super::{Model, Task, onnx_stack};
use crate::Error;
use crate::encoding::Ramp;
use crate::matrix::Matrix;
use crate::network::Network;
use prost::Message;
use std::borrow::Cow;

/// The version of the file layout.
const IR_VERSION: i64 = 8;
/// The version of the operators of ai.onnx.
const OPERATORS: i64 = 17;
/// The largest message protobuf allows.
const SIZE_LIMIT: usize = i32::MAX as usize;

impl Model {
    /// The model as the bytes of an ONNX file. Equal models give equal bytes.
    ///
    /// The input `features` is rows x features in single precision. The outputs
    /// are `prediction` for regression and `decision` and `label` for
    /// classification. Labels are integers if every class name is an integer,
    /// and strings otherwise. The network computes in double precision, layers in front
    /// of it in single precision.
    pub fn to_onnx(&self) -> Result<Vec<u8>, Error> {
        self.check()?;
        let mut graph = Graph::default();
        graph.input("features", self.features());
        let x = self.inputs(&mut graph);
        let x = match &self.stack {
            Some(stack) => onnx_stack::features(&mut graph, &x, stack),
            None => x,
        };
        let x = encoded(&mut graph, x, &self.network);
        let scores = outputs(&mut graph, &x, &occupied(&self.network));
        let name = match self.task {
            Task::Classification { .. } => "decision",
            Task::Regression => "prediction",
        };
        graph.apply("Cast", &[&scores], name, &[("to", FLOAT.into())]);
        graph.output(name, FLOAT, Some(self.network.outputs()));
        if let Task::Classification { classes } = &self.task {
            labels(&mut graph, &scores, classes);
        }
        let model = ModelProto {
            ir_version: IR_VERSION,
            producer_name: "cronos".into(),
            producer_version: env!("CARGO_PKG_VERSION").into(),
            graph: Some(graph.finish("cronos")),
            opset_import: vec![OperatorSet {
                domain: Some(String::new()),
                version: OPERATORS,
            }],
            metadata_props: self.properties()?,
        };
        if model.encoded_len() > SIZE_LIMIT {
            return Err(Error::Format(format!(
                "the network is too large for an ONNX file, which ends at 2 GiB: it has {} \
                 neurons on {} features; train with fewer gates or use the model file",
                self.network.neurons(),
                self.network.features()
            )));
        }
        Ok(model.encode_to_vec())
    }

    /// The features in double precision, missing ones replaced.
    fn inputs(&self, graph: &mut Graph) -> String {
        let double = [("to", DOUBLE.into())];
        let x = graph.apply("Cast", &["features"], "features_double", &double);
        let Some(imputation) = &self.imputation else {
            return x;
        };
        let missing = graph.apply("IsNaN", &["features"], "missing", &[]);
        let known = graph.numbers("imputation", &[imputation.len()], imputation);
        graph.apply("Where", &[&missing, &known, &x], "features_filled", &[])
    }

    /// The names of the columns, each list as JSON.
    fn properties(&self) -> Result<Vec<Property>, Error> {
        let names = serde_json::to_string(&self.feature_names)
            .map_err(|error| Error::Format(format!("the model cannot be written: {error}")))?;
        let mut properties = vec![Property {
            key: "feature_names".into(),
            value: names,
        }];
        properties.extend(self.target_name.iter().map(|name| Property {
            key: "target_name".into(),
            value: name.clone(),
        }));
        Ok(properties)
    }
}

/// The network, with one unit that does nothing if it has none: runtimes
/// do not agree on products with an empty matrix.
fn occupied(network: &Network) -> Cow<'_, Network> {
    if network.neurons() > 0 {
        return Cow::Borrowed(network);
    }
    Cow::Owned(Network {
        encoding: network.encoding.clone(),
        hidden: Matrix::from_fn(1, network.hidden.columns(), |_, _| 0.0),
        hidden_bias: vec![0.0],
        output: Matrix::from_fn(1, network.outputs(), |_, _| 0.0),
        output_bias: network.output_bias.clone(),
        gating: None,
    })
}

/// The features with the ramps of the encoding behind or in place of them.
fn encoded(graph: &mut Graph, x: String, network: &Network) -> String {
    let ramps = &network.encoding.ramps;
    if ramps.is_empty() {
        return x;
    }
    if network.encoding.summed {
        return ranks(graph, &x, network);
    }
    let columns: Vec<i64> = ramps.iter().map(|ramp| ramp.column as i64).collect();
    let low: Vec<f64> = ramps.iter().map(|ramp| ramp.low).collect();
    let width: Vec<f64> = ramps.iter().map(|ramp| ramp.high - ramp.low).collect();
    let columns = graph.integers("ramp_column", &columns);
    let low = graph.numbers("ramp_low", &[ramps.len()], &low);
    let width = graph.numbers("ramp_width", &[ramps.len()], &width);
    let zero = graph.numbers("ramp_floor", &[], &[0.0]);
    let one = graph.numbers("ramp_top", &[], &[1.0]);
    let raw = graph.apply("Gather", &[&x, &columns], "ramp_raw", &[("axis", 1)]);
    let above = graph.apply("Sub", &[&raw, &low], "ramp_above", &[]);
    let share = graph.apply("Div", &[&above, &width], "ramp_share", &[]);
    let ramp = graph.apply("Clip", &[&share, &zero, &one], "ramp", &[]);
    graph.apply("Concat", &[&x, &ramp], "encoded", &[("axis", 1)])
}

/// The features that have none, and the sums of the ramps of the others: first ramps of
/// all of them at once, then second ones, and so on.
fn ranks(graph: &mut Graph, x: &str, network: &Network) -> String {
    let features = network.features();
    let ramps: Vec<Vec<Ramp>> = (0..features)
        .map(|feature| network.encoding.ramps_of(feature, features))
        .map(|own| own.map(|(_, ramp)| ramp).collect())
        .collect();
    let zero = graph.numbers("ramp_floor", &[], &[0.0]);
    let one = graph.numbers("ramp_top", &[], &[1.0]);
    let raw: Vec<f64> = ramps.iter().map(|own| f64::from(own.is_empty())).collect();
    let raw = graph.numbers("raw", &[features], &raw);
    let mut sum = graph.apply("Mul", &[x, &raw], "rank_0", &[]);
    let most = ramps.iter().map(Vec::len).max().unwrap_or(0);
    for at in 0..most {
        let each = |of: fn(&Ramp) -> f64, none: f64| -> Vec<f64> {
            let own = |ramps: &Vec<Ramp>| ramps.get(at).map_or(none, of);
            ramps.iter().map(own).collect()
        };
        let step = at + 1;
        let mut numbers = |name: &str, values: &[f64]| {
            graph.numbers(&format!("ramp_{name}_{step}"), &[features], values)
        };
        let low = numbers("low", &each(|ramp| ramp.low, 0.0));
        let width = numbers("width", &each(|ramp| ramp.high - ramp.low, 1.0));
        let there = numbers("there", &each(|_| 1.0, 0.0));
        let mut apply = |operator: &str, inputs: &[&str], name: &str| {
            graph.apply(operator, inputs, &format!("{name}_{step}"), &[])
        };
        let above = apply("Sub", &[x, &low], "ramp_above");
        let share = apply("Div", &[&above, &width], "ramp_share");
        let ramp = apply("Clip", &[&share, &zero, &one], "ramp");
        let ramp = apply("Mul", &[&ramp, &there], "ramp_own");
        sum = apply("Add", &[&sum, &ramp], "rank");
    }
    sum
}

/// The outputs of the network on `x`, in double precision.
fn outputs(graph: &mut Graph, x: &str, network: &Network) -> String {
    let sums = rows_times(graph, x, "hidden", &network.hidden, &network.hidden_bias);
    let units = match &network.gating {
        None => graph.apply("Relu", &[&sums], "units", &[]),
        Some(gating) => {
            let gates = rows_times(graph, x, "gate", &gating.directions, &gating.bias);
            let zero = graph.numbers("closed", &[], &[0.0]);
            let open = graph.apply("GreaterOrEqual", &[&gates, &zero], "gate_open", &[]);
            let index: Vec<i64> = gating.gate_of.iter().map(|&gate| gate as i64).collect();
            let index = graph.integers("gate_index", &index);
            let open = graph.apply("Gather", &[&open, &index], "unit_open", &[("axis", 1)]);
            graph.apply("Where", &[&open, &sums, &zero], "units", &[])
        }
    };
    let shape = [network.neurons(), network.outputs()];
    let weight = graph.numbers("output_weight", &shape, network.output.values());
    let bias = graph.numbers("output_bias", &shape[1..], &network.output_bias);
    graph.apply("Gemm", &[&units, &weight, &bias], "scores", &[])
}

/// `x · weightsᵀ + bias`
fn rows_times(graph: &mut Graph, x: &str, of: &str, weights: &Matrix<f64>, bias: &[f64]) -> String {
    let shape = [weights.rows(), weights.columns()];
    let weight = graph.numbers(&format!("{of}_weight"), &shape, weights.values());
    let bias = graph.numbers(&format!("{of}_bias"), &[bias.len()], bias);
    let result = format!("{of}_sums");
    graph.apply("Gemm", &[x, &weight, &bias], &result, &[("transB", 1)])
}

/// Adds the output `label`: the name of the class of each row.
fn labels(graph: &mut Graph, scores: &str, classes: &[String]) {
    let index = if classes.len() == 2 {
        let zero = graph.numbers("threshold", &[], &[0.0]);
        let positive = graph.apply("GreaterOrEqual", &[scores, &zero], "positive", &[]);
        let index = [("to", INT64.into())];
        let index = graph.apply("Cast", &[&positive], "class_column", &index);
        let axis = graph.integers("class_axis", &[1]);
        graph.apply("Squeeze", &[&index, &axis], "class", &[])
    } else {
        let first = [("axis", 1), ("keepdims", 0), ("select_last_index", 0)];
        graph.apply("ArgMax", &[scores], "class", &first)
    };
    let (names, kind) = match integers(classes) {
        Some(values) => (graph.integers("classes", &values), INT64),
        None => (graph.strings("classes", classes), STRING),
    };
    graph.apply("Gather", &[&names, &index], "label", &[("axis", 0)]);
    graph.output("label", kind, None);
}

/// The class names as integers, if each is written as its integer is.
fn integers(classes: &[String]) -> Option<Vec<i64>> {
    let integer = |name: &String| {
        let value: i64 = name.parse().ok()?;
        (value.to_string() == *name).then_some(value)
    };
    classes.iter().map(integer).collect()
}

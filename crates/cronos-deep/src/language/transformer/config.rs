//! The sizes of a transformer, from the `config.json` that comes with its weights.

use cronos::Error;
use serde_json::{Value, json};

/// Kinds of transformers that differ in the order of their layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// GPT-2: looks back, positions are learned.
    Gpt2,
    /// BERT: looks both ways, normalises behind every step.
    Bert,
    /// Llama: looks back, positions are rotations, gated inner layers.
    Llama,
}

/// What stands between the two inner layers of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// GELU by the hyperbolic tangent.
    GeluTanh,
    /// GELU as it is defined.
    Gelu,
    /// Half of the numbers, through SiLU, times the other half.
    SiluGated,
}

impl Activation {
    /// Numbers that come out for `inputs` that go in.
    pub(super) fn outputs(self, inputs: usize) -> usize {
        match self {
            Self::SiluGated => inputs / 2,
            _ => inputs,
        }
    }
}

/// All that must be known before the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The kind of transformer.
    pub family: Family,
    /// Tokens that there are.
    pub vocabulary: usize,
    /// Numbers for a token.
    pub width: usize,
    /// Number of blocks.
    pub blocks: usize,
    /// Heads of the attention.
    pub heads: usize,
    /// Heads that have keys and values of their own.
    pub key_heads: usize,
    /// Width of the inner layer of a block.
    pub inner: usize,
    /// The longest text.
    pub positions: usize,
    /// Kinds of tokens, for BERT.
    pub kinds: usize,
    /// Keeps the divisor of a normalisation from 0.
    pub epsilon: f32,
    /// What stands between the inner layers.
    pub activation: Activation,
    /// `θ` of the rotations, for Llama.
    pub rotation: f64,
    /// Whether the next token is told by the same matrix that reads the tokens.
    pub tied: bool,
    /// The token that ends a text, which also fills up short ones.
    pub end: Option<u32>,
}

/// Sizes beyond these are no transformer's; they keep sums of them from overflowing.
const MOST: usize = 1 << 24;
const MOST_BLOCKS: usize = 1 << 12;

impl Config {
    /// A GPT-2 of these sizes; the rest is as published.
    pub fn gpt2(vocabulary: usize, width: usize, blocks: usize, heads: usize) -> Self {
        Self {
            family: Family::Gpt2,
            vocabulary,
            width,
            blocks,
            heads,
            key_heads: heads,
            inner: 4 * width,
            positions: 1024,
            kinds: 0,
            epsilon: 1e-5,
            activation: Activation::GeluTanh,
            rotation: 0.0,
            tied: true,
            end: None,
        }
    }

    /// Reads a `config.json`; sizes that it leaves out are those that were published first.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let json: Value = serde_json::from_str(text).map_err(|error| {
            Error::Format(format!("config.json cannot be read: {error}; get it again"))
        })?;
        let fields = Fields(&json);
        let kind = fields.text("model_type").unwrap_or_default();
        let config = match kind {
            "gpt2" => fields.gpt2()?,
            "bert" => fields.bert()?,
            "llama" => fields.llama()?,
            other => {
                return Err(Error::Format(format!(
                    "config.json: model_type {other:?} is not known; there are gpt2, bert and \
                     llama, and every other model as an ONNX file"
                )));
            }
        };
        config.check()?;
        Ok(config)
    }

    /// The text of a `config.json`.
    pub fn to_json(&self) -> String {
        let common = json!({
            "vocab_size": self.vocabulary,
            "eos_token_id": self.end,
            "tie_word_embeddings": self.tied,
        });
        let gelu = match self.activation {
            Activation::GeluTanh => "gelu_new",
            _ => "gelu",
        };
        let own = match self.family {
            Family::Gpt2 => json!({
                "model_type": "gpt2",
                "architectures": ["GPT2LMHeadModel"],
                "n_embd": self.width,
                "n_layer": self.blocks,
                "n_head": self.heads,
                "n_inner": self.inner,
                "n_positions": self.positions,
                "layer_norm_epsilon": self.epsilon,
                "activation_function": gelu,
            }),
            Family::Bert => json!({
                "model_type": "bert",
                "architectures": ["BertModel"],
                "hidden_size": self.width,
                "num_hidden_layers": self.blocks,
                "num_attention_heads": self.heads,
                "intermediate_size": self.inner,
                "max_position_embeddings": self.positions,
                "type_vocab_size": self.kinds,
                "layer_norm_eps": self.epsilon,
                "hidden_act": gelu,
                "pad_token_id": self.end,
            }),
            Family::Llama => json!({
                "model_type": "llama",
                "architectures": ["LlamaForCausalLM"],
                "hidden_size": self.width,
                "num_hidden_layers": self.blocks,
                "num_attention_heads": self.heads,
                "num_key_value_heads": self.key_heads,
                "intermediate_size": self.inner,
                "max_position_embeddings": self.positions,
                "rms_norm_eps": self.epsilon,
                "rope_theta": self.rotation,
                "hidden_act": "silu",
            }),
        };
        let mut all = own;
        if let (Value::Object(all), Value::Object(common)) = (&mut all, common) {
            all.extend(common);
        }
        format!("{all:#}\n")
    }

    /// Numbers of a query.
    pub(super) fn head_size(&self) -> usize {
        self.width / self.heads
    }

    /// Refuses sizes that do not fit together.
    pub(in crate::language) fn check(&self) -> Result<(), Error> {
        let refuse = |text: String| Err(Error::Format(format!("config.json: {text}")));
        for (name, size) in [
            ("vocabulary", self.vocabulary),
            ("width", self.width),
            ("number of blocks", self.blocks),
            ("number of heads", self.heads),
            ("number of key-value heads", self.key_heads),
            ("inner width", self.inner),
            ("number of positions", self.positions),
        ] {
            let most = if name == "number of blocks" {
                MOST_BLOCKS
            } else {
                MOST
            };
            if !(1..=most).contains(&size) {
                return refuse(format!("a {name} of {size} is not between 1 and {most}"));
            }
        }
        if self.kinds > MOST {
            return refuse(format!("{} token types are more than {MOST}", self.kinds));
        }
        if !self.width.is_multiple_of(self.heads) {
            return refuse(format!(
                "a width of {} cannot be cut into {} heads",
                self.width, self.heads
            ));
        }
        if !self.heads.is_multiple_of(self.key_heads) {
            return refuse(format!(
                "{} heads cannot share {} heads of keys and values",
                self.heads, self.key_heads
            ));
        }
        if self.family == Family::Llama && !self.head_size().is_multiple_of(2) {
            return refuse(format!(
                "heads of {} numbers cannot be rotated in pairs",
                self.head_size()
            ));
        }
        if !(self.epsilon.is_finite() && self.epsilon >= 0.0) {
            return refuse(format!("an epsilon of {} is no small number", self.epsilon));
        }
        if self.family == Family::Llama && !(self.rotation.is_finite() && self.rotation > 0.0) {
            return refuse(format!("a rope_theta of {} is not above 0", self.rotation));
        }
        Ok(())
    }
}

/// The entries of a configuration.
struct Fields<'a>(&'a Value);

impl Fields<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A size, or the usual one where it is left out.
    fn size(&self, name: &str, usual: Option<usize>) -> Result<usize, Error> {
        let found = match self.0.get(name) {
            None | Some(Value::Null) => usual,
            Some(value) => value.as_u64().and_then(|size| usize::try_from(size).ok()),
        };
        found.ok_or_else(|| {
            let value = self.0.get(name).unwrap_or(&Value::Null);
            Error::Format(format!(
                "config.json: {name} is {value}; a whole number is expected"
            ))
        })
    }

    fn number(&self, name: &str, usual: f64) -> f64 {
        let found = self.0.get(name).and_then(Value::as_f64);
        found.unwrap_or(usual)
    }

    /// The first of the tokens that end a text.
    fn end(&self) -> Option<u32> {
        let value = self.0.get("eos_token_id")?;
        let value = value.as_array().map_or(Some(value), |all| all.first())?;
        u32::try_from(value.as_u64()?).ok()
    }

    fn activation(&self, name: &str, usual: &str) -> Result<Activation, Error> {
        match self.text(name).unwrap_or(usual) {
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Ok(Activation::GeluTanh),
            "gelu" => Ok(Activation::Gelu),
            other => Err(Error::Format(format!(
                "config.json: {name} is {other:?}; there are gelu and gelu_new"
            ))),
        }
    }

    fn gpt2(&self) -> Result<Config, Error> {
        let width = self.size("n_embd", Some(768))?;
        let mut config = Config::gpt2(
            self.size("vocab_size", Some(50_257))?,
            width,
            self.size("n_layer", Some(12))?,
            self.size("n_head", Some(12))?,
        );
        config.inner = self.size("n_inner", Some(width.saturating_mul(4)))?;
        config.positions = self.size("n_positions", Some(1024))?;
        config.epsilon = self.number("layer_norm_epsilon", 1e-5) as f32;
        config.activation = self.activation("activation_function", "gelu_new")?;
        config.end = self.end();
        Ok(config)
    }

    fn bert(&self) -> Result<Config, Error> {
        if let Some(kind) = self
            .text("position_embedding_type")
            .filter(|&kind| kind != "absolute")
        {
            return Err(Error::Format(format!(
                "config.json: position_embedding_type {kind:?} is not known; only absolute is"
            )));
        }
        let heads = self.size("num_attention_heads", Some(12))?;
        Ok(Config {
            family: Family::Bert,
            vocabulary: self.size("vocab_size", Some(30_522))?,
            width: self.size("hidden_size", Some(768))?,
            blocks: self.size("num_hidden_layers", Some(12))?,
            heads,
            key_heads: heads,
            inner: self.size("intermediate_size", Some(3072))?,
            positions: self.size("max_position_embeddings", Some(512))?,
            kinds: self.size("type_vocab_size", Some(2))?,
            epsilon: self.number("layer_norm_eps", 1e-12) as f32,
            activation: self.activation("hidden_act", "gelu")?,
            rotation: 0.0,
            tied: true,
            end: self
                .0
                .get("pad_token_id")
                .and_then(Value::as_u64)
                .map(|id| id as u32),
        })
    }

    fn llama(&self) -> Result<Config, Error> {
        // newer files keep all about rotations in one place
        let rotations = ["rope_parameters", "rope_scaling"];
        let rotations = rotations
            .into_iter()
            .find_map(|name| self.0.get(name)?.as_object());
        let kind = rotations.and_then(|all| all.get("rope_type").or(all.get("type")));
        if let Some(kind) = kind
            .and_then(Value::as_str)
            .filter(|&kind| kind != "default")
        {
            return Err(Error::Format(format!(
                "config.json: rope_type {kind:?} is not known; use a model without it, or an ONNX \
                 file"
            )));
        }
        let theta = rotations.and_then(|all| all.get("rope_theta")?.as_f64());
        if let Some(other) = self.text("hidden_act").filter(|&name| name != "silu") {
            return Err(Error::Format(format!(
                "config.json: hidden_act is {other:?}; a Llama has silu"
            )));
        }
        let heads = self.size("num_attention_heads", Some(32))?;
        let width = self.size("hidden_size", Some(4096))?;
        let size = self.size("head_dim", Some(width / heads.max(1)))?;
        if size.checked_mul(heads) != Some(width) {
            return Err(Error::Format(format!(
                "config.json: {heads} heads of head_dim {size} are not the hidden_size of {width}"
            )));
        }
        Ok(Config {
            family: Family::Llama,
            vocabulary: self.size("vocab_size", Some(32_000))?,
            width,
            blocks: self.size("num_hidden_layers", Some(32))?,
            heads,
            key_heads: self.size("num_key_value_heads", Some(heads))?,
            inner: self.size("intermediate_size", Some(11_008))?,
            positions: self.size("max_position_embeddings", Some(2048))?,
            kinds: 0,
            epsilon: self.number("rms_norm_eps", 1e-6) as f32,
            activation: Activation::SiluGated,
            rotation: theta.unwrap_or(self.number("rope_theta", 10_000.0)),
            tied: self
                .0
                .get("tie_word_embeddings")
                .and_then(Value::as_bool)
                .unwrap_or(false),
            end: self.end(),
        })
    }
}

//! What training was set up with: a checkpoint goes on only under the same terms.

use crate::train::run::Run;
use crate::train::{Options, Rule, Samples};
use cronos::{Error, HeadGates};

/// Names and values, as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Terms(pub Vec<(String, String)>);

impl Terms {
    pub fn of(
        train: Samples<'_>,
        validation: Option<Samples<'_>>,
        options: &Options,
        run: &Run<'_>,
    ) -> Result<Self, Error> {
        let head = &options.head;
        if options.rule == Rule::Alternate && head.source == HeadGates::Seed {
            return Err(Error::Data(
                "training with fixed gates in the head goes on from where ADMM ended, which a \
                 checkpoint does not hold; use learned or redrawn gates, or no checkpoints"
                    .into(),
            ));
        }
        let (features, outputs) = run.sizes();
        let mut data = Fingerprint::new();
        data.add(run.scale.mean.iter().chain(&run.scale.scale));
        for samples in [Some(train), validation].into_iter().flatten() {
            data.add(samples.y.values());
            let weights = samples.weights.unwrap_or_default();
            weights.iter().for_each(|w| data.word(w.to_bits()));
        }
        let terms = [
            ("rule", format!("{:?}", options.rule)),
            ("loss", format!("{:?}", head.loss)),
            ("beta", head.beta.to_string()),
            ("gates", head.gates.to_string()),
            ("gates of the head", format!("{:?}", head.source)),
            ("head iterations", head.iterations.to_string()),
            ("seed of the head", head.seed.to_string()),
            ("goal", format!("{:?}", options.goal)),
            ("epochs", options.epochs.to_string()),
            ("batch", options.batch.to_string()),
            ("decay", options.decay.to_string()),
            ("augmentation", format!("{:?}", options.augment)),
            ("seed", options.seed.to_string()),
            ("parameters of the features", run.of_features.to_string()),
            ("features", features.to_string()),
            ("outputs", outputs.to_string()),
            ("training rows", train.inputs.rows().to_string()),
            ("columns", train.inputs.columns().to_string()),
            ("image", format!("{:?}", train.inputs.image)),
            (
                "validation rows",
                validation.map_or(0, |v| v.inputs.rows()).to_string(),
            ),
            ("device", options.place.to_string()),
            ("fingerprint of the data", format!("{:016x}", data.0)),
        ];
        let owned = terms.map(|(name, value)| (name.to_string(), value));
        Ok(Self(owned.to_vec()))
    }

    /// Refuses other terms, naming the first that differs.
    pub fn check(&self, old: &Self) -> Result<(), Error> {
        for (name, now) in &self.0 {
            let was = old.0.iter().find(|(other, _)| other == name);
            let old = if name == "device" { "cpu" } else { "not given" };
            let was = was.map_or(old, |(_, was)| was);
            if was != now {
                return Err(Error::Data(format!(
                    "this checkpoint does not fit: {name} was {was} and is {now} now; resume \
                     with what it was made with, or start anew"
                )));
            }
        }
        Ok(())
    }
}

/// 64 bits made as FNV-1a.
pub(super) struct Fingerprint(pub u64);

impl Fingerprint {
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add<'v>(&mut self, values: impl IntoIterator<Item = &'v f32>) {
        for value in values {
            self.word(u64::from(value.to_bits()));
        }
    }

    fn word(&mut self, word: u64) {
        self.bytes(&word.to_le_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

//! Texts through an ONNX model.

use super::{Encoded, Entries, Feed, OnnxEncoder, refused};
use cronos::Error;

/// Tokens of a batch, with those that fill it up.
const BATCH_LIMIT: usize = 1 << 22;

impl OnnxEncoder {
    /// The texts of a batch, given as tokens, in the model: batch x tokens x width, or batch x
    /// width if the model pools them itself. Shorter texts are filled up at their end and
    /// masked, so of the first kind only as many tokens count as a text has.
    pub fn encode_tokens(&self, ids: &[Vec<u32>]) -> Result<Encoded, Error> {
        let longest = ids.iter().map(Vec::len).max().unwrap_or(0);
        if ids.iter().any(Vec::is_empty) || ids.is_empty() {
            return Err(Error::Data(
                "a batch of texts is empty or has a text without tokens; leave it out".into(),
            ));
        }
        let [batch, tokens] = self.token_shape(ids.len(), longest)?;
        if tokens.saturating_mul(ids.len().max(batch)) > BATCH_LIMIT {
            return Err(Error::Data(format!(
                "{} texts of {tokens} tokens are too many for one batch; give fewer or shorter ones",
                ids.len()
            )));
        }
        if !self.has_input("attention_mask") && ids.iter().any(|text| text.len() != tokens) {
            return Err(refused(
                &self.path,
                &format!(
                    "has no input `attention_mask`, so texts cannot be filled up to {tokens} \
                     tokens; give texts of one length at a time"
                ),
            ));
        }
        let mut all = Encoded::default();
        for part in ids.chunks(batch) {
            let encoded = self.run(self.token_feeds(part, [batch, tokens])?, batch)?;
            self.append(&mut all, encoded, part.len())?;
        }
        Ok(all)
    }

    fn has_input(&self, name: &str) -> bool {
        self.inputs.iter().any(|input| input.name == name)
    }

    /// Texts and tokens of a run: what is there, or what the model was exported for.
    fn token_shape(&self, texts: usize, longest: usize) -> Result<[usize; 2], Error> {
        let Some(input) = self.inputs.iter().find(|input| input.name == "input_ids") else {
            let names: Vec<&str> = self.inputs.iter().map(|input| &input.name[..]).collect();
            return Err(refused(
                &self.path,
                &format!(
                    "has no input `input_ids` but {}; give a model for texts",
                    names.join(", ")
                ),
            ));
        };
        let (batch, tokens) = match input.shape.as_deref() {
            None => (None, None),
            Some(&[batch, tokens]) => (batch, tokens),
            Some(_) => {
                return Err(refused(
                    &self.path,
                    &format!(
                        "has input `input_ids` of shape {}, not texts x tokens; give a model for \
                         texts",
                        input.shape_text()
                    ),
                ));
            }
        };
        let tokens = tokens.unwrap_or(longest);
        if longest > tokens {
            return Err(Error::Data(format!(
                "a text has {longest} tokens, but the ONNX file {} takes {tokens}; shorten it, or \
                 export the model with a free length",
                self.path.display()
            )));
        }
        Ok([batch.unwrap_or(texts), tokens])
    }

    /// Numbers for every input of the model.
    fn token_feeds(
        &self,
        texts: &[Vec<u32>],
        [batch, tokens]: [usize; 2],
    ) -> Result<Vec<(usize, Vec<usize>, Feed)>, Error> {
        let mut feeds = Vec::with_capacity(self.inputs.len());
        for (at, input) in self.inputs.iter().enumerate() {
            // entry of text `row` at place `j`, and of a place that is filled up
            let entry = |row: usize, j: usize| -> i64 {
                let token = texts.get(row).and_then(|text| text.get(j));
                match &input.name[..] {
                    "input_ids" => token.map_or(self.padding, |&token| token).into(),
                    // a row that fills up the batch looks at itself, not at nothing
                    "attention_mask" => (token.is_some() || row >= texts.len()).into(),
                    "position_ids" => j as i64,
                    _ => 0,
                }
            };
            let known = [
                "input_ids",
                "attention_mask",
                "position_ids",
                "token_type_ids",
            ];
            if !known.contains(&&input.name[..]) || input.entries != Entries::Whole {
                return Err(refused(
                    &self.path,
                    &format!(
                        "has input `{}`, which is none of {} in whole numbers; export the model \
                         with these only",
                        input.name,
                        known.join(", ")
                    ),
                ));
            }
            let mut entries = Vec::with_capacity(batch * tokens);
            for row in 0..batch {
                for j in 0..tokens {
                    let entry = entry(row, j);
                    entries.push(i32::try_from(entry).map_err(|_| {
                        Error::Data(format!(
                            "token {j} of a text is {entry}, which is in no vocabulary; take the \
                             tokenizer of the model"
                        ))
                    })?);
                }
            }
            feeds.push((at, vec![batch, tokens], Feed::Whole(entries)));
        }
        Ok(feeds)
    }
}

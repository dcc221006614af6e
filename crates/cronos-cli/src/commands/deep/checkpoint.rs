//! The state of a training in a folder, written after every epoch.

use crate::arguments::Deep;
use crate::failure::Failure;
use crate::model_file;
use cronos_deep::Checkpoint;
use std::fs;
use std::path::PathBuf;

/// The file in the folder.
const NAME: &str = "deep.safetensors";

/// Where the state is kept.
pub struct Kept {
    file: PathBuf,
    /// Where the training goes on from.
    pub from: Option<Checkpoint>,
    /// Why it could not be written.
    pub failure: Option<Failure>,
}

/// Looks at the folder before any work is done; nothing without one.
pub fn open(deep: &Deep) -> Result<Option<Kept>, Failure> {
    let Some(folder) = &deep.checkpoint else {
        return Ok(None);
    };
    let file = folder.join(NAME);
    let shown = file.display();
    let from = match deep.resume {
        true => {
            let bytes = fs::read(&file).map_err(|error| {
                Failure::Input(format!(
                    "cannot read {shown}: {error}; leave --resume out to start anew"
                ))
            })?;
            let state = Checkpoint::from_bytes(&bytes);
            Some(state.map_err(|error| Failure::Input(format!("{shown}: {error}")))?)
        }
        false if file.exists() && !deep.network.force => {
            return Err(Failure::Usage(format!(
                "{shown} exists; pass --resume to go on from it, or --force to start anew"
            )));
        }
        false => {
            fs::create_dir_all(folder).map_err(|error| {
                Failure::Work(format!("cannot create {}: {error}", folder.display()))
            })?;
            None
        }
    };
    Ok(Some(Kept {
        file,
        from,
        failure: None,
    }))
}

impl Kept {
    /// Writes the state, whole or not at all; `false` if that failed.
    pub fn write(&mut self, state: &Checkpoint) -> bool {
        let written = (state.to_bytes().map_err(Failure::from))
            .and_then(|bytes| model_file::write(&self.file, &bytes, true));
        self.failure = written.err();
        self.failure.is_none()
    }
}

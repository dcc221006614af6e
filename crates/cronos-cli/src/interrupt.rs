//! Ctrl-C and SIGTERM end a run after its present iteration.

use crate::failure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the user asked to stop.
#[derive(Clone)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
}

impl Interrupt {
    /// Starts to listen. A second request ends the process at once.
    pub fn listen() -> Result<Self, Failure> {
        let asked = Arc::new(AtomicBool::new(false));
        let seen = asked.clone();
        ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(crate::failure::INTERRUPTED));
            }
        })
        .map_err(|error| Failure::Work(format!("cannot listen for Ctrl-C: {error}")))?;
        Ok(Self { asked })
    }

    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }
}

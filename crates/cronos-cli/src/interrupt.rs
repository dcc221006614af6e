//! Ctrl-C and SIGTERM end a run after its present iteration.

use crate::failure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Signals that come together are one request: `timeout` sends its own twice, to the process and to its group.
const TOGETHER: Duration = Duration::from_millis(500);

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
        let mut first = None;
        ctrlc::set_handler(move || {
            seen.store(true, Ordering::SeqCst);
            if first.get_or_insert_with(Instant::now).elapsed() >= TOGETHER {
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

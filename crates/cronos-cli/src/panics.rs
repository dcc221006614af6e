//! What a user sees of a panic: one sentence, and an exit code.
//!
//! Parts that others made panic on some damaged files, or when a device is lost. What guards them turns
//! that into an error of its own, so nothing is told here. What nobody guards ends the command.

use crate::failure::Failure;
use crate::output;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Whether a device is used, of which a driver may speak by a panic.
static DEVICE: AtomicBool = AtomicBool::new(false);
/// The last panic: where it was, and what was said.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Tells from now on what the driver of a device says.
pub fn hear_the_driver() {
    DEVICE.store(true, Ordering::Relaxed);
}

/// Does the work of a command.
pub fn caught<R>(work: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let text = info.to_string();
        let own = (info.location()).is_some_and(|at| at.file().contains("cronos"));
        if std::env::var_os("RUST_BACKTRACE").is_some() {
            usual(info);
        } else if DEVICE.load(Ordering::Relaxed) && !own {
            // the place, then what is said
            let said = text.lines().nth(1).unwrap_or_default();
            output::remark(&format!("the driver of the device says: {said}"));
        }
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }));
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(Failure::Work(format!(
            "cronos broke down ({}); this is a fault of the program: please report it, with the command \
             and, if you may, the data",
            last.unwrap_or_default()
        )))
    })
}

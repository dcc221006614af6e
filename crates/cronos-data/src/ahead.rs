//! Reads from places of a file, while what comes behind them is on its way from the disk.

use std::fs::File;
use std::io;

/// Bytes between what is read and what is asked for: the disk is busy while numbers are worked on.
#[cfg(target_os = "linux")]
const AHEAD: u64 = 4 << 20;

/// Bytes of a read that is likely one of many in a row.
#[cfg(target_os = "linux")]
const LARGE: usize = 1 << 16;

/// Fills `bytes` with those from a place on.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    ask_for(file, bytes.len(), at + AHEAD);
    fill(file, bytes, at)
}

/// A hint to the system; whether it takes it changes nothing but the time.
#[cfg(target_os = "linux")]
fn ask_for(file: &File, count: usize, at: u64) {
    use rustix::fs::{Advice, fadvise};
    if count >= LARGE {
        let _ = fadvise(
            file,
            at,
            std::num::NonZeroU64::new(count as u64),
            Advice::WillNeed,
        );
    }
}

#[cfg(unix)]
fn fill(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn fill(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                at += count as u64;
            }
        }
    }
    Ok(())
}

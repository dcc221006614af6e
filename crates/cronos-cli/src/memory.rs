//! The memory this process has used.

/// Peak resident memory in bytes, where the system tells.
pub fn peak_bytes() -> Option<u64> {
    bytes("VmHWM:")
}

/// Resident memory in bytes, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    bytes("VmRSS:")
}

fn bytes(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

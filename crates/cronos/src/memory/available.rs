//! How much memory there is to be had.

use std::path::Path;

/// Bytes that can be had without swapping: what the system reports, or what the limits of the
/// process's control groups leave if that is less. `u64::MAX` where neither is known.
pub fn available() -> u64 {
    below(Path::new("/"))
}

/// The same with another root of the file system.
fn below(root: &Path) -> u64 {
    let free = value(&root.join("proc/meminfo"), "MemAvailable:").map(|kib| kib << 10);
    let groups = std::fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let limits = groups.lines().flat_map(|group| left(root, group));
    limits.fold(free.unwrap_or(u64::MAX), u64::min)
}

/// What a version of control groups calls its files and the lines of its statistics.
struct Names {
    limit: &'static str,
    used: &'static str,
    cache: [&'static str; 2],
}

const FIRST: Names = Names {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    cache: ["total_inactive_file", "total_active_file"],
};
const SECOND: Names = Names {
    limit: "memory.max",
    used: "memory.current",
    cache: ["inactive_file", "active_file"],
};

/// What each limit leaves that holds for `group`, a line as `4:memory:/path` or `0::/path`: limits of
/// the groups around it hold, too. A container may see its own group as the outermost one.
fn left(root: &Path, group: &str) -> Vec<u64> {
    let mut parts = group.splitn(3, ':').skip(1);
    let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
        return Vec::new();
    };
    let (folder, names) = match controllers {
        "" => ("sys/fs/cgroup", SECOND),
        _ if controllers.split(',').any(|name| name == "memory") => ("sys/fs/cgroup/memory", FIRST),
        _ => return Vec::new(),
    };
    let around = Path::new(path.trim_start_matches('/')).ancestors();
    let left = around.filter_map(|group| {
        let group = root.join(folder).join(group);
        let number = |name| -> Option<u64> {
            let text = std::fs::read_to_string(group.join(name)).ok()?;
            text.trim().parse().ok()
        };
        let limit = number(names.limit)?;
        // the cache of files is given back when it is needed
        let statistics = group.join("memory.stat");
        let cache = names
            .cache
            .iter()
            .filter_map(|name| value(&statistics, name));
        let taken = number(names.used).unwrap_or(0).saturating_sub(cache.sum());
        Some(limit.saturating_sub(taken))
    });
    left.collect()
}

/// The number behind a name at the start of a line.
fn value(file: &Path, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().map(|line| line.split_whitespace());
    let mut line = line
        .into_iter()
        .find(|words| words.clone().next() == Some(name))?;
    line.nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::below;
    use std::path::PathBuf;

    const MIB: u64 = 1 << 20;

    /// A root with these files.
    fn root(name: &str, files: &[(&str, String)]) -> PathBuf {
        let folder = format!("cronos-available-{name}-{}", std::process::id());
        let root = std::env::temp_dir().join(folder);
        for (file, content) in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, content).expect("written");
        }
        root
    }

    #[test]
    fn what_the_system_says_or_a_group_leaves() {
        let system = (
            "proc/meminfo",
            "MemTotal: 99 kB\nMemAvailable:  4096 kB\n".to_string(),
        );
        let group = |line: &str| ("proc/self/cgroup", format!("3:cpu:/a/b\n{line}\n"));
        let bytes = |mib: u64| format!("{}\n", mib * MIB);
        let cases = [
            ("alone", vec![system.clone()], 4),
            (
                "unlimited",
                vec![
                    system.clone(),
                    group("0::/"),
                    ("sys/fs/cgroup/memory.max", "max\n".into()),
                ],
                4,
            ),
            (
                "second",
                vec![
                    system.clone(),
                    group("0::/a/b"),
                    ("sys/fs/cgroup/a/b/memory.max", bytes(9)),
                    ("sys/fs/cgroup/a/memory.max", bytes(3)),
                    ("sys/fs/cgroup/a/memory.current", bytes(2)),
                    (
                        "sys/fs/cgroup/a/memory.stat",
                        format!("anon 7\ninactive_file {MIB}\nactive_file 0\n"),
                    ),
                ],
                2,
            ),
            (
                "first",
                vec![
                    system.clone(),
                    group("4:blkio,memory:/outer/unseen"),
                    ("sys/fs/cgroup/memory/memory.limit_in_bytes", bytes(5)),
                    ("sys/fs/cgroup/memory/memory.usage_in_bytes", bytes(4)),
                    (
                        "sys/fs/cgroup/memory/memory.stat",
                        format!("active_file 9\ntotal_active_file {}\n", 2 * MIB),
                    ),
                ],
                3,
            ),
            (
                "full",
                vec![
                    system,
                    group("0::/"),
                    ("sys/fs/cgroup/memory.max", bytes(1)),
                    ("sys/fs/cgroup/memory.current", bytes(2)),
                ],
                0,
            ),
        ];
        for (name, files, expected) in cases {
            let root = root(name, &files);
            assert_eq!(below(&root), expected * MIB, "{name}");
            std::fs::remove_dir_all(root).expect("removed");
        }
        assert_eq!(
            below(&std::env::temp_dir().join("cronos-nowhere")),
            u64::MAX
        );
    }
}

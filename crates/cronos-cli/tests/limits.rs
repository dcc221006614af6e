//! A limit that the system sets to memory is kept to: what does not fit is refused or stays in its
//! file, and nobody is killed.
#![cfg(target_os = "linux")]

mod shell;

use shell::tables::corners;
use shell::{Folder, number};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Bytes of the limit.
const LIMIT: u64 = 64 << 20;

/// A control group with a limit, gone after the test.
struct Group(PathBuf);

impl Group {
    /// None where this process may not make one.
    fn new() -> Option<Self> {
        let of_process = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        let lines = of_process.lines().filter_map(|line| line.split_once(':'));
        let places = lines.filter_map(|(_, line)| {
            let (controllers, path) = line.split_once(':')?;
            let path = path.trim_start_matches('/');
            match controllers {
                "" => Some((Path::new("/sys/fs/cgroup").join(path), "memory.max")),
                "memory" => Some((
                    Path::new("/sys/fs/cgroup/memory").join(path),
                    "memory.limit_in_bytes",
                )),
                _ => None,
            }
        });
        places
            .into_iter()
            .find_map(|(place, limit)| Self::within(&place, limit))
    }

    fn within(place: &Path, limit: &str) -> Option<Self> {
        let folder = place.join(format!("cronos-test-{}", std::process::id()));
        if !place.join("cgroup.procs").is_file() {
            return None;
        }
        std::fs::create_dir(&folder).ok()?;
        let group = Self(folder);
        std::fs::write(group.0.join(limit), LIMIT.to_string()).ok()?;
        Some(group)
    }

    /// Runs a line of the command within the group.
    fn run(&self, folder: &Folder, line: &str) -> Output {
        let inner = folder.command(line);
        let mut command = Command::new("sh");
        command
            .args(["-c", "echo $$ > \"$0\" && exec \"$@\""])
            .arg(self.0.join("cgroup.procs"))
            .arg(inner.get_program())
            .args(inner.get_args());
        command.current_dir(folder.path("")).output().unwrap()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // it goes once the last process in it is gone
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
fn a_limit_of_the_system_is_known() {
    let Some(group) = Group::new() else {
        eprintln!("SKIPPED: no control group can be made here");
        return;
    };
    let (folder, data) = (Folder::new(), corners(20_000, 300));
    folder.put("x.npy", data.npy());
    folder.put("y.npy", data.class_npy());
    let line = "fit x.npy --target y.npy --gates 4 --max-iterations 5 --holdout 0 --json";
    let ended = group.run(&folder, line);
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(0), "{told} {:?}", ended.status);
    let report = serde_json::from_slice(&ended.stdout).unwrap();
    assert!(number(&report, "/read_bytes") > 0.0, "{report}");
    let peak = number(&report, "/peak_memory_bytes");
    assert!(peak < LIMIT as f64, "{peak}");

    let ended = group.run(&folder, &line.replace("--gates 4", "--gates 4000"));
    let told = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{told} {:?}", ended.status);
    assert!(told.contains("memory"), "{told}");
    assert_eq!(ended.stdout, b"");
}

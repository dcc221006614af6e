//! `cargo xtask bench`: measurements that take long and pass no judgement.

mod options;
mod record;

use crate::{mpi, package};
use options::Options;
use record::Record;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use xtask::python;
use xtask::step::{built, cargo, execute, program, root, step, target};

/// A part of the benchmark.
pub struct Part {
    /// The name on the command line.
    pub name: &'static str,
    /// Seconds a run may take, unless `--limit` says otherwise.
    limit: f64,
    kind: Kind,
}

enum Kind {
    /// `NAME.py` of `xtask/bench`, and what it can do nothing without.
    Script { needs: Needs },
    /// The example `bench_NAME` of the library.
    Example,
}

/// Data that a script needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    Images,
    Texts,
}

/// All parts, in the order in which they are reported.
pub const PARTS: [Part; 10] = [
    part(
        "peers",
        600.0,
        Kind::Script {
            needs: Needs::Nothing,
        },
    ),
    part(
        "fashion",
        600.0,
        Kind::Script {
            needs: Needs::Images,
        },
    ),
    part("loop", 600.0, Kind::Example),
    part("solver", 30.0, Kind::Example),
    part("convergence", 40.0, Kind::Example),
    part(
        "deep",
        600.0,
        Kind::Script {
            needs: Needs::Nothing,
        },
    ),
    part(
        "scaling",
        600.0,
        Kind::Script {
            needs: Needs::Nothing,
        },
    ),
    part(
        "language",
        600.0,
        Kind::Script {
            needs: Needs::Texts,
        },
    ),
    part(
        RANKS,
        600.0,
        Kind::Script {
            needs: Needs::Nothing,
        },
    ),
    part(
        PACKAGE,
        600.0,
        Kind::Script {
            needs: Needs::Images,
        },
    ),
];

/// The part that needs MPI.
const RANKS: &str = "ranks";

/// The part that needs the Python package.
const PACKAGE: &str = "python";

const fn part(name: &'static str, limit: f64, kind: Kind) -> Part {
    Part { name, limit, kind }
}

/// Seconds a run may take with `--quick`.
const QUICK_LIMIT: f64 = 5.0;

/// Runs the part that is named, or all of them, and writes what was measured.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let options = Options::parse(arguments)?;
    let folder = target().join("bench");
    let results = match options.quick {
        true => folder.join("quick"),
        false => folder.clone(),
    };
    record::create(&results.join("parts"))?;
    execute(&mut cargo(
        "build --workspace --release --locked --bins --examples",
    ))?;
    let environment = folder.join("venv");
    let chosen = |part: &&Part| options.name.as_deref().is_none_or(|name| name == part.name);
    let scripted = |part: &&Part| matches!(part.kind, Kind::Script { .. });
    if PARTS.iter().filter(chosen).any(|part| scripted(&part)) {
        step("python packages", || {
            python::prepare(&environment, &root().join("xtask/bench/requirements.txt"))
        })?;
    }
    if PARTS.iter().filter(chosen).any(|part| part.name == PACKAGE) {
        step("python package", || {
            package::install_in(&python::interpreter(&environment))
        })?;
    }
    let images = xtask::images::find(options.images.as_deref(), &folder.join("data"));
    if let Err(reason) = &images {
        println!("== Fashion-MNIST: SKIPPED: {reason}");
    }
    let run = Run {
        options: &options,
        python: &python::interpreter(&environment),
        images: images.as_deref().ok(),
        folder: &folder,
        results: &results,
    };
    if options.quick && options.name.as_deref().is_none_or(|name| name == "peers") {
        step("the solvers solve the same program", || run.check())?;
    }
    for part in PARTS.iter().filter(chosen) {
        if let Some(missing) = run.missing(part) {
            println!("== {}: SKIPPED: {missing}", part.name);
            continue;
        }
        if part.name == RANKS {
            if let Err(reason) = mpi::find() {
                println!("== {}: SKIPPED: {reason}", part.name);
                continue;
            }
            execute(&mut cargo(
                "build --workspace --release --locked --bins --features cronos-cli/mpi",
            ))?;
        }
        step(part.name, || run.part(part))?;
        record::merge(&results)?;
    }
    println!("== written: {}", results.join("bench.md").display());
    Ok(())
}

/// What the parts are run with.
struct Run<'a> {
    options: &'a Options,
    python: &'a Path,
    images: Option<&'a Path>,
    /// For environments, data and arrays.
    folder: &'a Path,
    results: &'a Path,
}

impl Run<'_> {
    fn part(&self, part: &Part) -> Result<(), String> {
        let record = match part.kind {
            Kind::Script { .. } => {
                let result = self.results.join(format!("{}.json", part.name));
                execute(&mut self.script(part.name, self.limit(part), &result))?;
                Record::read(&result)?
            }
            Kind::Example => Record::from_markdown(captured(&mut self.example(part))?),
        };
        record.write(part.name, self.results)
    }

    /// What a part would need that is not there.
    fn missing(&self, part: &Part) -> Option<&'static str> {
        let Kind::Script { needs } = part.kind else {
            return None;
        };
        match needs {
            Needs::Images if self.images.is_none() => Some("there is no Fashion-MNIST"),
            Needs::Texts if self.options.texts.is_none() => {
                Some("name the folder of the reviews with --texts")
            }
            _ => None,
        }
    }

    /// Compares the solvers with an interior-point method on a small problem.
    fn check(&self) -> Result<(), String> {
        execute(&mut self.script("check", QUICK_LIMIT, Path::new("unused")))
    }

    fn limit(&self, part: &Part) -> f64 {
        let usual = if self.options.quick {
            QUICK_LIMIT
        } else {
            part.limit
        };
        self.options.limit.unwrap_or(usual)
    }

    fn script(&self, name: &str, limit: f64, result: &Path) -> Command {
        let mut command = program(self.python);
        command.arg(root().join("xtask/bench").join(format!("{name}.py")));
        command.arg("--program").arg(built("cronos"));
        command.arg("--folder").arg(self.folder.join("arrays"));
        command.arg("--result").arg(result);
        command.args(["--limit", &limit.to_string()]);
        if let Some(images) = self.images {
            command.arg("--images").arg(images);
        }
        if let Some(texts) = &self.options.texts {
            command.arg("--texts").arg(texts);
        }
        for encoder in &self.options.encoders {
            command.args(["--encoder", encoder]);
        }
        if let Some(longest) = self.options.longest {
            command.args(["--longest", &longest.to_string()]);
        }
        if let Some(repeats) = &self.options.repeats {
            command.args(["--repeats", repeats]);
        }
        let flags = [
            ("--quick", self.options.quick),
            ("--resume", self.options.resume),
        ];
        command.args(flags.iter().filter(|flag| flag.1).map(|flag| flag.0));
        command
    }

    fn example(&self, part: &Part) -> Command {
        let mut command = program(built(&format!("examples/bench_{}", part.name)));
        command.arg(self.limit(part).to_string());
        if self.options.quick {
            command.arg("--quick");
        } else if let Some(images) = self.images {
            command.arg(images);
        }
        command
    }
}

/// What a command prints, which is shown as it comes.
fn captured(command: &mut Command) -> Result<String, String> {
    let name = Path::new(command.get_program()).display().to_string();
    let failed = |error: std::io::Error| format!("{name}: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut text = String::new();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line.map_err(failed)?;
            println!("{line}");
            text.push_str(&line);
            text.push('\n');
        }
    }
    match child.wait().map_err(failed)? {
        status if status.success() => Ok(text),
        status => Err(format!("{name} ended with {status}")),
    }
}

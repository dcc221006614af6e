//! What follows `cargo xtask bench`.

use super::PARTS;
use std::path::PathBuf;

/// The command line.
#[derive(Debug, Default, PartialEq)]
pub struct Options {
    /// The part to run; all of them without.
    pub name: Option<String>,
    /// Small sizes and short runs, to see that everything works.
    pub quick: bool,
    /// Keep the problems of `peers` that are done.
    pub resume: bool,
    /// Seconds a run may take.
    pub limit: Option<f64>,
    /// Seconds a peer may take to show how many times slower it is.
    pub longest: Option<f64>,
    /// How often what is fast is run.
    pub repeats: Option<String>,
    /// The folder of Fashion-MNIST.
    pub images: Option<PathBuf>,
    /// The folder of the reviews.
    pub texts: Option<PathBuf>,
    /// Encoders, each as `NAME=PATH@TEXTS@LENGTH`.
    pub encoders: Vec<String>,
}

impl Options {
    /// Reads the arguments.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || {
                let value = rest.next().cloned();
                value.ok_or_else(|| format!("{argument} needs a value; see cargo xtask help"))
            };
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--resume" => options.resume = true,
                "--limit" => options.limit = Some(seconds(argument, &value()?)?),
                "--longest" => options.longest = Some(seconds(argument, &value()?)?),
                "--repeats" => options.repeats = Some(count(value()?)?),
                "--images" => options.images = Some(absolute(value()?)),
                "--texts" => options.texts = Some(absolute(value()?)),
                "--encoder" => options.encoders.push(encoder(&value()?)?),
                name if options.name.is_none() && PARTS.iter().any(|part| part.name == name) => {
                    options.name = Some(name.into());
                }
                other => {
                    let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
                    return Err(format!(
                        "bench does not take {other}; there are the benchmarks {}",
                        names.join(", ")
                    ));
                }
            }
        }
        Ok(options)
    }
}

fn seconds(name: &str, text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && f64::is_finite(seconds) => Ok(seconds),
        _ => Err(format!("{name} {text}: seconds above 0 are expected")),
    }
}

fn count(text: String) -> Result<String, String> {
    match text.parse::<u32>() {
        Ok(1..) => Ok(text),
        _ => Err(format!("--repeats {text}: a number of runs is expected")),
    }
}

/// An encoder with its path, wherever this program was started, the texts to encode, and how
/// many tokens of each.
fn encoder(text: &str) -> Result<String, String> {
    let wrong = || format!("--encoder {text}: NAME=PATH@TEXTS@LENGTH is expected");
    let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
    let (rest, length) = rest.rsplit_once('@').ok_or_else(wrong)?;
    let (path, count) = rest.rsplit_once('@').ok_or_else(wrong)?;
    let [count, length] = [count, length].map(str::parse::<usize>);
    let (count, length) = count.ok().zip(length.ok()).ok_or_else(wrong)?;
    let path = absolute(path.into());
    Ok(format!("{name}={}@{count}@{length}", path.display()))
}

/// Programs run in the root of the workspace, wherever this one was started.
fn absolute(text: String) -> PathBuf {
    std::path::absolute(&text).unwrap_or(text.into())
}

#[cfg(test)]
mod tests {
    use super::Options;

    fn parse(line: &str) -> Result<Options, String> {
        let arguments: Vec<String> = line.split_whitespace().map(Into::into).collect();
        Options::parse(&arguments)
    }

    #[test]
    fn everything_is_optional() {
        assert_eq!(parse(""), Ok(Options::default()));
        let options = parse("peers --quick --limit 2.5 --repeats 1").unwrap();
        assert_eq!(options.name.as_deref(), Some("peers"));
        assert!(options.quick && !options.resume);
        assert_eq!(options.limit, Some(2.5));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for line in [
            "x",
            "peers solver",
            "--limit",
            "--limit -1",
            "--longest 0",
            "--repeats 0",
            "language --encoder minilm=folder",
            "language --encoder minilm=folder@1000@many",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}

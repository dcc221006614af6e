//! Deep networks on images: the alternation against optimizers over random learning rates.

use super::Experiment;
use super::bench::{Job, Setting};
use super::contest::{contenders, figures, results, verdict};
use super::data::Places;
use super::pieces::provenance;
use super::record::Record;
use cronos_page::html::paragraph;
use std::path::{Path, PathBuf};

/// A network and the data it is trained on.
struct Comparison {
    experiment: &'static Experiment,
    /// Paths for the `{}` of the line.
    paths: fn(&Places) -> Result<Vec<PathBuf>, String>,
    line: &'static str,
    /// What is added to see that it works.
    quick: &'static str,
    /// What is to be known about it.
    words: &'static str,
    /// Peaks in the paper.
    paper: &'static [(&'static str, &'static str)],
    charts: [&'static str; 3],
}

const FEW: &str = "--epochs 1 --rates 1 --optimizers adamw,dadam";

pub const MLP_CIFAR10: Experiment = Experiment {
    name: "mlp-cifar10",
    title: "MLP on CIFAR-10",
    about: "four layers, airplanes against automobiles, seven optimizers (table 1, figure 1)",
    data: "CIFAR-10",
    minutes: 45,
    jobs: |setting| AIRPLANES.jobs(setting),
    section: |records| AIRPLANES.section(records),
};
const AIRPLANES: Comparison = Comparison {
    experiment: &MLP_CIFAR10,
    paths: |places| Ok(vec![places.cifar10()?]),
    line: "compare {} --classes 0,1",
    quick: FEW,
    words: "10,000 images to train on, of which a tenth is held out to choose epochs and rates, \
            and 2,000 to test. Two layers of 256 units in front of the last two. The paper chooses \
            and reports on the same rows; here the first column is of rows that nothing was chosen \
            on.",
    paper: &[
        ("CRONOS-AM", "90.5 %"),
        ("DAdam", "90.15 %"),
        ("Adam", "50.4 to 89.8 %"),
        ("AdamW", "50.04 to 90.25 %"),
        ("Yogi", "50.04 to 90.84 %"),
        ("SGD", "50.04 to 87.75 %"),
        ("Shampoo", "51.5 to 89.15 %"),
    ],
    charts: [
        "mlp-cifar10-seconds",
        "mlp-cifar10-epochs",
        "mlp-cifar10-rates",
    ],
};

pub const MLP_IMAGENET171: Experiment = Experiment {
    name: "mlp-imagenet171",
    title: "MLP on ImageNet, 171 x 171",
    about: "the same network on photographs of 171 x 171 pixels",
    data: "imagenet-bird-shark-512",
    minutes: 180,
    jobs: |setting| SHARKS.jobs(setting),
    section: |records| SHARKS.section(records),
};
const SHARKS: Comparison = Comparison {
    experiment: &MLP_IMAGENET171,
    paths: |places| Ok(vec![places.imagenet()?]),
    line: "compare {} --image-size 171 --image-fit pad --holdout 0.2 --epochs 30",
    quick: "--image-size 16 --epochs 1 --rates 1 --optimizers adamw,dadam",
    words: "2,600 photographs of ImageNet, goldfinches against great white sharks, shrunk and \
            padded; a fifth is held out to test. The paper has another pair of classes, so its \
            figures are not of the same data.",
    paper: &[],
    charts: [
        "mlp-imagenet171-seconds",
        "mlp-imagenet171-epochs",
        "mlp-imagenet171-rates",
    ],
};

pub const MLP_IMAGENET512: Experiment = Experiment {
    name: "mlp-imagenet512",
    title: "MLP on ImageNet, 512 x 512",
    about: "the same network on photographs of 512 x 512 pixels, 786,432 features (table 1)",
    data: "imagenet-bird-shark-512",
    minutes: 360,
    jobs: |setting| LARGE.jobs(setting),
    section: |records| LARGE.section(records),
};
const LARGE: Comparison = Comparison {
    experiment: &MLP_IMAGENET512,
    paths: |places| Ok(vec![places.imagenet()?]),
    line: "compare {} --image-size 512 --image-fit pad --holdout 0.2 --epochs 5",
    quick: "--image-size 24 --epochs 1 --rates 1 --optimizers adamw,dadam",
    words: "The same photographs at 512 x 512 x 3, five epochs. The paper has another pair of \
            classes, so its figures are not of the same data.",
    paper: &[
        ("CRONOS-AM", "88.47 %"),
        ("DAdam", "87.96 %"),
        ("Adam", "50.87 to 88.47 %"),
        ("AdamW", "50.87 to 87.46 %"),
        ("Yogi", "50.87 to 88.47 %"),
        ("SGD", "50.87 to 87.46 %"),
        ("Shampoo", "51.5 to 89.72 %"),
    ],
    charts: [
        "mlp-imagenet512-seconds",
        "mlp-imagenet512-epochs",
        "mlp-imagenet512-rates",
    ],
};

pub const MLP_FOOD: Experiment = Experiment {
    name: "mlp-food",
    title: "MLP on Food-5K",
    about: "the same network on food against other photographs (figure of the appendix)",
    data: "food5k-256",
    minutes: 90,
    jobs: |setting| FOOD.jobs(setting),
    section: |records| FOOD.section(records),
};
const FOOD: Comparison = Comparison {
    experiment: &MLP_FOOD,
    paths: |places| {
        let food = places.food()?;
        Ok(vec![food.join("train"), food.join("test")])
    },
    line: "compare {} --test {} --image-size 64 --image-fit pad --epochs 30",
    quick: "--image-size 16 --epochs 1 --rates 1 --optimizers adamw,dadam",
    words: "Shrunk and padded to 64 x 64 x 3 (the paper pads to 256 x 256); photographs that are \
            there twice are kept once. The paper gives no numbers, only a figure.",
    paper: &[],
    charts: ["mlp-food-seconds", "mlp-food-epochs", "mlp-food-rates"],
};

pub const CNN_CIFAR10: Experiment = Experiment {
    name: "cnn-cifar10",
    title: "CNN on CIFAR-10",
    about: "two convolutions with means, cats against dogs (figure of the appendix)",
    data: "CIFAR-10",
    minutes: 330,
    jobs: |setting| CATS.jobs(setting),
    section: |records| CATS.section(records),
};
const CATS: Comparison = Comparison {
    experiment: &CNN_CIFAR10,
    paths: |places| Ok(vec![places.cifar10()?]),
    line: "compare {} --classes 3,5 --arch cnn --epochs 20",
    quick: FEW,
    words: "Cats against dogs, 10,000 images to train on and 2,000 to test. The paper says of its \
            figure that CRONOS-AM does somewhat worse there than the others.",
    paper: &[],
    charts: [
        "cnn-cifar10-seconds",
        "cnn-cifar10-epochs",
        "cnn-cifar10-rates",
    ],
};

pub const CNN_IMAGENET171: Experiment = Experiment {
    name: "cnn-imagenet171",
    title: "CNN on ImageNet, 171 x 171",
    about: "two convolutions with means on photographs (figure of the appendix)",
    data: "imagenet-bird-shark-512",
    minutes: 600,
    jobs: |setting| BIRDS.jobs(setting),
    section: |records| BIRDS.section(records),
};
const BIRDS: Comparison = Comparison {
    experiment: &CNN_IMAGENET171,
    paths: |places| Ok(vec![places.imagenet()?]),
    line: "compare {} --image-size 171 --image-fit pad --holdout 0.2 --arch cnn:8,16 --epochs 5",
    quick: "--image-size 32 --epochs 1 --rates 1 --optimizers adamw,dadam",
    words: "The photographs of ImageNet again, a fifth held out to test. The paper gives no \
            numbers, only a figure.",
    paper: &[],
    charts: [
        "cnn-imagenet171-seconds",
        "cnn-imagenet171-epochs",
        "cnn-imagenet171-rates",
    ],
};

impl Comparison {
    fn jobs(&self, setting: &Setting<'_>) -> Result<Vec<Job>, String> {
        let paths = (self.paths)(setting.places)?;
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let line = match setting.quick {
            true => quickly(self.line, self.quick),
            false => self.line.into(),
        };
        let job = |seed| Job::cronos("compare", seed, &line, &paths);
        Ok((0..setting.seeds).map(job).collect())
    }

    fn section(&self, records: &[&Record]) -> Result<String, String> {
        let found = contenders(records)?;
        Ok([
            paragraph(self.words),
            paragraph(&verdict(&found)),
            results(&found, self.paper),
            figures(self.charts, &found),
            provenance(records, self.experiment.name),
        ]
        .concat())
    }
}

/// A line with other settings instead of its own.
fn quickly(line: &str, other: &str) -> String {
    let flags: Vec<&str> = other
        .split_whitespace()
        .filter(|word| word.starts_with("--"))
        .collect();
    let mut words = Vec::new();
    let mut skip = false;
    for word in line.split_whitespace() {
        let instead = flags.contains(&word);
        if !skip && !instead {
            words.push(word);
        }
        // and what follows it
        skip = instead;
    }
    words.push(other);
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::quickly;

    #[test]
    fn settings_are_replaced_with_their_values() {
        let line = "compare {} --image-size 171 --holdout 0.2 --epochs 30";
        let quick = quickly(line, "--image-size 16 --epochs 1 --rates 1");
        assert_eq!(
            quick,
            "compare {} --holdout 0.2 --image-size 16 --epochs 1 --rates 1"
        );
    }
}

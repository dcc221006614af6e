//! What the data of a job is to teach.

use super::needs_classes;
use crate::arguments::{self, Source};
use crate::commands::labelled::{Truth, target_of};
use crate::failure::Failure;
use cronos::{Grouping, Task};
use cronos_data::Dataset;
use cronos_data::labels::{self, Labels};

/// What is to be learned.
pub(super) struct Goal {
    pub task: Task,
    pub grouping: Option<Grouping>,
}

impl Goal {
    /// What the training data is to teach, and its truth.
    pub fn of(source: &Source, data: &Dataset) -> Result<(Self, Truth), Failure> {
        let target = target_of(data)?;
        let task = match source.task {
            Some(arguments::Task::Classification) => cronos_data::Task::Classification,
            Some(arguments::Task::Regression) => cronos_data::Task::Regression,
            None if source.positive.is_empty() && source.classes.is_empty() => {
                labels::infer_task(target)
            }
            None => cronos_data::Task::Classification,
        };
        if task == cronos_data::Task::Regression {
            for (option, given) in [
                ("--positive", &source.positive),
                ("--classes", &source.classes),
            ] {
                if !given.is_empty() {
                    return Err(needs_classes(option));
                }
            }
            let goal = Self {
                task: Task::Regression,
                grouping: None,
            };
            return Ok((goal, Truth::numbers(data)?));
        }
        let mut labels = data.labels().map_err(Failure::reading)?;
        let mut grouping = None;
        if !source.positive.is_empty() {
            let positive =
                labels::chosen(&source.positive, &labels.classes).map_err(Failure::reading)?;
            let grouped = labels::group_positive(&labels, &positive).map_err(Failure::reading)?;
            let group = |class| usize::from(positive.contains(class));
            grouping = Some(Grouping {
                group: labels.classes.iter().map(group).collect(),
                classes: labels.classes,
            });
            labels = grouped;
        }
        let Labels { classes, indices } = labels;
        let task = Task::Classification { classes };
        Ok((Self { task, grouping }, Truth::Classes(indices)))
    }
}

/// The classes whose rows alone are used, if they were named.
pub(super) fn only(source: &Source, data: &Dataset) -> Result<Option<Vec<String>>, Failure> {
    if source.classes.is_empty() {
        return Ok(None);
    }
    let all = data.labels().map_err(Failure::reading)?.classes;
    labels::chosen(&source.classes, &all)
        .map(Some)
        .map_err(Failure::reading)
}

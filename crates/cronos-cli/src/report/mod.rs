//! The page of a report: plain data in, one self-contained HTML text out.
//!
//! Nothing here knows the solver. Any part of [`Report`] may be empty; its
//! section is then left out.

mod compare_plot;
mod page;
mod path_plot;
mod png;
mod sections;

#[cfg(test)]
mod tests;

pub use compare_plot::compare_plot;
pub use cronos_page::frame::Figure;
pub use cronos_page::text::{number, percent, shortened, whole, with_spread};
pub use cronos_page::trajectories::{Measure, Trajectories};
pub use path_plot::path_plot;
pub use sections::by_importance;

/// Everything the page shows.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Name of the data.
    pub title: String,
    /// What is learned, in a few words.
    pub task: String,
    /// How the run ended, in a sentence.
    pub outcome: String,
    /// The few numbers that matter most.
    pub headline: Vec<Figure>,
    /// Rows of the summary: a name and what there is to say.
    pub summary: Vec<(String, String)>,
    /// Everything that was chosen, by the user or for the user.
    pub chosen: Vec<Choice>,
    /// The gap that was asked for; drawn into the plot of the gap.
    pub tolerance: Option<f64>,
    /// One point per iteration, in order.
    pub convergence: Vec<ConvergencePoint>,
    /// What the scores of `path` and `importance` are.
    pub measure: Measure,
    /// One point per penalty that was tried, in any order.
    pub path: Vec<PathPoint>,
    /// One point per round in which gates were learned, in order.
    pub rounds: Vec<RoundPoint>,
    /// For a classification.
    pub confusion: Option<Confusion>,
    /// For a regression, one for each output.
    pub residuals: Vec<Residuals>,
    /// In any order; the largest are shown.
    pub importance: Vec<Importance>,
    /// Where features were shuffled, such as `539 test rows, 5 times`.
    pub shuffled_on: String,
    /// When the features are pixels.
    pub pixels: Option<PixelMap>,
    /// Images that were misclassified, the worst first.
    pub mistakes: Vec<Mistake>,
    /// The command that made the report, if it is known.
    pub command: Option<String>,
    /// Files that belong to the report.
    pub files: Vec<FileNote>,
}

/// Something that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub what: String,
    pub value: String,
    pub why: String,
}

/// One iteration. Numbers that are not finite are left out of the plots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvergencePoint {
    pub iteration: usize,
    pub objective: f64,
    pub lower_bound: f64,
    pub gap: f64,
    pub violation: f64,
}

/// One penalty that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathPoint {
    pub beta: f64,
    /// NaN if it is unknown, like the bound.
    pub objective: f64,
    pub lower_bound: f64,
    pub neurons: usize,
    pub train_score: f64,
    pub validation_score: f64,
    /// Standard error of the validation score; 0 if it is unknown.
    pub spread: f64,
    /// Whether this is the penalty of the network.
    pub chosen: bool,
}

/// One round of learned gates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundPoint {
    pub round: usize,
    pub network_objective: f64,
    pub neurons: usize,
}

/// Rows by true class and predicted class.
#[derive(Clone, Debug, PartialEq)]
pub struct Confusion {
    /// The rows counted, such as `539 test rows`.
    pub of: String,
    pub classes: Vec<String>,
    /// `counts[truth][prediction]`.
    pub counts: Vec<Vec<usize>>,
}

/// Predictions of one output and the truth, in the units of the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Residuals {
    /// Name of the output.
    pub output: String,
    /// The rows shown, such as `539 test rows`.
    pub of: String,
    pub predicted: Vec<f64>,
    pub actual: Vec<f64>,
}

/// How much a feature matters, by two measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    pub feature: String,
    /// Share of the weights that read the feature; NaN where there is none.
    pub group_norm: f64,
    /// What shuffling the feature costs, if it was measured.
    pub permutation: Option<Permutation>,
}

/// Loss of score when a feature is shuffled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Permutation {
    pub mean: f64,
    pub spread: f64,
}

/// The features as an image, each with its share of the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct PixelMap {
    /// Row after row.
    pub shares: Vec<f64>,
    pub width: usize,
    pub height: usize,
}

/// An image that was misclassified.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    /// Row after row, the channels of a pixel together; on any scale.
    pub pixels: Vec<f64>,
    pub width: usize,
    pub height: usize,
    /// 1 for grey, 3 for red, green and blue; of other numbers the first is shown.
    pub channels: usize,
    pub truth: String,
    pub predicted: String,
}

/// A file that belongs to the report.
#[derive(Clone, Debug, PartialEq)]
pub struct FileNote {
    pub name: String,
    pub about: String,
    /// Whether it stands beside the page, so that a link leads to it.
    pub beside: bool,
}

impl Report {
    /// The page, complete and on its own.
    pub fn page(&self) -> String {
        page::render(self)
    }
}

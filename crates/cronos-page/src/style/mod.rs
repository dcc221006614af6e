//! Style sheets.

/// Colours and fonts, light and dark.
pub const COLOURS: &str = include_str!("colours.css");
/// The page.
pub const PAGE: &str = include_str!("style.css");
/// What is drawn in a chart.
pub const MARKS: &str = include_str!("marks.css");
/// Lines and bands of what is compared.
pub const HUES: &str = include_str!("hues.css");

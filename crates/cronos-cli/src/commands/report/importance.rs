//! How much the features matter, as the page shows it.

use super::judged::image_shape;
use crate::commands::job::Job;
use crate::report::{PixelMap, Report, whole};
use crate::summary::Summary;

pub fn fill(report: &mut Report, job: &Job, summary: &Summary<'_>) {
    let Some(measured) = summary.importance else {
        return;
    };
    report.importance.clone_from(&measured.features);
    if let Some(rows) = &measured.rows {
        let (count, of, repeats) = (whole(rows.count), &rows.of, rows.repeats);
        report.shuffled_on = format!("{count} {of}, {repeats} times");
    }
    report.pixels = image_shape(job).map(|(height, width, channels)| PixelMap {
        // the channels of a pixel stand together
        shares: (measured.features.chunks(channels))
            .map(|pixel| pixel.iter().map(|feature| feature.group_norm).sum())
            .collect(),
        width,
        height,
    });
}

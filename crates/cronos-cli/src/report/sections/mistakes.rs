//! Images that were misclassified.

use super::confusion;
use crate::report::png::Image;
use crate::report::{Mistake, Report};
use cronos_page::frame::Section;
use cronos_page::html::paragraph;
use cronos_page::svg::Range;
use cronos_page::text::{escape, shortened, whole};

/// Images shown, at most.
const MOST: usize = 48;
/// Letters of a class name below an image, at most.
const LETTERS: usize = 20;

pub fn section(report: &Report) -> Option<Section> {
    let shown = &report.mistakes[..report.mistakes.len().min(MOST)];
    let scale = Range::of(shown.iter().flat_map(|m| m.pixels.iter().copied()))?;
    let scale = (scale.low, scale.high.max(scale.low + f64::MIN_POSITIVE));
    let ink = is_ink(shown, scale);
    let images: Vec<String> = shown.iter().filter_map(|m| image(m, scale, ink)).collect();
    if images.is_empty() {
        return None;
    }
    let known = report.confusion.as_ref().map_or(0, confusion::mistakes);
    let total = known.max(report.mistakes.len());
    let mut text = String::from("Each with its true class, an arrow, and the class predicted.");
    if images.len() < total {
        text = format!(
            "{} of {}, the most clearly wrong first. {text}",
            images.len(),
            whole(total)
        );
    }
    Some(Section {
        id: "mistakes",
        title: "Misclassified images",
        body: format!(
            "{}<ul class=\"images\">\n{}</ul>\n",
            paragraph(&text),
            images.concat()
        ),
    })
}

/// Whether the images look like ink on empty paper: grey and mostly low.
fn is_ink(mistakes: &[Mistake], (low, high): (f64, f64)) -> bool {
    let pixels = || mistakes.iter().flat_map(|m| &m.pixels);
    let dim = pixels().filter(|&&p| p < low + 0.5 * (high - low)).count();
    mistakes.iter().all(|m| m.channels != 3) && 2 * dim > pixels().count()
}

/// An image with its classes. Ink is drawn dark on light; the style turns it
/// around on a dark page.
fn image(mistake: &Mistake, (low, high): (f64, f64), ink: bool) -> Option<String> {
    let size = (mistake.width, mistake.height, mistake.channels);
    let scale = if ink { (high, low) } else { (low, high) };
    let image = Image::new(&mistake.pixels, size, scale)?;
    let (truth, predicted) = (escape(&mistake.truth), escape(&mistake.predicted));
    Some(format!(
        "<li><img{} width=\"{}\" height=\"{}\" src=\"{}\" alt=\"{truth}, taken for {predicted}\">\
         <span aria-hidden=\"true\">{} → <b>{}</b></span></li>\n",
        if ink { " class=\"ink\"" } else { "" },
        image.width,
        image.height,
        image.data_uri().ok()?,
        escape(&shortened(&mistake.truth, LETTERS)),
        escape(&shortened(&mistake.predicted, LETTERS))
    ))
}

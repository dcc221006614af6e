//! Where marks lie between the axes of a chart, and how they are drawn.

use super::at;
use super::axis::Axis;
use super::chart::{Dot, Mark};
use crate::text::escape;
use crate::thin::{Point, gather, runs, thin};
use std::fmt::Write;

/// Places on the x axis that can be told apart.
const BUCKETS: usize = 300;
/// Dots of a cloud, at most.
const CLOUD: usize = 4000;
/// Beyond this many dots they are drawn smaller.
const DENSE: usize = 800;

/// The rectangle between the axes.
pub struct Plot<'a> {
    pub x: &'a Axis,
    pub y: &'a Axis,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Plot<'_> {
    /// Where an x lies; far outside is as good as outside.
    pub fn across(&self, x: f64) -> Option<f64> {
        let place = self.x.place(x)?.clamp(-9.0, 10.0);
        Some(self.left + place * (self.right - self.left))
    }

    /// Where a y lies.
    pub fn down(&self, y: f64) -> Option<f64> {
        let place = self.y.place(y)?.clamp(-9.0, 10.0);
        Some(self.bottom - place * (self.bottom - self.top))
    }

    /// Where a point lies; not a number where it lies nowhere.
    fn place(&self, (x, y): Point) -> Point {
        (
            self.across(x).unwrap_or(f64::NAN),
            self.down(y).unwrap_or(f64::NAN),
        )
    }

    pub fn draw(&self, mark: &Mark, svg: &mut String) {
        let (style, path) = match mark {
            Mark::Line { style, points } => (style, self.line(points)),
            Mark::Band { style, points } => (style, self.band(points)),
            Mark::Across { style, y } => {
                let Some(y) = self.down(*y) else { return };
                let path = format!("M{} {}H{}", at(self.left), at(y), at(self.right));
                (style, path)
            }
            Mark::Down { style, x } => {
                let Some(x) = self.across(*x) else { return };
                let path = format!("M{} {}V{}", at(x), at(self.top), at(self.bottom));
                (style, path)
            }
            Mark::Cloud { style, points } => return self.cloud(style, points, svg),
            Mark::Dots { .. } => return,
        };
        if !path.is_empty() {
            let _ = writeln!(svg, "<path class=\"{style}\" d=\"{path}\"/>");
        }
    }

    fn line(&self, points: &[Point]) -> String {
        let placed: Vec<Point> = points.iter().map(|&point| self.place(point)).collect();
        let mut path = String::new();
        for run in runs(&placed) {
            for (i, (x, y)) in thin(run, BUCKETS).into_iter().enumerate() {
                let letter = if i == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{letter}{} {}", at(x), at(y));
            }
        }
        path
    }

    fn band(&self, points: &[(f64, f64, f64)]) -> String {
        let known = |(x, low, high): &(f64, f64, f64)| (x + low + high).is_finite();
        let mut path = String::new();
        for run in points.split(|point| !known(point)) {
            let upper = run.iter().map(|&(x, _, high)| (x, high));
            let lower = run.iter().rev().map(|&(x, low, _)| (x, low));
            let outline: Vec<Point> = upper.chain(lower).map(|p| self.place(p)).collect();
            // a piece with a point that lies nowhere is left out
            let Some(whole) = runs(&outline).next().filter(|r| r.len() == outline.len()) else {
                continue;
            };
            for (i, (x, y)) in whole.iter().enumerate() {
                let letter = if i == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{letter}{} {}", at(*x), at(*y));
            }
            path.push('Z');
        }
        path
    }

    pub fn dots(&self, style: &str, dots: &[Dot], svg: &mut String) {
        for dot in dots {
            let (x, y) = self.place((dot.x, dot.y));
            let inside = (self.left - 1.0..=self.right + 1.0).contains(&x)
                && (self.top - 1.0..=self.bottom + 1.0).contains(&y);
            if inside {
                let _ = writeln!(
                    svg,
                    "<circle class=\"{style}\" cx=\"{}\" cy=\"{}\" r=\"{}\"><title>{}</title>\
                     </circle>",
                    at(x),
                    at(y),
                    at(dot.radius),
                    escape(&dot.text)
                );
            }
        }
    }

    /// One path for dots that stand alone, one for a few, one for many.
    fn cloud(&self, style: &str, points: &[Point], svg: &mut String) {
        let placed: Vec<Point> = points.iter().map(|&point| self.place(point)).collect();
        let gathered = gather(&placed, CLOUD);
        let size = if gathered.len() > DENSE { " dense" } else { "" };
        for (density, counts) in [("one", 1..=1), ("few", 2..=5), ("many", 6..=usize::MAX)] {
            let mut path = String::new();
            for ((x, y), _) in gathered.iter().filter(|(_, n)| counts.contains(n)) {
                let _ = write!(path, "M{} {}h0", at(*x), at(*y));
            }
            if !path.is_empty() {
                let _ = writeln!(
                    svg,
                    "<path class=\"{style} {density}{size}\" d=\"{path}\"/>"
                );
            }
        }
    }
}

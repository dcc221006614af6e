//! Pages that load nothing: a frame, its parts and charts, as HTML and SVG text.

// most fields say by their names what they are
#![allow(missing_docs)]

pub mod curve;
pub mod frame;
pub mod html;
pub mod style;
pub mod svg;
pub mod text;
pub mod thin;
pub mod trajectories;

#[cfg(test)]
mod tests;

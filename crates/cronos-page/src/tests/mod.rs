//! Numbers in words and on axes, and points of charts.

mod numbers;
mod thinning;

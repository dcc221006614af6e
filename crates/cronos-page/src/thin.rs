//! Fewer points with the same look.

/// A point of a plot.
pub type Point = (f64, f64);

/// The runs of points with finite coordinates.
pub fn runs(points: &[Point]) -> impl Iterator<Item = &[Point]> {
    points
        .split(|(x, y)| !x.is_finite() || !y.is_finite())
        .filter(|run| !run.is_empty())
}

/// At most about two points for each of `buckets` equal pieces of the x axis:
/// the lowest and the highest, in the order in which they came. The first and
/// the last point stay. The points are finite and their x do not fall.
pub fn thin(points: &[Point], buckets: usize) -> Vec<Point> {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    if points.len() <= 2 * buckets + 2 {
        return points.to_vec();
    }
    let width = (last.0 - first.0).max(f64::MIN_POSITIVE) / buckets as f64;
    let bucket = |point: &Point| (((point.0 - first.0) / width) as usize).min(buckets - 1);
    let mut kept = vec![first];
    for piece in points[1..points.len() - 1].chunk_by(|a, b| bucket(a) == bucket(b)) {
        let (mut lowest, mut highest) = (0, 0);
        for (i, point) in piece.iter().enumerate() {
            if point.1 < piece[lowest].1 {
                lowest = i;
            }
            if point.1 > piece[highest].1 {
                highest = i;
            }
        }
        kept.push(piece[lowest.min(highest)]);
        if lowest != highest {
            kept.push(piece[lowest.max(highest)]);
        }
    }
    kept.push(last);
    kept
}

/// One point for each occupied square of a grid, with the number of points in
/// the square; the squares grow until at most `most` are occupied. Points that
/// stand alone, the outliers, are never lost.
pub fn gather(points: &[Point], most: usize) -> Vec<(Point, usize)> {
    use std::collections::BTreeMap;
    let mut side = 1.0;
    loop {
        let mut squares: BTreeMap<(i64, i64), (Point, usize)> = BTreeMap::new();
        for &(x, y) in points
            .iter()
            .filter(|(x, y)| x.is_finite() && y.is_finite())
        {
            let square = ((x / side).floor() as i64, (y / side).floor() as i64);
            squares.entry(square).or_insert(((x, y), 0)).1 += 1;
        }
        if squares.len() <= most.max(1) {
            return squares.into_values().collect();
        }
        side *= 1.25;
    }
}

//! Fewer points keep the shape.

use crate::thin::{Point, gather, runs, thin};

#[test]
fn thinning_keeps_ends_and_extremes() {
    let mut points: Vec<Point> = (0..10_000)
        .map(|i| (f64::from(i), (f64::from(i) * 0.37).sin()))
        .collect();
    points[4321].1 = 50.0;
    points[4322].1 = -60.0;
    let kept = thin(&points, 100);
    assert!(kept.len() <= 202, "{}", kept.len());
    assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[9999]));
    assert!(kept.windows(2).all(|two| two[0].0 < two[1].0));
    assert!(kept.contains(&points[4321]) && kept.contains(&points[4322]));
    // the lowest and the highest of every piece of the axis are there
    for piece in 0..100 {
        let inside = |p: &&Point| (p.0 * 100.0 / 9999.0) as usize == piece;
        let highest = |points: &[Point]| {
            let ys = points.iter().filter(inside).map(|p| p.1);
            ys.fold(f64::NEG_INFINITY, f64::max)
        };
        assert_eq!(highest(&kept), highest(&points), "piece {piece}");
    }
}

#[test]
fn few_points_stay_as_they_are() {
    for count in [0, 1, 2, 202] {
        let points: Vec<Point> = (0..count).map(|i| (f64::from(i), 0.0)).collect();
        assert_eq!(thin(&points, 100), points);
    }
    // points at one place, and points at two
    assert!(thin(&[(1.0, 2.0); 5000], 100).len() <= 4);
    assert!(thin(&[[(0.0, 1.0); 600], [(1.0, 2.0); 600]].concat(), 100).len() <= 6);
}

#[test]
fn lines_break_where_numbers_do() {
    let points = [
        (0.0, 1.0),
        (1.0, f64::NAN),
        (2.0, f64::INFINITY),
        (3.0, 1.0),
        (4.0, 2.0),
    ];
    let pieces: Vec<usize> = runs(&points).map(<[Point]>::len).collect();
    assert_eq!(pieces, [1, 2]);
}

#[test]
fn gathering_counts_every_point_and_keeps_outliers() {
    let mut points: Vec<Point> = (0..50_000)
        .map(|i| (f64::from(i % 317), f64::from(i % 211)))
        .collect();
    points.push((5000.0, -5000.0));
    points.push((f64::NAN, 1.0));
    let gathered = gather(&points, 500);
    assert!(gathered.len() <= 500, "{}", gathered.len());
    assert_eq!(
        gathered.iter().map(|(_, count)| count).sum::<usize>(),
        50_001
    );
    assert!(gathered.contains(&((5000.0, -5000.0), 1)));
}

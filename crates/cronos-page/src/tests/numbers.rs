//! Ticks are round, in order and say what they are; so do numbers in words.

use crate::svg::{Axis, Range, Unit};
use crate::text::{escape, link, number, percent, plain, scientific, shortened, whole};

/// The number that a label says.
fn read(label: &str) -> f64 {
    let (label, factor) = match label.strip_suffix("\u{a0}%") {
        Some(label) => (label, 0.01),
        None => (label, 1.0),
    };
    let text = label.replace('−', "-").replace(',', "");
    let raised = |text: &str| -> i32 {
        let digit = |c: char| match "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|d| d == c) {
            Some(digit) => digit.to_string(),
            None => "-".into(),
        };
        text.chars().map(digit).collect::<String>().parse().unwrap()
    };
    let value = match text.find(|c| "⁰¹²³⁴⁵⁶⁷⁸⁹⁻".contains(c)) {
        None => text.parse().unwrap(),
        Some(place) => {
            let mantissa = text[..place].strip_suffix("10").unwrap();
            let mantissa: f64 = match mantissa.strip_suffix('×') {
                Some(mantissa) => mantissa.parse().unwrap(),
                None => format!("{mantissa}1").parse().unwrap(),
            };
            mantissa * 10f64.powi(raised(&text[place..]))
        }
    };
    factor * value
}

fn assert_sound(axis: &Axis, range: Range) {
    let ticks = &axis.ticks;
    assert!((2..=10).contains(&ticks.len()), "{range:?}: {ticks:?}");
    let span = ticks.last().unwrap().0 - ticks[0].0;
    for (value, label) in ticks {
        let error = (read(label) - value).abs();
        assert!(
            error <= 1e-6 * span.min(value.abs()),
            "{range:?}: {value} is labelled {label}"
        );
        let place = axis.place(*value).unwrap();
        assert!((-1e-6..=1.0 + 1e-6).contains(&place), "{range:?}: {place}");
    }
    for two in ticks.windows(2) {
        assert!(two[0].0 < two[1].0, "{range:?}: {ticks:?}");
        assert_ne!(two[0].1, two[1].1, "{range:?}");
    }
}

fn ranges() -> impl Iterator<Item = Range> {
    let lows = [0.0, 1.0, -1.0, 3.7, -12.3, 69.2645, 999.0, 123_456.0, -4e7];
    let spans = [0.0, 1e-3, 0.07, 0.5, 1.0, 2.3, 9.9, 77.0, 1e3, 5.5e4, 3e8];
    lows.into_iter().flat_map(move |low| {
        spans.into_iter().flat_map(move |span| {
            [1e-9, 1.0, 1e6].map(|scale| Range {
                low: scale * low,
                high: scale * (low + span),
            })
        })
    })
}

#[test]
fn linear_ticks_are_round_and_true() {
    for range in ranges() {
        for unit in [Unit::Plain, Unit::Percent] {
            let axis = Axis::linear("x", range, unit);
            assert_sound(&axis, range);
            let step = axis.ticks[1].0 - axis.ticks[0].0;
            let digits = step / 10f64.powf(step.log10().floor());
            let round = [1.0, 2.0, 2.5, 5.0, 10.0];
            assert!(
                round.iter().any(|r| (digits - r).abs() < 1e-3),
                "{range:?}: {step}"
            );
            // all that is to be drawn lies between the ends
            for value in [range.low, range.high] {
                let place = axis.place(value).unwrap();
                assert!((-1e-6..=1.0 + 1e-6).contains(&place), "{range:?}: {place}");
            }
        }
    }
}

#[test]
fn whole_ticks_are_whole() {
    for (low, high) in [
        (0, 0),
        (1, 1),
        (0, 1),
        (1, 3),
        (0, 7),
        (1, 10_000),
        (0, 1260),
    ] {
        let range = Range {
            low: f64::from(low),
            high: f64::from(high),
        };
        let axis = Axis::whole("n", range);
        assert_sound(&axis, range);
        assert!(axis.ticks.iter().all(|(value, _)| value.fract() == 0.0));
    }
}

#[test]
fn logarithmic_ticks_are_round_and_true() {
    for low in [1e-12, 2.3e-5, 0.01, 0.5, 1.0, 40.0, 7e5] {
        for ratio in [1.0, 1.01, 1.3, 3.0, 11.0, 60.0, 900.0, 3e6, 1e15] {
            let range = Range {
                low,
                high: low * ratio,
            };
            for unit in [Unit::Plain, Unit::Percent] {
                assert_sound(&Axis::log("x", range, unit), range);
                assert_sound(&Axis::log_wide("x", range, unit), range);
            }
        }
    }
    let axis = Axis::log(
        "x",
        Range {
            low: 0.01,
            high: 100.0,
        },
        Unit::Plain,
    );
    let labels: Vec<&str> = axis.ticks.iter().map(|(_, label)| &label[..]).collect();
    assert_eq!(labels, ["0.01", "0.1", "1", "10", "100"]);
    assert!((axis.place(1.0).unwrap() - 0.5).abs() < 1e-12);
    assert_eq!(axis.place(0.0), None);
    assert_eq!(axis.place(-1.0), None);
}

#[test]
fn shares_do_not_exceed_everything() {
    let range = Range {
        low: 1.0,
        high: 1.0,
    };
    let axis = Axis::linear("accuracy", range, Unit::Percent);
    assert_eq!(axis.ticks.last().unwrap().1, "100\u{a0}%");
}

#[test]
fn numbers_read_well() {
    for (value, text) in [
        (0.0, "0"),
        (0.669_84, "0.6698"),
        (69.264_59, "69.26"),
        (1.5, "1.5"),
        (-3.0, "−3"),
        (1258.0, "1258"),
        (123_456.7, "123,457"),
        (1.2e-5, "1.2×10⁻⁵"),
        (-4e12, "−4×10¹²"),
        (f64::NAN, "unknown"),
    ] {
        assert_eq!(number(value), text);
    }
    for (value, text) in [
        (0.9814, "98.1"),
        (0.009_94, "0.994"),
        (0.05, "5.00"),
        (1.0, "100.0"),
    ] {
        assert_eq!(percent(value), format!("{text}\u{a0}%"));
    }
    assert_eq!(whole(12_345_678), "12,345,678");
    assert_eq!(plain(-0.001, 1), "0.0");
    assert_eq!(scientific(1e-7, 3), "10⁻⁷");
}

#[test]
fn text_is_safe() {
    assert_eq!(
        escape("a<b>&\"'\u{0}\n"),
        "a&lt;b&gt;&amp;&quot;&#39;\u{fffd}\n"
    );
    assert_eq!(link("a b/\"<é.csv"), "./a%20b%2F%22%3C%C3%A9.csv");
    assert_eq!(link("javascript:x"), "./javascript%3Ax");
    assert_eq!(shortened("äöü", 3), "äöü");
    assert_eq!(shortened("äöüß", 3), "äö…");
}

//! The page as a whole: nothing unescaped, nothing undefined, nothing too large.

mod images;

use super::*;

const EVIL: &str = "<script>alert('x')</script>\"&\u{1}</svg>";

/// A report with every part, and in it numbers that are none.
fn everything() -> Report {
    let strange = [
        1.0,
        f64::NAN,
        f64::INFINITY,
        -1e300,
        0.0,
        3.0,
        f64::MIN_POSITIVE,
    ];
    let at = |i: usize| strange[i % strange.len()];
    Report {
        title: EVIL.into(),
        task: EVIL.into(),
        outcome: EVIL.into(),
        headline: vec![Figure {
            label: EVIL.into(),
            value: EVIL.into(),
            note: EVIL.into(),
        }],
        summary: vec![(EVIL.into(), EVIL.into())],
        chosen: vec![Choice {
            what: EVIL.into(),
            value: EVIL.into(),
            why: EVIL.into(),
        }],
        tolerance: Some(0.01),
        convergence: (0..50)
            .map(|i| ConvergencePoint {
                iteration: i,
                objective: at(i),
                lower_bound: at(i + 1),
                gap: at(i + 2),
                violation: at(i + 3),
            })
            .collect(),
        measure: Measure {
            name: EVIL.into(),
            percent: true,
        },
        path: (0..10)
            .map(|i| PathPoint {
                beta: at(i),
                objective: at(i + 1),
                lower_bound: at(i),
                neurons: i,
                train_score: at(i + 2),
                validation_score: at(i + 3),
                spread: at(i + 4),
                chosen: i == 5,
            })
            .collect(),
        rounds: (0..4)
            .map(|i| RoundPoint {
                round: i,
                network_objective: at(i),
                neurons: 0,
            })
            .collect(),
        confusion: Some(Confusion {
            of: EVIL.into(),
            classes: vec![EVIL.into(), "b".into()],
            counts: vec![vec![3, 1], vec![0, 2]],
        }),
        residuals: vec![Residuals {
            output: EVIL.into(),
            of: EVIL.into(),
            predicted: strange.to_vec(),
            actual: strange.iter().rev().copied().collect(),
        }],
        importance: (0..40)
            .map(|i| Importance {
                feature: EVIL.into(),
                group_norm: at(i),
                permutation: (i % 3 > 0).then(|| Permutation {
                    mean: at(i + 1),
                    spread: at(i + 2),
                }),
            })
            .collect(),
        shuffled_on: EVIL.into(),
        pixels: Some(PixelMap {
            shares: strange[..6].to_vec(),
            width: 3,
            height: 2,
        }),
        mistakes: vec![Mistake {
            pixels: strange[..4].to_vec(),
            width: 2,
            height: 2,
            channels: 1,
            truth: EVIL.into(),
            predicted: EVIL.into(),
        }],
        command: Some(EVIL.into()),
        files: vec![FileNote {
            name: EVIL.into(),
            about: EVIL.into(),
            beside: true,
        }],
    }
}

const SECTIONS: [&str; 10] = [
    "summary",
    "chosen",
    "convergence",
    "path",
    "gates",
    "confusion",
    "residuals",
    "importance",
    "mistakes",
    "files",
];

fn sections(page: &str) -> Vec<&str> {
    page.split("<section id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

/// Checks that every element of the body that opens is closed, in order.
fn assert_balanced(page: &str) {
    let (_, body) = page.split_once("<body>").unwrap();
    let (body, _) = body.split_once("</body>").unwrap();
    let mut open = Vec::new();
    for tag in body.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        let name = tag.split(' ').next().unwrap();
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed)),
            None if tag.ends_with('/') || name == "img" => {}
            None => open.push(name),
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn everything_is_there_and_escaped() {
    let page = everything().page();
    assert_eq!(sections(&page), SECTIONS);
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;\u{fffd}"));
    for raw in ["<script", "alert('", "\u{1}", "\"&\""] {
        assert!(!page.contains(raw), "{raw}");
    }
    assert_balanced(&page);
}

#[test]
fn numbers_that_are_none_are_not_drawn() {
    let page = everything().page();
    for svg in page.split("<svg").skip(1) {
        let (svg, _) = svg.split_once("</svg>").unwrap();
        for attribute in svg.split('"').skip(1).step_by(2) {
            let words = attribute.split(|c: char| !c.is_alphanumeric());
            for word in words {
                let word = word.trim_start_matches(['M', 'L', 'H', 'V', 'v', 'h']);
                assert!(!["NaN", "inf"].contains(&word), "{attribute}");
            }
        }
    }
}

#[test]
fn an_empty_part_has_no_section() {
    let page = Report::default().page();
    assert_eq!(sections(&page), Vec::<&str>::new());
    assert!(!page.contains("<nav"), "there is nothing to lead to");
    let full = everything();
    let mut alone: Vec<Report> = (0..10).map(|_| Report::default()).collect();
    alone[0].summary.clone_from(&full.summary);
    alone[1].chosen.clone_from(&full.chosen);
    alone[2].convergence.clone_from(&full.convergence);
    alone[3].path.clone_from(&full.path);
    alone[4].rounds.clone_from(&full.rounds);
    alone[5].confusion.clone_from(&full.confusion);
    alone[6].residuals.clone_from(&full.residuals);
    alone[7].importance.clone_from(&full.importance);
    alone[8].mistakes.clone_from(&full.mistakes);
    alone[9].files.clone_from(&full.files);
    for (report, section) in alone.iter().zip(SECTIONS) {
        assert_eq!(sections(&report.page()), [section]);
    }
}

#[test]
fn parts_that_do_not_fit_together_are_left_out() {
    let mut report = everything();
    report.confusion = Some(Confusion {
        of: String::new(),
        classes: vec!["a".into(), "b".into()],
        counts: vec![vec![1, 2]],
    });
    report.mistakes[0].width = 3;
    report.convergence.truncate(0);
    report.path.truncate(2);
    report.path[0].beta = 0.0;
    report.residuals[0].actual.clear();
    let page = report.page();
    for section in ["confusion", "mistakes", "convergence", "path", "residuals"] {
        assert!(!sections(&page).contains(&section), "{section}");
    }
}

#[test]
fn many_classes_become_pairs() {
    let classes = |n: usize| {
        let mut counts = vec![vec![0; n]; n];
        counts[3][1] = 7;
        let report = Report {
            confusion: Some(Confusion {
                of: "7 rows".into(),
                classes: (0..n).map(|c| format!("class {c}")).collect(),
                counts,
            }),
            ..Report::default()
        };
        report.page()
    };
    assert!(classes(30).contains("class=\"heat\""));
    let page = classes(31);
    assert!(!page.contains("class=\"heat\""));
    let (_, pairs) = page.split_once("Most confused pairs").unwrap();
    let place = |text: &str| pairs.find(text).unwrap();
    assert!(place("class 3<") < place("class 1<"));
}

#[test]
fn a_page_stays_below_a_megabyte() {
    let mut state = 1u64;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as f64
    };
    let mut report = everything();
    report.convergence = (1..300_000)
        .map(|iteration| ConvergencePoint {
            iteration,
            objective: next(),
            lower_bound: next(),
            gap: next(),
            violation: next(),
        })
        .collect();
    let residuals = Residuals {
        predicted: (0..50_000).map(|_| next()).collect(),
        actual: (0..50_000).map(|_| next()).collect(),
        ..report.residuals[0].clone()
    };
    report.residuals = vec![residuals; 9];
    let mistake = Mistake {
        pixels: (0..48 * 48 * 3).map(|_| next()).collect(),
        width: 48,
        height: 48,
        channels: 3,
        ..report.mistakes[0].clone()
    };
    report.mistakes = vec![mistake; 100];
    let page = report.page();
    assert_eq!(page.matches("<img").count(), 1 + 48);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

//! `cronos path`: every penalty, in a table, a file and a drawing.

mod shell;

use serde_json::Value;
use shell::tables::{corners, surface};
use shell::{Folder, number};

const QUICK: &str = "--gates 8 --steps 5 --smallest 0.05 --tolerance 0.05";

/// The lines of a csv file, in cells.
fn cells(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

/// Checks that every element of an SVG text is closed, in order.
fn well_formed(svg: &str) {
    let mut open = Vec::new();
    let style = svg.find("<style>").unwrap()..svg.find("</style>").unwrap();
    for (at, _) in svg.match_indices('<') {
        if style.contains(&at) && at != style.start {
            continue;
        }
        let tag = &svg[at + 1..at + svg[at..].find('>').unwrap()];
        let name = tag
            .trim_start_matches('/')
            .split([' ', '/'])
            .next()
            .unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "at {at}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} never closed");
}

#[test]
fn digits_from_nothing_to_a_network() {
    let folder = Folder::new();
    let report = folder.json(
        "path digits --positive 5,6,7,8,9 --gates 10 --steps 6 --smallest 0.01 --tolerance 0.02 \
         --csv p.csv --plot p.svg --out m.safetensors --report r --json",
    );
    assert_eq!(report["status"], "solved");
    let points = report["points"].as_array().unwrap();
    assert_eq!(points.len(), 6);
    let of = |key: &str| -> Vec<f64> { points.iter().map(|p| number(p, key)).collect() };
    let betas = of("/beta");
    assert!(betas.is_sorted_by(|a, b| a > b));
    assert_eq!(betas[0], number(&report, "/zero_beta"));
    assert!((betas[5] / betas[0] - 0.01).abs() <= 1e-12);
    assert_eq!(of("/relative_beta")[0], 1.0);
    let (objectives, bounds) = (of("/objective"), of("/lower_bound"));
    assert!(objectives.is_sorted_by(|a, b| a > b));
    for (objective, bound) in objectives.iter().zip(&bounds) {
        assert!((objective - bound).abs() <= 0.02 * objective);
    }
    assert_eq!(of("/neurons")[0], 0.0);
    assert!(of("/neurons")[5] > 0.0);
    assert!(of("/gap").iter().all(|gap| *gap <= 0.02));

    let scores = of("/validation/accuracy");
    let best = report["best"].as_u64().unwrap() as usize;
    let highest = scores.iter().copied().fold(0.0, f64::max);
    let first = scores.iter().position(|score| *score == highest);
    assert_eq!(Some(best), first);
    assert!(highest > 0.8, "{scores:?}");
    assert_eq!(report["test"], Value::Null);

    // the file holds the same numbers
    let text = folder.text("p.csv");
    let table = cells(&text);
    assert_eq!(
        table[0].join(","),
        "beta,relative_beta,status,iterations,objective,lower_bound,gap,violation,\
         network_objective,neurons,train_score,validation_score,best,seconds"
    );
    assert_eq!(table.len(), 7);
    for (k, line) in table[1..].iter().enumerate() {
        let cell = |at: usize| line[at].parse::<f64>().unwrap();
        assert_eq!((cell(0), cell(4)), (betas[k], objectives[k]));
        assert_eq!(cell(11), scores[k]);
        assert_eq!(line[12] == "1", k == best);
    }
    assert_eq!(folder.text("r/path.csv"), text);

    // the saved network is the best of them
    let scored = folder.json("inspect m.safetensors --json");
    assert_eq!(number(&scored, "/beta"), betas[best]);

    let svg = folder.text("p.svg");
    well_formed(&svg);
    for part in [
        "xmlns=\"http://www.w3.org/2000/svg\"",
        "prefers-color-scheme: dark",
        "id=\"path-scores-title\"",
        "id=\"path-neurons-title\"",
        "id=\"path-objectives-title\"",
        "digits: path of penalties",
    ] {
        assert!(svg.contains(part), "{part}");
    }
    let without_namespace = svg.replace("http://www.w3.org/2000/svg", "");
    assert!(!without_namespace.contains("http"), "it loads nothing");
    let page = folder.text("r/index.html");
    for part in [
        "id=\"path\"",
        "539 validation rows",
        "Validation accuracy",
        "path.csv",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_table_marks_the_best() {
    let folder = Folder::new();
    folder.put("d.csv", surface(80));
    let text = folder.print(&format!("path d.csv {QUICK}"));
    assert!(
        text.starts_with("solved to the tolerance at every penalty\n"),
        "{text}"
    );
    let lines: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.contains("β/β max"))
        .collect();
    assert_eq!(lines.len(), 6, "{text}");
    assert_eq!(
        lines.iter().filter(|line| line.ends_with("best")).count(),
        1,
        "{text}"
    );
}

/// With rows to test on, others are held out to choose by.
#[test]
fn test_rows_do_not_choose() {
    let folder = Folder::new();
    folder.put("d.csv", corners(100, 3).csv());
    folder.put("t.csv", corners(40, 3).csv());
    let report = folder.json(&format!("path d.csv --test t.csv {QUICK} --json"));
    assert_eq!(number(&report, "/data/rows"), 70.0);
    assert_eq!(number(&report, "/points/0/validation/rows"), 30.0);
    assert_eq!(number(&report, "/test/rows"), 40.0);
}

#[test]
fn without_held_out_rows_nothing_is_chosen() {
    let folder = Folder::new();
    folder.put("d.csv", corners(60, 3).csv());
    let report = folder.json(&format!(
        "path d.csv --holdout 0 {QUICK} --csv p.csv --json"
    ));
    assert_eq!(report["best"], Value::Null);
    assert_eq!(report["points"][0]["validation"], Value::Null);
    assert_eq!(number(&report, "/data/rows"), 60.0);
    assert!(
        cells(&folder.text("p.csv"))[1..]
            .iter()
            .all(|line| line[11].is_empty())
    );
    for option in ["--out m.safetensors", "--report r"] {
        let name = option.split(' ').next().unwrap();
        assert_eq!(
            folder.refused(2, &format!("path d.csv --holdout 0 {option}")),
            format!(
                "{name} needs the best network, and --holdout 0 leaves no rows to choose it by; \
                 hold some out"
            )
        );
    }
}

#[test]
fn what_makes_no_path_is_refused() {
    let folder = Folder::new();
    folder.put("d.csv", corners(60, 3).csv());
    for (options, sentence) in [
        ("--steps 1", "steps is 1; it must be at least 2"),
        (
            "--smallest 1.5",
            "smallest is 1.5; it must be greater than 0 and less than 1",
        ),
        (
            "--smallest 0",
            "smallest is 0; it must be greater than 0 and less than 1",
        ),
        ("--gates 0", "gates is 0; it must be at least 1"),
        (
            "--beta 0.5",
            "--beta 0.5 is one penalty, and a path has many; choose them with --steps and \
             --smallest, or train with cronos fit",
        ),
        (
            "--learn-gates",
            "--learn-gates is for learned gates, and a path has sampled ones; leave it out, or \
             train with cronos fit",
        ),
    ] {
        assert_eq!(
            folder.refused(2, &format!("path d.csv {options}")),
            sentence
        );
    }
    folder.put("p.csv", "mine");
    assert_eq!(
        folder.refused(2, "path d.csv --csv p.csv"),
        "p.csv exists; pass --force to overwrite it"
    );
    assert_eq!(folder.text("p.csv"), "mine");
    folder.refused(1, "path d.csv --plot nowhere/p.svg");
}

#[test]
fn a_time_limit_keeps_what_was_done() {
    let folder = Folder::new();
    folder.put("d.csv", corners(60, 3).csv());
    assert_eq!(
        folder.refused(1, "path d.csv --gates 8 --time-limit 1e-9 --csv p.csv"),
        "the time limit came before the first network was found; raise --time-limit"
    );
    assert!(!folder.path("p.csv").exists());
}

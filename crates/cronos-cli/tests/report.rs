//! `cronos fit --report`: the page beside the numbers.

mod shell;

use shell::Folder;
use shell::tables::{corners, surface};

const QUICK: &str = "--gates 8 --max-iterations 40";

/// The sections of a page, in order.
fn sections(page: &str) -> Vec<&str> {
    page.split("<section id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

#[test]
fn a_classification_has_a_page() {
    let folder = Folder::new();
    let table = corners(80, 3).csv().replacen("a0", "<b>a&b</b>", 1);
    let table = table.replacen("class", "<i>sort</i>", 1);
    folder.put("<d>.csv", table);
    folder.print(&format!(
        "fit <d>.csv --report out {QUICK} --out m.safetensors"
    ));
    let page = folder.text("out/index.html");
    assert_eq!(
        sections(&page),
        [
            "summary",
            "chosen",
            "convergence",
            "confusion",
            "importance",
            "files"
        ]
    );
    for text in [
        "&lt;d&gt;",
        "&lt;i&gt;sort&lt;/i&gt;",
        "m.safetensors",
        "24 test rows",
    ] {
        assert!(page.contains(text), "{text}");
    }
    for raw in ["<d>", "<i>", "<b>a", "<script", "http://", "https://"] {
        assert!(!page.contains(raw), "{raw}");
    }
}

#[test]
fn a_regression_shows_residuals() {
    let folder = Folder::new();
    folder.put("d.csv", surface(60));
    folder.print(&format!("fit d.csv --report out --holdout 0 {QUICK}"));
    let page = folder.text("out/index.html");
    let expected = "summary chosen convergence residuals importance files";
    assert_eq!(sections(&page).join(" "), expected);
    for text in [
        "60 training rows",
        "60 training rows, 5 times",
        "how much R²",
    ] {
        assert!(page.contains(text), "no test rows were kept: {text}");
    }
}

#[test]
fn misclassified_images_are_shown() {
    let folder = Folder::new();
    let report = folder.json("fit digits --report out --gates 4 --max-iterations 5 --json");
    let page = folder.text("out/index.html");
    let accuracy = report["test"]["accuracy"].as_f64().unwrap();
    let wrong = (539.0 * (1.0 - accuracy)).round() as usize;
    let images = page.matches("<img").count();
    assert_eq!(
        images,
        1 + wrong.min(48),
        "a map of the pixels, and mistakes"
    );
    assert_eq!(page.matches("data:image/png;base64,").count(), images);
    let (_, importance) = page.split_once("<section id=\"importance\"").unwrap();
    assert_eq!(
        importance
            .split("</section>")
            .next()
            .unwrap()
            .matches("<img")
            .count(),
        1
    );
    assert_eq!(report["importance"].as_array().unwrap().len(), 64);
}

#[test]
fn a_page_is_not_overwritten_unasked() {
    let folder = Folder::new();
    folder.put("d.csv", corners(60, 3).csv());
    std::fs::create_dir(folder.path("out")).unwrap();
    folder.put("out/index.html", "mine");
    let line = format!("fit d.csv --report out {QUICK}");
    assert_eq!(
        folder.refused(2, &line),
        "out/index.html exists; pass --force to overwrite it"
    );
    assert_eq!(folder.text("out/index.html"), "mine");
    assert!(!folder.path("out/report.json").exists());
    folder.print(&format!("{line} --force"));
    assert!(folder.text("out/index.html").ends_with("</html>\n"));
}

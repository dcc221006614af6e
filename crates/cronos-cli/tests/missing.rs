//! Missing values: refused, or filled in training and after.

mod shell;

use shell::Folder;
use shell::tables::{Data, corners};

const QUICK: &str = "--gates 8 --tolerance 0.05 --json";

/// The csv with every eleventh feature left out.
fn with_gaps(data: &Data) -> String {
    let mut count = 0;
    let csv = data.csv();
    let mut lines = csv.lines();
    let mut text = lines.next().unwrap().to_owned() + "\n";
    for line in lines {
        let mut cells: Vec<&str> = line.split(',').collect();
        let features = cells.len() - 1;
        for cell in &mut cells[..features] {
            count += 1;
            if count % 11 == 0 {
                *cell = "";
            }
        }
        text.push_str(&(cells.join(",") + "\n"));
    }
    text
}

#[test]
fn missing_values_are_filled_in_training_and_after() {
    let folder = Folder::new();
    folder.put("d.csv", with_gaps(&corners(80, 3)));
    let sentence = folder.refused(3, "fit d.csv");
    assert!(
        sentence.contains("line 5, column \"a1\": missing value"),
        "{sentence}"
    );
    for how in ["mean", "median"] {
        let report = folder.json(&format!(
            "fit d.csv --impute {how} {QUICK} --out {how}.safetensors"
        ));
        assert_eq!(report["train"]["rows"], 56);
        let line = format!("predict {how}.safetensors d.csv");
        assert_eq!(folder.print(&line).lines().count(), 81);
        let eval = folder.json(&format!("eval {how}.safetensors d.csv --json"));
        assert_eq!(eval["rows"], 80);
    }
    // a gap is filled by the mean of its column: here of 1, 2 and 6
    folder.put("small.csv", "a,b,class\n1,0,no\n2,1,no\n6,0,yes\n,1,yes\n");
    folder.print(
        "fit small.csv --impute mean --holdout 0 --gates 4 --max-iterations 30 --out s.safetensors",
    );
    folder.put("gap.csv", "a,b\n,1\n");
    folder.put("full.csv", "a,b\n3,1\n");
    assert_eq!(
        folder.print("predict s.safetensors gap.csv"),
        folder.print("predict s.safetensors full.csv")
    );
}

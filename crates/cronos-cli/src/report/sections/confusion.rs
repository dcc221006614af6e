//! The confusion matrix, or the most confused pairs of many classes.

use crate::report::{Confusion, Report};
use cronos_page::frame::Section;
use cronos_page::html::{paragraph, scrolling, table};
use cronos_page::text::{escape, percent, shortened, whole};
use std::fmt::Write;

/// Beyond this many classes a matrix cannot be read.
const MOST_CLASSES: usize = 30;
/// Pairs listed, at most: beside a matrix, and instead of one.
const PAIRS: usize = 5;
const PAIRS_ALONE: usize = 30;
/// Letters of a class name, at most: in the matrix and in the list of pairs.
const LETTERS: usize = 16;
const LETTERS_OF_PAIR: usize = 32;

pub fn section(report: &Report) -> Option<Section> {
    let confusion = report.confusion.as_ref()?;
    let classes = confusion.classes.len();
    let square = confusion.counts.iter().all(|row| row.len() == classes);
    let total: usize = confusion.counts.iter().flatten().sum();
    if confusion.counts.len() != classes || !square || total == 0 {
        return None;
    }
    let wrong = mistakes(confusion);
    let mut body = paragraph(&format!(
        "Of {}, {} {} classified wrongly, {}.{}",
        confusion.of,
        whole(wrong),
        if wrong == 1 { "was" } else { "were" },
        percent(wrong as f64 / total as f64),
        match classes <= MOST_CLASSES {
            true =>
                " Rows are true classes, columns predicted ones; recall and precision are in per cent.",
            false => "",
        }
    ));
    body += &match classes <= MOST_CLASSES {
        true => format!(
            "<div class=\"beside\">\n{}{}</div>\n",
            matrix(confusion),
            pairs(confusion, PAIRS)
        ),
        false => pairs(confusion, PAIRS_ALONE),
    };
    Some(Section {
        id: "confusion",
        title: "Confusion",
        body,
    })
}

/// Rows that were classified wrongly.
pub fn mistakes(confusion: &Confusion) -> usize {
    let off = |(i, row): (usize, &Vec<usize>)| -> usize {
        let right = row.get(i).copied().unwrap_or(0);
        row.iter().sum::<usize>() - right
    };
    confusion.counts.iter().enumerate().map(off).sum()
}

fn matrix(confusion: &Confusion) -> String {
    let Confusion {
        classes, counts, ..
    } = confusion;
    let most_wrong = (0..classes.len())
        .flat_map(|i| (0..classes.len()).map(move |j| (i, j)))
        .filter(|(i, j)| i != j)
        .map(|(i, j)| counts[i][j])
        .max()
        .unwrap_or(0);
    let mut html = String::from("<table class=\"heat\">\n<thead><tr><td></td>");
    // writing to a string cannot fail
    for class in classes {
        let _ = write!(html, "{}", name(class, "col"));
    }
    html.push_str("<th scope=\"col\">recall</th></tr></thead>\n<tbody>\n");
    for (i, row) in counts.iter().enumerate() {
        let sum: usize = row.iter().sum();
        let _ = write!(html, "<tr>{}", name(&classes[i], "row"));
        for (j, &count) in row.iter().enumerate() {
            let (kind, most) = if i == j {
                ("right", sum)
            } else {
                ("wrong", most_wrong)
            };
            let _ = match count {
                0 => write!(html, "<td class=\"none\">·</td>"),
                _ => write!(
                    html,
                    "<td class=\"{kind}\" style=\"--h:{:.2}\">{count}</td>",
                    count as f64 / most.max(1) as f64
                ),
            };
        }
        let _ = writeln!(html, "<td class=\"share\">{}</td></tr>", share(row[i], sum));
    }
    html.push_str("</tbody>\n<tfoot><tr><th scope=\"row\">precision</th>");
    for j in 0..classes.len() {
        let sum: usize = counts.iter().map(|row| row[j]).sum();
        let _ = write!(
            html,
            "<td class=\"share\">{}</td>",
            share(counts[j][j], sum)
        );
    }
    html.push_str("<td></td></tr></tfoot>\n</table>");
    scrolling("Confusion matrix", &html)
}

/// A heading with the name of a class, cut short if it is long.
fn name(class: &str, scope: &str) -> String {
    let short = shortened(class, LETTERS);
    let hint = match short == class {
        true => String::new(),
        false => format!(" title=\"{}\"", escape(class)),
    };
    format!("<th scope=\"{scope}\"{hint}>{}</th>", escape(&short))
}

/// A part in whole per cent.
fn share(part: usize, sum: usize) -> String {
    match sum {
        0 => "–".into(),
        // 100 is for what is complete
        _ => (100 * part / sum).to_string(),
    }
}

fn pairs(confusion: &Confusion, most: usize) -> String {
    let classes = &confusion.classes;
    let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
    for (i, row) in confusion.counts.iter().enumerate() {
        for (j, &count) in row.iter().enumerate() {
            if i != j && count > 0 {
                pairs.push((count, i, j));
            }
        }
    }
    // in a small matrix the pairs are plain to see
    if pairs.is_empty() || classes.len() < 4 {
        return String::new();
    }
    pairs.sort_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let rows: Vec<Vec<String>> = pairs
        .iter()
        .take(most)
        .map(|&(count, i, j)| {
            let sum: usize = confusion.counts[i].iter().sum();
            vec![
                name_of_pair(&classes[i]),
                name_of_pair(&classes[j]),
                whole(count),
                format!("{}\u{a0}%", share(count, sum)),
            ]
        })
        .collect();
    let head = ["true class", "taken for", "rows", "of the class"];
    format!(
        "<div><h3>Most confused pairs</h3>\n{}</div>\n",
        table("Most confused pairs", &head, &rows)
    )
}

/// The name of a class, which may take several lines.
fn name_of_pair(class: &str) -> String {
    let name = escape(&shortened(class, LETTERS_OF_PAIR));
    format!("<span class=\"class\">{name}</span>")
}

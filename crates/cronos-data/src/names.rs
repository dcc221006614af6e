//! Lists of names as a user types them, and names that are nearly right.

use crate::error::{DataError, quoted};

/// Splits a list at its commas. A name with a comma in it stands in double quotes, and a
/// quote inside them is doubled, as in a csv file: `red,"green, dark"` are two names. White
/// space around a name is dropped unless it is quoted, and so are empty names.
///
/// # Errors
/// When a quote is not closed, or when text follows one.
pub fn split(list: &str) -> Result<Vec<String>, DataError> {
    let mut names = Vec::new();
    let mut rest = list.trim_start();
    loop {
        let (name, after) = match rest.strip_prefix('"') {
            Some(inside) => {
                let (name, after) = unquote(inside)
                    .filter(|(_, after)| after.is_empty() || after.starts_with(','))
                    .ok_or_else(|| {
                        DataError::request(format!(
                            "a quote in the list {} is not closed before a comma or the end; close \
                             it, and double a quote that is part of a name",
                            quoted(list)
                        ))
                    })?;
                (Some(name), after)
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let name = rest[..end].trim();
                ((!name.is_empty()).then(|| name.to_owned()), &rest[end..])
            }
        };
        names.extend(name);
        match after.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None => return Ok(names),
        }
    }
}

/// The text up to the closing quote, and what follows it without white space in front.
fn unquote(inside: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = inside;
    loop {
        let end = rest.find('"')?;
        name.push_str(&rest[..end]);
        let after = &rest[end + 1..];
        match after.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return Some((name, after.trim_start())),
        }
    }
}

/// The names that differ little from the one wanted, the nearest first, three at most.
pub(crate) fn close<'a>(wanted: &str, names: &'a [String]) -> Vec<&'a str> {
    /// Longer names are not compared: no one mistypes them.
    const LONGEST: usize = 60;
    let letters = |name: &str| name.to_lowercase().chars().collect::<Vec<char>>();
    let wanted = letters(wanted);
    let allowed = (wanted.len() / 3).max(1);
    let mut near: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let found = letters(name);
        if wanted.len() > LONGEST || found.len().abs_diff(wanted.len()) > allowed {
            continue;
        }
        let distance = distance(&wanted, &found);
        // A name of one letter is not like every other one.
        if distance <= allowed && distance < wanted.len().max(found.len()) {
            near.push((distance, name));
        }
    }
    near.sort_by_key(|&(distance, _)| distance);
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Letters to be put in, taken out or changed (Levenshtein's distance).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_textbooks() {
        let distance = |a: &str, b: &str| {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            distance(&letters(a), &letters(b))
        };
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("saturday", "sunday"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn close_names_come_nearest_first() {
        let names: Vec<String> = ["price", "Prices", "prize", "age", "p", "q"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(close("prices", &names), ["Prices", "price", "prize"]);
        assert_eq!(close("PRICE", &names)[0], "price");
        assert!(close("height", &names).is_empty());
        assert!(close("z", &names).is_empty());
    }
}

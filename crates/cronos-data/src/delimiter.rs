//! Guessing what separates the cells of a table.

/// Whether the file's name already says what separates its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// `.csv`: commas, unless the first line has none and semicolons or tabs instead, as
    /// spreadsheets write in countries with a decimal comma.
    Comma,
    /// `.tsv`.
    Tab,
    /// `.txt`: tab, semicolon, comma or spaces.
    Unknown,
}

impl Delimiter {
    /// The delimiter's byte, from the first line that is not blank.
    pub(crate) fn resolve(self, head: &[u8]) -> u8 {
        let candidates: &[u8] = match self {
            Delimiter::Tab => return b'\t',
            Delimiter::Comma => b",;\t",
            // A comma may be a decimal sign or part of a text, a tab hardly ever is.
            Delimiter::Unknown => b"\t;, ",
        };
        let seen = outside_quotes(first_line(head));
        candidates
            .iter()
            .copied()
            .find(|candidate| seen.contains(candidate))
            .unwrap_or(b',')
    }
}

fn first_line(head: &[u8]) -> &[u8] {
    head.split(|&byte| byte == b'\n' || byte == b'\r')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty())
        .unwrap_or(b"")
}

fn outside_quotes(line: &[u8]) -> Vec<u8> {
    let mut quoted = false;
    line.iter()
        .copied()
        .filter(|&byte| {
            quoted ^= byte == b'"';
            !quoted
        })
        .collect()
}

//! Text for HTML: escaping, and numbers as people write them.

/// Text that can stand in an element or in a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' => safe.push(letter),
            // controls have no place in HTML
            letter if letter.is_control() => safe.push('\u{fffd}'),
            letter => safe.push(letter),
        }
    }
    safe
}

/// A file name as a link beside the page, percent-encoded.
pub fn link(name: &str) -> String {
    let mut link = String::from("./");
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                link.push(char::from(byte));
            }
            other => link.push_str(&format!("%{other:02X}")),
        }
    }
    link
}

/// The start of a long text.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", start.trim_end())
}

/// A count with commas: 12,345.
pub fn whole(count: usize) -> String {
    grouped(&count.to_string())
}

/// Commas between the thousands of a string of digits.
fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) && digits.len() > 4 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with about four digits: 0.6698, 69.26, 12,345, 1.2×10⁻⁵.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "unknown".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let exponent = exponent(value);
    if !(-4..7).contains(&exponent) {
        return scientific(value, 2);
    }
    let decimals = usize::try_from(3 - exponent).unwrap_or(0);
    let text = plain(value, decimals);
    // 1.500 is 1.5
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A share of 1 as per cent, with about three digits: 98.1 %, 0.994 %.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return "unknown".into();
    }
    let value = 100.0 * share;
    let decimals = match value.abs() {
        0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    match value.abs() {
        size if size > 0.0 && size < 1e-3 => format!("{}\u{a0}%", scientific(value, 1)),
        _ => format!("{}\u{a0}%", plain(value, decimals)),
    }
}

/// A mean and its spread with as many decimals as the spread is worth:
/// 11.2 ± 1.2 %, 0.532 ± 0.041.
pub fn with_spread(mean: f64, spread: f64, as_percent: bool) -> String {
    let known = spread > 0.0 && spread.is_finite() && mean.is_finite();
    match (known, as_percent) {
        (false, true) => percent(mean),
        (false, false) => number(mean),
        (true, _) => {
            let (factor, sign) = if as_percent {
                (100.0, "\u{a0}%")
            } else {
                (1.0, "")
            };
            let (mean, spread) = (factor * mean, factor * spread);
            let decimals = (1 - exponent(spread)).clamp(0, 6) as usize;
            format!(
                "{}\u{a0}±\u{a0}{}{sign}",
                plain(mean, decimals),
                plain(spread, decimals)
            )
        }
    }
}

/// A number with fixed decimals, a real minus sign and commas.
pub fn plain(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = match text.split_once('.') {
        Some((whole, rest)) => (whole, Some(rest)),
        None => (text.as_str(), None),
    };
    let zero = text.chars().all(|c| c == '0' || c == '.');
    let sign = if value < 0.0 && !zero { "−" } else { "" };
    match rest {
        Some(rest) => format!("{sign}{}.{rest}", grouped(whole)),
        None => format!("{sign}{}", grouped(whole)),
    }
}

/// A number as mantissa and power of ten: 1.2×10⁻⁵.
pub fn scientific(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    let mantissa = mantissa.replace('-', "−");
    let power = format!("10{}", raised(exponent));
    match mantissa.as_str() {
        "1" => power,
        "−1" => format!("−{power}"),
        _ => format!("{mantissa}×{power}"),
    }
}

fn raised(exponent: &str) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    exponent
        .chars()
        .map(|letter| match letter.to_digit(10) {
            Some(digit) => RAISED[digit as usize],
            None => '⁻',
        })
        .collect()
}

/// `⌊log₁₀ |value|⌋`; 0 for 0.
pub fn exponent(value: f64) -> i32 {
    match value.abs() {
        size if size > 0.0 && size.is_finite() => size.log10().floor() as i32,
        _ => 0,
    }
}

//! Decides whether a text is a number, and writes one in its shortest form, without the parser and the printer of the standard
//! library: the tables of the parser alone are 10 000 bytes of the WASM module. The value is not computed.

/// Whether the text can be parsed as an `f64`, which includes infinity and not-a-number.
pub(crate) fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (number, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let power = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_digits = !(power.is_empty() || whole.is_empty() && part.is_empty());
    ["inf", "infinity", "nan"].iter().any(|word| unsigned.eq_ignore_ascii_case(word))
        || has_digits && is_digits(whole) && is_digits(part) && is_digits(power)
}

/// How many digits of a number are exact in JavaScript, whatever they are.
const EXACT_DIGITS: usize = 15;

/// A decimal number as JavaScript writes it: `1.5` for `1.50`, `1e+21` for `1000e18`. `None` for one with more digits than
/// are exact there. The digits are moved and not calculated with, as a program that reads and prints floating-point numbers is
/// some 30 kB larger.
pub(crate) fn shortest(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (number, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let written = format!("{whole}{part}");
    let digits = written.trim_start_matches('0');
    // Where the point stands in the digits: at 0 in `0.5`, and at 1 in `5`.
    let zeros = written.len() - digits.len();
    let point = isize::try_from(whole.len()).ok()?.checked_sub_unsigned(zeros)?;
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    let point = point.checked_add(exponent.parse().ok()?)?;
    if EXACT_DIGITS < digits.len() {
        return None;
    }
    let zeros = |count: usize| "0".repeat(count);
    let number = match (point, point.unsigned_abs()) {
        (1..=21, at) if at < digits.len() => format!("{}.{}", &digits[..at], &digits[at..]),
        (1..=21, at) => format!("{digits}{}", zeros(at - digits.len())),
        (-5..=0, after) => format!("0.{}{digits}", zeros(after)),
        _ => {
            let exponent = point.checked_sub(1)?;
            let plus = if exponent < 0 { "" } else { "+" };
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            format!("{first}{dot}{rest}e{plus}{exponent}")
        }
    };
    Some(format!("{sign}{number}"))
}

#[cfg(test)]
#[path = "../../tests/unit/number.rs"]
mod tests;

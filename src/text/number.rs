//! In: a word. Out: whether an `f64` could be read from it, without the reader of the standard library: its tables
//! are ten thousand bytes of a WASM module. Absent: values; nobody here computes with one.

/// Whether it is a decimal number, infinity and what is no number among them.
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

#[cfg(test)]
#[path = "../../tests/unit/number.rs"]
mod tests;

//! Decides whether a text is a number, without the parser of the standard library, whose tables are 10 000 bytes of the
//! WASM module. The value is not computed.

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

#[cfg(test)]
#[path = "../../tests/unit/number.rs"]
mod tests;

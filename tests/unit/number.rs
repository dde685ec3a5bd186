//! Numbers: what is said of them is what the standard library's reader says.

use super::*;

#[test]
fn a_number_is_what_an_f64_can_be_read_from() {
    let said = |text: &str| assert_eq!(is_number(text), text.parse::<f64>().is_ok(), "{text}");
    // Every text of up to five of these.
    let letters = ["0", "7", ".", "e", "E", "+", "-", "_"];
    let mut texts = vec![String::new()];
    for _ in 0..5 {
        texts = texts.iter().flat_map(|text| letters.map(|letter| format!("{text}{letter}"))).collect();
        texts.iter().for_each(|text| said(text));
    }
    let named = ["", "inf", "-inf", "+Infinity", "NaN", "-nan", "infin", "nane5", "infinity1", "--inf"];
    let other = ["١", " 1", "1 ", "0x1", "1e999999999999999999999", "-.5e-7", "1\u{0}"];
    named.iter().chain(&other).for_each(|text| said(text));
}

/// What JavaScript writes for a number: the standard library's shortest digits, with an exponent where JavaScript has one.
fn in_javascript(number: f64) -> String {
    if number == 0.0 || (1e-6..1e21).contains(&number.abs()) {
        return (number + 0.0).to_string();
    }
    let text = format!("{number:e}");
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}

#[test]
fn a_number_is_written_as_in_javascript() {
    let wholes = ["0", "7", "00120", "-35", "+900", "123456789012345"];
    let parts = ["", ".", ".0", ".50", ".0070"];
    let exponents = ["", "e0", "E3", "e-4", "e+5", "e-9", "e20", "e25"];
    let mut count = 0;
    for text in wholes.iter().flat_map(|whole| parts.map(|part| format!("{whole}{part}"))) {
        for text in exponents.map(|exponent| format!("{text}{exponent}")) {
            let Some(shortest) = shortest(&text) else { continue };
            assert_eq!(shortest, in_javascript(text.parse().unwrap()), "{text}");
            count += 1;
        }
    }
    assert_eq!(count, 224);
    assert_eq!(shortest("1234567890123456"), None);
    assert_eq!(shortest(".5").as_deref(), Some("0.5"));
}

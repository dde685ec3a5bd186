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

//! Lower case: the table of the WASM module against the standard library's, and the sigma that ends a word.

use super::*;

/// A library of another age may know fewer capitals or more, and none as another letter.
#[test]
fn the_table_is_the_standard_librarys() {
    let mut known = 0;
    // No alphabet lies behind these.
    for c in '\0'..='\u{1ffff}' {
        let (is_own, is_librarys) = (table::small(c).ne([c]), c.to_lowercase().ne([c]));
        if is_own && is_librarys {
            assert!(table::small(c).eq(c.to_lowercase()), "{c:?}");
            known += 1;
        }
    }
    assert!(1_400 < known, "only {known} capitals are known to both");
}

#[test]
fn a_text_is_as_the_standard_library_has_it() {
    for text in [
        "",
        "Tea Pot",
        "ÄÖÜ ß ẞ",
        "İstanbul",
        "\u{212a}elvin",
        "ΟΔΟΣ",
        "ΟΔΟΣ ΟΔΟΣ",
        "ΟΔΟΣ-ΟΔΟΣ",
        "ΟΔΟΣ/Σ",
        "ΣΑΣΑ",
        "Σ",
        "ΣΣ",
        "ΣΣΣ Σ",
        "ΑΣΣΑ",
        "1Σ",
        "Σ1",
        "Α1Σ",
        "Α\u{301}Σ",
        "ΑΣ\u{301}Α",
        "ΑΣ\u{301} Α",
        "ΑΣ_Α",
        "ДОМ",
        "ǅ",
        "日本語 ABC",
        "𐐀𐐁",
    ] {
        assert_eq!(lower(text), text.to_lowercase(), "{text}");
    }
}

/// Whatever stands beside it, of what names are made of.
#[test]
fn a_sigma_is_as_the_standard_library_has_it() {
    for c in ('\0'..='\u{ff}').chain('\u{300}'..='\u{3ff}').chain('‐'..='’') {
        for text in [format!("ΑΣ{c}Α"), format!("ΑΣ{c}"), format!("Α{c}Σ"), format!("{c}Σ"), format!("Σ{c}Σ Σ{c}")]
        {
            assert_eq!(lower(&text), text.to_lowercase(), "{text:?}");
        }
    }
}

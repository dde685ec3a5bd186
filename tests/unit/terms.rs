//! Terms: how a text is split into words, and how the endings of English words are folded.

use super::*;
use pretty_assertions::assert_eq;

#[track_caller]
fn check_words(case: &str, text: &str, expect: &str) {
    let mut words = Vec::new();
    each_word(text, &mut |word, range| {
        let place = &text[range];
        let letters: String = place.chars().filter(|c| !is_joiner(*c)).collect();
        assert_eq!(lower(&letters), word, "{case}: {place}");
        words.push(word.to_owned());
    });
    assert_eq!(words.join(" "), expect, "{case}");
}

#[test]
fn words() {
    check_words("nothing", "", "");
    check_words("no letters", " -- ... ' / ", "");
    check_words("words", "Fill in a  form, now!", "fill in a form now");
    check_words("kebab", "pdf-forms", "pdf forms pdfforms");
    check_words("snake", "run_tests", "run tests runtests");
    check_words("camel", "openPdf", "open pdf openpdf");
    check_words("camel with an acronym", "PDFForms", "pdf forms pdfforms");
    check_words("an acronym", "PDF", "pdf");
    check_words("several capitals at the end", "openPDF", "open pdf openpdf");
    check_words("digits", "utf8", "utf 8 utf8");
    check_words("digits in front", "3d", "3 d 3d");
    check_words("a number", "2024", "2024");
    check_words("a point inside", "node.js", "node js nodejs");
    check_words("a full stop", "node. js", "node js");
    check_words("an apostrophe", "the user's", "the user s");
    check_words("a typographic apostrophe", "don’t", "don t");
    check_words("marks at the ends", "-x- _y_ 'z'", "x y z");
    check_words("two marks", "a--b", "a b");
    check_words("a path", "src/main.rs", "src main rs mainrs");
    check_words("many parts are not joined", "a-b-c-d", "a b c d");
    check_words("accents", "Crème-Brûlée", "crème brûlée crèmebrûlée");
    check_words("Cyrillic", "Создаёт Файлы", "создаёт файлы");
    check_words("final sigma", "ΣΟΦΟΣ", "σοφος");
    check_words("64 letters", &"x".repeat(64), &"x".repeat(64));
    check_words("65 letters", &"x".repeat(65), "");
    check_words("a long run with short parts", &format!("ab-{}", "x".repeat(65)), "ab");
}

#[test]
fn pairs_of_letters() {
    check_words("Han", "表格处理", "表格 格处 处理");
    check_words("one letter", "茶 を", "茶 を");
    check_words("Hiragana and Katakana", "カタかな", "カタ タか かな");
    check_words("a long vowel", "データ", "デー ータ");
    check_words("Hangul", "문서 편집기", "문서 편집 집기");
    check_words("with Latin letters", "PDF表格v2", "pdf 表格 v 2");
    check_words("rare letters", "𠀀𠀁𠀂", "𠀀𠀁 𠀁𠀂");
}

#[test]
fn stems() {
    for line in [
        "form: form forms formed forming",
        "queri: query queries",
        "class: class classes",
        "plan: plan plans planned planning",
        "file: file files filed filing",
        "generat: generate generates generated generating generation generator",
        "review: review reviews reviewed reviewing",
        "document: document documents documented",
        "documentat: documentation",
        "databas: database databases",
        "quick: quick quickly",
        "friend: friend friends friendly",
        "recent: recent recently",
        "agre: agree agreed",
        "sing: sing sings singing",
        "feed: feed feeds",
        "deploy: deploy deploys deployed deploying",
        "deployment: deployment deployments",
        "analyz: analyze analyzes analyzed analyzing",
        "analyzer: analyzer",
        "valid: valid",
        "validat: validate validates validation",
        "excel: excel",
        "excellenc: excellence",
        "custom: custom customs",
        "customiz: customize customizing customization",
        "hope: hope hopes hoped hoping",
        "hop: hop hops hopped hopping",
        "control: control controls controlled controlling",
        "happi: happy",
        "happili: happily",
        "tie: tie ties",
        "cri: cries cried cry",
        "gas: gas",
        "status: status",
        "this: this",
        "by: by",
        "onli: only",
        "io: io",
        "css: css",
        "utf8: utf8",
        "été: été",
        "s: s",
        "ski: sky",
        "yyy: yyy",
    ] {
        let (expect, words) = line.split_once(": ").expect("a stem and words");
        for word in words.split_whitespace() {
            assert_eq!(stem(word), expect, "{word}");
        }
    }
}

#[test]
fn words_that_are_not_counted() {
    assert!(STOP_WORDS.is_sorted(), "they are found by binary search");
    for (word, expect) in
        [("the", true), ("with", true), ("please", true), ("find", false), ("pdf", false), ("", false)]
    {
        assert_eq!(is_stop_word(word), expect, "{word}");
    }
}

#[test]
fn any_text_is_split() {
    use proptest::prelude::*;
    crate::property::check("text::terms::tests::any_text_is_split", 512, any::<String>(), |text| {
        let mut last_end = 0;
        each_word(&text, &mut |word, range| {
            assert!(!word.is_empty() && range.start < range.end && text.get(range.clone()).is_some());
            assert!(last_end <= range.end, "in order");
            last_end = range.end;
            assert!(!stem(word).is_empty());
        });
        Ok(())
    });
    let long: String = ('a'..='z').cycle().take(100_000).collect();
    each_word(&long, &mut |word, _| panic!("{} letters", word.len()));
    // Each letter is looked at a few times, or this takes minutes.
    each_word(&"a-".repeat(100_000), &mut |word, _| assert_eq!(word, "a"));
    each_word(&"aA".repeat(100_000), &mut |word, _| assert!(word.len() <= 2));
}

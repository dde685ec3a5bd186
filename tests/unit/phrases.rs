//! Phrases in texts, and questions in sentences: topic 10 of the rules.

use super::{Phrases, Words};
use pretty_assertions::assert_eq;

#[track_caller]
fn check(case: &str, phrases: &[&str], text: &str, expect: &[&str]) {
    let mut set = Phrases::default();
    let numbers: Vec<Option<u32>> = phrases.iter().map(|phrase| set.add(phrase)).collect();
    set.link();
    let mut hits = Vec::new();
    set.find(text, &mut |number| hits.push(number));
    let count = hits.len();
    hits.sort_unstable();
    hits.dedup();
    assert_eq!(hits.len(), count, "{case}: each once");
    let is_hit = |number: &Option<u32>| number.is_some_and(|number| hits.contains(&number));
    let found: Vec<&str> = phrases.iter().zip(&numbers).filter(|(_, n)| is_hit(n)).map(|(p, _)| *p).collect();
    assert_eq!(found, expect, "{case}");
}

#[test]
fn finds_phrases() {
    check("rule 10.4: a word", &["hello"], "well, hello there", &["hello"]);
    check(
        "rule 10.4: case is ignored",
        &["HeLLo", "ΣΟΦΟΣ", "über"],
        "hEllO σοφός σοφος ÜBER",
        &["HeLLo", "ΣΟΦΟΣ", "über"],
    );
    check("rule 10.4: a word is found whole", &["greet", "say", "art"], "greeting essay party", &[]);
    check("rule 10.4: an underscore belongs to a word", &["hello"], "hello_world", &[]);
    check("rule 10.4: a hyphen does not", &["hello", "hello-world"], "hello-world", &["hello", "hello-world"]);
    check("rule 10.4: letters of any script", &["привет", "grüße"], "приветствие, grüßen", &[]);
    check(
        "rule 10.4: no boundary next to a sign",
        &["c++", ".net", "c#", "f#"],
        "use c++, asp.net and c#7",
        &["c++", ".net", "c#"],
    );
    check("rule 10.4: a boundary next to the letter", &["c++", ".net"], "abc++ .network", &[]);
    check("rule 10.4: Chinese stands anywhere", &["翻译"], "请翻译这段话", &["翻译"]);
    check(
        "rule 10.4: so do Japanese, Korean, Thai",
        &["コード", "파일", "ช่วย"],
        "このコードを 파일을 โปรดช่วยฉัน",
        &["コード", "파일", "ช่วย"],
    );
    check("rule 10.4: a voiced kana is another", &["か"], "か\u{3099}", &[]);
    check("rule 10.4: an accent belongs to its letter", &["cafe"], "cafe\u{301}", &[]);
    check("rule 10.4: white space matches any run", &["hot  drink"], "a hot\n\t drink", &["hot  drink"]);
    check("rule 10.4: and only a run", &["hot drink", "hotdrink"], "hot-drink", &[]);
    check("rule 10.4: invisible characters are passed over", &["hello"], "hel\u{ad}lo", &["hello"]);
    check("an emoji", &["🚀", "❤"], "ship it 🚀 ❤\u{fe0f}", &["🚀", "❤"]);
    check("one phrase within another", &["a b c", "b", "b c d"], "a b c d", &["a b c", "b", "b c d"]);
    check("a failed beginning", &["a a b"], "a a a b", &["a a b"]);
    check("in two spellings", &["Hot Drink", "hot drink"], "hot drink", &["Hot Drink", "hot drink"]);
    check("rule 10.4: an empty phrase is never found", &["", " ", "\u{200b}"], "any text", &[]);
    check("nothing to look in", &["a"], "", &[]);
    check("a word unknown to all in between", &["a b"], "a x b", &[]);
}

#[test]
fn is_linear_in_a_text_of_repetitions() {
    let phrases: Vec<String> = (1..300).map(|n| format!("{}b", "a ".repeat(n))).collect();
    let mut set = Phrases::default();
    phrases.iter().for_each(|phrase| assert!(set.add(phrase).is_some()));
    set.link();
    let mut hits = 0;
    set.find(&"a ".repeat(100_000), &mut |_| hits += 1);
    assert!(hits < 1_000, "each node once, not once a place");
}

#[track_caller]
fn asks(case: &str, question: &str, text: &str, expect: bool) {
    assert_eq!(Words::of(text).ask(question).is_some(), expect, "{case}");
}

#[test]
fn finds_questions() {
    asks("rule 10.2: words in a row", "list skills", "Please LIST skills!", true);
    asks("rule 10.2: not with others between", "list skills", "list the skills", false);
    asks("rule 10.2: a gap of none", "list * skills", "list skills", true);
    asks("rule 10.2: a gap of four", "list * skills", "list all of your skills", true);
    asks("rule 10.2: a gap of five", "list * skills", "list what I would need for skills", false);
    asks("rule 10.2: two gaps", "what * can * you * do", "What else can I ask you to do?", true);
    asks("rule 10.2: in one sentence", "what * can * you * do", "What now? Can you do it", false);
    asks("rule 10.2: in one line", "what can you do", "what\ncan you do", false);
    asks("rule 10.2: commas are passed over", "what can you do", "so what, exactly, can you do", false);
    asks("rule 10.2: commas between the words", "what can you do", "what, can you do", true);
    asks("rule 10.2: a word is found whole", "what skill", "what skillset", false);
    asks("a gap at the end", "list *", "list", true);
    asks("no text", "list", "", false);
}

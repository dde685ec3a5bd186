//! Citations: every `rule 3.7` in code, tests and documentation names a rule of `src/rules.md`, and nothing else is cited.

use pretty_assertions::assert_eq;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The list of all rules.
const PAGE: &str = include_str!("../../src/rules.md");

/// The words before the number in citations of documents that are not part of this project.
const OUTSIDE: &[&str] = &["decision ", "decisions ", "spec S", "observed ", "document 00"];

/// The number of a topic, and of a rule in it.
type Number = (u32, u32);

/// Reads `3.7` from the start of a text, with what follows it.
fn number(text: &str) -> Option<(Number, &str)> {
    let (topic, rest) = digits(text)?;
    let (rule, rest) = digits(rest.strip_prefix('.')?)?;
    Some(((topic, rule), rest))
}

fn digits(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

/// The text as if it were one line: a list of numbers in a comment may go on in the next line.
fn on_one_line(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start().trim_start_matches('/').trim_start_matches('!').trim_start());
    lines.collect::<Vec<_>>().join(" ")
}

/// The items of the lists that follow one of these words, each read by `item`.
fn listed<T>(text: &str, words: &[&str], item: impl Fn(&str) -> Option<(T, &str)>) -> Vec<T> {
    let mut found = Vec::new();
    for (word, at) in words.iter().flat_map(|word| text.match_indices(word).map(move |(at, _)| (word, at))) {
        if text[..at].ends_with(|c: char| c.is_alphanumeric()) {
            continue;
        }
        let mut rest = &text[at + word.len()..];
        while let Some((one, after)) = item(rest) {
            found.push(one);
            let next = [", and ", ", ", " and ", " to "].iter().find_map(|between| after.strip_prefix(between));
            let Some(next) = next else { break };
            rest = next;
        }
    }
    found
}

/// The rules that a text cites.
fn cited(text: &str) -> Vec<Number> {
    listed(text, &["rule ", "rules ", "Rule ", "Rules "], number)
}

/// The topics that a text cites.
fn cited_topics(text: &str) -> Vec<u32> {
    listed(text, &["topic ", "topics ", "Topic ", "Topics "], digits)
}

/// The citations of other documents in a text.
fn outside(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (word, at) in OUTSIDE.iter().flat_map(|word| text.match_indices(word).map(move |(at, _)| (word, at))) {
        if let Some((_, after)) = digits(&text[at + word.len()..]) {
            found.push(text[at..text.len() - after.len()].to_owned());
        }
    }
    found
}

/// The numbers of topics and rules in the order of the page.
fn headings(page: &str) -> (Vec<u32>, Vec<Number>) {
    let topics = page.lines().filter_map(|line| digits(line.strip_prefix("## ")?)).map(|(topic, _)| topic);
    let rules = page.lines().filter_map(|line| number(line.strip_prefix("### ")?)).map(|(rule, _)| rule);
    (topics.collect(), rules.collect())
}

/// Every text file of the sources, the tests and the README, except those with the snippets of these tests.
fn files() -> Vec<(String, String)> {
    let root = crate::common::root();
    let mut waiting: Vec<PathBuf> = ["src", "tests", ".ci", "README.md"].iter().map(|name| root.join(name)).collect();
    let mut files = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            // What fuzzing and builds leave behind is not of the project.
            if path.file_name().is_some_and(|name| name == "target" || name == "corpus" || name == "artifacts") {
                continue;
            }
            waiting.extend(
                std::fs::read_dir(&path).expect("it can be listed").map(|entry| entry.expect("an entry").path()),
            );
            continue;
        }
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
        if !name.starts_with("tests/architecture") {
            files.extend(std::fs::read_to_string(&path).ok().map(|text| (name, text)));
        }
    }
    files.sort();
    files
}

#[test]
fn the_rules_are_numbered_in_order() {
    assert_eq!(headings("## 1 A\n\n### 1.1 B\ntext\n### 1.2 C\n#### 9.9 D\n"), (vec![1], vec![(1, 1), (1, 2)]));
    let (topics, rules) = headings(PAGE);
    assert_eq!(topics, (1..=topics.len() as u32).collect::<Vec<_>>());
    let mut expected = Vec::new();
    for topic in &topics {
        let count = rules.iter().filter(|(of, _)| of == topic).count() as u32;
        assert!(count > 0, "topic {topic} has no rules");
        expected.extend((1..=count).map(|rule| (*topic, rule)));
    }
    assert_eq!(rules, expected);
}

const BEGIN: &str =
    "<!-- The contents are written by `UPDATE=1 cargo test --all-features contents_of_the_rules`. -->\n";
const END: &str = "<!-- End of the contents. -->";

/// A list of the topics, each with links to its rules. Anchors are those of GitHub and of rustdoc.
fn contents(page: &str) -> String {
    let link = |title: &str| {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect();
        format!("[{title}](#{anchor})")
    };
    let mut out = String::new();
    for line in page.lines() {
        if let Some(topic) = line.strip_prefix("## ").filter(|topic| digits(topic).is_some()) {
            out.push_str(&format!("- **{}**\n", link(topic)));
        } else if let Some(rule) = line.strip_prefix("### ") {
            out.push_str(&format!("  - {}\n", link(rule)));
        }
    }
    out
}

#[test]
fn the_contents_of_the_rules_are_theirs() {
    let list = "- **[1 A, b](#1-a-b)**\n  - [1.1 C of `d`](#11-c-of-d)\n";
    assert_eq!(contents("## Words\n## 1 A, b\n### 1.1 C of `d`\n"), list);
    let (before, rest) = PAGE.split_once(BEGIN).expect("the rules have contents");
    let (now, after) = rest.split_once(END).expect("the contents have an end");
    if std::env::var_os("UPDATE").is_some() {
        let page = crate::common::root().join("src/rules.md");
        return std::fs::write(page, format!("{before}{BEGIN}{}{END}{after}", contents(PAGE))).expect("written");
    }
    assert_eq!(now, contents(PAGE), "`UPDATE=1` writes the contents");
}

#[test]
fn every_rule_has_a_reason_and_a_source() {
    let sections = PAGE.split("\n### ").skip(1);
    let lacking = sections.filter(|text| !(text.contains("\nReason: ") && on_one_line(text).contains(" Source: ")));
    let lacking: Vec<&str> = lacking.filter_map(|text| text.lines().next()).collect();
    assert_eq!(lacking, Vec::<&str>::new());
}

#[test]
fn every_citation_names_a_rule() {
    assert_eq!(
        cited(&on_one_line("/// Rule 3.7, and (rules 1.2, 4.5\n    /// and 10.11).")),
        [(1, 2), (4, 5), (10, 11), (3, 7)]
    );
    assert_eq!(cited("overrule 3.7, rule 3, the rule.3"), Vec::<Number>::new());
    assert_eq!(cited_topics("topics 4 to 6 and topic 9"), [9, 4, 6]);
    let (topics, rules) = headings(PAGE);
    let (topics, rules) = (BTreeSet::from_iter(topics), BTreeSet::from_iter(rules));
    let mut unknown = Vec::new();
    let mut count = 0;
    for (path, text) in files() {
        let text = on_one_line(&text);
        let numbers = cited(&text);
        count += numbers.len();
        let others = numbers.into_iter().filter(|rule| !rules.contains(rule));
        unknown.extend(others.map(|(topic, rule)| format!("{path}: there is no rule {topic}.{rule}")));
        let others = cited_topics(&text).into_iter().filter(|topic| !topics.contains(topic));
        unknown.extend(others.map(|topic| format!("{path}: there is no topic {topic}")));
    }
    assert_eq!(unknown, Vec::<String>::new());
    assert!(count > 500, "{count} citations are found");
}

#[test]
fn no_other_document_is_cited() {
    assert_eq!(outside("see decisions 27, spec S9 and document 003"), ["decisions 27", "spec S9", "document 003"]);
    assert_eq!(outside("a decision, decisions of the caller, JSON document 1"), Vec::<String>::new());
    let mut found = Vec::new();
    for (path, text) in files() {
        found.extend(outside(&on_one_line(&text)).into_iter().map(|citation| format!("{path}: {citation}")));
    }
    assert_eq!(found, Vec::<String>::new());
}

//! The list for a request: what is relevant keeps its description, and what is not there is counted (rule 11.16).

use super::{bare_row, listed, report, short_row, skills};
use crate::common::ground::Ground;
use crate::common::property;
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use skilltree::offer::PromptRow;
use skilltree::{Prompt, PromptRequest, prompt};

fn asked(case: &str, dialect: &str, ground: &Ground, budget: usize, query: &str) -> Prompt {
    let ask = PromptRequest { budget: Some(budget), query: Some(query.into()), ..PromptRequest::default() };
    ground.of(case, dialect, |world, catalog| prompt(world, catalog, &ask))
}

fn kitchen() -> Ground {
    skills(&[
        "bread: description: Bakes loaves of bread in an oven.",
        "coffee: description: Grinds and brews coffee beans.",
        "soup: description: Cooks a soup of vegetables.",
        "tea: description: Brews tea from leaves.",
    ])
}

#[test]
fn relevant_skills_keep_their_descriptions() {
    let ground = kitchen();
    let whole = asked("all fits", "agentskills", &ground, 10_000, "tea");
    assert_eq!(report(&whole), "bread,coffee,soup,tea ~  - ");
    assert!(whole.list.contains("<location>"), "{}", whole.list);
    let tea =
        listed(&[bare_row("bread"), bare_row("coffee"), bare_row("soup"), short_row("tea", "Brews tea from leaves.")]);
    let got = asked("one description fits", "agentskills", &ground, tea.chars().count(), "tea");
    assert_eq!((report(&got).as_str(), &got.list), ("bread,coffee,soup,tea ~ bread,coffee,soup - ", &tea));
    let less = asked("and not with less", "agentskills", &ground, tea.chars().count() - 1, "tea");
    assert_eq!(report(&less), "bread,coffee,soup,tea ~ bread,coffee,soup,tea - ");
    let soup = asked("another request", "agentskills", &ground, tea.chars().count() + 6, "soups");
    assert_eq!(report(&soup), "bread,coffee,soup,tea ~ bread,coffee,tea - ");
    let none = asked("no words", "agentskills", &ground, 300, "");
    assert_eq!(report(&none), "bread,coffee,soup,tea ~ coffee,soup,tea - ", "in the order of the list");
}

#[test]
fn what_does_not_fit_is_counted() {
    let ground = kitchen();
    let got = asked("some names fit", "agentskills", &ground, 180, "tea");
    assert_eq!(got.notice, "and 3 more (project-agents: 3): search for them");
    assert_eq!(report(&got), "tea ~ tea - bread,coffee,soup");
    assert!(got.text.ends_with(&got.notice), "{}", got.text);
    assert!(got.list.chars().count() + got.notice.chars().count() <= 180);
    assert_eq!(got.findings.len(), 3, "each is a finding");
    let pinned = skills(&["a: description: A long description of a skill.; sven: {always: true}", "b: description: B"]);
    let got = asked("pinned skills stay", "sven", &pinned, 10, "b");
    assert_eq!(report(&got), "a ~  - b");
}

/// Names and descriptions, and whether each is pinned.
fn many() -> impl Strategy<Value = Vec<(String, bool)>> {
    let words = vec(prop::sample::select(vec!["tea", "brew", "soup", "cook", "a", "oven"]), 1..12);
    vec((words.prop_map(|words| words.join(" ")), prop::bool::weighted(0.15)), 1..14)
}

#[test]
fn nothing_is_lost_in_silence() {
    let law = |(skills, budget, query): (Vec<(String, bool)>, usize, &str)| {
        let skill = |(n, (description, pinned)): (usize, &(String, bool))| {
            format!("s{n:02}: description: {description}; sven: {{always: {pinned}}}")
        };
        let lines: Vec<String> = skills.iter().enumerate().map(skill).collect();
        let ground = super::skills(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let ask = PromptRequest { budget: Some(budget), query: Some(query.into()), ..PromptRequest::default() };
        let (got, rows) = ground.of("law", "sven", |world, catalog| {
            let row = |key: &String| PromptRow::of(world, catalog, catalog.get(key).expect("it is there"), &ask).text;
            let got = prompt(world, catalog, &ask);
            let rows: Vec<(String, String)> = got.shown.iter().map(|key| (key.clone(), row(key))).collect();
            (got, rows)
        });
        let is_pinned = |key: &String| skills[key[1..].parse::<usize>().expect("a number")].1;
        prop_assert_eq!(got.shown.len() + got.left_out.len(), skills.len());
        prop_assert!(!got.shortened.iter().chain(&got.left_out).any(is_pinned), "a pinned skill is whole: {:?}", got);
        for (key, row) in &rows {
            prop_assert_eq!(got.list.contains(row.trim_end()), !got.shortened.contains(key), "{} in {}", row, got.list);
        }
        if !skills.iter().any(|(_, pinned)| *pinned) {
            let chars = got.list.chars().count() + got.notice.chars().count();
            prop_assert!(chars <= budget || got.shown.is_empty(), "{chars} of {budget}");
        }
        let is_told = got.notice.contains(&format!("and {} more (", got.left_out.len()));
        prop_assert_eq!(is_told, !got.left_out.is_empty() && !got.notice.is_empty());
        prop_assert_eq!(got.left_out.is_empty(), got.notice.is_empty());
        Ok(())
    };
    let query = prop::sample::select(vec!["", "tea", "cooking soup", "nothing of this"]);
    property::check("nothing_is_lost_in_silence", 48, (many(), 0_usize..1_500, query), law);
}

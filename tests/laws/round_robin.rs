//! Laws of lists whose descriptions are dealt out: they are what dealing out one character at a time gives, they never
//! exceed the budget, and nothing is lost silently.

use super::places;
use super::words::quoted;
use crate::common::ground::changed;
use crate::common::{Tree, property};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use skilltree::{Dialect, PromptRequest, World, discover, prompt};
use std::sync::Arc;

const CHARS: &[char] = &['a', 'b', '-', '&', '<', '\'', 'é', '茶', '💡'];

/// The names and descriptions of skills.
fn skills() -> impl Strategy<Value = Vec<(usize, String)>> {
    let description = vec(prop::sample::select(CHARS), 1..24).prop_map(|chars| chars.into_iter().collect::<String>());
    vec((1_usize..30, description), 0..6)
}

fn table(escape: &'static str, fallback_chars: usize) -> Arc<Dialect> {
    changed(
        "agentskills",
        &format!(
            "
prompt:
  open: <list>
  close: </list>
  escape: {escape}
  row: \"- {{key}}:{{?description}} {{description}}{{/}} ({{key}})\"
  name_row: \"- {{key}}: ({{key}})\"
  short_row: \"\"
  budget: {{tokens: {{percent: 2, fallback_chars: {fallback_chars}}}}}
  overflow: round-robin
  max_description: null
"
        ),
    )
}

fn row(key: &str, description: &str, escape: &'static str) -> String {
    let escaped = match escape {
        "plain" => description.to_owned(),
        _ => description.replace('&', "&amp;").replace('<', "&lt;"),
    };
    let described = if escaped.is_empty() { String::new() } else { format!(" {escaped}") };
    format!("- {key}:{described} ({key})")
}

/// The rows that the description of the algorithm gives, each rendered anew for every character.
fn dealt_out(
    skills: &[(String, String)],
    escape: &'static str,
    budget: usize,
    cost: &dyn Fn(&str) -> usize,
) -> Vec<String> {
    let with = |(key, description): &(String, String), chars: usize| {
        row(key, &description.chars().take(chars).collect::<String>(), escape)
    };
    let total =
        |chars: &[usize]| skills.iter().zip(chars).map(|(skill, chars)| cost(&with(skill, *chars))).sum::<usize>();
    let all: Vec<usize> = skills.iter().map(|(_, description)| description.chars().count()).collect();
    let mut given = vec![0; skills.len()];
    if total(&all) <= budget {
        given = all;
    } else if total(&given) <= budget {
        loop {
            let before = given.clone();
            for at in 0..skills.len() {
                given[at] += 1;
                if all[at] < given[at] || budget < total(&given) {
                    given[at] -= 1;
                }
            }
            if given == before {
                break;
            }
        }
    } else {
        let (mut rows, mut left) = (Vec::new(), budget);
        for bare in skills.iter().map(|skill| with(skill, 0)) {
            if let Some(rest) = left.checked_sub(cost(&bare)) {
                left = rest;
                rows.push(bare);
            }
        }
        return rows;
    }
    skills.iter().zip(given).map(|(skill, chars)| with(skill, chars)).collect()
}

#[test]
fn descriptions_are_dealt_out_one_character_at_a_time() {
    property::check("descriptions_are_dealt_out_one_character_at_a_time", 60, skills(), |skills| {
        let named = |(n, (length, description)): (usize, &(usize, String))| {
            (format!("s{n}{}", "x".repeat(*length)), description.clone())
        };
        let skills: Vec<(String, String)> = skills.iter().enumerate().map(named).collect();
        let tree = skills.iter().fold(Tree::default(), |tree, (key, description)| {
            let text = format!("---\nname: {key}\ndescription: {}\n---\n", quoted(description));
            tree.with(&format!("/extra/one/{key}/SKILL.md"), text)
        });
        let (memory, places) = (tree.mem(), places());
        let world = World::new(&memory, &places, &());
        for escape in ["plain", "xml"] {
            let catalog = discover(&world, &table(escape, 0));
            let mut last = 0;
            for budget in 0..160 {
                let ask = PromptRequest { budget: Some(budget), ..PromptRequest::default() };
                let got = prompt(&world, &catalog, &ask);
                let cost = |row: &str| (row.len() + 1).div_ceil(4);
                let expected = dealt_out(&skills, escape, budget, &cost);
                is_list(&got, &expected, &skills, escape, &format!("{budget} tokens"));
                assert!(got.cost <= budget, "{} is more than {budget}", got.cost);
                assert_eq!(got.cost, expected.iter().map(|row| cost(row)).sum::<usize>(), "at {budget}");
                // While rows are passed over, a longer row may take the place of two shorter ones.
                if got.left_out.is_empty() {
                    assert_eq!(got.shown.len(), skills.len());
                    last = skills.len();
                } else {
                    assert!(last < skills.len(), "all fit into less than {budget}");
                }
            }
            for chars in (0..600).step_by(7) {
                let catalog = discover(&world, &table(escape, chars));
                let got = prompt(&world, &catalog, &PromptRequest::default());
                let expected = dealt_out(&skills, escape, chars, &|row| row.chars().count() + 1);
                is_list(&got, &expected, &skills, escape, &format!("{chars} characters"));
                assert!(got.cost <= chars, "{} is more than {chars}", got.cost);
            }
        }
        Ok(())
    });
}

/// Whether these are the rows of the list, and all that is missing from them is named.
#[track_caller]
fn is_list(got: &skilltree::Prompt, rows: &[String], skills: &[(String, String)], escape: &'static str, case: &str) {
    let list = if rows.is_empty() { String::new() } else { format!("<list>\n{}\n</list>", rows.join("\n")) };
    assert_eq!(got.list, list, "{case}");
    for (key, description) in skills {
        let is_whole = rows.contains(&row(key, description, escape));
        let is_named = got.shortened.contains(key) || got.left_out.contains(key);
        assert_eq!(is_whole, !is_named, "{case}: `{key}`");
        assert_ne!(got.shown.contains(key), got.left_out.contains(key), "{case}: `{key}`");
    }
}

#[test]
fn a_larger_budget_shows_no_less_of_rows_of_one_size() {
    // The first character of four bytes and the blank before it take two tokens at once, for which two other rows could
    // have shown more; and rows of different sizes are passed over.
    let few = CHARS.iter().copied().filter(|c| c.len_utf8() < 4).collect::<Vec<char>>();
    let description = vec(prop::sample::select(few), 1..24).prop_map(|chars| chars.into_iter().collect::<String>());
    let skills = vec(description, 0..8);
    property::check("a_larger_budget_shows_no_less_of_rows_of_one_size", 60, skills, |skills| {
        let tree = skills.iter().enumerate().fold(Tree::default(), |tree, (n, description)| {
            let text = format!("---\nname: s{n}\ndescription: {}\n---\n", quoted(description));
            tree.with(&format!("/extra/one/s{n}/SKILL.md"), text)
        });
        let (memory, places) = (tree.mem(), places());
        let world = World::new(&memory, &places, &());
        let catalog = discover(&world, &table("plain", 0));
        let mut last = (0, 0);
        for budget in 0..120 {
            let got = prompt(&world, &catalog, &PromptRequest { budget: Some(budget), ..PromptRequest::default() });
            let now = (got.shown.len(), got.list.chars().count());
            assert!(last.0 <= now.0 && last.1 <= now.1, "{last:?}, then {now:?} at {budget}");
            last = now;
        }
        Ok(())
    });
}

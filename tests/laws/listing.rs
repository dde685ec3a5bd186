//! Laws of the prompt, of loading and of calls: what they cost, what they show, and whom they refuse.

use super::{dialects, roots, with_catalog, words};
use crate::common::{Machine, Tree, property};
use crate::parts::part;
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use skilltree::{Caller, Dialect, LoadRequest, Prompt, PromptRequest, call, commands, invoke, load, prompt, tool};
use std::collections::BTreeSet;

/// Folders' names that try to break out of a listing.
const FOLDERS: &[&str] = &[
    "a",
    "b",
    "c",
    "d",
    "e & f",
    "<skill>",
    "</skill>",
    "</available_skills>",
    "\"quoted\"",
    "new\nline",
    "\u{202e}turned",
    "日本",
    "</skill_content>",
    "</file>\n<file>x",
    "a\u{7}b",
    "'",
    "]]>",
];

/// A skill and where it lies.
#[derive(Clone, Debug)]
struct Row {
    is_in_lowest: bool,
    folder: &'static str,
    text: String,
}

/// Skills in the lowest and the highest source, some pinned, hidden or without a name.
fn rows(longest: usize) -> impl Strategy<Value = Vec<Row>> {
    let row = (prop::bool::weighted(1.0 / 3.0), select(FOLDERS), skill(longest));
    vec(row.prop_map(|(is_in_lowest, folder, text)| Row { is_in_lowest, folder, text }), 0..12)
}

fn tree(rows: &[Row], dialect: &Dialect) -> Tree {
    let roots = roots(dialect);
    rows.iter().fold(Tree::default(), |tree, row| {
        let root = if row.is_in_lowest { &roots[0] } else { &roots[roots.len() - 1] };
        tree.with(&format!("{root}/{}/SKILL.md", row.folder), row.text.as_str())
    })
}

fn skill(longest: usize) -> impl Strategy<Value = String> {
    let name = prop_oneof![1 => Just(None), 2 => select(FOLDERS).prop_map(Some)];
    let more = prop_oneof![
        16 => Just(""),
        5 => Just("disable-model-invocation: true\nsven:\n  user_invocable_only: true\n"),
        4 => Just("sven: {always: true}\n"),
    ];
    (name, words::sentence(longest), more).prop_map(|(name, description, more)| {
        let name = name.map(|name| format!("name: {}\n", words::quoted(name))).unwrap_or_default();
        let description = words::quoted(&format!("x{description}"));
        format!("---\n{name}description: {description}\n{more}---\nThe secret of this body.\n")
    })
}

fn shown(prompt: &Prompt) -> BTreeSet<&str> {
    prompt.shown.iter().map(String::as_str).collect()
}

#[test]
fn a_prompt_costs_what_it_says_and_a_larger_budget_shows_no_less() {
    let rows = prop_oneof![rows(0), rows(3), rows(20), rows(400)];
    property::check("a_prompt_costs_what_it_says_and_a_larger_budget_shows_no_less", 40, rows, |rows| {
        for dialect in dialects() {
            let tree = tree(&rows, &dialect);
            with_catalog(&tree.mem(), &(), &dialect, |world, catalog| {
                let mut last: Option<Prompt> = None;
                for budget in (0..40).map(|step| step * step * 3).chain([100_000]) {
                    let now =
                        prompt(world, catalog, &PromptRequest { budget: Some(budget), ..PromptRequest::default() });
                    is_paid(&now, catalog, budget);
                    // A row that does not fit may be passed over there, so that later ones fit (rules 11.3 and 11.14).
                    let is_growing = !matches!(part(&dialect, "prompt.overflow").text(), "round-robin" | "each-fit");
                    if let Some(last) = last.as_ref().filter(|_| is_growing) {
                        assert!(shown(last).is_subset(&shown(&now)), "{}: at {budget}", dialect.name());
                    }
                    last = Some(now);
                }
                let all = last.unwrap_or_default();
                assert_eq!((all.left_out.len(), all.shortened_to_fit), (0, 0), "{}: a large budget", dialect.name());
            });
        }
        Ok(())
    });
}

#[track_caller]
fn is_paid(prompt: &Prompt, catalog: &skilltree::Catalog, budget: usize) {
    let rule = part(catalog.dialect(), "prompt");
    if rule.at("budget").text() != "tokens" {
        assert_eq!(prompt.cost, prompt.list.chars().count(), "the cost at {budget}");
    }
    // Pinned rows are always in, and there are lists whose names are.
    let pinned = catalog.skills().iter().any(|skill| skill.frontmatter.pinned && skill.is_for(Caller::Model));
    let stays = pinned || rule.at("overflow").text() == "drop-least-used";
    assert!(prompt.cost <= budget || stays, "{} is more than {budget}", prompt.cost);
    assert_eq!(prompt.shown.is_empty(), prompt.text == rule.at("empty").text(), "no skill, no text (rule 11.7)");
    assert_eq!(prompt.findings.len(), prompt.left_out.len(), "one finding a skill left out");
    let all = catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model)).count();
    assert_eq!(prompt.shown.len() + prompt.left_out.len(), all, "all are shown or left out");
}

/// The text without the tags that the frame itself may have; what is left may hold no mark.
#[track_caller]
fn has_no_mark_but(text: &str, tags: &[&str]) {
    let mut rest = text.to_owned();
    for tag in tags {
        rest = rest.replace(tag, "");
    }
    assert!(!rest.contains(['<', '>']), "a bare mark in {rest}\nof {text}");
    for (at, _) in rest.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"];
        assert!(known.iter().any(|entity| rest[at..].starts_with(entity)), "a bare & in {rest}");
    }
}

const LIST_TAGS: &[&str] = &[
    "<available_skills>\n",
    "</available_skills>",
    "  <skill>\n",
    "  </skill>\n",
    "    <name>",
    "</name>\n",
    "    <command>",
    "</command>\n",
    "    <description>",
    "</description>\n",
    "    <location>",
    "</location>\n",
    "    <path>",
    "</path>\n",
    "    <source>",
    "</source>\n",
    "    <sandbox>",
    "</sandbox>\n",
];

#[test]
fn a_listing_has_one_row_a_skill_and_no_bare_mark() {
    let cases = (rows(12), prop::option::of(0..1500_usize));
    property::check("a_listing_has_one_row_a_skill_and_no_bare_mark", 200, cases, |(rows, budget)| {
        for dialect in dialects() {
            let tree = tree(&rows, &dialect);
            with_catalog(&tree.mem(), &(), &dialect, |world, catalog| {
                let prompt = prompt(world, catalog, &PromptRequest { budget, ..PromptRequest::default() });
                assert!(!prompt.list.contains(['\u{202e}', '\u{7}']), "hidden characters (rule 6.18)");
                let rule = part(&dialect, "prompt");
                let escape = rule.at("escape").text();
                if escape == "plain"
                    && rule.at("whitespace").text() == "fold"
                    && rule.at("row").text().starts_with("- ")
                    && !rule.at("row").text().contains('\n')
                {
                    // Bullets: one line a skill, whatever its texts hold.
                    let rows = prompt.list.lines().filter(|line| line.starts_with("- ")).count();
                    assert_eq!(rows, prompt.shown.len(), "{}: {}", dialect.name(), prompt.list);
                    let inked = |text: &str| text.lines().filter(|line| !line.is_empty()).count();
                    let round = ["open", "close"].map(|end| inked(rule.at(end).text()));
                    let most = rows + round.iter().sum::<usize>();
                    assert!(inked(&prompt.list) <= most, "{}: {}", dialect.name(), prompt.list);
                    return;
                }
                let is_indented = rule.at("row").text().starts_with("  <skill>");
                if rule.at("close").text() != "</available_skills>"
                    || !matches!(escape, "xml" | "xml-all")
                    || !is_indented
                {
                    // These clients escape nothing, or have tags of their own.
                    return;
                }
                has_no_mark_but(&prompt.list, LIST_TAGS);
                let rows = |tag: &str| prompt.list.matches(tag).count();
                assert_eq!((rows("<skill>"), rows("</skill>")), (prompt.shown.len(), prompt.shown.len()));
                assert_eq!(rows("</available_skills>"), usize::from(!prompt.list.is_empty()));
            });
        }
        Ok(())
    });
}

const FRAME_TAGS: &[&str] = &[
    "<skill_files>",
    "</skill_files>",
    "<skill_resources>",
    "</skill_resources>",
    "<file>",
    "</file>",
    "<sub_skills>",
    "</sub_skills>",
    "</sub_skill>",
    "</skill_content>",
    "<!-- Call load_skill(command) to load any sub-skill's full instructions. -->",
];

#[test]
fn a_loaded_text_is_framed_whatever_names_hold() {
    // The others frame with Markdown, which is not escaped, or not at all.
    let is_framed = |dialect: &Dialect| {
        let rule = part(dialect, "load");
        rule.at("closing_tag").text() == "</skill_content>" && rule.at("escape").text() != "plain"
    };
    let nested = vec((select(FOLDERS), select(FOLDERS), skill(4), select(FOLDERS)), 3);
    property::check("a_loaded_text_is_framed_whatever_names_hold", 100, (rows(6), nested), |(rows, nested)| {
        for dialect in dialects().into_iter().filter(|dialect| is_framed(dialect)) {
            let mut tree = tree(&rows, &dialect);
            let root = &roots(&dialect)[0];
            for (folder, (outer, inner, text, file)) in ["a", "</skill>", "new\nline"].iter().zip(&nested) {
                tree = tree.with(&format!("{root}/{folder}/{outer}/{inner}/SKILL.md"), text.as_str());
                tree = tree.with(&format!("{root}/{folder}/x-{}", file.replace('/', "|")), "");
            }
            with_catalog(&tree.mem(), &(), &dialect, |world, catalog| {
                for skill in catalog.skills() {
                    let Ok(loaded) = load(world, catalog, skill, &LoadRequest::new(Caller::User)) else { continue };
                    // An attribute may hold no quote, so each opening tag ends at its first `">`.
                    let mut rest = loaded.text.clone();
                    for open in ["<skill_content ", "<sub_skill "] {
                        while let Some(at) = rest.find(open) {
                            let end = rest[at..].find("\">").expect("the tag ends") + at;
                            let tag = rest[at + open.len()..end].to_owned();
                            assert!(!tag.contains(['<', '>', '\n']), "{tag}");
                            rest.replace_range(at..end + 2, "");
                        }
                    }
                    // Lines outside of tags are Markdown: no tag may stand in them, and a `&` is itself.
                    let is_markdown = |line: &&str| {
                        ["# Skill: ", "Base directory: ", "Skill directory: "]
                            .iter()
                            .any(|begin| line.starts_with(begin))
                    };
                    let (markdown, rest): (Vec<&str>, Vec<&str>) = rest.lines().partition(is_markdown);
                    assert!(!markdown.concat().contains(['<', '>']), "{markdown:?}");
                    has_no_mark_but(&rest.join("\n"), FRAME_TAGS);
                    assert_eq!(loaded.text.matches("<skill_content").count(), 1, "{}", loaded.text);
                    assert_eq!(loaded.text.matches("</skill_content>").count(), 1, "{}", loaded.text);
                    let rows = loaded.text.matches("<file>").count();
                    assert_eq!(
                        rows,
                        loaded.files.len().min(part(&dialect, "load.max_files").number().expect("a number")),
                        "{}",
                        loaded.text
                    );
                }
            });
        }
        Ok(())
    });
}

#[test]
fn the_model_never_gets_what_is_hidden_or_disabled() {
    let off = vec(prop::bool::weighted(0.25), FOLDERS.len());
    property::check("the_model_never_gets_what_is_hidden_or_disabled", 150, (rows(6), off), |(rows, off)| {
        let off: BTreeSet<String> =
            FOLDERS.iter().zip(off).filter(|(_, is_off)| *is_off).map(|(&key, _)| key.to_owned()).collect();
        for dialect in dialects() {
            let tree = tree(&rows, &dialect);
            let machine = Machine { off: off.clone(), ..Machine::default() };
            with_catalog(&tree.mem(), &machine, &dialect, |world, catalog| {
                let commands = commands(catalog, &[]);
                let choices = tool(catalog).map(|tool| tool.input_schema.to_string()).unwrap_or_default();
                for skill in catalog.skills() {
                    if catalog.skills().iter().any(|other| other.key == skill.key && other.path != skill.path) {
                        // Where equal keys are all kept, a key says no more which skill is meant.
                        continue;
                    }
                    for asked in [skill.key.clone(), skilltree::visible(&skill.key).into_owned()] {
                        let Some(arguments) = dialect.tool_arguments(&asked, "") else { continue };
                        let called = call(world, catalog, &arguments.to_string());
                        assert_eq!(called.is_ok(), skill.is_for(Caller::Model), "{asked:?}: {called:?}");
                        assert!(!off.contains(&skill.key) || called.is_err(), "{asked:?} is disabled");
                    }
                    let listed = skilltree::Json::from(skilltree::visible(&skill.key).as_ref()).to_string();
                    assert!(skill.is_for(Caller::Model) || !choices.contains(&listed), "{listed} in {choices}");
                    let ask = LoadRequest::new(Caller::Model);
                    assert_eq!(load(world, catalog, skill, &ask).is_ok(), skill.is_for(Caller::Model));
                }
                for command in commands.all() {
                    let said = invoke(world, catalog, &commands, &format!("/{} </skill_content>", command.name));
                    assert!(matches!(said, Ok(Some(_))), "/{}: {said:?}", command.name);
                    assert!(!off.contains(&command.key), "{} is disabled", command.key);
                }
            });
        }
        Ok(())
    });
}

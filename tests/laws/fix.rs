//! Laws of mending: the values and the body stay, mending twice changes nothing more, and no error is new.

use super::{dialects, places, roots, words};
use crate::common::{Tree, path, property};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use skilltree::author::{FixRequest, FixScope, FixedFile};
use skilltree::model::{Frontmatter, Reading};
use skilltree::{Catalog, CheckRequest, Code, Diagnostic, Dialect, MemFs, Severity, World, check, discover};
use std::sync::Arc;

/// Each case is read many times, in every dialect.
const CASES: u32 = 40;

/// A place for one skill of a dialect.
fn at(dialect: &Dialect) -> String {
    format!("{}/tea/SKILL.md", roots(dialect)[0])
}

fn mem(dialect: &Dialect, text: &[u8]) -> MemFs {
    Tree::default().with(&at(dialect), text).mem()
}

fn world<T>(dialect: &Arc<Dialect>, text: &[u8], then: impl FnOnce(&World<'_>) -> T) -> T {
    let (fs, places) = (mem(dialect, text), places());
    then(&World::new(&fs, &places, &()))
}

fn mended(dialect: &Arc<Dialect>, text: &[u8], scope: FixScope) -> Option<FixedFile> {
    let ask = FixRequest { scope, ..FixRequest::default() };
    let fixed = world(dialect, text, |world| ask.fix(world, dialect, &[path(&at(dialect))]).expect("it is there"));
    assert!(fixed.len() <= 1, "{fixed:?}");
    fixed.into_iter().next()
}

/// The dialect as it reads what authors mean, which is what mending keeps.
fn meant(dialect: &Arc<Dialect>) -> Arc<Dialect> {
    Arc::new(dialect.with_reading(Reading::Repaired))
}

fn findings(dialect: &Arc<Dialect>, text: &[u8]) -> Vec<Diagnostic> {
    let dialect = &meant(dialect);
    world(dialect, text, |world| {
        check(world, dialect, &[path(&at(dialect))], &CheckRequest::default()).expect("it is there")
    })
}

/// What the skill says, without the restrictions that only the other way of reading finds, and its body.
fn read(dialect: &Arc<Dialect>, text: &[u8]) -> Option<(Frontmatter, String)> {
    let dialect = &meant(dialect);
    world(dialect, text, |world| {
        let catalog: Catalog = discover(world, dialect);
        let skill = catalog.skills().first()?;
        Some((Frontmatter::clone(&skill.as_read().frontmatter), catalog.body(world, skill).expect("it can be read")))
    })
}

fn errors(findings: &[Diagnostic]) -> Vec<Code> {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.code).collect()
}

#[test]
fn mending_keeps_what_is_read_and_is_done_at_once() {
    property::check("mending_keeps_what_is_read_and_is_done_at_once", CASES, words::wild(), |text| {
        for dialect in dialects() {
            let before = text.as_bytes();
            let Some(fixed) = mended(&dialect, before, FixScope::Safe) else { continue };
            assert_eq!(fixed.before, before);
            assert!(!fixed.lines.is_empty(), "{fixed:?}");
            assert_eq!(read(&dialect, &fixed.after), read(&dialect, before), "{}: {text}", dialect.name());
            assert_eq!(errors(&findings(&dialect, &fixed.after)), errors(&findings(&dialect, before)), "{text}");
            assert_eq!(mended(&dialect, &fixed.after, FixScope::Safe), None, "{}: again: {text}", dialect.name());
            assert_eq!(
                fixed.after.windows(2).any(|pair| pair == b"\r\n"),
                before.windows(2).any(|pair| pair == b"\r\n"),
                "{text}"
            );
        }
        Ok(())
    });
}

/// What the client of a dialect makes of a text: the skill, and the errors.
fn of_client(dialect: &Arc<Dialect>, text: &[u8]) -> (Option<Frontmatter>, Vec<Diagnostic>) {
    world(dialect, text, |world| {
        let skill =
            discover(world, dialect).skills().first().map(|skill| Frontmatter::clone(&skill.as_read().frontmatter));
        (skill, check(world, dialect, &[path(&at(dialect))], &CheckRequest::default()).expect("it is there"))
    })
}

#[test]
fn mending_takes_nothing_from_the_client() {
    let bytes = prop_oneof![words::wild().prop_map(String::into_bytes), words::mutated()];
    property::check("mending_takes_nothing_from_the_client", CASES, bytes, |before| {
        for dialect in dialects().into_iter().filter(|dialect| dialect.reading() == Reading::Faithful) {
            for scope in [FixScope::Safe, FixScope::All] {
                let Some(fixed) = mended(&dialect, &before, scope) else { continue };
                let (Some(own), found) = of_client(&dialect, &before) else { continue };
                let (new, left) = of_client(&dialect, &fixed.after);
                let shown = [&before, &fixed.after].map(|text| String::from_utf8_lossy(text));
                let Some(new) = new else { panic!("{} loses it: {shown:#?}", dialect.name()) };
                let known = errors(&found);
                assert!(
                    errors(&left).iter().all(|code| known.contains(code)),
                    "{}: {shown:#?}\n{left:?}",
                    dialect.name()
                );
                let is_of_fence = |finding: &Diagnostic| finding.code.as_str().starts_with("frontmatter-");
                let is_misread = |finding: &Diagnostic| {
                    let codes = [Code::Yaml, Code::YamlRepaired, Code::WrongType, Code::ByteOrderMark];
                    codes.contains(&finding.code) || is_of_fence(finding)
                };
                // A description may be taken from the body, which a fence moves.
                let may_change = found.iter().any(is_misread) || findings(&dialect, &before).iter().any(is_of_fence);
                if scope == FixScope::Safe && !may_change {
                    // A placeholder in braces becomes a text in what is only kept as data (rule 5.7).
                    let [mut new, mut own] = [new, own];
                    for fields in [&mut new, &mut own] {
                        fields.other.clear();
                        fields.metadata.clear();
                    }
                    assert_eq!(new, own, "{}: {shown:#?}", dialect.name());
                }
            }
        }
        Ok(())
    });
}

#[test]
fn every_repair_of_a_skill_is_mended() {
    property::check("every_repair_of_a_skill_is_mended", CASES, words::wild(), |text| {
        for dialect in dialects() {
            let after = mended(&dialect, text.as_bytes(), FixScope::Safe).map(|fixed| fixed.after);
            let after = after.unwrap_or_else(|| text.clone().into_bytes());
            let (left, others): (Vec<_>, Vec<_>) =
                findings(&dialect, &after).into_iter().partition(|finding| finding.code == Code::YamlRepaired);
            // An item that is a map counts as its source where text is expected, and a correction changes the source.
            if others.iter().any(|finding| finding.code == Code::WrongType) {
                continue;
            }
            // What a client reads otherwise than it was meant, and without a finding, stays. Of two values, it may take the
            // other one, in which another error may be.
            let is_of_client = dialect.reading() == Reading::Faithful;
            let is_twice = others.iter().any(|finding| finding.code == Code::DuplicateKey);
            if is_of_client
                && (is_twice || of_client(&dialect, &after).0 != read(&dialect, &after).map(|(fields, _)| fields))
            {
                continue;
            }
            assert_eq!(left, [], "{}: {text}\n{}", dialect.name(), String::from_utf8_lossy(&after));
        }
        Ok(())
    });
}

#[test]
fn mending_everything_adds_no_error_and_is_done_at_once() {
    let name = "mending_everything_adds_no_error_and_is_done_at_once";
    let bytes = prop_oneof![words::wild().prop_map(String::into_bytes), words::mutated()];
    property::check(name, CASES, bytes, |before| {
        for dialect in dialects() {
            for scope in [FixScope::Safe, FixScope::All] {
                let Some(fixed) = mended(&dialect, &before, scope) else { continue };
                let (new, old) = (findings(&dialect, &fixed.after), findings(&dialect, &before));
                assert!(errors(&new).len() <= errors(&old).len(), "{old:?}\n{new:?}");
                let again = mended(&dialect, &fixed.after, scope);
                assert_eq!(
                    again.map(|fixed| fixed.lines),
                    None,
                    "{}: {}",
                    dialect.name(),
                    String::from_utf8_lossy(&before)
                );
            }
        }
        Ok(())
    });
}

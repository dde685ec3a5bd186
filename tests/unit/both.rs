use super::{restricted, restricting_keys};
use crate::dialect::{Dialect, NAMES, Reading, dialect};
use crate::discovery::extras::Extras;
use crate::discovery::manifest::{ReadMode, read_in_one_way, read_prefix};
use crate::fs::FilePrefix;
use crate::model::skill::Frontmatter;
use crate::path::FsPath;
use crate::property;
use crate::text::frontmatter;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Texts with the keys that restrict, and with dashes that are a fence to some readers. A half of them has nothing else that
/// is odd, so that there is no finding.
fn texts() -> impl Strategy<Value = String> {
    let mut keys: Vec<String> = Vec::new();
    for dialect in NAMES.iter().filter_map(|name| dialect(name)) {
        keys.extend(restricting_keys(&dialect, &Frontmatter::default()).map(|(key, _)| key.to_owned()));
    }
    keys.sort();
    keys.dedup();
    let values = [
        " true",
        " false",
        " a",
        " [a, b]",
        "\n- a\n- b",
        "\n- a --- b\n- c",
        " a --- b",
        " [a---b, c]",
        " |\n  a\n  ---\n  b",
        "\n- |\n  a\n  ---\n  b\n- c",
        " [a,\n  ---\n  b]",
        " [a,\n---\u{a0}\n  b]",
        " [a,\n---c, b]",
        " 'a\n--- \nb'",
        " \"a\n---x\nb\"",
        "",
    ];
    let odd_values = [
        " yes", " 'no'", " maybe", " [a", " !t a", " !t [a]", " null", " {a: b}", " {{a}}", " a: b", " a # b", " &a b",
        " *a",
    ];
    let row = |values: &[&'static str]| {
        (select(keys.clone()), select(values.to_vec())).prop_map(|(key, value)| format!("{key}:{value}\n"))
    };
    let (plain, odd) = (row(&values), row(&odd_values));
    let odd_lines = [
        "---\u{a0}\n",
        "--- \n",
        "----\n",
        "\n",
        "# c\n",
        " ---\n",
        "x\n",
        "---x\n",
        "\tx: y\n",
        "...\n",
        "sven:\n  user_invocable_only: true\n",
    ];
    let odd_line = select(odd_lines.to_vec()).prop_map(str::to_owned);
    let openings = [
        "---\n",
        "---\n",
        "---\n",
        "\u{feff}---\n",
        "\n---\n",
        "--- \n",
        "----\n",
        "# T\n---\n",
        " ---\n",
        "--- x\n",
        "",
    ];
    let closings = ["---\n", "---\n", "---\n", "--- \n", "---\u{a0}\n", "----\n", "---x\n", ""];
    let names = ["name: tea\ndescription: D\n", "description: D\n", "name: tea\ndescription: D: e\n"];
    let body = vec(prop_oneof![plain.clone(), odd_line.clone()], 0..3);
    let any = (
        select(openings.to_vec()),
        select(names.to_vec()),
        vec(prop_oneof![2 => plain.clone(), 1 => odd, 1 => odd_line], 0..5),
        select(closings.to_vec()),
        body.clone(),
    );
    let any = any.prop_map(|(opening, names, lines, closing, body)| {
        format!("{opening}{names}{}{closing}{}é\n", lines.concat(), body.concat())
    });
    let plain = (select(closings[2..5].to_vec()), vec(plain, 1..3), body);
    let plain = plain.prop_map(|(closing, lines, body)| {
        format!("---\nname: tea\ndescription: D\n{}{closing}{}---\n", lines.concat(), body.concat())
    });
    prop_oneof![any, plain]
}

/// What either reading of a file restricts, holds (rule 9.13).
#[test]
fn no_restriction_is_missed() {
    let path = FsPath::root().appended("SKILL.md");
    let dialects: Vec<Dialect> =
        NAMES.iter().filter_map(|name| dialect(name)).map(|own| Dialect::clone(&own)).collect();
    property::check("no_restriction_is_missed", 256, texts(), |text| {
        let prefix = FilePrefix { bytes: text.clone().into_bytes(), len: text.len() as u64, stamp: None };
        for dialect in &dialects {
            for reading in [Reading::Repaired, Reading::Faithful] {
                let own = dialect.with_reading(reading);
                let parts = (&prefix, frontmatter::plain(&prefix.bytes));
                let read =
                    |dialect: &Dialect| read_in_one_way(Extras::FULL, dialect, &path, parts, ReadMode::Discovery);
                let (Some(both), Some(other)) = (
                    read_prefix(Extras::FULL, &own, &path, &prefix, ReadMode::Discovery),
                    read(&own.with_reading(reading.other())),
                ) else {
                    return Err(TestCaseError::fail("the whole file was read"));
                };
                let (both, other) = (both.manifest, other.manifest);
                if both.rejected.is_some() {
                    continue;
                }
                let missed = restricted(&own, &both.frontmatter, &other.frontmatter);
                prop_assert_eq!(
                    missed.is_some(),
                    both.other_reading.is_some(),
                    "{}, {:?}: {:?}",
                    own.name,
                    reading,
                    missed
                );
            }
        }
        Ok(())
    });
}

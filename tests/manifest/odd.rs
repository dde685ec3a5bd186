//! Files that are read as their authors meant them, in every dialect, and read the same once they are mended (topics 4
//! and 5 of the rules).

use crate::common::Tree;
use crate::common::ground::on;
use pretty_assertions::assert_eq;
use skilltree::dialect::NAMES;
use skilltree::{Code, Diagnostic};

/// What a file is read as, by each dialect.
struct Read {
    name: String,
    description: String,
    body: String,
    /// The findings on how it is written.
    findings: Vec<Diagnostic>,
}

fn read(case: &str, text: &str, dialect: &str) -> Option<Read> {
    let ground = on(Tree::default().with("/r/tea/SKILL.md", text)).roots(&["/r"]).repaired();
    let told = ground.of(case, dialect, |world, catalog| {
        let skill = catalog.skills().first()?;
        let body = catalog.body(world, skill).expect("it is read again");
        let name = skill.frontmatter.name.clone().unwrap_or_default();
        Some((name, skill.description().to_owned(), body.trim().to_owned(), catalog.findings().to_vec()))
    });
    let (name, description, body, mut findings) = told?;
    let is_odd = [Code::FrontmatterMissing, Code::FrontmatterNotFirst, Code::FrontmatterFence, Code::YamlRepaired];
    findings.retain(|finding| is_odd.contains(&finding.code));
    Some(Read { name, description, body, findings })
}

/// The file with each mended line in its place, from the last to the first.
fn mended(text: &str, findings: &[Diagnostic]) -> String {
    let mut lines: Vec<String> = text.trim_start_matches('\u{feff}').split('\n').map(str::to_owned).collect();
    let mut fixes: Vec<_> = findings.iter().filter_map(|finding| finding.fix.clone()).collect();
    fixes.sort_by_key(|fix| (fix.line, fix.with.matches('\n').count()));
    for fix in fixes.iter().rev() {
        if !fixes.iter().any(|other| other != fix && other.line == fix.line && other.with.ends_with(&fix.with)) {
            lines.splice(fix.line - 1..fix.last, fix.with.split('\n').map(str::to_owned));
        }
    }
    lines.join("\n")
}

/// `lines` are those of the findings.
#[track_caller]
fn meant(case: &str, text: &str, lines: &[usize], description: &str) {
    for dialect in NAMES {
        let case = format!("{case} ({dialect})");
        let Some(told) = read(&case, text, dialect) else { panic!("{case}: lost") };
        assert_eq!((told.name.as_str(), told.description.as_str()), ("tea", description), "{case}");
        assert_eq!(told.body, "Boil water.", "{case}");
        let at: Vec<usize> = told.findings.iter().filter_map(|finding| Some(finding.at?.line)).collect();
        assert_eq!(at, lines, "{case}");
        assert!(
            told.findings.iter().all(|found| found.help.is_some() && found.fix.is_some()),
            "{case}: {:?}",
            told.findings
        );
        let mended = mended(text, &told.findings);
        let again = read(&case, &mended, dialect).unwrap_or_else(|| panic!("{case}: lost once mended"));
        assert_eq!(
            (again.name, again.description, again.body),
            (told.name, told.description, told.body),
            "{case}: {mended}"
        );
        assert_eq!(again.findings, [], "{case}: {mended}");
    }
}

#[test]
fn values_as_they_were_meant() {
    let file = |case: &str, fields: &str, lines: &[usize], description: &str| {
        meant(case, &format!("---\n{fields}\n---\nBoil water.\n"), lines, description);
    };
    file("rule 5.7: a tight key", "name: tea\ndescription:\"Makes tea\"", &[3], "Makes tea");
    file("rule 5.7: a tight key and a colon", "name: tea\ndescription:\"Makes: tea\"", &[3], "Makes: tea");
    file("rule 5.7: all keys are tight", "name:'tea'\ndescription:'Makes tea'", &[2, 3], "Makes tea");
    file(
        "rule 5.7: a tight key among others",
        "name: tea\ndescription:'Makes tea'\nlicense: MIT\nx:\n  - y",
        &[3],
        "Makes tea",
    );
    file("rule 5.6: quotes that close early", "name: tea\ndescription: \"Makes\" tea", &[3], "Makes tea");
    file("rule 5.7: the same in a tight value", "name: tea\ndescription:'Makes' tea: hot", &[3], "Makes tea: hot");
    file("rule 5.7: a word with a bang", "name: tea\ndescription: !important Makes tea", &[3], "!important Makes tea");
    file("rule 5.7: a word with an ampersand", "name: tea\ndescription: &co Makes tea\nx: 1", &[3], "&co Makes tea");
}

const FIELDS: &str = "name: tea\ndescription: D\n";

#[test]
fn files_as_they_were_meant() {
    let fenced = format!("---\n{FIELDS}---\nBoil water.\n");
    meant("rule 4.9: in a code fence", &format!("```markdown\n{fenced}```\n"), &[1, 7], "D");
    meant("rule 4.9: in a code fence of tildes", &format!("~~~md\n\n{fenced}~~~"), &[1, 8], "D");
    meant(
        "rule 4.9: the frontmatter in a code fence",
        &format!("```yaml\n---\n{FIELDS}---\n```\n\nBoil water.\n"),
        &[1, 6],
        "D",
    );
    meant("rule 4.9: a code fence in place of fences", &format!("```yaml\n{FIELDS}```\nBoil water.\n"), &[1, 4], "D");
    meant("rule 4.9: only the closing fence", &format!("{FIELDS}---\nBoil water.\n"), &[1], "D");
    meant("rule 4.9: the same, and a tight key", "name:\"tea\"\ndescription: D\n---\nBoil water.\n", &[1, 1], "D");
    meant("rule 4.9: the same, and a colon below", "name: tea\ndescription: D: e\n---\nBoil water.\n", &[1, 2], "D: e");
    meant("rule 4.9: a title", &format!("# Tea\n\n{fenced}"), &[3], "D");
    meant("rule 4.9: a line", &format!("Here is the skill:\n\n{fenced}"), &[3], "D");
    meant("rule 4.9: a comment", &format!("<!-- made\nby hand -->\n{fenced}"), &[3], "D");
    meant("rule 4.9: a comment of another language", &format!("// SPDX-License-Identifier: MIT\n{fenced}"), &[2], "D");
    meant("rule 4.9: a licence", &format!("MIT License\n\nCopyright 2026 Jo\n\n{fenced}"), &[5], "D");
    meant("rule 4.9: two marks of byte order", &format!("\u{feff}\u{feff}{fenced}"), &[1], "D");
    meant("rule 4.9: a mark and a title", &format!("\u{feff}# Tea\n{fenced}"), &[2], "D");
    meant(
        "rule 4.9: a title, and a fault",
        "# Tea\n---\nname: tea\ndescription: D: e\n---\nBoil water.\n",
        &[2, 4],
        "D: e",
    );
}

/// A document that is no frontmatter is what it was: no skill where one must have a frontmatter, else its own text.
#[test]
fn documents_stay_documents() {
    let texts = [
        "# Tea\n\n---\n\nNote: boil.\n\n---\n\nPour.\n",
        "Note: boil.\n\n---\n\nPour.\n",
        "# Tea\n\nA skill:\n\n```yaml\n---\nname: a\ndescription: b\n---\n```\n",
        "# Tea\n\nA skill:\n\n---\nname: a\ndescription: b\n---\n\nPour.\n",
        "```sh\ntea --name: a\n```\n\nPour.\n",
    ];
    for text in texts {
        for dialect in NAMES {
            if let Some(told) = read(text, text, dialect) {
                assert_eq!((told.name.as_str(), told.body.as_str()), ("", text.trim()), "{dialect}: {text}");
            }
        }
        assert!(read(text, text, "agentskills").is_none(), "{text}");
    }
}

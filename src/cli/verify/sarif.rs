//! What of the verdicts and of the breaches of policies is a result of a SARIF log, and the rules of these results.

use super::{Judged, Judgement, NO_SIGNATURE, Verdict, shown_record};
use crate::baseline::Identity;
use crate::output::formats::{Entry, Location, Rule};
use crate::output::text::folded;
use crate::policy::{Breach, Level};
use crate::setup::Setup;
use skilltree::fs::FileKind;
use skilltree::{FsPath, Position, Severity, visible};

const POLICY: Rule = Rule {
    id: "policy",
    help: "The skill breaches a policy.

The message names the policy, the line of its rule and what the skill does. A skill that is blocked is not loaded; one that is warned of \
is. Change the skill, or ask whoever is responsible for the policy.",
};

impl Verdict {
    /// Its rule; none if it is not reported.
    fn rule(self) -> Option<(Severity, Rule)> {
        use Severity::{Error, Warning};
        let (severity, id, help) = match self {
            Verdict::Verified | Verdict::Matches | Verdict::NoRecord => return None,
            Verdict::Differs => (
                Error,
                "record-differs",
                "Files of the skill are not those of its record.

The message marks a file that the record does not name with `+`, one with other content with `~`, and one that is not there with `-`. \
Install the skill again if you do not know who made the change.",
            ),
            Verdict::Missing => (
                Error,
                "record-missing",
                "A record names a skill that is not there.

Install the skill again, or remove it from the record.",
            ),
            Verdict::Invalid => (
                Error,
                "record-invalid",
                "The signature of the skill does not hold.

It is malformed, or it was not made with the key that it names. Do not use the skill, and ask its publisher for a valid signature.",
            ),
            Verdict::ForeignRoot => (
                Error,
                "record-foreign-root",
                "The root of the skill's signature is not trusted.

Anyone can make a signature with a root of their own. Get the root from its owner, and name it with `--trust-root FILE`.",
            ),
            Verdict::Expired => (
                Error,
                "record-expired",
                "A certificate or key of the skill's signature is not valid at this time.

Ask the publisher for a new signature. `--at DATE` checks it at another time.",
            ),
            Verdict::Extra => (
                Warning,
                "record-extra",
                "The skill has files that its record does not cover.

All other files are as recorded. Remove the files, or look at them as you would at those of an unknown skill.",
            ),
            Verdict::NeedsSource => (
                Warning,
                "record-needs-source",
                "The record cannot be compared without the source of the skill.

It is about the folder that the skill was copied from. Name that folder, an archive or a revision with `--source SOURCE`.",
            ),
            Verdict::Unknown => (
                Warning,
                "record-unknown",
                "The record cannot be read.

It is not valid, or its version or type is not known, so that nothing is known about the files.",
            ),
            Verdict::Unsigned => (
                Warning,
                "record-unsigned",
                "No signature covers the skill.

Signatures are expected where a root is trusted, and with `--require signature`.",
            ),
        };
        Some((severity, Rule { id, help }))
    }
}

/// The results, in the order of the skills.
pub(super) fn entries(setup: &Setup, judged: &[Judged]) -> Vec<Entry> {
    judged.iter().flat_map(|skill| of_skill(setup, skill)).collect()
}

fn of_skill(setup: &Setup, skill: &Judged) -> Vec<Entry> {
    let key = visible(&skill.key);
    let mut entries = Vec::new();
    for (_, record, judgement) in &skill.records {
        let Some((severity, rule)) = judgement.verdict.rule() else { continue };
        let file = shown_record(setup, skill, record);
        let mut message = format!("skill `{key}`, record `{file}`: {}", judgement.verdict.as_str());
        let shown = judgement.shown();
        if !shown.is_empty() {
            message = format!("{message}: {shown}");
        }
        // A result that was dismissed in code scanning does not stand for other changes.
        let mut text = format!("{}\0{file}\0{}", skill.key, judgement.note);
        judgement.files.iter().for_each(|changed| text.extend(["\0", &changed.signed()]));
        let identity = Identity::new(setup, skill.path.as_ref().unwrap_or(record), rule.id, Some(&text));
        let mut paths = changed_paths(setup, skill, judgement);
        if paths.is_empty() {
            paths.push(record.clone());
        }
        let locations = paths.iter().map(|path| Location::new(setup, path, None)).collect();
        entries.push(Entry { rule, severity, message, locations, reason: None, identity, fix: None });
    }
    let Some(path) = &skill.path else { return entries };
    let mut add = |rule: Rule, severity, said: &str, text: Option<&str>, reason| {
        let message = format!("skill `{key}`: {said}");
        let identity = Identity::new(setup, path, rule.id, text);
        let locations = vec![Location::new(setup, path, None)];
        entries.push(Entry { rule, severity, message, locations, reason, identity, fix: None });
    };
    if let Some((severity, rule)) = skill.lacking().and_then(Verdict::rule) {
        add(rule, severity, NO_SIGNATURE, None, None);
    }
    for breach in &skill.breaches {
        let severity = if breach.level == Level::Block { Severity::Error } else { Severity::Warning };
        // The line of the rule may move.
        let text = format!("{}\0{}", breach.file, breach.message);
        add(POLICY, severity, &folded(&breach.told()), Some(&text), rule_of(setup, breach));
    }
    entries
}

/// The files that are not as recorded. What would not be in the folder is left out.
fn changed_paths(setup: &Setup, skill: &Judged, judgement: &Judgement) -> Vec<FsPath> {
    let Some(path) = skill.path.as_ref().filter(|_| !judgement.files.is_empty()) else { return Vec::new() };
    // The file of a skill that consists of one is named as in the folder above.
    let is_file = matches!(setup.files().metadata(path), Ok(Some(found)) if found.kind == FileKind::File);
    let folder = path.parent().filter(|_| is_file).unwrap_or_else(|| path.clone());
    judgement.files.iter().filter_map(|changed| folder.join(&changed.path).ok()).collect()
}

/// Where the rule of a policy is.
fn rule_of(setup: &Setup, breach: &Breach) -> Option<Location> {
    let file = breach.path(setup)?;
    Some(Location::new(setup, &file, Some((Position { line: breach.line, column: 1 }, None))))
}

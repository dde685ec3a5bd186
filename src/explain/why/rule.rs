//! The part of a dialect that decides what becomes of a file: its short name, and for precedence the reason in words.

use crate::diagnostic::Code;
use crate::dialect::TieBreak;
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::is_single_file;
use crate::discovery::resolve::Shadowed;
use crate::model::skill::{Skill, State};
use crate::text::escape::visible;

/// The rule by which descriptions and skills are left out of a prompt.
const PROMPT: &str = "prompt.budget";

/// The rule by which one skill shadows another, and what it says, with its number in the list of rules.
pub(super) fn of_precedence(catalog: &Catalog, Shadowed { skill, by }: &Shadowed) -> (&'static str, String) {
    let dialect = catalog.dialect();
    let system = dialect.title();
    let winner = catalog.skills().iter().find(|winner| winner.path == *by);
    match winner {
        Some(winner) if is_single_file(&skill.path) && !is_single_file(&winner.path) => {
            ("tie_break", format!("a skill wins over a command file in {system} (rule 3.17)"))
        }
        Some(winner) if winner.source.rank != skill.source.rank => {
            let (higher, lower) = (visible(&winner.source.label), visible(&skill.source.label));
            let places = match higher == lower {
                true => format!("`{}` wins over `{}`", winner.source.root, skill.source.root),
                false => format!("the source `{higher}` wins over `{lower}`"),
            };
            ("sources", format!("{places} in {system} (rule 8.1)"))
        }
        Some(_) | None => {
            let which = match dialect.tie_break {
                TieBreak::First => "first",
                TieBreak::Last => "last",
            };
            ("tie_break", format!("of equal keys in one source, {system} uses the {which} by path (rule 8.2)"))
        }
    }
}

/// The rule by which the model does not see a skill.
pub(super) fn of_hidden(skill: &Skill) -> &'static str {
    let is_by_fields = skill.state != State::Disabled && skill.frontmatter.not_for_model;
    match &skill.decision {
        Some(decision) if decision.file.is_some() => "settings",
        Some(_) if skill.description().is_empty() => "undescribed",
        Some(_) => "paths",
        None if is_by_fields => "fields",
        None => "states",
    }
}

/// The short name of the rule by which a finding with this code keeps a file from being used; `None` for a code that
/// does not.
pub(super) fn of_code(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::TooDeep => "scan.depth",
        Code::SkillAtRoot => "scan.root",
        Code::NotEntered => "scan.skipped",
        Code::ScanTruncated => "scan.limit",
        Code::FileNameCase
        | Code::NoSkill
        | Code::NotSkillFile
        | Code::CommandFile
        | Code::PathNotUtf8
        | Code::NotAFile => "scan.files",
        Code::BrokenSymlink | Code::LinkCycle | Code::LeadsOut | Code::LinkIgnored | Code::SameFile => "scan.links",
        Code::SourceUnreadable
        | Code::PluginMissing
        | Code::JsonFileCorrupt
        | Code::NotInSource
        | Code::NestedSource => "sources",
        Code::Unreadable | Code::NotUtf8 | Code::ControlCharacter | Code::TooLarge => "file",
        Code::FrontmatterMissing
        | Code::FrontmatterUnclosed
        | Code::FrontmatterNotFirst
        | Code::FrontmatterFence
        | Code::Yaml
        | Code::YamlRefused
        | Code::YamlRepaired
        | Code::YamlComment
        | Code::YamlTab
        | Code::YamlAlias
        | Code::YamlTooDeep
        | Code::RestrictionMissed
        | Code::DuplicateKey => "header",
        Code::NameMissing
        | Code::DescriptionMissing
        | Code::NameInvalid
        | Code::NameMismatch
        | Code::WrongType
        | Code::RemovedField
        | Code::VersionInvalid => "fields",
        Code::TooLong => "limits",
        Code::UnmetRequirement => "requires",
        Code::LeftOut => PROMPT,
        _ => return None,
    })
}

/// Help for findings that have none, because they may be intended.
pub(super) fn advice(code: Code) -> Option<&'static str> {
    match code {
        Code::NotEntered => Some("move the skill's folder elsewhere"),
        Code::SameFile => Some("ask about that file"),
        Code::Unreadable | Code::PathNotUtf8 => Some("check its permissions, and that its name is UTF-8"),
        _ => None,
    }
}

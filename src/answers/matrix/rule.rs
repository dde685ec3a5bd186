//! The part of a dialect that a code is about.

use crate::diagnostic::Code;

/// The rule by which descriptions and skills are left out of a prompt.
pub(super) const PROMPT: &str = "prompt.budget";

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
        Code::SourceUnreadable | Code::PluginMissing | Code::JsonFileCorrupt | Code::NotInSource => "sources",
        Code::Unreadable | Code::NotUtf8 | Code::ControlCharacter | Code::TooLarge => "file",
        Code::FrontmatterMissing
        | Code::FrontmatterUnclosed
        | Code::FrontmatterNotFirst
        | Code::FrontmatterFence
        | Code::Yaml
        | Code::YamlRepaired
        | Code::YamlComment
        | Code::YamlTab
        | Code::YamlAlias
        | Code::YamlTooDeep
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

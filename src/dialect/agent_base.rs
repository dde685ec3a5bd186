//! The dialect of document 001: three flat sources, and four tiers of disclosure chosen by what the user says.

use super::*;
use crate::text::template::Template;

pub(super) fn agent_base() -> Dialect {
    Dialect {
        name: "agent-base".to_owned(),
        about: "agent-base: skills with triggers, shown in four tiers by what the user says".to_owned(),
        // agent-base, "Skill Sources"
        sources: vec![
            SourceRule {
                otherwise: Some("src/_bundled_skills".to_owned()),
                ..source(Base::Bundled, "", "bundled", "bundled", Level::Bundled)
            },
            source(Base::Home, ".agent/skills", "user", "user", Level::User),
            source(Base::Project, ".agent/skills", "project", "project", Level::Project),
        ],
        scan: ScanRule { depth: Some(1), root: RootSkill::Refused },
        bare: Bare::Skip,
        describe: Describe::AsWritten,
        // agent-base, "Manifest Fields"
        fields: vec![
            field("name", Slot::Name, Need::Required),
            field("description", Slot::Description, Need::Required),
            field("version", Slot::Version, Need::Optional),
            field("toolsets", Slot::Toolsets, Need::Optional),
            field("scripts", Slot::Scripts, Need::Optional),
            field("triggers.keywords", Slot::Keywords, Need::Optional),
            field("triggers.verbs", Slot::Verbs, Need::Optional),
            field("triggers.patterns", Slot::Patterns, Need::Optional),
            field("default_enabled", Slot::DefaultEnabled, Need::Optional),
            field("brief_description", Slot::Brief, Need::Optional),
        ],
        limits: vec![
            Limit { slot: Slot::Name, max_chars: 64 },
            Limit { slot: Slot::Description, max_chars: 500 },
            Limit { slot: Slot::Brief, max_chars: 80 },
        ],
        name_form: Some(NameForm::AsciiHyphen),
        name_is_folder: false,
        version_is_semver: true,
        rules: vec![Code::NameInvalid, Code::TooLong, Code::VersionInvalid, Code::PatternInvalid],
        key: KeyRule::Name,
        ties: Ties::Last,
        lookup: Lookup::Key,
        order: Order::SourceThenName,
        children: ChildRule::ByFolder,
        tools: ToolsRule::Ignored,
        // agent-base, "Progressive Disclosure", tier 2
        prompt: PromptRule {
            guidance: "Each skill holds instructions for one kind of task. When a request calls for knowledge or \
                abilities beyond your own, see whether one of these skills fits it, and tell the user its name: the \
                full documentation is shown once a message names the skill or speaks of what it does."
                .to_owned(),
            open: "## Available Skills\n".to_owned(),
            row: Template::new("- **{name}**{?brief}: {brief}{/}"),
            close: String::new(),
            bare_row: Template::new("- **{name}**"),
            escape: Escape::Plain,
            space: Space::Fold,
            max_description: None,
            budget: Budget::Unlimited,
            fit: Fit::FirstFit,
            notice: Template::new("Showing {shown} of {total} skills."),
            layout: Template::new("{list}{?notice}\n\n{notice}{/}\n\n{guidance}"),
        },
        load: LoadRule {
            frame: Template::new("## Relevant Skill Documentation\n\n### {name}{?body}\n\n{body}{/}"),
            closing: String::new(),
            escape: Escape::Plain,
            trim: Trim::Both,
            file_path: FilePath::Relative,
            file_row: Template::new(""),
            resource_row: Template::new(""),
            more_files: Template::new(""),
            max_files: 0,
            child_row: Template::new(""),
            already: Template::new("The documentation of the skill `{key}` is above already; follow it."),
            substitution: None,
            fork: None,
        },
        tool: None,
        slash: None,
        knowledge: None,
        states: None,
        matching: Some(MatchRule {
            max: 3,
            list_questions: [
                "what * can * you * do",
                "what * could * you * do",
                "what * can * u * do",
                "what * could * u * do",
                "what are you able to do",
                "what are your * capabilities",
                "what are your * skills",
                "what skill",
                "what * skills",
                "which skills",
                "list * skills",
                "show * skills",
                "list * capabilities",
                "show * capabilities",
            ]
            .map(str::to_owned)
            .to_vec(),
            breadcrumb: Template::new("[{count} skills available]"),
            header: "## Relevant Skill Documentation".to_owned(),
            document: Template::new("### {name}{?body}\n\n{body}{/}"),
        }),
        activation: None,
    }
}

//! The dialect `agent-base`: three flat sources, and four tiers of disclosure chosen by what the user says.

use super::rows::*;
use crate::dialect::*;

pub(in crate::dialect) const fn agent_base() -> Dialect {
    Dialect {
        name: text("agent-base"),
        about: text("agent-base: skills with triggers, shown in four tiers by what the user says"),
        // Rule 2.4
        sources: rows(
            const {
                &[
                    bundled("bundled", "src/_bundled_skills"),
                    source(Base::Home, ".agent/skills", "user", "user", Origin::User),
                    source(Base::Project, ".agent/skills", "project", "project", Origin::Project),
                ]
            },
        ),
        scan: scan(Some(1), Permitted::No, rows(&[])),
        // Rule 4.1
        max_bytes: None,
        missing_frontmatter: MissingFrontmatter::Skip,
        reading: Reading::Repaired,
        header: YAML_HEADER,
        description_fallback: DescriptionFallback::None,
        undescribed: Permitted::Yes,
        // Rule 6.10
        fields: rows(
            const {
                &[
                    field("name", FieldRole::Name, Necessity::Required),
                    field("description", FieldRole::Description, Necessity::Required),
                    field("version", FieldRole::Version, Necessity::Optional),
                    field("toolsets", FieldRole::Toolsets, Necessity::Optional),
                    field("scripts", FieldRole::Scripts, Necessity::Optional),
                    field("triggers.keywords", FieldRole::Keywords, Necessity::Optional),
                    field("triggers.verbs", FieldRole::Verbs, Necessity::Optional),
                    field("triggers.patterns", FieldRole::Patterns, Necessity::Optional),
                    field("default_enabled", FieldRole::DefaultEnabled, Necessity::Optional),
                    field("brief_description", FieldRole::Brief, Necessity::Optional),
                ]
            },
        ),
        limits: rows(
            const { &[limit(FieldRole::Name, 64), limit(FieldRole::Description, 500), limit(FieldRole::Brief, 500)] },
        ),
        name_form: Some(NameForm::AsciiHyphen),
        rule_codes: rows(&[Code::NameInvalid, Code::TooLong, Code::VersionInvalid, Code::PatternInvalid]),
        name_dashes: text(""),
        key: KeyRule { of: KeyPart::Name, prefix: None },
        tie_break: TieBreak::Last,
        equal_keys: EqualKeys::Shadow,
        lookup: Lookup::Key,
        order: Order::SourceThenName,
        children: ChildRule::ByFolder,
        allowed_tools: ToolsRule::Ignored,
        // Rule 10.1
        prompt: PromptRule {
            guidance: text(
                "Each skill contains instructions for one kind of task. When a request calls for knowledge or \
                    abilities beyond your own, check whether one of these skills fits it, and tell the user its \
                    name: its full documentation is shown once a message mentions the skill or what it does.",
            ),
            open: text("## Available Skills\n"),
            row: Template::new("- **{name}**{?brief}: {brief}{/}"),
            close: text(""),
            name_row: Template::new("- **{name}**"),
            short_row: Template::new(""),
            alias_row: Template::new(""),
            escape: Escape::Plain,
            whitespace: Whitespace::Fold,
            max_description: None,
            cut_mark: text("…"),
            order: None,
            empty: text(""),
            budget: Budget::Unlimited,
            overflow: Overflow::FirstFit,
            notice: Template::new("Showing {shown} of {total} skills."),
            layout: Template::new("{list}{?notice}\n\n{notice}{/}\n\n{guidance}"),
            metadata: None,
        },
        load: LoadRule {
            frame: Template::new("## Relevant Skill Documentation\n\n### {name}{?body}\n\n{body}{/}"),
            closing_tag: text(""),
            escape: Escape::Plain,
            trim: Trim::Both,
            file_row: Template::new(""),
            unlisted_folders: rows(&[]),
            more_files: Template::new(""),
            max_files: 0,
            file_frame: Template::new(""),
            file_unknown: Template::new(""),
            child_row: Template::new(""),
            already_loaded: Template::new("The documentation of the skill `{key}` is already above; follow it."),
            repeated: RepeatedLoad::Whole,
            substitution: None,
            fork: None,
        },
        reattach: REATTACH,
        tool: None,
        commands: None,
        knowledge: None,
        states: None,
        selection: Some(SelectRule {
            max: 3,
            list_questions: rows(
                const {
                    &[
                        text("what * can * you * do"),
                        text("what * could * you * do"),
                        text("what * can * u * do"),
                        text("what * could * u * do"),
                        text("what are you able to do"),
                        text("what are your * capabilities"),
                        text("what are your * skills"),
                        text("what skill"),
                        text("what * skills"),
                        text("which skills"),
                        text("list * skills"),
                        text("list skill"),
                        text("show * skills"),
                        text("show skill"),
                        text("tell me * skills"),
                        text("tell me * capabilities"),
                        text("do you have * skills"),
                        text("are there * skills"),
                        text("what are you * capable of"),
                        text("^ skills $"),
                        text("^ your skills $"),
                        text("^ my skills $"),
                        text("^ available skills $"),
                        text("list * capabilities"),
                        text("show * capabilities"),
                    ]
                },
            ),
            breadcrumb: Template::new("[{count} skills available]"),
            header: text("## Relevant Skill Documentation"),
            document: Template::new("### {name}{?body}\n\n{body}{/}"),
        }),
        activation: None,
        managed_folders: rows(&[]),
        settings: None,
        sidecar: None,
        plugin_manifests: rows(&[]),
        basis: rows(&[]),
        not_modelled: rows(&[]),
    }
}

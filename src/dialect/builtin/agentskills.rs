//! The default: the agentskills.io specification and its guide for clients.

use super::rows::*;
use crate::dialect::*;

pub(in crate::dialect) const fn agentskills() -> Dialect {
    Dialect {
        name: text("agentskills"),
        about: text("the agentskills.io specification and its client guide"),
        sources: rows(
            const {
                &[
                    source(Base::Home, ".claude/skills", "home-claude", "user", Origin::User),
                    source(Base::Home, ".agents/skills", "home-agents", "user", Origin::User),
                    source(Base::Project, ".claude/skills", "project-claude", "project", Origin::Project),
                    source(Base::Project, ".agents/skills", "project-agents", "project", Origin::Project),
                ]
            },
        ),
        scan: scan(None, Permitted::No, rows(&[])),
        // Rule 4.1
        max_bytes: None,
        missing_frontmatter: MissingFrontmatter::Skip,
        reading: Reading::Repaired,
        header: YAML_HEADER,
        description_fallback: DescriptionFallback::None,
        undescribed: Permitted::Yes,
        fields: rows(
            const {
                &[
                    field("name", FieldRole::Name, Necessity::Expected),
                    field("description", FieldRole::Description, Necessity::Required),
                    field("disable-model-invocation", FieldRole::NotForModel, Necessity::Optional),
                    field("user-invocable", FieldRole::ForUser, Necessity::Optional),
                ]
            },
        ),
        limits: rows(
            const {
                &[
                    limit(FieldRole::Name, 64),           // rule 6.13
                    limit(FieldRole::Description, 1024),  // rule 6.13
                    limit(FieldRole::Compatibility, 500), // rule 6.13
                ]
            },
        ),
        name_form: Some(NameForm::LowerHyphen),
        rule_codes: rows(&[Code::NameMissing, Code::NameInvalid, Code::NameMismatch, Code::TooLong, Code::EmptyValue]),
        name_dashes: text(""),
        key: KeyRule { of: KeyPart::Name, prefix: None },
        tie_break: TieBreak::First,
        equal_keys: EqualKeys::Shadow,
        lookup: Lookup::Key,
        order: Order::SourceThenName,
        children: ChildRule::ByFolder,
        allowed_tools: ToolsRule::Grants,
        prompt: PromptRule {
            guidance: text(
                "The skills below are instructions for particular kinds of tasks. When a task matches the \
                    description of a skill, call `activate_skill` with its name before you continue, and follow the \
                    instructions it returns. Paths in a skill are relative to its own folder.",
            ),
            open: text("<available_skills>"),
            row: Template::new(
                "  <skill>\n    <name>{key}</name>\n{?description}    <description>{description}</description>\n{/}    \
                 <location>{location}</location>\n  </skill>",
            ),
            close: text("</available_skills>"),
            name_row: Template::new("  <skill>\n    <name>{key}</name>\n  </skill>"),
            // Rule 11.5: what a model can do without goes before what it chooses by.
            short_row: Template::new(
                "  <skill>\n    <name>{key}</name>\n{?description}    <description>{description}</description>\n{/}  \
                 </skill>",
            ),
            alias_row: Template::new(""),
            escape: Escape::Xml,
            whitespace: Whitespace::Fold,
            max_description: None,
            cut_mark: text("…"),
            order: None,
            empty: text(""),
            budget: Budget::Window { percent: 1, fallback_chars: 8_000 },
            overflow: Overflow::Shorten,
            notice: Template::new("Showing {shown} of {total} skills; the rest did not fit."),
            layout: Template::new("{guidance}\n\n{list}{?notice}\n\n{notice}{/}"),
            metadata: None,
        },
        // Rule 12.3
        load: LoadRule {
            frame: Template::new(
                "<skill_content name=\"{@key}\">\n\
                 {?body}{body}\n\n{/}\
                 Skill directory: {dir}\n\
                 Relative paths in this skill are relative to the skill directory.\n\
                 {?files}\n<skill_resources>\n{files}\n</skill_resources>\n{/}\
                 </skill_content>",
            ),
            closing_tag: text("</skill_content>"),
            escape: Escape::Xml,
            trim: Trim::Both,
            file_row: Template::new("  <file>{relative}</file>"),
            unlisted_folders: rows(&[]),
            more_files: Template::new("  … and {count} more"),
            max_files: 20,
            file_frame: Template::new(""),
            file_unknown: Template::new(""),
            child_row: Template::new(""),
            already_loaded: Template::new("The skill `{key}` is already active; follow the instructions above."),
            repeated: RepeatedLoad::Note,
            substitution: None,
            fork: None,
        },
        reattach: REATTACH,
        tool: Some(ToolRule {
            view: CALL_VIEW,
            schema_alias: None,
            name: text("activate_skill"),
            description: text("Load a skill by name. Returns its full instructions and a list of its files."),
            argument: text("name"),
            argument_help: text("The name of the skill to activate"),
            choices: Choices::Keys,
            input: None,
            when_empty: None,
            unknown: None,
        }),
        commands: Some(CommandsRule {
            naming: CommandNaming::KeyOrSanitised,
            letter_case: LetterCase::Exact,
            reserved: rows(&[]),
            message: Template::new("{text}{?args}\n\nARGUMENTS: {args}{/}"),
            menu_chars: None,
            substitution: None,
            stacked: 1,
        }),
        knowledge: None,
        states: None,
        selection: None,
        activation: None,
        managed_folders: rows(&[]),
        settings: None,
        sidecar: None,
        plugin_manifests: rows(&[]),
        basis: rows(&[]),
        not_modelled: rows(&[]),
    }
}

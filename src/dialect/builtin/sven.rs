//! The dialect `sven`: trees of skills keyed by path, an XML listing, `load_skill`, slash commands.

use super::rows::*;
use crate::dialect::*;

pub(in crate::dialect) const fn sven() -> Dialect {
    Dialect {
        name: text("sven"),
        about: text("sven: skills keyed by path, nested ones under their parents, loaded on demand"),
        // Rule 2.3
        sources: rows(
            const {
                &[
                    source(Base::Home, ".sven/skills", "global-sven", "user", Origin::User),
                    source(Base::Home, ".agents/skills", "global-agents", "user", Origin::User),
                    source(Base::Home, ".claude/skills", "global-claude", "user", Origin::User),
                    source(Base::Project, ".agents/skills", "project-agents", "project", Origin::Project),
                    source(Base::Project, ".claude/skills", "project-claude", "project", Origin::Project),
                    source(Base::Project, ".sven/skills", "project-sven", "project", Origin::Project),
                ]
            },
        ),
        // Rule 3.1: the root is not a skill, nesting has no end
        scan: scan(None, Permitted::No, rows(&[])),
        // Rule 4.1
        max_bytes: Some(262_144),
        missing_frontmatter: MissingFrontmatter::Skip,
        reading: Reading::Repaired,
        header: YAML_HEADER,
        description_fallback: DescriptionFallback::None,
        undescribed: Permitted::Yes,
        // Rules 6.10 and 6.11
        fields: rows(
            const {
                &[
                    field("description", FieldRole::Description, Necessity::Required),
                    field("sven.always", FieldRole::Pinned, Necessity::Optional),
                    field("sven.requires_bins", FieldRole::NeedsBins, Necessity::Optional),
                    field("sven.requires_env", FieldRole::NeedsEnv, Necessity::Optional),
                    field("sven.user_invocable_only", FieldRole::NotForModel, Necessity::Optional),
                    field("knowledge", FieldRole::Knowledge, Necessity::Optional),
                    field(
                        "sven.skills",
                        FieldRole::Removed(text("nest the sub-skills in folders below this one and drop the list")),
                        Necessity::Optional,
                    ),
                ]
            },
        ),
        limits: rows(&[]),
        name_form: None,
        rule_codes: rows(&[Code::VersionInvalid]),
        name_dashes: text(""),
        key: KeyRule { of: KeyPart::Path, prefix: None },
        tie_break: TieBreak::First,
        equal_keys: EqualKeys::Shadow,
        lookup: Lookup::Key,
        order: Order::Key,
        children: ChildRule::ByKey,
        allowed_tools: ToolsRule::Ignored,
        // Rule 11.8
        prompt: PromptRule {
            guidance: text(
                "## Skills\n\n\
                When you recognize that the current task matches one of the available skills\n\
                listed below, call the `load_skill` tool to load the full skill instructions\n\
                before proceeding. Choose by the `<description>` of each skill, and do not load\n\
                one that does not clearly apply.",
            ),
            open: text("<available_skills>"),
            row: Template::new(
                "  <skill>\n    <command>{key}</command>\n    <name>{name}</name>\n    \
                 <description>{description}</description>\n  </skill>",
            ),
            close: text("</available_skills>"),
            name_row: Template::new("  <skill>\n    <command>{key}</command>\n    <name>{name}</name>\n  </skill>"),
            short_row: Template::new(""),
            alias_row: Template::new(""),
            escape: Escape::Xml,
            whitespace: Whitespace::Keep,
            max_description: None,
            cut_mark: text("…"),
            order: None,
            empty: text(""),
            budget: Budget::Chars(30_000),
            overflow: Overflow::FirstFit,
            notice: Template::new("⚠ Skills truncated: showing {shown} of {total}."),
            layout: Template::new("{guidance}\n\n{list}{?notice}\n\n{notice}{/}"),
            metadata: None,
        },
        // Rules 12.4 and 12.7
        load: LoadRule {
            frame: Template::new(
                "<skill_content command=\"{@key}\" name=\"{@name}\">\n\
                 # Skill: {name}\n\
                 {?body}\n{body}\n{/}\n\
                 Base directory: {dir}\n\
                 Relative paths in this skill (scripts/, references/, assets/) are relative to this base directory.\
                 {?files}\n\n<skill_files>\n{files}\n</skill_files>{/}\
                 {?children}\n\n<sub_skills>\n\
                 <!-- Call load_skill(command) to load any sub-skill's full instructions. -->\n\
                 {children}\n</sub_skills>{/}\
                 {?knowledge}\n\n{knowledge}{/}\n\
                 </skill_content>",
            ),
            closing_tag: text("</skill_content>"),
            escape: Escape::Xml,
            trim: Trim::End,
            file_row: Template::new("<file>{absolute}</file>"),
            unlisted_folders: rows(&[]),
            more_files: Template::new("… and {count} more"),
            max_files: 20,
            file_frame: Template::new(""),
            file_unknown: Template::new(""),
            child_row: Template::new("  <sub_skill command=\"{@key}\" name=\"{@name}\">{description}</sub_skill>"),
            already_loaded: Template::new("The skill `{key}` is already loaded; follow the instructions above."),
            repeated: RepeatedLoad::Note,
            substitution: None,
            fork: None,
        },
        reattach: REATTACH,
        tool: Some(ToolRule {
            view: CALL_VIEW,
            schema_alias: None,
            name: text("load_skill"),
            description: text(
                "Load the full instructions of a skill by its command, with a list of its files and sub-skills. Pass \
                    the `<command>` of a listed skill as `name`.",
            ),
            argument: text("name"),
            argument_help: text("The command of the skill to load, such as \"sven\" or \"sven/plan\""),
            choices: Choices::Any,
            input: None,
            when_empty: Some(text(
                "Load the full instructions of a skill by its command. No skills are currently available.",
            )),
            unknown: None,
        }),
        // Rule 14.3
        commands: Some(CommandsRule {
            naming: CommandNaming::Sanitised,
            letter_case: LetterCase::Exact,
            reserved: rows(&[]),
            message: Template::new("{body}{?args}{?body}\n\n{/}Task: {args}{/}"),
            menu_chars: Some(100),
            substitution: None,
            stacked: 1,
        }),
        // Rule 12.7
        knowledge: Some(KnowledgeRule {
            dir: text(".sven/knowledge"),
            title_field: text("subsystem"),
            header: text("Relevant knowledge docs (use search_knowledge or read_file to load):"),
            row: Template::new("  - {file}{?title} ({title}){/}"),
        }),
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

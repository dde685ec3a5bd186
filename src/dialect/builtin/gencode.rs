//! The dialect `gencode`: namespaced keys, three states, plugins, one block for the tool and for commands.

use super::rows::*;
use crate::dialect::*;

pub(in crate::dialect) const fn gencode() -> Dialect {
    Dialect {
        name: text("gencode"),
        about: text("gencode: namespaced skills with states, from folders and plugins"),
        // Rule 2.5
        sources: rows(
            const {
                &[
                    source(Base::Home, ".claude/skills", "claude-user", "ClaudeUser", Origin::User),
                    plugins(Base::Home, ".claude/plugins", "claude-user-plugin", "UserPlugin", Origin::Plugin),
                    plugins(Base::Home, ".gen/plugins", "gen-user-plugin", "UserPlugin", Origin::Plugin),
                    source(Base::Home, ".gen/skills", "gen-user", "User", Origin::User),
                    source(Base::Project, ".claude/skills", "claude-project", "ClaudeProject", Origin::Project),
                    // What a repository brings along is the project's, plugin or not.
                    plugins(
                        Base::Project,
                        ".claude/plugins",
                        "claude-project-plugin",
                        "ProjectPlugin",
                        Origin::Project,
                    ),
                    plugins(Base::Project, ".gen/plugins", "gen-project-plugin", "ProjectPlugin", Origin::Project),
                    source(Base::Project, ".gen/skills", "gen-project", "Project", Origin::Project),
                ]
            },
        ),
        // Rule 3.12
        scan: scan(None, Permitted::Yes, rows(&[])),
        // Rule 4.1
        max_bytes: None,
        missing_frontmatter: MissingFrontmatter::Load,
        reading: Reading::Repaired,
        header: YAML_HEADER,
        description_fallback: DescriptionFallback::None,
        undescribed: Permitted::Yes,
        // Rule 2.10
        fields: rows(const { &[field("namespace", FieldRole::Namespace, Necessity::Optional)] }),
        limits: rows(&[]),
        name_form: None,
        rule_codes: rows(&[]),
        name_dashes: text(""),
        key: KeyRule { of: KeyPart::Name, prefix: Some(KeyPrefix::Namespace) },
        tie_break: TieBreak::First,
        equal_keys: EqualKeys::Shadow,
        lookup: Lookup::LastPart,
        order: Order::Key,
        children: ChildRule::ByFolder,
        allowed_tools: ToolsRule::Restricts,
        // Rules 11.8 and 11.10
        prompt: PromptRule {
            guidance: text("# Available Skills\n\nUse the Skill tool to invoke these capabilities:"),
            open: text(""),
            row: Template::new("- **{key}**:{?description} {description}{/}{?resources} [{resources}]{/}"),
            close: text(""),
            name_row: Template::new("- **{key}**"),
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
            notice: Template::new("Showing {shown} of {total} skills; the rest did not fit."),
            layout: Template::new(
                "{guidance}\n\n{list}{?notice}\n\n{notice}{/}\n\nInvoke with: Skill(skill=\"name\", args=\"optional args\")",
            ),
            metadata: Some(MetadataForm {
                heading: text("# Available Skills"),
                row: Template::new("- **{key}**:{?description} {description}{/}"),
            }),
        },
        // Rule 12.5
        load: LoadRule {
            frame: Template::new(
                "<skill-invocation name=\"{@key}\">\n\
                 {?args}User arguments: {args}\n\n{/}\
                 {?scripts}Available scripts (use Bash to execute):\n{scripts}\n\n{/}\
                 {?references}Reference files (use Read when needed):\n{references}\n\n{/}\
                 {?body}{body}\n{/}\
                 </skill-invocation>",
            ),
            closing_tag: text("</skill-invocation>"),
            escape: Escape::Attributes,
            trim: Trim::Both,
            file_row: Template::new("  - {absolute}"),
            unlisted_folders: rows(&[]),
            more_files: Template::new(""),
            max_files: 0,
            file_frame: Template::new(""),
            file_unknown: Template::new(""),
            child_row: Template::new(""),
            already_loaded: Template::new("The skill `{key}` is already loaded; follow the instructions above."),
            repeated: RepeatedLoad::Whole,
            substitution: None,
            fork: None,
        },
        reattach: REATTACH,
        // Rule 15.1
        tool: Some(ToolRule {
            view: CALL_VIEW,
            schema_alias: Some(text("parameters")),
            name: text("Skill"),
            description: text(ABOUT_TOOL),
            argument: text("skill"),
            argument_help: text("The skill name (e.g., 'commit', 'git:pr', 'pdf')"),
            choices: Choices::Open,
            input: Some((text("args"), text("Optional arguments for the skill"))),
            unknown: None,
            when_empty: Some(text(ABOUT_TOOL)),
        }),
        // Rule 14.6: the same block as the tool gives
        commands: Some(CommandsRule {
            naming: CommandNaming::KeyAndLastPart,
            letter_case: LetterCase::Ignored,
            reserved: rows(&[]),
            message: Template::new("{text}"),
            menu_chars: None,
            substitution: None,
            stacked: 1,
        }),
        knowledge: None,
        // Rules 9.6 and 9.7
        states: Some(StateRule { store: text(".gen/skills.json"), default: State::Enabled }),
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

const ABOUT_TOOL: &str = "Execute a skill within the main conversation";

/// Rule 2.9.
const fn plugins(
    base: Base,
    path: &'static str,
    label: &'static str,
    scope: &'static str,
    level: Origin,
) -> SourceRule {
    source_of_kind(PLUGINS, base, path, label, scope, level)
}

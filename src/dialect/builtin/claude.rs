//! Claude Code's rules: the user's own skills beat the project's, a folder's name is the command, arguments and
//! variables are filled in, commands are run by the host first, tools are granted.

use super::rows::*;
use crate::dialect::*;

/// How many characters of a description the list shows.
const LISTED_CHARS: usize = 1_536;

/// Where a source of the project is looked for: in the project and the folders above it, up to the root of the repository.
const UP_TO_REPOSITORY: Reach =
    Reach::Ancestors(Ancestors { nearest: Nearest::Highest, outside_repository: Permitted::No });

/// How the client reads frontmatter: a file whose YAML is not valid is a skill without fields.
const HEADER: HeaderRule =
    HeaderRule { blank_lines_before: Permitted::No, invalid_yaml: InvalidYaml::Empty, ..YAML_HEADER };

#[allow(clippy::declare_interior_mutable_const, reason = "it has a template of its own")]
const COMMANDS: ShellRule = ShellRule {
    seconds: 120,
    max_chars: 30_000,
    preview_chars: 2_000,
    failed: Template::new("Shell command failed for pattern \"!`{command}`\": the command `{command}` {reason}"),
    exit_one_is_answer: rows(
        const {
            &[
                text("["),
                text("diff"),
                text("egrep"),
                text("fgrep"),
                text("find"),
                text("git diff"),
                text("git grep"),
                text("grep"),
                text("rg"),
                text("test"),
            ]
        },
    ),
    exit_one_is_answer_in_powershell: rows(const { &[text("findstr"), text("git diff"), text("grep"), text("rg")] }),
};

pub(in crate::dialect) const fn claude() -> Dialect {
    Dialect {
        name: text("claude"),
        about: text("Claude Code: commands named by folder, arguments, dynamic commands, forks and grants"),
        // The later source has precedence.
        sources: rows(
            const {
                &[
                    source_of_kind(PLUGINS, Base::Home, ".claude/plugins", "plugin", "plugin", Origin::Plugin),
                    source_with_reach(
                        SourceKind::Commands,
                        (Base::Project, ".claude/commands"),
                        "project-commands",
                        "project",
                        Origin::Project,
                        UP_TO_REPOSITORY,
                    ),
                    source_of_kind(
                        SourceKind::Commands,
                        Base::Home,
                        ".claude/commands",
                        "home-commands",
                        "user",
                        Origin::User,
                    ),
                    source_with_reach(
                        SourceKind::Folders,
                        (Base::Project, ".claude/skills"),
                        "project-claude",
                        "project",
                        Origin::Project,
                        UP_TO_REPOSITORY,
                    ),
                    source_with_reach(
                        SourceKind::Folders,
                        (Base::Project, ".claude/skills"),
                        "nested-claude",
                        "project",
                        Origin::Project,
                        Reach::Below,
                    ),
                    source(Base::Home, ".claude/skills", "home-claude", "user", Origin::User),
                    source(Base::Managed, ".claude/skills", "managed-claude", "managed", Origin::Bundled),
                ]
            },
        ),
        // Claude Code itself adds and removes the skills of the user's account in the folder `synced`.
        scan: scan(Some(1), Permitted::No, rows(const { &[text("synced")] })),
        // Rule 4.1
        max_bytes: Some(1_000_000),
        missing_frontmatter: MissingFrontmatter::Load,
        reading: Reading::Faithful,
        header: HEADER,
        description_fallback: DescriptionFallback::FirstParagraph,
        undescribed: Permitted::Yes,
        fields: rows(
            const {
                &[
                    field("name", FieldRole::Name, Necessity::Optional),
                    field("description", FieldRole::Description, Necessity::Optional),
                    field("when_to_use", FieldRole::WhenToUse, Necessity::Optional),
                    field("argument-hint", FieldRole::ArgumentHint, Necessity::Optional),
                    field("arguments", FieldRole::Arguments, Necessity::Optional),
                    field("disable-model-invocation", FieldRole::NotForModel, Necessity::Optional),
                    field("user-invocable", FieldRole::ForUser, Necessity::Optional),
                    field("allowed-tools", FieldRole::AllowedTools, Necessity::Optional),
                    field("disallowed-tools", FieldRole::DisallowedTools, Necessity::Optional),
                    field("model", FieldRole::Model, Necessity::Optional),
                    field_one_of(
                        "effort",
                        FieldRole::Effort,
                        const { &[text("low"), text("medium"), text("high"), text("xhigh"), text("max")] },
                    ),
                    field("context", FieldRole::Context, Necessity::Optional),
                    field("agent", FieldRole::Agent, Necessity::Optional),
                    field("background", FieldRole::Background, Necessity::Optional),
                    field("hooks", FieldRole::Kept, Necessity::Optional),
                    field("paths", FieldRole::Paths, Necessity::Optional),
                    field_one_of("shell", FieldRole::Shell, const { &[text("bash"), text("powershell")] }),
                ]
            },
        ),
        // Neither the name, which is a label, nor the folder's name, which is the command, is limited. The list shows
        // the first 1,536 characters of a description.
        limits: rows(const { &[limit(FieldRole::Description, LISTED_CHARS), limit(FieldRole::Compatibility, 500)] }),
        name_form: None,
        rule_codes: rows(&[]),
        name_dashes: text(""),
        key: KeyRule { of: KeyPart::Folder, prefix: Some(KeyPrefix::Namespace) },
        tie_break: TieBreak::First,
        equal_keys: EqualKeys::Qualify(Template::new("{place}:{key}")),
        lookup: Lookup::LastPart,
        order: Order::SourceThenName,
        children: ChildRule::ByFolder,
        allowed_tools: ToolsRule::Grants,
        prompt: PromptRule {
            guidance: text(
                "These skills are available to you. When a task matches the description of one, call the `Skill` \
                    tool with its name before you continue, and follow its instructions.",
            ),
            open: text(""),
            row: Template::new("- {key}{?description}: {description}{?place} (for {place}){/}{/}"),
            close: text(""),
            name_row: Template::new("- {key}"),
            short_row: Template::new(""),
            alias_row: Template::new(""),
            escape: Escape::Plain,
            whitespace: Whitespace::Fold,
            max_description: Some(LISTED_CHARS),
            cut_mark: text("…"),
            order: None,
            empty: text(""),
            budget: Budget::Window { percent: 1, fallback_chars: 8_000 },
            overflow: Overflow::DropLeastUsed,
            notice: Template::new(""),
            layout: Template::new("{guidance}\n\n{list}"),
            metadata: None,
        },
        load: LoadRule {
            frame: Template::new(
                "{body}{?variants}\n\nOther skills with this name apply to parts of the project: {variants}.{/}",
            ),
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
            already_loaded: Template::new("The skill `{key}` is already loaded; follow the instructions above."),
            repeated: RepeatedLoad::Note,
            substitution: Some(Substitution {
                append: AppendArguments::UnlessAny,
                appended: Template::new("\n\nARGUMENTS: {args}"),
                first_number: 0,
                last_place: LastPlace::Word,
                missing: MissingArgument::AsWritten,
                without_arguments: Permitted::Yes,
                named_arguments: Permitted::Yes,
                words: ArgumentWords::Shell,
                unclosed_quote: None,
                variables: rows(
                    const {
                        &[
                            (text("CLAUDE_SKILL_DIR"), Variable::SkillDir),
                            (text("CLAUDE_PROJECT_DIR"), Variable::ProjectDir),
                            (text("CLAUDE_SESSION_ID"), Variable::Host),
                            (text("CLAUDE_EFFORT"), Variable::Host),
                            (text("CLAUDE_PLUGIN_ROOT"), Variable::Host),
                            (text("CLAUDE_PLUGIN_DATA"), Variable::Host),
                        ]
                    },
                ),
                commands: Some(COMMANDS),
            }),
            fork: Some(ForkRule {
                agent: Some(text("general-purpose")),
                task: Template::new("{text}"),
                label: Template::new("{name} Skill"),
                answer: ForkAnswer::Output,
                prompt_missing: Template::new(""),
                permission_not_held: PERMISSION_NOT_HELD,
            }),
        },
        // The documentation, "Skill content lifecycle"
        reattach: REATTACH,
        tool: Some(ToolRule {
            view: CALL_VIEW,
            schema_alias: None,
            name: text("Skill"),
            description: text(
                "Load a skill into this conversation. The result contains its instructions, which you then follow. \
                    Pass the name of a listed skill as `skill`, and any arguments for it as `args`.",
            ),
            argument: text("skill"),
            argument_help: text("The name of the skill, as listed"),
            choices: Choices::Any,
            input: Some((text("args"), text("Optional arguments for the skill"))),
            when_empty: None,
            unknown: None,
        }),
        commands: Some(CommandsRule {
            naming: CommandNaming::Key,
            letter_case: LetterCase::Exact,
            reserved: rows(&[]),
            message: Template::new("{text}"),
            menu_chars: None,
            substitution: None,
            stacked: 6,
        }),
        knowledge: None,
        states: None,
        selection: None,
        activation: None,
        managed_folders: rows(
            const {
                &[
                    text("/etc/claude-code"),
                    text("/Library/Application Support/ClaudeCode"),
                    text("C:/Program Files/ClaudeCode"),
                ]
            },
        ),
        settings: Some(SettingsRule {
            files: rows(
                const {
                    &[
                        settings_file(Base::Home, ".claude/settings.json"),
                        settings_file(Base::Project, ".claude/settings.json"),
                        settings_file(Base::Project, ".claude/settings.local.json"),
                        settings_file(Base::Managed, "managed-settings.json"),
                    ]
                },
            ),
            keys: rows(
                const {
                    &[
                        setting("skillOverrides", SettingRole::Overrides),
                        setting("permissions/deny", SettingRole::DeniedRules),
                        setting("disableSkillShellExecution", SettingRole::NoCommands),
                        setting("strictPluginOnlyCustomization", SettingRole::PluginsOnly),
                        setting("skillListingBudgetFraction", SettingRole::BudgetShare),
                        setting("skillListingMaxDescChars", SettingRole::MaxDescription),
                    ]
                },
            ),
        }),
        sidecar: None,
        plugin_manifests: rows(const { &[text(".claude-plugin/plugin.json")] }),
        basis: rows(
            const {
                &[
                    basis(
                        "table",
                        Evidence::Documentation,
                        "the documentation of version 2.1.240, 2026-08-22, and later changes",
                    ),
                    basis(
                        "max_bytes",
                        Evidence::Observed,
                        "version 2.1.330 read 300 kB and not 1.04 MB, 2026-11-24; the limit itself is not known",
                    ),
                    basis(
                        "prompt",
                        Evidence::Unknown,
                        "the client is closed source: the rows, their order and the wording are our own",
                    ),
                    basis("tool", Evidence::Unknown, "the client is closed source: the wording is our own"),
                ]
            },
        ),
        not_modelled: rows(
            const {
                &[
                    text("skills that ship with the client, and those of the user's account in the folder `synced`"),
                    text("plugins in a folder of skills, and the commands of plugins"),
                    text("folders in the folder of commands"),
                    text(
                        "permission rules with arguments: `Skill(name *)` refuses the skill whatever its arguments are",
                    ),
                    text("settings of the command line, of `managed-settings.d` and of the registry"),
                    text("`@file` in a body"),
                ]
            },
        ),
    }
}

//! Claude Code's rules: the user's own skills beat the project's, a folder's name is the command, arguments and
//! variables are filled in, commands are run by the host first, tools are granted.

use super::rows::*;
use crate::dialect::*;

/// How many characters of a description the list shows.
const LISTED_CHARS: usize = 1_536;

const COMMANDS: ShellRule = ShellRule {
    seconds: 120,
    max_chars: 30_000,
    preview_chars: 2_000,
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
                    source(Base::Project, ".claude/skills", "project-claude", "project", Origin::Project),
                    source(Base::Home, ".claude/skills", "home-claude", "user", Origin::User),
                ]
            },
        ),
        // Claude Code itself adds and removes the skills of the user's account in the folder `synced`.
        scan: ScanRule { depth: Some(1), root: RootSkill::Refused, reserved: rows(const { &[text("synced")] }) },
        missing_frontmatter: MissingFrontmatter::Load,
        description_fallback: DescriptionFallback::FirstParagraph,
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
                    field("effort", FieldRole::Effort, Necessity::Optional),
                    field("context", FieldRole::Context, Necessity::Optional),
                    field("agent", FieldRole::Agent, Necessity::Optional),
                    field("background", FieldRole::Background, Necessity::Optional),
                    field("hooks", FieldRole::Kept, Necessity::Optional),
                    field("paths", FieldRole::Paths, Necessity::Optional),
                    field("shell", FieldRole::Shell, Necessity::Optional),
                ]
            },
        ),
        // Neither the name, which is a label, nor the folder's name, which is the command, is limited. The list shows
        // the first 1,536 characters of a description.
        limits: rows(&[
            Limit { role: FieldRole::Description, max_chars: LISTED_CHARS },
            Limit { role: FieldRole::Compatibility, max_chars: 500 },
        ]),
        name_form: None,
        name_is_folder: false,
        version_is_semver: false,
        rule_codes: rows(&[]),
        key: KeyRule::Folder,
        tie_break: TieBreak::First,
        lookup: Lookup::Key,
        order: Order::SourceThenName,
        children: ChildRule::ByFolder,
        allowed_tools: ToolsRule::Grants,
        prompt: PromptRule {
            guidance: text(
                "These skills are there for you. When a task fits what is said of one, call the `Skill` tool \
                with its name before you go on, and do as it says.",
            ),
            open: text(""),
            row: Template::new("- {key}{?description}: {description}{/}"),
            close: text(""),
            name_row: Template::new("- {key}"),
            short_row: Template::new(""),
            escape: Escape::Plain,
            whitespace: Whitespace::Fold,
            max_description: Some(LISTED_CHARS),
            budget: Budget::Window { percent: 1, fallback_chars: 8_000 },
            overflow: Overflow::DropLeastUsed,
            notice: Template::new(""),
            layout: Template::new("{guidance}\n\n{list}"),
        },
        load: LoadRule {
            frame: Template::new("{body}"),
            closing_tag: text(""),
            escape: Escape::Plain,
            trim: Trim::Both,
            file_path: FilePath::Relative,
            file_row: Template::new(""),
            resource_row: Template::new(""),
            more_files: Template::new(""),
            max_files: 0,
            child_row: Template::new(""),
            already_loaded: Template::new("The skill `{key}` is loaded already; follow the instructions above."),
            substitution: Some(Substitution {
                append: AppendArguments::UnlessAny,
                named_arguments: true,
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
                when: ForkWhen::Context,
                agent: Some(text("general-purpose")),
                task: Template::new("{text}"),
                needs_prompt: false,
                label: Template::new("{name} Skill"),
                prompt_missing: PROMPT_MISSING,
                permission_not_held: PERMISSION_NOT_HELD,
            }),
        },
        tool: Some(ToolRule {
            view: CALL_VIEW,
            name: text("Skill"),
            description: text(
                "Carry out a skill in this conversation: its instructions come back as the answer. Pass the \
                name of a listed skill as `skill`, and what it is to work on as `args`.",
            ),
            argument: text("skill"),
            argument_help: text("The name of the skill, as it is listed"),
            choices: Choices::Any,
            input: Some((text("args"), text("What the skill is to work on"))),
            when_empty: WhenEmpty::NoTool,
            unknown: None,
        }),
        commands: Some(CommandsRule {
            naming: CommandNaming::KeyOrSanitised,
            message: Template::new("{text}"),
            menu_chars: None,
        }),
        knowledge: None,
        states: None,
        selection: None,
        activation: None,
    }
}

//! Claude Code's rules: the user's own skills beat the project's, a folder's name is the command, arguments and
//! variables are filled in, commands are run by the host first, tools are granted.

use super::*;
use crate::gather::Gather;
use crate::text::template::Template;

pub(super) fn claude() -> Dialect {
    Dialect {
        name: "claude".to_owned(),
        about: "Claude Code: commands named by folder, arguments, dynamic commands, forks and grants".to_owned(),
        sources: vec![
            source(Base::Project, ".claude/skills", "project-claude", "project", Level::Project),
            source(Base::Home, ".claude/skills", "home-claude", "user", Level::User),
        ],
        scan: ScanRule { depth: Some(1), root: RootSkill::Refused },
        bare: Bare::Load,
        describe: Describe::FirstParagraph,
        fields: fields(),
        limits: vec![
            Limit { slot: Slot::Name, max_chars: 64 },
            Limit { slot: Slot::Description, max_chars: 1024 },
            Limit { slot: Slot::Compatibility, max_chars: 500 },
        ],
        name_form: Some(NameForm::LowerAsciiHyphen),
        name_is_folder: false,
        version_is_semver: false,
        rules: vec![Code::NameInvalid, Code::TooLong],
        key: KeyRule::Folder,
        ties: Ties::First,
        lookup: Lookup::Key,
        order: Order::SourceThenName,
        children: ChildRule::ByFolder,
        tools: ToolsRule::Grants,
        prompt: PromptRule {
            guidance: "These skills are there for you. When a task fits what is said of one, call the `Skill` tool \
                with its name before you go on, and do as it says."
                .to_owned(),
            open: String::new(),
            row: Template::new("- {key}{?description}: {description}{/}"),
            close: String::new(),
            bare_row: Template::new("- {key}"),
            escape: Escape::Plain,
            space: Space::Fold,
            max_description: Some(1_536),
            budget: Budget::Window { percent: 1, otherwise: 8_000 },
            fit: Fit::DropLeastUsed,
            notice: Template::new(""),
            layout: Template::new("{guidance}\n\n{list}"),
        },
        load: LoadRule {
            frame: Template::new("{body}"),
            closing: String::new(),
            escape: Escape::Plain,
            trim: Trim::Both,
            file_path: FilePath::Relative,
            file_row: Template::new(""),
            resource_row: Template::new(""),
            more_files: Template::new(""),
            max_files: 0,
            child_row: Template::new(""),
            already: Template::new("The skill `{key}` is loaded already; follow the instructions above."),
            substitution: Some(Substitution {
                append: Append::UnlessAny,
                names: true,
                variables: variables(),
                commands: true,
            }),
            fork: Some(ForkRule {
                when: ForkWhen::Context,
                agent: Some("general-purpose".to_owned()),
                task: Template::new("{text}"),
                needs_prompt: false,
                label: Template::new("{name} Skill"),
            }),
        },
        tool: Some(ToolRule {
            name: "Skill".to_owned(),
            description: "Carry out a skill in this conversation: its instructions come back as the answer. Pass the \
                name of a listed skill as `skill`, and what it is to work on as `args`."
                .to_owned(),
            argument: "skill".to_owned(),
            argument_help: "The name of the skill, as it is listed".to_owned(),
            choices: Choices::Any,
            input: Some(("args".to_owned(), "What the skill is to work on".to_owned())),
            when_empty: WhenEmpty::NoTool,
            unknown: None,
        }),
        slash: Some(SlashRule { naming: Naming::KeyOrSanitised, message: Template::new("{text}"), menu_chars: None }),
        knowledge: None,
        states: None,
        matching: None,
        activation: None,
    }
}

fn fields() -> Vec<Field> {
    [
        ("name", Slot::Name),
        ("description", Slot::Description),
        ("when_to_use", Slot::WhenToUse),
        ("argument-hint", Slot::ArgumentHint),
        ("arguments", Slot::Arguments),
        ("disable-model-invocation", Slot::NotForModel),
        ("user-invocable", Slot::ForUser),
        ("allowed-tools", Slot::AllowedTools),
        ("disallowed-tools", Slot::DisallowedTools),
        ("model", Slot::Model),
        ("effort", Slot::Effort),
        ("context", Slot::Context),
        ("agent", Slot::Agent),
        ("background", Slot::Background),
        ("hooks", Slot::Kept),
        ("paths", Slot::Paths),
        ("shell", Slot::Shell),
    ]
    .into_iter()
    .map(|(path, slot)| field(path, slot, Need::Optional))
    .gather()
}

fn variables() -> Vec<(String, Variable)> {
    [
        ("CLAUDE_SKILL_DIR", Variable::SkillDir),
        ("CLAUDE_PROJECT_DIR", Variable::ProjectDir),
        ("CLAUDE_SESSION_ID", Variable::Host),
        ("CLAUDE_EFFORT", Variable::Host),
        ("CLAUDE_PLUGIN_ROOT", Variable::Host),
        ("CLAUDE_PLUGIN_DATA", Variable::Host),
    ]
    .into_iter()
    .map(|(name, variable)| (name.to_owned(), variable))
    .gather()
}

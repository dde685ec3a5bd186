//! The dialect of document 002: namespaced keys, three states, plugins, one block for the tool and for commands.

use super::*;
use crate::text::template::Template;

pub(super) fn gencode() -> Dialect {
    Dialect {
        name: "gencode".to_owned(),
        about: "gencode: namespaced skills with states, from folders and plugins".to_owned(),
        // gencode, "Search Paths (Priority Order)"
        sources: vec![
            source(Base::Home, ".claude/skills", "claude-user", "ClaudeUser", Level::User),
            plugins(Base::Home, ".claude/plugins", "claude-user-plugin", "UserPlugin", Level::Plugin),
            plugins(Base::Home, ".gen/plugins", "gen-user-plugin", "UserPlugin", Level::Plugin),
            source(Base::Home, ".gen/skills", "gen-user", "User", Level::User),
            source(Base::Project, ".claude/skills", "claude-project", "ClaudeProject", Level::Project),
            // What a repository brings along is the project's, plugin or not.
            plugins(Base::Project, ".claude/plugins", "claude-project-plugin", "ProjectPlugin", Level::Project),
            plugins(Base::Project, ".gen/plugins", "gen-project-plugin", "ProjectPlugin", Level::Project),
            source(Base::Project, ".gen/skills", "gen-project", "Project", Level::Project),
        ],
        // decisions 12
        scan: ScanRule { depth: None, root: RootSkill::Taken },
        bare: Bare::Load,
        describe: Describe::AsWritten,
        // gencode, "Skill Directory Layout"
        fields: vec![field("namespace", Slot::Namespace, Need::Optional)],
        limits: vec![],
        name_form: None,
        name_is_folder: false,
        version_is_semver: false,
        rules: vec![],
        key: KeyRule::NamespacedName,
        ties: Ties::First,
        lookup: Lookup::LastPart,
        order: Order::Key,
        children: ChildRule::ByFolder,
        tools: ToolsRule::Restricts,
        // gencode, "System Prompt Integration"; decisions 25
        prompt: PromptRule {
            guidance: "# Available Skills\n\nUse the Skill tool to invoke these capabilities:".to_owned(),
            open: String::new(),
            row: Template::new("- **{key}**:{?description} {description}{/}{?resources} [{resources}]{/}"),
            close: String::new(),
            bare_row: Template::new("- **{key}**"),
            escape: Escape::Plain,
            space: Space::Fold,
            max_description: None,
            budget: Budget::Unlimited,
            fit: Fit::FirstFit,
            notice: Template::new("Showing {shown} of {total} skills; the rest did not fit."),
            layout: Template::new(
                "{guidance}\n\n{list}{?notice}\n\n{notice}{/}\n\nInvoke with: Skill(skill=\"name\", args=\"optional args\")",
            ),
        },
        // gencode, "Invocation Flow"
        load: LoadRule {
            frame: Template::new(
                "<skill-invocation name=\"{@key}\">\n\
                 {?args}User arguments: {args}\n\n{/}\
                 {?scripts}Available scripts (use Bash to execute):\n{scripts}\n\n{/}\
                 {?references}Reference files (use Read when needed):\n{references}\n\n{/}\
                 {?body}{body}\n{/}\
                 </skill-invocation>",
            ),
            closing: "</skill-invocation>".to_owned(),
            escape: Escape::Attributes,
            trim: Trim::Both,
            file_path: FilePath::Absolute,
            file_row: Template::new(""),
            resource_row: Template::new("  - {file}"),
            more_files: Template::new(""),
            max_files: 0,
            child_row: Template::new(""),
            already: Template::new("The skill `{key}` is loaded already; follow the instructions above."),
            substitution: None,
            fork: None,
        },
        // gencode, "Tool Schema"
        tool: Some(ToolRule {
            name: "Skill".to_owned(),
            description: ABOUT_TOOL.to_owned(),
            argument: "skill".to_owned(),
            argument_help: "The skill name (e.g., 'commit', 'git:pr', 'pdf')".to_owned(),
            choices: Choices::Open,
            input: Some(("args".to_owned(), "Optional arguments for the skill".to_owned())),
            unknown: None,
            when_empty: WhenEmpty::Describe(ABOUT_TOOL.to_owned()),
        }),
        // decisions 32: the same block as the tool gives
        slash: Some(SlashRule { naming: Naming::KeyAndLastPart, message: Template::new("{text}"), menu_chars: None }),
        knowledge: None,
        // gencode, "Skill State Management"; decisions 19
        states: Some(StateRule {
            user_store: ".gen/skills.json".to_owned(),
            project_store: ".gen/skills.json".to_owned(),
            default: State::Enabled,
        }),
        matching: None,
        activation: None,
    }
}

const ABOUT_TOOL: &str = "Execute a skill within the main conversation";

/// decisions 42
fn plugins(base: Base, path: &str, label: &str, scope: &str, level: Level) -> SourceRule {
    SourceRule { reading: Reading::Plugins, ..source(base, path, label, scope, level) }
}

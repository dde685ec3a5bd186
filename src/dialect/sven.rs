//! The dialect of document 000: trees of skills keyed by path, an XML listing, `load_skill`, slash commands.

use super::*;
use crate::text::template::Template;

pub(super) fn sven() -> Dialect {
    Dialect {
        name: "sven".to_owned(),
        about: "sven: skills keyed by path, nested ones under their parents, loaded on demand".to_owned(),
        // sven, "Discovery sources"
        sources: vec![
            source(Base::Home, ".sven/skills", "global-sven", "user", Level::User),
            source(Base::Home, ".agents/skills", "global-agents", "user", Level::User),
            source(Base::Home, ".claude/skills", "global-claude", "user", Level::User),
            source(Base::Project, ".agents/skills", "project-agents", "project", Level::Project),
            source(Base::Project, ".claude/skills", "project-claude", "project", Level::Project),
            source(Base::Project, ".sven/skills", "project-sven", "project", Level::Project),
        ],
        // sven, "Recursive scanner": the root is not a skill, nesting has no end
        scan: ScanRule { depth: None, root: RootSkill::Refused },
        bare: Bare::Skip,
        describe: Describe::AsWritten,
        // sven, "SKILL.md format"
        fields: vec![
            field("description", Slot::Description, Need::Required),
            field("sven.always", Slot::Pinned, Need::Optional),
            field("sven.requires_bins", Slot::NeedsBins, Need::Optional),
            field("sven.requires_env", Slot::NeedsEnv, Need::Optional),
            field("sven.user_invocable_only", Slot::NotForModel, Need::Optional),
            field("knowledge", Slot::Knowledge, Need::Optional),
            field(
                "sven.skills",
                Slot::Removed("nest the sub-skills in folders below this one and drop the list".to_owned()),
                Need::Optional,
            ),
        ],
        limits: vec![],
        name_form: None,
        name_is_folder: false,
        version_is_semver: true,
        rules: vec![Code::VersionInvalid],
        key: KeyRule::RelativePath,
        ties: Ties::First,
        lookup: Lookup::Key,
        order: Order::Key,
        children: ChildRule::ByKey,
        tools: ToolsRule::Ignored,
        // sven, "System prompt injection"
        prompt: PromptRule {
            guidance: "## Skills\n\n\
                When you recognize that the current task matches one of the available skills\n\
                listed below, call the `load_skill` tool to load the full skill instructions\n\
                before proceeding. Judge by the `<description>` of each skill, and load none\n\
                that does not clearly apply."
                .to_owned(),
            open: "<available_skills>".to_owned(),
            row: Template::new(
                "  <skill>\n    <command>{key}</command>\n    <name>{name}</name>\n    \
                 <description>{description}</description>\n  </skill>",
            ),
            close: "</available_skills>".to_owned(),
            bare_row: Template::new("  <skill>\n    <command>{key}</command>\n    <name>{name}</name>\n  </skill>"),
            escape: Escape::Xml,
            space: Space::Keep,
            max_description: None,
            budget: Budget::Chars(30_000),
            fit: Fit::FirstFit,
            notice: Template::new("⚠ Skills truncated: showing {shown} of {total}."),
            layout: Template::new("{guidance}\n\n{list}{?notice}\n\n{notice}{/}"),
        },
        // sven, "On-demand loading: `LoadSkillTool`"; decisions 27, 28
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
            closing: "</skill_content>".to_owned(),
            escape: Escape::Xml,
            trim: Trim::End,
            file_path: FilePath::Absolute,
            file_row: Template::new("<file>{file}</file>"),
            resource_row: Template::new(""),
            more_files: Template::new("… and {count} more"),
            max_files: 20,
            child_row: Template::new("  <sub_skill command=\"{@key}\" name=\"{@name}\">{description}</sub_skill>"),
            already: Template::new("The skill `{key}` is loaded already; follow the instructions above."),
            substitution: None,
            fork: None,
        },
        tool: Some(ToolRule {
            name: "load_skill".to_owned(),
            description: "Load the full instructions of a skill by its command, with the files and sub-skills \
                that belong to it. Pass the `<command>` of a listed skill as `name`."
                .to_owned(),
            argument: "name".to_owned(),
            argument_help: "The command of the skill to load, as in \"sven\" or \"sven/plan\"".to_owned(),
            choices: Choices::Any,
            input: None,
            when_empty: WhenEmpty::Describe(
                "Load the full instructions of a skill by its command. No skills are currently available.".to_owned(),
            ),
            unknown: None,
        }),
        // sven, "TUI slash commands"; decisions 32
        slash: Some(SlashRule {
            naming: Naming::Sanitised,
            message: Template::new("{body}{?args}{?body}\n\n{/}Task: {args}{/}"),
            menu_chars: Some(100),
        }),
        // sven, "Relationship with the knowledge base"
        knowledge: Some(KnowledgeRule {
            dir: ".sven/knowledge".to_owned(),
            title_field: "subsystem".to_owned(),
            header: "Relevant knowledge docs (use search_knowledge or read_file to load):".to_owned(),
            row: Template::new("  - {file}{?title} ({title}){/}"),
        }),
        states: None,
        matching: None,
        activation: None,
    }
}

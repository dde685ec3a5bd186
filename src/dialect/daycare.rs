//! The dialect of document 004: five sources whose skills are all kept, ids by source, copies for use, the tool
//! `skill`, and a sandbox for skills that ask for one.

use super::*;
use crate::text::template::Template;

pub(super) fn daycare() -> Dialect {
    Dialect {
        name: "daycare".to_owned(),
        about: "daycare: skills of five sources by id, copied for use, some run in a sandbox".to_owned(),
        sources: sources(),
        scan: ScanRule { depth: None, root: RootSkill::Taken },
        bare: Bare::Skip,
        describe: Describe::AsWritten,
        // daycare, "SKILL.md format"
        fields: vec![
            field("name", Slot::Name, Need::Required),
            field("description", Slot::Description, Need::Required),
            field("sandbox", Slot::Sandbox, Need::Optional),
            field("permissions", Slot::Permissions, Need::Optional),
        ],
        limits: vec![Limit { slot: Slot::Name, max_chars: 64 }, Limit { slot: Slot::Description, max_chars: 1024 }],
        name_form: Some(NameForm::LowerHyphen),
        name_is_folder: true,
        version_is_semver: false,
        rules: vec![Code::NameInvalid, Code::NameMismatch, Code::TooLong],
        key: KeyRule::LabelledPath,
        ties: Ties::First,
        lookup: Lookup::NameOrPath,
        order: Order::NameThenPath,
        children: ChildRule::ByFolder,
        tools: ToolsRule::Ignored,
        prompt: prompt(),
        load: load(),
        // daycare, "Loading and unloading"
        tool: Some(ToolRule {
            name: "skill".to_owned(),
            description: "Use a skill: its instructions are returned for you to follow, or, where it is marked as a \
                sandbox, it is carried out on its own and the result is returned."
                .to_owned(),
            argument: "name".to_owned(),
            argument_help: "The `<name>` of a listed skill, or the path of its SKILL.md".to_owned(),
            choices: Choices::Filled,
            input: Some(("prompt".to_owned(), "What a sandbox skill is to do; others need none".to_owned())),
            unknown: None,
            when_empty: WhenEmpty::Describe("Use a skill. No skills are available at present.".to_owned()),
        }),
        slash: None,
        knowledge: None,
        states: None,
        matching: None,
        // daycare, "Skill ID prefixes"
        activation: Some(ActivationRule { dir: "skills/active".to_owned(), separator: "--".to_owned() }),
    }
}

/// daycare, "Where skills live". From low to high: a name is looked up in the reverse order (decisions 17).
fn sources() -> Vec<SourceRule> {
    vec![
        source(Base::Home, ".agents/skills", "agents", "user", Level::User),
        SourceRule { reading: Reading::Files, ..source(Base::Registered, "", "plugin", "plugin", Level::Plugin) },
        source(Base::User, "skills/personal", "user", "user", Level::User),
        SourceRule {
            otherwise: Some(".daycare/skills".to_owned()),
            ..source(Base::Config, "skills", "config", "project", Level::Project)
        },
        SourceRule {
            otherwise: Some("packages/daycare/sources/skills".to_owned()),
            ..source(Base::Bundled, "", "core", "bundled", Level::Bundled)
        },
    ]
}

/// daycare, "Where skills live": guidance, and the list apart.
fn prompt() -> PromptRule {
    PromptRule {
        guidance: "## Skills (mandatory)\n\n\
            Before you answer, hold the task against the `<description>` of every skill below.\n\n\
            - One fits: call `skill` with its `<name>`, and only then go on.\n\
            - Several fit: call `skill` once, with the one that is closest to the task.\n\
            - None fits: do not call `skill`.\n\n\
            A skill without `<sandbox>` answers with instructions, which you follow yourself. One with \
            `<sandbox>true</sandbox>` needs a `prompt` that says all there is to know about the task; it works on \
            its own and answers with the result."
            .to_owned(),
        open: "<available_skills>".to_owned(),
        row: Template::new(
            "  <skill>\n    <name>{label}</name>\n{?description}    <description>{description}</description>\n{/}    \
             <source>{source}</source>\n{?sandbox}    <sandbox>{sandbox}</sandbox>\n{/}  </skill>",
        ),
        close: "</available_skills>".to_owned(),
        bare_row: Template::new(
            "  <skill>\n    <name>{label}</name>\n    <source>{source}</source>\n{?sandbox}    \
             <sandbox>{sandbox}</sandbox>\n{/}  </skill>",
        ),
        escape: Escape::XmlAll,
        space: Space::Keep,
        max_description: None,
        budget: Budget::Unlimited,
        fit: Fit::FirstFit,
        notice: Template::new("{shown} of {total} skills are listed; the others did not fit."),
        layout: Template::new("{guidance}\n\n{list}{?notice}\n\n{notice}{/}"),
    }
}

/// daycare, the two modes of execution: embedded and forked.
fn load() -> LoadRule {
    LoadRule {
        frame: Template::new(
            "{?inline}Skill loaded (embedded). Follow the instructions below:\n\n---\n\n{/}\
             {?fork}Follow the skill instructions and complete the task.\n\n## Skill\n{/}\
             Base directory for this skill: {dir}\n\
             Skill name: {name}\
             {?body}\n\n{body}{/}\
             {?fork}\n\n## Task\n{args}{/}",
        ),
        closing: String::new(),
        escape: Escape::Plain,
        trim: Trim::Both,
        file_path: FilePath::Relative,
        file_row: Template::new(""),
        resource_row: Template::new(""),
        more_files: Template::new(""),
        max_files: 0,
        child_row: Template::new(""),
        already: Template::new("The skill `{name}` is loaded already; follow the instructions above."),
        substitution: None,
        // decisions 34
        fork: Some(ForkRule {
            when: ForkWhen::Sandbox,
            agent: Some("subagent".to_owned()),
            task: Template::new("{text}"),
            needs_prompt: true,
            label: Template::new("{name} Skill"),
        }),
    }
}

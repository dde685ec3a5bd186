//! The dialect `daycare`: five sources whose skills are all kept, ids by source, copies for use, the tool
//! `skill`, and a sandbox for skills that ask for one.

use super::rows::*;
use crate::dialect::*;

pub(in crate::dialect) const fn daycare() -> Dialect {
    Dialect {
        name: text("daycare"),
        about: text("daycare: skills of five sources by id, copied for use, some run in a sandbox"),
        sources: sources(),
        scan: scan(None, Permitted::Yes, rows(&[])),
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
                    field("sandbox", FieldRole::Sandbox, Necessity::Optional),
                    field("permissions", FieldRole::Permissions, Necessity::Optional),
                ]
            },
        ),
        limits: rows(const { &[limit(FieldRole::Name, 64), limit(FieldRole::Description, 1024)] }),
        name_form: Some(NameForm::LowerAsciiWords),
        rule_codes: rows(&[Code::NameInvalid, Code::NameMismatch, Code::TooLong]),
        name_dashes: text(""),
        key: KeyRule { of: KeyPart::Path, prefix: Some(KeyPrefix::Label) },
        tie_break: TieBreak::First,
        equal_keys: EqualKeys::Shadow,
        lookup: Lookup::NameOrPath,
        order: Order::NameThenPath,
        children: ChildRule::ByFolder,
        allowed_tools: ToolsRule::Ignored,
        prompt: prompt(),
        load: load(),
        reattach: REATTACH,
        // Rule 15.1
        tool: Some(ToolRule {
            view: CALL_VIEW,
            schema_alias: None,
            name: text("skill"),
            description: text(
                "Use a skill. Returns its instructions for you to follow or, for a skill that is marked as a \
                    sandbox, runs it separately and returns its result.",
            ),
            argument: text("name"),
            argument_help: text("The `<name>` of a listed skill, or the path of its SKILL.md"),
            choices: Choices::Filled,
            input: Some((text("prompt"), text("The task for a sandbox skill; other skills do not need it"))),
            unknown: None,
            when_empty: Some(text("Use a skill. No skills are currently available.")),
        }),
        commands: None,
        knowledge: None,
        states: None,
        selection: None,
        // Rules 20.1 and 20.6
        managed_folders: rows(&[]),
        settings: None,
        sidecar: None,
        plugin_manifests: rows(&[]),
        basis: rows(&[]),
        not_modelled: rows(&[]),
        activation: Some(ActivationRule { dir: text("skills/active"), separator: text("--") }),
    }
}

/// Rule 2.6. From low to high: a name is looked up in the reverse order (rule 7.10).
const fn sources() -> Cow<'static, [SourceRule]> {
    rows(
        const {
            &[
                source(Base::Home, ".agents/skills", "agents", "user", Origin::User),
                source(Base::Registered, "", "plugin", "plugin", Origin::Plugin),
                source(Base::User, "skills/personal", "user", "user", Origin::User),
                SourceRule {
                    base: Base::Config,
                    path: text("skills"),
                    project_fallback: Some(text(".daycare/skills")),
                    kind: SourceKind::Folders,
                    label: text("config"),
                    scope: text("project"),
                    origin: Origin::Project,
                    reach: Reach::Base,
                    hidden: None,
                    linked_folders: LinkedFolders::Followed,
                },
                bundled("core", "packages/daycare/sources/skills"),
            ]
        },
    )
}

/// Rule 11.8: guidance, and the list apart.
const fn prompt() -> PromptRule {
    PromptRule {
        guidance: text(
            "## Skills (mandatory)\n\n\
            Before you answer, compare the task with the `<description>` of every skill below.\n\n\
            - If one matches, call `skill` with its `<name>` before you continue.\n\
            - If several match, call `skill` once, with the closest match.\n\
            - If none matches, do not call `skill`.\n\n\
            A skill without `<sandbox>` returns instructions for you to follow. A skill with \
                `<sandbox>true</sandbox>` needs a `prompt` that describes the task completely; it runs separately \
                and returns its result.",
        ),
        open: text("<available_skills>"),
        row: Template::new(
            "  <skill>\n    <name>{label}</name>\n{?description}    <description>{description}</description>\n{/}    \
             <source>{source}</source>\n{?sandbox}    <sandbox>{sandbox}</sandbox>\n{/}  </skill>",
        ),
        close: text("</available_skills>"),
        name_row: Template::new(
            "  <skill>\n    <name>{label}</name>\n    <source>{source}</source>\n{?sandbox}    \
             <sandbox>{sandbox}</sandbox>\n{/}  </skill>",
        ),
        short_row: Template::new(""),
        alias_row: Template::new(""),
        escape: Escape::XmlAll,
        whitespace: Whitespace::Keep,
        max_description: None,
        cut_mark: text("…"),
        order: None,
        empty: text(""),
        budget: Budget::Unlimited,
        overflow: Overflow::FirstFit,
        notice: Template::new("{shown} of {total} skills are listed; the others did not fit."),
        layout: Template::new("{guidance}\n\n{list}{?notice}\n\n{notice}{/}"),
        metadata: None,
    }
}

/// Rule 12.5: embedded and forked.
const fn load() -> LoadRule {
    LoadRule {
        frame: Template::new(
            "{?inline}Skill loaded (embedded). Follow the instructions below:\n\n---\n\n{/}\
             {?fork}Follow the skill instructions and complete the task.\n\n## Skill\n{/}\
             Base directory for this skill: {dir}\n\
             Skill name: {name}\
             {?body}\n\n{body}{/}\
             {?fork}\n\n## Task\n{args}{/}",
        ),
        closing_tag: text(""),
        escape: Escape::Plain,
        trim: Trim::Both,
        unlisted_folders: rows(&[]),
        file_row: Template::new(""),
        more_files: Template::new(""),
        max_files: 0,
        file_frame: Template::new(""),
        file_unknown: Template::new(""),
        child_row: Template::new(""),
        already_loaded: Template::new("The skill `{name}` is already loaded; follow the instructions above."),
        repeated: RepeatedLoad::Whole,
        substitution: None,
        // Rule 16.4
        fork: Some(ForkRule {
            agent: Some(text("subagent")),
            task: Template::new("{text}"),
            label: Template::new("{name} Skill"),
            answer: ForkAnswer::Output,
            prompt_missing: Template::new("Skill \"{key}\" requires prompt in sandbox mode."),
            permission_not_held: PERMISSION_NOT_HELD,
        }),
    }
}

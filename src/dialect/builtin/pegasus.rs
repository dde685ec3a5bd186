//! The dialect `pegasus`: two roots at one level, arguments filled into the body, inline or fork, and a
//! list within a share of the context window.

use super::rows::*;
use crate::dialect::*;

/// The registry's verbs are `discover` (register many), `Catalog::find` (get), `prompt` (the metadata), `load`
/// with arguments (load the body) and `commands` (list those that a user may invoke).
///
/// ```
/// use skilltree::{Caller, FsPath, LoadRequest, MemFs, Places, PromptRequest, World};
///
/// let mut fs = MemFs::new();
/// fs.file("/p/skills/tea/SKILL.md", "---\ndescription: Makes tea.\n---\nBoil $ARGUMENTS.\n");
/// fs.file("/p/data/skills/tea/SKILL.md", "---\ndescription: My tea.\n---\nBrew $0, then $ARGUMENTS.\n");
/// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
/// let world = World::new(&fs, &places, &());
///
/// let catalog = skilltree::discover(&world, &skilltree::dialect("pegasus").unwrap());
/// let tea = catalog.find("tea", Caller::User)?; // the user's beats the built-in one
/// let list = skilltree::prompt(&world, &catalog, &PromptRequest::default());
/// assert!(list.text.starts_with("Available skills:\n- tea: My tea.\n"));
/// let ask = LoadRequest { args: "green black".to_owned(), ..LoadRequest::new(Caller::User) };
/// assert_eq!(skilltree::load(&world, &catalog, tea, &ask)?.body, "Brew green, then green black.");
/// assert_eq!(skilltree::commands(&catalog, &[]).all()[0].name, "tea");
/// # Ok::<(), skilltree::Error>(())
/// ```
pub(in crate::dialect) const fn pegasus() -> Dialect {
    Dialect {
        name: text("pegasus"),
        about: text("pegasus: skills that take arguments and run inline or as a task of their own"),
        // Rule 2.4
        sources: rows(
            const { &[bundled("builtin", "skills"), source(Base::Project, "data/skills", "user", "user", Origin::Project)] },
        ),
        scan: scan(Some(1), Permitted::No, rows(&[])),
        // Rule 4.1
        max_bytes: None,
        missing_frontmatter: MissingFrontmatter::Load,
        reading: Reading::Repaired,
        header: YAML_HEADER,
        description_fallback: DescriptionFallback::FirstParagraph,
        undescribed: Permitted::Yes,
        // Rule 6.10
        fields: rows(
            const {
                &[
                    field("name", FieldRole::Name, Necessity::Optional),
                    field("description", FieldRole::Description, Necessity::Optional),
                    field("disable-model-invocation", FieldRole::NotForModel, Necessity::Optional),
                    field("user-invocable", FieldRole::ForUser, Necessity::Optional),
                    field("allowed-tools", FieldRole::AllowedTools, Necessity::Optional),
                    field_or("context", FieldRole::Context, "inline"),
                    field_or("agent", FieldRole::Agent, "general"),
                    field_or("model", FieldRole::Model, "default"),
                    field("argument-hint", FieldRole::ArgumentHint, Necessity::Optional),
                ]
            },
        ),
        limits: rows(const { &[limit(FieldRole::Name, 64)] }),
        name_form: Some(NameForm::LowerAsciiHyphen),
        rule_codes: rows(&[Code::NameInvalid, Code::TooLong]),
        name_dashes: text(""),
        key: KeyRule { of: KeyPart::Name, prefix: None },
        tie_break: TieBreak::Last,
        equal_keys: EqualKeys::Shadow,
        lookup: Lookup::Key,
        order: Order::SourceThenName,
        children: ChildRule::ByFolder,
        allowed_tools: ToolsRule::Restricts,
        // Rule 11.8
        prompt: PromptRule {
            guidance: text("Use the use_skill tool to invoke a skill when relevant."),
            open: text("Available skills:"),
            row: Template::new("- {key}{?description}: {description}{/}"),
            close: text(""),
            name_row: Template::new("- {key}"),
            short_row: Template::new(""),
            alias_row: Template::new(""),
            escape: Escape::Plain,
            whitespace: Whitespace::Fold,
            max_description: None,
            cut_mark: text("…"),
            order: None,
            empty: text(""),
            budget: Budget::Window { percent: 2, fallback_chars: 16_000 },
            overflow: Overflow::EachFit,
            notice: Template::new(""),
            layout: Template::new("{list}\n\n{guidance}"),
            metadata: None,
        },
        // Rule 12.5
        load: LoadRule {
            frame: Template::new("{body}"),
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
            repeated: RepeatedLoad::Whole,
            // Rule 13.2
            substitution: Some(Substitution {
                append: AppendArguments::UnlessBare,
                appended: Template::new("\n\nARGUMENTS: {args}"),
                first_number: 0,
                last_place: LastPlace::Word,
                missing: MissingArgument::AsWritten,
                without_arguments: Permitted::Yes,
                named_arguments: Permitted::No,
                words: ArgumentWords::Shell,
                unclosed_quote: None,
                variables: rows(&[]),
                commands: None,
            }),
            // Rule 16.4
            fork: Some(ForkRule {
                agent: Some(text("general")),
                task: Template::new("{text}"),
                label: Template::new("{name} Skill"),
                answer: ForkAnswer::Spawned,
                prompt_missing: Template::new(""),
                permission_not_held: PERMISSION_NOT_HELD,
            }),
        },
        reattach: REATTACH,
        // Rule 15.1
        tool: Some(ToolRule {
            view: CALL_VIEW,
            schema_alias: None,
            name: text("use_skill"),
            description: text("Invoke a skill by name. Use when a task matches an available skill."),
            argument: text("skill"),
            argument_help: text("Skill name"),
            choices: Choices::Any,
            input: Some((text("args"), text("Arguments to pass to the skill"))),
            when_empty: Some(text("Invoke a skill by name. Use when a task matches an available skill.")),
            unknown: Some(Template::new("Skill \"{asked}\" not found")),
        }),
        // Rule 14.6
        commands: Some(CommandsRule {
            naming: CommandNaming::KeyOrSanitised,
            letter_case: LetterCase::Exact,
            // Rule 14.2
            reserved: rows(const { &[text("help"), text("exit"), text("clear")] }),
            message: Template::new("[Skill: {name}]\n\n{text}"),
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

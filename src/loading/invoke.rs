//! Decides what a line typed by the user does: [`invoke`] returns an [`Invocation`], with the message to send, the task for
//! another agent, or the commands to run first. A line that is not a command, or whose skill the user may not invoke, is an
//! ordinary message (rule 14.1). Nothing is sent or run.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{CommandsRule, Dialect, FieldRole, ForkAnswer, ForkRule, ShellRule, Substitution, Variable};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::fs::Fs;
use crate::loading::load::{LoadRequest, Loaded, fork_rule, load_found, not_granted, shown_name};
use crate::loading::substitute::{find_commands, words_of};
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill};
use crate::offer::commands::Commands;
use crate::offer::fill::{between, fill_unescaped};
use crate::package::body;
#[cfg(feature = "digest")]
use crate::package::trust::approved;
use crate::package::trust::{ExpectedContents, SharedAnswer, Trusted};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::escape::{angles, visible};
use crate::text::json::{Fields, Json};
use crate::text::template::Template;
use std::iter;
use std::sync::Arc;

/// What the host has to do for an invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invocation {
    /// Send a message in the current conversation.
    Inline(Message),
    /// Give a task to a separate agent, without the history of the conversation.
    Fork(Fork),
    /// Run commands first. [`Pending::resume`] takes their output.
    Pending(Pending),
}

impl Invocation {
    /// The key of the skill.
    pub fn key(&self) -> &str {
        match self {
            Invocation::Inline(message) => &message.key,
            Invocation::Fork(fork) => &fork.key,
            Invocation::Pending(pending) => &pending.key,
        }
    }

    /// The key of the skill, and the findings, whose help a host may extend.
    pub fn findings_mut(&mut self) -> (&str, &mut [Diagnostic]) {
        let mut invocation = self;
        loop {
            match invocation {
                Invocation::Inline(message) => return (&message.key, &mut message.findings),
                Invocation::Fork(fork) => return (&fork.key, &mut fork.findings),
                Invocation::Pending(pending) => invocation = &mut pending.then,
            }
        }
    }

    /// Adds to a message what another command of the same line gives.
    ///
    /// # Errors
    /// [`Error::SkillGone`] if one of them is no message any more, as its file has changed since it was looked at.
    pub(crate) fn add(&mut self, other: Invocation) -> Result<(), Error> {
        let changed = match (self, other) {
            (Invocation::Inline(message), Invocation::Inline(other)) => {
                message.add(other);
                return Ok(());
            }
            (Invocation::Inline(_), other) => visible(other.key()).into_owned(),
            (changed, _) => visible(changed.key()).into_owned(),
        };
        let reason = "its file was changed while it was read; type the command again".to_owned();
        Err(Error::SkillGone { key: changed, reason })
    }

    /// The digest of the contents that something was granted for, if the host trusts exactly these.
    #[cfg(feature = "digest")]
    pub(crate) fn approved(&self) -> Option<Digest> {
        match self {
            Invocation::Inline(message) => message.approved,
            Invocation::Fork(fork) => approved(&fork.trust),
            Invocation::Pending(pending) => approved(&pending.trust),
        }
    }
}

/// A message to send.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The skill's key.
    pub key: String,
    /// The keys of the skills whose commands were typed after it on the same line and are carried out with it, in order.
    /// The text then contains theirs too, the tools are those of all, and everything else is the first skill's.
    pub also: Vec<String>,
    /// The text to send.
    pub text: String,
    /// The tools that the skill grants, or restricts to, as the dialect has it; `None` if it names none or the dialect
    /// ignores the field.
    pub tools: Option<Vec<String>>,
    /// The model to use; `None` for the current one.
    pub model: Option<String>,
    /// The tools that must not be used, if the skill names any.
    pub disallowed_tools: Option<Vec<String>>,
    /// The reasoning effort of the model, if the skill sets it.
    pub effort: Option<String>,
    /// The folder that relative paths in the text start from.
    pub dir: FsPath,
    /// The findings from loading the skill.
    pub findings: Vec<Diagnostic>,
    /// Whether the text is the note that the skill is loaded already.
    pub is_already_loaded: bool,
    /// The digest of the contents that the tools were granted for.
    approved: Option<Digest>,
}

impl Message {
    pub(crate) fn of_file(mut loaded: Loaded) -> Message {
        let text = std::mem::take(&mut loaded.text);
        Message::new(loaded, text)
    }

    fn new(loaded: Loaded, text: String) -> Message {
        let Loaded { key, tools, dir, findings, frontmatter, .. } = loaded;
        let run = frontmatter.run();
        Message {
            key,
            also: Vec::new(),
            text,
            tools,
            model: run.model.clone(),
            disallowed_tools: run.disallowed_tools.clone(),
            effort: run.effort.clone(),
            dir,
            findings,
            is_already_loaded: false,
            approved: None,
        }
    }

    fn add(&mut self, other: Message) {
        self.text.push_str(if self.text.is_empty() || other.text.is_empty() { "" } else { "\n\n" });
        self.text.push_str(&other.text);
        join(&mut self.tools, other.tools);
        join(&mut self.disallowed_tools, other.disallowed_tools);
        self.findings.extend(other.findings);
        self.also.push(other.key);
    }
}

/// Adds the names that are not in the list yet.
fn join(names: &mut Option<Vec<String>>, others: Option<Vec<String>>) {
    let Some(others) = others else { return };
    let names = names.get_or_insert_default();
    for name in others {
        if !names.contains(&name) {
            names.push(name);
        }
    }
}

/// A task for a separate agent, which does not get the history of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fork {
    /// The skill's key.
    pub key: String,
    /// The task.
    pub text: String,
    /// The kind of agent.
    pub agent: Option<String>,
    /// The model to use: that of the skill, or the default of the dialect. `None` for the current one.
    pub model: Option<String>,
    /// The tools that the agent may use; `None` if the skill names none or the dialect ignores the field.
    pub tools: Option<Vec<String>>,
    /// The permissions that the skill requests for the agent, as tags. The caller holds all of them.
    pub permissions: Vec<String>,
    /// The label of the granted permissions.
    pub granted_by: String,
    /// The tools that the agent must not use, if the skill names any.
    pub disallowed_tools: Option<Vec<String>>,
    /// The reasoning effort of the model, if the skill sets it.
    pub effort: Option<String>,
    /// Whether the conversation continues meanwhile, if the skill sets it.
    pub background: Option<bool>,
    /// The folder that relative paths in the text start from.
    pub dir: FsPath,
    /// What the load tool answers to a call that starts the task.
    pub(crate) answer: ForkAnswer,
    /// The findings from loading the skill.
    pub findings: Vec<Diagnostic>,
    trust: SharedAnswer,
}

impl Fork {
    /// Checks that the task may be given to an agent, which acts on it on the user's machine.
    ///
    /// # Errors
    /// Returns the errors of [`Pending::trusted`](crate::Pending::trusted).
    pub fn trusted(&self) -> Result<(), &Error> {
        self.trust.as_ref().map(|_| ()).map_err(AsRef::as_ref)
    }

    /// The permissions that the agent gets: those that the skill requests if it is trusted, otherwise none.
    pub fn granted(&self) -> &[String] {
        if self.trust.is_ok() { &self.permissions } else { &[] }
    }

    /// A name for the task before a host has started it and named it itself: made of the text, so that the same task has the
    /// same name.
    #[cfg(feature = "digest")]
    pub fn task_id(&self) -> String {
        let digest = Digest::of(format!("{}\n{}", self.key, self.text).as_bytes()).to_string();
        let hex = digest.rsplit(':').next().unwrap_or_default();
        format!("task-{}", hex.get(..16).unwrap_or(hex))
    }

    /// The terms of the task as JSON: the kind of agent, its model, tools and permissions, and who has granted them.
    pub fn terms(&self, fs: &dyn Fs) -> Json {
        let mut fields = Fields::default();
        fields.text("key", &self.key);
        self.add_terms(fs, &mut fields);
        fields.done()
    }

    pub(crate) fn add_terms(&self, fs: &dyn Fs, fields: &mut Fields) {
        fields
            .known("agent", self.agent.as_deref())
            .known("model", self.model.as_deref())
            .known_texts("tools", self.tools.as_deref())
            .texts("permissions", self.granted())
            .text("granted_by", &self.granted_by)
            .text("dir", &fs.display(&self.dir))
            .some_texts("disallowed_tools", self.disallowed_tools.as_deref())
            .some_text("effort", self.effort.as_deref())
            .some("background", self.background.map(Json::Bool));
    }

    fn new(
        world: &World<'_>,
        (dialect, rule): (&Dialect, &ForkRule),
        skill: &Skill,
        (mut loaded, text): (Loaded, String),
        trust: &mut Trusted,
    ) -> Fork {
        let mut granted_by = String::new();
        fill_unescaped(&rule.label, &[("name", &shown_name(skill.name.clone()))], &mut granted_by);
        let run = loaded.frontmatter.run();
        let trust = trust.ask(world, skill).clone();
        if let Some(refused) = trust.as_ref().err().filter(|_| !run.permissions.is_empty()) {
            let finding = not_granted(skill, "an agent that runs this is not given", &run.permissions, refused);
            let help = "read the skill, and approve it if you would give an agent these permissions";
            loaded.findings.push(finding.help(help));
        }
        Fork {
            key: loaded.key,
            text,
            agent: run.agent.clone().or_else(|| rule.agent.as_deref().map(str::to_owned)),
            model: run.model.as_deref().or(dialect.default_of(&FieldRole::Model)).map(str::to_owned),
            tools: loaded.tools,
            permissions: run.permissions.clone(),
            granted_by,
            disallowed_tools: run.disallowed_tools.clone(),
            effort: run.effort.clone(),
            background: run.background,
            dir: loaded.dir,
            answer: rule.answer,
            findings: loaded.findings,
            trust,
        }
    }
}

/// Commands in the body of a skill, whose output is inserted before the text is sent. The host runs them or refuses.
///
/// Arguments are not inserted into the commands, as an argument could change the command. A host runs
/// `sh -c COMMAND WORD…` with `variables` in the environment, which gives `$0`, `$ARGUMENTS` and the variables their values
/// safely. If there are no words, it passes an empty one, as `$0` would otherwise be the name of the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pending {
    /// The skill's key.
    pub key: String,
    /// The commands, as written, in order.
    pub commands: Vec<String>,
    /// The arguments, split into words.
    pub words: Vec<String>,
    /// The variables of the commands: the named arguments, those of the dialect, and `ARGUMENTS` (all arguments). If a name
    /// occurs twice, the last value counts.
    pub variables: Vec<(String, String)>,
    /// The environment variables that the skill requires. If it is trusted, its commands may read them.
    pub requires_env: Vec<String>,
    /// The shell, if the skill names one.
    pub shell: Option<String>,
    /// The variables whose value is the skill's folder.
    pub folder_variables: Vec<String>,
    /// The dialect's rules for running commands and using their output.
    pub(crate) rule: ShellRule,
    /// The SKILL.md.
    pub(crate) path: FsPath,
    pub(crate) ask: LoadRequest,
    trust: SharedAnswer,
    pieces: Vec<String>,
    /// What to do after the commands, with a text that does not contain their output yet.
    then: Box<Invocation>,
}

impl Pending {
    /// The contents that the skill's folder must have when the commands are run; `None` if the skill is trusted whatever it
    /// contains.
    ///
    /// # Errors
    /// Returns [`Error::Untrusted`] if the host does not trust the skill, [`Error::ApprovalVoid`] if the skill has changed since it
    /// was approved, and [`Error::CopyDiffers`] if the copy of the skill is not equal to its source.
    pub fn trusted(&self) -> Result<Option<&ExpectedContents>, &Error> {
        self.trust.as_ref().map(Option::as_ref).map_err(AsRef::as_ref)
    }

    /// The text before, between and after the commands: one piece more than there are commands.
    pub fn pieces(&self) -> &[String] {
        &self.pieces
    }

    /// What to do after the commands. Its text contains the commands as written.
    pub fn next(&self) -> &Invocation {
        &self.then
    }

    /// Inserts the outputs of the commands, in order, and returns what to do next. A missing output counts as empty.
    /// Placeholders in the outputs are not replaced.
    pub fn resume(self, outputs: &[String]) -> Invocation {
        let mut text = String::new();
        for (n, piece) in self.pieces.iter().enumerate() {
            text.push_str(piece);
            text.push_str(outputs.get(n).filter(|_| n < self.commands.len()).map_or("", String::as_str));
        }
        let mut then = *self.then;
        match &mut then {
            Invocation::Inline(message) => message.text = text,
            Invocation::Fork(fork) => fork.text = text,
            Invocation::Pending(_) => {}
        }
        then
    }
}

/// Splits a line into the name of a command and its trimmed arguments. Returns `None` if it is not a command.
fn split_command(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('/')?;
    let (name, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (!name.is_empty()).then(|| (name, args.trim()))
}

/// Decides what a typed line does. Returns `None` if it is an ordinary message.
///
/// ```
/// use skilltree::{FsPath, Invocation, MemFs, Places, World, commands, dialect, discover, invoke};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\ndescription: Makes tea.\n---\nBoil water.\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("sven").unwrap());
/// let commands = commands(&catalog, &[]);
/// let Some(Invocation::Inline(message)) = invoke(&world, &catalog, &commands, "/tea green").unwrap() else { panic!() };
/// assert_eq!(message.text, "Boil water.\n\nTask: green");
/// assert!(invoke(&world, &catalog, &commands, "just text").unwrap().is_none());
/// ```
///
/// # Errors
/// Returns [`Error::Ambiguous`] for a short name that several skills have, and the errors of [`load`](crate::load()).
pub fn invoke(
    world: &World<'_>,
    catalog: &Catalog,
    commands: &Commands,
    line: &str,
) -> Result<Option<Invocation>, Error> {
    let Some(chosen) = chosen(world, catalog, commands, line)? else { return Ok(None) };
    let mut invocation = decide(world, catalog, chosen.skill, &chosen.ask, &chosen.how)?;
    for other in chosen.others {
        invocation.add(decide(world, catalog, other, &chosen.ask, &chosen.how)?)?;
    }
    Ok(Some(invocation))
}

pub(crate) struct Chosen<'c> {
    pub(crate) skill: &'c Skill,
    /// Those whose commands follow, and are carried out with it.
    pub(crate) others: Vec<&'c Skill>,
    pub(crate) ask: LoadRequest,
    pub(crate) how: Wording<'c>,
}

/// Which skills a typed line invokes. `None` for an ordinary message.
pub(crate) fn chosen<'c>(
    world: &World<'_>,
    catalog: &'c Catalog,
    commands: &Commands,
    line: &str,
) -> Result<Option<Chosen<'c>>, Error> {
    let Some(rule) = &catalog.dialect().commands else { return Ok(None) };
    let Some((name, args)) = split_command(line) else { return Ok(None) };
    let Some(command) = commands.find(name) else {
        // A name that may mean two skills is not an ordinary message either (rule 14.5).
        return match commands.unclear(name) {
            [] => Ok(None),
            keys => Err(Error::Ambiguous { asked: visible(name).into_owned(), candidates: keys.to_vec() }),
        };
    };
    let Ok(skill) = catalog.find(&command.key, Caller::User) else { return Ok(None) };
    let how = Wording::of_commands(catalog, rule);
    // The commands of others may follow, and are carried out together with it (rule 14.8). A word that is no such command is
    // the first word of the arguments of all.
    let (mut others, mut rest) = (Vec::new(), args);
    while others.len() < rule.stacked.saturating_sub(1) {
        let Some((name, after)) = split_command(rest) else { break };
        let command = commands.find(name);
        let Some(other) = command.and_then(|command| catalog.find(&command.key, Caller::User).ok()) else { break };
        // The first one is read only if another one follows.
        if others.is_empty() && !is_plain_message(world, catalog, skill, &how)?
            || !is_plain_message(world, catalog, other, &how)?
        {
            break;
        }
        others.push(other);
        rest = after;
    }
    let ask = LoadRequest { args: rest.to_owned(), ..LoadRequest::new(Caller::User) };
    Ok(Some(Chosen { skill, others, ask, how }))
}

/// Whether the command of a skill gives a message without anything to be run first.
fn is_plain_message(world: &World<'_>, catalog: &Catalog, skill: &Skill, how: &Wording<'_>) -> Result<bool, Error> {
    let body = body::read(catalog, world, skill)?;
    let may_run = how.substitution.is_some_and(|rule| rule.commands.is_some());
    let is_pending = may_run && !find_commands(&body.text).is_empty();
    Ok(fork_rule(&catalog.dialect().load, &body.frontmatter).is_none() && !is_pending)
}

pub(crate) struct Wording<'d> {
    /// The message of a skill that is not a fork.
    pub(crate) message: &'d Template,
    pub(crate) substitution: Option<&'d Substitution>,
}

/// The message of the load tool: what is loaded.
static LOADED_TEXT: Template = Template::new("{text}");

impl<'d> Wording<'d> {
    pub(crate) fn of_tool(catalog: &'d Catalog) -> Wording<'d> {
        Wording { message: &LOADED_TEXT, substitution: catalog.dialect().load.substitution.as_ref() }
    }

    pub(crate) fn of_commands(catalog: &'d Catalog, rule: &'d CommandsRule) -> Wording<'d> {
        let substitution = rule.substitution.as_ref().or(catalog.dialect().load.substitution.as_ref());
        Wording { message: &rule.message, substitution }
    }
}

pub(crate) fn decide(
    world: &World<'_>,
    catalog: &Catalog,
    skill: &Skill,
    ask: &LoadRequest,
    how: &Wording<'_>,
) -> Result<Invocation, Error> {
    let Written { mut loaded, text, body_at } = written(world, catalog, skill, ask, how)?;
    // The result itself says that commands are pending.
    loaded.findings.retain(|finding| finding.code != Code::CommandsPending);
    let Some(mut trust) = loaded.trust.take() else {
        debug_assert!(false, "only a skill that is loaded already is not read");
        return Err(Error::SkillGone { key: visible(&skill.key).into_owned(), reason: "it was not read".to_owned() });
    };
    let frontmatter = Arc::clone(&loaded.frontmatter);
    let (embedded, of_dialect) = (std::mem::take(&mut loaded.commands), std::mem::take(&mut loaded.variables));
    let pieces = body_at.filter(|_| !embedded.is_empty()).map(|start| {
        let ranges = embedded.iter().map(|command| start + command.at.start..start + command.at.end);
        between(&text, ranges).into_iter().map(str::to_owned).collect()
    });
    let then = match fork_rule(&catalog.dialect().load, &frontmatter) {
        None => Invocation::Inline(Message { approved: trust.approved(), ..Message::new(loaded, text) }),
        Some(rule) => Invocation::Fork(Fork::new(world, (catalog.dialect(), rule), skill, (loaded, text), &mut trust)),
    };
    let (Some(pieces), Some(substitution)) = (pieces, how.substitution) else { return Ok(then) };
    let Some(rule) = substitution.commands.clone() else { return Ok(then) };
    let run = frontmatter.run();
    let words = words_of(substitution.words, &ask.args).words;
    // An argument that is not given is empty.
    let values = words.iter().cloned().chain(iter::repeat(String::new()));
    let mut variables: Vec<_> = run.arguments.iter().cloned().zip(values).collect();
    // A variable of the dialect takes precedence over an argument of the same name.
    variables.extend(of_dialect);
    variables.push(("ARGUMENTS".to_owned(), ask.args.clone()));
    let of_folder = substitution.variables.iter().filter(|variable| variable.is == Variable::SkillDir);
    Ok(Invocation::Pending(Pending {
        key: skill.key.clone(),
        path: skill.path.clone(),
        ask: ask.clone(),
        commands: embedded.into_iter().map(|embedded| embedded.command).collect(),
        words,
        variables,
        requires_env: frontmatter.environment_variables(),
        shell: run.shell.clone(),
        folder_variables: of_folder.map(|variable| variable.name.to_string()).collect(),
        rule,
        trust: trust.ask(world, skill).clone(),
        pieces,
        then: Box::new(then),
    }))
}

pub(crate) struct Written {
    pub(crate) loaded: Loaded,
    pub(crate) text: String,
    /// The byte at which the body begins in the text, if the text contains the body.
    pub(crate) body_at: Option<usize>,
}

pub(crate) fn written(
    world: &World<'_>,
    catalog: &Catalog,
    skill: &Skill,
    ask: &LoadRequest,
    how: &Wording<'_>,
) -> Result<Written, Error> {
    let loaded = load_found(world, catalog, skill, ask, how.substitution)?;
    let fork = fork_rule(&catalog.dialect().load, &loaded.frontmatter);
    let template = fork.map_or(how.message, |rule| &rule.task);
    // The name of a folder may contain newlines, which must not add lines to the message.
    let (key, name) = (visible(&skill.key), shown_name(skill.name.clone()));
    // Appended arguments may have another place in the message.
    let is_apart = template.placeholders().any(|hole| hole == "appended");
    let (own, appended) = loaded.body.split_at_checked(loaded.appended_at).unwrap_or((&loaded.body, ""));
    let mut text = String::new();
    let mut body_at = None;
    template.render_with_offsets(
        &|hole| {
            Some(match hole {
                "text" => loaded.text.as_str().into(),
                "body" if is_apart => own.into(),
                "body" => loaded.body.as_str().into(),
                "appended" => appended.into(),
                "args" | "prompt" => ask.args.trim().into(),
                // These must not be able to close a frame (rule 12.6).
                "dir" => angles(&loaded.shown_dir),
                "path" => angles(&loaded.shown_path),
                "key" => angles(&key),
                "name" => angles(&name),
                _ => return None,
            })
        },
        &mut text,
        &mut |hole, at| match hole {
            "text" => body_at = loaded.body_at.map(|inside| at + inside),
            "body" => body_at = Some(at),
            _ => {}
        },
    );
    Ok(Written { loaded, text, body_at })
}

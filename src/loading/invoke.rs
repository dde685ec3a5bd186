//! Decides what a line typed by the user does: [`invoke`] returns an [`Invocation`], with the message to send, the task for
//! another agent, or the commands to run first. A line that is not a command, or whose skill the user may not invoke, is an
//! ordinary message (rule 14.1). Nothing is sent or run.

mod fork;
mod pending;
pub(crate) mod stacked;

pub use fork::Fork;
pub use pending::Pending;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{ArgumentWords, CommandsRule, Substitution};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::loading::load::{LoadRequest, Loaded, folder_variables, fork_rule, load_found, shown_name};
use crate::loading::substitute::{Words, words_of};
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill};
use crate::offer::commands::Commands;
use crate::package::trust::Trusted;
#[cfg(feature = "digest")]
use crate::package::trust::approved;
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::escape::visible;
use crate::text::template::Template;
use std::borrow::Cow;

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
    /// The tools that may be used while the skill is in use; `None` if the skill does not name any.
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
    /// The message with one file of a skill.
    pub(crate) fn of_file(mut loaded: Loaded) -> Message {
        let text = std::mem::take(&mut loaded.text);
        Message::new(loaded, text)
    }

    fn new(loaded: Loaded, text: String) -> Message {
        let Loaded { key, tools, dir, findings, frontmatter, .. } = loaded;
        let (model, effort) = (frontmatter.run().model.clone(), frontmatter.run().effort.clone());
        Message {
            key,
            also: Vec::new(),
            text,
            tools,
            model,
            disallowed_tools: frontmatter.run().disallowed_tools.clone(),
            effort,
            dir,
            findings,
            is_already_loaded: false,
            approved: None,
        }
    }

    /// The message, with what the host has said about the skill if it was asked.
    fn with_trust(self, trust: &Trusted) -> Message {
        Message { approved: trust.approved(), ..self }
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
/// Returns [`Error::SkillGone`] if the skill's file is no longer a skill, and [`Error::Ambiguous`] for a short name that several
/// skills have.
pub fn invoke(
    world: &World<'_>,
    catalog: &Catalog,
    commands: &Commands,
    line: &str,
) -> Result<Option<Invocation>, Error> {
    let Some(chosen) = chosen(world, catalog, commands, line)? else { return Ok(None) };
    let mut invocation = decide(world, catalog, chosen.skill, &chosen.ask, &chosen.how)?;
    for other in chosen.others {
        stacked::add(&mut invocation, decide(world, catalog, other, &chosen.ask, &chosen.how)?)?;
    }
    Ok(Some(invocation))
}

/// The skills that a typed line invokes.
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
    let skill = match catalog.find(&command.key, Caller::User) {
        Ok(skill) => skill,
        Err(_) => return Ok(None),
    };
    let (others, args) = stacked::others(world, catalog, commands, skill, args)?;
    let ask = LoadRequest { args: args.to_owned(), ..LoadRequest::new(Caller::User) };
    Ok(Some(Chosen { skill, others, ask, how: Wording::of_commands(catalog, rule) }))
}

/// How the message of an invocation is made.
pub(crate) struct Wording<'d> {
    /// The message of a skill that is not a fork.
    pub(crate) message: &'d Template,
    /// How the placeholders in the body are replaced.
    pub(crate) substitution: Option<&'d Substitution>,
}

/// The message of the load tool: what is loaded.
static LOADED_TEXT: Template = Template::new("{text}");

impl<'d> Wording<'d> {
    /// How the answer of the load tool is made.
    pub(crate) fn of_tool(catalog: &'d Catalog) -> Wording<'d> {
        Wording { message: &LOADED_TEXT, substitution: catalog.dialect().load.substitution.as_ref() }
    }

    /// How the message of a typed command is made.
    pub(crate) fn of_commands(catalog: &'d Catalog, rule: &'d CommandsRule) -> Wording<'d> {
        let substitution = rule.substitution.as_ref().or(catalog.dialect().load.substitution.as_ref());
        Wording { message: &rule.message, substitution }
    }
}

/// Invokes a skill that the catalog has just returned to the caller.
pub(crate) fn decide(
    world: &World<'_>,
    catalog: &Catalog,
    skill: &Skill,
    ask: &LoadRequest,
    how: &Wording<'_>,
) -> Result<Invocation, Error> {
    let args = ask.args.as_str();
    let Written { mut loaded, text, body_at } = written(world, catalog, skill, ask, how)?;
    let fork = fork_rule(&catalog.dialect().load, &loaded.frontmatter);
    // The result itself says that commands are pending.
    loaded.findings.retain(|finding| finding.code != Code::CommandsPending);
    let Some(mut trust) = loaded.trust.take() else {
        debug_assert!(false, "only a skill that is loaded already is not read");
        return Err(Error::SkillGone { key: visible(&skill.key).into_owned(), reason: "it was not read".to_owned() });
    };
    let embedded = std::mem::take(&mut loaded.commands);
    let shell = loaded.frontmatter.run().shell.clone();
    let Words { words, .. } = words_of(how.substitution.map_or(ArgumentWords::Shell, |rule| rule.words), args);
    let mut variables = Vec::new();
    for (n, name) in loaded.frontmatter.run().arguments.iter().enumerate() {
        // An argument that is not given is empty.
        variables.push((name.clone(), words.get(n).cloned().unwrap_or_default()));
    }
    // A variable of the dialect takes precedence over an argument of the same name.
    variables.append(&mut loaded.variables);
    variables.push(("ARGUMENTS".to_owned(), args.to_owned()));
    let requires_env = loaded.frontmatter.environment_variables();
    let rule = how.substitution.and_then(|rule| rule.commands.clone());
    let pending = body_at.zip(rule).filter(|_| !embedded.is_empty());
    let pending = pending.map(|(at, rule)| (pending::pieces(&text, at, &embedded), rule));
    let then = match fork {
        None => Invocation::Inline(Message::new(loaded, text).with_trust(&trust)),
        Some(rule) => Invocation::Fork(Fork::new(world, rule, skill, (loaded, text), &mut trust)),
    };
    let Some((pieces, rule)) = pending else { return Ok(then) };
    Ok(Invocation::Pending(Pending {
        key: skill.key.clone(),
        path: skill.path.clone(),
        ask: ask.clone(),
        commands: embedded.into_iter().map(|embedded| embedded.command).collect(),
        words,
        variables,
        requires_env,
        shell,
        folder_variables: folder_variables(how.substitution),
        rule,
        trust: trust.ask(world, skill).clone(),
        pieces,
        then: Box::new(then),
    }))
}

/// A loaded skill and the message or task that is made of it.
pub(crate) struct Written {
    pub(crate) loaded: Loaded,
    pub(crate) text: String,
    /// The byte at which the body begins in the text, if the text contains the body.
    pub(crate) body_at: Option<usize>,
}

/// Loads a skill and writes the message or task.
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
    let (text, body_at) = message_text(template, skill, &loaded, &ask.args);
    Ok(Written { loaded, text, body_at })
}

/// The text of the message or task, and the byte at which the skill's body begins in it, if it contains the body.
fn message_text(template: &Template, skill: &Skill, loaded: &Loaded, args: &str) -> (String, Option<usize>) {
    // The name of a folder may contain newlines, which must not add lines to the message.
    let (key, name) = (visible(&skill.key), shown_name(skill.name.clone()));
    // Appended arguments may have another place in the message.
    let is_apart = template.placeholders().any(|hole| hole == "appended");
    let (own, appended) = loaded.body.split_at_checked(loaded.appended_at).unwrap_or((&loaded.body, ""));
    let mut text = String::new();
    let mut body_at = None;
    template.render_with_offsets(
        &|hole| {
            Some(Cow::Borrowed(match hole {
                "text" => loaded.text.as_str(),
                "body" if is_apart => own,
                "body" => loaded.body.as_str(),
                "appended" => appended,
                "dir" => loaded.shown_dir.as_str(),
                "path" => loaded.shown_path.as_str(),
                "args" | "prompt" => args.trim(),
                "key" => &*key,
                "name" => name.as_str(),
                _ => return None,
            }))
        },
        &mut text,
        &mut |hole, at| match hole {
            "text" => body_at = loaded.body_at.map(|inside| at + inside),
            "body" => body_at = Some(at),
            _ => {}
        },
    );
    (text, body_at)
}

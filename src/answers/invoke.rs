//! In: a line that a user typed. Out: a decision, [`Invocation`]: the message to send. What is no command, or may
//! not be invoked by the user, is an ordinary message (decisions 31). Absent: sending, forking, running.

use crate::answers::commands::Commands;
use crate::answers::load::{LoadRequest, Loaded, folder_variables, fork_rule, load, shown, shown_name};
use crate::answers::substitute::{Mark, words};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{CommandRule, ForkRule};
use crate::discovery::catalog::Catalog;
use crate::fs::Fs;
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill};
use crate::model::world::World;
use crate::package::trust::{Answer, ExpectedContents, Trusted, untrusted_reason};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::json::{Fields, Json};
use crate::text::template::Template;
use std::borrow::Cow;

/// What an invocation comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invocation {
    /// A message to send in the conversation that goes on.
    Inline(Message),
    /// A task to give to an agent of its own, without history.
    Fork(Fork),
    /// Commands to run first; [`Pending::resume`] goes on with what they printed.
    Pending(Pending),
}

impl Invocation {
    /// The key of the skill, and what was found: a host may add to what the findings advise.
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
}

/// A task for an agent of its own. It gets no history of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fork {
    /// The skill's key.
    pub key: String,
    /// The task.
    pub text: String,
    /// The kind of agent.
    pub agent: Option<String>,
    /// The model to use; none for the one in use.
    pub model: Option<String>,
    /// The tools that count; none where the skill says nothing of them.
    pub tools: Option<Vec<String>>,
    /// The permissions that the skill asks for its agent, as tags. The caller holds them all.
    pub permissions: Vec<String>,
    /// What the grants are labelled with.
    pub granted_by: String,
    /// The tools that the skill asks to be without.
    pub disallowed_tools: Option<Vec<String>>,
    /// How hard the model is to think, where the skill says so.
    pub effort: Option<String>,
    /// Whether the conversation goes on meanwhile, where the skill says so.
    pub background: Option<bool>,
    /// The folder that relative paths in the text start from.
    pub dir: FsPath,
    /// What the skill's file has to say now.
    pub findings: Vec<Diagnostic>,
    /// Whether the task may be given to an agent.
    trust: Answer,
}

/// Commands that a body wants run before it is sent. The host runs them, or refuses.
///
/// They are given as written: an argument that were put into the text of a command could make it another one. A
/// host that runs them as `sh -c COMMAND WORD…` with `variables` in the environment gives `$0`, `$ARGUMENTS` and
/// the variables their values without that danger. Where there are no words it gives an empty one, as `$0` is the name
/// of the shell otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pending {
    /// The skill's key.
    pub key: String,
    /// The commands, as written, in order.
    pub commands: Vec<String>,
    /// The arguments, split into words.
    pub words: Vec<String>,
    /// The variables that the commands may name: the arguments that have a name, those of the dialect, and `ARGUMENTS`
    /// (all arguments). Of one that stands twice the last value counts.
    pub variables: Vec<(String, String)>,
    /// The environment variables that the skill requires. Where it is trusted, its commands may see them.
    pub requires_env: Vec<String>,
    /// The shell, where the skill names one.
    pub shell: Option<String>,
    /// The variables that name the skill's folder.
    pub folder_variables: Vec<String>,
    /// How the dialect has them run, and what it makes of their output.
    pub rule: CommandRule,
    /// Whether the commands may be run, by the text that they stand in.
    trust: Answer,
    pieces: Vec<String>,
    /// What it comes to, with the text still to be put in.
    then: Box<Invocation>,
}

impl Pending {
    /// Whether its commands may be run, and the contents that the skill's folder must have then: none where it is
    /// trusted whatever it holds.
    ///
    /// # Errors
    /// [`Error::Untrusted`] where the host does not trust the skill, [`Error::Void`] where it did once, or where the
    /// text is not the one that was approved; [`Error::CopyDiffers`] for a copy that is not what its source is.
    pub fn trusted(&self) -> Result<Option<&ExpectedContents>, Error> {
        self.trust.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// The text round the commands: one piece more than there are commands.
    pub fn pieces(&self) -> &[String] {
        &self.pieces
    }

    /// The decision that is to be gone on with. Its text has the commands in it, as written.
    pub fn next(&self) -> &Invocation {
        &self.then
    }

    /// Goes on with what the commands printed, in order; what is missing is taken for nothing. What they printed
    /// is not scanned again.
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

/// A message to send.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The skill's key.
    pub key: String,
    /// The text to send.
    pub text: String,
    /// The tools that count while the skill is in use; none where it says nothing of them.
    pub tools: Option<Vec<String>>,
    /// The model to use; none for the one in use.
    pub model: Option<String>,
    /// The tools that the skill asks to be without.
    pub disallowed_tools: Option<Vec<String>>,
    /// How hard the model is to think, where the skill says so.
    pub effort: Option<String>,
    /// The folder that relative paths in the text start from.
    pub dir: FsPath,
    /// What the skill's file has to say now.
    pub findings: Vec<Diagnostic>,
}

impl Message {
    fn new(loaded: Loaded, text: String) -> Message {
        let Loaded { key, tools, dir, findings, frontmatter, .. } = loaded;
        let (model, effort) = (frontmatter.run().model.clone(), frontmatter.run().effort.clone());
        Message {
            key,
            text,
            tools,
            model,
            disallowed_tools: frontmatter.run().disallowed_tools.clone(),
            effort,
            dir,
            findings,
        }
    }
}

impl Fork {
    /// Whether the task may be given to an agent, which acts by it on the user's machine.
    ///
    /// # Errors
    /// As [`Pending::trusted`].
    pub fn trusted(&self) -> Result<(), Error> {
        self.trust.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// The permissions that whoever carries the task out gives its agent: none that an untrusted skill asks for.
    pub fn granted(&self) -> &[String] {
        if self.trust.is_ok() { &self.permissions } else { &[] }
    }

    /// All that the agent is told besides the text: what it is, what it may use, and who gave it that.
    pub fn terms(&self, fs: &dyn Fs) -> Json {
        let mut fields = Fields::default();
        fields.text("key", &self.key);
        self.tell(fs, self.granted(), &mut fields);
        fields.done()
    }

    /// The terms, with these permissions, but for the key.
    pub(crate) fn tell(&self, fs: &dyn Fs, permissions: &[String], fields: &mut Fields) {
        fields
            .known("agent", self.agent.as_deref())
            .known("model", self.model.as_deref())
            .known_texts("tools", self.tools.as_deref())
            .texts("permissions", permissions)
            .text("granted_by", &self.granted_by)
            .text("dir", &fs.spell(&self.dir))
            .some_texts("disallowed_tools", self.disallowed_tools.as_deref())
            .some_text("effort", self.effort.as_deref())
            .some("background", self.background.map(Json::Bool));
    }

    fn new(
        world: &World<'_>,
        rule: &ForkRule,
        skill: &Skill,
        (mut loaded, text): (Loaded, String),
        trust: &mut Trusted,
    ) -> Fork {
        let mut granted_by = String::new();
        let name = shown_name(skill.name.clone());
        rule.label.render(&|hole| (hole == "name").then_some(Cow::Borrowed(name.as_str())), &mut granted_by);
        let run = loaded.frontmatter.run();
        let trust = trust.ask(world, skill).clone();
        if let Some(refused) = trust.as_ref().err().filter(|_| !run.permissions.is_empty()) {
            let message = format!(
                "the source `{}` is not trusted, so an agent that runs this is not given {}{}",
                skill.source.label,
                shown(&run.permissions),
                untrusted_reason(refused)
            );
            let finding = Diagnostic::new(Severity::Warning, Code::UntrustedGrant, skill.path.clone(), message);
            loaded
                .findings
                .push(finding.help("read the skill, and approve it if you would give an agent these permissions"));
        }
        Fork {
            key: loaded.key,
            text,
            agent: run.agent.clone().or_else(|| rule.agent.as_deref().map(str::to_owned)),
            model: run.model.clone(),
            tools: loaded.tools,
            permissions: run.permissions.clone(),
            granted_by,
            disallowed_tools: loaded.frontmatter.run().disallowed_tools.clone(),
            effort: run.effort.clone(),
            background: run.background,
            dir: loaded.dir,
            findings: loaded.findings,
            trust,
        }
    }
}

/// Splits a line into a command's name and its arguments, trimmed; none when it is no command.
fn split(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('/')?;
    let (name, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (!name.is_empty()).then(|| (name, args.trim()))
}

/// What a typed line comes to; none when it is an ordinary message.
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
/// [`Error::Gone`] when the skill's file is no longer a skill; [`Error::Ambiguous`] for a short name of several.
pub fn invoke(
    world: &World<'_>,
    catalog: &Catalog,
    commands: &Commands,
    line: &str,
) -> Result<Option<Invocation>, Error> {
    let Some(rule) = &catalog.dialect().slash else { return Ok(None) };
    let Some((name, args)) = split(line) else { return Ok(None) };
    let Some(command) = commands.find(name) else {
        // decisions 17: what may mean two skills is no ordinary message either.
        return match commands.unclear(name) {
            [] => Ok(None),
            keys => Err(Error::Ambiguous { asked: visible(name).into_owned(), candidates: keys.to_vec() }),
        };
    };
    let skill = match catalog.find(&command.key, Caller::User) {
        Ok(skill) => skill,
        Err(_) => return Ok(None),
    };
    decide(world, catalog, skill, Caller::User, args, &rule.message).map(Some)
}

/// What a call of a skill comes to, typed or by a model. `message` is the wording where it stays in the conversation.
pub(crate) fn decide(
    world: &World<'_>,
    catalog: &Catalog,
    skill: &Skill,
    caller: Caller,
    args: &str,
    message: &Template,
) -> Result<Invocation, Error> {
    let mut loaded = load(world, catalog, skill, &LoadRequest { caller, args: args.to_owned(), already: Vec::new() })?;
    let fork = fork_rule(&catalog.dialect().load, &loaded.frontmatter);
    let template = fork.map_or(message, |rule| &rule.task);
    // A folder's name may hold newlines, which would stand in the message as lines of their own.
    let (key, name) = (visible(&skill.key), shown_name(skill.name.clone()));
    let mut text = String::new();
    let mut body_at = None;
    template.render_noting(
        &|hole| {
            Some(Cow::Borrowed(match hole {
                "text" => loaded.text.as_str(),
                "body" => loaded.body.as_str(),
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
    // What is pending is the answer here, and no remark on it.
    loaded.findings.retain(|finding| finding.code != Code::CommandsPending);
    let mut trust = loaded.trust.take().unwrap_or_else(|| Trusted::new(skill.path.clone(), Vec::new()));
    let marks = std::mem::take(&mut loaded.marks);
    let (words, shell) = (words(args), loaded.frontmatter.run().shell.clone());
    let mut variables = Vec::new();
    for (n, name) in loaded.frontmatter.run().arguments.iter().enumerate() {
        variables.push((name.clone(), words.get(n).cloned().unwrap_or_default()));
    }
    // What the dialect gives counts where an argument has the same name.
    variables.append(&mut loaded.variables);
    variables.push(("ARGUMENTS".to_owned(), args.to_owned()));
    let requires_env = loaded.frontmatter.variables();
    let rule = catalog.dialect().load.substitution.as_ref().and_then(|rule| rule.commands.clone());
    let pending = body_at.zip(rule).filter(|_| !marks.is_empty());
    let pending = pending.map(|(at, rule)| (pieces(&text, at, &marks), rule));
    let then = match fork {
        None => Invocation::Inline(Message::new(loaded, text)),
        Some(rule) => Invocation::Fork(Fork::new(world, rule, skill, (loaded, text), &mut trust)),
    };
    let Some((pieces, rule)) = pending else { return Ok(then) };
    Ok(Invocation::Pending(Pending {
        key: skill.key.clone(),
        commands: marks.into_iter().map(|mark| mark.command).collect(),
        words,
        variables,
        requires_env,
        shell,
        folder_variables: folder_variables(&catalog.dialect().load),
        rule,
        trust: trust.ask(world, skill).clone(),
        pieces,
        then: Box::new(then),
    }))
}

/// The text round the commands of a body that begins at this byte of it.
fn pieces(text: &str, body_at: usize, marks: &[Mark]) -> Vec<String> {
    let mut from = 0;
    let mut pieces = Vec::with_capacity(marks.len() + 1);
    for Mark { at, .. } in marks {
        pieces.push(text.get(from..body_at + at.start).unwrap_or("").to_owned());
        from = body_at + at.end;
    }
    pieces.push(text.get(from..).unwrap_or("").to_owned());
    pieces
}

//! In: a line that a user typed. Out: a decision, [`Invocation`]: the message to send. What is no command, or may
//! not be invoked by the user, is an ordinary message (decisions 31). Absent: sending, forking, running.

use crate::catalog::Catalog;
use crate::commands::Commands;
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::load::{LoadAsk, Loaded, load};
use crate::path::FsPath;
use crate::skill::Caller;
use crate::world::World;
use std::borrow::Cow;

/// What an invocation comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invocation {
    /// A message to send in the conversation that goes on.
    Inline(Message),
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
    /// The folder that relative paths in the text start from.
    pub dir: FsPath,
    /// What the skill's file has to say now.
    pub findings: Vec<Diagnostic>,
}

impl Message {
    pub(crate) fn new(loaded: Loaded, text: String) -> Message {
        let Loaded { key, tools, dir, findings, .. } = loaded;
        Message { key, text, tools, model: None, dir, findings }
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
/// [`Error::Gone`] when the skill's file is no longer a skill.
pub fn invoke(
    world: &World<'_>,
    catalog: &Catalog,
    commands: &Commands,
    line: &str,
) -> Result<Option<Invocation>, Error> {
    let Some(rule) = &catalog.dialect().slash else { return Ok(None) };
    let Some((name, args)) = split(line) else { return Ok(None) };
    let Some(command) = commands.find(name) else { return Ok(None) };
    let skill = match catalog.find(&command.key, Caller::User) {
        Ok(skill) => skill,
        Err(_) => return Ok(None),
    };
    let loaded = load(world, catalog, skill, &LoadAsk::new(Caller::User))?;
    let mut text = String::new();
    rule.message.render(
        &|hole| {
            Some(Cow::Borrowed(match hole {
                "text" => loaded.text.as_str(),
                "body" => loaded.body.as_str(),
                "args" => args,
                "key" => skill.key.as_str(),
                "name" => skill.name.as_str(),
                _ => return None,
            }))
        },
        &mut text,
    );
    Ok(Some(Invocation::Inline(Message::new(loaded, text))))
}

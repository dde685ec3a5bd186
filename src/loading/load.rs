//! Loads a skill for a model: [`load`] reads its SKILL.md again, inserts the arguments into the body, and puts it into the
//! dialect's frame, with the skill's folder, its files, its children and pointers to knowledge. `load/frame` fills the
//! frame, `load/tree` draws the files.

mod frame;
mod part;
mod tree;

pub use part::load_file;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{ForkRule, LoadRule, Substitution, ToolsRule, Variable};
use crate::discovery::catalog::Catalog;
use crate::discovery::resolve::display_name;
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::loading::knowledge;
use crate::loading::substitute::{EmbeddedCommand, Substituted, expand_variables, substitute, without_commands};
use crate::model::error::Error;
use crate::model::skill::{Caller, Context, Frontmatter, Permission, Skill};
use crate::offer::fill::fill;
use crate::package::activate::standing;
use crate::package::body;
use crate::package::inventory::listed;
use crate::package::trust::{Trusted, untrusted_reason};
use crate::path::FsPath;
use crate::text::escape::{one_line, reveal, visible};
use crate::text::list::quoted;
use frame::{FrameValues, fill_frame};
use std::sync::Arc;

/// Who loads a skill, and with which arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadRequest {
    /// Who asks. A skill that is hidden from the caller is refused, and hidden children are not listed.
    pub caller: Caller,
    /// The name by which the skill was asked for, if the caller knows it; otherwise its key counts.
    pub asked: Option<String>,
    /// The arguments, for dialects whose skills take arguments.
    pub args: String,
    /// The keys of the skills that are loaded already. For these the text is a short note (rule 12.8).
    pub already_loaded: Vec<String>,
}

impl LoadRequest {
    /// A request of this caller without arguments.
    pub fn new(caller: Caller) -> LoadRequest {
        LoadRequest { caller, asked: None, args: String::new(), already_loaded: Vec::new() }
    }
}

/// A loaded skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loaded {
    /// Its key.
    pub key: String,
    /// The text for the model: the body in the dialect's frame.
    pub text: String,
    /// The body without the frame, trimmed by the rules of the dialect. Empty if the skill was loaded already.
    pub body: String,
    /// Whether the text is the note that the skill is loaded already.
    pub is_already_loaded: bool,
    /// The folder that relative paths in the body start from.
    pub dir: FsPath,
    /// All files of the skill in byte order. The text may list fewer.
    pub files: Vec<FsPath>,
    /// The keys of its direct children that the caller may see.
    pub children: Vec<String>,
    /// The tools that may be used while the skill is in use; `None` if the skill does not name any.
    pub tools: Option<Vec<String>>,
    /// The findings from reading the file again, and from loading.
    pub findings: Vec<Diagnostic>,
    /// The frontmatter as it is now.
    pub frontmatter: Arc<Frontmatter>,
    /// Whether the text is a task for a separate agent.
    pub is_fork: bool,
    /// The commands in the body, which the host runs first.
    pub(crate) commands: Vec<EmbeddedCommand>,
    /// The byte offset of the body in the text, if the frame contains the body.
    pub(crate) body_at: Option<usize>,
    /// The byte of the body at which the arguments begin that were appended to it.
    pub(crate) appended_at: usize,
    /// The folder and the SKILL.md as they are named to the model.
    pub(crate) shown_dir: String,
    pub(crate) shown_path: String,
    /// The variables of the body that have a value.
    pub(crate) variables: Vec<(String, String)>,
    /// The trust in the file that was read; `None` if the skill was loaded already.
    pub(crate) trust: Option<Trusted>,
}

/// Loads a skill: reads it again and puts its body into the dialect's frame.
///
/// ```
/// use skilltree::{Caller, FsPath, LoadRequest, MemFs, Places, World, dialect, discover, load};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("agentskills").unwrap());
/// let tea = catalog.find("tea", Caller::Model).unwrap();
/// let loaded = load(&world, &catalog, tea, &LoadRequest::new(Caller::Model)).unwrap();
/// assert!(loaded.text.starts_with("<skill_content name=\"tea\">\nBoil water.\n"));
/// ```
///
/// # Errors
/// Returns the errors of [`Catalog::find`] if the caller may not have the skill; [`Error::SkillGone`] if its file is no longer a
/// skill; [`Error::PromptMissing`] and [`Error::PermissionNotHeld`] for a skill that is a task for a separate agent.
pub fn load(world: &World<'_>, catalog: &Catalog, skill: &Skill, ask: &LoadRequest) -> Result<Loaded, Error> {
    // The key is looked up, as `skill` may come from an older catalog.
    let skill = catalog.find_counterpart(skill, ask.caller)?;
    load_found(world, catalog, skill, ask, catalog.dialect().load.substitution.as_ref())
}

/// Like [`load`], for a skill that `catalog` has just returned to the caller, and with this rule for its placeholders.
pub(crate) fn load_found(
    world: &World<'_>,
    catalog: &Catalog,
    skill: &Skill,
    ask: &LoadRequest,
    substitution: Option<&Substitution>,
) -> Result<Loaded, Error> {
    let rule = &catalog.dialect().load;
    // A fork leaves nothing in the conversation, so it is loaded again each time.
    let is_already_loaded = fork_rule(rule, &skill.frontmatter).is_none()
        && ask.already_loaded.iter().any(|key| *key == skill.key || reveal(key) == skill.key);
    if is_already_loaded {
        return note_already_loaded(world, catalog, skill, ask.caller);
    }
    let mut loaded = empty(catalog, skill, ask.caller);
    // The file is read again, and only its current contents count (rule 12.1).
    let mut body = body::read(catalog, world, skill)?;
    // The catalog may be older than the file.
    catalog.check_again(skill, &body.frontmatter, ask.caller)?;
    let source = frame::source(rule, &body.bytes);
    let mut trust = Trusted::new(body.path.clone(), std::mem::take(&mut body.bytes));
    let fork = fork_rule(rule, &body.frontmatter);
    let name = shown_name(display_name(catalog.dialect(), &body.frontmatter, &skill.path));
    if let Some(fork) = fork {
        check_fork(world, fork, &body.frontmatter, &name, &ask.args)?;
    }
    loaded.tools = tools(world, catalog, skill, (&body.frontmatter, &body.dir), &mut trust, &mut loaded.findings);
    loaded.trust = Some(trust);
    loaded.findings.append(&mut body.findings);
    // A copy is in another folder than the skill.
    let (files, unlisted) = listed(world, skill, &body.path);
    loaded.files = files;
    loaded.findings.extend(unlisted);
    loaded.dir = body.path.parent().ok_or_else(|| FsError::NotFound(body.path.clone()))?;
    let hint =
        knowledge::hint(world, catalog.dialect(), &skill.path, &body.frontmatter.needs().knowledge, &body.knowledge);
    loaded.findings.extend(hint.findings);
    let Substituted { mut text, mut commands, is_cut, mut appended_at, is_unclosed } = match substitution {
        None => Substituted::unchanged(std::mem::take(&mut body.text)),
        Some(substitution) => {
            let variable = |name: &str| variable(world, substitution, &body.dir, name);
            loaded.variables = variables_with_value(substitution, &variable);
            substitute(substitution, &body.text, &ask.args, &body.frontmatter.run().arguments, &variable)
        }
    };
    if let Some(error) = substitution.and_then(|rule| rule.unclosed_quote.as_ref()).filter(|_| is_unclosed) {
        return Err(Error::BadArguments(error.to_string()));
    }
    if is_cut {
        loaded.findings.push(too_large(skill));
    }
    if catalog.settings().bans_commands() {
        // What was appended stands behind all commands.
        let appended = text.len() - appended_at;
        text = without_commands(&text, &std::mem::take(&mut commands));
        appended_at = text.len() - appended;
    }
    if !commands.is_empty() {
        loaded.findings.push(commands_pending(skill, commands.len()));
    }
    (loaded.body, loaded.appended_at) = (text, appended_at);
    loaded.commands = commands;
    loaded.is_fork = fork.is_some();
    loaded.shown_dir = visible(&body.dir).into_owned();
    loaded.shown_path = frame::shown_path(world, skill, &body);
    let values = FrameValues {
        name: &name,
        knowledge: &hint.text,
        source: &source,
        frontmatter: &body.frontmatter,
        path: &body.path,
    };
    fill_frame(world, catalog, skill, ask, &values, &mut loaded);
    loaded.frontmatter = body.frontmatter;
    Ok(loaded)
}

/// A [`Loaded`] with nothing but what the catalog knows about the skill.
fn empty(catalog: &Catalog, skill: &Skill, caller: Caller) -> Loaded {
    Loaded {
        key: skill.key.clone(),
        text: String::new(),
        body: String::new(),
        is_already_loaded: false,
        dir: skill.dir(),
        files: Vec::new(),
        children: catalog.children(skill, caller).iter().map(|child| child.key.clone()).collect(),
        tools: None,
        findings: Vec::new(),
        frontmatter: Arc::clone(&skill.frontmatter),
        is_fork: false,
        commands: Vec::new(),
        body_at: None,
        appended_at: 0,
        shown_dir: String::new(),
        shown_path: String::new(),
        variables: Vec::new(),
        trust: None,
    }
}

/// The note that a skill is loaded already. Its tools are granted again, as its file asks for them now.
fn note_already_loaded(world: &World<'_>, catalog: &Catalog, skill: &Skill, caller: Caller) -> Result<Loaded, Error> {
    let mut loaded = empty(catalog, skill, caller);
    loaded.is_already_loaded = true;
    if skill.frontmatter.allowed_tools.is_some() {
        let mut body = body::read(catalog, world, skill)?;
        let mut trust = Trusted::new(body.path, std::mem::take(&mut body.bytes));
        let declared = (&*body.frontmatter, body.dir.as_str());
        loaded.tools = tools(world, catalog, skill, declared, &mut trust, &mut loaded.findings);
    } else {
        // This fails if the skill has to be activated first.
        standing(world, catalog, skill)?;
    }
    loaded.text = already_loaded_note(catalog, skill);
    Ok(loaded)
}

/// What the dialect says instead of the text of a skill that is loaded already (rule 12.8).
pub(crate) fn already_loaded_note(catalog: &Catalog, skill: &Skill) -> String {
    let rule = &catalog.dialect().load;
    let (key, name) = (visible(&skill.key), visible(&skill.name));
    let mut text = String::new();
    fill(&rule.already_loaded, rule.escape, &[("key", &key), ("name", &name)], &mut text);
    text
}

/// The finding for a text that the arguments make too large.
fn too_large(skill: &Skill) -> Diagnostic {
    let message = "the text is too large with these arguments; it was cut".to_owned();
    Diagnostic::new(Severity::Warning, Code::TooLarge, skill.path.clone(), message)
        .help("pass shorter arguments, or refer to them less often in the skill")
}

/// The finding for commands in the text, which were not run.
fn commands_pending(skill: &Skill, count: usize) -> Diagnostic {
    let what = if count == 1 { "a command that is" } else { "commands that are" };
    let message = format!("the text contains {what} to run first; none has been run");
    Diagnostic::new(Severity::Note, Code::CommandsPending, skill.path.clone(), message)
}

/// The tools that may be used while the skill is in use (rules 16.1 and 16.2). The host is asked for its trust each
/// time, as it may withdraw it.
fn tools(
    world: &World<'_>,
    catalog: &Catalog,
    skill: &Skill,
    (frontmatter, dir): (&Frontmatter, &str),
    trust: &mut Trusted,
    findings: &mut Vec<Diagnostic>,
) -> Option<Vec<String>> {
    let mut declared = frontmatter.allowed_tools.clone()?;
    if let Some(rule) = &catalog.dialect().load.substitution {
        // A tool rule may contain the path of a file in the skill, but not the host's own variables.
        let path_variable = |name: &str| if rule.is_place(name) { variable(world, rule, dir, name) } else { None };
        declared.iter_mut().for_each(|tool| *tool = expand_variables(tool, &path_variable));
    }
    match catalog.dialect().allowed_tools {
        ToolsRule::Ignored => None,
        ToolsRule::Restricts => Some(declared),
        ToolsRule::Grants if declared.is_empty() => Some(declared),
        ToolsRule::Grants => {
            let Err(refused) = trust.ask(world, skill) else { return Some(declared) };
            let message = format!(
                "the source `{}` is not trusted, so its skill is not granted {}{}",
                skill.source.label,
                quoted_names(&declared),
                untrusted_reason(refused)
            );
            let finding = Diagnostic::new(Severity::Warning, Code::UntrustedGrant, skill.path.clone(), message);
            findings.push(finding.help("read the skill, and approve it if you would allow these tools yourself"));
            Some(Vec::new())
        }
    }
}

/// The dialect's rule for forks, if the skill with this frontmatter is one (rule 12.1).
pub(crate) fn fork_rule<'r>(rule: &'r LoadRule, frontmatter: &Frontmatter) -> Option<&'r ForkRule> {
    let run = frontmatter.run();
    rule.fork.as_ref().filter(|_| run.context == Some(Context::Fork) || run.sandbox)
}

/// A list of names for a message.
pub(crate) fn quoted_names(names: &[String]) -> String {
    quoted(&names.iter().map(|name| visible(name)).collect::<Vec<_>>(), ", ")
}

/// Checks that a fork has a prompt and that the caller holds all of its permissions (rules 16.5 and 16.6).
fn check_fork(
    world: &World<'_>,
    rule: &ForkRule,
    frontmatter: &Frontmatter,
    name: &str,
    args: &str,
) -> Result<(), Error> {
    if !rule.prompt_missing.source().is_empty() && args.trim().is_empty() {
        return Err(rule.prompt_missing(name));
    }
    for tag in &frontmatter.run().permissions {
        if !Permission::parse(tag).is_some_and(|permission| world.host.holds(&permission)) {
            return Err(rule.permission_not_held(&visible(tag)));
        }
    }
    Ok(())
}

/// A name without control characters (rule 7.7). The frontmatter reader has removed them from its names, but the name
/// of a folder may contain them.
pub(crate) fn shown_name(name: String) -> String {
    if one_line(&name) == name { name } else { visible(&name).into_owned() }
}

/// The value of `${NAME}` in a body.
fn variable(world: &World<'_>, rule: &Substitution, dir: &str, name: &str) -> Option<String> {
    let (_, variable) = rule.variables.iter().find(|(known, _)| known == name)?;
    match variable {
        Variable::SkillDir => Some(dir.to_owned()),
        Variable::ProjectDir => world.places.project.as_ref().map(|project| world.fs.display(project).into_owned()),
        Variable::Host => world.host.variable(name),
    }
}

/// The names of the variables whose value is the skill's folder.
pub(crate) fn folder_variables(rule: Option<&Substitution>) -> Vec<String> {
    let variables = rule.into_iter().flat_map(|rule| rule.variables.iter());
    let of_folder = variables.filter(|(_, variable)| matches!(variable, Variable::SkillDir));
    of_folder.map(|(name, _)| name.to_string()).collect()
}

/// The variables that have a value, with their values.
fn variables_with_value(rule: &Substitution, value: &dyn Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    rule.variables.iter().filter_map(|(name, _)| Some((name.to_string(), value(name)?))).collect()
}

//! In: a skill and who asks. Out: [`Loaded`], the framed text for a model: body, base directory, files, children,
//! pointers to knowledge, by the dialect's templates. Absent: arguments, which are the invocation's.

use crate::answers::knowledge;
use crate::answers::substitute::{Filled, Mark, expand, substitute};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Escape, FilePath, ForkRule, ForkWhen, LoadRule, Substitution, ToolsRule, Variable};
use crate::discovery::catalog::Catalog;
use crate::discovery::resolve::display_name;
use crate::model::error::Error;
use crate::model::skill::{Caller, Context, Frontmatter, Permission, Skill};
use crate::model::world::World;
use crate::package::activate::standing;
use crate::package::body;
use crate::package::inventory::{Resources, files_of, resources_of};
use crate::package::trust::{Trusted, untrusted_reason};
use crate::path::FsPath;
use crate::text::escape::{fold, reveal, unhidden, visible};
use crate::text::list::quoted;
use crate::text::template::Template;
use std::borrow::Cow;
use std::sync::Arc;

/// Who loads, and what the host knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadRequest {
    /// Who asks. What is hidden from the caller is refused, and hidden children are not listed.
    pub caller: Caller,
    /// What is handed on to the skill, where its dialect takes anything.
    pub args: String,
    /// Keys that are loaded already: the answer is then a short note (decisions 30).
    pub already: Vec<String>,
}

impl LoadRequest {
    /// For this caller, without arguments, with nothing loaded yet.
    pub fn new(caller: Caller) -> LoadRequest {
        LoadRequest { caller, args: String::new(), already: Vec::new() }
    }
}

/// A skill, ready for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loaded {
    /// Its key.
    pub key: String,
    /// The framed text.
    pub text: String,
    /// The bare body, trimmed as the dialect has it. Empty where the skill was loaded already.
    pub body: String,
    /// Whether the text is the note that it is loaded already.
    pub already: bool,
    /// The folder that relative paths in the body start from.
    pub dir: FsPath,
    /// All its files, in byte order; the text may list fewer.
    pub files: Vec<FsPath>,
    /// The keys of its direct children that the caller may see.
    pub children: Vec<String>,
    /// The tools that count while it is in use; none where it says nothing of them.
    pub tools: Option<Vec<String>>,
    /// What its file has to say now.
    pub findings: Vec<Diagnostic>,
    /// What its frontmatter says now.
    pub frontmatter: Arc<Frontmatter>,
    /// Whether the text is a task for an agent of its own.
    pub is_fork: bool,
    /// The commands in the body, for the host to run first.
    pub(crate) marks: Vec<Mark>,
    /// The byte of the text at which the body begins, if it stands there.
    pub(crate) body_at: Option<usize>,
    /// The variables of the body that have a value.
    pub(crate) variables: Vec<(String, String)>,
    /// The trust in the text that was read; none where the skill was loaded already.
    pub(crate) trust: Option<Trusted>,
}

/// Loads a skill: reads it again, and frames it.
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
/// [`Error::NotForModel`] and its kin when the caller may not have it; [`Error::Gone`] when its file is no
/// longer a skill; [`Error::PromptMissing`] and [`Error::PermissionNotHeld`] for one that runs apart.
pub fn load(world: &World<'_>, catalog: &Catalog, skill: &Skill, ask: &LoadRequest) -> Result<Loaded, Error> {
    let skill = catalog.find(&skill.key, ask.caller)?;
    let rule = &catalog.dialect().load;
    let children = catalog.children(skill, ask.caller);
    let mut loaded = Loaded {
        key: skill.key.clone(),
        text: String::new(),
        body: String::new(),
        // One that runs apart left nothing behind that would be there already.
        already: fork_rule(rule, &skill.frontmatter).is_none()
            && ask.already.iter().any(|key| *key == skill.key || reveal(key) == skill.key),
        dir: skill.dir(),
        files: Vec::new(),
        children: children.iter().map(|child| child.key.clone()).collect(),
        tools: None,
        findings: Vec::new(),
        frontmatter: Arc::clone(&skill.frontmatter),
        is_fork: false,
        marks: Vec::new(),
        body_at: None,
        variables: Vec::new(),
        trust: None,
    };
    if loaded.already {
        loaded.tools = match skill.frontmatter.allowed_tools {
            None => {
                standing(world, catalog, skill)?;
                None
            }
            // What is granted again is what the file asks for now.
            Some(_) => {
                let mut body = body::read(catalog, world, skill)?;
                let mut trust = Trusted::new(body.path, std::mem::take(&mut body.bytes));
                tools(world, catalog, skill, (&body.frontmatter, &body.dir), &mut trust, &mut loaded.findings)
            }
        };
        let (key, name) = (visible(&skill.key), visible(&skill.name));
        fill(&rule.already, rule.escape, &[("key", &key), ("name", &name)], &mut loaded.text);
        return Ok(loaded);
    }
    // decisions 26: all that the file says is what it says now.
    let mut body = body::read(catalog, world, skill)?;
    let mut trust = Trusted::new(body.path.clone(), std::mem::take(&mut body.bytes));
    let fork = fork_rule(rule, &body.frontmatter);
    let name = shown_name(display_name(catalog.dialect(), &body.frontmatter, &skill.path));
    if let Some(fork) = fork {
        allowed(world, fork, &body.frontmatter, &name, &ask.args)?;
    }
    loaded.tools = tools(world, catalog, skill, (&body.frontmatter, &body.dir), &mut trust, &mut loaded.findings);
    loaded.trust = Some(trust);
    loaded.findings.extend(body.findings);
    loaded.files = files_of(world, &body.path);
    loaded.dir = body.path.parent().unwrap_or_else(FsPath::root);
    let hint =
        knowledge::hint(world, catalog.dialect(), &skill.path, &body.frontmatter.needs().knowledge, &body.knowledge);
    loaded.findings.extend(hint.findings);
    let Filled { text, marks, is_cut } = match &rule.substitution {
        None => Filled { text: body.text, ..Filled::default() },
        Some(substitution) => {
            let variable = |name: &str| variable(world, substitution, &body.dir, name);
            loaded.variables = known(substitution, &variable);
            substitute(substitution, &body.text, &ask.args, &body.frontmatter.run().arguments, &variable)
        }
    };
    if is_cut {
        let message = "the text is too large with these arguments; it was cut".to_owned();
        loaded.findings.push(
            Diagnostic::new(Severity::Warning, Code::TooLarge, skill.path.clone(), message)
                .help("pass shorter arguments, or refer to them less often in the skill"),
        );
    }
    let files = file_rows(world, rule, &loaded.dir, &loaded.files);
    // Most frames have no place for them, and the folders are not listed for nothing.
    let has_resources = rule.frame.holes().any(|hole| matches!(hole, "scripts" | "references"));
    let found = if has_resources { resources_of(world, &body.path) } else { Resources::default() };
    let (scripts, references) =
        (resource_rows(rule, &body.dir, &found.scripts), resource_rows(rule, &body.dir, &found.references));
    let children = child_rows(rule, &children);
    let (key, dir) = (visible(&skill.key), visible(&body.dir));
    let (inline, apart) = if fork.is_some() { ("", "yes") } else { ("yes", "") };
    rule.frame.render_noting(
        &|hole| match hole {
            "body" => Some(Cow::Borrowed(text.as_str())),
            "args" => Some(Cow::Borrowed(ask.args.trim())),
            "inline" => Some(Cow::Borrowed(inline)),
            "fork" => Some(Cow::Borrowed(apart)),
            "scripts" => Some(Cow::Borrowed(scripts.as_str())),
            "references" => Some(Cow::Borrowed(references.as_str())),
            "files" => Some(Cow::Borrowed(files.as_str())),
            "children" => Some(Cow::Borrowed(children.as_str())),
            "knowledge" => Some(Cow::Borrowed(hint.text.as_str())),
            hole => in_frame(rule, hole, &[("key", &key), ("name", &name), ("dir", &dir)]),
        },
        &mut loaded.text,
        &mut |hole, at| {
            if hole == "body" {
                loaded.body_at = Some(at);
            }
        },
    );
    if !marks.is_empty() {
        loaded.findings.push(pending(skill, marks.len()));
    }
    loaded.body = text;
    loaded.marks = marks;
    loaded.is_fork = fork.is_some();
    loaded.frontmatter = body.frontmatter;
    Ok(loaded)
}

/// That commands stand in the text as they were written.
fn pending(skill: &Skill, count: usize) -> Diagnostic {
    let what = if count == 1 { "a command that is" } else { "commands that are" };
    let message = format!("the text contains {what} to run first; none has been run");
    Diagnostic::new(Severity::Note, Code::CommandsPending, skill.path.clone(), message)
}

/// The tools that count (decisions 21): computed when answered, so that trust can be withdrawn.
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
        // A rule may name a file of the skill; what the host says is not for rules.
        let place = |name: &str| if rule.is_place(name) { variable(world, rule, dir, name) } else { None };
        declared.iter_mut().for_each(|tool| *tool = expand(tool, &place));
    }
    match catalog.dialect().tools {
        ToolsRule::Ignored => None,
        ToolsRule::Restricts => Some(declared),
        ToolsRule::Grants if declared.is_empty() => Some(declared),
        ToolsRule::Grants => {
            let Err(refused) = trust.ask(world, skill) else { return Some(declared) };
            let message = format!(
                "the source `{}` is not trusted, so its skill is not granted {}{}",
                skill.source.label,
                shown(&declared),
                untrusted_reason(refused)
            );
            let finding = Diagnostic::new(Severity::Warning, Code::UntrustedGrant, skill.path.clone(), message);
            findings.push(finding.help("read the skill, and approve it if you would allow these tools yourself"));
            Some(Vec::new())
        }
    }
}

/// What happens with a skill that runs apart, if this one does. By what its file says now (decisions 26).
pub(crate) fn fork_rule<'r>(rule: &'r LoadRule, frontmatter: &Frontmatter) -> Option<&'r ForkRule> {
    rule.fork.as_ref().filter(|rule| match rule.when {
        ForkWhen::Context => frontmatter.run().context == Some(Context::Fork),
        ForkWhen::Sandbox => frontmatter.run().sandbox,
    })
}

/// What a skill asks for, in a message.
pub(crate) fn shown(names: &[String]) -> String {
    quoted(&names.iter().map(|name| visible(name)).collect::<Vec<_>>(), ", ")
}

/// decisions 34: all is checked before anything is returned.
fn allowed(world: &World<'_>, rule: &ForkRule, frontmatter: &Frontmatter, name: &str, args: &str) -> Result<(), Error> {
    if rule.needs_prompt && args.trim().is_empty() {
        return Err(rule.prompt_missing(name));
    }
    for tag in &frontmatter.run().permissions {
        if !Permission::parse(tag).is_some_and(|permission| world.host.holds(&permission)) {
            return Err(rule.permission_not_held(&visible(tag)));
        }
    }
    Ok(())
}

/// A folder's name may hold what a frontmatter's name has lost already (decisions 24).
pub(crate) fn shown_name(name: String) -> String {
    if fold(&unhidden(&name).0) == name { name } else { visible(&name).into_owned() }
}

fn file_rows(world: &World<'_>, rule: &LoadRule, dir: &FsPath, files: &[FsPath]) -> String {
    let mut rows = String::new();
    for (n, file) in files.iter().take(rule.max_files).enumerate() {
        if n != 0 {
            rows.push('\n');
        }
        let shown = match rule.file_path {
            FilePath::Absolute => world.fs.spell(file),
            FilePath::Relative => Cow::Borrowed(file.below(dir).unwrap_or(file.as_str())),
        };
        fill(&rule.file_row, rule.escape, &[("file", &visible(&shown))], &mut rows);
    }
    if rule.max_files < files.len() {
        rows.push('\n');
        let count = (files.len() - rule.max_files).to_string();
        fill(&rule.more_files, rule.escape, &[("count", &count)], &mut rows);
    }
    rows
}

/// The value of `${NAME}` in a body.
fn variable(world: &World<'_>, rule: &Substitution, dir: &str, name: &str) -> Option<String> {
    let (_, variable) = rule.variables.iter().find(|(known, _)| known == name)?;
    match variable {
        Variable::SkillDir => Some(dir.to_owned()),
        Variable::ProjectDir => world.places.project.as_ref().map(|project| world.fs.spell(project).into_owned()),
        Variable::Host => world.host.variable(name),
    }
}

/// The variables that name the skill's folder.
pub(crate) fn folder_variables(rule: &LoadRule) -> Vec<String> {
    let named = rule.substitution.iter().flat_map(|rule| rule.variables.iter());
    named.filter(|(_, variable)| matches!(variable, Variable::SkillDir)).map(|(name, _)| name.to_string()).collect()
}

/// The variables that have a value now.
fn known(rule: &Substitution, value: &dyn Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    let mut known = Vec::new();
    for (name, _) in rule.variables.iter() {
        if let Some(value) = value(name) {
            known.push((name.to_string(), value));
        }
    }
    known
}

fn resource_rows(rule: &LoadRule, dir: &str, names: &[String]) -> String {
    let mut rows = String::new();
    for (n, name) in names.iter().enumerate() {
        if n != 0 {
            rows.push('\n');
        }
        fill(&rule.resource_row, rule.escape, &[("file", &visible(&format!("{dir}/{name}")))], &mut rows);
    }
    rows
}

fn child_rows(rule: &LoadRule, children: &[&Skill]) -> String {
    let mut rows = String::new();
    for child in children {
        if !rows.is_empty() {
            rows.push('\n');
        }
        // sven, "On-demand loading": a one-line description
        let description = child.description().trim().lines().next().unwrap_or("").trim();
        let (key, name) = (visible(&child.key), visible(&child.name));
        let holes = [("key", &*key), ("name", &*name), ("description", description)];
        fill(&rule.child_row, rule.escape, &holes, &mut rows);
    }
    rows
}

/// Renders a template whose holes are these, escaped.
pub(crate) fn fill(template: &Template, escape: Escape, holes: &[(&str, &str)], out: &mut String) {
    template.render(&|hole| escaped(escape, hole, holes), out);
}

/// The value of a hole; `@name` is the hole `name` for use in an attribute.
/// The value of a hole of a frame. A line outside of tags is Markdown and stays as it is (decisions 24), but for one that
/// holds what could be read as a tag: a folder `x<` with a folder `skill>` in it has a path that closes the frame.
fn in_frame<'v>(rule: &LoadRule, hole: &str, holes: &[(&str, &'v str)]) -> Option<Cow<'v, str>> {
    let plain = holes.iter().find(|(known, value)| *known == hole && !value.contains(['<', '>']));
    plain.map(|(_, value)| Cow::Borrowed(*value)).or_else(|| escaped(rule.escape, hole, holes))
}

fn escaped<'v>(escape: Escape, hole: &str, holes: &[(&str, &'v str)]) -> Option<Cow<'v, str>> {
    let (name, in_attribute) = match hole.strip_prefix('@') {
        Some(name) => (name, true),
        None => (hole, false),
    };
    let (_, value) = holes.iter().find(|(known, _)| *known == name)?;
    Some(if in_attribute { escape.attribute(value) } else { escape.text(value) })
}

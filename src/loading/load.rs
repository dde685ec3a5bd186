//! Loads a skill for a model: [`load`] reads its SKILL.md again, inserts the arguments into the body, and puts it into the
//! dialect's frame, with the skill's folder, its files, its children and pointers to knowledge.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{EqualKeys, Escape, ForkRule, LoadRule, ShownPaths, Substitution, ToolsRule, Variable};
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::location_name;
use crate::discovery::resolve::display_name;
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::loading::knowledge;
use crate::loading::substitute::{EmbeddedCommand, Substituted, expand_variables, substitute};
use crate::model::error::Error;
use crate::model::skill::{Caller, Frontmatter, Location, Permission, Skill};
use crate::offer::fill::{escape_value, fill, split_hole};
use crate::package::activate::active_location;
use crate::package::body;
use crate::package::file::{FilePart, FileRequest};
use crate::package::files::{Folder, OtherKind, Package};
use crate::package::inventory::{Resources, listed};
use crate::package::trust::{Trusted, untrusted_reason};
use crate::path::FsPath;
use crate::text::escape::{angles, mapped, one_line, reveal, visible};
use crate::text::lines::{Source, with_lf};
use crate::text::list::quoted;
use crate::text::lower::lower;
use crate::text::order::sort_by;
use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// How many files the error for an unknown one names.
const MAX_AVAILABLE: usize = 10;
/// How many files and folders are drawn.
const MAX_DRAWN: usize = 200;
/// What stands for entries that are not drawn.
const MORE: &str = "...";

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
    /// The files of the skill except its SKILL.md, in byte order. The text may list fewer.
    pub files: Vec<FsPath>,
    /// The keys of its direct children that the caller may see.
    pub children: Vec<String>,
    /// The tools that the skill grants, or restricts to, as the dialect has it; `None` if it names none or the dialect
    /// ignores the field.
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
/// skill; [`Error::PromptMissing`] and [`Error::PermissionNotHeld`] for a skill that is a task for a separate agent;
/// [`Error::BadArguments`] for an unclosed quote where the dialect refuses one; and [`Error::Fs`].
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
    let is_this = |key: &String| {
        *key == skill.key
            || reveal(key) == skill.key
            || catalog.find_any(key).is_ok_and(|found| found.path == skill.path)
    };
    // A fork leaves nothing in the conversation, so it is loaded again each time.
    let is_already_loaded = fork_rule(rule, &skill.frontmatter).is_none() && ask.already_loaded.iter().any(is_this);
    if is_already_loaded {
        return note_already_loaded(world, catalog, skill, ask.caller);
    }
    let mut loaded = empty(catalog, skill, ask.caller);
    // The file is read again, and only its current contents count (rule 12.1).
    let mut body = body::read(catalog, world, skill)?;
    // The catalog may be older than the file.
    catalog.check_again(skill, &body.frontmatter, ask.caller)?;
    let source = match catalog.dialect().loads_whole_file() {
        // What is not UTF-8 is not a skill.
        true => with_lf(Source::new(&String::from_utf8_lossy(&body.bytes)).text()).into_owned(),
        false => String::new(),
    };
    let mut trust = Trusted::new(body.path.clone(), body.bytes);
    let fork = fork_rule(rule, &body.frontmatter);
    let name = shown_name(display_name(catalog.dialect(), &body.frontmatter, &skill.path));
    if let Some(fork) = fork {
        // A fork has a prompt, and the caller holds all of its permissions (rules 16.5 and 16.6).
        if !fork.prompt_missing.source().is_empty() && ask.args.trim().is_empty() {
            return Err(fork.prompt_missing(&name));
        }
        let is_held = |tag: &str| Permission::parse(tag).is_some_and(|permission| world.host.holds(&permission));
        if let Some(tag) = body.frontmatter.run().permissions.iter().find(|tag| !is_held(tag)) {
            return Err(fork.permission_not_held(&visible(tag)));
        }
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
    let mut substituted = match substitution {
        None => Substituted::unchanged(body.text),
        Some(rule) => {
            let variable = |name: &str| variable(world, rule, &body.dir, name);
            let values =
                rule.variables.iter().filter_map(|known| Some((known.name.to_string(), variable(&known.name)?)));
            loaded.variables = values.collect();
            substitute(rule, &body.text, &ask.args, &body.frontmatter.run().arguments, &variable)
        }
    };
    let quote_error = substitution.and_then(|rule| rule.unclosed_quote.as_ref());
    if let Some(error) = quote_error.filter(|_| substituted.is_unclosed) {
        return Err(Error::BadArguments(error.to_string()));
    }
    if substituted.is_incomplete {
        let message = "the arguments are too long to be inserted everywhere, so some placeholders stay as written";
        let finding = Diagnostic::new(Severity::Warning, Code::TooLarge, skill.path.clone(), message);
        loaded.findings.push(finding.help("pass shorter arguments, or refer to them less often in the skill"));
    }
    if catalog.bans_commands() {
        substituted.ban_commands();
    }
    Substituted { text: loaded.body, commands: loaded.commands, appended_at: loaded.appended_at, .. } = substituted;
    if !loaded.commands.is_empty() {
        let what = if loaded.commands.len() == 1 { "a command that is" } else { "commands that are" };
        let message = format!("the text contains {what} to run first; none has been run");
        loaded.findings.push(Diagnostic::new(Severity::Note, Code::CommandsPending, skill.path.clone(), message));
    }
    loaded.is_fork = fork.is_some();
    loaded.shown_path = match body.path == skill.path {
        true => {
            let real = skill.target.as_ref().filter(|_| catalog.dialect().shown_paths != ShownPaths::Found);
            visible(&world.fs.display(real.unwrap_or(&body.path))).into_owned()
        }
        // A copy may have another path for the model.
        false => visible(&format!("{}/{}", body.dir, body.path.name())).into_owned(),
    };
    loaded.shown_dir = visible(&body.dir).into_owned();
    loaded.frontmatter = body.frontmatter;
    let values = FrameValues { name: &name, knowledge: &hint.text, source: &source, path: &body.path };
    fill_frame(world, catalog, skill, ask, &values, &mut loaded);
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
        active_location(world, catalog, skill)?;
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
            let finding = not_granted(skill, "its skill is not granted", &declared, refused);
            findings.push(finding.help("read the skill, and approve it if you would allow these tools yourself"));
            Some(Vec::new())
        }
    }
}

/// The dialect's rule for forks, if the skill with this frontmatter is one (rule 12.1).
pub(crate) fn fork_rule<'r>(rule: &'r LoadRule, frontmatter: &Frontmatter) -> Option<&'r ForkRule> {
    let run = frontmatter.run();
    rule.fork.as_ref().filter(|_| run.fork == Some(true) || run.sandbox)
}

/// The finding that a skill is not given these tools or permissions, as it is not trusted. `whom` says to whom they are not
/// given.
pub(crate) fn not_granted(skill: &Skill, whom: &str, names: &[String], refused: &Error) -> Diagnostic {
    let names = quoted(&names.iter().map(|name| visible(name)).collect::<Vec<_>>(), ", ");
    let (label, reason) = (&skill.source.label, untrusted_reason(refused));
    let message = format!("the source `{label}` is not trusted, so {whom} {names}{reason}");
    Diagnostic::new(Severity::Warning, Code::UntrustedGrant, skill.path.clone(), message)
}

/// A name without control characters (rule 7.7). The frontmatter reader has removed them from its names, but the name
/// of a folder may contain them.
pub(crate) fn shown_name(name: String) -> String {
    if one_line(&name) == name { name } else { visible(&name).into_owned() }
}

/// The value of `${NAME}` in a body.
fn variable(world: &World<'_>, rule: &Substitution, dir: &str, name: &str) -> Option<String> {
    match rule.variables.iter().find(|known| known.name == name)?.is {
        Variable::SkillDir => Some(dir.to_owned()),
        Variable::ProjectDir => world.places.project.as_ref().map(|project| world.fs.display(project).into_owned()),
        Variable::Host => world.host.variable(name),
    }
}

/// What is put into a frame besides the body and the arguments.
struct FrameValues<'v> {
    name: &'v str,
    knowledge: &'v str,
    /// The whole file as text, if the frame shows it.
    source: &'v str,
    path: &'v FsPath,
}

fn fill_frame(
    world: &World<'_>,
    catalog: &Catalog,
    skill: &Skill,
    ask: &LoadRequest,
    values: &FrameValues<'_>,
    loaded: &mut Loaded,
) {
    let rule = &catalog.dialect().load;
    let files = file_rows(world, rule, skill, loaded);
    // Few frames show these.
    let resources =
        LazyCell::new(|| Resources::among(loaded.files.iter().filter_map(|file| file.relative_to(&loaded.dir))));
    let tree = LazyCell::new(|| tree(world, rule, skill, values.path, &loaded.shown_dir));
    let variants = LazyCell::new(|| variants(catalog, skill, ask.caller));
    let children = child_rows(rule, loaded.children.iter().filter_map(|key| catalog.get(key)));
    let (key, asked) = (visible(&skill.key), visible(ask.asked.as_deref().unwrap_or(&skill.key)));
    let (inline, fork) = if loaded.is_fork { ("", "yes") } else { ("yes", "") };
    let value = |hole: &str| {
        let as_it_is = match hole {
            "body" => loaded.body.as_str(),
            "source" => values.source,
            "args" => ask.args.trim(),
            "inline" => inline,
            "fork" => fork,
            "files" => &files,
            "children" => &children,
            "knowledge" => values.knowledge,
            "scripts" => return Some(resource_rows(rule, skill, &loaded.shown_dir, &resources.scripts).into()),
            "references" => return Some(resource_rows(rule, skill, &loaded.shown_dir, &resources.references).into()),
            hole => {
                let (name, in_attribute) = split_hole(hole);
                let value = match name {
                    "key" => &*key,
                    "name" => values.name,
                    "asked" => &*asked,
                    "description" => loaded.frontmatter.description.as_deref().unwrap_or_default(),
                    "dir" => &loaded.shown_dir,
                    "path" => &loaded.shown_path,
                    "tree" => &tree,
                    "variants" => &variants,
                    _ => return None,
                };
                // Outside of attributes only what could be read as a tag is escaped, as the frame is Markdown there
                // (rule 12.6).
                return Some(match name {
                    "description" | "variants" if in_attribute || value.contains(['<', '>']) => {
                        escape_value(rule.escape, in_attribute, value)
                    }
                    _ if in_attribute => escaped_name(rule.escape, in_attribute, value),
                    _ => angles(value),
                });
            }
        };
        Some(Cow::Borrowed(as_it_is))
    };
    let len = rule.frame.source().len() + loaded.body.len() + files.len() + children.len() + values.source.len();
    let (mut text, mut body_at) = (String::with_capacity(len), None);
    rule.frame.render_with_offsets(&value, &mut text, &mut |hole, at| {
        if hole == "body" {
            body_at = Some(at);
        }
    });
    (loaded.text, loaded.body_at) = (text, body_at);
}

/// A name or path in a frame. Even where other text is not escaped, it must not be able to close the frame: a folder may
/// be called `</skill>` (rule 12.6).
fn escaped_name(escape: Escape, in_attribute: bool, value: &str) -> Cow<'_, str> {
    match escape {
        Escape::Plain => angles(value),
        Escape::Attributes if !in_attribute => angles(value),
        _ => escape_value(escape, in_attribute, value),
    }
}

/// The keys of the skills that were given another key than this one's because this one has it.
fn variants(catalog: &Catalog, skill: &Skill, caller: Caller) -> String {
    let EqualKeys::Qualify(_) = &catalog.dialect().equal_keys else { return String::new() };
    let is_variant = |other: &&Skill| {
        let is_longer = other.key.strip_suffix(skill.key.as_str()).is_some_and(|before| before.ends_with(':'));
        // A key with a namespace, or a name with a colon in it, was not changed.
        let is_unchanged = other.source.namespace.is_some()
            || other.frontmatter.namespace.is_some()
            || other.frontmatter.name.as_ref() == Some(&other.key)
            || location_name(&other.path) == other.key;
        is_longer && !is_unchanged && other.is_for(caller)
    };
    let keys: Vec<_> = catalog.skills().iter().filter(is_variant).map(|other| visible(&other.key)).collect();
    keys.join(", ")
}

/// Whether a path below the skill's folder leads through one of the folders whose files are not listed.
fn is_unlisted(rule: &LoadRule, relative: &str) -> bool {
    if rule.unlisted_folders.is_empty() {
        return false;
    }
    let folders = relative.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|name| is_unlisted_folder(rule, name))
}

/// Whether the files in folders of this name are not listed.
fn is_unlisted_folder(rule: &LoadRule, name: &str) -> bool {
    rule.unlisted_folders.iter().any(|unlisted| unlisted == name)
}

fn file_rows(world: &World<'_>, rule: &LoadRule, skill: &Skill, loaded: &Loaded) -> String {
    let mut rows = String::new();
    let mut count = 0;
    for file in &loaded.files {
        let relative = file.relative_to(&loaded.dir).unwrap_or(file.as_str());
        if is_unlisted(rule, relative) {
            continue;
        }
        count += 1;
        if count <= rule.max_files {
            rows.push_str(if count == 1 { "" } else { "\n" });
            file_row(rule, skill, relative, &|| world.fs.display(file), &mut rows);
        }
    }
    if rule.max_files < count && !rule.more_files.source().is_empty() {
        rows.push('\n');
        let count = (count - rule.max_files).to_string();
        fill(&rule.more_files, rule.escape, &[("count", &count)], &mut rows);
    }
    rows
}

fn file_row<'f>(
    rule: &LoadRule,
    skill: &'f Skill,
    relative: &'f str,
    absolute: &dyn Fn() -> Cow<'f, str>,
    out: &mut String,
) {
    let value = |hole: &str| {
        let (name, in_attribute) = split_hole(hole);
        let value = match name {
            "relative" => visible(relative),
            "absolute" => mapped(absolute(), visible),
            "key" => visible(&skill.key),
            _ => return None,
        };
        Some(mapped(value, |text| escaped_name(rule.escape, in_attribute, text)))
    };
    rule.file_row.render(&value, out);
}

fn resource_rows(rule: &LoadRule, skill: &Skill, dir: &str, names: &[String]) -> String {
    let mut rows = String::new();
    for (n, name) in names.iter().enumerate() {
        rows.push_str(if n == 0 { "" } else { "\n" });
        file_row(rule, skill, name, &|| Cow::Owned(format!("{dir}/{name}")), &mut rows);
    }
    rows
}

fn child_rows<'s>(rule: &LoadRule, children: impl Iterator<Item = &'s Skill>) -> String {
    let mut rows = String::new();
    for child in children {
        rows.push_str(if rows.is_empty() { "" } else { "\n" });
        // Rule 12.4: a one-line description
        let description = child.description().trim().lines().next().unwrap_or("").trim();
        let (key, name) = (visible(&child.key), visible(&child.name));
        let holes = [("key", &*key), ("name", &*name), ("description", description)];
        fill(&rule.child_row, rule.escape, &holes, &mut rows);
    }
    rows
}

/// What is drawn of a folder.
#[derive(Default)]
struct Contents<'p> {
    files: Vec<&'p str>,
    /// The paths of its folders below the skill's, each with whether its contents are drawn.
    folders: BTreeMap<&'p str, bool>,
}

/// One line of the drawing, and the path of the folder whose contents follow it.
struct Item<'p> {
    label: String,
    folder: Option<&'p str>,
}

/// The drawing of the folder of the skill whose SKILL.md was read at `path` (rule 12.9). `dir` is the folder as it is named to the
/// model.
fn tree(world: &World<'_>, rule: &LoadRule, skill: &Skill, path: &FsPath, dir: &str) -> String {
    let location = if *path == skill.path { Ok(skill.location()) } else { Location::now(world.fs, path) };
    // What cannot be listed has no files.
    let package = location.ok().map(|location| Folder::for_names(world.fs, &location).list());
    let contents = package.as_ref().map(|package| contents(rule, package)).unwrap_or_default();
    let (items, is_complete) = items(&contents);
    let mut text = format!("Showing up to {MAX_DRAWN} items (files + folders).");
    if !is_complete {
        text.push_str(&format!(
            " `{MORE}` marks folders with more items: they were skipped, or the limit of {MAX_DRAWN} items was reached."
        ));
    }
    text.push_str(&format!("\n\n{}/", dir.trim_end_matches('/')));
    draw(&items, &mut text);
    text
}

/// The contents of each folder, by its path below the skill's, which is empty for that itself. Symlinks are left out.
fn contents<'p>(rule: &LoadRule, package: &'p Package<'_>) -> HashMap<&'p str, Contents<'p>> {
    let mut all: HashMap<&str, Contents<'_>> = HashMap::new();
    for file in package.files.iter().filter(|file| file.target.is_none()) {
        let (dir, name) = file.name.rsplit_once('/').unwrap_or(("", &file.name));
        if add_folder(rule, &mut all, dir, true) {
            all.entry(dir).or_default().files.push(name);
        }
    }
    for other in &package.others {
        match other.kind {
            OtherKind::Folder => _ = add_folder(rule, &mut all, &other.name, true),
            OtherKind::NestedSkill => _ = add_folder(rule, &mut all, &other.name, false),
            OtherKind::Excluded if is_unlisted_folder(rule, last_name(&other.name)) => {
                add_folder(rule, &mut all, &other.name, false);
            }
            _ => {}
        }
    }
    all
}

/// Adds a folder, and those that lead to it, to the folders that contain them. Returns whether its contents are drawn.
fn add_folder<'p>(rule: &LoadRule, all: &mut HashMap<&'p str, Contents<'p>>, path: &'p str, is_drawn: bool) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| at).chain((!path.is_empty()).then_some(path.len()));
    for folder in ends.filter_map(|end| path.get(..end)) {
        let (parent, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        let is_drawn = !is_unlisted_folder(rule, name) && (is_drawn || folder != path);
        all.entry(parent).or_default().folders.entry(folder).or_insert(is_drawn);
        if !is_drawn {
            return false;
        }
    }
    true
}

/// The items of each folder that is drawn, files before folders; and whether these are all. If there are too many, those
/// nearest to the skill's folder are drawn.
fn items<'p>(all: &HashMap<&'p str, Contents<'p>>) -> (HashMap<&'p str, Vec<Item<'p>>>, bool) {
    let mut drawn: HashMap<&str, Vec<Item<'_>>> = HashMap::new();
    let (mut remaining, mut is_complete) = (MAX_DRAWN, true);
    let mut waiting = VecDeque::from([""]);
    while let Some(dir) = waiting.pop_front() {
        let Some(contents) = all.get(dir) else { continue };
        if remaining == 0 {
            is_complete = false;
            continue;
        }
        let (mut files, mut folders) = (contents.files.clone(), Vec::from_iter(&contents.folders));
        sort_by(&mut files, |a, b| (lower(a), a).cmp(&(lower(b), b)));
        sort_by(&mut folders, |(a, _), (b, _)| (lower(a), a).cmp(&(lower(b), b)));
        let files = files.iter().map(|name| Item { label: visible(name).into_owned(), folder: None });
        let folders = folders.iter().map(|(path, is_drawn)| {
            let more = if **is_drawn { "" } else { MORE };
            Item { label: format!("{}/{more}", visible(last_name(path))), folder: is_drawn.then_some(**path) }
        });
        let items = drawn.entry(dir).or_insert_with(|| files.chain(folders).take(remaining).collect());
        remaining -= items.len();
        waiting.extend(items.iter().filter_map(|item| item.folder));
        is_complete &= contents.folders.values().all(|is_drawn| *is_drawn);
        if items.len() < contents.files.len() + contents.folders.len() {
            items.push(Item { label: MORE.to_owned(), folder: None });
            is_complete = false;
        }
    }
    (drawn, is_complete)
}

/// Writes a line for each item, with the contents of a folder below it.
fn draw(items: &HashMap<&str, Vec<Item<'_>>>, text: &mut String) {
    let mut waiting = Vec::from([("", 0, String::new())]);
    while let Some((dir, at, indent)) = waiting.pop() {
        let Some(items) = items.get(dir) else { continue };
        let Some(item) = items.get(at) else { continue };
        let (connector, below) =
            if at + 1 == items.len() { ("└───", "    ") } else { ("├───", "│   ") };
        text.push_str(&format!("\n{indent}{connector}{}", item.label));
        let below = item.folder.map(|folder| (folder, 0, format!("{indent}{below}")));
        waiting.push((dir, at + 1, indent));
        waiting.extend(below);
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

impl Catalog {
    /// Loads the file that is asked for as `NAME/FILE`, for dialects whose load tool takes that. `None` if the dialect's does
    /// not, or if no skill that the caller may have is named so. Of a file larger than 262,144 bytes only the beginning is
    /// loaded.
    ///
    /// # Errors
    /// Returns the errors of [`FilePart::read`](crate::package::FilePart::read), and [`Error::Fs`] for a file that is not text.
    pub fn load_file(&self, world: &World<'_>, asked: &str, caller: Caller) -> Result<Option<Loaded>, Error> {
        let rule = &self.dialect().load;
        if rule.file_frame.source().is_empty() {
            return Ok(None);
        }
        // The name of a skill may have slashes too: the longest one counts.
        let splits = asked.rmatch_indices('/').filter_map(|(at, _)| Some((asked.get(..at)?, asked.get(at + 1..)?)));
        let mut found = splits.filter_map(|(name, rest)| Some((self.find(name, caller).ok()?, rest)));
        let Some((skill, name)) = found.next() else { return Ok(None) };
        let request = FileRequest { caller, name: name.to_owned(), offset: 0 };
        let asked = visible(asked);
        let part = match FilePart::read(world, self, skill, &request) {
            Err(_) if !rule.file_unknown.source().is_empty() => {
                let (dir, files) = (skill.dir(), skill.files(world));
                let names = files.iter().filter_map(|file| file.relative_to(&dir)).take(MAX_AVAILABLE).map(visible);
                let available = Vec::from_iter(names).join(", ");
                let holes = [("asked", &*asked), ("key", &*visible(&skill.key)), ("available", &available)];
                let mut said = String::new();
                fill(&rule.file_unknown, Escape::Plain, &holes, &mut said);
                return Err(Error::NotFound { said, near: Vec::new() });
            }
            part => part?,
        };
        let Some(content) = part.text else {
            return Err(FsError::Other { path: part.path, message: "it is not UTF-8 text".to_owned() }.into());
        };
        let mut loaded = empty(self, skill, caller);
        fill(&rule.file_frame, Escape::Plain, &[("asked", &asked), ("content", &content)], &mut loaded.text);
        loaded.body = content;
        loaded.files.push(part.path);
        Ok(Some(loaded))
    }
}

//! Finds the first rule that keeps a path from being a skill, for paths that discovery has not seen, and the SKILL.md files
//! that discovery does not reach.

use super::Why;
use crate::diagnostic::Code;
use crate::dialect::{Base, Dialect, LinkedFolders, Permitted, Reach, SourceRule};
use crate::discovery::catalog::Catalog;
use crate::discovery::extras::Noticed;
use crate::discovery::manifest::is_skill_file;
use crate::discovery::scan::{
    SKILL_FILE, UNPACK_HELP, below_link, is_never_entered, is_reserved, is_skipped, may_close, not_a_source,
    not_entered, real_copy_folders, reserved_folder, skill_file_index,
};
use crate::discovery::settings::Settings;
use crate::discovery::source::{Contents, SourceToScan, sources_with};
use crate::discovery::world::{Places, World};
use crate::fs::{Action, Entry, FileKind, Metadata, Step, VisitOutcome, Walk};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::list::quoted;
use crate::text::order::sort_by;
use std::iter;

/// How many folders are searched for SKILL.md files that discovery does not reach.
const MAX_DIRS: usize = 10_000;

/// How many of these files are named in a message.
const MAX_NAMED: usize = 3;

/// The rules of discovery, to be applied to a single path.
pub(crate) struct Exclusions<'a> {
    world: &'a World<'a>,
    dialect: &'a Dialect,
    settings: &'a Settings,
    pub(crate) places: Vec<SourceToScan>,
    /// The real path of the root of each place; `None` if it does not exist.
    real_roots: Vec<Option<FsPath>>,
}

impl<'a> Exclusions<'a> {
    pub(crate) fn new(world: &'a World<'a>, catalog: &'a Catalog) -> Exclusions<'a> {
        Exclusions::of(world, catalog.dialect(), catalog.settings())
    }

    /// The rules of this dialect, with what the settings of the client say.
    pub(crate) fn of(world: &'a World<'a>, dialect: &'a Dialect, settings: &'a Settings) -> Exclusions<'a> {
        let places = sources_with(world, dialect, settings, &mut Noticed::default());
        let real_roots = places.iter().map(|place| world.fs.canonical(&place.source.root).ok()).collect();
        Exclusions { world, dialect, settings, places, real_roots }
    }

    /// The path as a path in the innermost source that contains it, possibly through symlinks.
    pub(crate) fn in_source(&self, path: &FsPath) -> Option<FsPath> {
        self.inside(path, self.world.fs.canonical(path).ok().as_ref()).map(|(_, path)| path)
    }

    /// The innermost source that contains a path, and the path in it, possibly through symlinks. `real` is the real path, if
    /// it exists.
    fn inside(&self, path: &FsPath, real: Option<&FsPath>) -> Option<(&SourceToScan, FsPath)> {
        let named = |place: &SourceToScan| path.starts_with(&place.source.root).then(|| path.clone());
        let linked =
            |place: &SourceToScan, root: Option<&FsPath>| place.source.root.join(real?.relative_to(root?)?).ok();
        let places = self.places.iter().zip(&self.real_roots);
        let all =
            places.filter_map(|(place, root)| Some((place, named(place).or_else(|| linked(place, root.as_ref()))?)));
        all.max_by_key(|(place, _)| place.source.root.depth())
    }

    /// The first rule that keeps a file from being a skill, by its path and real path alone; `None` if it is in no
    /// source.
    pub(crate) fn file_rule(&self, path: &FsPath, real: &FsPath) -> Option<Why> {
        let metadata = Metadata { kind: FileKind::File, is_symlink: false, len: 0, stamp: None };
        self.inside(path, Some(real)).map(|(place, path)| self.within(place, &path, &metadata))
    }

    #[cfg(feature = "author")]
    pub(crate) fn in_no_source(&self, path: &FsPath) -> Why {
        skipped(path, Code::NotInSource, self.none_of_these(), self.where_to_put())
    }

    fn none_of_these(&self) -> String {
        format!("it is in none of the folders where `{}` looks for skills", self.dialect.name)
    }

    /// The first rule that keeps the path from being a skill. Returns `None` if the path does not exist.
    pub(crate) fn rule(&self, path: &FsPath) -> Option<Why> {
        let metadata = self.world.fs.metadata(path).ok().flatten()?;
        let real = self.world.fs.canonical(path).ok();
        let inside = self.inside(path, real.as_ref());
        // A SKILL.md in no source is unseen, whatever it is.
        if metadata.kind == FileKind::Broken && (inside.is_some() || !is_skill_file(path.name())) {
            let message = "broken symlink: its target does not exist";
            return Some(skipped(path, Code::BrokenSymlink, message, "fix or remove the symlink"));
        }
        let is_copy = |folder: &FsPath| real.as_ref().unwrap_or(path).starts_with(folder);
        if real_copy_folders(self.world, self.dialect).iter().any(is_copy) {
            let why = Why::of_finding(&not_a_source(path.clone()));
            return Some(Why { help: Some("ask about the skill that was copied".to_owned()), ..why });
        }
        Some(match inside {
            Some((place, path)) => self.within(place, &path, &metadata),
            None => self.outside(path, &metadata),
        })
    }

    fn within(&self, place: &SourceToScan, path: &FsPath, metadata: &Metadata) -> Why {
        let root = &place.source.root;
        let is_dir = metadata.kind == FileKind::Dir;
        let folder = if is_dir { Some(path.clone()) } else { path.parent() };
        let folder = folder.filter(|folder| folder.starts_with(root)).unwrap_or_else(|| root.clone());
        let mut at = root.clone();
        let rule = place.scan_rule(self.dialect);
        let may_be_skill = is_dir || is_skill_file(path.name());
        let reads_own_skill_alone = may_be_skill && place.linked_folders == LinkedFolders::OwnSkill;
        for name in folder.relative_to(root).unwrap_or_default().split('/').filter(|name| !name.is_empty()) {
            at = at.child(name).unwrap_or(at);
            if at.parent().as_ref() == Some(root) && is_reserved(&rule, name) {
                return Why::of_finding(&reserved_folder(at, &self.dialect.name));
            }
            if is_skipped(&rule, name) {
                return Why::of_finding(&not_entered(at, &rule, self.dialect));
            }
            let is_link = || matches!(self.world.fs.metadata(&at), Ok(Some(found)) if found.is_symlink);
            if reads_own_skill_alone && at != folder && is_link() {
                return Why::of_finding(&below_link(path.clone(), &self.dialect.name));
            }
        }
        if rule.nested == Permitted::No && may_be_skill {
            let holders = iter::successors(folder.parent(), FsPath::parent).take_while(|at| at.starts_with(root));
            let is_read = |at: &FsPath| at != root || rule.root == Permitted::Yes;
            if let Some(holder) = holders.filter(is_read).find(|at| self.is_closed(at)) {
                let message = format!(
                    "it lies in the folder of the skill `{holder}`, in which `{}` looks for no others",
                    self.dialect.name
                );
                return skipped(path, Code::NotEntered, message, "move its folder out of that skill");
            }
        }
        let level = folder.depth().saturating_sub(root.depth());
        let below = if is_dir { skill_files(self.world, path) } else { Vec::new() };
        let is_skill = !is_dir && is_skill_file(path.name());
        // How many levels of folders are read; `None` means all.
        let depth = match place.contents {
            Contents::Folders | Contents::FoldersAndFiles | Contents::Plugins => self.dialect.scan.depth,
            Contents::Skill | Contents::Commands => Some(0),
        };
        match depth {
            _ if !is_dir && !is_skill => {
                let message = format!("expected the name `{SKILL_FILE}`, got `{}`", path.name());
                let is_archive = [".skill", ".zip"].iter().any(|ending| path.name().ends_with(ending));
                let rename = || format!("rename it to `{SKILL_FILE}` if it is meant to be a skill");
                let help = if is_archive { UNPACK_HELP.to_owned() } else { rename() };
                self.part((place, path), Code::NotSkillFile, message, help)
            }
            _ if is_dir && below.is_empty() => {
                let message = format!("the folder contains no {SKILL_FILE}, and neither do its subfolders");
                self.part((place, path), Code::NoSkill, message, self.where_to_put())
            }
            Some(0) if level > 0 => {
                let message = format!("no folders are searched in `{root}`, which is not a folder of skills");
                let help = match place.contents {
                    Contents::Skill => format!("register it too: `--register ID={folder}`"),
                    _ => self.where_to_put(),
                };
                skipped(path, Code::TooDeep, message, help)
            }
            Some(depth) if depth < level => {
                let message = format!(
                    "the {} {level} folders deep, and only {depth} {} looked at{}",
                    if is_dir { "folder is" } else { "skill is" },
                    if depth == 1 { "is" } else { "are" },
                    named(path, &below)
                );
                let help = format!("move the skill's folder up, to just below `{root}`");
                skipped(path, Code::TooDeep, message, help)
            }
            _ if is_dir => {
                let message = format!("the folder itself contains no {SKILL_FILE}{}", named(path, &below));
                skipped(path, Code::NoSkill, message, "ask about one of these files")
            }
            _ if metadata.kind != FileKind::File => {
                let message = format!("the {SKILL_FILE} is not a regular file");
                skipped(path, Code::NotAFile, message, format!("put a regular file named `{SKILL_FILE}` there"))
            }
            _ => {
                let help = "run discovery again, as the file may be new";
                skipped(path, Code::NotInSource, "discovery did not see this file", help)
            }
        }
    }

    /// Whether a scan reads a SKILL.md in this folder and so stays out of the folders below it, where skills do not lie in skills.
    fn is_closed(&self, folder: &FsPath) -> bool {
        let reading = self.world.reading.unwrap_or(self.dialect.reading);
        let entries = self.world.fs.list(folder).unwrap_or_default();
        skill_file_index(entries.iter()).is_some_and(|at| may_close(reading, &entries[at].name))
    }

    /// The file of this name in a folder, if it is there.
    fn skill_file(&self, folder: &FsPath, name: &str) -> Option<FsPath> {
        let file = folder.child(name).ok()?;
        let metadata = self.world.fs.metadata(&file).ok().flatten()?;
        (metadata.kind == FileKind::File).then_some(file)
    }

    /// That a file is no skill as it defines a slash command, as in several skill systems: Markdown in `commands` of a hidden folder.
    pub(crate) fn command_file(&self, path: &FsPath) -> Option<Why> {
        let names: Vec<&str> = path.as_str().split('/').collect();
        let is_markdown = path.name().to_ascii_lowercase().ends_with(".md") && !is_skill_file(path.name());
        if !is_markdown || !names.windows(2).any(|pair| matches!(pair, [dir, "commands"] if dir.starts_with('.'))) {
            return None;
        }
        let message = format!("a command file is not a skill: expected a folder that contains a {SKILL_FILE}");
        let name = path.name().rsplit_once('.').map_or(path.name(), |(stem, _)| stem);
        let help = format!("move its text to `{}/{SKILL_FILE}`, in {}", visible(name), self.roots_named());
        Some(skipped(path, Code::CommandFile, message, help))
    }

    fn outside(&self, path: &FsPath, metadata: &Metadata) -> Why {
        let is_dir = metadata.kind == FileKind::Dir;
        if let Some(why) = self.command_file(path).filter(|_| !is_dir) {
            return why;
        }
        if let Some((project, root)) = self.of_another_project(path) {
            if self.world.places.project.as_ref().is_some_and(|own| project.starts_with(own)) {
                return self.in_nested_source(path, project, &root);
            }
            let but = match &self.world.places.project {
                Some(own) => format!("the current project is `{own}`"),
                None => "no project is set".to_owned(),
            };
            let message = format!("it is in `{root}`, a source of the project `{project}`, but {but}");
            let help = format!("use `{project}` as the project");
            return Why { project: Some(project), ..skipped(path, Code::NotInSource, message, help) };
        }
        let below = if is_dir { skill_files(self.world, path) } else { Vec::new() };
        if is_dir && self.places.iter().any(|place| place.source.root.starts_with(path)) {
            let message = format!("no source in this folder contains a skill{}", named(path, &below));
            return skipped(path, Code::NoSkill, message, self.where_to_put());
        }
        let mut message = self.none_of_these();
        message.push_str(&named(path, &below));
        if !is_dir && !is_skill_file(path.name()) {
            message.push_str(&format!(", and its name is not `{SKILL_FILE}`"));
        }
        if let Some(name) = path.as_str().split('/').find(|name| is_never_entered(name)) {
            message.push_str(&format!(", and folders named `{}` are never searched", visible(name)));
        }
        skipped(path, Code::NotInSource, message, self.where_to_put())
    }

    #[cfg(feature = "author")]
    /// The rule for a file in no source, if it lies where a folder below the project would have one.
    pub(crate) fn nested_rule(&self, path: &FsPath) -> Option<Why> {
        let own = self.world.places.project.as_ref()?;
        let (folder, root) = self.of_another_project(path).filter(|(folder, _)| folder.starts_with(own))?;
        Some(self.in_nested_source(path, folder, &root))
    }

    /// The rule for a path in `root`, which would be a source if `folder`, below the project, were the project.
    pub(crate) fn in_nested_source(&self, path: &FsPath, folder: FsPath, root: &FsPath) -> Why {
        let is_its_root = |rule: &SourceRule| folder.join(&rule.path).as_ref() == Ok(root);
        if !self.dialect.sources.iter().any(|rule| rule.reach == Reach::Below && is_its_root(rule)) {
            let message = format!("`{}` does not look for skills in folders below the project", self.dialect.name);
            let help = format!("add `{root}` as a source, or use `{folder}` as the project");
            return Why { project: Some(folder), ..skipped(path, Code::NotInSource, message, help) };
        }
        let touching = Places { touched: vec![folder.clone()], ..self.world.places.clone() };
        let world = World { places: &touching, ..*self.world };
        let places = sources_with(&world, self.dialect, self.settings, &mut Noticed::default());
        if let Some(place) = places.iter().find(|place| place.source.root == *root) {
            // To work on a file there does not help a skill that is left out even then.
            let metadata = self.world.fs.metadata(path).ok().flatten();
            let why = metadata.map(|metadata| self.within(place, path, &metadata));
            if let Some(why) = why.filter(|why| matches!(why.code, Some(Code::TooDeep | Code::NotEntered))) {
                return why;
            }
            let message =
                format!("`{}` reads `{root}` only while a file in `{folder}` is being worked on", self.dialect.name);
            let help = format!("name `{folder}`, or a file in it, as being worked on");
            return skipped(path, Code::NestedSource, message, help);
        }
        let message = format!("`{}` leaves out folders that git ignores, such as `{folder}`", self.dialect.name);
        skipped(path, Code::NotInSource, message, format!("change the `.gitignore`, or add `{root}` as a source"))
    }

    /// The rule for a path in a source that is not a skill, but may belong to the nearest one above it.
    fn part(&self, (place, path): (&SourceToScan, &FsPath), code: Code, message: String, help: String) -> Why {
        let root = &place.source.root;
        let may_root_be_skill =
            place.contents == Contents::Skill || place.scan_rule(self.dialect).root == Permitted::Yes;
        let above = iter::successors(path.parent(), FsPath::parent).take_while(|dir| dir.starts_with(root));
        let mut above = above.filter(|dir| dir != root || may_root_be_skill);
        let names = [SKILL_FILE, "skill.md"];
        match above.find_map(|dir| names.iter().find_map(|name| self.skill_file(&dir, name))) {
            Some(file) => {
                skipped(path, code, format!("{message}; it belongs to the skill `{file}`"), "ask about that SKILL.md")
            }
            None => skipped(path, code, message, help),
        }
    }

    /// The other project in which the path would be found, and the source there.
    fn of_another_project(&self, path: &FsPath) -> Option<(FsPath, FsPath)> {
        let own = self.world.places.project.as_ref();
        iter::successors(Some(path.clone()), FsPath::parent).find_map(|dir| {
            self.project_rules().find_map(|(rule, rel)| {
                let rest = dir.as_str().strip_suffix(rel)?.strip_suffix('/')?;
                let project = FsPath::new(if rest.is_empty() { "/" } else { rest }).ok()?;
                // Many folders contain a folder `skills`, so that alone does not make them a project.
                let is_one = rule.base == Base::Project || own.is_some_and(|own| own.starts_with(&project));
                (own != Some(&project) && is_one).then(|| (project, dir.clone()))
            })
        })
    }

    /// The rules of the sources in the project, with their paths below it.
    fn project_rules(&self) -> impl Iterator<Item = (&SourceRule, &str)> {
        let places = self.world.places;
        let rules = if places.only_roots { &[][..] } else { &self.dialect.sources };
        rules.iter().filter_map(|rule| {
            let is_named = match rule.base {
                Base::Project => return Some((rule, rule.path.as_ref())),
                Base::Bundled => places.bundled.is_some(),
                Base::Config => places.config.is_some(),
                Base::User => places.user.is_some(),
                Base::Managed => places.managed.is_some(),
                Base::Home | Base::Registered => true,
            };
            rule.project_fallback.as_deref().filter(|_| !is_named).map(|rel| (rule, rel))
        })
    }

    fn where_to_put(&self) -> String {
        format!("move the skill's folder into {}, or add its folder as a source", self.roots_named())
    }

    fn roots_named(&self) -> String {
        match self.roots() {
            roots if roots.is_empty() => "a source (none exists yet)".to_owned(),
            roots => quoted(&roots.iter().map(|root| root.as_str().to_owned()).collect::<Vec<_>>(), " or "),
        }
    }

    /// The roots of the sources, without duplicates.
    pub(crate) fn roots(&self) -> Vec<FsPath> {
        let mut roots: Vec<FsPath> = Vec::new();
        // A folder of command files takes no folders of skills.
        for place in self.places.iter().filter(|place| place.contents != Contents::Commands) {
            if !roots.contains(&place.source.root) {
                roots.push(place.source.root.clone());
            }
        }
        roots
    }

    /// The SKILL.md files in the sources, in the project, and in the sources of the folders that contain the project.
    pub(crate) fn unreached(&self) -> Vec<FsPath> {
        let places = self.world.places;
        let mut tops: Vec<FsPath> = self.roots();
        tops.extend(places.project.clone().filter(|_| !places.only_roots));
        let mut files: Vec<FsPath> = tops.iter().flat_map(|top| skill_files(self.world, top)).collect();
        files.extend(self.above_project());
        files
    }

    /// The SKILL.md files in the sources of the folders that contain the project.
    pub(crate) fn above_project(&self) -> Vec<FsPath> {
        let project = self.world.places.project.as_ref().filter(|_| !self.world.places.only_roots);
        let above = iter::successors(project.and_then(FsPath::parent), FsPath::parent);
        let tops = above.flat_map(|dir| self.project_rules().filter_map(move |(_, rel)| dir.join(rel).ok()));
        tops.flat_map(|top| skill_files(self.world, &top)).collect()
    }
}

/// The end of a message about a folder, with the first SKILL.md files below it.
fn named(dir: &FsPath, files: &[FsPath]) -> String {
    let names =
        files.iter().take(MAX_NAMED).filter_map(|file| file.relative_to(dir)).map(|name| visible(name).into_owned());
    let names: Vec<String> = names.collect();
    match files.len().saturating_sub(MAX_NAMED) {
        _ if names.is_empty() => String::new(),
        0 => format!("; below it is {}", quoted(&names, ", ")),
        more => format!("; below it are {} and {more} more", quoted(&names, ", ")),
    }
}

/// The SKILL.md files of a tree, sorted by path. Symlinks are not followed.
fn skill_files(world: &World<'_>, root: &FsPath) -> Vec<FsPath> {
    let step = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
        for (n, entry) in entries.iter().enumerate() {
            match entry.kind {
                FileKind::Dir if entry.is_symlink || entry.is_lossy || is_never_entered(&entry.name) => {}
                FileKind::Dir => steps.push(Step { entry: n, action: Action::Enter }),
                FileKind::File if is_skill_file(&entry.name) => steps.push(Step { entry: n, action: Action::Report }),
                _ => {}
            }
        }
    };
    let mut files = Vec::new();
    world.fs.walk(&Walk { root, step: &step, prefix_len: 0, max_dirs: MAX_DIRS }, &mut |visit| match visit.take() {
        VisitOutcome::Listed(noted) => {
            files.extend(noted.iter().filter_map(|noted| visit.dir.child(&noted.entry.name).ok()));
        }
        VisitOutcome::Restarted => files.clear(),
        VisitOutcome::Cut | VisitOutcome::Failed(_) => {}
    });
    sort_by(&mut files, Ord::cmp);
    files
}

fn skipped(path: &FsPath, code: Code, message: impl Into<String>, help: impl Into<String>) -> Why {
    Why::skipped(path, code, message, Some(help.into()))
}

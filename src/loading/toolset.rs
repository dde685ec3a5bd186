//! Plans to load the toolsets of a skill: [`ToolsetPlans::of`] returns a plan for each toolset that it declares as
//! `path:Export`, and a finding for each that does not exist. `host::Toolset` loads a planned toolset.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::{is_single_file, toolset_parts};
use crate::discovery::world::World;
use crate::fs::{FileKind, FsError};
use crate::loading::script::Language;
use crate::model::error::Error;
use crate::model::skill::{Skill, State};
use crate::package::body;
use crate::package::trust::{ExpectedContents, trusted};
use crate::path::{FsPath, PathError};
use crate::text::escape::visible;
use crate::text::words::excerpt;
use std::collections::HashSet;
use std::iter;

/// The extensions to try for a path without one. The first file that exists is used.
const ENDINGS: &[&str] = &[".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".py"];

/// How many characters of a declaration are shown in a message.
const MAX_SHOWN_CHARS: usize = 60;

/// The toolsets of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolsetPlans {
    /// The plans in the order of the declarations, without duplicates.
    pub plans: Vec<ToolsetPlan>,
    /// One finding for each declared toolset that does not exist.
    pub findings: Vec<Diagnostic>,
}

/// How to load a toolset.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolsetPlan {
    /// The skill's key.
    pub key: String,
    /// The toolset as declared: `toolsets/index:HelloToolset`.
    pub spec: String,
    /// The real path of the file, which is in `dir`.
    pub file: FsPath,
    /// The name that the file exports.
    pub export: String,
    /// The real path of the skill's folder, which is the working directory.
    pub dir: FsPath,
    /// The language of the file.
    pub language: Language,
    /// The environment variables that the skill requires. The toolset may read them besides the usual ones.
    pub variables: Vec<String>,
    /// Whether the skill contains the library `zod` where the file can import it.
    pub brings_zod: bool,
    /// The contents that the skill's folder must have when the toolset is started; `None` if the skill is trusted whatever
    /// it contains.
    pub expected_contents: Option<ExpectedContents>,
}

impl ToolsetPlans {
    /// The paths below the skill that a declaration `path:Export` may mean, in the order in which they are tried.
    pub fn paths_of(declared: &str) -> impl Iterator<Item = String> {
        let path = declared.split_once(':').map_or(declared, |(path, _)| path).trim().to_owned();
        let with_endings = |stem: String| ENDINGS.iter().map(move |ending| format!("{stem}{ending}"));
        iter::once(path.clone()).chain(with_endings(path.clone())).chain(with_endings(format!("{path}/index")))
    }

    /// The toolsets that a skill declares.
    ///
    /// ```
    /// use skilltree::{Caller, FsPath, MemFs, Places, World};
    /// use skilltree::loading::Language;
    /// let mut fs = MemFs::new();
    /// fs.file("/s/hi/SKILL.md", "---\nname: hi\ndescription: Hi.\ntoolsets: [\"toolsets/index:Hi\"]\n---\n");
    /// fs.file("/s/hi/toolsets/index.ts", "export const Hi = [];");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// # struct Trusting;
    /// # impl skilltree::Host for Trusting { fn trusts(&self, _: &skilltree::Skill) -> skilltree::Trust { skilltree::Trust::Yes } }
    /// let world = World::new(&fs, &places, &Trusting);
    /// let catalog = skilltree::discover(&world, &skilltree::dialect("agent-base").unwrap());
    /// let toolsets = skilltree::loading::ToolsetPlans::of(&world, &catalog, catalog.find("hi", Caller::User)?)?;
    /// assert_eq!(toolsets.plans[0].file.as_str(), "/s/hi/toolsets/index.ts");
    /// assert_eq!(toolsets.plans[0].language, Language::TypeScript);
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Untrusted`] and [`Error::ApprovalVoid`] unless the host trusts the skill; [`Error::Disabled`] where it is switched off; and as
    /// [`load`](crate::load()) where the skill cannot be read.
    pub fn of(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Result<ToolsetPlans, Error> {
        if skill.state == State::Disabled {
            return Err(catalog.disabled(skill));
        }
        let body = body::read(catalog, world, skill)?;
        let specs = &body.frontmatter.run().toolsets;
        let mut toolsets = ToolsetPlans::default();
        if specs.is_empty() {
            return Ok(toolsets);
        }
        let pinned = trusted(world, skill, &body.path, &body.bytes)?;
        let place = Place::of(world, &body.path)?;
        let mut planned = HashSet::new();
        for spec in specs.iter().filter(|spec| planned.insert(spec.as_str())) {
            match place.plan(spec) {
                Ok(found) => toolsets.plans.push(ToolsetPlan {
                    key: skill.key.clone(),
                    spec: spec.clone(),
                    file: found.file,
                    export: found.export,
                    dir: place.real.clone(),
                    language: found.language,
                    variables: body.frontmatter.environment_variables(),
                    brings_zod: found.brings_zod,
                    expected_contents: pinned.clone(),
                }),
                Err(fault) => toolsets.findings.push(place.finding(spec, fault)),
            }
        }
        Ok(toolsets)
    }
}

/// The finding for a toolset declared in this SKILL.md, if it does not exist. An invalid form has its own finding.
pub(crate) fn fault(world: &World<'_>, skill: &FsPath, spec: &str) -> Option<Diagnostic> {
    toolset_parts(spec)?;
    let place = Place::of(world, skill).ok()?;
    Some(place.finding(spec, place.plan(spec).err()?))
}

/// Plans a toolset again in a copy of its skill's folder, whose SKILL.md is `skill`. Returns `None` if the copy has no such
/// toolset.
#[cfg(feature = "processes")]
pub(crate) fn in_copy(world: &World<'_>, skill: &FsPath, plan: &ToolsetPlan) -> Result<Option<ToolsetPlan>, Error> {
    let place = Place::of(world, skill)?;
    let found = place.plan(&plan.spec).ok();
    Ok(found.map(|Found { file, language, brings_zod, .. }| ToolsetPlan {
        file,
        language,
        brings_zod,
        dir: place.real,
        ..plan.clone()
    }))
}

/// Why a declared toolset cannot be loaded: the code, the message and the help of its finding.
type Fault = (Code, String, &'static str);

struct Place<'a> {
    world: &'a World<'a>,
    /// The SKILL.md.
    skill: &'a FsPath,
    /// The path of its folder as it was found.
    dir: FsPath,
    /// The real path of its folder.
    real: FsPath,
}

struct Found {
    export: String,
    file: FsPath,
    language: Language,
    brings_zod: bool,
}

impl<'a> Place<'a> {
    fn of(world: &'a World<'a>, skill: &'a FsPath) -> Result<Place<'a>, FsError> {
        let dir = skill.parent().ok_or_else(|| FsError::NotFound(skill.clone()))?;
        let real = world.fs.canonical(&dir)?;
        Ok(Place { world, skill, dir, real })
    }

    fn finding(&self, spec: &str, (code, why, help): Fault) -> Diagnostic {
        let message = format!("the toolset `{}` {why}", excerpt(spec, MAX_SHOWN_CHARS));
        Diagnostic::new(Severity::Error, code, self.skill.clone(), message).help(help)
    }

    fn plan(&self, spec: &str) -> Result<Found, Fault> {
        let Some((path, export)) = toolset_parts(spec) else {
            let help = "write the path of a file in the skill, a colon, and the name of its export";
            return Err((Code::ToolsetInvalid, "is not of the form `path:Export`".to_owned(), help));
        };
        let (file, language) = self.found(path)?;
        Ok(Found { export: export.to_owned(), brings_zod: self.brings_zod(&file), file, language })
    }

    /// The file of a path: the path itself, otherwise with an extension, otherwise the index file of a folder.
    fn found(&self, path: &str) -> Result<(FsPath, Language), Fault> {
        let fault = |why: &str| {
            (Code::ToolsetInvalid, why.to_owned(), "write a path inside the skill's folder, without `..` and `\\`")
        };
        if path.starts_with('/') || is_single_file(self.skill) {
            return Err(fault("is not in a folder of the skill"));
        }
        let base = match self.dir.join(path) {
            Err(PathError::Climbs(_)) => return Err(fault("leads outside of the skill's folder")),
            Err(_) => return Err(fault("has an invalid path")),
            Ok(_) if path.contains('\\') || path.split('/').any(|name| name == "..") => {
                return Err(fault("does not have a plain path"));
            }
            Ok(base) => base,
        };
        let with = |stem: &str| -> Vec<FsPath> {
            let ended = ENDINGS.iter().filter_map(|ending| FsPath::new(&format!("{stem}{ending}")).ok());
            ended.filter(|file| self.is_file(file)).collect()
        };
        let mut found = if self.is_file(&base) { vec![base.clone()] } else { with(base.as_str()) };
        if found.is_empty() {
            found = with(&format!("{base}/index"));
        }
        let Some(file) = found.first() else {
            let tried = ENDINGS.join(" ");
            let what = format!("the path itself, with the extensions {tried}, and as a folder with an index file");
            let help = "correct the path, or add the file";
            return Err((Code::ToolsetMissing, format!("does not exist: tried {what}"), help));
        };
        let is_python = |file: &FsPath| Language::of(file.name()) == Some(Language::Python);
        if let Some(other) = found.iter().find(|other| is_python(other) != is_python(file)) {
            let why = format!("may be `{}` or `{}`", visible(file.name()), visible(other.name()));
            return Err((Code::ToolsetInvalid, why, "write the path with its file extension"));
        }
        let real = match self.world.fs.canonical(file) {
            Ok(real) if real.starts_with(&self.real) => real,
            Ok(_) | Err(FsError::Escapes(_)) => {
                let help = "copy the file into the skill's folder";
                return Err((Code::ToolsetInvalid, "leads outside of the skill's folder".to_owned(), help));
            }
            Err(error) => return Err(fault(&format!("cannot be read: {error}"))),
        };
        // The runtimes use the real name of the file.
        let language = Language::of(real.name()).filter(|language| language.has_modules());
        let language = language.ok_or_else(|| {
            let why = format!("is not in a supported language: `{}`", visible(real.name()));
            (Code::ToolsetInvalid, why, "toolsets are written in TypeScript, JavaScript or Python")
        })?;
        Ok((real, language))
    }

    fn is_file(&self, file: &FsPath) -> bool {
        matches!(self.world.fs.metadata(file), Ok(Some(metadata)) if metadata.kind == FileKind::File)
    }

    /// Whether the skill contains the library `zod` where this file can import it.
    fn brings_zod(&self, file: &FsPath) -> bool {
        let is_inside = |file: FsPath| {
            self.world.fs.canonical(&file).is_ok_and(|real| real.starts_with(&self.real) && self.is_file(&real))
        };
        iter::successors(file.parent(), FsPath::parent)
            .take_while(|dir| dir.starts_with(&self.real))
            .any(|dir| dir.join("node_modules/zod/package.json").is_ok_and(is_inside))
    }
}

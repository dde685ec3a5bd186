//! The packages of the Agent Plugins specification, version 1.0 (agent-plugins.org): the manifest `plugin.json` of each, which is
//! closed, and its folder of skills (rule 2.19).

use super::Contents;
use super::plugins::{MAX_MANIFEST_BYTES, PluginSkills, entries_of, folders_in, unlisted_plugins};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{
    DescriptionFallback, Dialect, EqualPackages, FieldRole, Limit, MissingFrontmatter, Namespace, OtherScalars,
    OverLimit, PackageRule, Permitted, ScanRule, StandardFields,
};
use crate::discovery::extras::Noticed;
use crate::discovery::small_file::{SmallFileError, read_json_file};
use crate::discovery::world::World;
use crate::fs::{Fs, FsError, is_dir};
use crate::model::skill::{ContainedFs, Containment};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::json::Json;
use crate::text::locale;
use crate::text::order::sort_by;
use crate::text::words::excerpt;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// The manifest of a package, in its folder.
const MANIFEST: &str = "plugin.json";

/// The folder of skills of a package.
const SKILLS: &str = "skills";

/// What the schemas of all versions begin with.
const SCHEMAS: &str = "https://agent-plugins.org/schemas/";

/// The schema of version 1.0.
const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";

/// How many characters the name of a package has at most.
const NAME_CHARS: usize = 64;

/// Whether a folder has a manifest of a package, of whatever version.
pub(super) fn is_package(fs: &dyn Fs, folder: &FsPath) -> bool {
    let Ok(file) = folder.child(MANIFEST) else { return false };
    match read_json_file(fs, &file, MAX_MANIFEST_BYTES) {
        Ok(Some((_, json))) => is_of_specification(&json),
        Ok(None) | Err(_) => false,
    }
}

/// The folders of skills of the packages in the folder `root`.
pub(super) fn packages(
    world: &World<'_>,
    dialect: &Dialect,
    root: &FsPath,
    noticed: &mut Noticed,
) -> Vec<PluginSkills> {
    let Some(rule) = &dialect.packages else { return Vec::new() };
    let Some(entries) = entries_of(world, root, noticed) else { return Vec::new() };
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for (_, folder) in folders_in(root, &entries, noticed) {
        let real = match world.fs.canonical(&folder) {
            Ok(real) => real,
            Err(FsError::Pending(path)) => {
                noticed.pending.push(path);
                continue;
            }
            Err(error) => {
                noticed.findings.push(unlisted_plugins(&folder, &error));
                continue;
            }
        };
        if seen.insert(real.clone()) {
            found.extend(Package::read(world, dialect, rule, real, noticed));
        }
    }
    sort_by(&mut found, |one, other| {
        let by_path = || locale::compare(one.folder.as_str(), other.folder.as_str());
        one.namespace.cmp(&other.namespace).then_with(by_path)
    });
    let (rules, mut skills) = (Arc::new(dialect.in_packages(rule)), Vec::new());
    for twins in found.chunk_by(|one, other| one.namespace == other.namespace) {
        let is_none_kept = rule.equal_packages == EqualPackages::None && 1 < twins.len();
        let (kept, left_out) = twins.split_at(usize::from(!is_none_kept));
        noticed.findings.extend(left_out.iter().map(|package| taken(&package.namespace, &package.folder)));
        skills.extend(kept.iter().map(|package| PluginSkills {
            name: package.namespace.clone(),
            id: None,
            dir: package.dir.clone(),
            contents: Contents::Folders,
            package: Some((Arc::clone(&rules), Arc::new(within(&package.folder)))),
        }));
    }
    skills
}

/// The finding about a package that is left out, as another one has its name.
pub(super) fn taken(namespace: &str, folder: &FsPath) -> Diagnostic {
    let message =
        format!("the package is ignored: there is another one whose skills are named `{}:…`", visible(namespace));
    Diagnostic::new(Severity::Warning, Code::PluginInvalid, folder.clone(), message)
        .help("give the package another name in its `plugin.json`, or remove one of the two")
}

/// Where the symlinks of a package may lead: to its own folder, whatever repository that lies in.
fn within(folder: &FsPath) -> Containment {
    Containment { project: folder.clone(), home: Some(folder.clone()), trusted: Vec::new() }
}

struct Package {
    namespace: String,
    /// Its real path.
    folder: FsPath,
    /// The real path of its folder of skills.
    dir: FsPath,
}

impl Package {
    /// Reads the manifest in a folder; `None` if that is no package, or one that must not be read, which is reported.
    fn read(
        world: &World<'_>,
        dialect: &Dialect,
        rule: &PackageRule,
        folder: FsPath,
        noticed: &mut Noticed,
    ) -> Option<Package> {
        let (file, dir) = (folder.child(MANIFEST).ok()?, folder.child(SKILLS).ok()?);
        let containment = within(&folder);
        let files = ContainedFs::new(world.fs, Some(&containment));
        // What is said of the whole package is said of its folder, and so of each file in it.
        let mut report = |at: &FsPath, message: String, help: &str| {
            let finding = Diagnostic::new(Severity::Warning, Code::PluginInvalid, at.clone(), message);
            noticed.findings.push(finding.help(help));
        };
        let json = match read_json_file(&files, &file, MAX_MANIFEST_BYTES) {
            Ok(Some((_, json))) => json,
            Ok(None) => {
                // It may be a plugin of another kind, or no plugin at all.
                if dialect.plugin_manifests.is_empty() && is_dir(&files, &dir) {
                    report(
                        &folder,
                        format!("the package is ignored: expected a `{MANIFEST}` in its folder"),
                        WRITE_MANIFEST,
                    );
                }
                return None;
            }
            Err(SmallFileError::Pending(path)) => {
                noticed.pending.push(path);
                return None;
            }
            Err(SmallFileError::Corrupt(reason)) => {
                report(
                    &folder,
                    format!("the package is ignored: its manifest could not be read: {reason}"),
                    "fix the file",
                );
                return None;
            }
        };
        if !dialect.plugin_manifests.is_empty() && !is_of_specification(&json) {
            return None;
        }
        let name = match fault(&json) {
            Ok(name) => name,
            Err((reason, help)) => {
                report(&folder, format!("the package is ignored: {reason}"), help);
                return None;
            }
        };
        if rule.reserved.iter().any(|reserved| reserved == name) {
            let message = format!("the package is ignored: `{}` reserves the name `{name}`", dialect.name);
            report(&folder, message, "give the package another name");
            return None;
        }
        if let Some(odd) = ignored_field(&json) {
            let is_refused = rule.other_manifest_fields == Permitted::No;
            let (at, then) =
                if is_refused { (&folder, "the package is ignored") } else { (&file, "the field is ignored") };
            report(at, format!("{then}: {odd}"), USE_EXTENSIONS);
            if is_refused {
                return None;
            }
        }
        let namespace = match rule.namespace {
            Namespace::Name => name.to_owned(),
            Namespace::Identifier => identifier(name),
        };
        // A package need not have skills.
        let fault = match files.canonical(&dir) {
            Ok(real) if is_dir(&files, &real) => {
                return Some(Package { namespace, folder, dir: real });
            }
            Ok(_) => "expected a folder".to_owned(),
            Err(FsError::NotFound(_)) => return None,
            Err(FsError::Pending(path)) => {
                noticed.pending.push(path);
                return None;
            }
            Err(error) => error.reason(),
        };
        let message = format!("the skills of the package are ignored: {fault}");
        report(&dir, message, "put a folder of skills into the package itself");
        None
    }
}

const WRITE_MANIFEST: &str = "write one with `$schema` and `name`, or move its skills to a folder of skills";

const USE_EXTENSIONS: &str = "put what one client alone reads below `extensions`, under its domain name";

/// What the manifest in a folder breaks of the specification, whatever clients make of it. A folder that is no package has none.
pub(crate) fn manifest_findings(fs: &dyn Fs, folder: &FsPath) -> Vec<Diagnostic> {
    let Ok(file) = folder.child(MANIFEST) else { return Vec::new() };
    let containment = within(folder);
    let files = ContainedFs::new(fs, Some(&containment));
    let Ok(Some((_, json))) = read_json_file(&files, &file, MAX_MANIFEST_BYTES) else { return Vec::new() };
    if !is_of_specification(&json) {
        return Vec::new();
    }
    let finding = |severity, reason: String, help: &str| {
        let message = format!("the package breaks the Agent Plugins specification: {reason}");
        vec![Diagnostic::new(severity, Code::PluginInvalid, file.clone(), message).help(help)]
    };
    match (fault(&json), ignored_field(&json)) {
        (Err((reason, help)), _) => finding(Severity::Error, reason, help),
        (Ok(_), Some(odd)) => finding(Severity::Warning, odd, USE_EXTENSIONS),
        (Ok(_), None) => Vec::new(),
    }
}

/// The first field that clients ignore, and why.
fn ignored_field(json: &Json) -> Option<String> {
    let Json::Map(fields) = json else { return None };
    let unknown = fields.iter().map(|(key, _)| key.as_str()).find(|key| !FIELDS.contains(key));
    match (json.get("extensions"), unknown) {
        (None | Some(Json::Map(_)), None) => None,
        (None | Some(Json::Map(_)), Some(key)) => {
            Some(format!("the specification has no field `{}`", excerpt(key, 60)))
        }
        (Some(_), _) => Some("`extensions` is not an object".to_owned()),
    }
}

/// The fields of a manifest.
const FIELDS: [&str; 10] = [
    "$schema",
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "extensions",
];

fn schema(json: &Json) -> Option<&str> {
    json.get("$schema").and_then(Json::as_text)
}

/// Whether a manifest names the schema of some version of the specification.
fn is_of_specification(json: &Json) -> bool {
    schema(json).is_some_and(|schema| schema.starts_with(SCHEMAS))
}

/// The name of a package by its manifest. The error says why the package must not be read, and what to do about it.
fn fault(json: &Json) -> Result<&str, (String, &'static str)> {
    const TYPES: &str = "see the specification for the types of its fields";
    if !matches!(json, Json::Map(_)) {
        return Err(("its manifest is not an object".to_owned(), WRITE_MANIFEST));
    }
    match schema(json) {
        Some(SCHEMA) => {}
        Some(other) => {
            let reason = format!("its `$schema` is `{}`, expected `{SCHEMA}`", excerpt(other, 100));
            return Err((reason, "write the schema of version 1.0 if the package is of that version"));
        }
        None => return Err((format!("its manifest has no text `$schema`, expected `{SCHEMA}`"), "add the field")),
    }
    let text = |json: &Json, key: &str| match json.get(key) {
        None | Some(Json::Text(_)) => Ok(()),
        Some(_) => Err((format!("`{key}` is not a text"), TYPES)),
    };
    for key in ["version", "description", "homepage", "repository", "license"] {
        text(json, key)?;
    }
    match json.get("author") {
        None => {}
        Some(author @ Json::Map(fields)) => {
            const OF_AUTHOR: [&str; 3] = ["name", "email", "url"];
            if let Some((key, _)) = fields.iter().find(|(key, _)| !OF_AUTHOR.contains(&key.as_str())) {
                return Err((
                    format!("`author` has the field `{}`", excerpt(key, 60)),
                    "leave `name`, `email` and `url`",
                ));
            }
            OF_AUTHOR.iter().try_for_each(|key| text(author, key))?;
        }
        Some(_) => return Err(("`author` is not an object".to_owned(), TYPES)),
    }
    match json.get("keywords") {
        None => {}
        Some(Json::List(words)) if words.iter().all(|word| word.as_text().is_some()) => {}
        Some(_) => return Err(("`keywords` is not a list of texts".to_owned(), TYPES)),
    }
    let Some(name) = json.get("name").and_then(Json::as_text) else {
        return Err(("its manifest has no text `name`".to_owned(), "add the field"));
    };
    match is_name(name) {
        true => Ok(name),
        false => Err((
            format!("its name `{}` is not valid", excerpt(name, 80)),
            "write at most 64 lower-case letters and digits, with single hyphens and dots between them",
        )),
    }
}

/// Whether a text is a name by the specification: at most 64 of `a-z`, `0-9`, `-` and `.`, which begins and ends with a letter or
/// a digit, without `--` and `..`.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    let are_ends_plain = [bytes.first(), bytes.last()].iter().all(|end| end.is_some_and(|byte| is_plain(*byte)));
    are_ends_plain
        && bytes.len() <= NAME_CHARS
        && bytes.iter().all(|byte| is_plain(*byte) || matches!(byte, b'-' | b'.'))
        && !name.contains("--")
        && !name.contains("..")
}

/// A name as an identifier.
fn identifier(name: &str) -> String {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let before = if name.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    format!("{before}{}", name.replace(|c| !is_kept(c), "_"))
}

impl Dialect {
    /// The table by which the skills of packages are read: by the rules of the specification where `rule` says nothing else.
    fn in_packages(&self, rule: &PackageRule) -> Dialect {
        let limit = |role, max_chars| Limit { role, max_chars, over: OverLimit::Skip };
        let mut limits = vec![limit(FieldRole::Name, 64), limit(FieldRole::Description, 1024)];
        let mut header = self.header.clone();
        if matches!(rule.standard_fields, StandardFields::Typed | StandardFields::Only) {
            limits.push(limit(FieldRole::Compatibility, 500));
            header.other_scalars = OtherScalars::No;
        }
        let scan = ScanRule {
            depth: Some(1),
            root: Permitted::No,
            links_out: Permitted::No,
            reserved: Cow::Borrowed(&[]),
            skipped: Cow::Borrowed(&[]),
            skipped_parts: Cow::Borrowed(&[]),
            hidden: Permitted::Yes,
            linked_files: rule.linked_files,
            ..self.scan.clone()
        };
        Dialect {
            scan,
            header,
            missing_frontmatter: MissingFrontmatter::Skip,
            description_fallback: DescriptionFallback::None,
            fields: rule.fields.clone(),
            limits: Cow::Owned(limits),
            name_form: Some(rule.name_form),
            other_names: Permitted::No,
            other_folders: Permitted::No,
            standard_fields: rule.standard_fields,
            ..self.clone()
        }
    }
}

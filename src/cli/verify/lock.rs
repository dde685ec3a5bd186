//! The lock of this program, `skilltree.lock` of a project: the files of each of its skills with their hashes. Only this module knows the
//! format; the command `lock` writes it.
//!
//! It is JSON with sorted keys and a line for each file, so that two versions of it can be merged line by line. The `digest` of a skill is
//! the SHA-256 of what `sha256sum` prints about its files in byte order of their paths, so that a shell can check it. The `text_digest` is
//! the same of files with LF, which tells a change of line endings from others and decides nothing.

use super::data::{self, is_hex, is_inside};
use super::records::{Absent, Installed, Kind, Record, Scope, Shared};
use super::source::Sources;
use super::tree::{Endings, File, Files, digits, with_lf};
use super::{Distrust, Judgement, Said, Signer, Verdict, changes};
use crate::output::text::count;
use crate::setup::Setup;
use crate::trust::Trust;
use skilltree::fs::FileKind;
use skilltree::package::{Contents, FileContent, OtherEntry, OtherKind};
use skilltree::{Fs, FsError, FsPath, Json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The name of the file.
pub(crate) const NAME: &str = "skilltree.lock";
const VERSION: &str = "1";
/// Real projects have some hundred skills.
const MAX_SKILLS: usize = 20_000;
const PREFIX: &str = "sha256:";

/// What the name of a signature has besides that of its file, as `ssh-keygen -Y sign` writes it, and the purpose that it is made for.
const SIGNATURE: &str = ".sig";
pub(crate) const NAMESPACE: &str = "skilltree-lock";
/// The largest signature that is read. One with a key of RSA has some thousand bytes.
const MAX_SIGNATURE_BYTES: u64 = 64 << 10;

/// The skills of a lock by their paths: of each the folder below that of the lock, or the file if a client reads it as a skill.
pub(crate) type Locks = BTreeMap<String, Locked>;

/// What a lock says about one skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Locked {
    /// The name in its frontmatter.
    name: Option<String>,
    /// In byte order of their paths.
    pub(crate) files: Vec<LockedFile>,
    /// Of the files, as hexadecimal digits.
    pub(crate) digest: String,
    text_digest: String,
    /// The id that git has for the folder.
    tree: String,
    /// Who had signed it when it was locked, of those whom the user trusted then.
    signer: Option<LockedSigner>,
    /// Where it came from.
    source: Option<Json>,
    /// What it asks for and what it holds, for those who review the lock.
    facts: Option<Json>,
}

/// A file of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LockedFile {
    pub(crate) path: String,
    /// Hexadecimal digits.
    pub(crate) digest: String,
    size: u64,
}

/// Who has signed a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LockedSigner {
    /// One of [`SIGNER_KINDS`].
    kind: &'static str,
    signer: Signer,
}

/// The kinds of signatures that lie in the folder of a skill.
const SIGNER_KINDS: [&str; 2] = ["oms", "ssh"];

impl LockedSigner {
    /// The signer of a signature in the folder of a skill, whether or not the files are those that were signed.
    fn of(kind: Kind, judgement: &Judgement) -> Option<LockedSigner> {
        let (kind, _) = kind.signed_with().filter(|_| kind.is_of_folder())?;
        Some(LockedSigner { kind, signer: judgement.signer.clone()? })
    }

    /// Those whose signatures are verified, by what the records in a skill say.
    fn all(own: &Said) -> Vec<LockedSigner> {
        let verified = own.iter().filter(|(.., judgement)| judgement.verdict == Verdict::Verified);
        verified.filter_map(|(kind, _, judgement)| LockedSigner::of(*kind, judgement)).collect()
    }

    fn to_json(&self) -> Json {
        let Signer { root, subject } = &self.signer;
        Json::map(
            [("kind", self.kind), ("root", root), ("subject", subject)].map(|(name, text)| (name, Json::from(text))),
        )
    }

    fn read(json: &Json) -> Result<LockedSigner, String> {
        let text = |name: &str| data::text(json, name).ok_or_else(|| format!("expected the `{name}` of its `signer`"));
        let (named, root, subject) = (text("kind")?, text("root")?.to_owned(), text("subject")?.to_owned());
        let kind = SIGNER_KINDS.into_iter().find(|kind| *kind == named);
        let kind = kind.ok_or("expected the `kind` of its `signer` to be `oms` or `ssh`")?;
        Ok(LockedSigner { kind, signer: Signer { root, subject } })
    }
}

impl fmt::Display for LockedSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({} {})", self.signer.subject, self.kind, self.signer.root)
    }
}

/// What `sha256sum` prints about files with these paths and hashes, as a hash.
fn digest_of<'f>(files: impl Iterator<Item = (&'f str, String)>) -> String {
    digits(files.map(|(path, digest)| format!("{digest}  {path}\n")).collect::<String>().as_bytes())
}

fn text_digest_of(files: &Files) -> String {
    digest_of(files.files.iter().map(|file| (file.path.as_str(), digits(&with_lf(&file.bytes)))))
}

/// Whether `sha256sum` prints a path as it is, and every system reads it as a path below a folder.
fn is_plain(path: &str) -> bool {
    !path.contains(|c: char| c == '\\' || c.is_control())
        && path.split('/').all(|name| !matches!(name, "" | "." | ".."))
}

/// Why a skill with this path cannot be in a lock.
pub(crate) fn refusal_of_path(path: &str) -> Option<&'static str> {
    match path {
        "" => Some("the folder of the project is a skill itself, whose files would include the lock"),
        path if is_plain(path) && is_inside(path) => None,
        _ => Some("its path has a backslash, a colon or a control character"),
    }
}

impl Locked {
    /// The entry of a skill as it is now. `old` is the entry that it replaces.
    ///
    /// # Errors
    /// Why it cannot be locked: what there is besides regular files, and names that `sha256sum` escapes.
    pub(crate) fn of(
        copy: &Installed,
        old: Option<&Locked>,
        signer: Option<LockedSigner>,
        source: Option<Json>,
        facts: Option<Json>,
    ) -> Result<Locked, Vec<String>> {
        let files = copy.files.as_ref().map_err(|why| vec![why.clone()])?;
        let named = files.files.iter().map(|file| &file.path).filter(|path| !is_plain(path));
        let named = named.map(|path| format!("the name of `{path}` has a backslash or a control character"));
        let others = files.others.iter().map(|other| match other.ends_with('/') {
            true => format!("`{other}` is not looked into"),
            false => format!("`{other}` is not a regular file with a name in UTF-8"),
        });
        let refused: Vec<String> = named.chain(others).collect();
        if !refused.is_empty() {
            return Err(refused);
        }
        let file = |file: &File| LockedFile {
            path: file.path.clone(),
            digest: digits(&file.bytes),
            size: file.bytes.len() as u64,
        };
        let locked: Vec<LockedFile> = files.files.iter().map(file).collect();
        let digest = digest_of(locked.iter().map(|file| (file.path.as_str(), file.digest.clone())));
        // Where the disk does not tell which files are executable, the id stays that of a machine whose disk does.
        let trees = files.git_trees(Endings::AsTheyAre, |_| true);
        let kept = old.map(|old| &old.tree).filter(|tree| trees.contains(tree));
        let tree = kept.or(trees.first()).cloned().unwrap_or_default();
        let (name, text_digest) = (copy.name.clone(), text_digest_of(files));
        Ok(Locked {
            name,
            files: locked,
            digest,
            text_digest,
            tree,
            signer,
            source: source.map(sorted),
            facts: facts.map(sorted),
        })
    }

    /// What the entry says of a skill as it is now.
    pub(crate) fn judge(&self, copy: &Installed) -> Judgement {
        let files = match &copy.files {
            Ok(files) => files,
            // What is in a lock could be read when it was locked.
            Err(why) => return Judgement::new(Verdict::Differs, why.clone()),
        };
        let named = self.files.iter().map(|file| (file.path.as_str(), file.digest.as_str()));
        let changed = changes(files, named.collect(), |bytes, digest| *digest == digits(bytes));
        let verdict = Verdict::of_changes(&changed);
        let note = match verdict {
            Verdict::Matches => format!("the hashes of {}", count(self.files.len(), "file")),
            _ if files.others.is_empty() && self.text_digest == text_digest_of(files) => {
                "only line endings are different".to_owned()
            }
            Verdict::Extra => "files that are not locked".to_owned(),
            _ => "other files than those that are locked".to_owned(),
        };
        Judgement { files: changed, ..Judgement::new(verdict, note) }
    }

    /// Why a skill is not signed by whom the lock names, or why that cannot be told, by what the records in the skill say; `None` if it is.
    fn lost_signer(&self, own: &Said, trust: &Trust) -> Option<(Verdict, String)> {
        let expected = self.signer.as_ref()?;
        let signed = LockedSigner::all(own);
        if signed.contains(expected) {
            return None;
        }
        let is_kind =
            |kind: Kind| kind.is_of_folder() && kind.signed_with().is_some_and(|(kind, _)| kind == expected.kind);
        let (verdict, why) = match (signed.first(), own.iter().find(|(kind, ..)| is_kind(*kind))) {
            (Some(other), _) => (Verdict::Differs, format!("it is signed by {other}")),
            (None, None) => (Verdict::Differs, "it has no such signature".to_owned()),
            (None, Some((_, file, judgement))) => {
                let verdict = match judgement.verdict {
                    // A signature whose root is not trusted is not one of a root that is.
                    Verdict::ForeignRoot if trust.names(&expected.signer.root) => Verdict::Differs,
                    unsure @ (Verdict::ForeignRoot | Verdict::Expired | Verdict::Unknown) => unsure,
                    _ => Verdict::Differs,
                };
                (verdict, format!("`{}`: {}: {}", file.name(), judgement.verdict.as_str(), judgement.shown()))
            }
        };
        Some((verdict, format!("expected the signer {expected}, and {why}")))
    }

    /// Adds to what the lock says of a skill whether it is still signed by whom the lock names.
    pub(crate) fn check_signer(&self, judgement: &mut Judgement, own: &Said, trust: &Trust) {
        let Some((verdict, why)) = self.lost_signer(own, trust) else { return };
        let is_signer = |(kind, _, own): &(Kind, FsPath, Judgement)| LockedSigner::of(*kind, own) == self.signer;
        match verdict {
            // Other files have been told, and they are not a matter of the signer.
            _ if !judgement.has_files_of_record() && own.iter().any(is_signer) => return,
            Verdict::Differs if judgement.has_files_of_record() => judgement.verdict = Verdict::Differs,
            // What cannot be told here, the signer of the lock has told.
            unsure if judgement.verdict == Verdict::Matches => judgement.verdict = unsure,
            _ => {}
        }
        judgement.note = format!("{}; {why}", judgement.note);
    }

    /// Who has signed a skill, for the entry that replaces `old`: the signer of that if it is among them. `judgement` is what `old` says of
    /// the skill, with its signer.
    ///
    /// # Errors
    /// If nothing shows any more that this signer has signed the skill, and no other one has. An entry without a signer would hide it.
    pub(crate) fn next_signer(
        old: Option<&Locked>,
        judgement: &Judgement,
        own: &Said,
        trust: &Trust,
    ) -> Result<Option<LockedSigner>, String> {
        let other = LockedSigner::all(own).into_iter().next();
        let Some(old) = old.filter(|old| old.signer.is_some()) else { return Ok(other) };
        match old.lost_signer(own, trust) {
            None => Ok(old.signer.clone()),
            Some(_) if other.is_some() => Ok(other),
            // The same files have the same signature, which cannot be checked here.
            Some((verdict, _)) if verdict != Verdict::Differs && judgement.verdict == verdict => Ok(old.signer.clone()),
            Some((_, why)) => Err(why),
        }
    }

    /// Whether what a reviewer has read is exactly what is locked.
    pub(crate) fn covers(&self, contents: &Contents) -> bool {
        let is_locked = |(file, locked): (&FileContent, &LockedFile)| {
            let digest = format!("{PREFIX}{}", locked.digest);
            file.target.is_none() && file.name == locked.path && file.digest.to_string() == digest
        };
        let is_folder = |other: &OtherEntry| other.kind == OtherKind::Folder;
        contents.files.len() == self.files.len()
            && contents.files.iter().zip(&self.files).all(is_locked)
            && contents.others.iter().all(is_folder)
    }

    /// The fields, in the order of their names.
    fn text(&self) -> String {
        let text = |text: &str| Some(Json::from(text).to_string());
        let digest = |digest: &str| text(&format!("{PREFIX}{digest}"));
        let files: Vec<String> = self.files.iter().map(|file| format!("\n        {}", file.to_json())).collect();
        let files = if files.is_empty() { "[]".to_owned() } else { format!("[{}\n      ]", files.join(",")) };
        let fields = [
            ("digest", digest(&self.digest)),
            ("facts", self.facts.as_ref().map(Json::to_string)),
            ("files", Some(files)),
            ("name", self.name.as_deref().and_then(text)),
            ("signer", self.signer.as_ref().map(|signer| signer.to_json().to_string())),
            ("source", self.source.as_ref().map(Json::to_string)),
            ("text_digest", digest(&self.text_digest)),
            ("tree", text(&self.tree)),
        ];
        let lines = fields.into_iter().filter_map(|(name, value)| Some(format!("\n      \"{name}\": {}", value?)));
        format!("{{{}\n    }}", lines.collect::<Vec<_>>().join(","))
    }

    fn read(entry: &Json) -> Result<Locked, String> {
        let digest = |json: &Json, name: &str| {
            let hex = data::text(json, name).and_then(|text| text.strip_prefix(PREFIX));
            let hex = hex.filter(|hex| is_hex(hex, 64));
            hex.map(str::to_owned)
                .ok_or_else(|| format!("expected `{name}` to be `{PREFIX}` and 64 hexadecimal digits"))
        };
        let Some(Json::List(listed)) = entry.get("files") else { return Err("expected a list of `files`".to_owned()) };
        let mut files: Vec<LockedFile> = Vec::new();
        for file in listed {
            let path = data::text(file, "path").filter(|path| is_plain(path));
            let path = path.ok_or("expected the `path` of each file")?.to_owned();
            let size = match file.get("size") {
                Some(Json::Number(size)) => size.parse().ok(),
                _ => None,
            };
            if files.last().is_some_and(|last| last.path >= path) {
                return Err("expected each file once, in byte order of their paths".to_owned());
            }
            files.push(LockedFile {
                path,
                digest: digest(file, "digest")?,
                size: size.ok_or("expected the `size` of each file")?,
            });
        }
        let locked = Locked {
            name: data::text(entry, "name").map(str::to_owned),
            digest: digest(entry, "digest")?,
            text_digest: digest(entry, "text_digest")?,
            tree: data::text(entry, "tree").filter(|tree| is_hex(tree, 40)).ok_or("expected the `tree`")?.to_owned(),
            signer: entry.get("signer").map(LockedSigner::read).transpose()?,
            source: entry.get("source").cloned(),
            facts: entry.get("facts").cloned(),
            files,
        };
        // A file that is merged or edited must not say two things.
        let of_files = digest_of(locked.files.iter().map(|file| (file.path.as_str(), file.digest.clone())));
        match locked.digest == of_files {
            true => Ok(locked),
            false => Err("its `digest` is not that of its `files`".to_owned()),
        }
    }
}

impl LockedFile {
    fn to_json(&self) -> Json {
        let size = Json::Number(self.size.to_string());
        Json::map([
            ("digest", Json::from(format!("{PREFIX}{}", self.digest))),
            ("path", self.path.as_str().into()),
            ("size", size),
        ])
    }
}

/// The same data with the keys of maps in order. Recurses as deep as the data was read.
fn sorted(json: Json) -> Json {
    match json {
        Json::Map(fields) => {
            let fields: BTreeMap<String, Json> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            Json::Map(fields.into_iter().collect())
        }
        Json::List(items) => Json::List(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

/// The text of a lock.
pub(crate) fn text(locks: &Locks) -> String {
    let skill = |(path, locked): (&String, &Locked)| format!("\n    {}: {}", Json::from(path.as_str()), locked.text());
    let skills: Vec<String> = locks.iter().map(skill).collect();
    let end = if skills.is_empty() { "" } else { "\n  " };
    format!("{{\n  \"skills\": {{{}{end}}},\n  \"version\": {VERSION}\n}}\n", skills.join(","))
}

/// Reads a lock.
///
/// # Errors
/// Why it is none. A key that stands twice, as after a merge, is one reason.
pub(crate) fn read(text: &str) -> Result<Locks, String> {
    let json = Json::parse_unique(text).map_err(|error| error.to_string())?;
    match json.get("version") {
        Some(Json::Number(version)) if version == VERSION => {}
        Some(Json::Number(version)) => return Err(format!("its version is {version}, expected {VERSION}")),
        _ => return Err("it has no version".to_owned()),
    }
    let Some(Json::Map(skills)) = json.get("skills") else { return Err("it has no map of skills".to_owned()) };
    if MAX_SKILLS < skills.len() {
        return Err(format!("it names over {MAX_SKILLS} skills"));
    }
    let mut locks = Locks::new();
    for (path, entry) in skills {
        let of_skill = |why: &str| format!("`{path}`: {why}");
        if let Some(why) = refusal_of_path(path) {
            return Err(of_skill(why));
        }
        locks.insert(path.clone(), Locked::read(entry).map_err(|why| of_skill(&why))?);
    }
    Ok(locks)
}

/// Who signed a lock with this text, which is the file at a path below a folder; `None` if there is no signature beside it.
pub(crate) fn signer(
    fs: &dyn Fs,
    folder: &FsPath,
    file: &str,
    text: &str,
    trust: &Trust,
) -> Option<Result<Signer, Distrust>> {
    let invalid = |why: String| Some(Err(Distrust::Invalid(format!("the signature of the lock {why}"))));
    match fs.read_within(folder, &format!("{file}{SIGNATURE}"), MAX_SIGNATURE_BYTES) {
        Ok(read) if MAX_SIGNATURE_BYTES < read.len => invalid(format!("is larger than {MAX_SIGNATURE_BYTES} bytes")),
        Ok(read) => match std::str::from_utf8(&read.bytes) {
            Ok(armored) => Some(trust.ssh(armored, NAMESPACE, None, text.as_bytes())),
            Err(_) => invalid("is not UTF-8".to_owned()),
        },
        Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => None,
        Err(error) => invalid(format!("cannot be read: {error}")),
    }
}

/// Whether there is a skill at a path of a lock: a folder with a SKILL.md, or a file. What is a link out of the folder of the lock is
/// not looked at.
pub(crate) fn is_skill(fs: &dyn Fs, folder: &FsPath, path: &str) -> bool {
    let (Ok(place), Ok(top)) = (folder.join(path), fs.canonical(folder)) else { return false };
    let is_file = |path: &FsPath| matches!(fs.metadata(path), Ok(Some(found)) if found.kind == FileKind::File);
    let has = |name: &str| place.child(name).is_ok_and(|path| is_file(&path));
    fs.canonical(&place).is_ok_and(|real| real.starts_with(&top))
        && (is_file(&place) || ["SKILL.md", "skill.md"].into_iter().any(has))
}

/// A lock as a record.
struct Lock {
    folder: FsPath,
    locks: Locks,
    absent: BTreeSet<String>,
    /// Who signed it; none without a signature.
    signer: Option<Result<Signer, Distrust>>,
}

/// Reads a lock as a record.
///
/// # Errors
/// As [`read`].
pub(crate) fn record(
    setup: &Setup,
    file: &FsPath,
    scope: &Scope,
    top: &FsPath,
    text: &str,
    trust: &Trust,
) -> Result<Shared, String> {
    let (locks, folder) = (read(text)?, scope.folder.clone());
    let signer = signer(setup.files(), top, file.relative_to(top).unwrap_or(NAME), text, trust);
    let is_absent = |path: &&String| !is_skill(setup.files(), &folder, path);
    let absent = locks.keys().filter(is_absent).cloned().collect();
    Ok(Box::new(Lock { folder, locks, absent, signer }))
}

impl Record for Lock {
    fn judge(&self, copy: &Installed, _: &Sources<'_>) -> Option<Judgement> {
        let locked = self.locks.get(copy.folder.relative_to(&self.folder)?)?;
        let mut judgement = locked.judge(copy);
        match (&self.signer, judgement.verdict) {
            (None, _) => {}
            (Some(Ok(signer)), verdict) => {
                // Other files than those that are locked are not what was signed.
                if verdict == Verdict::Matches {
                    judgement.verdict = Verdict::Verified;
                    judgement.note = format!("signed by `{}`, whose key is {}", signer.subject, signer.root);
                }
                judgement.signer = Some(signer.clone());
            }
            (Some(Err(why)), Verdict::Matches) => judgement = Judgement::from(why.clone()),
            (Some(Err(_)), _) => {}
        }
        Some(judgement)
    }

    fn check_signer(&self, copy: &Installed, judgement: &mut Judgement, own: &Said, trust: &Trust) {
        if let Some(locked) = copy.folder.relative_to(&self.folder).and_then(|path| self.locks.get(path)) {
            locked.check_signer(judgement, own, trust);
        }
    }

    fn origin(&self, copy: &Installed) -> Option<Json> {
        self.locks.get(copy.folder.relative_to(&self.folder)?)?.source.clone()
    }

    fn absent(&self) -> Vec<Absent> {
        let absent = |path: &String| {
            let place = self.folder.join(path).ok()?;
            let name = self.locks.get(path).and_then(|locked| locked.name.clone());
            Some(Absent { name: name.unwrap_or_else(|| place.name().to_owned()), place, is_exact: true })
        };
        self.absent.iter().filter_map(absent).collect()
    }
}

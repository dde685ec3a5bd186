//! What is served at an address: a skill's entry with every file's digest, the bytes of a file, the children of a folder.
//! A file is read as it was when it was listed, or refused.

use super::address::decoded_path;
use super::{Served, ServedSkill};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::manifest::SKILL_FILE;
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::model::error::Error;
use crate::package::contents::contents_of;
use crate::package::files::{Folder, Purpose};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::escape::visible;
use crate::text::json::Json;
use crate::text::percent::{encoded, encoded_path};

/// How many bytes a file has at most: as many as the Skills extension gives a whole skill.
const MAX_BYTES: u64 = 16_777_216;

/// A skill as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedEntry {
    /// The address of its SKILL.md.
    pub uri: String,
    /// Its frontmatter.
    pub frontmatter: Json,
    /// Every file in byte order of their names; those of skills nested in it too, where the model may see these.
    pub resources: Vec<ServedResource>,
}

/// A file as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedResource {
    /// Its address.
    pub uri: String,
    /// The SHA-256 of its bytes.
    pub digest: Digest,
    /// How many bytes it has.
    pub size: u64,
}

/// A file as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedFile {
    /// Its address.
    pub uri: String,
    /// Its bytes, as they are on the disk.
    pub bytes: Vec<u8>,
    /// Their SHA-256.
    pub digest: Digest,
    /// The kind of content, by the ending of its name.
    pub mime: &'static str,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedChild {
    /// Its address; without a slash at its end for a folder too.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// The kind of content by the ending of its name; `inode/directory` for a folder.
    pub mime: &'static str,
}

impl Served {
    /// Every entry, by address, and a finding for each skill that cannot be listed now.
    pub fn entries(&self, world: &World<'_>) -> (Vec<ServedEntry>, Vec<Diagnostic>) {
        let (mut entries, mut findings) = (Vec::new(), Vec::new());
        for skill in &self.skills {
            match self.entry(world, skill) {
                Ok(entry) => entries.push(entry),
                Err(error) => findings.push(
                    Diagnostic::new(
                        Severity::Warning,
                        Code::NotServed,
                        skill.path.clone(),
                        format!("the skill is not served: {error}"),
                    )
                    .help(
                        "a skill is served completely or not at all: check that all its files can be read, and \
                         that it has few files",
                    ),
                ),
            }
        }
        (entries, findings)
    }

    /// A skill's entry, its files as they are now.
    ///
    /// # Errors
    /// [`Error::TooMuch`] over 512 files or 16 777 216 bytes, which is what the Skills extension allows;
    /// [`Error::Changed`] where the SKILL.md is not the one that `frontmatter` was read from; [`Error::Fs`] for what
    /// cannot be read.
    pub fn entry(&self, world: &World<'_>, skill: &ServedSkill) -> Result<ServedEntry, Error> {
        let contents = contents_of(&skill.folder(world)?.list().complete()?, &mut |_, _, _| Ok(()))?;
        let mut resources = Vec::with_capacity(contents.files.len());
        for file in contents.files {
            let is_own = file.name == skill.path.name();
            if is_own && file.digest != skill.digest {
                return Err(Error::Changed { uri: skill.uri.clone() });
            }
            let uri = match is_own {
                true => skill.uri.clone(),
                false => format!("{}/{}", skill.address(), encoded_path(&file.name)),
            };
            resources.push(ServedResource { uri, digest: file.digest, size: file.size });
        }
        Ok(ServedEntry { uri: skill.uri.clone(), frontmatter: skill.frontmatter.clone(), resources })
    }

    /// The file at an address. With the digest that was listed for it, never any other bytes.
    ///
    /// # Errors
    /// [`Error::NotServed`] for an address that is no file's; [`Error::Changed`] where the bytes are not those of
    /// `listed`; [`Error::TooMuch`] over 16 777 216 bytes; [`Error::ReadDenied`] where the host says so;
    /// [`Error::Fs`] for what cannot be read.
    pub fn read(&self, world: &World<'_>, uri: &str, listed: Option<Digest>) -> Result<ServedFile, Error> {
        let (skill, rest) = self.place(uri)?;
        let name = skill.file_name(&rest);
        let no_file = || no_such(uri, "there is no such file in the skill");
        let path = skill.path.parent().and_then(|dir| dir.join(name).ok()).ok_or_else(no_file)?;
        let may_read = |path: &FsPath| match world.host.may_read(path) {
            true => Ok(()),
            false => Err(Error::ReadDenied { path: path.clone() }),
        };
        may_read(&path)?;
        let (real, head) = skill.folder(world)?.read_named(name, MAX_BYTES + 1)?.ok_or_else(no_file)?;
        may_read(&real)?;
        if MAX_BYTES < head.len.max(head.bytes.len() as u64) {
            return Err(Error::TooMuch { path, limit: MAX_BYTES, what: "bytes" });
        }
        let bytes = head.bytes;
        let digest = Digest::of(&bytes);
        if listed.is_some_and(|listed| listed != digest) {
            return Err(Error::Changed { uri: visible(uri).into_owned() });
        }
        Ok(ServedFile { uri: uri.to_owned(), bytes, digest, mime: mime(&rest) })
    }

    /// The entries of the folder at an address, by name.
    ///
    /// # Errors
    /// [`Error::NotServed`] for an address that is no folder's; [`Error::Fs`] for one that cannot be listed.
    pub fn directory(&self, world: &World<'_>, uri: &str) -> Result<Vec<ServedChild>, Error> {
        let (skill, rest) = self.place(uri)?;
        let found = match skill.folder(world)?.children(&rest) {
            // It was one when its parent was looked at.
            Err(Error::Fs(FsError::NotFound(_) | FsError::NotADirectory(_))) => None,
            found => found?,
        };
        let found = found.ok_or_else(|| no_such(uri, "there is no such folder in the skill"))?;
        let named = found.into_iter().map(|(name, is_folder)| {
            let is_own = rest.is_empty() && name == skill.path.name();
            (if is_own { SKILL_FILE.to_owned() } else { name }, is_folder)
        });
        let child = |(name, is_folder): (String, bool)| ServedChild {
            uri: format!("{uri}/{}", encoded(&name)),
            mime: if is_folder { "inode/directory" } else { mime(&name) },
            name,
        };
        let mut children: Vec<ServedChild> = named.map(child).collect();
        children.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(children)
    }

    /// The innermost skill that an address belongs to, and the path below its folder, empty for that itself.
    fn place(&self, uri: &str) -> Result<(&ServedSkill, String), Error> {
        let ends = uri.match_indices('/').map(|(at, _)| at).chain([uri.len()]);
        let found = ends.filter_map(|end| Some((*self.by_address.get(uri.get(..end)?)?, end))).next_back();
        let (skill, end) = found.and_then(|(at, end)| Some((self.skills.get(at)?, end))).ok_or_else(|| {
            no_such(uri, "it is not in a skill; use a URI as it was listed, without query and fragment")
        })?;
        match uri.get(end..).unwrap_or_default().strip_prefix('/') {
            None => Ok((skill, String::new())),
            Some(rest) => {
                let rest = decoded_path(rest);
                rest.map(|rest| (skill, rest)).ok_or_else(|| no_such(uri, "it is not spelled as URIs are listed"))
            }
        }
    }
}

impl ServedSkill {
    /// Its folder, held open.
    fn folder<'w>(&'w self, world: &World<'w>) -> Result<Folder<'w>, FsError> {
        Ok(Folder::open(world.fs, &self.at, Purpose::Serve)?.without(&self.hidden))
    }

    /// The name in the skill's folder of what is served under this one: its own file is served as SKILL.md.
    fn file_name<'n>(&'n self, served: &'n str) -> &'n str {
        if served == SKILL_FILE { self.path.name() } else { served }
    }
}

fn no_such(uri: &str, reason: &str) -> Error {
    Error::NotServed { uri: visible(uri).into_owned(), reason: reason.to_owned() }
}

/// The kind of content, by the ending of a name.
const KINDS: &[(&str, &str)] = &[
    ("md", "text/markdown"),
    ("markdown", "text/markdown"),
    ("txt", "text/plain"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("css", "text/css"),
    ("js", "text/javascript"),
    ("mjs", "text/javascript"),
    ("ts", "text/x-typescript"),
    ("py", "text/x-python"),
    ("sh", "text/x-shellscript"),
    ("json", "application/json"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("toml", "application/toml"),
    ("xml", "application/xml"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
];

fn mime(name: &str) -> &'static str {
    let file = name.rsplit('/').next().unwrap_or(name);
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = KINDS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known));
    known.map_or("application/octet-stream", |(_, kind)| kind)
}

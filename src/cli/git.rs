//! The files of a revision in git, read through the user's `git`, which runs no hooks, filters or external programs for it and
//! fetches nothing.

use crate::reply::Failure;
use skilltree::{MemFs, visible};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::thread;

/// What the name of a revision begins with on the command line.
pub(crate) const PREFIX: &str = "git:";

/// Files over so many bytes are known by their length alone, as are those after so many bytes in all.
const MAX_FILE_BYTES: u64 = 16 << 20;
const MAX_BYTES: u64 = 512 << 20;
/// How many files a revision may have, and how many bytes git may list them in: a few small folders that contain each other
/// many times are a revision of any size.
const MAX_FILES: usize = 1_000_000;
const MAX_LIST_BYTES: u64 = 256 << 20;

/// How much of what git says about an error is reported.
const MAX_SAID_BYTES: u64 = 4_096;

/// One file of a revision.
struct Blob {
    is_link: bool,
    object: String,
    len: u64,
    path: String,
}

/// The files of `REVISION:PATH`; the PATH of a folder may be empty. Only what a skill, or a client about skills, may read has its
/// content: what lies in the folder of a SKILL.md, in a folder whose name begins with a dot, and text files of settings. The second
/// answer is what each symlink says, by its path.
pub(crate) fn read_tree(named: &str) -> Result<(MemFs, BTreeMap<String, String>), Failure> {
    let named = if named.contains(':') { named.to_owned() } else { format!("{named}:") };
    if named.starts_with('-') {
        return Err(failed(&named, "a revision does not begin with `-`"));
    }
    let mut list = git(&["ls-tree", "-r", "-z", "--long", "--full-tree", &named]);
    let (mut fs, mut links, mut blobs, mut entries) = (MemFs::new(), BTreeMap::new(), Vec::new(), 0);
    let read = each_entry(&mut list, |line| {
        match blob(line) {
            Some(blob) => blobs.push(blob),
            // A name that is not UTF-8 is reported as on the disk; a submodule is an empty folder.
            None => place_other(&mut fs, line),
        }
        entries += 1;
        if MAX_FILES < entries { Err(format!("it has over {MAX_FILES} files")) } else { Ok(()) }
    });
    read.map_err(|why| failed(&named, &why))?;
    let is_manifest = |blob: &&Blob| blob.path.to_ascii_lowercase().ends_with("skill.md");
    let folders: BTreeSet<&str> = blobs.iter().filter(is_manifest).map(|blob| folder_of(&blob.path)).collect();
    let mut left = MAX_BYTES;
    let (read, named_only): (Vec<&Blob>, Vec<&Blob>) = blobs.iter().partition(|blob| {
        // A symlink may lead to the folder of a skill, wherever it is.
        let is_wanted = blob.is_link || is_wanted(&blob.path, &folders);
        let is_read = blob.len <= MAX_FILE_BYTES && blob.len <= left && is_wanted;
        left -= if is_read { blob.len } else { 0 };
        is_read
    });
    for blob in named_only {
        fs.sparse(&format!("/{}", blob.path), blob.len);
    }
    let contents = contents(&read).map_err(|error| failed(&named, &error.to_string()))?;
    for (blob, bytes) in read.into_iter().zip(contents) {
        let path = format!("/{}", blob.path);
        match String::from_utf8(bytes) {
            Ok(target) if blob.is_link => {
                fs.link(&path, &target);
                links.insert(blob.path.clone(), target);
            }
            Ok(text) => _ = fs.file(&path, text),
            Err(bytes) => _ = fs.file(&path, bytes.into_bytes()),
        }
    }
    Ok((fs, links))
}

/// Calls `each` with what git lists, entry by entry, and stops git when that fails.
///
/// # Errors
/// The error of `each`, or what git says.
fn each_entry(list: &mut Command, mut each: impl FnMut(&[u8]) -> Result<(), String>) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    list.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = list.spawn().map_err(told)?;
    let (Some(out), Some(mut errors)) = (child.stdout.take(), child.stderr.take()) else {
        return Err("`git ls-tree` has no output".to_owned());
    };
    // Git waits while nobody reads what it says.
    let said = thread::spawn(move || {
        let mut said = Vec::new();
        let _ = errors.by_ref().take(MAX_SAID_BYTES).read_to_end(&mut said);
        let _ = std::io::copy(&mut errors, &mut std::io::sink());
        String::from_utf8_lossy(&said).trim().to_owned()
    });
    let mut out = BufReader::new(out.take(MAX_LIST_BYTES));
    let read = out.by_ref().split(0).try_for_each(|line| each(&line.map_err(told)?));
    let read = read.and_then(|()| match out.get_ref().limit() {
        0 => Err(format!("the names of its files have over {MAX_LIST_BYTES} bytes")),
        _ => Ok(()),
    });
    if read.is_err() {
        // It may have ended already.
        let _ = child.kill();
    }
    let status = child.wait().map_err(told)?;
    let said = said.join().unwrap_or_default();
    read.and_then(|()| if status.success() { Ok(()) } else { Err(said) })
}

/// The id of the folder `REVISION:PATH`; `None` if there is none.
pub(crate) fn tree_id(named: &str) -> Option<String> {
    let named = if named.contains(':') { named.to_owned() } else { format!("{named}:") };
    if named.starts_with('-') {
        return None;
    }
    let mut parse = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &named]);
    let parsed = parse.stdin(Stdio::null()).output().ok().filter(|parsed| parsed.status.success())?;
    String::from_utf8(parsed.stdout).ok().map(|id| id.trim().to_owned())
}

fn git(words: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.args(["--no-replace-objects", "-c", "core.fsmonitor=false"]).args(words);
    git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    git
}

/// A line of `git ls-tree --long`: `MODE TYPE OBJECT LENGTH<TAB>PATH`. `None` if it is no file with a name in UTF-8.
fn blob(line: &[u8]) -> Option<Blob> {
    let (head, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
    let mut words = head.split_ascii_whitespace();
    let (mode, kind, object, len) = (words.next()?, words.next()?, words.next()?, words.next()?);
    (kind == "blob").then(|| Blob {
        is_link: mode == "120000",
        object: object.to_owned(),
        len: len.parse().unwrap_or(u64::MAX),
        path: path.to_owned(),
    })
}

fn place_other(fs: &mut MemFs, line: &[u8]) {
    let tab = line.iter().position(|byte| *byte == b'\t').map_or(line.len(), |tab| tab + 1);
    let path = line.get(tab..).unwrap_or_default();
    match std::str::from_utf8(path) {
        Ok(path) => drop(fs.dir(&format!("/{path}"))),
        Err(error) => {
            // The first name that is not UTF-8: what lies below it cannot be reached.
            let valid = path.get(..error.valid_up_to()).unwrap_or_default();
            let start = valid.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
            let (folder, below) = path.split_at(start);
            let end = below.iter().position(|byte| *byte == b'/');
            let name = String::from_utf8_lossy(below.get(..end.unwrap_or(below.len())).unwrap_or_default());
            // A symlink may lead to a folder, and a submodule is one.
            let is_folder = end.is_some() || !line.starts_with(b"100");
            let slash = if is_folder { "/" } else { "" };
            fs.lossy(&format!("/{}", String::from_utf8_lossy(folder)), &format!("{name}{slash}"));
        }
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a skill, or a client about skills, may read the file.
fn is_wanted(path: &str, folders: &BTreeSet<&str>) -> bool {
    const SETTINGS: &[&str] = &[".md", ".json", ".jsonc", ".toml", ".yaml", ".yml"];
    let mut above = Some(folder_of(path));
    while let Some(folder) = above {
        if folders.contains(folder) {
            return true;
        }
        above = folder.rsplit_once('/').map(|(above, _)| above).or((!folder.is_empty()).then_some(""));
    }
    path.split('/').any(|name| name.starts_with('.')) || SETTINGS.iter().any(|ending| path.ends_with(ending))
}

/// The contents of all these, from one `git cat-file --batch`.
fn contents(blobs: &[&Blob]) -> std::io::Result<Vec<Vec<u8>>> {
    let mut child =
        git(&["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let broken = |what: &str| std::io::Error::other(format!("`git cat-file` {what}"));
    let (Some(mut asked), Some(told)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(broken("has no input or output"));
    };
    let read = thread::scope(|scope| {
        // Git stops reading while nobody reads what it writes. If it ends early, the answers end, too.
        scope.spawn(move || blobs.iter().try_for_each(|blob| writeln!(asked, "{}", blob.object)));
        let mut told = BufReader::new(told);
        let mut all = Vec::with_capacity(blobs.len());
        for blob in blobs {
            let mut head = String::new();
            told.read_line(&mut head)?;
            if head.trim_end() != format!("{} blob {}", blob.object, blob.len) {
                return Err(broken(&format!("answered `{}` for `{}`", visible(head.trim_end()), visible(&blob.path))));
            }
            let mut bytes = Vec::new();
            (&mut told).take(blob.len + 1).read_to_end(&mut bytes)?;
            if bytes.pop() != Some(b'\n') {
                return Err(broken("ended early"));
            }
            all.push(bytes);
        }
        Ok(all)
    });
    child.wait()?;
    read
}

fn failed(named: &str, why: &str) -> Failure {
    Failure::error("git", format!("the tree `git:{}` cannot be read: {}", visible(named), visible(why))).with_help(
        "name a revision and a folder of the repository here, as in `git:HEAD~1:skills`; `git:HEAD` is all of it"
            .to_owned(),
    )
}

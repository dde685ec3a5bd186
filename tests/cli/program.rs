//! The real binary in a place of its own: a folder with a `project`, in which it is started, and a `home`. In: files,
//! words and variables. Out: its exit code and both outputs, as text and as JSON. Absent: the files of any test.

use crate::common::skip::skip;
use crate::common::{TempDir, Tree};
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The binary.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_skilltree");

/// A PATH with what every machine has.
pub(crate) const PATH: &str = "/usr/bin:/bin";

/// The folders of skills that a project may ship, for all dialects, that of a plugin among them.
pub(crate) const PROJECT_SOURCES: &[&str] = &[
    ".claude/skills",
    ".agents/skills",
    ".sven/skills",
    ".agent/skills",
    ".gen/skills",
    ".gen/plugins/plug/skills",
    ".daycare/skills",
    "data/skills",
    "skills",
    "src/_bundled_skills",
    "packages/daycare/sources/skills",
    ".github/skills",
    ".qwen/skills",
    ".kilo/skills",
    ".pi/skills",
    ".cline/skills",
    ".continue/skills",
    ".factory/skills",
    ".kimi-code/skills",
    ".vibe/skills",
    ".crush/skills",
];

/// The variable `PATH` with the folder of the program first, for a shell that calls it by its name.
pub(crate) fn path_with_program() -> std::ffi::OsString {
    let own = Path::new(BINARY).parent().expect("a folder").to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).expect("a path")
}

/// A folder, and what each command in it is given besides its own words.
pub(crate) struct Place {
    folder: TempDir,
    first: &'static [&'static str],
    last: &'static [&'static str],
    variables: Vec<(&'static str, OsString)>,
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn of(tree: Tree) -> Place {
        let folder = tree.with_dir("/project").with_dir("/home").folder();
        Place { folder, first: &[], last: &[], variables: Vec::new() }
    }

    /// Words that stand before those of each command.
    #[must_use]
    pub(crate) fn first(self, first: &'static [&'static str]) -> Place {
        Place { first, ..self }
    }

    /// Words that stand after those of each command.
    #[must_use]
    pub(crate) fn last(self, last: &'static [&'static str]) -> Place {
        Place { last, ..self }
    }

    /// A variable of each command; there is no other but the home and the folder of the configuration, `/config`.
    #[must_use]
    pub(crate) fn env(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Place {
        self.variables.push((name, value.as_ref().to_owned()));
        self
    }

    /// Where a file of the place is.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path.trim_start_matches('/'))
    }

    /// The same, as a word.
    pub(crate) fn named(&self, path: &str) -> String {
        self.at(path).to_str().expect("UTF-8").to_owned()
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.at(path)).ok()
    }

    /// Writes a file, and the folders that it is in.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let at = self.at(path);
        std::fs::create_dir_all(at.parent().expect("a folder")).expect("a folder can be made");
        std::fs::write(at, text).expect("a file can be written");
    }

    /// A place whose project has a lock of its skills.
    #[track_caller]
    pub(crate) fn locked(tree: Tree) -> Place {
        let place = Place::of(tree);
        let said = place.say(&["lock"]);
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
        place
    }

    /// Runs git in the project; false, and a line about it, where there is none.
    pub(crate) fn git(&self, words: &[&str]) -> bool {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]).args(words);
        match git.current_dir(self.at("project")).env("HOME", self.at("home")).output() {
            Ok(done) => {
                assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
                true
            }
            Err(_) => {
                skip("there is no git");
                false
            }
        }
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        self.bare(&[self.first, words, self.last].concat())
    }

    /// With these words alone.
    pub(crate) fn bare(&self, words: &[&str]) -> Command {
        let mut command = Command::new(std::env::var_os("SKILLTREE_PROGRAM").unwrap_or_else(|| BINARY.into()));
        command.args(words).current_dir(self.at("project")).stdin(Stdio::null()).env_clear();
        command.env("HOME", self.at("home")).env("USERPROFILE", self.at("home"));
        // Nobody's own configuration counts.
        command.env("SKILLTREE_CONFIG", self.at("config"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// What a command says as it stands in a message, in a shell that finds the binary.
    #[track_caller]
    pub(crate) fn pasted(&self, line: &str) -> Said {
        let binary = Path::new(BINARY).parent().and_then(Path::to_str).expect("a folder in UTF-8");
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", line]).current_dir(self.at("project")).stdin(Stdio::null()).env_clear();
        said(shell.env("PATH", format!("{binary}:{PATH}")).env("HOME", self.at("home")))
    }

    #[track_caller]
    pub(crate) fn say(&self, words: &[&str]) -> Said {
        said(&mut self.command(words))
    }

    /// What a command says while nobody may read a file or folder, not even root; `None`, and a line about it, where that cannot
    /// be had.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn say_while_forbidden(&self, path: &str, words: &[&str]) -> Option<Said> {
        use std::os::unix::fs::PermissionsExt as _;
        let (at, plain) = (self.at(path), self.command(words));
        let old = std::fs::metadata(&at).expect("it is there").permissions();
        std::fs::set_permissions(&at, std::fs::Permissions::from_mode(0o000)).expect("permissions can be taken");
        let is_root = std::fs::read_dir(&at).is_ok() || std::fs::File::open(&at).is_ok();
        let mut command = Command::new(if is_root { "setpriv".as_ref() } else { plain.get_program() });
        if is_root {
            command.arg("--bounding-set=-dac_override,-dac_read_search").arg(plain.get_program());
        }
        command.args(plain.get_args()).current_dir(self.at("project")).stdin(Stdio::null()).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("PATH", PATH);
        let done = command.output();
        std::fs::set_permissions(&at, old).expect("permissions can be given back");
        match done {
            Ok(done) => Some(heard(done)),
            Err(_) => {
                skip("root may read everything");
                None
            }
        }
    }

    /// What a command says with `--json`.
    #[track_caller]
    pub(crate) fn json(&self, words: &[&str]) -> (Option<i32>, Json) {
        let said = self.say(&[words, &["--json"]].concat());
        (said.code, said.json())
    }

    /// What a command says in text: parts of its outputs, in this order; without parts, standard output must be empty.
    #[track_caller]
    pub(crate) fn check(&self, case: &str, words: &[&str], code: i32, out: &[&str], err: &[&str]) {
        let said = self.say(words);
        assert_eq!(said.code, Some(code), "{case}:\n{}{}", said.out, said.err);
        holds(case, &said.out, out);
        holds(case, &said.err, err);
        assert!(!out.is_empty() || said.out.is_empty(), "{case}: {}", said.out);
    }

    /// What a command says in text: standard output to the byte, and a part of standard error, which is empty for none.
    #[track_caller]
    pub(crate) fn exact(&self, case: &str, words: &[&str], code: i32, out: &str, err: &str) {
        let said = self.say(words);
        assert_eq!((said.code, said.out.as_str()), (Some(code), out), "{case}: {}", said.err);
        assert!(if err.is_empty() { said.err.is_empty() } else { said.err.contains(err) }, "{case}: {}", said.err);
    }

    /// Values of the JSON, by paths with dots; what is not there is `-`.
    #[track_caller]
    pub(crate) fn fields(&self, case: &str, words: &[&str], code: i32, expect: &[(&str, &str)]) {
        let (got, json) = self.json(words);
        assert_eq!(got, Some(code), "{case}: {json}");
        for (path, value) in expect {
            assert_eq!(field(&json, path), *value, "{case}: {path} in {json}");
        }
    }
}

impl Said {
    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        Json::parse(&self.out).unwrap_or_else(|error| panic!("{error} in:\n{}\n{}", self.out, self.err))
    }
}

#[track_caller]
pub(crate) fn said(command: &mut Command) -> Said {
    heard(command.output().expect("the binary starts"))
}

/// What one that has been waited for said.
#[track_caller]
pub(crate) fn heard(done: Output) -> Said {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Said { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
}

/// The command that stands last in backticks.
#[track_caller]
pub(crate) fn last_suggested(output: &str) -> &str {
    output.rsplit('`').nth(1).unwrap_or_else(|| panic!("no command in:\n{output}"))
}

/// Each of these must stand in the output, in this order.
#[track_caller]
pub(crate) fn holds(case: &str, output: &str, parts: &[&str]) {
    let mut rest = output;
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => panic!("{case}: {part:?} is not there, or not in this order:\n{output}"),
        }
    }
}

/// A value, by a path with dots; what is not there is `-`.
pub(crate) fn field(json: &Json, path: &str) -> String {
    let found = path.split('.').try_fold(json, |json, name| match (json, name.parse::<usize>()) {
        (Json::List(items), Ok(n)) => items.get(n),
        _ => json.get(name),
    });
    found.map_or_else(|| "-".to_owned(), Json::to_string)
}

/// The code of the error, where there is one.
pub(crate) fn error_code(json: &Json) -> Option<&str> {
    json.get("error").and_then(|error| error.get("code")?.as_text())
}

/// The names of what an object holds, in its order.
#[track_caller]
pub(crate) fn names(json: &Json) -> Vec<&str> {
    let Json::Map(fields) = json else { panic!("no object: {json}") };
    fields.iter().map(|(name, _)| name.as_str()).collect()
}

/// A field of each item of a list.
pub(crate) fn texts<'j>(json: &'j Json, list: &str, field: &str) -> Vec<&'j str> {
    match json.get(list) {
        Some(Json::List(items)) => items.iter().filter_map(|item| item.get(field)?.as_text()).collect(),
        _ => Vec::new(),
    }
}

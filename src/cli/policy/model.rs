//! What a policy says, and what of it a skill breaches. Nothing is read here: a policy is a text, and a skill is what is known of it.
//!
//! A policy is a list of rules, and several policies are all of their rules together. A rule only ever forbids something. So one more
//! policy never allows what another one forbids, the stricter level wins, and of lists of what is allowed all must have a thing.

use super::others::Package;
use crate::facts::Facts;
use crate::trust::listed;
use crate::verify::data::{Lines, yaml_with_lines};
use crate::verify::records::Kind;
use skilltree::Json;

/// How many patterns a list may have, and how long each may be. Each is compared with each host of each skill.
const MAX_PATTERNS: usize = 1_000;
const MAX_PATTERN_BYTES: usize = 1_000;
/// A source that is longer is none that a pattern is about, and how much of a text of a stranger a message has.
const MAX_SOURCE_BYTES: usize = 1_000;
const MAX_SHOWN: usize = 200;

/// How many files the signers of a policy may name. Each may have a MiB, and is parsed.
const MAX_FILES: usize = 16;

/// Reads the text of a file in the folder of a policy, or says why it cannot.
pub(crate) type Files<'f> = &'f dyn Fn(&str) -> Result<String, String>;

/// How much weight a rule has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Off,
    Warn,
    Block,
}

impl Level {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Warn => "warn",
            Level::Block => "block",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Level> {
        [Level::Off, Level::Warn, Level::Block].into_iter().find(|level| level.as_str() == text)
    }
}

/// What is known of a skill.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Where it came from, by each record that says so, as [`place_of_source`] writes it.
    pub(crate) sources: Vec<String>,
    /// The same as APM names it.
    pub(super) packages: Vec<Package>,
    /// Whether a record names the commit that it came from.
    pub(crate) has_commit: bool,
    /// Why the lock of the project does not cover it, if so.
    pub(crate) lock: Result<(), String>,
    /// Who signed it, of those whom the user trusts.
    pub(crate) signers: Vec<SignedBy>,
    /// Whether there is a signature whose root the user does not trust.
    pub(crate) has_foreign_root: bool,
    /// The time at which signatures are judged, in seconds since 1970.
    pub(crate) now: u64,
    /// Why the facts are not known, if so.
    pub(crate) facts: Result<Facts, String>,
}

/// Who signed something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SignedBy {
    /// `ssh` or `oms`.
    pub(crate) kind: String,
    /// What a key has signed it for; none for a certificate.
    pub(crate) namespace: Option<&'static str>,
    pub(crate) root: String,
    /// As that of a [`crate::verify::Signer`].
    pub(crate) subject: String,
}

/// A root that a file of a policy names. The user does not trust it for that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedRoot {
    /// As that of a [`crate::verify::Signer`].
    pub(crate) id: String,
    /// What it may sign; none for a certificate.
    pub(crate) namespace: Option<&'static str>,
    /// When its signatures count, in seconds since 1970.
    pub(crate) after: u64,
    pub(crate) before: u64,
}

/// Whose signatures count.
#[derive(Clone, Debug)]
pub(super) struct Named {
    /// Patterns for what a [`SignedBy`] has.
    kind: String,
    subject: String,
    roots: Roots,
}

#[derive(Clone, Debug)]
enum Roots {
    Like(String),
    /// Those of a file.
    Listed(Vec<ListedRoot>),
}

impl Named {
    fn is(&self, one: &SignedBy, now: u64) -> bool {
        let is_root = match &self.roots {
            Roots::Like(pattern) => is_like(pattern, &one.root),
            Roots::Listed(roots) => {
                let is_of = |root: &ListedRoot| root.id == one.root && root.namespace == one.namespace;
                roots.iter().any(|root| is_of(root) && (root.after..=root.before).contains(&now))
            }
        };
        is_root && is_like(&self.kind, &one.kind) && is_like(&self.subject, &one.subject)
    }
}

/// What a skill breaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Breach {
    pub(crate) level: Level,
    /// The file of the policy as it is shown, and the line of the rule.
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) message: String,
}

/// The rules of a file.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    pub(crate) file: String,
    /// The most that one of its rules does.
    pub(super) level: Level,
    pub(crate) rules: Vec<Rule>,
    /// The file that it extends, the line that says so, and how severe it is if there is no such file.
    pub(crate) extends: Option<(String, usize, Level)>,
    /// What of the file is not applied.
    pub(crate) notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(super) level: Level,
    pub(super) line: usize,
    pub(super) check: Check,
}

/// What a rule looks at.
#[derive(Clone, Debug)]
pub(super) enum Check {
    /// Nothing is allowed, for this reason.
    Nothing(String),
    SourceAllowed(Vec<String>),
    SourceDenied(String),
    /// By a list of APM, which is about dependencies: what has no source is none.
    PackageAllowed(Vec<String>),
    PackageDenied(String),
    HostAllowed(Vec<String>),
    HostDenied(String),
    ToolDenied(String),
    Locked,
    Commit,
    /// By one of these if there are any.
    Signed(Vec<Named>),
    Hidden,
    Dynamic,
    RemoteScript,
}

impl Policy {
    /// Reads a policy. What is not understood refuses every skill, as it may be a rule.
    pub(crate) fn parse(file: &str, text: &str, files: Files<'_>) -> Policy {
        let read = yaml_with_lines(text).map_err(|why| (1, why));
        match read.and_then(|(json, lines)| Reader { json: &json, lines: &lines }.policy(file, files)) {
            Ok(policy) => policy,
            Err((line, why)) => Policy::refusing(Level::Block, file, line, format!("the policy is not valid: {why}")),
        }
    }

    /// A policy that every skill breaches. One that blocks nothing says that its rules do not count.
    pub(crate) fn refusing(level: Level, file: &str, line: usize, why: String) -> Policy {
        let why = if level == Level::Block { why } else { format!("{why}; its rules are not applied") };
        let rule = Rule { level, line, check: Check::Nothing(why) };
        Policy { file: file.to_owned(), level, rules: vec![rule], extends: None, notes: Vec::new() }
    }

    /// What a skill breaches, in the order of the rules.
    pub(crate) fn breaches(&self, skill: &Known) -> Vec<Breach> {
        let breach = |rule: &Rule| {
            let message = rule.check.breach(skill)?;
            Some(Breach { level: rule.level, file: self.file.clone(), line: rule.line, message })
        };
        self.rules.iter().filter(|rule| rule.level != Level::Off).filter_map(breach).collect()
    }
}

impl Check {
    /// What a skill does that is forbidden.
    fn breach(&self, skill: &Known) -> Option<String> {
        let facts = |find: &dyn Fn(&Facts) -> Option<String>| match &skill.facts {
            Ok(facts) => find(facts),
            Err(why) => Some(format!("what it asks for is not known: {why}")),
        };
        match self {
            Check::Nothing(why) => Some(why.clone()),
            Check::SourceAllowed(_) if skill.sources.is_empty() => {
                Some("no record says where it came from, and only some sources are allowed".to_owned())
            }
            Check::SourceAllowed(allowed) => {
                let is_odd =
                    |source: &&String| is_odd(source) || !allowed.iter().any(|pattern| is_like(pattern, source));
                let source = skill.sources.iter().find(is_odd)?;
                Some(format!("its source `{}` is none of those that are allowed", short(source)))
            }
            Check::SourceDenied(pattern) => {
                if skill.sources.is_empty() && pattern.chars().all(|c| c == '*') {
                    return Some(format!("no record says where it came from, and `{pattern}` denies every source"));
                }
                let source = skill.sources.iter().find(|source| is_odd(source) || is_like(pattern, source))?;
                Some(format!("its source `{}` is denied by `{pattern}`", short(source)))
            }
            Check::PackageAllowed(allowed) => {
                let is_odd = |one: &&Package| one.all().any(|name| is_odd(name)) || !one.is_allowed(allowed);
                let package = skill.packages.iter().find(is_odd)?;
                Some(format!("its source `{}` is none of those that are allowed", short(package.shown())))
            }
            Check::PackageDenied(pattern) => {
                let is_odd = |one: &&Package| one.all().any(|name| is_odd(name)) || one.is_denied(pattern);
                let package = skill.packages.iter().find(is_odd)?;
                Some(format!("its source `{}` is denied by `{}`", short(package.shown()), short(pattern)))
            }
            Check::HostAllowed(allowed) => facts(&|facts| {
                let host = facts.hosts.iter().find(|host| !allowed.iter().any(|pattern| is_like(pattern, host)));
                match host {
                    Some(host) => Some(format!("the host `{host}` is none of those that are allowed")),
                    None => facts.has_more_hosts.then(more_hosts),
                }
            }),
            Check::HostDenied(pattern) => {
                facts(&|facts| match facts.hosts.iter().find(|host| is_like(pattern, host)) {
                    Some(host) => Some(format!("the host `{host}` is denied by `{pattern}`")),
                    None => facts.has_more_hosts.then(more_hosts),
                })
            }
            Check::ToolDenied(pattern) => facts(&|facts| {
                let tool = facts.tools.iter().find(|tool| overlaps(pattern, tool))?;
                Some(format!("the tool `{}` is denied by `{pattern}`", short(tool)))
            }),
            Check::Locked => skill.lock.as_ref().err().cloned(),
            Check::Commit => (!skill.has_commit).then(|| "no record names the commit that it came from".to_owned()),
            Check::Signed(named) => {
                let counts = |one: &SignedBy| named.is_empty() || named.iter().any(|named| named.is(one, skill.now));
                (!skill.signers.iter().any(counts)).then(|| {
                    let why = match skill.has_foreign_root {
                        true => "; it has a signature whose root you do not trust: `skilltree trust FILE`",
                        false => "",
                    };
                    format!("no signature of a signer that is named and trusted covers it{why}")
                })
            }
            Check::Hidden => facts(&|facts| {
                found(facts.hidden, "thing that a reviewer may overlook", "things that a reviewer may overlook")
            }),
            Check::Dynamic => facts(&|facts| {
                found(facts.dynamic, "command that runs when it is loaded", "commands that run when it is loaded")
            }),
            Check::RemoteScript => facts(&|facts| {
                found(facts.remote_script, "line that runs what it fetches", "lines that run what they fetch")
            }),
        }
    }
}

fn more_hosts() -> String {
    "it names more hosts than are looked at".to_owned()
}

fn found(number: usize, one: &str, many: &str) -> Option<String> {
    (0 < number).then(|| format!("it has {number} {}", if number == 1 { one } else { many }))
}

/// Whether a text is like a pattern, in which `*` stands for any characters. The case of ASCII letters does not count, as neither hosts
/// nor GitHub tell it apart.
fn is_like(pattern: &str, text: &str) -> bool {
    // Most pairs end here, of which there may be a million for a skill.
    if text.len() < pattern.bytes().filter(|byte| *byte != b'*').count() {
        return false;
    }
    let (pattern, text) = (pattern.to_ascii_lowercase(), text.to_ascii_lowercase());
    let mut parts = pattern.split('*');
    let (first, last) = (parts.next().unwrap_or_default(), parts.next_back());
    let Some(last) = last else { return text == first };
    let Some(mut rest) = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    // The earliest place of each part leaves the most for those after it.
    parts.all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// Whether a source is written in a way that programs may read differently.
fn is_odd(source: &str) -> bool {
    let is_odd = |c: char| c == '\\' || c == '%' || c.is_control() || c.is_whitespace() || !c.is_ascii();
    MAX_SOURCE_BYTES < source.len() || source.contains(is_odd) || source.split('/').any(|part| part == "..")
}

/// Whether a tool may do something that a pattern denies, be it more or less than what is denied: some name and something in
/// parentheses is meant by both.
fn overlaps(pattern: &str, tool: &str) -> bool {
    let parts = |text: &str| {
        let (name, rest) = text.split_once('(').unwrap_or((text, ""));
        (tool_names(name.trim()), arguments(rest.trim().trim_end_matches(')').trim()))
    };
    let meet = |some: &[String], others: &[String]| some.iter().any(|one| others.iter().any(|other| meets(one, other)));
    // A shell takes any white space for a space.
    let spaced = |text: &str| text.to_ascii_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let ((name, denied), (tool, asked)) = (parts(&spaced(pattern)), parts(&spaced(tool)));
    meet(&name, &tool) && meet(&denied, &asked)
}

/// The names that the name of a tool stands for, as patterns. That of an MCP server, `mcp__files`, stands for all of its tools.
fn tool_names(name: &str) -> Vec<String> {
    let server = name.strip_prefix("mcp__").filter(|server| !server.contains("__"));
    let tools = server.map(|_| format!("{name}__*"));
    [name.to_owned()].into_iter().chain(tools).collect()
}

/// What the text in the parentheses of a tool stands for, as patterns: everything if there is none. `git:*` and `git *` stand for `git`
/// with any arguments, and `domain:*` for any domain.
fn arguments(text: &str) -> Vec<String> {
    match text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")).map_or(text, str::trim_end) {
        "" => vec!["*".to_owned()],
        command if command.len() < text.len() => {
            vec![command.to_owned(), format!("{command} *"), format!("{command}:*")]
        }
        exact => vec![exact.to_owned()],
    }
}

/// Whether some text is like both of two patterns.
fn meets(a: &str, b: &str) -> bool {
    let ends = |pattern: &'_ str| Some((pattern.split_once('*')?.0.to_owned(), pattern.rsplit_once('*')?.1.to_owned()));
    let (Some((a_start, a_end)), Some((b_start, b_end))) = (ends(a), ends(b)) else {
        return is_like(a, b) || is_like(b, a);
    };
    // What one pattern has between its first and its last `*` may stand where the other has any of its own.
    (a_start.starts_with(&b_start) || b_start.starts_with(&a_start))
        && (a_end.ends_with(&b_end) || b_end.ends_with(&a_end))
}

/// A source of a record as patterns name it: `github.com/owner/repository`, or a kind and a name such as `npm:name`. The address of a
/// repository is without its scheme, user, port and `.git`, as these are no other source.
pub(crate) fn place_of_source(source: &Json) -> Option<String> {
    let text = |name: &str| source.get(name).and_then(Json::as_text);
    let kind = text("type")?;
    let value = ["url", "name", "path", "reference"].into_iter().find_map(text)?;
    if !matches!(kind, "git" | "well-known") {
        return Some(format!("{kind}:{value}"));
    }
    let address = match value.split_once("://") {
        Some((_, address)) => address.to_owned(),
        // `git@host:owner/repository`
        None => match value.split_once(':') {
            Some((host, path)) if !host.contains('/') => format!("{host}/{path}"),
            _ => value.to_owned(),
        },
    };
    let (authority, path) = address.split_once('/').unwrap_or((&address, ""));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.split(':').next().unwrap_or(host).trim_end_matches('.');
    let path = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect::<Vec<_>>().join("/");
    Some(format!("{host}/{}", path.strip_suffix(".git").unwrap_or(&path)))
}

/// Reads the data of a policy. An error has the line where it is.
pub(super) struct Reader<'r> {
    pub(super) json: &'r Json,
    pub(super) lines: &'r Lines,
}

pub(super) type Read<T> = Result<T, (usize, String)>;

impl Reader<'_> {
    fn policy(&self, file: &str, files: Files<'_>) -> Read<Policy> {
        const KEYS: [&str; 9] =
            ["enforcement", "extends", "facts", "hosts", "require", "signers", "sources", "tools", "unlocked"];
        self.only("", &KEYS)?;
        let usual = self.level("enforcement")?.unwrap_or(Level::Block);
        let mut rules = Vec::new();
        let mut add = |level: Level, line, check| rules.push(Rule { level: level.min(usual), line, check });
        for (name, allowed, denied) in [
            ("sources", Check::SourceAllowed as fn(Vec<String>) -> Check, Check::SourceDenied as fn(String) -> Check),
            ("hosts", Check::HostAllowed, Check::HostDenied),
        ] {
            self.only(name, &["allow", "deny"])?;
            if let Some(patterns) = self.patterns(&format!("{name}.allow"))? {
                add(Level::Block, self.line(&format!("{name}.allow")), allowed(patterns));
            }
            for (index, pattern) in self.patterns(&format!("{name}.deny"))?.into_iter().flatten().enumerate() {
                add(Level::Block, self.line(&format!("{name}.deny.{index}")), denied(pattern));
            }
        }
        self.only("tools", &["deny"])?;
        for (index, pattern) in self.patterns("tools.deny")?.into_iter().flatten().enumerate() {
            add(Level::Block, self.line(&format!("tools.deny.{index}")), Check::ToolDenied(pattern));
        }
        self.only("require", &["commit", "lock", "signature"])?;
        let (signers, notes) = self.signers(files)?;
        for (name, check) in
            [("lock", Check::Locked), ("commit", Check::Commit), ("signature", Check::Signed(signers.clone()))]
        {
            let path = format!("require.{name}");
            match self.text(&path)? {
                Some("true") => add(Level::Block, self.line(&path), check),
                Some("false") | None => {}
                Some(other) => {
                    return Err(self.error(&path, format!("expected `true` or `false`, not `{}`", short(other))));
                }
            }
        }
        self.only("facts", &["dynamic", "hidden", "remote_script"])?;
        for (path, check) in [
            ("facts.hidden", Check::Hidden),
            ("facts.dynamic", Check::Dynamic),
            ("facts.remote_script", Check::RemoteScript),
            ("unlocked", Check::Locked),
        ] {
            if let Some(level) = self.level(path)? {
                add(level, self.line(path), check);
            }
        }
        let extends = self.text("extends")?.map(|named| (short(named), self.line("extends"), Level::Block));
        Ok(Policy { file: file.to_owned(), level: usual, rules, extends, notes })
    }

    /// Whose signatures count, and what of the files that name them does not.
    fn signers(&self, files: Files<'_>) -> Read<(Vec<Named>, Vec<String>)> {
        let all = match self.get("signers") {
            None => return Ok((Vec::new(), Vec::new())),
            Some(Json::List(all)) if !all.is_empty() && all.len() <= MAX_PATTERNS => all,
            Some(_) => return Err(self.error("signers", format!("expected a list of 1 to {MAX_PATTERNS} signers"))),
        };
        let (mut signers, mut notes, mut read) = (Vec::new(), Vec::new(), 0);
        for index in 0..all.len() {
            let path = format!("signers.{index}");
            self.only(&path, &["allowed", "kind", "root", "subject"])?;
            let text = |name: &str| self.text(&format!("{path}.{name}"));
            let (kind, root, subject, allowed) = (text("kind")?, text("root")?, text("subject")?, text("allowed")?);
            let expected: &[&str] = if allowed.is_some() { &["ssh"] } else { &["oms", "ssh"] };
            if kind.is_some_and(|kind| kind != "*" && !expected.contains(&kind)) {
                return Err(self.error(&format!("{path}.kind"), format!("expected {}", names(expected))));
            }
            let is_any = |pattern: Option<&str>| pattern.is_none_or(|pattern| pattern.chars().all(|c| c == '*'));
            let (name, file) = match (root, allowed) {
                (Some(_), Some(_)) => return Err(self.error(&path, "expected `root` or `allowed`".to_owned())),
                (None, Some(file)) => ("allowed", Some(file)),
                (root, None) if is_any(root) && is_any(subject) => {
                    return Err(
                        self.error(&path, "expected a `root`, `allowed` or a `subject`, and more than `*`".to_owned())
                    );
                }
                // The ID of a root has a colon, and a file has not.
                (root, None) => ("root", root.filter(|root| !root.contains([':', '*']))),
            };
            let roots = match file {
                None => Roots::Like(root.unwrap_or("*").to_owned()),
                Some(file) => {
                    read += 1;
                    let failed = |why: String| {
                        self.error(&format!("{path}.{name}"), format!("`{}` names no signer: {why}", short(file)))
                    };
                    if MAX_FILES < read {
                        return Err(failed(format!("a policy has at most {MAX_FILES} such files")));
                    }
                    let by_key = [Kind::SkilltreeLock, Kind::SshManifest].into_iter().filter(|_| allowed.is_some());
                    let namespaces: Vec<_> = by_key.filter_map(|kind| kind.signed_with()?.1).collect();
                    let (roots, refused) = files(file).and_then(|text| listed(&text, &namespaces)).map_err(failed)?;
                    notes.extend(refused.iter().map(|why| format!("`{file}`: {why}")));
                    Roots::Listed(roots)
                }
            };
            let kind = kind.unwrap_or(if allowed.is_some() { "ssh" } else { "*" }).to_owned();
            signers.push(Named { kind, subject: subject.unwrap_or("*").to_owned(), roots });
        }
        Ok((signers, notes))
    }

    pub(super) fn get(&self, path: &str) -> Option<&Json> {
        path.split('.').filter(|step| !step.is_empty()).try_fold(self.json, |json, step| match json {
            Json::List(items) => items.get(step.parse::<usize>().ok()?),
            json => json.get(step),
        })
    }

    pub(super) fn line(&self, path: &str) -> usize {
        self.lines.get(path).copied().unwrap_or(1)
    }

    pub(super) fn error(&self, path: &str, why: String) -> (usize, String) {
        (self.line(path), why)
    }

    /// That a map has no other keys than these. What is not there has none; what is there and empty may have been meant as a rule.
    fn only(&self, path: &str, keys: &[&str]) -> Read<()> {
        let fields = match self.get(path) {
            None => return Ok(()),
            Some(Json::Null) if path.is_empty() => return Ok(()),
            Some(Json::Map(fields)) => fields,
            Some(_) => return Err(self.error(path, format!("expected a map of {}", names(keys)))),
        };
        match fields.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, _)) => {
                let at = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                Err(self.error(&at, format!("`{}` is not known, expected {}", short(key), names(keys))))
            }
        }
    }

    pub(super) fn text(&self, path: &str) -> Read<Option<&str>> {
        match self.get(path) {
            None => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(_) => Err(self.error(path, "expected a text".to_owned())),
        }
    }

    fn level(&self, path: &str) -> Read<Option<Level>> {
        let Some(text) = self.text(path)? else { return Ok(None) };
        match Level::parse(text) {
            Some(level) => Ok(Some(level)),
            None => Err(self.error(path, format!("expected `off`, `warn` or `block`, not `{}`", short(text)))),
        }
    }

    pub(super) fn patterns(&self, path: &str) -> Read<Option<Vec<String>>> {
        let items = match self.get(path) {
            None => return Ok(None),
            Some(Json::List(items)) if items.len() <= MAX_PATTERNS => items,
            Some(_) => return Err(self.error(path, format!("expected a list of at most {MAX_PATTERNS} patterns"))),
        };
        let mut patterns = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let text = item.as_text().filter(|text| !text.is_empty() && text.len() <= MAX_PATTERN_BYTES);
            let why = || format!("expected a pattern of 1 to {MAX_PATTERN_BYTES} bytes");
            patterns.push(text.ok_or_else(|| self.error(&format!("{path}.{index}"), why()))?.to_owned());
        }
        Ok(Some(patterns))
    }
}

/// The beginning of a text.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

pub(super) fn names(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
#[path = "../../../tests/unit/policy.rs"]
mod tests;

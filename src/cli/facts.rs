//! What a skill asks for, and what it holds that a reviewer may overlook: for the lock, and for the rules of policies.

use crate::setup::Setup;
use skilltree::package::Review;
use skilltree::{Catalog, Error, FsPath, Json, Places, Skill, World};
use std::collections::{BTreeSet, HashMap};

/// How much of each file is looked at for commands.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Among how many words behind a pipe the program is looked for.
const MAX_WORDS: usize = 8;
/// How many hosts a [`Review`] names at most.
const MAX_HOSTS: usize = 1_000;

/// The facts about a skill, as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The tools, permissions and toolsets that it asks for.
    pub(crate) tools: Vec<String>,
    /// The hosts that its files name.
    pub(crate) hosts: Vec<String>,
    /// Whether it may name more hosts than these.
    pub(crate) has_more_hosts: bool,
    /// How many findings `check --strict` has about what a reviewer does not see.
    pub(crate) hidden: usize,
    /// How many commands in its text some client runs when it is loaded.
    pub(crate) dynamic: usize,
    /// How many lines of its files fetch something and run it, as `curl … | sh` does.
    pub(crate) remote_script: usize,
}

impl Facts {
    /// Reads the facts of a skill. Of the catalog only the dialect counts.
    ///
    /// # Errors
    /// As [`Review::of`].
    pub(crate) fn of(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Result<Facts, Error> {
        let review = Review::of(world, catalog, skill)?;
        let mut facts = Facts {
            has_more_hosts: MAX_HOSTS <= review.hosts.len(),
            tools: review.tools,
            hosts: review.hosts,
            hidden: review.facts.len(),
            ..Facts::default()
        };
        for file in &review.contents.files {
            let read = world.fs.read_within(&skill.dir(), &file.name, MAX_FILE_BYTES)?;
            let mut of_lines = 0;
            for text in readings(&read.bytes) {
                if file.name == skill.path.name() {
                    facts.dynamic = facts.dynamic.max(dynamic(&text));
                }
                // A backslash at the end of a line continues a command.
                let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
                of_lines = of_lines.max(joined.lines().filter(|line| runs_what_it_fetches(line)).count());
            }
            facts.remote_script += of_lines;
        }
        Ok(facts)
    }

    /// The facts of the skills at these places, each the folder or the file of one. The standard reads them, so that they are the same
    /// for every client, and the client, whose catalog is `own`, what is no skill there; about what neither reads as a skill there are none.
    pub(crate) fn at(setup: &Setup, own: &Catalog, places: &BTreeSet<FsPath>) -> HashMap<FsPath, Facts> {
        let roots: BTreeSet<FsPath> = places.iter().filter_map(FsPath::parent).collect();
        let folders = Places { roots: roots.into_iter().collect(), only_roots: true, ..Places::default() };
        let standard = World::new(setup.files(), &folders, &());
        let listed = skilltree::discover(&standard, &skilltree::dialect::agentskills());
        let mut facts = HashMap::new();
        for (world, catalog) in [(&standard, &listed), (&setup.world(), own)] {
            let shadowed = catalog.shadowed().iter().map(|one| &one.skill);
            for skill in catalog.skills().iter().chain(shadowed) {
                let place = place_of(skill);
                if places.contains(&place) && !facts.contains_key(&place) {
                    facts.extend(Facts::of(world, catalog, skill).ok().map(|facts| (place, facts)));
                }
            }
        }
        facts
    }

    pub(crate) fn to_json(&self) -> Json {
        Json::map([
            ("dynamic", Json::from(self.dynamic)),
            ("hidden", self.hidden.into()),
            ("hosts", self.hosts.as_slice().into()),
            ("remote_script", self.remote_script.into()),
            ("tools", self.tools.as_slice().into()),
        ])
    }
}

/// The folder of a skill, or its file if some client reads that alone.
pub(crate) fn place_of(skill: &Skill) -> FsPath {
    let folder = skill.path.parent().filter(|_| skill.path.name().eq_ignore_ascii_case("SKILL.md"));
    folder.unwrap_or_else(|| skill.path.clone())
}

/// The text of a file as it is, and, if it has control characters, without them, as they are removed when a SKILL.md is loaded.
/// Interpreters run scripts with any bytes in them, so no file is left out as binary.
fn readings(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let is_removed = |c: char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r');
    match text.contains(is_removed) {
        true => vec![text.replace(is_removed, ""), text],
        false => vec![text],
    }
}

/// How many commands a text has as `` !`command` `` or in blocks that begin with ` ```! `. No rule of a client is applied, so that the
/// number is the same for all of them.
fn dynamic(text: &str) -> usize {
    let in_lines = text.lines().map(|line| match line.trim_start().starts_with("```!") {
        true => 1,
        false => line.match_indices("!`").filter(|(at, sign)| after(line, at + sign.len()).contains('`')).count(),
    });
    in_lines.sum()
}

fn after(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// Whether a line fetches something and hands it to an interpreter. Other spellings of the same are not recognised.
fn runs_what_it_fetches(line: &str) -> bool {
    const FETCHERS: [&str; 6] = ["curl", "wget", "iwr", "irm", "invoke-webrequest", "invoke-restmethod"];
    const INTERPRETERS: [&str; 19] = [
        "sh",
        "bash",
        "zsh",
        "dash",
        "ksh",
        "fish",
        "python",
        "python3",
        "node",
        "deno",
        "bun",
        "perl",
        "ruby",
        "php",
        "pwsh",
        "powershell",
        "iex",
        "invoke-expression",
        "eval",
    ];
    let line = line.to_ascii_lowercase();
    // Each word with the place where it begins. A line may be as long as a file, so that nothing is searched again and again.
    let mut words: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for word in line.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))) {
        if !word.is_empty() {
            words.push((at, word));
        }
        // Every word is followed by one character, which is not always one byte.
        at += word.len() + after(&line, at + word.len()).chars().next().map_or(0, char::len_utf8);
    }
    let first = |names: &[&str]| words.iter().find(|(_, word)| names.contains(word)).map(|(at, _)| *at);
    let from = |at: usize| words.get(words.partition_point(|(place, _)| *place < at)..).unwrap_or_default();
    // The first word behind a pipe that is neither an option nor a program which starts another one.
    let is_command = |word: &&str| !word.starts_with('-') && !matches!(*word, "sudo" | "env" | "usr" | "bin");
    let pipes = first(&FETCHERS).is_some_and(|fetched| {
        let behind = line.match_indices('|').filter(|(at, _)| fetched < *at);
        let mut commands =
            behind.filter_map(|(at, _)| from(at).iter().take(MAX_WORDS).map(|(_, word)| *word).find(is_command));
        commands.any(|word| INTERPRETERS.contains(&word))
    });
    let inserts = first(&INTERPRETERS).is_some_and(|run| {
        let inserted = ["$(", "<(", "`", "("].into_iter().flat_map(|sign| line.match_indices(sign));
        let mut inserted = inserted.filter(|(at, _)| run < *at).filter_map(|(at, _)| from(at).first());
        inserted.any(|(_, word)| FETCHERS.contains(word))
    });
    pipes || inserts
}

#[cfg(test)]
#[path = "../../tests/unit/facts.rs"]
mod tests;

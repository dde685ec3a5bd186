//! In: a number of skills and a seed. Out: a folder with as many, the same every time. The shape that the measurements
//! use: depth 1–4, about 3.2 folders a skill, 6.5 kB a SKILL.md, three files beside it. Others: one flat folder, one
//! folder in another all the way down, two skills beside a `node_modules`, and skills with the texts of people. The folder goes
//! with its value.
#![allow(dead_code, reason = "each bench uses a part")]

use crate::common::{Random, TempDir};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

const WORDS: &[&str] = &[
    "table", "query", "release", "branch", "review", "deploy", "image", "parser", "index", "schema", "ticket",
    "report", "widget", "socket", "render", "budget", "folder", "signal", "filter", "matrix",
];
const BODY_BYTES: usize = 6_000;
const DESCRIPTION_BYTES: usize = 300;
/// Skills in one folder of groups.
const GROUP: usize = 40;

pub(crate) struct Forest {
    pub(crate) folder: TempDir,
    pub(crate) skills: usize,
    pub(crate) dirs: usize,
    /// One SKILL.md in the middle.
    pub(crate) one: PathBuf,
    /// The lowest folder of a tree that is too deep to be removed from above.
    lowest: Option<PathBuf>,
}

impl Drop for Forest {
    fn drop(&mut self) {
        let from = self.lowest.take().unwrap_or_default();
        for dir in from.ancestors().take_while(|dir| dir.starts_with(self.root()) && *dir != self.root()) {
            let _ = fs::remove_dir_all(dir);
        }
    }
}

impl Forest {
    /// The source's root, which is not a skill.
    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }
}

pub(crate) fn grow(skills: usize, seed: u64) -> io::Result<Forest> {
    let folder = TempDir::new("forest");
    let mut random = Random(seed);
    let mut forest = Forest { skills, dirs: 1, one: PathBuf::new(), folder, lowest: None };
    for number in 0..skills {
        let mut dir = forest.folder.path().to_owned();
        for level in 0..number / GROUP % 4 {
            dir.push(format!("group-{level}-{}", number / GROUP / 4 % (1 << (2 * level).min(8))));
        }
        forest.dirs += make(&dir)?;
        dir.push(format!("{}-{number}", random.pick(WORDS)));
        forest.dirs += plant(&dir, &mut random)?;
        if number == skills / 2 {
            forest.one = dir.join("SKILL.md");
        }
    }
    Ok(forest)
}

/// Skills side by side in one folder, each of them its SKILL.md alone.
pub(crate) fn flat(skills: usize, seed: u64) -> io::Result<Forest> {
    let (folder, mut random) = (TempDir::new("flat"), Random(seed));
    let dir = |number: usize| folder.path().join(format!("skill-{number}"));
    for number in 0..skills {
        fs::create_dir(dir(number))?;
        write(&dir(number), &mut random)?;
    }
    let one = dir(skills / 2).join("SKILL.md");
    Ok(Forest { skills, dirs: skills + 1, one, folder, lowest: None })
}

/// As many folders as given, each in the one before, with a skill in every tenth.
pub(crate) fn deep(folders: usize, seed: u64) -> io::Result<Forest> {
    let (folder, mut random) = (TempDir::new("deep"), Random(seed));
    let mut forest = Forest { skills: 0, dirs: folders + 1, one: PathBuf::new(), lowest: None, folder };
    let mut dir = forest.root().to_owned();
    for level in 1..=folders {
        // a skill is called by its folder's name
        dir.push(if level % 10 == 0 { format!("d-{level}") } else { "d".to_owned() });
        fs::create_dir(&dir)?;
        forest.lowest = Some(dir.clone());
        if level % 10 == 0 {
            write(&dir, &mut random)?;
            forest.skills += 1;
            forest.one = dir.join("SKILL.md");
        }
    }
    Ok(forest)
}

/// Two skills beside a `node_modules` of so many files, twenty in a package.
pub(crate) fn burdened(files: usize, seed: u64) -> io::Result<Forest> {
    let forest = grow(2, seed)?;
    for number in 0..files {
        let package = forest.root().join(format!("node_modules/package-{}/lib", number / 20));
        if number % 20 == 0 {
            fs::create_dir_all(&package)?;
        }
        fs::write(
            package.join(format!("module-{number}.js")),
            "module.exports = {};
",
        )?;
    }
    Ok(forest)
}

/// Skills side by side in one folder, with the words that texts of people have: each has the first half of one text and the second
/// half of another one. The texts are those of the corpus that `SKILLTREE_CORPUS` names; without it, they are made up.
pub(crate) fn varied(skills: usize, seed: u64) -> io::Result<Forest> {
    let (folder, mut random) = (TempDir::new("varied"), Random(seed));
    let texts = match std::env::var_os("SKILLTREE_CORPUS") {
        Some(corpus) => texts(corpus.into())?,
        None => (0..1_000).map(|_| made_up(&mut random)).collect(),
    };
    let dir = |number: usize| folder.path().join(format!("skill-{number}"));
    for number in 0..skills {
        let (one, other) = (&texts[number % texts.len()], random.pick(&texts));
        let words: Vec<&str> = other.split(|c: char| !c.is_ascii_lowercase()).filter(|word| word.len() > 3).collect();
        let described = words[..words.len().min(40)].join(" ");
        let head = format!("---\nname: skill-{number}\ndescription: Use for {described}.\n---\n");
        fs::create_dir(dir(number))?;
        fs::write(dir(number).join("SKILL.md"), [&head, halves(one).0, halves(other).1].concat())?;
    }
    let one = dir(skills / 2).join("SKILL.md");
    Ok(Forest { skills, dirs: skills + 1, one, folder, lowest: None })
}

/// The bodies of all skills in a folder, in an order that is the same every time.
fn texts(folder: PathBuf) -> io::Result<Vec<String>> {
    let (mut folders, mut texts) = (vec![folder], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if entry.file_name() == "SKILL.md" {
                let text = fs::read_to_string(entry.path()).unwrap_or_default();
                texts.extend(text.splitn(3, "---\n").nth(2).map(str::to_owned));
            }
        }
    }
    texts.sort();
    Ok(texts)
}

/// A text of made-up words, of which a few are everywhere and most are rare, as in a language: the n-th one is there about a n-th
/// as often as the first.
fn made_up(random: &mut Random) -> String {
    const ALL_WORDS: f64 = 100_000.0;
    const PARTS: usize = 1 << 20;
    let mut text = String::new();
    for word in 1..=800 {
        let mut number = ALL_WORDS.powf(random.below(PARTS) as f64 / PARTS as f64) as usize;
        while number > 0 {
            text.push(char::from(b"bcdfghjklmnpqrstvwxz"[number % 20]));
            text.push(char::from(b"aeiou"[number / 20 % 5]));
            number /= 100;
        }
        text.push_str(if word % 50 == 0 { "\n\n" } else { " " });
    }
    text
}

/// A text up to the last paragraph that begins in its first half, and from there on.
fn halves(text: &str) -> (&str, &str) {
    let ends = text.match_indices("\n\n").map(|(at, _)| at);
    text.split_at(ends.take_while(|at| *at <= text.len() / 2).last().unwrap_or_default())
}

/// Makes a folder and those above it; how many are new.
fn make(dir: &Path) -> io::Result<usize> {
    let missing = dir.ancestors().take_while(|dir| !dir.exists()).count();
    fs::create_dir_all(dir)?;
    Ok(missing)
}

fn plant(dir: &Path, random: &mut Random) -> io::Result<usize> {
    let made = make(&dir.join("scripts"))? + make(&dir.join("references"))?;
    fs::write(dir.join("scripts/run.sh"), "echo run\n")?;
    fs::write(dir.join("references/guide.md"), "# Guide\n")?;
    fs::write(dir.join("notes.txt"), "Notes.\n")?;
    write(dir, random)?;
    Ok(made)
}

/// Writes the SKILL.md of a folder.
fn write(dir: &Path, random: &mut Random) -> io::Result<()> {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let mut text = format!("---\nname: {name}\ndescription: Use for");
    say(&mut text, DESCRIPTION_BYTES, random);
    let _ = write!(
        text,
        ".\nversion: 1.0.{}\nlicense: MIT\nmetadata:\n  author: nobody\n---\n\n# {name}\n",
        random.below(9)
    );
    while text.len() < BODY_BYTES {
        text.push('\n');
        say(&mut text, 400, random);
        text.push('\n');
    }
    fs::write(dir.join("SKILL.md"), text)
}

fn say(text: &mut String, bytes: usize, random: &mut Random) {
    let end = text.len() + bytes;
    while text.len() < end {
        text.push(' ');
        let word: &&str = random.pick(WORDS);
        text.push_str(word);
    }
}

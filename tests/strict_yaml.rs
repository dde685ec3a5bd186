//! Two readers of YAML that repair nothing read the frontmatter of every mended file: PyYAML and the `yaml` of npm, from the
//! folder that `SKILLTREE_RUNTIMES` names, over the corpus that `SKILLTREE_CORPUS` names.
#![cfg(unix)]

use crate::common;

use common::ground::table;
use common::runtimes::runtime;
use common::skip::real_data;
use pretty_assertions::assert_eq;
use skilltree::author::FixRequest;
use skilltree::{CheckRequest, Code, Fs, FsPath, Json, MemFs, OsFs, Places, World, check, discover};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Reads a JSON list of texts, and prints a JSON list of mappings whose scalars are text as written; null for a text that
/// is not valid. A second reading with the usual types must succeed as well.
const PYTHON: &str = "
import json, sys, yaml
def read(text):
    try:
        yaml.safe_load(text)
        return yaml.load(text, Loader=yaml.BaseLoader)
    except Exception:
        return None
json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
";

const NODE: &str = "
const YAML = require('yaml');
const read = (text) => {
  if (YAML.parseDocument(text).errors.length > 0) return null;
  return YAML.parseDocument(text, { schema: 'failsafe' }).toJS();
};
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(texts.map(read)));
";

/// The values that a program reads from each text.
fn read(program: &Path, arguments: &[&str], texts: &str) -> Vec<Json> {
    let modules = program.ancestors().nth(2).expect("a folder of modules");
    let mut command = Command::new(program);
    command.args(arguments).env("NODE_PATH", modules).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the runtime starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let texts = texts.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(texts.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads all");
    assert!(output.status.success(), "it answers");
    match Json::parse(&String::from_utf8(output.stdout).expect("UTF-8")).expect("JSON") {
        Json::List(values) => values,
        other => panic!("no list: {other}"),
    }
}

/// The text between the first two fences.
fn frontmatter(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.find('\n').filter(|end| text[..*end].trim_end() == "---")? + 1;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(&text[start..at]);
        }
        at += line.len();
    }
    None
}

/// Every SKILL.md below a folder, without following symlinks.
fn skill_files(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut waiting) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if kind.is_file() && entry.file_name() == "SKILL.md" {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// The name and the description that we read.
fn ours(text: &[u8]) -> Option<[Option<String>; 2]> {
    let mut fs = MemFs::new();
    fs.file("/s/tea/SKILL.md", text.to_vec());
    let places = Places { roots: vec![common::path("/s")], only_roots: true, ..Places::default() };
    let catalog = discover(&World::new(&fs, &places, &()), &table("agentskills"));
    let frontmatter = &catalog.skills().first()?.frontmatter;
    Some([frontmatter.name.clone(), frontmatter.description.clone()])
}

#[test]
fn strict_readers_read_what_had_tabs() {
    let (Some(python), Some(node)) = (runtime("python"), runtime("node")) else { return };
    let fields = [
        "description: D\t",
        "description:\tD",
        "description: \"D\"\t\nlicense: MIT",
        "description: D\tE",
        "description: D\nallowed-tools: [a,\tb]",
        "description: D\nallowed-tools:\n  -\ta\n  - b\t",
        "description: D\n\t\nlicense: MIT",
        "description: D\n  \tE",
        "description: D\nmetadata:\t\n  a:\tb\t# c",
        "description:\n  \t D\n\tE",
    ];
    let mended: Vec<String> = fields.iter().map(|fields| mended(&format!("---\nname: tea\n{fields}\n---\n"))).collect();
    let texts: Vec<Json> = mended.iter().map(|text| Json::from(frontmatter(text).expect("it has one"))).collect();
    let asked = Json::from(texts).to_string();
    for (name, values) in
        [("PyYAML", read(&python, &["-c", PYTHON], &asked)), ("yaml", read(&node, &["-e", NODE], &asked))]
    {
        for (text, value) in mended.iter().zip(values) {
            let [own_name, own_description] = ours(text.as_bytes()).expect("a skill");
            let theirs = |field: &str| value.get(field).and_then(Json::as_text).map(str::to_owned);
            assert_eq!([theirs("name"), theirs("description")], [own_name, own_description], "{name}: {text}");
        }
    }
}

#[test]
fn strict_readers_read_every_skill_in_use() {
    let Some(python) = runtime("python") else { return };
    let values = [
        "{{TITLE}}",
        "{{ a }} b",
        "[{{a}}, b]",
        "{a: {{b}}}",
        "{[a]: b}",
        "!x b",
        "!x [b]",
        "!!int x",
        "=",
        "<<",
        "2026-02-30",
        "2026-01-01 25:00:00",
        "0x_",
        "0b_",
        "a\u{7f}",
        "a\u{85}b",
        "a\u{2028}b",
        "\"a\u{fffe}\"",
        "[a?, b]",
        "{: a}",
        "@a",
        "a: b",
        "[a",
        "{a",
        "\"a",
        "a\tb",
        "|\n  a\u{9f}\n  b",
        "\n  : a",
        "\n  <<: a",
        "\n  a: `{b: c}\n  d: e\n  f",
        "\n  - a\n  - {{b}}",
        "\n  a: b\n c: d",
        "a\rb",
        "\n  ? [a]\n  : b",
        "\n  ? - a\n    - b\n  : c",
        "\n  ? a: b\n  : c",
        "\n  - ? - a\n    : b",
        "\n  ?\n    - %x\n  : a",
        "{[a,\n    b]: c}",
        "\n  ? [a,\n     b]\n  : c",
        "|\n  a\u{85}b",
        "\n  - |\n    a\u{85}b",
        "\n  a: >-\n    b\u{85}c",
        "\n  ? |\n    a\u{85}b\n  : c",
        "|\nx:\n  '' y",
        "# a",
        "*a",
        "&a",
        "a:\n  b",
    ];
    let mut fs = MemFs::new();
    let mut count = 0;
    for field in ["description", "license", "title", "allowed-tools", "metadata"] {
        for value in values {
            count += 1;
            let other = if field == "description" { "" } else { "description: D\n" };
            fs.file(
                &format!("/s/t{count}/SKILL.md"),
                format!("---\nname: t{count}\n{other}{field}: {value}\n---\nB\n"),
            );
        }
    }
    let places = Places { roots: vec![common::path("/s")], only_roots: true, ..Places::default() };
    let fixed = FixRequest::default().fix(&World::new(&fs, &places, &()), &table("agentskills"), &[common::path("/s")]);
    for file in fixed.expect("it is there") {
        fs.file(file.path.as_str(), file.after);
    }
    let catalog = discover(&World::new(&fs, &places, &()), &table("agentskills"));
    assert!(count - 20 < catalog.skills().len(), "{} of {count} are in use", catalog.skills().len());
    let read_text = |skill: &skilltree::Skill| {
        String::from_utf8(fs.read(&skill.path, u64::MAX).expect("a file").bytes).expect("UTF-8")
    };
    let texts: Vec<String> = catalog.skills().iter().map(read_text).collect();
    let asked = Json::from(texts.iter().map(|text| Json::from(frontmatter(text).expect("one"))).collect::<Vec<_>>());
    let unread: Vec<&String> = read(&python, &["-c", PYTHON], &asked.to_string())
        .iter()
        .zip(&texts)
        .filter_map(|(value, text)| (*value == Json::Null).then_some(text))
        .collect();
    assert_eq!(unread, Vec::<&String>::new());
}

/// The text of a skill as a fix writes it.
fn mended(text: &str) -> String {
    let mut fs = MemFs::new();
    fs.file("/s/tea/SKILL.md", text);
    let places = Places::default();
    let world = World::new(&fs, &places, &());
    let fixed = FixRequest::default().fix(&world, &table("agentskills"), &[common::path("/s")]).expect("it is there");
    let [file] = fixed.as_slice() else { panic!("{text}: {fixed:?}") };
    String::from_utf8(file.after.clone()).expect("UTF-8")
}

#[test]
fn strict_readers_read_every_mended_file_of_the_corpus() {
    let Some(corpus) = real_data("SKILLTREE_CORPUS", "corpus") else { return };
    let (Some(python), Some(node)) = (runtime("python"), runtime("node")) else { return };
    let (disk, places) = (OsFs::new(), Places::default());
    let world = World::new(&disk, &places, &());
    let paths = [disk.parse(corpus.to_str().expect("UTF-8"), &FsPath::root()).expect("a path")];
    let fixed = FixRequest::default().fix(&world, &table("agentskills"), &paths).expect("it is there");
    assert!(fixed.len() >= 38, "{} files were mended", fixed.len());

    let mut texts: Vec<(PathBuf, String)> = Vec::new();
    for file in skill_files(&corpus) {
        let mended = fixed.iter().find(|fixed| disk.display(&fixed.path) == file.to_str().expect("UTF-8"));
        let before = std::fs::read(&file).expect("it can be read");
        let after = mended.map_or_else(|| before.clone(), |fixed| fixed.after.clone());
        if mended.is_some() {
            assert_eq!(ours(&after), ours(&before), "{}", file.display());
        }
        texts.extend(String::from_utf8(after).ok().map(|text| (file, text)));
    }
    let of_skills: Vec<(&Path, &str)> =
        texts.iter().filter_map(|(file, text)| Some((file.as_path(), frontmatter(text)?))).collect();
    let asked = Json::from(of_skills.iter().map(|(_, text)| Json::from(*text)).collect::<Vec<_>>()).to_string();
    let findings = check(&world, &table("agentskills"), &paths, &CheckRequest::default()).expect("it is there");
    for (name, values) in
        [("PyYAML", read(&python, &["-c", PYTHON], &asked)), ("yaml", read(&node, &["-e", NODE], &asked))]
    {
        assert_eq!(values.len(), of_skills.len(), "{name}");
        for ((file, text), value) in of_skills.iter().zip(&values) {
            let is_named = findings.iter().any(|finding| {
                let is_about_yaml = matches!(finding.code, Code::Yaml | Code::DuplicateKey);
                is_about_yaml && disk.display(&finding.path) == file.to_string_lossy()
            });
            if *value == Json::Null {
                assert!(is_named, "{name} does not read {}, and no finding says why:\n{text}", file.display());
                continue;
            }
            let all = format!("---\n{text}---\n");
            let Some([own_name, own_description]) = ours(all.as_bytes()) else { continue };
            for (field, own) in [("name", own_name), ("description", own_description)] {
                let theirs = value.get(field).and_then(Json::as_text).map(|text| text.trim().to_owned());
                if let (Some(own), Some(theirs)) = (own, theirs) {
                    assert_eq!(theirs, own, "{name}: {field} of {}", file.display());
                }
            }
        }
    }
}

//! The dialects as data, and every case of `testdata` as a transcript: on the disk and in memory, the same text.
//! A step is in the words of the command line; here it is answered by the library alone.

use crate::common;
use crate::parts::part;
use crate::transcript::{Stage, cases, transcript};
use pretty_assertions::assert_eq;
use skilltree::author::Conversion;
use skilltree::dialect::NAMES;
use skilltree::discovery::{StateChange, States, Store};
use skilltree::fs::FsCall;
use skilltree::package::CopyPlan;
use skilltree::{
    Caller, Catalog, CheckRequest, Diagnostic, Error, FsPath, Invocation, Json, LoadRequest, Places, PromptRequest,
    SelectRequest, Skill, State, World, call, check, commands, dialect, discover, invoke, load, prompt, select, tool,
    why,
};
use std::collections::BTreeSet;

#[test]
fn every_case_answers_as_expected() {
    let cases = cases();
    assert!(!cases.is_empty(), "there are cases");
    for case in cases {
        transcript(&case, &|stage, step| answer(stage, step).unwrap_or_else(|error| refusal(&error)));
    }
}

fn refusal(error: &Error) -> String {
    format!("error[{}]: {error}", error.code())
}

fn answer(stage: &Stage<'_>, step: &str) -> Result<String, Error> {
    let catalog = discover(&stage.world, &stage.dialect);
    let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
    match word {
        "list" => Ok(list(&catalog)),
        "tree" => Ok(skills_as_tree(&catalog)),
        "prompt" => Ok(prompted(stage, &catalog, &Options::read(rest))),
        "load" => loaded(stage, &catalog, &Options::read(rest)),
        "tool" => tool(&catalog).map(|tool| format!("{}\n{}\n{:#}", tool.name, tool.description, tool.input_schema)),
        "call" => call(&stage.world, &catalog, rest).map(|answer| invoked(&answer)),
        "invoke" => {
            let commands = commands(&catalog, stage.reserved);
            let answer = invoke(&stage.world, &catalog, &commands, rest)?;
            Ok(answer.map_or_else(|| "an ordinary message".to_owned(), |answer| invoked(&answer)))
        }
        "complete" => Ok(completed(stage, &catalog, rest)),
        "skill" => Ok(described(stage, &catalog, rest)),
        "body" => catalog.find(rest, Caller::User).and_then(|skill| catalog.body(&stage.world, skill)),
        "match" => matched(stage, &catalog, &Options::read(rest)),
        "why" => Ok(explained(stage, &catalog, &Options::read(rest))),
        "check" => checked(stage, &Options::read(rest)),
        "json" => Ok(format!("{:#}", catalog.to_json(&stage.world, &commands(&catalog, stage.reserved)))),
        "convert" => converted(stage, &catalog, &Options::read(rest)),
        "state" => state(stage, &catalog, &Options::read(rest)),
        "display" => Ok(display(stage, &catalog, rest)),
        "sync" => CopyPlan::of(&stage.world, &catalog, &common::path(rest)).map(|plan| planned(&plan)),
        _ => panic!("no such step: {step}"),
    }
}

/// The folder of a converted skill, what is lost, the other files, and its SKILL.md.
fn converted(stage: &Stage<'_>, catalog: &Catalog, ask: &Options) -> Result<String, Error> {
    let to = ask.all("to").first().and_then(|name| dialect(name)).expect("a dialect");
    let converted = Conversion::of(&stage.world, catalog, catalog.find_any(&ask.words())?, &to)?;
    let lost = converted.lost.iter().map(|loss| format!("lost {}: {}\n", loss.field, loss.reason));
    let files = converted.files.iter().map(|file| format!("file {}\n", file.to));
    let sidecar = converted.sidecar.iter().map(|(name, text)| format!("{name}:\n{text}"));
    let rest: String = lost.chain(files).chain(sidecar).collect();
    Ok(format!("{}\n{rest}{}", converted.name, converted.manifest.trim_end()))
}

/// The options of a step, and what stands between them.
#[derive(Default)]
struct Options {
    words: Vec<String>,
    options: Vec<(String, String)>,
}

impl Options {
    fn read(text: &str) -> Options {
        let mut read = Options::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word.strip_prefix("--") {
                // Arguments go on to the end of the line.
                Some("args") => {
                    let args = text.split_once("--args ").map_or("", |(_, args)| args);
                    read.options.push(("args".to_owned(), args.to_owned()));
                    break;
                }
                Some(flag @ ("strict" | "user-level")) => read.options.push((flag.to_owned(), String::new())),
                Some(name) => read.options.push((name.to_owned(), words.next().unwrap_or_default().to_owned())),
                None => read.words.push(word.to_owned()),
            }
        }
        read
    }

    fn all(&self, name: &str) -> Vec<String> {
        self.options.iter().filter(|(option, _)| option == name).map(|(_, value)| value.clone()).collect()
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.all(name).first().map(|value| value.parse().expect("a number"))
    }

    fn words(&self) -> String {
        self.words.join(" ")
    }

    /// The words of a step are cut at blanks, so `_` stands for one in a query.
    fn prompt(&self) -> PromptRequest {
        PromptRequest {
            budget: self.number("budget"),
            window: self.number("window"),
            query: self.all("query").first().map(|query| query.replace('_', " ").into()),
        }
    }
}

fn audience(skill: &Skill) -> &'static str {
    match (skill.state == State::Disabled, skill.is_for(Caller::Model), skill.is_for(Caller::User)) {
        (true, _, _) => "off",
        (_, true, true) => "model+user",
        (_, true, false) => "model",
        (_, false, true) => "user",
        (_, false, false) => "nobody",
    }
}

fn one_line(text: &str) -> String {
    text.replace('\n', "\\n")
}

fn row(skill: &Skill) -> String {
    let pinned = if skill.frontmatter.pinned { " pinned" } else { "" };
    let version = skill.frontmatter.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let Skill { key, name, source, .. } = skill;
    let description = one_line(skill.description());
    format!("{key} | {name}{version} | {} | {}{pinned} | {description}", source.label, audience(skill))
}

fn findings(found: &[Diagnostic]) -> Vec<String> {
    let line = |finding: &Diagnostic| {
        let help = finding.help.as_ref().map(|help| format!(" (help: {help})")).unwrap_or_default();
        let fix = finding.fix.as_ref().map(|fix| format!(" (fix {}: {})", fix.line, fix.with)).unwrap_or_default();
        format!("{finding}{help}{fix}")
    };
    found.iter().map(line).collect()
}

fn list(catalog: &Catalog) -> String {
    let mut lines: Vec<String> = catalog.skills().iter().map(row).collect();
    lines.extend(catalog.shadowed().iter().map(|lost| {
        format!("shadowed {} | {} | {} by {}", lost.skill.key, lost.skill.source.label, lost.skill.path, lost.by)
    }));
    lines.extend(findings(catalog.findings()));
    lines.join("\n")
}

/// Each skill under the one whose child it is.
fn skills_as_tree(catalog: &Catalog) -> String {
    let children = |skill: &Skill| catalog.children(skill, Caller::User);
    let below: BTreeSet<&str> = catalog.skills().iter().flat_map(children).map(|skill| skill.key.as_str()).collect();
    let mut waiting: Vec<(usize, &Skill)> = catalog
        .skills()
        .iter()
        .rev()
        .filter(|skill| !below.contains(skill.key.as_str()))
        .map(|skill| (0, skill))
        .collect();
    let mut lines = Vec::new();
    while let Some((depth, skill)) = waiting.pop() {
        lines.push(format!("{}{}", "  ".repeat(depth), skill.key));
        waiting.extend(children(skill).into_iter().rev().map(|child| (depth + 1, child)));
    }
    lines.join("\n")
}

fn prompted(stage: &Stage<'_>, catalog: &Catalog, options: &Options) -> String {
    let prompt = prompt(&stage.world, catalog, &options.prompt());
    let budget = prompt.budget.map_or_else(|| "no budget".to_owned(), |budget| budget.to_string());
    let mut lines = vec![prompt.text];
    let mut facts = vec![format!("{} shown, {} of {budget}", prompt.shown.len(), prompt.cost)];
    for (what, keys) in [("shortened", &prompt.shortened), ("left out", &prompt.left_out)] {
        if !keys.is_empty() {
            facts.push(format!("{what}: {}", keys.join(", ")));
        }
    }
    lines.push(format!("-- {}", facts.join("; ")));
    lines.extend((!prompt.note.is_empty()).then(|| format!("note: {}", prompt.note)));
    lines.extend(findings(&prompt.findings));
    lines.join("\n")
}

fn matched(stage: &Stage<'_>, catalog: &Catalog, options: &Options) -> Result<String, Error> {
    let ask = SelectRequest { query: options.words(), recent: options.all("recent"), max: options.number("max") };
    let selection = select(&stage.world, catalog, &ask)?;
    let mut lines = vec![format!("tier {}: {}", selection.tier.number(), selection.keys.join(", ")), selection.text];
    lines.extend(findings(&selection.findings));
    Ok(lines.join("\n"))
}

/// All that `list --json` says of a skill.
fn described(stage: &Stage<'_>, catalog: &Catalog, key: &str) -> String {
    let listed = catalog.to_json(&stage.world, &commands(catalog, stage.reserved));
    let Some(Json::List(skills)) = listed.get("skills") else { panic!("no skills in {listed}") };
    let own = skills.iter().find(|skill| skill.get("key").and_then(Json::as_text) == Some(key));
    own.map_or_else(|| "no such skill".to_owned(), |skill| format!("{skill:#}"))
}

fn loaded(stage: &Stage<'_>, catalog: &Catalog, options: &Options) -> Result<String, Error> {
    let caller = match options.all("as").first().map(String::as_str) {
        Some("model") => Caller::Model,
        _ => Caller::User,
    };
    let skill = catalog.find(&options.words(), caller)?;
    let mut ask = LoadRequest::new(caller);
    ask.already_loaded = options.all("already");
    ask.args = options.all("args").concat();
    let loaded = load(&stage.world, catalog, skill, &ask)?;
    let mut lines = vec![loaded.text];
    lines.push(format!("-- {} files; children: [{}]", loaded.files.len(), loaded.children.join(", ")));
    lines.extend(findings(&loaded.findings));
    Ok(lines.join("\n"))
}

fn invoked(answer: &Invocation) -> String {
    match answer {
        Invocation::Inline(message) => {
            let mut facts = format!("inline {}; tools: {}", message.key, tools(message.tools.as_ref()));
            for (what, value) in [("model", &message.model), ("effort", &message.effort)] {
                facts.extend(value.iter().flat_map(|value| ["; ", what, ": ", value]));
            }
            let without = message.disallowed_tools.as_ref().map(|tools| format!("; without: {tools:?}"));
            let dir = format!("; dir: {}", message.dir);
            facts.extend(message.also.iter().flat_map(|key| ["; also: ", key]));
            told(&message.text, &[&facts, without.as_deref().unwrap_or(""), &dir], &message.findings)
        }
        Invocation::Fork(fork) => {
            let mut facts = format!("fork {}; tools: {}", fork.key, tools(fork.tools.as_ref()));
            for (what, value) in [("agent", &fork.agent), ("model", &fork.model), ("effort", &fork.effort)] {
                facts.extend(value.iter().flat_map(|value| ["; ", what, ": ", value]));
            }
            let background = fork.background.map(|background| format!("; background: {background}"));
            let granted = format!("; permissions: {:?} by {}; dir: {}", fork.permissions, fork.granted_by, fork.dir);
            told(&fork.text, &[&facts, background.as_deref().unwrap_or(""), &granted], &fork.findings)
        }
        Invocation::Pending(pending) => {
            let mut lines: Vec<String> = pending.commands.iter().map(|command| format!("run: {command}")).collect();
            let variables: Vec<_> = pending.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let shell = pending.shell.as_ref().map(|shell| format!("; shell: {shell}")).unwrap_or_default();
            lines.push(format!(
                "-- pending {}; words: {:?}; {}{shell}",
                pending.key,
                pending.words,
                variables.join(" ")
            ));
            let outputs: Vec<String> =
                (0..pending.commands.len()).map(|n| format!("<output {n} $ARGUMENTS>")).collect();
            lines.push(invoked(&pending.clone().resume(&outputs)));
            lines.join("\n")
        }
        other => format!("{other:?}"),
    }
}

fn planned(plan: &CopyPlan) -> String {
    let mut lines = Vec::new();
    for copy in &plan.copies {
        lines.push(format!("copy {} of {}", copy.name, copy.id));
        lines.extend(copy.files.iter().map(|file| format!("  {} <- {}", file.to, file.from)));
    }
    lines.extend(plan.unchanged.iter().map(|name| format!("unchanged {name}")));
    lines.extend(plan.removals.iter().map(|name| format!("remove {name}")));
    lines.extend(findings(&plan.findings));
    lines.join("\n")
}

fn tools(tools: Option<&Vec<String>>) -> String {
    tools.map_or_else(|| "all".to_owned(), |tools| format!("{tools:?}"))
}

fn told(text: &str, facts: &[&str], found: &[Diagnostic]) -> String {
    let mut lines = vec![text.to_owned(), format!("-- {}", facts.concat())];
    lines.extend(findings(found));
    lines.join("\n")
}

fn completed(stage: &Stage<'_>, catalog: &Catalog, prefix: &str) -> String {
    let commands = commands(catalog, stage.reserved);
    let line = |command: &&skilltree::Command| {
        let hint = command.hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
        let aliases =
            if command.aliases.is_empty() { String::new() } else { format!(" (also {})", command.aliases.join(", ")) };
        format!("/{}{hint}{aliases} -> {} | {}", command.name, command.key, one_line(&command.description))
    };
    commands.complete(prefix).iter().map(line).collect::<Vec<_>>().join("\n")
}

fn explained(stage: &Stage<'_>, catalog: &Catalog, options: &Options) -> String {
    let outcomes = why(&stage.world, catalog, &options.words(), &options.prompt());
    let line = |why: &skilltree::Why| {
        let code = why.code.map(|code| format!("[{code}]")).unwrap_or_default();
        let help = why.help.as_ref().map(|help| format!(" (help: {help})")).unwrap_or_default();
        format!("{}: {}{code}: {}{help}", why.path, why.outcome.as_str(), why.message)
    };
    if outcomes.is_empty() {
        "nothing of it was seen".to_owned()
    } else {
        outcomes.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn checked(stage: &Stage<'_>, options: &Options) -> Result<String, Error> {
    let paths: Vec<FsPath> = options.words.iter().map(|word| common::path(word)).collect();
    let ask = CheckRequest { strict: !options.all("strict").is_empty() };
    let found = check(&stage.world, &stage.dialect, &paths, &ask)?;
    Ok(if found.is_empty() { "no findings".to_owned() } else { findings(&found).join("\n") })
}

/// The states of all, or the file that a change writes.
fn state(stage: &Stage<'_>, catalog: &Catalog, options: &Options) -> Result<String, Error> {
    let [key, change] = options.words.as_slice() else {
        let rows = catalog.state_rows(&States::read(&stage.world, &stage.dialect));
        let line = |row: &skilltree::loading::StateRow| {
            let store = row.store.map_or("default", Store::as_str);
            format!("{} {} | {} by {store} | {}", row.state.symbol(), row.key, row.state.as_str(), row.description)
        };
        return Ok(rows.iter().map(line).collect::<Vec<_>>().join("\n"));
    };
    let change = State::named(change).map_or(StateChange::Next, StateChange::To);
    let store = if options.all("user-level").is_empty() { Store::Project } else { Store::User };
    let write = States::set(&stage.world, &stage.dialect, catalog.find_any(key)?, change, store)?;
    let replaces = write.expected.map_or_else(|| "nothing".to_owned(), |bytes| format!("{} bytes", bytes.len()));
    Ok(format!("{}\n-- into {}, in place of {replaces}", String::from_utf8_lossy(&write.bytes), write.path))
}

/// What a user sees of a call of the tool with this skill: while it is under way, and then.
fn display(stage: &Stage<'_>, catalog: &Catalog, asked: &str) -> String {
    if asked.is_empty() {
        let frames = (0..4).map(|frame| stage.dialect.loading_view(frame).expect("the dialect has a tool"));
        return frames.collect::<Vec<_>>().join("\n");
    }
    let found = catalog.find(asked, Caller::Model);
    let view = catalog.load_view(&stage.world, asked, found.as_ref().map(|skill| *skill));
    view.expect("the dialect has a tool")
}

#[test]
fn discovery_lists_each_folder_once_and_reads_each_skill_once() {
    let tree = common::tree(
        "//- /skills/one/SKILL.md\n---\nname: one\ndescription: The first.\n---\nOne.\n\
         //- /skills/one/scripts/run.sh\necho run\n\
         //- /skills/group/two/SKILL.md crlf\n---\nname: two\ndescription: The second.\n---\nTwo.\n\
         //- /skills/group/with a blank/notes.txt\nNotes.\n\
         //- /skills/empty dir\n\
         //- /skills/node_modules/pack/SKILL.md\nNever read.\n",
    );
    let (fs, machine) = (tree.mem(), common::Machine::default());
    let places = Places { roots: vec![common::path("/skills")], only_roots: true, ..Places::default() };
    let tables = NAMES.iter().map(|name| (name, dialect(name).unwrap_or_else(|| panic!("{name}: no table"))));
    for (name, table) in tables.filter(|(_, table)| table.scan_depth().is_none()) {
        fs.reset();
        let catalog = discover(&World::new(&fs, &places, &machine), &table);
        // a table of one level sees the second skill, and does not read it
        let taken = if table.scan_depth().is_none() { 2 } else { 1 };
        // a table that passes over no such folder finds what is in it, and one that reads two settings files asks for them
        let enters_all = !part(&table, "scan.skipped").texts().contains(&"node_modules");
        let taken = taken + usize::from(enters_all);
        assert_eq!(catalog.skills().len(), 2, "{name}: skills");
        // a table that searches no folder of a skill does not list its scripts
        let enters_skills = part(&table, "scan.nested").text() == "yes";
        let listed = if enters_all { 8 } else { 6 } + usize::from(enters_skills);
        assert_eq!(fs.calls(FsCall::List), listed, "{name}: the root, one, scripts, group, two, with a blank, empty");
        assert_eq!(fs.calls(FsCall::Read), taken, "{name}: one read a skill");

        #[cfg(unix)]
        {
            let (disk, _folder) = tree.disk();
            let same = discover(&World::new(&disk, &places, &machine), &table);
            assert_eq!(list(&same), list(&catalog), "{name}: disk and memory");
        }
    }
}

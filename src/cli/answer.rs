//! Answers a parsed command: one `match` from the [`Command`] to its [`Reply`]. `list`, `tree`, `prompt`, `load`, `tool`,
//! `complete`, `match` and `version` are answered here.

use crate::args::{Command, GlobalOptions, SizeArgs, Stub};
use crate::output::findings::{self, summary};
use crate::output::no_skills::{self, no_skills_message};
use crate::output::text::{self, count};
use crate::output::{list, stub, style, table};
use crate::progress::Progress;
use crate::receipt::Recording;
use crate::reply::{Failure, Output, Reply, Screen};
use crate::setup::Setup;
use crate::suggested::{command, is_quiet};
use crate::{completion, hints, lsp, mcp, sync};
use anstyle::Style;
use skilltree::offer::{Query, Tier};
use skilltree::record::{RecordedAnswer, RecordedRequest};
use skilltree::{
    Caller, Catalog, CheckRequest, Code, Diagnostic, Dialect, Error, Fs, Json, LoadRequest, PromptRequest,
    SelectRequest, State, visible,
};
use std::sync::Arc;

pub(crate) fn run(options: &GlobalOptions, command: Command, screen: Screen) -> Reply {
    let note = unused_notes(options, &command);
    // It is gone before anything is printed.
    let progress = Progress::of(&command, options.json, options.quiet);
    let answer = Runner { options, screen, json: options.json, progress: &progress }.answer(command);
    drop(progress);
    answer.unwrap_or_else(|failure| failure.reply(options.json)).with_stderr(&note)
}

/// The notes that `--session` and `--receipt` are not used, for commands that neither show nor load anything.
fn unused_notes(options: &GlobalOptions, command: &Command) -> String {
    let given = [(&options.session, "session", "use it"), (&options.receipt, "receipt", "write one")];
    let unused = given.into_iter().filter(|(file, ..)| file.is_some() && !command.gives_text());
    let note = |(_, option, what)| {
        note_line(&format!("`--{option}` is ignored: only `prompt`, `load`, `call` and `invoke` {what}"))
    };
    unused.map(note).collect()
}

/// Up to how many files a list counts the findings of `check`. Of more, it counts those of discovery, which reads only the
/// frontmatter.
const MAX_CHECKED: usize = 200;

/// Prints a catalog line by line, for a terminal of the given width.
type Show = fn(&dyn skilltree::Fs, &Catalog, Option<usize>, &mut dyn FnMut(&str));

pub(crate) type Answer = Result<Reply, Failure>;

/// The options that apply to every command, and the terminal.
#[derive(Clone, Copy)]
pub(crate) struct Runner<'a> {
    pub(crate) options: &'a GlobalOptions,
    pub(crate) screen: Screen,
    pub(crate) json: bool,
    pub(crate) progress: &'a Progress,
}

impl Runner<'_> {
    fn answer(self, command: Command) -> Answer {
        match command {
            Command::Overview => self.overview(),
            Command::List => self.list(list::list),
            Command::Tree => self.list(list::tree),
            Command::Prompt { size, query, metadata } => {
                if metadata && self.options.receipt.is_some() {
                    let why = "`--receipt` cannot be used with `prompt --metadata`, which a receipt does not record";
                    return Err(Failure::error("usage", why));
                }
                let ask = prompt_request(size, query);
                let mut setup = Setup::new(self.options)?;
                if metadata {
                    setup.dialect = with_metadata(&setup.dialect)?;
                }
                self.recorded_in(&setup, RecordedRequest::Prompt(ask.clone()), |recording, catalog| {
                    self.prompt(recording, catalog, &ask)
                })
            }
            Command::Load { key, caller, args, already } => {
                let mut ask = LoadRequest::new(caller);
                (ask.asked, ask.already_loaded) = (Some(key.clone()), already.clone());
                ask.args = args.clone().unwrap_or_default();
                let request =
                    RecordedRequest::Load { key, caller: ask.caller, args: ask.args.clone(), already_loaded: already };
                self.recorded(request, |recording, catalog| self.load(recording, catalog, &ask, args.is_some()))
            }
            Command::Tool { stub, agent_command } => self.tool(stub, agent_command.as_deref()),
            Command::Call { arguments, run } => {
                let request = RecordedRequest::Call { arguments: arguments.clone() };
                self.recorded(request, |recording, catalog| self.call(recording, catalog, &arguments, &run))
            }
            Command::Invoke { line, run } => {
                let request = RecordedRequest::Invoke { line: line.clone(), reserved: self.options.reserved.clone() };
                self.recorded(request, |recording, catalog| self.invoke(recording, catalog, &line, &run))
            }
            Command::Complete { prefix } => self.complete(&prefix),
            Command::Match { text, max, recent } => self.select(SelectRequest { query: text, recent, max }),
            Command::Search(ask) => self.search(ask),
            Command::Why { asked, size, query } => self.why(&asked, &prompt_request(size, query)),
            Command::Matrix(ask) => self.matrix(&ask),
            Command::Diff(ask) => self.diff(&ask),
            Command::Overlap(size) => self.overlap(size),
            Command::Check(ask) => self.check(&ask),
            Command::Verify(ask) => self.verify(&ask),
            Command::Lock(ask) => self.lock(&ask),
            Command::Index(ask) => self.index(&ask),
            Command::Explain(ask) => self.explain(&ask),
            Command::State(ask) => self.state(&ask),
            Command::Run(ask) => self.run_script(&ask),
            Command::Approve(ask) => self.approve(&ask),
            Command::Trust(ask) => self.trust(&ask),
            Command::Pack(ask) => self.pack(&ask),
            Command::Unpack(ask) => self.unpack(&ask),
            Command::New(ask) => self.new_skill(&ask),
            Command::Convert(ask) => self.convert(&ask),
            Command::Toolset(ask) => self.toolset(&ask),
            Command::Session(ask) => self.session(&ask),
            Command::Replay(ask) => self.replay(&ask),
            Command::Sync { to, dry_run } => self.sync(to.as_deref(), dry_run),
            Command::Lsp(ask) => lsp::serve(self.options, ask),
            Command::Mcp(ask) => mcp::serve(self.options, ask),
            Command::Dialect { name, yaml, schema } => self.dialect(name.as_deref(), yaml, schema),
            Command::Completions { shell } => {
                let failed = |error: std::io::Error| Failure::error("usage", error.to_string());
                Ok(Reply::new(Output::Bytes(completion::script(shell).map_err(failed)?)))
            }
            Command::Man { dir } => self.man(&dir),
            Command::Version => Ok(self.version()),
        }
    }

    /// The setup and the catalog that most answers need.
    pub(crate) fn discover(self) -> Result<(Setup, Catalog), Failure> {
        let setup = Setup::new(self.options)?;
        let catalog = self.catalog(&setup);
        Ok((setup, catalog))
    }

    pub(crate) fn catalog(self, setup: &Setup) -> Catalog {
        skilltree::discover(&setup.world(), &setup.dialect)
    }

    fn list(self, show: Show) -> Answer {
        if self.json {
            return self.list_json();
        }
        let (setup, catalog) = self.discover()?;
        let mut err = no_skills_message(&setup, &catalog);
        // A skill that is found by its path or by a part of its key is not meant.
        let is_key =
            |asked: &&String| catalog.skills().iter().any(|one| one.key == **asked || visible(&one.key) == **asked);
        for asked in self.options.enable.iter().chain(&self.options.disable).filter(|asked| !is_key(asked)) {
            let why = format!("there is no skill with the key `{}` to enable or disable", visible(asked));
            err.push_str(&note_line(&why));
        }
        if !catalog.skills().is_empty() {
            err.push_str(&no_skills::below_depth(&setup, &catalog));
        }
        let is_short = catalog.seen().count() <= MAX_CHECKED && !is_quiet();
        let checked = is_short.then(|| CheckRequest::default().check_seen(&setup.world(), &setup.dialect).1);
        let found = checked.as_deref().unwrap_or_else(|| catalog.findings());
        let found: Vec<&Diagnostic> = setup.notes.iter().chain(found).collect();
        err.push_str(&summary(&setup, &catalog, &found, self.screen.is_on_terminal()));
        let width = self.screen.width;
        Ok(Reply::new(Output::Lines(Box::new(move |out| show(&setup.fs, &catalog, width, out)))).with_stderr(&err))
    }

    /// Prints the list as JSON while it is being generated, one skill at a time.
    fn list_json(self) -> Answer {
        let setup = Setup::new(self.options)?;
        let catalog = skilltree::discover(&setup.world().with_resources(), &setup.dialect);
        let reserved = self.options.reserved.clone();
        let told = no_skills_message(&setup, &catalog);
        let looked = catalog.skills().is_empty().then(|| setup.world().searched_places(&setup.dialect));
        let reply = Reply::new(Output::Writes(Box::new(move |out| {
            let world = setup.world();
            writeln!(out, "{:#}", catalog.json_text(&world, &reserved, &setup.notes, looked.as_deref()))
        })));
        Ok(reply.with_stderr(&told))
    }

    fn load(self, recording: &Recording<'_>, catalog: &Catalog, ask: &LoadRequest, has_args: bool) -> Answer {
        let setup = recording.setup;
        let copied = findings::about(&setup.fs, &sync::before_a_call(setup, catalog));
        match self.load_synced(recording, catalog, ask, has_args) {
            Ok(reply) => Ok(Reply { err: copied + &reply.err, ..reply }),
            Err(failure) => Err(failure.with_note(copied)),
        }
    }

    /// Loads a skill once the copies are up to date.
    fn load_synced(self, recording: &Recording<'_>, catalog: &Catalog, ask: &LoadRequest, has_args: bool) -> Answer {
        let (setup, world) = (recording.setup, recording.world());
        let (key, caller) = (ask.asked.as_deref().unwrap_or_default(), ask.caller);
        let found = catalog.locate(&world, key, caller);
        if let Err(Error::UnknownSkill { .. }) = found {
            if let Some(loaded) = catalog.load_file(&world, key, caller)? {
                recording.note(|| RecordedAnswer::loaded(&loaded));
                return Ok(match self.json {
                    true => Reply::json(&loaded.to_json(&setup.fs, None)),
                    false => self.text(loaded.text),
                });
            }
        }
        if let Some(failure) = found.as_ref().err().and_then(|error| setup.refused(catalog, error)) {
            return Err(failure);
        }
        let skill = match found {
            Err(error @ Error::NotForUser { .. }) if catalog.locate(&world, key, Caller::Model).is_ok() => {
                let help = format!("{} shows what the model sees", command(&["load", "--as", "model"], &[key]));
                return Err(Failure::from(error).with_help(help));
            }
            Err(error) if caller == Caller::User => {
                let for_model = catalog.locate(&world, key, Caller::Model).err();
                let told = for_model.and_then(|error| catalog.unknown_skill_text(&error));
                let note = told.map(|told| note_line(&format!("the model is told: {}", visible(&told))));
                let failure = setup.lookup_failure(catalog, key, error);
                return Ok(failure.reply(self.json).with_stderr(&note.unwrap_or_default()));
            }
            // The model sees only standard output, so the reason why a file was skipped goes to standard error.
            Err(error) => {
                let err = missing_skill_note(setup, catalog, error.code());
                let told = catalog.unknown_skill_text(&error);
                let failure = Failure::from(error);
                let failure = told.into_iter().fold(failure, Failure::with_message);
                return Ok(failure.reply(self.json).with_stderr(&err));
            }
            Ok(skill) => skill,
        };
        let breaches = setup.machine.gate.as_ref().map(|gate| gate.breaches(skill)).unwrap_or_default();
        let mut err = crate::policy::warnings(&breaches);
        let loaded = self.with_session(recording, |session| Ok(session.load(&world, catalog, skill, ask)))?;
        let mut loaded = loaded.map_err(|error| match error {
            Error::PromptMissing { .. } => Failure::from(error).with_help("`--args TEXT` provides it".to_owned()),
            error => error.into(),
        })?;
        recording.note(|| RecordedAnswer::loaded(&loaded));
        if has_args && !setup.dialect.takes_arguments(loaded.is_fork) {
            let name = setup.dialect.name();
            err += &note_line(&format!("`--args` is ignored: the dialect `{name}` loads this skill without arguments"));
        }
        if loaded.is_fork && !has_args {
            err.push_str(&note_line("the text is a task for a separate agent; `--args TEXT` passes it arguments"));
        }
        hints::complete_findings(&mut loaded.findings, hints::operand(catalog, skill));
        hints::complete_pending(&mut loaded.findings, setup, (catalog, skill), &ask.args);
        let view = catalog.load_view(&world, &skill.key, Ok(skill));
        err.push_str(&self.view_lines(view.as_deref()));
        if self.json {
            return Ok(Reply::json(&loaded.to_json(&setup.fs, view.as_deref())).with_stderr(&err));
        }
        err.push_str(&findings::about(&setup.fs, &loaded.findings));
        Ok(self.text(loaded.text).with_stderr(&err))
    }

    /// What a user sees of a call, if standard output is redirected so that the answer is not on the terminal.
    pub(crate) fn view_lines(self, view: Option<&str>) -> String {
        let view = view.filter(|_| self.screen.is_only_stderr_visible);
        view.map_or_else(String::new, |view| format!("{view}\n"))
    }

    fn tool(self, wanted: Option<Stub>, agent: Option<&str>) -> Answer {
        let (setup, catalog) = self.discover()?;
        let reply = match (skilltree::tool(&catalog), wanted) {
            (Ok(tool), None) => Reply::json(&tool.to_json()),
            (Ok(tool), Some(Stub::Python)) => Reply::new(Output::Exact(stub::python(&tool, self.options, agent)?)),
            // The definition of the tool is always JSON, and so is the error if there is none.
            (Err(error), wanted) => Failure::from(error).reply(wanted.is_none() || self.json),
        };
        Ok(reply.with_stderr(&setup.missing_skills_note(&catalog)))
    }

    fn complete(self, prefix: &str) -> Answer {
        let setup = Setup::new(self.options)?;
        if !setup.dialect.has_commands() {
            let dialect = setup.dialect.name().to_owned();
            return Err(Error::NotInDialect { dialect, what: "slash commands" }.into());
        }
        let catalog = self.catalog(&setup);
        let commands = skilltree::commands(&catalog, &self.options.reserved);
        let found = commands.complete(prefix);
        let err = setup.missing_skills_note(&catalog);
        if self.json {
            return Ok(Reply::json(&skilltree::Command::all_to_json(&found)).with_stderr(&err));
        }
        let rows: Vec<Vec<String>> = found
            .iter()
            .map(|command| {
                let hint = text::folded(command.hint.as_deref().unwrap_or_default()).into_owned();
                vec![format!("/{}", visible(&command.name)), hint, text::folded(&command.description).into_owned()]
            })
            .collect();
        let styles = [style::KEY, style::FAINT, Style::new()];
        Ok(Reply::new(Output::Styled(table::table(&styles, None, &rows, self.screen.width))).with_stderr(&err))
    }

    fn select(self, mut ask: SelectRequest) -> Answer {
        let (setup, catalog) = self.discover()?;
        if setup.dialect.has_selection() {
            for recent in &mut ask.recent {
                let skill = catalog.find_any(recent).map_err(|error| setup.lookup_failure(&catalog, recent, error))?;
                recent.clone_from(&skill.key);
            }
        }
        let selection = skilltree::select(&setup.world(), &catalog, &ask)?;
        // The JSON contains no findings, so they are printed in both forms.
        let mut err = setup.missing_skills_note(&catalog) + &findings::about(&setup.fs, &selection.findings);
        if let Some(invalid) = selection.findings.iter().find(|finding| finding.code == Code::PatternInvalid) {
            let check = command(&["check"], &[&setup.fs.display(&invalid.path)]);
            err.push_str(&note_line(&format!("{check} shows which pattern")));
        }
        let reply = match (self.json, selection.tier, self.screen.width) {
            (true, ..) => Reply::json(&selection.to_json()),
            // The list of all skills is skimmed, so long lines are cut; the text of a matching skill is read.
            (false, Tier::Registry, Some(width)) => self.text(text::cut_lines(&selection.text, width)),
            (false, ..) => self.text(selection.text),
        };
        Ok(reply.with_stderr(&err))
    }

    fn version(self) -> Reply {
        let version = env!("CARGO_PKG_VERSION");
        if self.json {
            return Reply::json(&Json::map([("version", version.into())]));
        }
        Reply::new(Output::Exact(format!("skilltree {version}\n")))
    }

    /// The text unchanged, followed by a newline; nothing if the text is empty.
    pub(crate) fn text(self, text: impl Into<String>) -> Reply {
        let mut text = text.into();
        if !text.is_empty() {
            text.push('\n');
        }
        Reply::new(self.screen.text_output(text))
    }
}

/// Lines for standard error when a skill was not found: an unknown skill may be one that could not be read.
pub(crate) fn missing_skill_note(setup: &Setup, catalog: &Catalog, code: &str) -> String {
    if code == "unknown" { setup.missing_skills_note(catalog) } else { no_skills_message(setup, catalog) }
}

pub(crate) fn prompt_request(size: SizeArgs, query: Option<String>) -> PromptRequest {
    PromptRequest { budget: size.budget, window: size.window, query: query.map(Query::from) }
}

/// A line `note: …` for standard error; empty with `--quiet`.
pub(crate) fn note_line(text: &str) -> String {
    if is_quiet() {
        return String::new();
    }
    format!("{}: {text}\n", style::paint(style::NOTE, "note"))
}

impl Runner<'_> {
    pub(crate) fn prompt(self, recording: &Recording<'_>, catalog: &Catalog, ask: &PromptRequest) -> Answer {
        let (setup, world) = (recording.setup, recording.world());
        let copied = findings::about(&setup.fs, &sync::before_a_call(setup, catalog));
        let prompt = self.with_session(recording, |session| Ok(session.prompt(&world, catalog, ask)))?;
        recording.note(|| RecordedAnswer::text(prompt.text.clone()));
        // The JSON of a prompt contains no findings, so they are printed to standard error in both forms.
        let (left_out, others): (Vec<_>, Vec<_>) =
            prompt.findings.iter().partition(|finding| finding.code == Code::LeftOut);
        let found: Vec<&Diagnostic> = setup.notes.iter().chain(catalog.findings()).chain(others).collect();
        // Findings that do not affect the answer are not printed.
        let is_lacking = found.iter().any(|one| findings::is_lost(one, &setup.dialect) || findings::is_unread(one));
        let told = if is_lacking { summary(setup, catalog, &found, false) } else { String::new() };
        let err = copied + &no_skills_message(setup, catalog) + &told;
        let left_out = match (left_out.len(), prompt.shown.len()) {
            (0, _) => String::new(),
            (left, shown) => note_line(&format!(
                "{left} of {} {} left out of the prompt to fit its budget: {}; use a larger `--budget` to show more",
                count(left + shown, "skill"),
                is_or_are(left),
                named(&prompt.left_out)
            )),
        };
        let reply = if self.json { Reply::json(&prompt.to_json()) } else { self.text(prompt.text) };
        let note = if prompt.note.is_empty() {
            String::new()
        } else {
            note_line(&(prompt.note.clone() + &activation_hint(catalog)))
        };
        let cut = match (prompt.shortened_to_fit, prompt.shown.len()) {
            (0, _) => String::new(),
            (cut, shown) => note_line(&format!(
                "{cut} of {} {} shortened or left out to fit the budget; use a larger `--budget` to show more",
                count(shown, "description"),
                is_or_are(cut)
            )),
        };
        Ok(reply.with_stderr(&err).with_stderr(&note).with_stderr(&left_out).with_stderr(&cut))
    }
}

/// The dialect with a prompt of names and descriptions alone.
fn with_metadata(dialect: &Dialect) -> Result<Arc<Dialect>, Error> {
    let what = "prompt with metadata only";
    let none = || Error::NotInDialect { dialect: dialect.name().to_owned(), what };
    dialect.with_metadata_prompt().map(Arc::new).ok_or_else(none)
}

/// How many skills a note names.
const MAX_NAMED: usize = 10;

/// The first of these keys, and how many there are besides.
fn named(keys: &[String]) -> String {
    let shown: Vec<String> = keys.iter().take(MAX_NAMED).map(|key| format!("`{}`", visible(key))).collect();
    match keys.len().saturating_sub(MAX_NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The command that activates the first skill that is only enabled; empty if there is none.
fn activation_hint(catalog: &Catalog) -> String {
    let enabled = catalog.skills().iter().find(|skill| skill.state == State::Enabled);
    enabled.map_or_else(String::new, |skill| {
        format!("; {} makes `{}` active", command(&["state"], &[&skill.key, "active"]), visible(&skill.key))
    })
}

fn is_or_are(number: usize) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

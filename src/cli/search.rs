//! The command `search`.

use crate::answer::{Answer, Runner};
use crate::args::{at_least_one, caller};
use crate::output::style::{FAINT, HEAD, KEY, paint};
use crate::output::table;
use crate::output::text::folded;
use crate::reply::{Failure, Output, Reply, document};
use crate::suggested::command;
use anstyle::Style;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use skilltree::offer::{Hits, SearchIndex, SearchRequest};
use skilltree::{Caller, Catalog, Fs, Json, visible};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};

/// The longest line of a file of requests, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// How many bytes of a longer line are skipped. Nothing is read after a line that is longer still.
const MAX_SKIPPED: u64 = 1 << 26;

/// The arguments of `search`.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// Words to search for, or a whole task
    #[arg(
        value_name = "TEXT...",
        required_unless_present = "queries",
        conflicts_with = "queries",
        allow_hyphen_values = true
    )]
    text: Option<String>,
    // An argument that takes hyphens and many values would take the options after it, too.
    #[arg(hide = true)]
    more: Vec<String>,
    /// Maximum number of skills [default: 10]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    limit: Option<usize>,
    /// Search only names and descriptions, not the texts of the skills
    #[arg(long)]
    no_body: bool,
    /// Search the texts too, as is done without it
    #[arg(long, hide = true, conflicts_with = "no_body")]
    body: bool,
    /// Whose skills are searched
    #[arg(long = "as", value_parser = caller(), default_value = "user")]
    caller: Caller,
    /// Answer each line of a file (`-` for standard input) with one line of JSON. A line is a text, or a JSON object with
    /// `query` and `limit`
    #[arg(long, value_name = "FILE|-", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) queries: Option<String>,
}

impl SearchArgs {
    fn request(&self, query: &str) -> SearchRequest {
        let mut request = SearchRequest::new(query, self.caller);
        request.limit = self.limit.unwrap_or(request.limit);
        request
    }
}

impl Runner<'_> {
    pub(crate) fn search(self, ask: SearchArgs) -> Answer {
        // A file that is not there is an error before the skills are read.
        let queries = ask.queries.as_deref().map(open).transpose()?;
        let (setup, catalog) = self.discover()?;
        let index = match ask.no_body {
            true => SearchIndex::new(&catalog),
            false => SearchIndex::with_bodies(&setup.world(), &catalog),
        };
        let err = setup.missing_skills_note(&catalog);
        if let Some(queries) = queries {
            let answer = Output::Writes(Box::new(move |out| answer_lines(queries, &index, setup.files(), &ask, out)));
            return Ok(Reply::new(answer).with_stderr(&err));
        }
        let words: Vec<&str> = ask.text.iter().chain(&ask.more).map(String::as_str).collect();
        let found = index.search(&ask.request(&words.join(" ")));
        if found.hits.is_empty() {
            let failure = nothing_found(&found, &catalog, !ask.no_body);
            let reply = failure.reply(false).with_stderr(&err);
            return Ok(match self.json {
                true => Reply { out: document(&failure.add_to_json(found.to_json(setup.files()))), ..reply },
                false => reply,
            });
        }
        let reply = match self.json {
            true => Reply::json(&found.to_json(setup.files())),
            false => Reply::new(Output::Styled(rows(&found, self.screen.width))),
        };
        Ok(reply.with_stderr(&err))
    }
}

fn nothing_found(found: &Hits, catalog: &Catalog, has_bodies: bool) -> Failure {
    let failure = Failure::negative("no-match", format!("no skill matches `{}`", visible(&found.query)));
    match (catalog.skills().is_empty(), has_bodies) {
        (true, _) => failure,
        (false, false) => failure.with_help("without `--no-body`, the texts of the skills are searched too".to_owned()),
        (false, true) => failure.with_help(format!("{} shows all skills", command(&["list"], &[]))),
    }
}

/// A table with the rank of each skill, its key, which of its fields match, and its description.
fn rows(found: &Hits, width: Option<usize>) -> String {
    let row = |(place, hit): (usize, &skilltree::offer::Hit)| {
        let matched: Vec<&str> = hit.matched.iter().map(|field| field.as_str()).collect();
        let matched = if matched.is_empty() { "name".to_owned() } else { matched.join(", ") };
        let description = match hit.unused {
            Some(code) => format!("(not in use: {code})"),
            None => folded(&hit.description).into_owned(),
        };
        vec![(place + 1).to_string(), visible(&hit.key).into_owned(), matched, description]
    };
    let rows: Vec<Vec<String>> = found.hits.iter().enumerate().map(row).collect();
    let styles = [FAINT, KEY, Style::new(), Style::new()];
    let head = ["RANK", "KEY", "MATCHED", "DESCRIPTION"];
    let mark = |_: &[Cow<'_, str>], column, text: &str| (column + 1 == head.len()).then(|| marked(found, text));
    table::marked_table(&styles, Some(&head), &rows, width, Some(&mark))
}

/// A text with the words that match in bold.
fn marked(found: &Hits, text: &str) -> String {
    let (mut out, mut done) = (String::new(), 0);
    for mark in found.marks(text) {
        out.push_str(&text[done..mark.start]);
        out.push_str(&paint(HEAD, &text[mark.clone()]));
        done = mark.end;
    }
    out + &text[done..]
}

/// Requests, one a line.
type Queries = Box<dyn BufRead>;

fn open(name: &str) -> Result<Queries, Failure> {
    if name == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    let refused = |what: &str| Failure::error("io", format!("{name}: {what}"));
    let file = File::open(name).map_err(|error| refused(&error.to_string()))?;
    let kind = file.metadata().map_err(|error| refused(&error.to_string()))?.file_type();
    match kind {
        kind if kind.is_dir() => Err(refused("expected a file, got a folder")),
        kind if is_device(kind) => Err(refused("expected a file, got a device; `-` reads standard input")),
        _ => Ok(Box::new(BufReader::new(file))),
    }
}

/// Whether it is a device, which may never end.
#[cfg(unix)]
fn is_device(kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: std::fs::FileType) -> bool {
    false
}

/// Answers each line as soon as it is read, so that another program can ask one question after another.
fn answer_lines(
    mut queries: Queries,
    index: &SearchIndex,
    fs: &dyn Fs,
    ask: &SearchArgs,
    out: &mut dyn Write,
) -> io::Result<()> {
    while let Some((text, is_last)) = read_line(&mut queries)? {
        let answer = match text.and_then(|text| request(&text, ask)) {
            Ok(request) => index.search(&request).to_json(fs),
            Err(message) => Failure::error("usage", message).add_to_json(Json::Map(Vec::new())),
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
        if is_last {
            break;
        }
    }
    Ok(())
}

/// The next line, or what is wrong with it, and whether nothing is read after it, as it is longer than what is skipped of
/// a line; `None` at the end.
fn read_line(queries: &mut Queries) -> io::Result<Option<(Result<String, String>, bool)>> {
    let mut line = Vec::new();
    if queries.take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
        let is_endless = queries.take(MAX_SKIPPED).skip_until(b'\n')? as u64 == MAX_SKIPPED;
        let rest = if is_endless { "; nothing more is read" } else { "" };
        return Ok(Some((Err(format!("expected a line of at most {LONGEST_LINE} bytes{rest}")), is_endless)));
    }
    Ok(Some((String::from_utf8(line).map_err(|_| "expected UTF-8".to_owned()), false)))
}

/// The request of a line: a JSON object, or a text.
fn request(line: &str, ask: &SearchArgs) -> Result<SearchRequest, String> {
    let line = line.trim();
    if !line.starts_with('{') {
        return if line.is_empty() {
            Err("expected a request, got an empty line".to_owned())
        } else {
            Ok(ask.request(line))
        };
    }
    let json = Json::parse(line).map_err(|error| error.to_string())?;
    let query = json.get("query").and_then(Json::as_text).ok_or("expected a text `query`")?;
    let mut request = ask.request(query);
    match json.get("limit") {
        None | Some(Json::Null) => {}
        Some(limit) => {
            let limit = limit.to_string();
            request.limit = at_least_one(&limit).map_err(|expected| format!("{expected} as `limit`, got `{limit}`"))?;
        }
    }
    Ok(request)
}

//! Answers the calls of a host. A call is a JSON object, optionally followed by a NUL and the bytes of files. Its
//! answer is the JSON that the command line prints with `--json`; `{"error": {code, message}}` if the call is refused;
//! or `{"pending": [{"list": PATH} or {"read": PATH}]}` if the host has to `tell` these first and then repeat the call.
//! Each open tree has a handle, from `open` to `close`.

use super::host_fs::Want;
use super::tree::{Tree, named};
use skilltree::author::{MatrixColumn, MatrixTable};
use skilltree::dialect::NAMES;
use skilltree::discovery::given::{Arguments, Refusal};
use skilltree::offer::{Query, SearchRequest};
#[cfg(feature = "receipts")]
use skilltree::record::{Receipt, ReplayRequest};
use skilltree::{
    CheckRequest, Command, Diagnostic, Invocation, Json, LoadRequest, PromptRequest, SelectRequest, Why, check,
    commands, dialect, discover, invoke, load, prompt, select, tool, why,
};

/// How long the JSON of a call may be; files are behind it, and not of it.
const MAX_JSON_BYTES: usize = 16 << 20;

/// How many trees may be open, and how much the files of all of them may take.
const MAX_TREES: usize = 4_096;
const MAX_FILE_BYTES: usize = 1 << 30;

/// The text of an answer: a long one is written without the whole of its JSON in memory.
type Answer = Result<String, Box<Refusal>>;

/// Trees, each with its handle.
#[derive(Default)]
pub(super) struct Engine {
    trees: Vec<(u32, Box<Tree>)>,
    last: u32,
}

/// The answer where no call is.
pub(super) fn no_buffer(at: usize) -> String {
    let why = format!("there is no buffer at {at}; allocate one with `skilltree_alloc`");
    Refusal::new("no-buffer", why).to_json().to_string()
}

impl Engine {
    pub(super) fn answer(&mut self, message: &[u8]) -> String {
        self.call(message).unwrap_or_else(|refusal| refusal.to_json().to_string())
    }

    fn call(&mut self, message: &[u8]) -> Answer {
        let end = message.iter().position(|byte| *byte == 0).unwrap_or(message.len());
        let (text, attached) = message.split_at(end);
        if MAX_JSON_BYTES < text.len() {
            let why = format!("the JSON of a call has at most {MAX_JSON_BYTES} bytes, got {}", text.len());
            return Err(Refusal::new("too-much", format!("{why}; add files in several calls")));
        }
        let text = std::str::from_utf8(text).map_err(|error| Refusal::new("bad-json", error.to_string()))?;
        let json = Json::parse(text).map_err(|error| Refusal::new("bad-json", error.to_string()))?;
        let name = json.get("call").and_then(Json::as_text);
        let name =
            name.ok_or_else(|| Refusal::arguments("a call must be an object with a string `call`".to_owned()))?;
        self.named(name, &json, attached.get(1..).unwrap_or_default())
    }

    fn named(&mut self, name: &str, json: &Json, attached: &[u8]) -> Answer {
        let arguments = |fields: &[&str]| {
            let mut known = vec!["call", "handle"];
            known.extend_from_slice(fields);
            Arguments::new(name, json, &known)
        };
        match name {
            "open" => self.open(&arguments(&["asks", "dialect", "host", "places", "reading"])?),
            "close" => {
                let handle = handle(&arguments(&[])?)?;
                let place = self.trees.iter().position(|(known, _)| *known == handle).ok_or_else(|| closed(handle))?;
                self.trees.swap_remove(place);
                Ok(done())
            }
            "put" => {
                let arguments = arguments(&["files"])?;
                self.check_room(attached)?;
                self.tree(&arguments)?.put(&arguments, attached).map(|()| done())
            }
            "remove" => {
                let arguments = arguments(&["paths"])?;
                self.tree(&arguments)?.remove(&arguments).map(|()| done())
            }
            "tell" => {
                let arguments = arguments(&["lists", "reads"])?;
                self.check_room(attached)?;
                self.tree(&arguments)?.tell(&arguments, attached).map(|()| done())
            }
            "forget" => {
                let arguments = arguments(&["paths"])?;
                self.tree(&arguments)?.forget(&arguments).map(|()| done())
            }
            "dialects" => {
                arguments(&[])?;
                let table = |name: &&str| dialect(name).map_or(Json::Null, |table| table.to_json());
                said(&only("dialects", Json::List(NAMES.iter().map(table).collect())))
            }
            "dialect" => {
                let name = arguments(&["name"])?.text("name")?;
                said(&named(name)?.to_json())
            }
            "version" => said(&only("version", env!("CARGO_PKG_VERSION").into())),
            _ => {
                let (fields, answer) =
                    question(name).ok_or_else(|| Refusal::arguments(format!("unknown call `{name}`")))?;
                let arguments = arguments(fields)?;
                let tree = self.tree(&arguments)?;
                let answer = answer(tree, &arguments);
                let wanted = tree.wanted();
                if wanted.is_empty() { answer } else { said(&pending(&wanted)) }
            }
        }
    }

    fn open(&mut self, arguments: &Arguments<'_>) -> Answer {
        if MAX_TREES <= self.trees.len() {
            let why = format!("at most {MAX_TREES} trees may be open at a time; close one first");
            return Err(Refusal::new("too-many-trees", why));
        }
        let tree = Tree::open(arguments)?;
        loop {
            self.last = self.last.wrapping_add(1);
            if self.trees.iter().all(|(known, _)| *known != self.last) {
                break;
            }
        }
        self.trees.push((self.last, tree));
        said(&only("handle", Json::from(self.last as usize)))
    }

    fn tree(&mut self, arguments: &Arguments<'_>) -> Result<&mut Tree, Box<Refusal>> {
        let handle = handle(arguments)?;
        let tree = self.trees.iter_mut().find(|(known, _)| *known == handle);
        tree.map(|(_, tree)| tree.as_mut()).ok_or_else(|| closed(handle))
    }

    /// Refuses files that would be too much together with those that are here.
    fn check_room(&self, attached: &[u8]) -> Result<(), Box<Refusal>> {
        let bytes = self.trees.iter().map(|(_, tree)| tree.bytes()).fold(attached.len(), usize::saturating_add);
        if bytes <= MAX_FILE_BYTES {
            return Ok(());
        }
        let why = format!("all files together take at most {MAX_FILE_BYTES} bytes, got {bytes}");
        Err(Refusal::new("too-much", format!("{why}; close trees that are no longer used, or remove files")))
    }
}

/// A call about a tree: the fields that it may have, and its answer.
type Question = (&'static [&'static str], fn(&mut Tree, &Arguments<'_>) -> Answer);

fn question(name: &str) -> Option<Question> {
    Some(match name {
        "list" => (&[], listed),
        "prompt" => (&["budget", "query", "window"], prompted),
        "load" => (&["already", "args", "as", "key"], loaded),
        "invoke" => (&["line"], invoked),
        "match" => (&["max", "recent", "text"], matched),
        #[cfg(feature = "receipts")]
        "replay" => (&["receipt"], replayed),
        "search" => (&["as", "body", "limit", "text"], searched),
        "why" => (&["asked", "budget", "query", "window"], explained),
        "matrix" => (&["budget", "dialects", "diff", "window"], compared),
        "check" => (&["paths", "profile", "strict"], checked),
        "tool" => (&[], the_tool),
        "call" => (&["arguments"], called),
        "complete" => (&["prefix"], completed),
        _ => return None,
    })
}

fn listed(tree: &mut Tree, _: &Arguments<'_>) -> Answer {
    let catalog = tree.catalog();
    Ok(catalog.json_text(&tree.world(), &tree.host.reserved, &[], None).to_string())
}

fn prompted(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let how = with_query(arguments)?;
    let catalog = tree.catalog();
    said(&prompt(&tree.world(), &catalog, &how).to_json())
}

/// The size that the prompt may have, and what it is for.
fn with_query(arguments: &Arguments<'_>) -> Result<PromptRequest, Box<Refusal>> {
    Ok(PromptRequest { query: arguments.text("query")?.map(Query::from), ..limits(arguments)? })
}

/// The size that the prompt may have.
fn limits(arguments: &Arguments<'_>) -> Result<PromptRequest, Box<Refusal>> {
    Ok(PromptRequest { budget: arguments.number("budget")?, window: arguments.number("window")?, query: None })
}

fn loaded(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let caller = arguments.caller()?;
    let (args, already) = (arguments.text("args")?.unwrap_or_default().to_owned(), arguments.texts("already")?);
    let key = arguments.required_text("key")?;
    let how = LoadRequest { caller, asked: Some(key.to_owned()), args, already_loaded: already };
    let catalog = tree.catalog();
    let world = tree.world();
    let skill = catalog.locate(&world, key, caller)?;
    let loaded = load(&world, &catalog, skill, &how)?;
    let view = catalog.load_view(&world, &skill.key, Ok(skill));
    said(&loaded.to_json(world.fs, view.as_deref()))
}

fn invoked(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let line = arguments.required_text("line")?;
    let catalog = tree.catalog();
    let commands = commands(&catalog, &tree.host.reserved);
    let world = tree.world();
    let invocation = invoke(&world, &catalog, &commands, line)?;
    said(&Invocation::line_json(world.fs, invocation.as_ref(), line))
}

fn matched(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let query = arguments.required_text("text")?.to_owned();
    let how = SelectRequest { query, recent: arguments.texts("recent")?, max: arguments.number("max")? };
    let catalog = tree.catalog();
    said(&select(&tree.world(), &catalog, &how)?.to_json())
}

#[cfg(feature = "receipts")]
fn replayed(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let receipt = arguments.value("receipt").unwrap_or(&Json::Null);
    let receipt =
        Receipt::from_value(receipt).map_err(|error| Refusal::arguments(format!("not a receipt: {error}")))?;
    let told = receipt.replay(tree.fs(), &ReplayRequest::default());
    said(&told.to_json(&|path| path.as_str().to_owned()))
}

fn searched(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let mut request = SearchRequest::new(arguments.required_text("text")?, arguments.caller()?);
    request.limit = arguments.number("limit")?.unwrap_or(request.limit);
    let found = tree.index(arguments.flag_or("body", true)?).map(|index| index.search(&request));
    // Without an index files are missing, and the call is repeated once they are here.
    found.map_or_else(|| Ok(done()), |found| said(&found.to_json(tree.fs())))
}

fn explained(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let (asked, how) = (arguments.required_text("asked")?, with_query(arguments)?);
    let catalog = tree.catalog();
    let world = tree.world();
    said(&Why::all_to_json(world.fs, asked, &why(&world, &catalog, asked, &how)))
}

fn compared(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let names = arguments.texts("dialects")?;
    let names: Vec<&str> = if names.is_empty() { NAMES.to_vec() } else { names.iter().map(String::as_str).collect() };
    let (world, size) = (tree.world(), limits(arguments)?);
    let mut table = MatrixTable::new(names.len());
    for (at, name) in names.into_iter().enumerate() {
        // Files are in memory already, so there is nothing that a cache would save.
        table.add(&world, at, MatrixColumn::new(&world, &discover(&world, &named(Some(name))?), &size));
    }
    let mut found = table.matrix(&world);
    if arguments.flag("diff")? {
        found.keep_differences();
    }
    Ok(found.json_text(world.fs).to_string())
}

fn checked(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let profile = arguments.text("profile")?;
    let profile = match profile {
        Some(name) => named(Some(name))?,
        None => tree.dialect.clone(),
    };
    let (paths, strict) = (arguments.paths("paths")?, arguments.flag("strict")?);
    let world = tree.world();
    let found = check(&world, &profile, &paths, &CheckRequest { strict })?;
    said(&only("findings", Diagnostic::all_to_json(world.fs, &found)))
}

fn the_tool(tree: &mut Tree, _: &Arguments<'_>) -> Answer {
    said(&tool(&tree.catalog())?.to_json())
}

fn called(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let arguments = arguments.value("arguments").map_or_else(|| "{}".to_owned(), Json::to_string);
    let catalog = tree.catalog();
    let world = tree.world();
    let answer = skilltree::call(&world, &catalog, &arguments);
    let view = catalog.call_view(&world, &arguments, answer.as_ref().map(Invocation::key));
    said(&Invocation::answer_json(world.fs, answer.as_ref(), view.as_deref()))
}

fn completed(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let prefix = arguments.text("prefix")?.unwrap_or_default();
    let commands = commands(&tree.catalog(), &tree.host.reserved);
    said(&Command::all_to_json(&commands.complete(prefix.strip_prefix('/').unwrap_or(prefix))))
}

fn pending(wanted: &[Want]) -> Json {
    let one = |want: &Want| match want {
        Want::List(path) => only("list", Json::from(path.as_str())),
        Want::Read(path) => only("read", Json::from(path.as_str())),
    };
    only("pending", Json::List(wanted.iter().map(one).collect()))
}

fn handle(arguments: &Arguments<'_>) -> Result<u32, Box<Refusal>> {
    let number =
        arguments.number("handle")?.ok_or_else(|| Refusal::arguments("the call needs its `handle`".to_owned()))?;
    u32::try_from(number).map_err(|_| Refusal::arguments(format!("{number} is not a handle")))
}

fn closed(handle: u32) -> Box<Refusal> {
    Refusal::new("closed", format!("no tree is open with the handle {handle}"))
}

/// An answer of one field.
fn only(name: &str, value: Json) -> Json {
    Json::Map(vec![(name.to_owned(), value)])
}

fn done() -> String {
    "{}".to_owned()
}

// It ends nearly every answer: it is not to stand in each of them.
#[inline(never)]
fn said(answer: &Json) -> Answer {
    Ok(answer.to_string())
}

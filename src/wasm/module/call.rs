//! Answers the calls of a host. A call is a JSON object, optionally followed by a NUL and the bytes of files. Its
//! answer is like the JSON that the command line prints (rule 26.1); `{"error": {code, message}}` if the call is refused;
//! or `{"pending": [{"list": PATH} or {"read": PATH}]}` if the host has to `tell` these first and then repeat the call.
//! Each open tree has a handle, from `open` to `close`.

#[cfg(feature = "full")]
use super::full;
use super::host_fs::Want;
use super::tree::{Tree, named};
use skilltree::dialect::NAMES;
use skilltree::discovery::given::{Arguments, Refusal};
#[cfg(feature = "full")]
use skilltree::offer::Query;
use skilltree::{Invocation, Json, LoadRequest, PromptRequest, Why, commands, dialect, invoke, load, prompt, why};

/// How long the JSON of a call may be; files are behind it, and not of it.
const MAX_JSON_BYTES: usize = 16 << 20;

/// How many trees may be open, and how much the files of all of them may take.
const MAX_TREES: usize = 4_096;
const MAX_FILE_BYTES: usize = 1 << 30;

/// The text of an answer: a long one is written without the whole of its JSON in memory.
pub(super) type Answer = Result<String, Box<Refusal>>;

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
                    question(name).ok_or_else(|| Refusal::arguments(format!("unknown call `{name}`{OTHER_MODULE}")))?;
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

/// Where a call may be that is not in this module.
const OTHER_MODULE: &str =
    if cfg!(feature = "full") { "" } else { "; this is the slim module, load `skilltree.wasm` for all calls" };

/// The fields of a call about the prompt. Only the full module can search.
const REQUEST: &[&str] =
    if cfg!(feature = "full") { &["asked", "budget", "window", "query"] } else { &["asked", "budget", "window"] };

/// A call about a tree: the fields that it may have, and its answer.
pub(super) type Question = (&'static [&'static str], fn(&mut Tree, &Arguments<'_>) -> Answer);

fn question(name: &str) -> Option<Question> {
    Some(match name {
        "list" => (&[], listed),
        "prompt" => (&REQUEST[1..], prompted),
        "load" => (&["already", "args", "as", "key"], loaded),
        "invoke" => (&["line"], invoked),
        "why" => (REQUEST, explained),
        #[cfg(feature = "full")]
        _ => return full::question(name),
        #[cfg(not(feature = "full"))]
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
    let limits = limits(arguments)?;
    #[cfg(feature = "full")]
    let limits = PromptRequest { query: arguments.text("query")?.map(Query::from), ..limits };
    Ok(limits)
}

/// The size that the prompt may have.
pub(super) fn limits(arguments: &Arguments<'_>) -> Result<PromptRequest, Box<Refusal>> {
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

fn explained(tree: &mut Tree, arguments: &Arguments<'_>) -> Answer {
    let (asked, how) = (arguments.required_text("asked")?, with_query(arguments)?);
    let catalog = tree.catalog();
    let world = tree.world();
    said(&Why::all_to_json(world.fs, asked, &why(&world, &catalog, asked, &how)))
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
pub(super) fn only(name: &str, value: Json) -> Json {
    Json::Map(vec![(name.to_owned(), value)])
}

pub(super) fn done() -> String {
    "{}".to_owned()
}

// It ends nearly every answer: it is not to stand in each of them.
#[inline(never)]
pub(super) fn said(answer: &Json) -> Answer {
    Ok(answer.to_string())
}

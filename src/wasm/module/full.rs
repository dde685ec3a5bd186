//! The calls that only the full module answers.

use super::call::{Answer, Question, done, limits, only, said};
use super::tree::{Tree, named};
use skilltree::author::{MatrixColumn, MatrixTable};
use skilltree::dialect::NAMES;
use skilltree::discovery::given::{Arguments, Refusal};
use skilltree::offer::SearchRequest;
#[cfg(feature = "receipts")]
use skilltree::record::{Receipt, ReplayRequest};
use skilltree::{
    CheckRequest, Command, Diagnostic, Invocation, Json, SelectRequest, check, commands, discover, select, tool,
};

pub(super) fn question(name: &str) -> Option<Question> {
    Some(match name {
        "match" => (&["max", "recent", "text"], matched),
        #[cfg(feature = "receipts")]
        "replay" => (&["receipt"], replayed),
        "search" => (&["as", "body", "limit", "text"], searched),
        "matrix" => (&["budget", "dialects", "diff", "window"], compared),
        "check" => (&["paths", "profile", "strict"], checked),
        "tool" => (&[], the_tool),
        "call" => (&["arguments"], called),
        "complete" => (&["prefix"], completed),
        _ => return None,
    })
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

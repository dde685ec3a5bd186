//! What the user trusts from now on, and the command `trust`, which shows and changes it. It is stored as approvals are: in the
//! user's state folder, never in the project.

use super::{MAX_FILE_BYTES, MAX_ROOTS, Named, Root};
use crate::answer::{Answer, Runner};
use crate::approve::user_store;
use crate::args::NonEmptyText;
use crate::host::resolved;
use crate::output::style::{FAINT, KEY, WARNING, paint};
use crate::output::table::table;
use crate::output::text::folded;
use crate::own_file::read;
use crate::reply::{Failure, Output, Reply};
use crate::setup::Setup;
use anstyle::Style;
use clap::Args;
use skilltree::discovery::FileWrite;
use skilltree::{Fs, FsPath, Json, visible};
use std::fmt::Write as _;

/// The largest store that is read, which has as many roots as are trusted, each of a usual size.
const MAX_STORE_BYTES: usize = 8 * MAX_FILE_BYTES as usize;

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Debug)]
pub(crate) struct TrustArgs {
    /// File with certificates in PEM, or with lines of `allowed_signers` of OpenSSH
    #[arg(value_name = "FILE", value_parser = NonEmptyText::new())]
    files: Vec<String>,
    /// Trust a root no more, by its ID in the list; may be repeated
    #[arg(long, value_name = "ID", value_parser = NonEmptyText::new(), conflicts_with = "files")]
    revoke: Vec<String>,
}

/// The roots that are stored, with lines for standard error if they cannot be read. None are trusted then.
pub(super) fn of_user(setup: &Setup) -> (Vec<Root>, String) {
    let Ok(store) = store(setup) else { return (Vec::new(), String::new()) };
    match stored(setup, &store) {
        Ok((roots, _)) => (roots, String::new()),
        Err(failure) => {
            let why =
                format!("{}: {}; no stored root is trusted\n", paint(WARNING, "warning"), visible(failure.message()));
            (Vec::new(), why)
        }
    }
}

fn store(setup: &Setup) -> Result<FsPath, Failure> {
    user_store(&setup.fs, &setup.places, "trusted.json", "what you trust", "name the roots that it is trusted by")
}

/// The roots in the store, and its text.
fn stored(setup: &Setup, store: &FsPath) -> Result<(Vec<Root>, Option<String>), Failure> {
    let refused = |why: &str| {
        let shown = setup.fs.display(store);
        Failure::error("store-corrupt", format!("the store `{}` cannot be used: {why}", visible(&shown)))
    };
    let Some(text) = read(&setup.fs, None, store, MAX_STORE_BYTES, &refused)? else { return Ok((Vec::new(), None)) };
    let json = Json::parse_unique(&text).map_err(|error| refused(&error.to_string()))?;
    let list = match (json.get("version"), json.get("roots")) {
        (Some(Json::Number(version)), Some(Json::List(list))) if version.as_str() == "1" => list,
        _ => return Err(refused("expected version 1 and a list of roots")),
    };
    let mut roots = Vec::new();
    for entry in list {
        let named = entry.get("text").and_then(Json::as_text).ok_or_else(|| refused("a root has no text"))?;
        let named = Named::parse(named).map_err(|why| refused(&why))?;
        if let Some(why) = named.refused.first() {
            return Err(refused(why));
        }
        roots.extend(named.roots);
    }
    Ok((roots, Some(text)))
}

impl Root {
    fn to_json(&self) -> Json {
        let (kind, id, subject) = self.parts();
        Json::map([("kind", kind), ("id", id), ("subject", subject)].map(|(name, text)| (name, Json::from(text))))
    }

    /// Whether it is what a file or another entry names.
    fn is(&self, other: &Root) -> bool {
        self.text() == other.text()
    }
}

/// Changes the store, and returns what is in it.
fn rewrite(
    setup: &Setup,
    store: &FsPath,
    change: &dyn Fn(&mut Vec<Root>) -> Result<(), Failure>,
) -> Result<Vec<Root>, Failure> {
    let mut roots = Vec::new();
    FileWrite::rewrite::<Failure>(&setup.fs, || {
        let old;
        (roots, old) = stored(setup, store)?;
        change(&mut roots)?;
        if MAX_ROOTS < roots.len() {
            return Err(Failure::negative("no-root", format!("expected at most {MAX_ROOTS} roots")));
        }
        let entries: Vec<Json> = roots.iter().map(|root| root.to_json().with("text", Some(root.text()))).collect();
        let json = Json::map([("version", Json::from(1_usize)), ("roots", entries.into())]);
        let bytes = format!("{json:#}\n").into_bytes();
        // The store was found to be outside of the project, and no link may lead elsewhere any more.
        let mut write = FileWrite::new(resolved(&setup.fs, store), bytes, old.map(String::into_bytes));
        (write.private, write.no_links_in) = (true, Some(FsPath::root()));
        Ok(Some(write))
    })?;
    Ok(roots)
}

impl Runner<'_> {
    pub(crate) fn trust(self, ask: &TrustArgs) -> Answer {
        let setup = Setup::new(self.options)?;
        let store = store(&setup)?;
        let mut notes = String::new();
        let (mut done, mut named) = ("trusted", Vec::new());
        let roots = if !ask.revoke.is_empty() {
            done = "no longer trusted:";
            let (before, _) = stored(&setup, &store)?;
            let is_revoked = |root: &Root| ask.revoke.iter().any(|id| is_id(root, id));
            if let Some(id) = ask.revoke.iter().find(|id| !before.iter().any(|root| is_id(root, id))) {
                return Err(Failure::negative(
                    "no-root",
                    format!("no root that you trust has the ID `{}`", visible(id)),
                ));
            }
            named = before.into_iter().filter(is_revoked).collect();
            rewrite(&setup, &store, &|roots| {
                roots.retain(|root| !is_revoked(root));
                Ok(())
            })?
        } else if ask.files.is_empty() {
            stored(&setup, &store)?.0
        } else {
            for file in &ask.files {
                let (found, refused) = Named::read(&setup, file)?;
                named.extend(found);
                notes.push_str(&refused);
            }
            rewrite(&setup, &store, &|roots| {
                for root in &named {
                    if !roots.iter().any(|known| known.is(root)) {
                        roots.push(root.clone());
                    }
                }
                Ok(())
            })?
        };
        if self.json {
            let list = |roots: &[Root]| Json::from(roots.iter().map(Root::to_json).collect::<Vec<_>>());
            let store = setup.fs.display(&store).into_owned();
            let json = Json::map([("roots", list(&roots)), ("changed", list(&named)), ("store", store.into())]);
            return Ok(Reply::json(&json).with_stderr(&notes));
        }
        let mut text = String::new();
        for root in &named {
            let (kind, id, subject) = root.parts();
            let _ = writeln!(text, "{done} {} ({kind} {id})", folded(subject));
        }
        if named.is_empty() && !roots.is_empty() {
            let row = |(kind, id, subject): (&str, &str, &str)| {
                vec![folded(subject).into_owned(), kind.to_owned(), id.to_owned()]
            };
            let rows: Vec<Vec<String>> = roots.iter().map(|root| row(root.parts())).collect();
            text = table(&[KEY, Style::new(), FAINT], Some(&["SUBJECT", "KIND", "ID"]), &rows, self.screen.width);
        }
        Ok(Reply::new(Output::Styled(text)).with_stderr(&notes))
    }
}

/// Whether a root has an ID, with or without the name of the hash.
fn is_id(root: &Root, id: &str) -> bool {
    root.id() == id || root.id().split_once(':').is_some_and(|(_, hash)| hash == id)
}

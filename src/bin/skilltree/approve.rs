//! In: a skill that the user would approve as it is now, or no longer. Out: what is approved, and the store changed.
//! Here is also where the store lies: in the user's own folder for such things, never in the project.
//! Absent: what an approval is of, and when it is void (the library's `approve`).

use crate::own::{comes_along, real};
use crate::reply::{Failure, Out, Reply};
use crate::report::{findings, style, table};
use crate::run::{Answer, Task, noted};
use crate::setup::Setup;
use anstyle::Style;
use clap::Args;
use skilltree::{
    Approval, Approvals, Contents, Fs, FsPath, OsFs, Places, Reach, Skill, answer, approve, contents, revoke, visible,
    write,
};
use std::path::Path;

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Debug)]
pub(crate) struct Ask {
    /// The skill
    #[arg(allow_hyphen_values = true)]
    key: String,
    /// Take the approval back
    #[arg(long)]
    revoke: bool,
    /// Only show what would be approved
    #[arg(long)]
    dry_run: bool,
}

impl Task<'_> {
    pub(crate) fn approve(self, ask: &Ask) -> Answer {
        let (setup, catalog) = self.discover()?;
        let skill = catalog.seek(&ask.key).map_err(|error| setup.not_there(&catalog, &ask.key, error))?;
        let store = store(&setup.fs, &setup.places)?;
        if ask.revoke { self.revoked(&setup, skill, &store, ask) } else { self.approved(&setup, skill, &store, ask) }
    }

    fn approved(self, setup: &Setup, skill: &Skill, store: &FsPath, ask: &Ask) -> Answer {
        let world = setup.world();
        let contents = contents(&world, skill, Reach::Folder)?;
        let change = approve(&world, skill, &contents, store)?;
        if !ask.dry_run {
            write(&setup.fs, &change)?;
        }
        let is_approved = !ask.dry_run || is_approved(setup, skill, store);
        let reply = if self.json {
            Reply::json(&answer::approval(&setup.fs, skill, Some(&contents), is_approved, store))
        } else {
            let done = if ask.dry_run { "would approve" } else { "approved" };
            Reply::new(Out::Styled(format!("{done} {}{}", named(setup, skill), self.shown(setup, &contents))))
                .err(&findings::about(&setup.fs, &contents.findings))
        };
        let note = format!("`{}` is trusted without approval, by the place where it lies", visible(&skill.key));
        Ok(if setup.machine.needs_approval(skill) { reply } else { reply.err(&noted(&note)) })
    }

    fn revoked(self, setup: &Setup, skill: &Skill, store: &FsPath, ask: &Ask) -> Answer {
        let change = revoke(&setup.world(), skill, store)?;
        if let Some(change) = change.as_ref().filter(|_| !ask.dry_run) {
            write(&setup.fs, change)?;
        }
        let reply = if self.json {
            let is_approved = ask.dry_run && is_approved(setup, skill, store);
            Reply::json(&answer::approval(&setup.fs, skill, None, is_approved, store))
        } else {
            let done = match (&change, ask.dry_run) {
                (None, _) => {
                    return Ok(self.text("").err(&noted(&format!("`{}` is not approved", visible(&skill.key)))));
                }
                (Some(_), true) => "would no longer approve",
                (Some(_), false) => "no longer approved:",
            };
            Reply::new(Out::Styled(format!("{done} {}", named(setup, skill))))
        };
        Ok(reply)
    }

    /// The digest, and everything in the folder with its size or what it is.
    fn shown(self, setup: &Setup, contents: &Contents) -> String {
        let to = |name: &str, target: &Option<FsPath>| {
            let target = target.as_ref().map(|target| format!(" -> {}", visible(&setup.fs.spell(target))));
            format!("{}{}", visible(name), target.unwrap_or_default())
        };
        let files = contents.files.iter().map(|file| vec![file.size.to_string(), to(&file.name, &file.target)]);
        let others =
            contents.others.iter().map(|other| vec![other.what.as_str().to_owned(), to(&other.name, &other.target)]);
        let rows: Vec<Vec<String>> = files.chain(others).collect();
        let table = table::table(&[style::FAINT, Style::new()], None, &rows, self.screen.width);
        format!("{}\n{table}", contents.digest())
    }
}

/// The key and the file, on one line.
fn named(setup: &Setup, skill: &Skill) -> String {
    format!("{} ({})\n", visible(&skill.key), visible(&setup.fs.spell(&skill.path)))
}

fn is_approved(setup: &Setup, skill: &Skill, store: &FsPath) -> bool {
    Approvals::read(&setup.fs, store).of(&setup.world(), skill) == Approval::Exact
}

/// Where approvals are kept: below XDG_STATE_HOME (LOCALAPPDATA on Windows) if that is an absolute path, else in the
/// home directory. A project must not approve itself, so a store that would lie in it is none, unless the project is
/// the user's own home.
pub(crate) fn store(fs: &OsFs, places: &Places) -> Result<FsPath, Failure> {
    let variable = if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_STATE_HOME" };
    let named = std::env::var_os(variable).filter(|dir| Path::new(dir).is_absolute());
    let state = match named {
        Some(dir) => dir.to_str().and_then(|dir| fs.parse(dir, &FsPath::root())),
        None => places.home.as_ref().and_then(|home| home.join(".local/state").ok()),
    };
    let Some(store) = state.and_then(|state| state.join("skilltree/approved.json").ok()) else {
        let why = format!("there is no home directory and no {variable}, so approvals cannot be kept");
        return Err(Failure::could_not("no-store", why));
    };
    let Some(project) = &places.project else { return Ok(store) };
    if !comes_along(fs, &store, project) {
        return Ok(store);
    }
    let project = real(fs, project);
    let (store, project) = (fs.spell(&store), fs.spell(&project));
    let why = format!(
        "the store `{}` lies in the project `{}`, which must not approve itself; use another --home or {variable}",
        visible(&store),
        visible(&project)
    );
    Err(Failure::could_not("store-in-project", why))
}

//! The command `approve`, and where approvals are stored: in the user's state folder, never in the project.

use crate::answer::{Answer, Runner, note_line};
use crate::completion::keys;
use crate::facts::place_of;
use crate::host::{is_in_project, resolved};
use crate::lock::{SignedLock, signed};
use crate::output::text::count;
use crate::output::{findings, style, table};
use crate::reply::{Failure, Output, Reply};
use crate::setup::Setup;
use anstyle::Style;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use skilltree::discovery::FileWrite;
use skilltree::package::{Approval, ApprovalChange, Approvals, ChangedPart, Changes, Contents, Review};
use skilltree::{Catalog, Error, Fs, FsPath, Json, OsFs, Places, Skill, visible};
use std::path::Path;

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Debug)]
pub(crate) struct ApproveArgs {
    /// Key of the skill; with --revoke, also the path of a skill that no longer exists
    #[arg(allow_hyphen_values = true, add = ArgValueCompleter::new(keys), required_unless_present = "verified")]
    key: Option<String>,
    /// Approve every skill of the project whose files are those of its lock, which somebody has signed whom you trust
    #[arg(long, conflicts_with_all = ["key", "revoke"])]
    verified: bool,
    /// Revoke the approval
    #[arg(long)]
    revoke: bool,
    /// Only show what would be approved
    #[arg(long)]
    dry_run: bool,
}

impl Runner<'_> {
    pub(crate) fn approve(self, ask: &ApproveArgs) -> Answer {
        let (setup, catalog) = self.discover()?;
        let store = approval_store(&setup.fs, &setup.places)?;
        let Some(key) = ask.key.as_deref().filter(|_| !ask.verified) else {
            return self.approved_by_lock(&setup, &catalog, &store, ask);
        };
        let skill = catalog.find_any(key).map_err(|error| setup.lookup_failure(&catalog, key, error));
        if ask.revoke {
            self.revoked(&setup, (key, skill), &store, ask)
        } else {
            self.approved(&setup, (&catalog, skill?), &store, ask)
        }
    }

    fn approved(
        self,
        setup: &Setup,
        (catalog, skill): (&Catalog, &Skill),
        store: &FsPath,
        ask: &ApproveArgs,
    ) -> Answer {
        let world = setup.world();
        let review = Review::of(&world, catalog, skill)?;
        let changes = Approvals::read(&setup.fs, store).changes(&world, skill, &review);
        carry_out(setup, ask, || Ok(Some(review.approve(&world, skill, store)?)))?;
        let is_approved = !ask.dry_run || is_approved(setup, skill, store);
        let reply = if self.json {
            let reviewed = Some((&review, &changes));
            Reply::json(&Review::approval_json(&setup.fs, (&skill.key, &skill.path), reviewed, is_approved, store))
        } else {
            let done = if ask.dry_run { "would approve" } else { "approved" };
            let skill = named(setup, &skill.key, &skill.path);
            let (contents, changes) = (self.shown(setup, &review.contents), self.changed(&changes));
            Reply::new(Output::Styled(format!("{done} {skill}{contents}{changes}")))
                .with_stderr(&findings::about(&setup.fs, &[review.contents.findings, review.facts].concat()))
        };
        let note = format!("`{}` is trusted without approval, because of where it is", visible(&skill.key));
        Ok(if setup.machine.needs_approval(skill) { reply } else { reply.with_stderr(&note_line(&note)) })
    }

    /// Approves the skills of the project that its signed lock covers. An approval is of the bytes that were compared with the lock.
    fn approved_by_lock(self, setup: &Setup, catalog: &Catalog, store: &FsPath, ask: &ApproveArgs) -> Answer {
        let SignedLock { folder, locks, signer } = signed(setup)?;
        let world = setup.world();
        let (mut approved, mut refused) = (Vec::new(), Vec::new());
        for skill in catalog.skills().iter().filter(|skill| setup.machine.needs_approval(skill)) {
            let locked = place_of(skill).relative_to(&folder).and_then(|path| locks.get(path));
            let why = match (locked, Review::of(&world, catalog, skill)) {
                (Some(locked), Ok(review)) if locked.covers(&review.contents) => {
                    carry_out(setup, ask, || Ok(Some(review.approve(&world, skill, store)?)))?;
                    approved.push((skill, review.contents.digest().to_string()));
                    continue;
                }
                (None, _) => "the lock does not name it".to_owned(),
                (Some(_), Ok(_)) => "its files are not those of the lock".to_owned(),
                (Some(_), Err(error)) => error.to_string(),
            };
            refused.push((skill, why));
        }
        if self.json {
            let list = |all: &[(&Skill, String)], field: &str| {
                let path = |skill: &Skill| Json::from(setup.fs.display(&skill.path).into_owned());
                let one = |(skill, what): &(&Skill, String)| {
                    Json::map([
                        ("key", Json::from(skill.key.as_str())),
                        ("path", path(skill)),
                        (field, what.as_str().into()),
                    ])
                };
                Json::from(all.iter().map(one).collect::<Vec<_>>())
            };
            return Ok(Reply::json(&Json::map([
                ("signer", crate::verify::signer_json(&signer)),
                ("approved", list(&approved, "digest")),
                ("refused", list(&refused, "message")),
                ("store", setup.fs.display(store).into_owned().into()),
            ])));
        }
        let done = if ask.dry_run { "would approve" } else { "approved" };
        let lines = approved.iter().map(|(skill, _)| format!("{done} {}", named(setup, &skill.key, &skill.path)));
        let signed =
            format!("{} in a lock that {} has signed\n", count(approved.len(), "skill"), visible(&signer.subject));
        let told = |(skill, why): &(&Skill, String)| {
            note_line(&format!("`{}` is not approved: {}", visible(&skill.key), visible(why)))
        };
        let notes: String = refused.iter().map(told).collect();
        let notes = findings::unread(&setup.fs, catalog.findings()) + &notes;
        Ok(Reply::new(Output::Styled(lines.collect::<String>() + &signed)).with_stderr(&notes))
    }

    /// Revokes the approval of the skill. If there is no such skill or it is not approved, revokes the approval that
    /// the store has under this key or path.
    fn revoked(
        self,
        setup: &Setup,
        (asked, skill): (&str, Result<&Skill, Failure>),
        store: &FsPath,
        ask: &ApproveArgs,
    ) -> Answer {
        let revoke = |skill: &Skill| Approvals::revoke(&setup.world(), skill, store);
        let known = if skill.as_ref().map_or(Ok(None), |skill| revoke(skill))?.is_some() {
            None
        } else {
            known(setup, store, asked)?
        };
        let (key, path, is_left, change) = match (known, skill) {
            (Some((key, place)), _) => {
                let change = carry_out(setup, ask, || Ok(Approvals::revoke_at(&setup.fs, &place, store)?))?;
                (key, place, ask.dry_run, change)
            }
            (None, Ok(skill)) => {
                let is_left = ask.dry_run && is_approved(setup, skill, store);
                let change = carry_out(setup, ask, || Ok(revoke(skill)?))?;
                (skill.key.clone(), skill.path.clone(), is_left, change)
            }
            (None, Err(failure)) => return Err(failure),
        };
        if self.json {
            return Ok(Reply::json(&Review::approval_json(&setup.fs, (&key, &path), None, is_left, store)));
        }
        let done = match (&change, ask.dry_run) {
            (None, _) => {
                return Ok(self.text("").with_stderr(&note_line(&format!("`{}` is not approved", visible(&key)))));
            }
            (Some(_), true) => "would no longer approve",
            (Some(_), false) => "no longer approved:",
        };
        Ok(Reply::new(Output::Styled(format!("{done} {}", named(setup, &key, &path)))))
    }

    /// The digest, and the contents of the folder with their sizes or kinds.
    fn shown(self, setup: &Setup, contents: &Contents) -> String {
        let to = |name: &str, target: &Option<FsPath>| {
            let target = target.as_ref().map(|target| format!(" -> {}", visible(&setup.fs.display(target))));
            format!("{}{}", visible(name), target.unwrap_or_default())
        };
        let files = contents.files.iter().map(|file| vec![file.size.to_string(), to(&file.name, &file.target)]);
        let others =
            contents.others.iter().map(|other| vec![other.kind.as_str().to_owned(), to(&other.name, &other.target)]);
        let rows: Vec<Vec<String>> = files.chain(others).collect();
        let table = table::table(&[style::FAINT, Style::new()], None, &rows, self.screen.width);
        format!("{}\n{table}", contents.digest())
    }

    /// What is new since the last approval, as a diff. At the first approval all files are new, which are shown above.
    fn changed(self, changes: &Changes) -> String {
        let is_shown = |change: &&ApprovalChange| !(changes.is_first && change.part == ChangedPart::File);
        let lines: String = changes.all.iter().filter(is_shown).map(|change| format!("{change}\n")).collect();
        match changes.is_first {
            true => format!("\n{lines}"),
            false if lines.is_empty() => "\nnothing has changed since the last approval\n".to_owned(),
            false => format!("\nchanged since the last approval:\n{lines}"),
        }
    }
}

/// Plans a change of the store and, unless it is a dry run, writes it, retrying if another process changes the store
/// at the same time.
fn carry_out(
    setup: &Setup,
    ask: &ApproveArgs,
    mut plan: impl FnMut() -> Result<Option<FileWrite>, Failure>,
) -> Result<Option<FileWrite>, Failure> {
    if ask.dry_run { plan() } else { FileWrite::rewrite(&setup.fs, plan) }
}

/// The key and the path of the skill, on one line.
fn named(setup: &Setup, key: &str, path: &FsPath) -> String {
    format!("{} ({})\n", visible(key), visible(&setup.fs.display(path)))
}

/// The approval in the store with this key in this project, or else with this path in any project: its key and path.
fn known(setup: &Setup, store: &FsPath, asked: &str) -> Result<Option<(String, FsPath)>, Failure> {
    let approvals = Approvals::read(&setup.fs, store);
    if let Some(trouble) = approvals.trouble() {
        return Err(trouble.clone().into());
    }
    let project = resolved(&setup.fs, &setup.project);
    let by_key =
        |(key, place): &(&str, FsPath)| (*key == asked || visible(key) == asked) && place.starts_with(&project);
    let mut found: Vec<(&str, FsPath)> = approvals.all().filter(by_key).collect();
    if let (true, Ok(path)) = (found.is_empty(), setup.path(asked)) {
        // As a place is written: links are resolved in the folder's path, and the file's name stays.
        let folder = resolved(&setup.fs, &path);
        let file = path.parent().and_then(|dir| resolved(&setup.fs, &dir).child(path.name()).ok());
        found.extend(
            approvals.all().find(|(_, place)| Some(place) == file.as_ref() || place.parent().as_ref() == Some(&folder)),
        );
    }
    if let [_, _, ..] = &found[..] {
        let candidates = found.iter().map(|(_, place)| visible(&setup.fs.display(place)).into_owned()).collect();
        return Err(Error::Ambiguous { asked: visible(asked).into_owned(), candidates }.into());
    }
    Ok(found.pop().map(|(key, place)| (key.to_owned(), place)))
}

fn is_approved(setup: &Setup, skill: &Skill, store: &FsPath) -> bool {
    matches!(Approvals::read(&setup.fs, store).of(&setup.world(), skill), Approval::Exact(_))
}

/// The file that stores approvals. A project must not approve itself, so a store inside it is an error.
pub(crate) fn approval_store(fs: &OsFs, places: &Places) -> Result<FsPath, Failure> {
    user_store(fs, places, "approved.json", "approvals", "approve itself")
}

/// A file of the user's state: below XDG_STATE_HOME (LOCALAPPDATA on Windows) if that is an absolute path, or else in the home
/// directory. As it decides about the project, a file inside the project is an error, unless the project is the user's home
/// directory. `what` is stored in it, and the project must not do what `forbidden` says.
pub(crate) fn user_store(
    fs: &OsFs,
    places: &Places,
    file: &str,
    what: &str,
    forbidden: &str,
) -> Result<FsPath, Failure> {
    let variable = if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_STATE_HOME" };
    let named = std::env::var_os(variable).filter(|dir| Path::new(dir).is_absolute());
    let state = match named {
        Some(dir) => {
            let invalid = || Failure::error("no-store", format!("the path in {variable} is not valid UTF-8"));
            let dir = dir.to_str().ok_or_else(invalid)?;
            fs.parse(dir, &FsPath::root())
        }
        None => places.home.as_ref().and_then(|home| home.join(".local/state").ok()),
    };
    let Some(store) = state.and_then(|state| state.join("skilltree").ok()?.child(file).ok()) else {
        let why = format!("there is no home directory and {variable} is not set, so {what} cannot be stored");
        return Err(Failure::error("no-store", why));
    };
    let Some(project) = &places.project else { return Ok(store) };
    if !is_in_project(fs, &store, project) {
        return Ok(store);
    }
    let project = resolved(fs, project);
    let (store, project) = (fs.display(&store), fs.display(&project));
    let why = format!(
        "the store `{}` is inside the project `{}`, which must not {forbidden}; use another --home or {variable}",
        visible(&store),
        visible(&project)
    );
    Err(Failure::error("store-in-project", why))
}

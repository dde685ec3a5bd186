//! What to put back into a conversation after it was compacted: [`reattach`].

use super::Session;
use super::event::{Event, Sent};
use super::note::shown;
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::loading::invoke::{Wording, Written, written};
use crate::loading::load::LoadRequest;
use crate::model::skill::Skill;
use crate::offer::fill::fill_unescaped;
use crate::offer::list::{Prompt, PromptRequest, listing};
use crate::text::budget::PER_TOKEN;
use crate::text::digest::Digest;
use crate::text::paragraphs::whole_paragraphs;
use std::collections::HashSet;

/// What stands between the list and the skills.
const BETWEEN: &str = "\n\n";

/// How much may be put back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReattachRequest {
    /// The most that the whole text may cost, in tokens, of which a text costs one for every four bytes or part of four.
    /// `None` for the list of the prompt and as much of the skills as the dialect allows.
    pub budget: Option<usize>,
    /// The size of the context window in tokens, if it is known, for the list of the prompt.
    pub window: Option<usize>,
}

/// What to put back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reattached {
    /// The text: the section of the prompt, then the skills.
    pub text: String,
    /// Whether the section of the prompt is in the text. It is not if even its shortest list does not fit.
    pub is_listed: bool,
    /// The keys of the skills that are put back, in the order of the text: the newest first.
    pub keys: Vec<String>,
    /// Those of `keys` of which only a part fits.
    pub shortened: Vec<String>,
    /// The keys of the skills that do not fit, the newest first.
    pub left_out: Vec<String>,
    /// The skills that cannot be put back: they are gone, or hidden from whoever has loaded them.
    pub missing: Vec<Missing>,
    /// What the text costs, in tokens.
    pub cost: usize,
    /// The most that it may cost, in tokens.
    pub budget: usize,
    /// The events that putting it back adds.
    events: Vec<Event>,
}

/// A skill that cannot be put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its key.
    pub key: String,
    /// Why.
    pub reason: String,
}

/// What to put back after a conversation was compacted: the section of the prompt, then each skill that was loaded or
/// invoked once, the newest first and as it was last asked for (rule 29.4). A skill is read again, and what does not fit
/// is cut after a whole paragraph, with the path where the rest is. After the first skill that the budget cuts, no other
/// is put back.
///
/// The host shows [`Reattached::text`] to the model and passes the answer to [`Session::reattached`].
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
/// use skilltree::record::{ReattachRequest, Session, reattach};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("claude").unwrap());
/// let mut session = Session::default();
/// session.call(&world, &catalog, r#"{"skill": "tea"}"#)?;
/// let back = reattach(&world, &catalog, &session, &ReattachRequest::default());
/// assert_eq!(back.keys, ["tea"]);
/// assert!(back.text.contains("Boil water.") && back.cost <= back.budget);
/// session.reattached(&back);
/// # Ok::<(), skilltree::Error>(())
/// ```
pub fn reattach(world: &World<'_>, catalog: &Catalog, session: &Session, ask: &ReattachRequest) -> Reattached {
    let rule = &catalog.dialect().reattach;
    let limit = ask.budget.map(bytes);
    let mut back = Reattached::default();
    if let Some(section) = section(world, catalog, ask.window, limit) {
        back.events.extend(shown(&section));
        back.text = section.text;
        back.is_listed = true;
    }
    back.budget = ask.budget.unwrap_or_else(|| tokens(back.text.len()).saturating_add(rule.all));
    let mut room = bytes(rule.all).min(bytes(back.budget).saturating_sub(back.text.len()));
    let mut is_full = false;
    for (event, sent) in newest_of_each(session) {
        let lacking = |reason: String| Missing { key: sent.key.clone(), reason };
        let skill = match catalog.find(&sent.key, sent.by) {
            Ok(_) if is_full => {
                back.left_out.push(sent.key.clone());
                continue;
            }
            Ok(skill) => written_again(world, catalog, skill, event, sent),
            Err(error) => Err(error.to_string()),
        };
        let skill = match skill {
            Ok(skill) => skill,
            Err(reason) => {
                back.missing.push(lacking(reason));
                continue;
            }
        };
        let between = if back.text.is_empty() { "" } else { BETWEEN };
        let share = bytes(rule.each).min(room.saturating_sub(between.len()));
        is_full = share < bytes(rule.each) && share < skill.text.len();
        let Some((text, is_cut)) = cut(catalog, &skill, share) else {
            back.left_out.push(sent.key.clone());
            continue;
        };
        room = room.saturating_sub(between.len() + text.len());
        back.text.push_str(between);
        back.text.push_str(&text);
        back.keys.push(sent.key.clone());
        if is_cut {
            back.shortened.push(sent.key.clone());
        }
        let sent = Sent { digest: Digest::of(text.as_bytes()), path: skill.loaded.shown_path, ..sent.clone() };
        back.events.push(if matches!(event, Event::Invoked(_)) { Event::Invoked(sent) } else { Event::Loaded(sent) });
    }
    back.cost = tokens(back.text.len());
    back
}

impl Session {
    /// Notes that the conversation was compacted and that this was put back: the section of the prompt is shown, and the
    /// skills are loaded, the newest last. A skill of which only a part was put back is sent whole when it is loaded.
    pub fn reattached(&mut self, back: &Reattached) {
        self.compacted();
        let is_shown = |event: &&Event| matches!(event, Event::Shown { .. });
        back.events.iter().filter(is_shown).for_each(|event| self.add(event.clone()));
        back.events.iter().filter(|event| !is_shown(event)).rev().for_each(|event| self.add(event.clone()));
    }
}

/// The newest text of each skill, the newest first, whether it was compacted or not.
fn newest_of_each(session: &Session) -> impl Iterator<Item = (&Event, &Sent)> {
    let mut seen = HashSet::new();
    let events = session.events().iter().rev().map(|event| &event.event);
    let texts = events.filter_map(|event| Some((event, event.text_in_context()?)));
    texts.filter(move |(_, sent)| seen.insert(sent.key.as_str()))
}

/// The text of a skill as it was asked for, from its present file. The error is the reason why there is none.
fn written_again(
    world: &World<'_>,
    catalog: &Catalog,
    skill: &Skill,
    event: &Event,
    sent: &Sent,
) -> Result<Written, String> {
    let ask = LoadRequest { args: sent.args.clone(), ..LoadRequest::new(sent.by) };
    let how = match (event, &catalog.dialect().commands) {
        (Event::Invoked(_), Some(rule)) => Wording::of_commands(catalog, rule),
        _ => Wording::of_tool(catalog),
    };
    match written(world, catalog, skill, &ask, &how) {
        Ok(skill) if skill.loaded.is_fork => Err("it is a task for a separate agent now".to_owned()),
        Ok(skill) => Ok(skill),
        Err(error) => Err(error.to_string()),
    }
}

/// The section of the prompt, with a shorter list if it is too long; `None` if it does not fit with any list.
fn section(world: &World<'_>, catalog: &Catalog, window: Option<usize>, limit: Option<usize>) -> Option<Prompt> {
    let usual = listing(world, catalog, &PromptRequest { window, ..PromptRequest::default() });
    // A list for a request without words becomes as short as need be (rule 11.16).
    let section =
        |budget| listing(world, catalog, &PromptRequest { budget: Some(budget), window, query: Some("".into()) });
    let limit = limit.unwrap_or(usize::MAX);
    if usual.text.len() <= limit {
        return Some(usual);
    }
    // No list that is as large as the section in any unit fits; the one of size 0 may hold pinned skills.
    let (mut low, mut high, mut best) = (0, usual.text.len(), None);
    while low < high {
        let budget = low + (high - low) / 2;
        let shorter = section(budget);
        // A section without any skill would say that there are none.
        let is_listed = !shorter.shown.is_empty();
        if shorter.text.len() <= limit {
            best = Some(shorter).filter(|_| is_listed).or(best);
            low = budget + 1;
        } else {
            high = budget;
        }
    }
    best
}

/// The text of a skill in at most this many bytes, and whether it was cut. A frame stays around the body that is cut, if
/// there is room for it. `None` if not even the pointer to the file fits.
fn cut(catalog: &Catalog, skill: &Written, at_most: usize) -> Option<(String, bool)> {
    let Written { loaded, text, body_at } = skill;
    if text.len() <= at_most {
        return Some((text.clone(), false));
    }
    let mut rest = String::new();
    fill_unescaped(&catalog.dialect().reattach.rest, &[("path", &loaded.shown_path)], &mut rest);
    let framed = body_at.and_then(|at| {
        let (before, from_body) = text.split_at_checked(at)?;
        // Arguments that were appended to the body may stand elsewhere.
        let after = from_body.strip_prefix(loaded.body.as_str())?;
        let body = loaded.body.as_str();
        let around = before.len() + after.len() + BETWEEN.len() + rest.len();
        let kept = whole_paragraphs(body, at_most.checked_sub(around)?);
        (!kept.is_empty()).then(|| format!("{before}{kept}{BETWEEN}{rest}{after}"))
    });
    let plain = || {
        let kept = whole_paragraphs(text, at_most.checked_sub(BETWEEN.len() + rest.len())?);
        (!kept.is_empty()).then(|| format!("{kept}{BETWEEN}{rest}"))
    };
    let text = framed.or_else(plain).or_else(|| (rest.len() <= at_most).then(|| rest.clone()))?;
    Some((text, true))
}

/// What a text of this many bytes costs, in tokens.
fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(PER_TOKEN)
}

/// How many bytes a text has at most that costs this many tokens.
fn bytes(tokens: usize) -> usize {
    tokens.saturating_mul(PER_TOKEN)
}

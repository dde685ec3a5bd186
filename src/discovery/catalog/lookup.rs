//! Looks up the skill that a caller asks for. [`Catalog::find`] is the only way by which models and users get at a
//! skill, and checks that they may (rules 7.7, 7.8, 7.9, 7.10 and 9.1).

use super::Catalog;
use crate::dialect::Lookup;
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::model::skill::{Caller, Frontmatter, Skill, State};
use crate::path::FsPath;
use crate::text::escape::{reveal, visible};
use crate::text::lower::lower;
use crate::text::order::sort_by;
use crate::text::words::{MOST_NEAR, nearest};
use std::collections::HashMap;

impl Catalog {
    /// The skill that a caller asks for, if the caller may have it.
    ///
    /// ```
    /// use skilltree::{Caller, Error, FsPath, MemFs, Places, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let catalog = discover(&World::new(&fs, &places, &()), &dialect("agentskills").unwrap());
    /// assert_eq!(catalog.find("tea", Caller::Model).unwrap().key, "tea");
    /// let error = catalog.find("te", Caller::Model).unwrap_err();
    /// assert_eq!(error.to_string(), "there is no skill `te`; did you mean `tea`?");
    /// ```
    ///
    /// # Errors
    /// [`Error::UnknownSkill`] with the nearest keys that the caller may see; [`Error::Disabled`],
    /// [`Error::NotForModel`] and [`Error::NotForUser`] for a skill that this caller may not have;
    /// [`Error::Ambiguous`] if several skills match.
    pub fn find(&self, asked: &str, caller: Caller) -> Result<&Skill, Error> {
        self.admitted(self.look_up(asked, |skill| skill.is_for(caller))?, caller)
    }

    /// The skill at the same path with the same key, if the caller may have it: for a skill of an older catalog.
    ///
    /// # Errors
    /// As [`Catalog::find`].
    pub(crate) fn find_counterpart(&self, skill: &Skill, caller: Caller) -> Result<&Skill, Error> {
        match self.counterpart(skill) {
            Some(same) => self.admitted(same, caller),
            None => self.find(&skill.key, caller),
        }
    }

    /// The skill, if the caller may have it.
    fn admitted<'c>(&self, skill: &'c Skill, caller: Caller) -> Result<&'c Skill, Error> {
        let key = || visible(&skill.key).into_owned();
        match (skill.state, caller) {
            (State::Disabled, _) => Err(self.disabled(skill)),
            (_, Caller::Model) if skill.is_inactive() => Err(Error::NotActive { key: key() }),
            (_, Caller::Model) if !skill.audience.model => Err(Error::NotForModel { key: key() }),
            (_, Caller::User) if !skill.audience.user => Err(Error::NotForUser { key: key() }),
            (State::Enabled | State::Active, _) => Ok(skill),
        }
    }

    /// Checks that the frontmatter of a skill, as it was read again, lets the caller have it.
    pub(crate) fn check_again(&self, skill: &Skill, now: &Frontmatter, caller: Caller) -> Result<(), Error> {
        let key = || visible(&skill.key).into_owned();
        match caller {
            Caller::Model if now.not_for_model => Err(Error::NotForModel { key: key() }),
            Caller::User if now.not_for_user => Err(Error::NotForUser { key: key() }),
            Caller::Model | Caller::User => Ok(()),
        }
    }

    /// The error for a skill that is switched off.
    pub(crate) fn disabled(&self, skill: &Skill) -> Error {
        Error::Disabled { key: visible(&skill.key).into_owned(), has_states: self.dialect().states.is_some() }
    }

    /// Like [`Catalog::find`], but also finds a skill that no caller may have: for changing its state.
    ///
    /// # Errors
    /// [`Error::UnknownSkill`] with the nearest keys, [`Error::Ambiguous`] with all keys that match.
    pub fn find_any(&self, asked: &str) -> Result<&Skill, Error> {
        self.look_up(asked, |_| true)
    }

    /// The skill that is asked for. `sees` says which skills the caller may see: others are not suggested.
    fn look_up(&self, asked: &str, sees: impl Fn(&Skill) -> bool) -> Result<&Skill, Error> {
        // Rule 7.7: a key may be written as it is, or with escapes for invisible characters.
        let found = self.get(asked).or_else(|| self.get(&reveal(asked)));
        let found = match found {
            Some(skill) => Some(skill),
            None if self.keeps_all() => self.find_among_equals(asked, &sees)?,
            None => self.find_without_key(asked, &sees)?,
        };
        found.ok_or_else(|| {
            let near = self.nearest_keys(asked, &sees).into_iter().map(|key| visible(key).into_owned()).collect();
            Error::UnknownSkill { asked: visible(asked).into_owned(), near }
        })
    }

    /// The only skill with this key that the caller may see, or the skill at this path. The paths of several are the
    /// candidates of the error.
    fn find_among_equals(&self, asked: &str, sees: &dyn Fn(&Skill) -> bool) -> Result<Option<&Skill>, Error> {
        let asked = reveal(asked);
        let equals: Vec<&Skill> =
            self.with_key(&asked).iter().filter_map(|at| self.skills().get(*at as usize)).collect();
        let seen: Vec<&Skill> = equals.iter().copied().filter(|skill| sees(skill)).collect();
        match (seen.as_slice(), equals.as_slice()) {
            ([only], _) | ([], [only, ..]) => Ok(Some(only)),
            ([], []) => Ok(self.skills().iter().find(|skill| skill.path.as_str() == asked)),
            (several, _) => {
                let candidates = several.iter().map(|skill| visible(skill.path.as_str()).into_owned()).collect();
                Err(Error::Ambiguous { asked: visible(&asked).into_owned(), candidates })
            }
        }
    }

    /// The keys that are spelled most similarly. If skills are found by a part of the key, that part is compared too.
    fn nearest_keys(&self, asked: &str, sees: &dyn Fn(&Skill) -> bool) -> Vec<&str> {
        let keys = || self.skills().iter().filter(|skill| sees(skill)).map(|skill| skill.key.as_str());
        let names = self.skills().iter().filter(|skill| sees(skill)).map(|skill| skill.name.as_str());
        let by_name = self.inner.dialect.lookup == Lookup::NameOrPath;
        let near = nearest(asked, keys().chain(names.filter(|_| by_name)));
        match self.inner.dialect.lookup {
            Lookup::LastPart if near.is_empty() => {
                let mut parts: Vec<&str> = keys().map(last_part).collect();
                sort_by(&mut parts, Ord::cmp);
                parts.dedup();
                let parts = nearest(asked, parts.into_iter());
                let with = parts.into_iter().flat_map(|part| keys().filter(move |key| last_part(key) == part));
                with.take(MOST_NEAR).collect()
            }
            Lookup::Key | Lookup::KeyInAnyCase | Lookup::LastPart | Lookup::NameOrPath => near,
        }
    }

    /// The skill that the dialect finds by something other than its key (rules 7.9 and 7.10).
    fn find_without_key(&self, asked: &str, sees: &dyn Fn(&Skill) -> bool) -> Result<Option<&Skill>, Error> {
        match self.inner.dialect.lookup {
            Lookup::Key => Ok(None),
            Lookup::KeyInAnyCase => {
                let folded = lower(&reveal(asked));
                Ok(self.skills().iter().find(|skill| lower(&skill.key) == folded))
            }
            Lookup::LastPart => self.find_by_last_part(&reveal(asked), sees),
            Lookup::NameOrPath => Ok(self.find_by_name(&reveal(asked))),
        }
    }

    /// Rule 7.10: finds a skill by its name, the source of the highest precedence first, then in any letter case,
    /// then by its path.
    fn find_by_name(&self, asked: &str) -> Option<&Skill> {
        let first = |is_it: &dyn Fn(&Skill) -> bool| {
            let found = self.skills().iter().filter(|skill| is_it(skill));
            found.min_by(|a, b| (b.source.rank, &a.path).cmp(&(a.source.rank, &b.path)))
        };
        // The name that a skill is listed by counts before the name in its frontmatter.
        let has_own_name =
            |skill: &Skill, is_it: &dyn Fn(&str) -> bool| skill.frontmatter.name.as_deref().is_some_and(is_it);
        let folded = lower(asked);
        first(&|skill| skill.name == asked)
            .or_else(|| first(&|skill| has_own_name(skill, &|name| name == asked)))
            .or_else(|| first(&|skill| lower(&skill.key) == folded))
            .or_else(|| first(&|skill| lower(&skill.name) == folded))
            .or_else(|| first(&|skill| has_own_name(skill, &|name| lower(name) == folded)))
            .or_else(|| first(&|skill| skill.path.as_str() == asked))
    }

    /// Like [`Catalog::find`], but if no skill has this name also takes the path of a SKILL.md in the host's spelling,
    /// if the dialect finds skills by path. A relative path starts from the project.
    ///
    /// # Errors
    /// As [`Catalog::find`].
    pub fn locate(&self, world: &World<'_>, asked: &str, caller: Caller) -> Result<&Skill, Error> {
        let unknown = match self.find(asked, caller) {
            Err(error @ Error::UnknownSkill { .. }) => error,
            answer => return answer,
        };
        let path = match self.inner.dialect.lookup {
            Lookup::Key | Lookup::KeyInAnyCase | Lookup::LastPart => None,
            Lookup::NameOrPath => parse_path(world, &reveal(asked)),
        };
        match path.map(|path| self.find(path.as_str(), caller)) {
            None | Some(Err(Error::UnknownSkill { .. })) => Err(unknown),
            Some(answer) => answer,
        }
    }

    /// The text under which each skill is listed: its name, or its key if another skill has that name (rule 7.6).
    pub(crate) fn labels(&self) -> impl Fn(&'_ Skill) -> &'_ str {
        let mut times: HashMap<&str, usize> = HashMap::with_capacity(self.skills().len());
        for skill in self.skills() {
            *times.entry(&skill.name).or_default() += 1;
            *times.entry(&skill.key).or_default() += usize::from(skill.key != skill.name);
        }
        move |skill| match times.get(skill.name.as_str()) {
            Some(2..) => &skill.key,
            Some(_) | None => &skill.name,
        }
    }

    /// The only skill whose key ends in this part, as written or else in any letter case. Skills that the caller may
    /// not see count only if no other matches, so that they make nothing ambiguous; [`Catalog::find`] refuses them.
    fn find_by_last_part<'c>(&'c self, asked: &str, sees: &dyn Fn(&Skill) -> bool) -> Result<Option<&'c Skill>, Error> {
        let folded = lower(asked);
        let exact = |key: &str| last_part(key) == asked;
        let alike = |key: &str| lower(last_part(key)) == folded || lower(key) == folded;
        let meant = |is_meant: &dyn Fn(&str) -> bool, sees: &dyn Fn(&Skill) -> bool| -> Vec<&'c Skill> {
            self.skills().iter().filter(|skill| is_meant(&skill.key) && sees(skill)).collect()
        };
        let steps: [&dyn Fn() -> Vec<&'c Skill>; 4] =
            [&|| meant(&exact, sees), &|| meant(&alike, sees), &|| meant(&exact, &|_| true), &|| {
                meant(&alike, &|_| true)
            }];
        match steps.iter().map(|step| step()).find(|found| !found.is_empty()).as_deref() {
            None | Some([]) => Ok(None),
            Some([only]) => Ok(Some(only)),
            Some(several) => {
                let candidates = several.iter().map(|skill| visible(&skill.key).into_owned()).collect();
                Err(Error::Ambiguous { asked: visible(asked).into_owned(), candidates })
            }
        }
    }
}

/// The part of a key after its last colon, or the whole key (rule 7.9).
pub(crate) fn last_part(key: &str) -> &str {
    key.rsplit_once(':').map_or(key, |(_, last)| last)
}

/// The path that a text in the host's spelling names; `None` for a relative one without a project to start from.
fn parse_path(world: &World<'_>, text: &str) -> Option<FsPath> {
    match &world.places.project {
        Some(project) => world.fs.parse(text, project),
        None => {
            // An absolute path is the same from everywhere.
            let path = world.fs.parse(text, &FsPath::root())?;
            world.fs.parse(text, &FsPath::root().appended("elsewhere")).filter(|other| *other == path)
        }
    }
}

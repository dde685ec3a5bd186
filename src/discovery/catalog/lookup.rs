//! In: what a caller asks for. Out: the skill that is meant, or why there is none. `find` is the one gate through
//! which models and users get at a skill (decisions 17, 18, 24).

use super::Catalog;
use crate::dialect::Lookup;
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill, State};
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::escape::{reveal, visible};
use crate::text::lower::lower;
use crate::text::order::sort_by;
use crate::text::words::{MOST_NEAR, nearest};
use std::collections::HashMap;

impl Catalog {
    /// The skill that a caller asks for: the one gate for models and users.
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
    /// [`Error::Unknown`] with the nearest keys that the caller may see; [`Error::Disabled`],
    /// [`Error::NotForModel`] and [`Error::NotForUser`] for a skill that this caller may not have.
    pub fn find(&self, asked: &str, caller: Caller) -> Result<&Skill, Error> {
        let skill = self.sought(asked, |skill| skill.is_for(caller))?;
        let key = || visible(&skill.key).into_owned();
        match (skill.state, caller) {
            (State::Disabled, _) => Err(self.disabled(skill)),
            (State::Enabled, Caller::Model) if !skill.frontmatter.not_for_model && !skill.audience.model => {
                Err(Error::NotActive { key: key() })
            }
            (_, Caller::Model) if !skill.audience.model => Err(Error::NotForModel { key: key() }),
            (_, Caller::User) if !skill.audience.user => Err(Error::NotForUser { key: key() }),
            (State::Enabled | State::Active, _) => Ok(skill),
        }
    }

    /// That a skill is switched off, and what switches it on.
    pub(crate) fn disabled(&self, skill: &Skill) -> Error {
        Error::Disabled { key: visible(&skill.key).into_owned(), has_states: self.dialect().states.is_some() }
    }

    /// The skill that is meant, as [`Catalog::find`] takes it, whoever may have it: for changing states.
    ///
    /// # Errors
    /// [`Error::Unknown`] with the nearest keys, [`Error::Ambiguous`] with all that may be meant.
    pub fn seek(&self, asked: &str) -> Result<&Skill, Error> {
        self.sought(asked, |_| true)
    }

    /// The skill that is meant by one who may see these.
    fn sought(&self, asked: &str, sees: impl Fn(&Skill) -> bool) -> Result<&Skill, Error> {
        // decisions 24: lookup takes both spellings.
        let found = self.get(asked).or_else(|| self.get(&reveal(asked)));
        let found = match found {
            Some(skill) => Some(skill),
            None => self.otherwise(asked, &sees)?,
        };
        found.ok_or_else(|| {
            let near = self.near(asked, &sees).into_iter().map(|key| visible(key).into_owned()).collect();
            Error::Unknown { asked: visible(asked).into_owned(), near }
        })
    }

    /// The nearest keys among these; where a part of the key is enough, also by that part.
    fn near(&self, asked: &str, sees: &dyn Fn(&Skill) -> bool) -> Vec<&str> {
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
            Lookup::Key | Lookup::LastPart | Lookup::NameOrPath => near,
        }
    }

    /// The skill that a dialect finds by something else than its key (decisions 17).
    fn otherwise(&self, asked: &str, sees: &dyn Fn(&Skill) -> bool) -> Result<Option<&Skill>, Error> {
        match self.inner.dialect.lookup {
            Lookup::Key => Ok(None),
            Lookup::LastPart => self.by_last_part(&reveal(asked), sees),
            Lookup::NameOrPath => Ok(self.named(&reveal(asked))),
        }
    }

    /// decisions 17: names in the order of sources, then all without letter case, then a path of the catalog.
    fn named(&self, asked: &str) -> Option<&Skill> {
        // The order of sources is from the highest precedence to the lowest.
        let first = |is_it: &dyn Fn(&Skill) -> bool| {
            let found = self.skills().iter().filter(|skill| is_it(skill));
            found.min_by(|a, b| (b.source.rank, &a.path).cmp(&(a.source.rank, &b.path)))
        };
        // A name that is listed beats one that only a frontmatter gives.
        let own = |skill: &Skill| skill.frontmatter.name.clone().unwrap_or_default();
        let folded = lower(asked);
        first(&|skill| skill.name == asked)
            .or_else(|| first(&|skill| own(skill) == asked))
            .or_else(|| first(&|skill| lower(&skill.key) == folded))
            .or_else(|| first(&|skill| lower(&skill.name) == folded))
            .or_else(|| first(&|skill| lower(&own(skill)) == folded))
            .or_else(|| first(&|skill| skill.path.as_str() == asked))
    }

    /// As [`Catalog::find`], and where nothing is called so, by the path of a SKILL.md, relative to the project, in
    /// the host's spelling, where the dialect finds by paths.
    ///
    /// # Errors
    /// As [`Catalog::find`].
    pub fn locate(&self, world: &World<'_>, asked: &str, caller: Caller) -> Result<&Skill, Error> {
        let unknown = match self.find(asked, caller) {
            Err(error @ Error::Unknown { .. }) => error,
            answer => return answer,
        };
        let base = world.places.project.clone().unwrap_or_else(FsPath::root);
        let path = match self.inner.dialect.lookup {
            Lookup::Key | Lookup::LastPart => None,
            Lookup::NameOrPath => world.fs.parse(&reveal(asked), &base),
        };
        match path.map(|path| self.find(path.as_str(), caller)) {
            None | Some(Err(Error::Unknown { .. })) => Err(unknown),
            Some(answer) => answer,
        }
    }

    /// What a skill is listed by: its name, or its key where another skill goes by that name too (decisions 25).
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

    /// The only skill with this last part, as written, else without regard to letter case. What the caller may not
    /// see makes nothing ambiguous that he may; where no other is meant, the gate refuses it.
    fn by_last_part<'c>(&'c self, asked: &str, sees: &dyn Fn(&Skill) -> bool) -> Result<Option<&'c Skill>, Error> {
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

/// What stands after the last colon of a key (decisions 17).
pub(crate) fn last_part(key: &str) -> &str {
    key.rsplit_once(':').map_or(key, |(_, last)| last)
}

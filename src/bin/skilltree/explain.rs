//! In: the questions `why` and `check`. Out: what became of a skill or a file, and what is wrong with files.
//! Absent: the rules (the library).

use crate::output::nowhere::nowhere;
use crate::output::{findings, snippet, why};
use crate::reply::{Exit, Failure, Out, Reply, document};
use crate::run::{Answer, Task};
use crate::setup::{self, Setup};
use crate::{suggest, unseen};
use skilltree::{Catalog, CheckRequest, Json, PromptRequest, Severity, Why, report};

impl Task<'_> {
    pub(crate) fn why(self, asked: &str, ask: &PromptRequest) -> Answer {
        let (setup, catalog) = self.discover()?;
        let mut outcomes = outcomes(&setup, &catalog, asked, ask);
        for one in &mut outcomes {
            suggest::advise(one, &catalog);
        }
        let json = report::why(&setup.fs, asked, &outcomes);
        if outcomes.is_empty() {
            let failure = unseen::unknown(&setup, &catalog, asked);
            let out = if self.json { document(&failure.join(json)) } else { Out::Exact(String::new()) };
            return Ok(Reply { out, ..failure.reply(false) }.err(&nowhere(&setup, &catalog)));
        }
        if self.json {
            return Ok(Reply::json(&json));
        }
        Ok(Reply::new(Out::Styled(why::why(&setup.fs, &outcomes))))
    }

    pub(crate) fn check(self, paths: &[String], strict: bool, profile: Option<&str>) -> Answer {
        let mut setup = Setup::new(self.place)?;
        let profile = match profile {
            Some(name) => setup::dialect(Some(name))?,
            None => setup.dialect.clone(),
        };
        let paths = paths.iter().map(|text| setup.opened(text)).collect::<Result<Vec<_>, _>>()?;
        let mut found = skilltree::check(&setup.world(), &profile, &paths, &CheckRequest { strict })?;
        found.extend_from_slice(&setup.notes);
        // Where nothing is wrong, there may be nothing.
        let is_silent = paths.is_empty() && found.is_empty();
        let none = if is_silent { nowhere(&setup, &self.catalog(&setup)) } else { String::new() };
        let failed = found.iter().any(|finding| finding.severity == Severity::Error);
        if !self.json {
            let exit = if failed { Exit::No } else { Exit::Answered };
            return Ok(Reply::new(Out::Styled(snippet::blocks(setup.files(), &found))).err(&none).exit(exit));
        }
        let json = Json::map([("findings", report::findings(&setup.fs, &found))]);
        if !failed {
            return Ok(Reply::json(&json).err(&none));
        }
        let failure = Failure::no("check-failed", findings::counted(&found));
        Ok(Reply::json(&failure.join(json)).exit(Exit::No))
    }
}

/// What became of a name, or of a path from the working directory; else of one from the project.
fn outcomes(setup: &Setup, catalog: &Catalog, asked: &str, ask: &PromptRequest) -> Vec<Why> {
    let here = setup.path(asked).ok();
    let here = here.filter(|path| catalog.get(asked).is_none() && matches!(setup.files().metadata(path), Ok(Some(_))));
    let is_path = asked.starts_with('.') || asked.contains(std::path::is_separator);
    let why = |asked: &str| skilltree::why(&setup.world(), catalog, asked, ask);
    match here {
        Some(here) if is_path => why(here.as_str()),
        here => {
            let told = why(asked);
            let here = here.filter(|_| told.is_empty());
            here.map_or(told, |here| why(here.as_str()))
        }
    }
}

//! The commands `why` and `check`.

use crate::output::no_skills::no_skills_message;
use crate::output::{findings, snippet, why};
use crate::reply::{Exit, Failure, Output, Reply, document};
use crate::run::{Answer, Runner};
use crate::setup::{self, Setup};
use crate::{hints, undiscovered};
use skilltree::{Catalog, CheckRequest, Json, PromptRequest, Severity, Why, report};

impl Runner<'_> {
    pub(crate) fn why(self, asked: &str, ask: &PromptRequest) -> Answer {
        let (setup, catalog) = self.discover()?;
        let mut outcomes = outcomes(&setup, &catalog, asked, ask);
        for one in &mut outcomes {
            hints::complete_why(one, &catalog);
        }
        let json = report::why(&setup.fs, asked, &outcomes);
        if outcomes.is_empty() {
            let failure = undiscovered::unknown_skill(&setup, &catalog, asked);
            let out = if self.json { document(&failure.add_to_json(json)) } else { Output::Exact(String::new()) };
            return Ok(Reply { out, ..failure.reply(false) }.with_stderr(&no_skills_message(&setup, &catalog)));
        }
        if self.json {
            return Ok(Reply::json(&json));
        }
        Ok(Reply::new(Output::Styled(why::why(&setup.fs, &outcomes))))
    }

    pub(crate) fn check(self, paths: &[String], strict: bool, profile: Option<&str>) -> Answer {
        let mut setup = Setup::new(self.options)?;
        let profile = match profile {
            Some(name) => setup::dialect(Some(name))?,
            None => setup.dialect.clone(),
        };
        let paths = paths.iter().map(|text| setup.opened(text)).collect::<Result<Vec<_>, _>>()?;
        let mut found = skilltree::check(&setup.world(), &profile, &paths, &CheckRequest { strict })?;
        found.extend_from_slice(&setup.notes);
        // No findings may mean that there are no skills.
        let is_silent = paths.is_empty() && found.is_empty();
        let none = if is_silent { no_skills_message(&setup, &self.catalog(&setup)) } else { String::new() };
        let failed = found.iter().any(|finding| finding.severity == Severity::Error);
        if !self.json {
            let exit = if failed { Exit::Negative } else { Exit::Success };
            return Ok(Reply::new(Output::Styled(snippet::blocks(setup.files(), &found)))
                .with_stderr(&none)
                .with_exit(exit));
        }
        let json = Json::map([("findings", report::findings(&setup.fs, &found))]);
        if !failed {
            return Ok(Reply::json(&json).with_stderr(&none));
        }
        let failure = Failure::negative("check-failed", findings::counted(&found));
        Ok(Reply::json(&failure.add_to_json(json)).with_exit(Exit::Negative))
    }
}

/// The outcomes for a name, or for a path relative to the working directory or else to the project.
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

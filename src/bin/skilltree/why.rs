//! The command `why`.

use crate::output::no_skills::no_skills_message;
use crate::output::why;
use crate::reply::{Output, Reply, document};
use crate::run::{Answer, Runner};
use crate::setup::Setup;
use crate::{hints, undiscovered};
use skilltree::{Catalog, PromptRequest, Why, report};

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

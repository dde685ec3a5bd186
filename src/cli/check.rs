//! The command `check`.

mod format;

use crate::args::NonEmptyText;
use crate::baseline::{BaselineArgs, Checked};
use crate::dialects::Dialects;
use crate::fix::{FixArgs, Fixes};
use crate::hints;
use crate::output::no_skills::no_skills_after_search;
use crate::run::{Answer, Runner, note_line};
use crate::setup::Setup;
use clap::Args;
use format::Format;
use skilltree::{CheckRequest, FsPath, visible};

/// The arguments of `check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// SKILL.md, folder of a skill, tree of folders, `.skill` file or dialect file [default: every source]
    #[arg(value_name = "PATH", value_parser = NonEmptyText::new())]
    paths: Vec<String>,
    /// Also report unknown fields, names that are not ASCII, and files that a reviewer may overlook
    #[arg(long)]
    strict: bool,
    /// Dialect whose rules apply [default: that of --dialect]
    #[arg(long, value_name = "NAME|FILE", value_parser = NonEmptyText::new())]
    profile: Option<String>,
    #[command(flatten)]
    fix: FixArgs,
    /// How to print the findings [default: text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    baseline: BaselineArgs,
}

impl CheckArgs {
    /// Whether `--format` asks for JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Some(Format::Json)
    }

    /// The words of the options that decide what is found.
    fn words(&self) -> Vec<&str> {
        let profile = self.profile.as_deref().into_iter().flat_map(|profile| ["--profile", profile]);
        self.strict.then_some("--strict").into_iter().chain(profile).collect()
    }
}

impl Runner<'_> {
    pub(crate) fn check(self, ask: &CheckArgs) -> Answer {
        let format = Format::chosen(ask.format, self.json)?;
        let mut setup = Setup::new(self.options)?;
        let dialects = Dialects::new(self.options);
        if let Some(name) = ask.profile.as_deref() {
            setup.dialect = dialects.named(Some(name))?.dialect;
        }
        let profile = setup.dialect.clone();
        let (mut found, mut skills, mut none) = (Vec::new(), Vec::new(), String::new());
        let check = CheckRequest { strict: ask.strict };
        for text in &ask.paths {
            match dialects.check(text) {
                Some(of_dialect) => {
                    none.push_str(&note_line(&format!("`{}` was checked as a dialect file", visible(text))));
                    found.extend(of_dialect);
                }
                None => skills.push(setup.opened(text)?),
            }
        }
        let mut fixes = Fixes::default();
        if ask.paths.is_empty() || !skills.is_empty() {
            fixes = ask.fix.apply(&setup, &profile, &mut skills, check)?;
        }
        if !skills.is_empty() {
            found.extend(skilltree::check(&setup.world(), &profile, &skills, &check)?);
        }
        if ask.paths.is_empty() {
            let (catalog, of_sources) = check.check_sources(&setup.world(), &profile);
            found.extend(of_sources);
            hints::complete_nested(&mut found, &setup);
            // No findings may mean that there are no skills.
            if found.is_empty() && setup.notes.is_empty() {
                none = no_skills_after_search(&setup, &catalog);
            }
        }
        found.extend_from_slice(&setup.notes);
        none.push_str(&fixes.notes);
        let paths: Vec<FsPath> = ask.paths.iter().map(|path| setup.path(path)).collect::<Result<_, _>>()?;
        let operands: Vec<&str> = ask.paths.iter().map(String::as_str).collect();
        let checked = Checked { paths: &paths, options: &ask.words(), operands: &operands };
        let compared = ask.baseline.compare(&setup, &checked, found)?;
        let reply = format.reply(&setup, &compared, fixes, self.screen);
        Ok(reply.with_stderr(&none).with_stderr(&compared.note))
    }
}

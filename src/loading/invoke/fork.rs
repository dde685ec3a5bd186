//! [`Fork`]: an invocation that is a task for a separate agent.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{ForkAnswer, ForkRule};
use crate::discovery::world::World;
use crate::fs::Fs;
use crate::loading::load::{Loaded, quoted_names, shown_name};
use crate::model::error::Error;
use crate::model::skill::Skill;
use crate::offer::fill::fill_unescaped;
use crate::package::trust::{SharedAnswer, Trusted, untrusted_reason};
use crate::path::FsPath;
#[cfg(feature = "digest")]
use crate::text::digest::Digest;
use crate::text::json::{Fields, Json};

/// A task for a separate agent, which does not get the history of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fork {
    /// The skill's key.
    pub key: String,
    /// The task.
    pub text: String,
    /// The kind of agent.
    pub agent: Option<String>,
    /// The model to use; `None` for the current one.
    pub model: Option<String>,
    /// The tools that the agent may use; `None` if the skill does not name any.
    pub tools: Option<Vec<String>>,
    /// The permissions that the skill requests for the agent, as tags. The caller holds all of them.
    pub permissions: Vec<String>,
    /// The label of the granted permissions.
    pub granted_by: String,
    /// The tools that the agent must not use, if the skill names any.
    pub disallowed_tools: Option<Vec<String>>,
    /// The reasoning effort of the model, if the skill sets it.
    pub effort: Option<String>,
    /// Whether the conversation continues meanwhile, if the skill sets it.
    pub background: Option<bool>,
    /// The folder that relative paths in the text start from.
    pub dir: FsPath,
    /// What the load tool answers to a call that starts the task.
    pub answer: ForkAnswer,
    /// The findings from loading the skill.
    pub findings: Vec<Diagnostic>,
    /// Whether the task may be given to an agent.
    pub(super) trust: SharedAnswer,
}

impl Fork {
    /// Checks that the task may be given to an agent, which acts on it on the user's machine.
    ///
    /// # Errors
    /// Returns the errors of [`Pending::trusted`](crate::Pending::trusted).
    pub fn trusted(&self) -> Result<(), &Error> {
        self.trust.as_ref().map(|_| ()).map_err(AsRef::as_ref)
    }

    /// The permissions that the agent gets: those that the skill requests if it is trusted, otherwise none.
    pub fn granted(&self) -> &[String] {
        if self.trust.is_ok() { &self.permissions } else { &[] }
    }

    /// A name for the task before a host has started it and named it itself: made of the text, so that the same task has the
    /// same name.
    #[cfg(feature = "digest")]
    pub fn task_id(&self) -> String {
        let digest = Digest::of(format!("{}\n{}", self.key, self.text).as_bytes()).to_string();
        let hex = digest.rsplit(':').next().unwrap_or_default();
        format!("task-{}", hex.get(..16).unwrap_or(hex))
    }

    /// The terms of the task as JSON: the kind of agent, its model, tools and permissions, and who has granted them.
    pub fn terms(&self, fs: &dyn Fs) -> Json {
        let mut fields = Fields::default();
        fields.text("key", &self.key);
        self.add_terms(fs, &mut fields);
        fields.done()
    }

    /// Adds the terms without the key.
    pub(crate) fn add_terms(&self, fs: &dyn Fs, fields: &mut Fields) {
        fields
            .known("agent", self.agent.as_deref())
            .known("model", self.model.as_deref())
            .known_texts("tools", self.tools.as_deref())
            .texts("permissions", self.granted())
            .text("granted_by", &self.granted_by)
            .text("dir", &fs.display(&self.dir))
            .some_texts("disallowed_tools", self.disallowed_tools.as_deref())
            .some_text("effort", self.effort.as_deref())
            .some("background", self.background.map(Json::Bool));
    }

    pub(super) fn new(
        world: &World<'_>,
        rule: &ForkRule,
        skill: &Skill,
        (mut loaded, text): (Loaded, String),
        trust: &mut Trusted,
    ) -> Fork {
        let mut granted_by = String::new();
        let name = shown_name(skill.name.clone());
        fill_unescaped(&rule.label, &[("name", &name)], &mut granted_by);
        let run = loaded.frontmatter.run();
        let trust = trust.ask(world, skill).clone();
        if let Some(refused) = trust.as_ref().err().filter(|_| !run.permissions.is_empty()) {
            let message = format!(
                "the source `{}` is not trusted, so an agent that runs this is not given {}{}",
                skill.source.label,
                quoted_names(&run.permissions),
                untrusted_reason(refused)
            );
            let finding = Diagnostic::new(Severity::Warning, Code::UntrustedGrant, skill.path.clone(), message);
            loaded
                .findings
                .push(finding.help("read the skill, and approve it if you would give an agent these permissions"));
        }
        Fork {
            key: loaded.key,
            text,
            agent: run.agent.clone().or_else(|| rule.agent.as_deref().map(str::to_owned)),
            model: run.model.clone(),
            tools: loaded.tools,
            permissions: run.permissions.clone(),
            granted_by,
            disallowed_tools: loaded.frontmatter.run().disallowed_tools.clone(),
            effort: run.effort.clone(),
            background: run.background,
            dir: loaded.dir,
            answer: rule.answer,
            findings: loaded.findings,
            trust,
        }
    }
}

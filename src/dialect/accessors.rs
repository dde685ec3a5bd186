//! What may be asked of a dialect from outside the library.

use super::{Dialect, Reach, RepeatedLoad};
use crate::model::reading::Reading;
use crate::text::json::Json;
use crate::text::words::nearest;

impl Dialect {
    /// Its name: `claude`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Those of these names of dialects that are spelled nearly like `asked`, the nearest first.
    pub fn similar_names<'n>(asked: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
        nearest(asked, names)
    }

    /// What it is, in one line: `Claude Code: commands named by folder, arguments, …`.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// How files are read, unless the [`World`](crate::World) says otherwise.
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// The folders of an administrator, of which the first that exists is used if the caller names none:
    /// `/etc/claude-code`. They are absolute.
    pub fn managed_folders(&self) -> impl Iterator<Item = &str> {
        self.managed_folders.iter().map(|folder| &**folder)
    }

    /// How many folders below a source the folder of a skill may lie; `None` for any number.
    pub fn scan_depth(&self) -> Option<usize> {
        self.scan.depth
    }

    /// The name of the tool by which a model loads a skill, such as `load_skill`; `None` if there is none.
    pub fn tool_name(&self) -> Option<&str> {
        self.tool.as_ref().map(|tool| &*tool.name)
    }

    /// The name of the tool's argument with the arguments for the skill; `None` if there is none.
    pub fn tool_input(&self) -> Option<&str> {
        let (name, _) = self.tool.as_ref()?.input.as_ref()?;
        Some(name)
    }

    /// The arguments of the tool's call that loads a skill with these arguments; `None` if there is no tool.
    pub fn tool_arguments(&self, key: &str, args: &str) -> Option<Json> {
        let tool = self.tool.as_ref()?;
        let input = self.tool_input().filter(|_| !args.is_empty()).map(|name| (name, Json::from(args)));
        Some(Json::map([(&*tool.argument, Json::from(key))].into_iter().chain(input)))
    }

    /// Whether a skill is loaded with arguments.
    pub fn takes_arguments(&self) -> bool {
        self.load.takes_arguments()
    }

    /// Whether a skill whose text is still in the conversation is loaded as a note that says so.
    pub fn notes_repeated_loads(&self) -> bool {
        self.load.repeated == RepeatedLoad::Note
    }

    /// Whether users invoke skills by commands, such as `/pdf`.
    pub fn has_commands(&self) -> bool {
        self.commands.is_some()
    }

    /// Whether the client has a command of its own of this name.
    pub fn reserves_command(&self, name: &str) -> bool {
        self.commands.as_ref().is_some_and(|rule| rule.reserves(name))
    }

    /// Whether users give states to skills, such as `disable`.
    pub fn has_states(&self) -> bool {
        self.states.is_some()
    }

    /// Whether skills are selected by the user's message.
    pub fn has_selection(&self) -> bool {
        self.selection.is_some()
    }

    /// The folder below the user's folder to which skills are copied before they are used, such as `skills/active`; `None`
    /// if they are used where they lie.
    pub fn activation_folder(&self) -> Option<&str> {
        self.activation.as_ref().map(|rule| &*rule.dir)
    }

    /// The folder in which a file has to be worked on for this skill to be found, which lies below the project; `None` if no
    /// such folder brings it into play. Both paths are relative to the project.
    pub fn nested_folder<'p>(&self, skill: &'p str) -> Option<&'p str> {
        let mut rules = self.sources.iter().filter(|rule| rule.reach == Reach::Below);
        rules.find_map(|rule| {
            let path = format!("{skill}/");
            let (folder, _) = path.split_once(&format!("/{}/", rule.path))?;
            skill.get(..folder.len())
        })
    }

    /// The same dialect with a prompt of names and descriptions alone; `None` if it has no form for that.
    #[must_use]
    pub fn with_metadata_prompt(&self) -> Option<Dialect> {
        Some(Dialect { prompt: self.prompt.of_metadata()?, ..self.clone() })
    }
}

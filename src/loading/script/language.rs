//! The [`Language`] of a file, by its extension.

/// A language that scripts and toolsets are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// Python 3.
    Python,
    /// The language of `sh` and `bash`.
    Shell,
    /// JavaScript.
    JavaScript,
    /// TypeScript, run as it is.
    TypeScript,
    /// The batch files of Windows.
    Batch,
    /// PowerShell.
    PowerShell,
}

impl Language {
    /// The language of a file by what its name ends in, in any letter case.
    ///
    /// ```
    /// use skilltree::loading::Language;
    /// assert_eq!(Language::of("scripts/fill.py"), Some(Language::Python));
    /// assert_eq!(Language::of("scripts/fill"), None);
    /// ```
    pub fn of(file: &str) -> Option<Language> {
        let (stem, ending) = file.rsplit('/').next()?.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            _ if stem.is_empty() => None,
            "py" => Some(Language::Python),
            "sh" | "bash" => Some(Language::Shell),
            "js" | "mjs" | "cjs" => Some(Language::JavaScript),
            "ts" | "mts" | "cts" => Some(Language::TypeScript),
            "bat" | "cmd" => Some(Language::Batch),
            "ps1" => Some(Language::PowerShell),
            _ => None,
        }
    }

    /// Whether a toolset can be written in it: a runtime loads the file as a module.
    pub(crate) fn has_modules(self) -> bool {
        matches!(self, Language::Python | Language::JavaScript | Language::TypeScript)
    }
}

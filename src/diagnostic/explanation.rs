//! [`Explanation`]: the text about a [`Code`](super::Code), taken apart.

/// What a code means, in the parts of its text.
///
/// ```
/// use skilltree::{Code, Explanation};
/// let explained = Explanation::of(Code::NameMismatch.explanation());
/// assert_eq!(explained.summary, "The name does not match the folder name.");
/// assert_eq!(explained.bad.files[0].path, "tea/SKILL.md");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation<'t> {
    /// One sentence that says what the finding means.
    pub summary: &'t str,
    /// The Markdown without the examples. The summary is its first line.
    pub text: &'t str,
    /// An example that has the finding.
    pub bad: Example<'t>,
    /// The same example without the finding.
    pub good: Example<'t>,
}

/// Some files, and the rules by which they are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Example<'t> {
    /// The dialect; `None` for `agentskills`.
    pub dialect: Option<&'t str>,
    /// Whether the check is strict.
    pub strict: bool,
    /// The files.
    pub files: Vec<ExampleFile<'t>>,
}

/// A file of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExampleFile<'t> {
    /// The path below a source, such as `tea/SKILL.md`, or below the project if it begins with a dot, or an absolute path. `link NAME -> TARGET`
    /// is a symlink. Empty if the example shows what a terminal shows and is no file.
    pub path: &'t str,
    /// The contents.
    pub text: &'t str,
}

impl<'t> Explanation<'t> {
    /// Takes the text of a code apart: a summary, paragraphs, and two examples, which begin with the lines `Bad:` and
    /// `Good:` and consist of fenced blocks. The first may name the rules, as in `Bad (sven, strict):`.
    pub fn of(markdown: &'t str) -> Explanation<'t> {
        let (text, examples) = markdown.split_once("\nBad").unwrap_or((markdown, ""));
        let (bad, good) = examples.split_once("\nGood:\n").unwrap_or((examples, ""));
        let (rules, bad) = bad.split_once(":\n").unwrap_or(("", bad));
        let text = text.trim_end();
        let summary = text.split('\n').next().unwrap_or_default();
        let words = || rules.trim_matches([' ', '(', ')']).split(", ").filter(|word| !word.is_empty());
        let example = |blocks| Example {
            dialect: words().find(|word| *word != "strict"),
            strict: words().any(|word| word == "strict"),
            files: files(blocks),
        };
        Explanation { summary, text, bad: example(bad), good: example(good) }
    }
}

impl Example<'_> {
    /// The text of the example: that of a single `tea/SKILL.md`, or each file under a line with its path.
    pub fn text(&self) -> String {
        if let [ExampleFile { path: "tea/SKILL.md" | "", text }] = self.files.as_slice() {
            return (*text).to_owned();
        }
        let mut out = String::new();
        for file in &self.files {
            if !out.is_empty() {
                out.push('\n');
            }
            if !file.path.is_empty() {
                out.push_str(file.path);
                out.push('\n');
            }
            out.push_str(file.text);
        }
        out
    }
}

/// The fenced blocks of a Markdown text. The info string of a block is `text`, a space, and the path.
fn files(mut rest: &str) -> Vec<ExampleFile<'_>> {
    let mut files = Vec::new();
    while let Some(start) = rest.find("```") {
        let block = rest.get(start..).unwrap_or_default();
        let (opening, contents) = block.split_once('\n').unwrap_or((block, ""));
        let info = opening.trim_start_matches('`');
        let fence = opening.strip_suffix(info).unwrap_or("```");
        let end =
            if contents.starts_with(fence) { 0 } else { contents.find(&format!("\n{fence}")).map_or(0, |at| at + 1) };
        let (text, after) = contents.split_at_checked(end).unwrap_or((contents, ""));
        files.push(ExampleFile { path: info.strip_prefix("text ").unwrap_or_default(), text });
        rest = after.strip_prefix(fence).unwrap_or_default();
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let text = "It is odd.\n\nWhy. Bad: no.\n\nTo fix it, mend it.\n\nBad (sven, strict):\n\n```text a/SKILL.md\n---\nx\n```\n\n\
                    ````text link b -> a\n````\n\nGood:\n\n````text a/SKILL.md\n```\n\n````\n";
        let got = Explanation::of(text);
        assert_eq!(got.summary, "It is odd.");
        assert_eq!(got.text, "It is odd.\n\nWhy. Bad: no.\n\nTo fix it, mend it.");
        assert_eq!((got.bad.dialect, got.bad.strict), (Some("sven"), true));
        let file = |path, text| ExampleFile { path, text };
        assert_eq!(got.bad.files, [file("a/SKILL.md", "---\nx\n"), file("link b -> a", "")]);
        assert_eq!(got.good.files, [file("a/SKILL.md", "```\n\n")]);
        assert_eq!(got.bad.text(), "a/SKILL.md\n---\nx\n\nlink b -> a\n");
    }

    #[test]
    fn a_text_without_examples() {
        let got = Explanation::of("One.\n\nTwo.\n");
        assert_eq!((got.summary, got.text), ("One.", "One.\n\nTwo."));
        assert_eq!((got.bad.files.len(), got.good.text()), (0, String::new()));
    }

    #[test]
    fn a_block_that_is_not_closed() {
        let got = Explanation::of("One.\n\nBad:\n\n```text a\nx\n");
        assert_eq!(got.bad.files.len(), 1);
    }
}

//! The part of a dialect that says how a client reads the frontmatter of a SKILL.md, its faults included. These rules
//! count if a dialect reads as the client does ([`Reading::Faithful`](super::Reading::Faithful)); otherwise files are
//! repaired, and only the limits are checked. `discovery::manifest` applies them.

use super::file::macros::described;
use super::{FieldRole, Whitespace};

described! {
/// How a client reads the frontmatter of a SKILL.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderRule {
    /// Whether the file may begin with a byte order mark: `Permitted::No`.
    pub(crate) byte_order_mark: Permitted,
    /// Whether there may be blank lines before the opening fence: `Permitted::No`.
    pub(crate) blank_lines_before: Permitted,
    /// The `---` that opens the frontmatter.
    pub(crate) opening: Fence,
    /// The `---` that closes the frontmatter.
    pub(crate) closing: Fence,
    /// Whether it need not be closed: `Permitted::Yes` takes the whole rest of the file for frontmatter then, and the body is
    /// empty. Otherwise the file counts as one without frontmatter.
    pub(crate) unclosed: Permitted,
    /// What is done if the frontmatter is not valid YAML: `InvalidYaml::Skip`.
    pub(crate) invalid_yaml: InvalidYaml,
    /// Whether two fields may have the same key, of which the first counts: `Permitted::No`. A frontmatter that has such
    /// fields although it may not is not valid YAML.
    pub(crate) duplicate_keys: Permitted,
    /// What is done with white space in the name and the description: `Whitespace::Fold`.
    pub(crate) whitespace: Whitespace,
    /// Whether the name and the description may be other scalars than strings: `Permitted::No` refuses the file with
    /// `name: 123`.
    pub(crate) other_scalars: Permitted,
    /// Whether the field [`Metadata`](FieldRole::Metadata) may be something else than a map: `Permitted::No`. A client
    /// that does not permit this has fixed types, so that a file whose name or description is a list or a map is no skill.
    pub(crate) other_metadata: Permitted,
    /// Whether a flag may be something else than `true` and `false` in lower case: `yes`, `no`, `on`, `off`, `1` and `0`, and
    /// each in any letter case. What is no flag counts as absent.
    pub(crate) other_flags: Permitted,
    /// Whether a name or a description that is written as null is a text: `null` is the text `null`. A value that is left out
    /// is an empty text.
    #[default = "no"]
    pub(crate) null_is_text: Permitted,
    /// Whether a value may have a tag that YAML does not know, such as `!mine`: `Permitted::No` makes it invalid YAML.
    #[default = "yes"]
    pub(crate) unknown_tags: Permitted,
    /// What is done with tags in a description, such as `<b>`: `Markup::Kept`.
    #[default = "kept"]
    pub(crate) markup: Markup,
}

/// What is done with tags in a text: a `<` and what follows it up to the next `>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    /// They are kept.
    Kept,
    /// They are removed.
    Removed,
}

/// Whether something is permitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permitted {
    /// It is permitted.
    Yes,
    /// It is not permitted.
    No,
}

/// A fence of a frontmatter: `---`, and what may stand beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// What may stand before it on its line: `Beside::Nothing`.
    pub(crate) before: Beside,
    /// What may follow it on its line: `Beside::Blanks`.
    pub(crate) after: Beside,
}

/// What may stand beside a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// Nothing.
    Nothing,
    /// White space.
    Blanks,
    /// Any text. Before an opening fence there may be whole lines of it, and the frontmatter begins right behind the fence. A
    /// fence without text before it has no fourth dash. Behind a closing fence it is the beginning of the body.
    Text,
    /// Any text, but if there is some behind a closing fence, the body is empty.
    Dropped,
}

/// What is done with a frontmatter that is not valid YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvalidYaml {
    /// The file is not a skill.
    Skip,
    /// Values with a colon are read as with `InvalidYaml::QuoteColons`. If that does not help, the skill has no fields.
    Empty,
    /// Values that YAML misreads are put in quotes, whatever their keys. If that does not help, the file is not a skill.
    Quote,
    /// Values with a colon are read as text where the key consists of ASCII letters, digits and `_` and is not indented.
    /// If that does not help, the file is not a skill.
    QuoteColons,
    /// The lines that begin with the keys of the name and the description are read by themselves, at any indentation,
    /// with quotes and comments as parts of the value; indented lines continue a description. The last of several lines
    /// with one key counts. So are frontmatters read whose name or description is not a string. If one of the two is not
    /// found, the file is not a skill.
    Lines,
    /// Each line `key: value` at the left margin is read by itself, with the indented lines below it; lines that are no
    /// field are passed over. A list or mapping where text is due counts as absent.
    Tolerant,
}

/// The greatest length of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    /// The field: `FieldRole::Name`, `FieldRole::Description`, `FieldRole::Compatibility` or `FieldRole::Brief`. Limits of
    /// other fields are not checked.
    pub(crate) role: FieldRole,
    /// How many characters it may have: 64.
    pub(crate) max_chars: usize,
    /// What the skill system does with a longer text: `OverLimit::Skip`. It counts only if the dialect reads as the
    /// client does; otherwise a longer text is reported and kept.
    #[default = "keep"]
    pub(crate) over: OverLimit,
}

/// What a skill system does with a text that is longer than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverLimit {
    /// It is kept.
    Keep,
    /// It is cut to the limit, which then counts UTF-16 code units.
    Cut,
    /// The file is not a skill.
    Skip,
}
}

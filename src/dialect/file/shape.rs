//! What the definitions of a dialect's types say about their file format ([`Shape`]), and the values of these types
//! without their types ([`Data`]). Reading, printing and the schema are functions over both, so that nothing but the
//! conversion is compiled for each type.

use crate::diagnostic::Code;
use crate::model::reading::Reading;
use crate::model::skill::{Origin, State};
use crate::text::template::Template;
use std::borrow::Cow;

/// A text of a dialect.
pub(crate) type Text = Cow<'static, str>;

/// The form that a value has in a file.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Any scalar.
    Text,
    /// A text that is a valid [`Template`].
    Template,
    /// A whole number.
    Number,
    /// The name of a [`Code`].
    Code,
    /// A list of such values.
    List(&'static Shape),
    /// Such a value, or null.
    Optional(&'static Shape),
    /// A map of these parts.
    Struct { name: &'static str, docs: Docs, fields: &'static [FieldShape] },
    /// One of several words; one with a value is the only key of a map.
    Enum { name: &'static str, docs: Docs, variants: &'static [VariantShape] },
}

/// The lines of a doc comment; empty for other attributes.
pub(crate) type Docs = &'static [&'static str];

/// A part of a map.
#[derive(Debug)]
pub(crate) struct FieldShape {
    pub(crate) name: &'static str,
    pub(crate) docs: Docs,
    /// The word that is the value if a row of a list leaves it out, if there is one.
    pub(crate) default: &'static [&'static str],
    pub(crate) shape: &'static Shape,
}

impl FieldShape {
    /// The value if neither the file nor its base gives one.
    pub(crate) fn default_value(&self) -> Option<Data> {
        match (self.shape, self.default) {
            (Shape::Optional(_), _) => Some(Data::Null),
            (Shape::Enum { variants, .. }, [word]) => {
                let variant = variants.iter().find(|variant| variant.is_unit() && variant.word() == *word)?;
                Some(Data::Variant(variant.name, Vec::new()))
            }
            _ => None,
        }
    }
}

/// A word of an enum.
#[derive(Debug)]
pub(crate) struct VariantShape {
    /// The name of the variant in Rust.
    pub(crate) name: &'static str,
    pub(crate) docs: Docs,
    /// The one value that the variant has, if it has one without a name.
    pub(crate) value: &'static [&'static Shape],
    /// The values with names.
    pub(crate) fields: &'static [FieldShape],
}

impl VariantShape {
    /// The word in a file: `lower-hyphen` for `LowerHyphen`.
    pub(crate) fn word(&self) -> String {
        kebab(self.name)
    }

    /// Whether it is a word by itself.
    pub(crate) fn is_unit(&self) -> bool {
        self.value.is_empty() && self.fields.is_empty()
    }
}

/// A name in kebab case: `lower-hyphen` for `LowerHyphen`.
pub(crate) fn kebab(name: &str) -> String {
    let mut word = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !word.is_empty() {
            word.push('-');
        }
        word.push(c.to_ascii_lowercase());
    }
    word
}

/// A value of the form that its [`Shape`] describes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    Null,
    Number(u64),
    Text(Text),
    List(Vec<Data>),
    /// The fields of a struct, in the order of its definition.
    Parts(Vec<Data>),
    /// The name of the variant in Rust, and its values in the order of its definition.
    Variant(&'static str, Vec<Data>),
}

impl Data {
    pub(crate) fn into_parts(self) -> Option<std::vec::IntoIter<Data>> {
        if let Data::Parts(parts) = self { Some(parts.into_iter()) } else { None }
    }

    pub(crate) fn into_variant(self) -> Option<(&'static str, std::vec::IntoIter<Data>)> {
        if let Data::Variant(name, values) = self { Some((name, values.into_iter())) } else { None }
    }
}

/// A type whose values can be written in a file.
pub(crate) trait Described: Sized {
    const SHAPE: &'static Shape;

    /// The value of this data; `None` if the data does not have the form of [`Described::SHAPE`].
    fn from_data(data: Data) -> Option<Self>;

    fn to_data(&self) -> Data;
}

impl Described for Text {
    const SHAPE: &'static Shape = &Shape::Text;

    fn from_data(data: Data) -> Option<Self> {
        if let Data::Text(text) = data { Some(text) } else { None }
    }

    fn to_data(&self) -> Data {
        Data::Text(self.clone())
    }
}

impl Described for Template {
    const SHAPE: &'static Shape = &Shape::Template;

    fn from_data(data: Data) -> Option<Self> {
        if let Data::Text(text) = data { Template::parse(&text).ok() } else { None }
    }

    fn to_data(&self) -> Data {
        Data::Text(Cow::Owned(self.source().to_owned()))
    }
}

impl Described for u64 {
    const SHAPE: &'static Shape = &Shape::Number;

    fn from_data(data: Data) -> Option<Self> {
        if let Data::Number(number) = data { Some(number) } else { None }
    }

    fn to_data(&self) -> Data {
        Data::Number(*self)
    }
}

impl Described for usize {
    const SHAPE: &'static Shape = &Shape::Number;

    fn from_data(data: Data) -> Option<Self> {
        u64::from_data(data).and_then(|number| usize::try_from(number).ok())
    }

    fn to_data(&self) -> Data {
        Data::Number(*self as u64)
    }
}

impl Described for Code {
    const SHAPE: &'static Shape = &Shape::Code;

    fn from_data(data: Data) -> Option<Self> {
        if let Data::Text(name) = data { Code::named(&name) } else { None }
    }

    fn to_data(&self) -> Data {
        Data::Text(Cow::Borrowed(self.as_str()))
    }
}

impl<T: Described> Described for Option<T> {
    const SHAPE: &'static Shape = &Shape::Optional(T::SHAPE);

    fn from_data(data: Data) -> Option<Self> {
        if data == Data::Null { Some(None) } else { T::from_data(data).map(Some) }
    }

    fn to_data(&self) -> Data {
        self.as_ref().map_or(Data::Null, T::to_data)
    }
}

impl<T: Described + Clone> Described for Cow<'static, [T]> {
    const SHAPE: &'static Shape = &Shape::List(T::SHAPE);

    fn from_data(data: Data) -> Option<Self> {
        let Data::List(items) = data else { return None };
        items.into_iter().map(T::from_data).collect::<Option<Vec<T>>>().map(Cow::Owned)
    }

    fn to_data(&self) -> Data {
        Data::List(self.iter().map(T::to_data).collect())
    }
}

/// Describes an enum that another layer defines.
macro_rules! words {
    ($type:ident, $doc:literal, $($variant:ident: $variant_doc:literal),*) => {
        impl Described for $type {
            const SHAPE: &'static Shape = &Shape::Enum {
                name: stringify!($type),
                docs: &[$doc],
                variants: &[$(VariantShape {
                    name: stringify!($variant),
                    docs: &[$variant_doc],
                    value: &[],
                    fields: &[],
                }),*],
            };

            fn from_data(data: Data) -> Option<Self> {
                match data {
                    $(Data::Variant(name, _) if name == stringify!($variant) => Some($type::$variant),)*
                    _ => None,
                }
            }

            fn to_data(&self) -> Data {
                match self { $($type::$variant => Data::Variant(stringify!($variant), Vec::new()),)* }
            }
        }
    };
}

words!(
    State, "Whether a skill is switched on.",
    Disabled: "Off: nobody sees or calls the skill.",
    Enabled: "On for the user only.",
    Active: "On for the user and the model."
);
words!(
    Reading, "How files are read.",
    Repaired: "Files are read as their authors meant them, with findings that say how to correct them.",
    Faithful: "Nothing is read that the client would not read, by the rules in `header`."
);
words!(
    Origin, "Who the skills of a source come from.",
    User: "The user.",
    Project: "The project: they come with its repository, and are not trusted by themselves.",
    Bundled: "The agent: they ship with it.",
    Plugin: "A plugin.",
    Extra: "The caller, who names the folder as a search root."
);

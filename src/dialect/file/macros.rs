//! The macro that derives the file format of a type from its definition.

/// Defines structs and enums as they are written, and implements [`Described`](super::shape::Described) for each: the
/// keys of the file are the names of the fields, its words those of the variants, and its descriptions the doc
/// comments. A list may leave out a field with `#[default = "word"]` in its rows. Other items are passed through.
macro_rules! described {
    () => {};
    (
        $(#[$($attribute:tt)*])*
        $visible:vis struct $name:ident {
            $($(#[doc = $doc:literal])* $(#[default = $default:literal])? pub(crate) $field:ident: $type:ty),* $(,)?
        }
        $($rest:tt)*
    ) => {
        $(#[$($attribute)*])*
        $visible struct $name {
            $($(#[doc = $doc])* pub(crate) $field: $type),*
        }

        const _: () = {
            use $crate::dialect::file::{macros, shape::*};

            impl Described for $name {
                const SHAPE: &'static Shape = &Shape::Struct {
                    name: stringify!($name),
                    docs: macros::docs!($([$($attribute)*])*),
                    fields: macros::fields!($([$($doc)*] [$($default)?] $field: $type;)*),
                };

                fn from_data(data: Data) -> Option<Self> {
                    let mut parts = data.into_parts()?;
                    Some(Self { $($field: Described::from_data(parts.next()?)?),* })
                }

                fn to_data(&self) -> Data {
                    Data::Parts(vec![$(Described::to_data(&self.$field)),*])
                }
            }
        };

        described! { $($rest)* }
    };
    (
        $(#[$($attribute:tt)*])*
        $visible:vis enum $name:ident {
            $(
                $(#[doc = $doc:literal])*
                $variant:ident
                $(($value:ty))?
                $({ $($(#[doc = $note:literal])* $field:ident: $type:ty),* $(,)? })?
            ),* $(,)?
        }
        $($rest:tt)*
    ) => {
        $(#[$($attribute)*])*
        $visible enum $name {
            $(
                $(#[doc = $doc])*
                $variant
                $(($value))?
                $({ $($(#[doc = $note])* $field: $type),* })?
            ),*
        }

        const _: () = {
            use $crate::dialect::file::{macros, shape::*};

            impl Described for $name {
                const SHAPE: &'static Shape = &Shape::Enum {
                    name: stringify!($name),
                    docs: macros::docs!($([$($attribute)*])*),
                    variants: &[$(VariantShape {
                        name: stringify!($variant),
                        docs: &[$($doc),*],
                        value: &[$(<$value as Described>::SHAPE)?],
                        fields: macros::fields!($($([$($note)*] [] $field: $type;)*)?),
                    }),*],
                };

                #[allow(unused_mut, unused_variables, reason = "a word without a value has no parts")]
                fn from_data(data: Data) -> Option<Self> {
                    let (name, mut parts) = data.into_variant()?;
                    // In braces, `0` is the field of a variant with one value.
                    $(if name == stringify!($variant) {
                        return Some(Self::$variant {
                            $(0: <$value as Described>::from_data(parts.next()?)?)?
                            $($($field: Described::from_data(parts.next()?)?),*)?
                        });
                    })*
                    None
                }

                fn to_data(&self) -> Data {
                    match self {
                        $(Self::$variant {
                            $(0: macros::first!(value $value))?
                            $($($field),*)?
                        } => Data::Variant(stringify!($variant), vec![
                            $(<$value as Described>::to_data(value))?
                            $($(Described::to_data($field)),*)?
                        ]),)*
                    }
                }
            }
        };

        described! { $($rest)* }
    };
    ($item:item $($rest:tt)*) => {
        $item
        described! { $($rest)* }
    };
}

/// The lines of the doc comments among the attributes of a type.
macro_rules! docs {
    ($([$($attribute:tt)*])*) => { &[$(macros::doc_text!($($attribute)*)),*] };
}

/// The line of a doc comment; empty for another attribute.
macro_rules! doc_text {
    (doc = $text:expr) => {
        $text
    };
    ($($other:tt)*) => {
        ""
    };
}

/// The descriptions of fields.
macro_rules! fields {
    ($([$($doc:literal)*] [$($default:literal)?] $field:ident: $type:ty;)*) => {
        &[$(FieldShape {
            name: stringify!($field),
            docs: &[$($doc),*],
            default: &[$($default)?],
            shape: <$type as Described>::SHAPE,
        }),*]
    };
}

/// The first of two: the name that a value is bound to.
macro_rules! first {
    ($name:ident $type:ty) => {
        $name
    };
}

pub(crate) use {described, doc_text, docs, fields, first};

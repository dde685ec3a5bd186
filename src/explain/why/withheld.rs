//! Why a skill is withheld here although its client offers it (rule 9.13).

use crate::dialect::{Dialect, FieldRole, Reading};
use crate::model::skill::{Audience, Skill};
use crate::text::list::quoted;

/// The end of a message: from whom a skill is withheld, and by which fields; `None` if it is not.
pub(super) fn reason(dialect: &Dialect, skill: &Skill) -> Option<String> {
    let from = match skill.withheld_from() {
        Audience { model: false, user: false } => return None,
        Audience { model: true, user: false } => "from the model",
        Audience { model: false, user: true } => "from the user",
        Audience { model: true, user: true } => "from the model and the user",
    };
    let (own, read) = (&skill.frontmatter, &skill.as_read().frontmatter);
    let is_for_model = own.not_for_model && !read.not_for_model;
    let restrictions = [
        (FieldRole::NotForModel, is_for_model),
        (FieldRole::ForModel, is_for_model),
        (FieldRole::ForUser, own.not_for_user && !read.not_for_user),
        (FieldRole::DefaultEnabled, own.triggers().default_enabled != read.triggers().default_enabled),
        (FieldRole::Paths, own.run().paths != read.run().paths),
    ];
    let fields = restrictions.iter().filter(|(_, is_new)| *is_new).filter_map(|(role, _)| dialect.path_of(role));
    let fields = quoted(&fields.collect::<Vec<_>>(), " and ");
    let how = match dialect.reading {
        Reading::Faithful => "as its author meant it",
        Reading::Repaired => "as the client itself reads it",
    };
    Some(format!("; it is withheld {from} here, because {fields} restricts it if the file is read {how}"))
}

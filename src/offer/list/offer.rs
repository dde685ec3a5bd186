//! Which skills a model is offered, in the order of the list.

use crate::discovery::catalog::Catalog;
use crate::discovery::order::{compare, lowest};
use crate::model::skill::{Caller, Skill};
use crate::text::order::sort_by;

/// The skills that the model may see: pinned ones first (rule 11.2), otherwise in the order of the rows.
pub(crate) fn offered(catalog: &Catalog) -> Vec<&Skill> {
    let mut skills: Vec<&Skill> = catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model)).collect();
    if let Some(order) = &catalog.dialect().prompt.order {
        let lowest = lowest(order, catalog.shadowed());
        sort_by(&mut skills, |a, b| compare(order, &lowest, a, b));
    }
    // The sort keeps the order among equals.
    sort_by(&mut skills, |a, b| b.is_pinned().cmp(&a.is_pinned()));
    skills
}

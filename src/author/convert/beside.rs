//! The second file of fields, beside the SKILL.md (rule 6.20): what that of the source says is written elsewhere, and the
//! target may want a new one.

use super::fields::{Translation, flag};
use super::roles::purpose;
use crate::dialect::FieldRole;
use crate::package::CopyFile;

impl Translation<'_, '_> {
    /// Whether the target has a field with this role, or its opposite, in its second file.
    pub(super) fn has_in_sidecar(&self, role: &FieldRole) -> bool {
        let is_it =
            |other: &FieldRole| other == role || matches!((role, other), (FieldRole::NotForModel, FieldRole::ForModel));
        self.to.sidecar.iter().any(|rule| rule.fields.iter().any(|field| is_it(&field.role)))
    }

    /// The second file of fields for the target, and what that of the source says and the target cannot.
    pub(super) fn sidecar(&mut self, copied: &[CopyFile]) -> Option<(String, String)> {
        let original = self.original;
        let (own, all) = (&original.own, &original.frontmatter);
        let is_same_file = self.to.sidecar == self.from.sidecar;
        if own != all && !is_same_file {
            let file = self.from.sidecar.as_ref().map_or("", |rule| rule.path.as_ref()).to_owned();
            if all.needs().is_for_other_products {
                self.lose(&file, format!("`{}` has no field for the products that a skill is for", self.to.name));
            }
            if all.not_for_model && !own.not_for_model {
                let not_for_model = self.to.path_of(&FieldRole::NotForModel).map(str::to_owned);
                let for_model = self.to.path_of(&FieldRole::ForModel).map(str::to_owned);
                match (not_for_model, for_model) {
                    (Some(path), _) => self.set(&path, flag(true), None),
                    (None, Some(path)) => self.set(&path, flag(false), None),
                    (None, None) if self.has_in_sidecar(&FieldRole::ForModel) => {}
                    (None, None) => {
                        let purpose = purpose(&FieldRole::ForModel);
                        self.lose(&file, format!("`{}` has no field for {purpose}", self.to.name));
                    }
                }
            }
        }
        let rule = self.to.sidecar.as_ref().filter(|_| all.not_for_model)?;
        let has_own_field =
            [FieldRole::NotForModel, FieldRole::ForModel].iter().any(|role| self.to.path_of(role).is_some());
        let field = rule.fields.iter().find(|field| field.role == FieldRole::ForModel).filter(|_| !has_own_field)?;
        if copied.iter().any(|file| file.to == rule.path) {
            // The file says it already.
            if is_same_file && !own.not_for_model {
                return None;
            }
            let reason = format!("the file exists, so `{}: false` could not be written to it", field.path);
            self.lose(&rule.path.clone(), reason);
            return None;
        }
        let text = match field.path.split_once('.') {
            Some((outer, inner)) => format!("{outer}:\n  {inner}: false\n"),
            None => format!("{}: false\n", field.path),
        };
        Some((rule.path.to_string(), text))
    }
}

//! Reports where a project's settings take back what the user's have switched off.

use super::{Entry, Found, Json, Reader, Settings, Visibility, quote};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::escape::visible;
use std::collections::HashSet;

impl Reader<'_> {
    /// Whether this file of the project takes back what a file of the user has switched off.
    pub(super) fn undoes(&self, old: Option<&Entry>, now: Visibility) -> bool {
        old.is_some_and(|old| self.set_by < old.set_by && now < old.decision.visibility)
    }

    /// Reports that a setting of the project takes back what the user has switched off.
    pub(super) fn report_undone(&self, line: usize, found: &Found<'_>, what: &str, findings: &mut Vec<Diagnostic>) {
        let message = format!(
            "the project's setting `{}` switches on {what}, which the user's settings switch off; `{}` permits that",
            found.name,
            visible(&self.dialect.name)
        );
        self.report(line, Code::SettingUndone, message, findings);
    }

    /// Reports the first pattern for which the project allows what the user has denied. Patterns are compared as they are
    /// written.
    pub(super) fn report_allowed(
        &self,
        found: &Found<'_>,
        fields: &[(String, Json)],
        settings: &Settings,
        findings: &mut Vec<Diagnostic>,
    ) {
        let of_user = settings.permissions.iter().filter(|(_, entry)| self.undoes(Some(entry), Visibility::Full));
        let denied: HashSet<&str> = of_user.map(|(pattern, _)| pattern).collect();
        let is_allowed = |value: &Json| matches!(value.as_text(), Some("allow" | "ask"));
        let is_undone = |pattern: &str| denied.contains(pattern) || denied.contains("*") || pattern == "*";
        let undone = fields.iter().find(|(pattern, value)| is_allowed(value) && is_undone(pattern));
        if let Some((pattern, _)) = undone.filter(|_| !denied.is_empty()) {
            self.report_undone(found.line_of(pattern), found, &format!("`{}`", quote(pattern)), findings);
        }
    }
}

//! Reads the values of one settings file, each by its role. A value of a wrong type is reported and ignored; one that is
//! meant to restrict, and is not understood, restricts.

use super::{Ban, Entry, Folder, SetBy, SettingPlace, Settings, SwitchedSkills};
use crate::diagnostic::{Code, Diagnostic, Position, Severity};
use crate::dialect::{Dialect, Setting, SettingRole};
use crate::discovery::world::World;
use crate::model::skill::Visibility;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::glob::matches_name;
use crate::text::json::{Json, Lines, lines};
use crate::text::lower::lower;
use crate::text::words::excerpt;
use std::collections::{HashMap, HashSet};

/// How many patterns of permissions all files may have together, as each is compared with each skill.
const MAX_PATTERNS: usize = 10_000;

const MAX_PATTERN_BYTES: usize = 256;

/// The largest number of tokens that a setting gives to the list.
const MAX_LIST_TOKENS: usize = 10_000;

const MAX_QUOTED: usize = 60;

pub(super) struct Reader<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) dialect: &'a Dialect,
    /// The tool whose permission rules are about skills.
    pub(super) tool: Option<&'a str>,
    pub(super) path: &'a FsPath,
    pub(super) text: &'a str,
    pub(super) set_by: SetBy,
}

/// A value that is read, with its place.
struct Found<'v> {
    value: &'v Json,
    /// The key, for messages: `permissions.deny`.
    name: String,
    lines: &'v Lines,
    /// The lines of the entries of a map. If one occurs twice, the last one counts.
    lines_by_key: HashMap<&'v str, usize>,
}

impl<'v> Found<'v> {
    fn new(value: &'v Json, name: String, lines: &'v Lines) -> Found<'v> {
        let lines_by_key = lines.within.iter().map(|(key, line)| (key.as_str(), *line)).collect();
        Found { value, name, lines, lines_by_key }
    }

    fn line_of(&self, key: &str) -> usize {
        self.lines_by_key.get(key).copied().unwrap_or(self.lines.own)
    }

    fn line_at(&self, at: usize) -> usize {
        self.lines.within.get(at).map_or(self.lines.own, |(_, line)| *line)
    }
}

impl Reader<'_> {
    /// Reads one setting, if the file has it.
    pub(super) fn read(&self, json: &Json, setting: &Setting, settings: &mut Settings, findings: &mut Vec<Diagnostic>) {
        let key = setting.key.replace("\\.", ".");
        let path: Vec<&str> = key.split('/').collect();
        let mut value = json;
        for (depth, key) in path.iter().enumerate() {
            match value {
                // A permission may be that of several tools, and the last one counts.
                Json::Map(fields) if setting.role == SettingRole::Permission && depth + 1 == path.len() => {
                    let (of_tool, of_all) = (lines(self.text, &path), lines(self.text, &path[..depth]));
                    let all = Found::new(value, String::new(), &of_all);
                    for (tools, value) in fields.iter().filter(|(tools, _)| matches_name(tools, key)) {
                        // All skills are denied then, and each further permission would be compared with all of these.
                        if MAX_PATTERNS < settings.permissions.len() {
                            break;
                        }
                        let of_some = Lines { own: all.line_of(tools), within: Vec::new() };
                        let lines = if tools == key { &of_tool } else { &of_some };
                        let name = [&path[..depth], &[tools]].concat().join(".");
                        self.take(setting.role, &Found::new(value, name, lines), settings, findings);
                    }
                    return;
                }
                Json::Map(_) => match value.get(key) {
                    Some(inner) => value = inner,
                    None => return,
                },
                // One word may stand for all permissions.
                Json::Text(_) if setting.role == SettingRole::Permission => break,
                _ => {
                    let name = path.get(..depth).unwrap_or_default().join(".");
                    let what = if name.is_empty() { "the file".to_owned() } else { format!("the setting `{name}`") };
                    let line = lines(self.text, path.get(..depth).unwrap_or_default()).own;
                    return self.report(
                        line,
                        Code::WrongType,
                        format!("{what} is {}, expected a map", kind(value)),
                        findings,
                    );
                }
            }
        }
        let lines = lines(self.text, &path);
        self.take(setting.role, &Found::new(value, path.join("."), &lines), settings, findings);
    }

    fn take(&self, role: SettingRole, found: &Found<'_>, settings: &mut Settings, findings: &mut Vec<Diagnostic>) {
        let own = found.lines.own;
        match (role, found.value) {
            (SettingRole::Enabled, Json::Bool(is_on)) => {
                let is_kept = settings.all.as_ref().is_some_and(Entry::is_managed);
                let off = Entry::new(self, own, Visibility::Off, switched_off(&found.name));
                if !is_kept {
                    let old = std::mem::replace(&mut settings.all, (!is_on).then_some(off));
                    if *is_on && self.undoes(old.as_ref(), Visibility::Full) {
                        self.report_undone(own, found, "all skills", findings);
                    }
                }
            }
            (SettingRole::Enabled, Json::Text(word)) if word.trim().eq_ignore_ascii_case("false") => {
                self.wrong_type(found, "true or false; false is used", findings);
                let off = Entry::new(self, own, Visibility::Off, switched_off(&found.name));
                settings.all = settings.all.take().filter(Entry::is_managed).or(Some(off));
            }
            (SettingRole::PluginsOnly, value @ (Json::Bool(_) | Json::List(_))) => {
                let is_on = match value {
                    Json::List(items) => items.iter().any(|item| item.as_text() == Some("skills")),
                    value => *value == Json::Bool(true),
                };
                let off = Entry::new(self, own, Visibility::Off, switched_off(&found.name));
                let is_managed = self.set_by == SetBy::Administrator;
                settings.standalone = settings.standalone.take().or((is_on && is_managed).then_some(off));
            }
            (SettingRole::PluginSwitches, Json::Map(fields)) => {
                let message = format!("switched off, as the setting `{}` does not switch its plugin on", found.name);
                let unnamed = Entry::new(self, own, Visibility::Off, message);
                settings.plugin_switches.entry(String::new()).or_insert(unnamed);
                for (id, value) in fields {
                    let is_on = *value == Json::Bool(true);
                    let (visibility, message) = if is_on {
                        (Visibility::Full, String::new())
                    } else {
                        (Visibility::Off, switched_off(&found.name))
                    };
                    let entry = Entry::new(self, found.line_of(id), visibility, message);
                    let switches = &mut settings.plugin_switches;
                    // What an administrator has switched off stays so, as their file is read last.
                    let old = switches.insert(id.clone(), entry);
                    if self.undoes(old.as_ref(), visibility) {
                        self.report_undone(found.line_of(id), found, &format!("`{}`", quote(id)), findings);
                    }
                }
            }
            (SettingRole::NoCommands, value) => {
                if !matches!(value, Json::Bool(_)) {
                    self.wrong_type(found, "true or false; true is used", findings);
                }
                let is_lifted = *value == Json::Bool(false);
                let is_set = settings.set_ban(if is_lifted { Ban::Lifted } else { Ban::Banned }, self.set_by);
                if !is_set && self.set_by == SetBy::Project {
                    let message = format!(
                        "the project's setting `{}` does not lift the ban of commands in the user's or an \
                         administrator's settings",
                        found.name
                    );
                    self.report(own, Code::SettingUndone, message, findings);
                }
            }
            (SettingRole::Folders | SettingRole::HighestFolders, Json::List(items)) => {
                if role == SettingRole::HighestFolders {
                    settings.folders.clear();
                }
                let texts = self.texts(found, items, findings);
                settings.folders.extend(texts.iter().map(|(text, line)| self.folder(text, found, *line)));
            }
            (SettingRole::FolderSwitches, Json::Map(fields)) => {
                let set: HashSet<&str> = fields
                    .iter()
                    .filter(|(_, value)| matches!(value, Json::Bool(_)))
                    .map(|(text, _)| text.as_str())
                    .collect();
                let of_user = settings.switches.iter().filter(|(folder, is_on)| folder.named_at.is_none() && !is_on);
                let of_user = of_user.filter(|_| self.set_by == SetBy::Project);
                let off: HashSet<String> = of_user.map(|(folder, _)| folder.text.clone()).collect();
                settings.switches.retain(|(known, _)| !set.contains(known.text.as_str()));
                for (text, value) in fields {
                    let Json::Bool(is_on) = value else {
                        let message =
                            format!("`{}` in `{}` is {}, expected true or false", quote(text), found.name, kind(value));
                        self.report(found.line_of(text), Code::WrongType, message, findings);
                        continue;
                    };
                    if *is_on && off.contains(text) {
                        self.report_undone(found.line_of(text), found, &format!("`{}`", quote(text)), findings);
                    }
                    settings.switches.push((self.folder(text, found, found.line_of(text)), *is_on));
                }
            }
            (SettingRole::Disabled, Json::List(items)) => {
                for (name, line) in self.texts(found, items, findings) {
                    self.disabled(found, name, line, settings, findings);
                }
            }
            // One name in place of a list restricts as well.
            (SettingRole::Disabled, Json::Text(name)) => {
                self.wrong_type(found, "a list of texts; it is used as one", findings);
                self.disabled(found, name, own, settings, findings);
            }
            (SettingRole::Switches, Json::List(items)) => {
                for item in items {
                    if let Some((skills, entry)) = self.switch(found, item, findings) {
                        settings.skill_switches.add(skills, entry);
                    }
                }
            }
            (SettingRole::Overrides, Json::Map(fields)) => {
                for (name, value) in fields {
                    let entry = self.override_of(found, name, value, findings);
                    let visibility = entry.decision.visibility;
                    let old = settings.overrides.insert(name.clone(), entry);
                    if self.undoes(old.as_ref(), visibility) {
                        self.report_undone(found.line_of(name), found, &format!("`{}`", quote(name)), findings);
                    }
                }
            }
            (SettingRole::DeniedRules, Json::List(items)) => {
                for (rule, line) in self.texts(found, items, findings) {
                    self.denied_rule(found, rule, line, settings, findings);
                }
            }
            // One rule in place of a list restricts as well.
            (SettingRole::DeniedRules, Json::Text(rule)) => {
                self.wrong_type(found, "a list of texts; it is used as one", findings);
                self.denied_rule(found, rule, own, settings, findings);
            }
            (SettingRole::Permission, Json::Map(fields)) => {
                self.report_allowed(found, fields, settings, findings);
                for (pattern, value) in fields {
                    self.permission(found, pattern, value, found.line_of(pattern), settings, findings);
                }
            }
            (SettingRole::Permission, value @ (Json::Text(_) | Json::Bool(_))) => {
                let word = |is_on: bool| Json::from(if is_on { "allow" } else { "deny" });
                let value = if let Json::Bool(is_on) = value { word(*is_on) } else { value.clone() };
                self.report_allowed(found, &[("*".to_owned(), value.clone())], settings, findings);
                self.permission(found, "*", &value, own, settings, findings);
            }
            (SettingRole::BudgetShare, Json::Number(number)) => match millionths(number) {
                Some(share) => settings.budget_share = Some(share),
                None => self.wrong_type(found, "a number from 0 to 1, such as 0.01", findings),
            },
            (SettingRole::MaxTokens, Json::Number(number)) => match number.parse::<usize>() {
                Ok(tokens) => settings.max_tokens = Some(tokens.min(MAX_LIST_TOKENS)),
                Err(_) => self.wrong_type(found, "a whole number, not negative", findings),
            },
            (SettingRole::Parents, Json::Bool(has_parents)) => settings.has_parents = *has_parents,
            (SettingRole::Listed, Json::Bool(is_listed)) => settings.is_unlisted = !is_listed,
            (SettingRole::Unread, _) => {
                let message = format!(
                    "the setting `{}` is not read, so skills that it switches off are listed, and others that it adds are not",
                    found.name
                );
                self.report(own, Code::StateUnknown, message, findings);
            }
            (SettingRole::MaxDescription, Json::Number(number)) => match number.parse() {
                Ok(chars) => settings.max_description = Some(chars),
                Err(_) => self.wrong_type(found, "a whole number, not negative", findings),
            },
            (role, _) => self.wrong_type(found, expected(role), findings),
        }
    }

    fn disabled(
        &self,
        found: &Found<'_>,
        name: &str,
        line: usize,
        settings: &mut Settings,
        findings: &mut Vec<Diagnostic>,
    ) {
        self.report_variables(found, name, line, findings);
        let off = Entry::new(self, line, Visibility::Off, switched_off(&found.name));
        settings.disabled.add(&lower(name.trim()), off);
    }

    /// Reports a name with a variable, which some clients fill in.
    fn report_variables(&self, found: &Found<'_>, name: &str, line: usize, findings: &mut Vec<Diagnostic>) {
        if name.contains('$') || name.contains("{env:") {
            let message = format!(
                "`{}` in `{}` is compared as it is written, as variables are not filled in",
                quote(name),
                found.name
            );
            self.report(line, Code::StateUnknown, message, findings);
        }
    }

    /// What a switch says. `None` for one that has both a name and a path, or neither, which is about no skill. A value that is
    /// neither true nor false switches the skill off.
    fn switch(
        &self,
        found: &Found<'_>,
        item: &Json,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<(SwitchedSkills, Entry)> {
        let text = |field| item.get(field).and_then(Json::as_text).map(str::trim).filter(|text| !text.is_empty());
        let skills = match (text("name"), text("path")) {
            (Some(name), None) => SwitchedSkills::Named(name.to_owned()),
            (None, Some(path)) => {
                let path = self.path(path, self.path.parent().as_ref())?;
                SwitchedSkills::At([self.world.fs.canonical(&path).unwrap_or_else(|_| path.clone()), path])
            }
            _ => return None,
        };
        let visibility = match item.get("enabled")? {
            Json::Bool(true) => Visibility::Full,
            Json::Bool(false) => Visibility::Off,
            value => {
                let message =
                    format!("`enabled` in `{}` is {}, expected true or false; false is used", found.name, shown(value));
                self.report(found.lines.own, Code::WrongType, message, findings);
                Visibility::Off
            }
        };
        Some((skills, Entry::new(self, found.lines.own, visibility, switched_off(&found.name))))
    }

    /// What an override says; a word that is not known switches the skill off.
    fn override_of(&self, found: &Found<'_>, name: &str, value: &Json, findings: &mut Vec<Diagnostic>) -> Entry {
        let line = found.line_of(name);
        let set = |word: &str| format!("set to `{word}` by the setting `{}`", found.name);
        let (visibility, message) = match value.as_text() {
            Some("on") => (Visibility::Full, set("on")),
            Some(word @ "name-only") => (Visibility::NameOnly, set(word)),
            Some(word @ "user-invocable-only") => (Visibility::UserOnly, set(word)),
            Some("off") => (Visibility::Off, switched_off(&found.name)),
            _ => {
                let message = format!(
                    "`{}` in `{}` is {}, expected `on`, `name-only`, `user-invocable-only` or `off`; `off` is used",
                    quote(name),
                    found.name,
                    shown(value)
                );
                self.report(line, Code::StateUnknown, message, findings);
                (Visibility::Off, format!("switched off, as the setting `{}` is not understood", found.name))
            }
        };
        Entry::new(self, line, visibility, message)
    }

    /// Takes a rule that refuses a tool, if it is the one for skills.
    fn denied_rule(
        &self,
        found: &Found<'_>,
        rule: &str,
        line: usize,
        settings: &mut Settings,
        findings: &mut Vec<Diagnostic>,
    ) {
        let (tool, name) = match rule.trim().split_once('(') {
            Some((tool, name)) => (tool, Some(name)),
            None => (rule.trim(), None),
        };
        let is_it = |own: &str| if name.is_some() { own == tool } else { matches_name(tool, own) };
        if !self.tool.is_some_and(is_it) {
            return;
        }
        let name = match name {
            None => "*",
            Some(inner) => inner.strip_suffix(')').unwrap_or_else(|| {
                let message = format!(
                    "`{}` in `{}` has no closing parenthesis; it is read as if it had one",
                    quote(rule),
                    found.name
                );
                self.report(line, Code::StateUnknown, message, findings);
                inner
            }),
        };
        let name = name.trim();
        let name = name.strip_prefix('/').unwrap_or(name);
        let begin = if name == "*" { Some("") } else { name.strip_suffix(":*").or_else(|| name.strip_suffix(" *")) };
        let message = format!("refused to the model by the setting `{}`", found.name);
        let mut entry = Entry::new(self, line, Visibility::UserOnly, message);
        // A client without any skill for the model says nothing about skills.
        entry.decision.is_refusal = begin != Some("");
        let rules = if begin.is_some() { &mut settings.denied_begins } else { &mut settings.denied };
        let name = begin.unwrap_or(name).trim().to_owned();
        // A refusal of an administrator stays one.
        if !rules.get(&name).is_some_and(Entry::is_managed) {
            rules.insert(name, entry);
        }
    }

    /// Takes the permission of the skills whose names match a pattern; a word that is not known denies it.
    fn permission(
        &self,
        found: &Found<'_>,
        pattern: &str,
        value: &Json,
        line: usize,
        settings: &mut Settings,
        findings: &mut Vec<Diagnostic>,
    ) {
        self.report_variables(found, pattern, line, findings);
        let is_denied = match value.as_text() {
            Some("allow" | "ask") => false,
            Some("deny") => true,
            _ => {
                let message = format!(
                    "`{}` in `{}` is {}, expected `allow`, `ask` or `deny`; `deny` is used",
                    quote(pattern),
                    found.name,
                    shown(value)
                );
                self.report(line, Code::StateUnknown, message, findings);
                true
            }
        };
        let is_too_much = settings.permissions.len() == MAX_PATTERNS || MAX_PATTERN_BYTES < pattern.len();
        if is_too_much {
            let message = format!(
                "there are more than {MAX_PATTERNS} patterns in `{}`, or one of more than {MAX_PATTERN_BYTES} bytes; all \
                 skills are denied",
                found.name
            );
            self.report(line, Code::TooManyPatterns, message, findings);
        }
        let (pattern, is_denied) = if is_too_much { ("*", true) } else { (pattern, is_denied) };
        let visibility = if is_denied { Visibility::UserOnly } else { Visibility::Full };
        let message = format!("denied to the model by the setting `{}`", found.name);
        if settings.permissions.len() <= MAX_PATTERNS {
            settings.permissions.add(pattern, Entry::new(self, line, visibility, message));
        }
    }

    /// The texts of a list, each with its line. Others are reported.
    fn texts<'v>(&self, found: &Found<'_>, items: &'v [Json], findings: &mut Vec<Diagnostic>) -> Vec<(&'v str, usize)> {
        let mut texts = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let line = found.line_at(at);
            match item.as_text() {
                Some(text) => texts.push((text, line)),
                None => {
                    let message = format!("an item of the setting `{}` is {}, expected a text", found.name, kind(item));
                    self.report(line, Code::WrongType, message, findings);
                }
            }
        }
        texts
    }

    fn wrong_type(&self, found: &Found<'_>, expected: &str, findings: &mut Vec<Diagnostic>) {
        let message = format!("the setting `{}` is {}, expected {expected}", found.name, shown(found.value));
        self.report(found.lines.own, Code::WrongType, message, findings);
    }

    fn report(&self, line: usize, code: Code, message: String, findings: &mut Vec<Diagnostic>) {
        let mut finding = Diagnostic::new(Severity::Warning, code, self.path.clone(), message);
        finding.at = Some(Position { line: line.max(1), column: 1 });
        findings.push(finding);
    }

    /// The folder that a value names.
    fn folder(&self, text: &str, found: &Found<'_>, line: usize) -> Folder {
        let place = || SettingPlace { file: self.path.clone(), line: line.max(1), setting: found.name.clone() };
        let named_at = (self.set_by == SetBy::Project).then(place);
        Folder { text: text.to_owned(), path: self.path(text, self.world.places.project.as_ref()), named_at }
    }

    /// The path that a value names: `~/` at the start is the home directory, and other relative paths start from `folder`.
    fn path(&self, text: &str, folder: Option<&FsPath>) -> Option<FsPath> {
        let home = self.world.places.home.as_ref();
        let (base, rest) = match (text, text.strip_prefix("~/")) {
            ("~", _) => (home, ""),
            (_, Some(rest)) => (home, rest),
            (_, None) => (folder, text),
        };
        base.and_then(|base| if rest.is_empty() { Some(base.clone()) } else { self.world.fs.parse(rest, base) })
    }

    /// Whether this file of the project takes back what a file of the user has switched off.
    fn undoes(&self, old: Option<&Entry>, now: Visibility) -> bool {
        old.is_some_and(|old| self.set_by < old.set_by && now < old.decision.visibility)
    }

    /// Reports that a setting of the project takes back what the user has switched off.
    fn report_undone(&self, line: usize, found: &Found<'_>, what: &str, findings: &mut Vec<Diagnostic>) {
        let message = format!(
            "the project's setting `{}` switches on {what}, which the user's settings switch off; `{}` permits that",
            found.name,
            visible(&self.dialect.name)
        );
        self.report(line, Code::SettingUndone, message, findings);
    }

    /// Reports the first pattern for which the project allows what the user has denied. Patterns are compared as they are
    /// written.
    fn report_allowed(
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

fn switched_off(setting: &str) -> String {
    format!("switched off by the setting `{setting}`")
}

fn expected(role: SettingRole) -> &'static str {
    match role {
        SettingRole::Enabled | SettingRole::NoCommands | SettingRole::Parents | SettingRole::Listed => "true or false",
        SettingRole::Switches => "a list of maps",
        SettingRole::Folders | SettingRole::HighestFolders | SettingRole::Disabled | SettingRole::DeniedRules => {
            "a list of texts"
        }
        SettingRole::PluginsOnly => "true or a list of texts",
        SettingRole::FolderSwitches => "a map of folders to true or false",
        SettingRole::PluginSwitches => "a map of plugins to true or false",
        SettingRole::Overrides => "a map of names to words",
        SettingRole::Permission => "a word, or a map of patterns to words",
        SettingRole::BudgetShare | SettingRole::MaxDescription | SettingRole::MaxTokens => "a number",
        SettingRole::Unread => "a value",
    }
}

/// A decimal number from 0 to 1 in millionths, cut to whole ones.
fn millionths(number: &str) -> Option<usize> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = part.get(..6).unwrap_or(part);
    let is_digits = !whole.is_empty() && [whole, part].concat().bytes().all(|byte| byte.is_ascii_digit());
    let share: usize = format!("{whole}{digits:0<6}").parse().ok().filter(|_| is_digits)?;
    (share <= 1_000_000).then_some(share)
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::Text(_) => "a text",
        Json::List(_) => "a list",
        Json::Map(_) => "a map",
    }
}

/// A value for a message: a short one itself, of others their kind.
fn shown(value: &Json) -> String {
    match value {
        Json::Bool(_) | Json::Number(_) | Json::Text(_) => format!("`{}`", excerpt(&value.to_string(), MAX_QUOTED)),
        _ => kind(value).to_owned(),
    }
}

fn quote(text: &str) -> String {
    visible(&excerpt(text, MAX_QUOTED)).into_owned()
}

//! In: skills, and the folder that copies for use lie in. Out: where the copy of a skill stands, and the plan by
//! which copies are made. Absent: copying.

use crate::dialect::ActivationRule;
use crate::path::FsPath;
use crate::skill::Skill;
use crate::world::World;

/// Where a skill is read, and under which path the model sees its folder.
pub(crate) struct Standing {
    pub(crate) path: FsPath,
    pub(crate) dir: String,
}

/// The copy for use, where there is a folder of them; else the skill where it was found (decisions 26).
pub(crate) fn standing(world: &World<'_>, rule: Option<&ActivationRule>, skill: &Skill) -> Standing {
    let found = || Standing { path: skill.path.clone(), dir: world.fs.spell(&skill.dir()).into_owned() };
    let (Some(rule), Some(active)) = (rule, &world.places.active) else { return found() };
    let key = activation_key(rule, &skill.key);
    let Ok(dir) = active.child(&key) else { return found() };
    let Ok(path) = dir.child(crate::scan::SKILL_FILE) else { return found() };
    let shown = match &world.places.mount {
        Some(mount) => format!("{}/{key}", mount.trim_end_matches('/')),
        None => world.fs.spell(&dir).into_owned(),
    };
    Standing { path, dir: shown }
}

/// The name of a skill's copy (decisions 40).
pub(crate) fn activation_key(rule: &ActivationRule, key: &str) -> String {
    let mut name = String::with_capacity(key.len() + 8);
    for c in key.trim().chars() {
        match c {
            ':' | '/' => name.push_str(&rule.separator),
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') => name.push(c),
            _ => {}
        }
    }
    name
}

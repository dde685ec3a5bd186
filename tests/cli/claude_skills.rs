//! A project with a skill of each kind that Claude Code loads in a way of its own, for the tests of what a conversation is
//! given.

use crate::common::Tree;
use crate::program::{PATH, Place};

pub(crate) const TEA: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil ($ARGUMENTS).\n";
pub(crate) const CAKE: &str = "---\nname: cake\ndescription: Bakes a cake.\n---\nStir.\n";
const LIVE: &str = "---\nname: live\ndescription: Runs a command.\n---\nNow: !`cat now`\n";
const APART: &str = "---\nname: apart\ndescription: Works apart.\ncontext: fork\n---\nLook.\n";

/// The place of the project, with the files of this tree besides.
pub(crate) fn with_claude_skills(tree: Tree) -> Place {
    let tree = tree
        .with("/project/.claude/skills/tea/SKILL.md", TEA)
        .with("/project/.claude/skills/cake/SKILL.md", CAKE)
        .with("/project/.claude/skills/live/SKILL.md", LIVE)
        .with("/project/.claude/skills/apart/SKILL.md", APART)
        .with("/project/now", "noon");
    Place::of(tree).env("PATH", PATH).first(&["--dialect", "claude"])
}

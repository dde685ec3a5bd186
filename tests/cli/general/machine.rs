//! Programs and variables that skills need, as the machine has them.

use crate::program::{BINARY, Place, said, texts};
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

#[test]
fn the_machine_is_asked() {
    let needs = [
        ("absolute", "requires_bins: [/bin/sh]", true),
        ("absent", "requires_bins: [absent]", false),
        ("blank", "requires_env: [BLANK]", false),
        ("dir", "requires_bins: [dir]", false),
        ("flat", "requires_bins: [flat]", false),
        ("program", "requires_bins: [tool]", true),
        ("relative", "requires_bins: [./tool]", false),
        ("set", "requires_env: [SET]", true),
        ("unset", "requires_env: [UNSET]", false),
    ];
    let files = needs.map(|(key, what, _)| {
        let text = format!("---\ndescription: Needs something.\nsven:\n  {what}\n---\n");
        (format!("project/.sven/skills/{key}/SKILL.md"), text)
    });
    let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.extend([("bin/tool", "#!/bin/sh\n"), ("bin/flat", "#!/bin/sh\n"), ("bin/dir/x", "")]);
    let place = Place::usual(&files);
    for (file, mode) in [("bin/tool", 0o755), ("bin/flat", 0o644)] {
        fs::set_permissions(place.at(file), fs::Permissions::from_mode(mode)).unwrap();
    }
    let path = std::env::join_paths([place.at("nothing"), place.at("bin")]).unwrap();
    let mut command = place.command(&["list", "--dialect", "sven", "--json"]);
    let json = said(command.env("PATH", path).env("SET", "1").env("BLANK", "")).json();
    let keys = texts(&json, "skills", "key");
    for (key, _, met) in needs {
        assert_eq!(keys.contains(&key), met, "{key}");
    }
}

#[test]
fn what_helps_is_said() {
    let place = Place::usual(&[(
        "project/.agents/skills/quiet/SKILL.md",
        "---\nname: quiet\ndescription: For the model.\nuser-invocable: false\n---\nHush.\n",
    )]);
    let told = |args: &[&str]| place.say(args).err;
    let err = told(&["list", "--disable", "quiet", "--disable", "qiet"]);
    assert!(err.contains("there is no skill with the key `qiet` to enable or disable"), "{err}");
    assert!(!err.contains("`quiet` to switch"), "{err}");
    let err = told(&["load", "quiet"]);
    assert!(err.contains("hidden from the user") && err.contains("--as model"), "{err}");
    let nobody = "---\nname: b\ndescription: D.\nuser-invocable: false\ndisable-model-invocation: true\n---\nHush.\n";
    let place = Place::usual(&[("project/data/skills/b/SKILL.md", nobody)]);
    let err = place.say(&["load", "b", "--dialect", "pegasus"]).err;
    assert!(err.contains("hidden from the user") && !err.contains("--as model"), "{err}");
    let place = Place::usual(&[("project/.sven/skills/git-workflow/SKILL.md", "---\ndescription: D.\n---\nHush.\n")]);
    for command in ["/git_workflow", "/git-workflow"] {
        let err = place.say(&["invoke", command, "--dialect", "sven", "--disable", "git-workflow"]).err;
        assert!(err.contains("the skill `git-workflow` is disabled"), "{command}: {err}");
    }
}

#[test]
fn a_deep_tree_is_listed_with_few_handles() {
    let levels = 300;
    // Beside each folder is one that a walk comes back to.
    let skill = |level: usize| (format!("project/.agents/skills/{}e{level}/SKILL.md", "d/".repeat(level)), level);
    let files: Vec<(String, String)> = (0..levels)
        .map(skill)
        .map(|(path, level)| (path, format!("---\nname: e{level}\ndescription: D\n---\n")))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let place = Place::usual(&files);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -n 64; exec \"$0\" list --json", BINARY]);
    let json = said(command.current_dir(place.at("project")).env_clear().env("HOME", place.at("home"))).json();
    let listed = texts(&json, "skills", "key").into_iter().filter(|key| key.starts_with('e')).count();
    assert_eq!(listed, levels, "{json}");
}

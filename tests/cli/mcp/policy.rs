//! What a policy blocks is not served, and no longer once its files change.

use super::PATIENCE;
use super::told::told;
use crate::common::Tree;
use crate::program::{PATH, Place, said};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn what_is_blocked_is_not_served() {
    let place = Place::served(&[("/project/skilltree-policy.yaml", "unlocked: block\n")]);
    let uri = "skill://project-agents/pdf/references/forms.md";
    let client = place.client(&["--poll", "1", "--allow-run"]).await;
    for (tool, ask) in [
        ("activate_skill", json!({"name": "pdf"})),
        ("read_skill_file", json!({"skill": "pdf", "path": "references/forms.md"})),
        ("run_skill_script", json!({"skill": "pdf", "script": "say.sh"})),
    ] {
        let said = client.said(tool, ask).await;
        assert_eq!(said, (true, "the skill `pdf` is disabled".to_owned()), "{tool}: no option that cannot work");
    }
    assert!(client.read(uri).await.is_err());
    client.end().await;
    let locked = said(&mut place.bare(&["lock"]));
    assert_eq!(locked.code, Some(0), "{}", locked.err);
    let client = place.client(&["--poll", "1"]).await;
    let (is_error, text) = client.said("activate_skill", json!({"name": "pdf"})).await;
    assert!(!is_error && text.contains("Read them"), "{text}");
    assert!(client.read(uri).await.is_ok());
    place.write("project/.agents/skills/pdf/scripts/say.sh", "#!/bin/sh\necho evil\n");
    let since = Instant::now();
    while client.said("activate_skill", json!({"name": "pdf"})).await.1.contains("Read them") {
        assert!(since.elapsed() < PATIENCE, "it is still served");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(client.read(uri).await.is_err());
    client.end().await;
}

/// The user is told once which line blocks a skill, and of many skills some.
#[test]
fn the_user_is_told() {
    let of = |number: usize| {
        let tree = Tree::default().with("/project/skilltree-policy.yaml", "# Ours.\nunlocked: block\n");
        let skill = |tree: Tree, n: usize| {
            let text = format!("---\nname: tea-{n:02}\ndescription: Makes tea.\n---\nBoil water.\n");
            tree.with(&format!("/project/.agents/skills/tea-{n:02}/SKILL.md"), text)
        };
        Place::of((0..number).fold(tree, skill)).first(&["mcp"]).env("PATH", PATH)
    };
    let line = "`tea-00` is blocked by `skilltree-policy.yaml:2`: `skilltree.lock` does not name it";
    for (number, named, more) in [(0, 0, 0), (1, 1, 0), (8, 8, 0), (9, 8, 1), (20, 8, 1)] {
        let told = told(&of(number), &[], 2);
        assert_eq!(told.matches(line).count(), named.min(1), "{number}: {told}");
        assert_eq!(told.matches("is blocked by `skilltree-policy.yaml:2`").count(), named, "{number}: {told}");
        assert_eq!(told.matches("more skills are blocked by policies").count(), more, "{number}: {told}");
    }
}

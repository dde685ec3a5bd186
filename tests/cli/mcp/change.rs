//! Changes on the disk: who is told, of what, and what is then read.

use super::{Client, Heard, Revision, patient, refused};
use crate::common::Tree;
use crate::program::{PATH, Place};
use pretty_assertions::assert_eq;
use rmcp::model::{
    ErrorCode, GetPromptRequestParams, GetSkillRequestParams, PaginatedRequestParams,
    ReadResourceDirectoryRequestParams, ServerNotification, SubscriptionFilter,
};
use serde_json::json;

const FORMS: &str = "skill://project-agents/pdf/references/forms.md";

/// Waits until the client has heard so much.
async fn heard(client: &mut Client, enough: impl Fn(&Heard) -> bool) -> Heard {
    *patient(client.heard.wait_for(enough)).await.expect("the client lives")
}

#[tokio::test]
async fn a_new_skill_is_announced_in_every_list() {
    let place = Place::served(&[]);
    let mut client = place.client(&["--poll", "1"]).await;
    let before = client.tools().await;
    place.write("project/.agents/skills/new/SKILL.md", "---\nname: new\ndescription: New.\n---\nNew.\n");
    heard(&mut client, |heard| heard.tools == 1 && heard.prompts == 1 && heard.resources == 1).await;
    assert_eq!(client.tools().await, before);
    let (is_error, text) = client.said("activate_skill", json!({"name": "new"})).await;
    assert!(!is_error && text.contains("New."), "{text}");
    assert!(client.read("skill://project-agents/new/SKILL.md").await.is_ok());
    client.end().await;
}

/// The copies in the user's folder are brought up to date before each answer, whatever was looked at last.
#[tokio::test]
async fn copies_for_use_are_up_to_date() {
    let skill = |body: &str| format!("---\nname: mine\ndescription: Mine.\n---\n{body}\n");
    let place = Place::served(&[("/user/skills/personal/mine/SKILL.md", &skill("First."))]);
    let client = place.client(&["--dialect", "daycare", "--user", "../user", "--poll", "0", "--allow-run"]).await;
    assert!(!place.at("user/skills/active").exists(), "nothing is copied before it is asked for");
    let (is_error, text) = client.said("skill", json!({"name": "mine"})).await;
    assert!(!is_error && text.contains("user/skills/active/user--mine\n") && text.contains("First."), "{text}");
    place.write("user/skills/personal/mine/SKILL.md", &skill("Second."));
    let (is_error, text) = client.said("skill", json!({"name": "mine"})).await;
    assert!(!is_error && text.contains("Second."), "{text}");
    place.write("user/skills/personal/mine/more.md", "More.\n");
    let (is_error, text) = client.said("read_skill_file", json!({"skill": "mine", "path": "more.md"})).await;
    assert!(!is_error && text.contains("More."), "{text}");
    place.write("user/skills/personal/mine/scripts/say.sh", "echo said\n");
    let (is_error, text) = client.said("run_skill_script", json!({"skill": "mine", "script": "say.sh"})).await;
    assert!(!is_error && text.contains("said"), "{text}");
    client.end().await;
}

#[tokio::test]
async fn who_has_listed_nothing_is_told_too() {
    let place = Place::served(&[]);
    let mut client = place.client(&["--poll", "1"]).await;
    place.write("project/.agents/skills/new/SKILL.md", "---\nname: new\ndescription: New.\n---\nNew.\n");
    heard(&mut client, |heard| heard.tools == 1 && heard.prompts == 1 && heard.resources == 1).await;
    client.end().await;
}

#[tokio::test]
async fn only_what_has_changed_is_announced() {
    let place = Place::served(&[]);
    let mut client = place.client(&["--poll", "1"]).await;
    let listed = patient(client.session.list_all_skills()).await.unwrap();
    place.write("project/.agents/skills/pdf/references/forms.md", "Forms have more fields.\n");
    let now = heard(&mut client, |heard| heard.resources == 1).await;
    assert_eq!(now, Heard { tools: 0, prompts: 0, resources: 1 }, "a file of a skill is in one list alone");
    let again = patient(client.session.list_all_skills()).await.unwrap();
    assert_ne!(again, listed);
    assert_eq!(client.read(FORMS).await.unwrap(), "Forms have more fields.\n");
    client.end().await;
}

#[tokio::test]
async fn a_file_is_never_read_as_another_than_was_listed() {
    let place = Place::served(&[]);
    let mut client = place.client(&["--poll", "0"]).await;
    assert_eq!(client.read(FORMS).await.unwrap(), "Forms have fields.\n");
    let ask = || GetSkillRequestParams::new("skill://project-agents/pdf/SKILL.md");
    let listed = patient(client.session.get_skill(ask())).await.unwrap();
    place.write("project/.agents/skills/pdf/references/forms.md", "Forged.\n");
    refused(client.read(FORMS).await, ErrorCode::INTERNAL_ERROR, "changed");
    heard(&mut client, |heard| heard.resources == 1).await;
    let again = patient(client.session.get_skill(ask())).await.unwrap();
    assert_ne!(again.skill, listed.skill);
    assert_eq!(client.read(FORMS).await.unwrap(), "Forged.\n", "listed again, it is what it is");
    client.end().await;
}

/// A client compares what it reads with what it was told, so the refresh that announces the change is not enough.
#[tokio::test]
async fn a_changed_file_is_refused_until_its_skill_is_listed_again() {
    let place = Place::served(&[]);
    let mut client = place.client(&["--poll", "1"]).await;
    patient(client.session.list_all_skills()).await.unwrap();
    let forms = "project/.agents/skills/pdf/references/forms.md";
    for (changes, text) in [(1, "Once.\n"), (2, "Twice.\n")] {
        place.write(forms, text);
        heard(&mut client, |heard| heard.resources == changes).await;
        refused(client.read(FORMS).await, ErrorCode::INTERNAL_ERROR, "changed");
    }
    place.write(forms, "Forms have fields.\n");
    heard(&mut client, |heard| heard.resources == 3).await;
    assert_eq!(client.read(FORMS).await.unwrap(), "Forms have fields.\n", "it is what was listed");
    place.write(forms, "At last.\n");
    heard(&mut client, |heard| heard.resources == 4).await;
    let ask = GetSkillRequestParams::new("skill://project-agents/pdf/SKILL.md");
    patient(client.session.get_skill(ask)).await.unwrap();
    assert_eq!(client.read(FORMS).await.unwrap(), "At last.\n");
    client.end().await;
}

#[tokio::test]
async fn sessions_without_a_handshake_subscribe() {
    let place = Place::served(&[]);
    let client = place.client_of(&["--poll", "1"], Revision::Discovered).await;
    let wanted = SubscriptionFilter::builder().resources_list_changed().prompts_list_changed().build();
    let mut changes = patient(client.session.listen(wanted)).await.expect("a subscription");
    assert_eq!(changes.acknowledged().resources_list_changed, Some(true));
    place.write("project/.agents/skills/new/SKILL.md", "---\nname: new\ndescription: New.\n---\nNew.\n");
    let (mut prompts, mut resources) = (0, 0);
    while prompts == 0 || resources == 0 {
        match patient(changes.next()).await.unwrap() {
            Some(ServerNotification::PromptListChangedNotification(_)) => prompts += 1,
            Some(ServerNotification::ResourceListChangedNotification(_)) => resources += 1,
            other => panic!("only what was asked for: {other:?}"),
        }
    }
    assert_eq!((prompts, resources), (1, 1));
    patient(changes.cancel()).await.unwrap();
    assert!(!client.tools().await.is_empty(), "the session goes on");
    client.end().await;
}

/// A look is made for each request, however long it is until the next one is due.
#[tokio::test]
async fn each_request_is_answered_from_what_there_is_now() {
    let place = Place::served(&[]);
    let client = place.client(&["--poll", "3600"]).await;
    assert!(client.read("skill://project-agents/pdf/SKILL.md").await.is_ok());
    let skill = |name: &str| format!("---\nname: {name}\ndescription: New.\n---\nNew.\n");
    place.write("project/.agents/skills/one/SKILL.md", &skill("one"));
    let (is_error, text) = client.said("activate_skill", json!({"name": "one"})).await;
    assert!(!is_error && text.contains("New."), "a call: {text}");
    place.write("project/.agents/skills/two/SKILL.md", &skill("two"));
    let prompts = patient(client.session.list_all_prompts()).await.unwrap();
    assert!(prompts.iter().any(|prompt| prompt.name == "two"), "a list of prompts");
    place.write("project/.agents/skills/three/SKILL.md", &skill("three"));
    let tools = patient(client.session.list_all_tools()).await.unwrap();
    let keys = tools[0].input_schema.get("properties").and_then(|fields| fields.pointer("/name/enum")).cloned();
    assert_eq!(keys, Some(json!(["tool", "forms", "one", "pdf", "quiet", "three", "two"])), "a list of tools");
    place.write("project/.agents/skills/four/SKILL.md", &skill("four"));
    let skills = patient(client.session.list_all_skills()).await.unwrap();
    assert!(skills.iter().any(|skill| skill.name() == "four"), "a list of skills");
    place.write("project/.agents/skills/five/SKILL.md", &skill("five"));
    assert!(client.read("skill://project-agents/five/SKILL.md").await.is_ok(), "an address");
    place.write("project/.agents/skills/six/SKILL.md", &skill("six"));
    assert!(patient(client.session.get_prompt(GetPromptRequestParams::new("six"))).await.is_ok(), "a prompt");
    std::fs::remove_dir_all(place.at("project/.agents/skills/one")).unwrap();
    let (is_error, text) = client.said("activate_skill", json!({"name": "one"})).await;
    assert!(is_error && text.contains("no skill `one`"), "{text}");
    client.end().await;
}

#[tokio::test]
async fn nothing_is_looked_at_again_where_the_user_wants_no_looks() {
    let place = Place::served(&[]);
    let client = place.client(&["--poll", "0"]).await;
    place.write("project/.agents/skills/new/SKILL.md", "---\nname: new\ndescription: New.\n---\nNew.\n");
    let (is_error, text) = client.said("activate_skill", json!({"name": "new"})).await;
    assert!(is_error && text.contains("no skill `new`"), "{text}");
    assert!(client.read("skill://project-agents/new/SKILL.md").await.is_err());
    let edited = "---\nname: pdf\ndescription: Other forms.\n---\nRead others.\n";
    place.write("project/.agents/skills/pdf/SKILL.md", edited);
    let (is_error, text) = client.said("activate_skill", json!({"name": "pdf"})).await;
    assert!(!is_error && text.contains("Read others."), "a text is read when it is loaded: {text}");
    let listed = async || json!(patient(client.session.list_all_prompts()).await.unwrap()).to_string();
    assert!(!listed().await.contains("Other forms."), "a list is as it was");
    refused(client.read("skill://project-agents/pdf/SKILL.md").await, ErrorCode::INTERNAL_ERROR, "changed");
    assert!(listed().await.contains("Other forms."), "a read has found the change");
    client.end().await;
}

/// A skill that is hidden from the model is not given any more, whatever the user has said of looks.
#[tokio::test]
async fn what_becomes_hidden_is_not_given_even_without_looks() {
    let hidden = "---\nname: pdf\ndescription: Hidden.\ndisable-model-invocation: true\n---\nHidden.\n";
    let choice = "skills:\n  pdf: off\n";
    let files = [("project/.agents/skills/pdf/SKILL.md", hidden), ("project/.skilltree/skilltree.yaml", choice)];
    for ((file, text), poll) in files.into_iter().flat_map(|file| [(file, "0"), (file, "3600")]) {
        let case = format!("{file}, `--poll {poll}`");
        let place = Place::served(&[]);
        let client = place.client(&["--poll", poll]).await;
        let (is_error, said) = client.said("activate_skill", json!({"name": "pdf"})).await;
        assert!(!is_error, "{case}: {said}");
        let folder = || ReadResourceDirectoryRequestParams::new("skill://project-agents/pdf/references");
        assert!(patient(client.session.read_resource_directory(folder())).await.is_ok(), "{case}");
        assert!(client.read(FORMS).await.is_ok(), "{case}");
        place.write(file, text);
        assert!(client.read(FORMS).await.is_err(), "{case}");
        assert!(patient(client.session.read_resource_directory(folder())).await.is_err(), "{case}");
        let (is_error, said) = client.said("activate_skill", json!({"name": "pdf"})).await;
        assert!(is_error, "{case}: {said}");
        let ask = json!({"skill": "pdf", "path": "references/forms.md"});
        let (is_error, said) = client.said("read_skill_file", ask).await;
        assert!(is_error, "{case}: {said}");
        assert!(client.read(FORMS).await.is_err(), "{case}");
        client.end().await;
    }
}

/// Commands that the user forbids are forbidden at once, too.
#[tokio::test]
async fn commands_that_are_forbidden_are_not_given_even_without_looks() {
    let place = Place::served(&[]);
    place.write("project/.claude/skills/tea/SKILL.md", "---\nname: tea\ndescription: D.\n---\nIt is !`echo RUN`.\n");
    let client = place.client(&["--dialect", "claude", "--poll", "0", "--allow-run", "--trust"]).await;
    let said = async || client.said("Skill", json!({"skill": "tea"})).await.1;
    let before = said().await;
    assert!(before.contains("It is RUN."), "{before}");
    place.write("project/.claude/settings.json", "{\"disableSkillShellExecution\": true}");
    let after = said().await;
    assert!(after.contains("It is [shell command execution disabled by policy]."), "{after}");
    client.end().await;
}

/// The later pages of a list do not name what has become hidden since the first.
#[tokio::test]
async fn what_becomes_hidden_is_not_on_a_later_page() {
    let skill = |tree: Tree, n: usize| {
        let text = format!("---\nname: tea-{n:03}\ndescription: Makes tea.\n---\nBoil water.\n");
        tree.with(&format!("/project/.agents/skills/tea-{n:03}/SKILL.md"), text)
    };
    let choice = (50..=100).fold("skills:\n".to_owned(), |choice, n| format!("{choice}  tea-{n:03}: off\n"));
    for list in ["prompts", "resources", "skills"] {
        let place = Place::of((0..=100).fold(Tree::default(), skill)).first(&["mcp"]).env("PATH", PATH);
        let client = place.client(&["--poll", "3600"]).await;
        let page = async |cursor: Option<String>| {
            let ask = PaginatedRequestParams::default().with_cursor(cursor);
            let page = match list {
                "prompts" => json!(patient(client.session.list_prompts(Some(ask))).await.unwrap()),
                "resources" => json!(patient(client.session.list_resources(Some(ask))).await.unwrap()),
                _ => json!(patient(client.session.list_skills(Some(ask))).await.unwrap()),
            };
            (page["nextCursor"].as_str().map(str::to_owned), page.to_string())
        };
        let (next, first) = page(None).await;
        assert!(next.is_some() && first.contains("tea-000"), "{list}: {first}");
        let (_, second) = page(next.clone()).await;
        assert!(second.contains("tea-"), "{list}: {second}");
        place.write("project/.skilltree/skilltree.yaml", &choice);
        let (_, second) = page(next).await;
        assert!(!second.contains("tea-"), "{list}: {second}");
        client.end().await;
    }
}

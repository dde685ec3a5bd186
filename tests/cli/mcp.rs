//! `skilltree mcp`, driven by a client that is not ours over the binary's own streams, in three revisions of the
//! protocol; and by lines that no client would send.
#![cfg(unix)]

#[path = "mcp/change.rs"]
mod change;
use crate::common;
#[path = "mcp/find.rs"]
mod find;
#[path = "mcp/floods.rs"]
mod floods;
#[path = "mcp/lines.rs"]
mod lines;
#[path = "mcp/loads.rs"]
mod loads;
#[path = "mcp/names.rs"]
mod names;
#[path = "mcp/policy.rs"]
mod policy;
#[path = "mcp/run.rs"]
mod run;
#[path = "mcp/skills.rs"]
mod skills;
#[path = "mcp/swaps.rs"]
mod swaps;
#[path = "mcp/told.rs"]
mod told;
#[path = "mcp/toolsets.rs"]
mod toolsets;
#[path = "mcp/trust.rs"]
mod trust;

use crate::program::{PATH, Place};
use common::Tree;
use pretty_assertions::assert_eq;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientConfig, ErrorCode, GetPromptRequestParams, Implementation,
    ProtocolVersion, ReadResourceRequestParams, ResourceContents,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, NotificationContext, RunningService, ServiceError};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// What a host is told of a skill that was loaded.
fn answered(called: &CallToolResult) -> Value {
    called.meta.as_ref().and_then(|frontmatter| frontmatter.0.get("skilltree/answer")).cloned().expect("an answer")
}

/// A machine of many tests is slow; nothing here takes a tenth of it.
const PATIENCE: Duration = Duration::from_secs(60);

const FILES: &[(&str, &str)] = &[
    (
        "/project/.agents/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads forms.\nargument-hint: FILE\n---\nRead them.\n",
    ),
    ("/project/.agents/skills/pdf/references/forms.md", "Forms have fields.\n"),
    ("/project/.agents/skills/pdf/scripts/say.sh", "#!/bin/sh\necho \"said $1\"\n"),
    ("/project/.agents/skills/pdf/forms/SKILL.md", "---\nname: forms\ndescription: Fills forms.\n---\nFill them.\n"),
    (
        "/project/.agents/skills/secret/SKILL.md",
        "---\nname: secret\ndescription: For users.\ndisable-model-invocation: true\n---\nHush.\n",
    ),
    ("/project/.agents/skills/secret/notes.md", "Hush.\n"),
    (
        "/project/.agents/skills/quiet/SKILL.md",
        "---\nname: quiet\ndescription: For the model.\nuser-invocable: false\n---\nPsst.\n",
    ),
    ("/project/outside.md", "Outside.\n"),
    ("/home/.agents/skills/tool/SKILL.md", "---\nname: tool\ndescription: Runs things.\n---\nRun.\n"),
    ("/home/.agents/skills/tool/scripts/say.sh", "#!/bin/sh\necho \"said $1\"; echo odd >&2; exit ${2:-0}\n"),
    ("/home/.agents/skills/tool/scripts/hang.sh", "#!/bin/sh\necho $$ > \"$1\"\nexec sleep 1000\n"),
];

impl Place {
    fn served(more: &[(&str, &str)]) -> Place {
        Place::of(Tree::default().files(FILES.iter().chain(more))).first(&["mcp"]).env("PATH", PATH)
    }

    /// A client of the newest revision that has a handshake.
    async fn client(&self, words: &[&str]) -> Client {
        self.client_of(words, Revision::Handshake(ProtocolVersion::V_2025_11_25)).await
    }

    async fn client_of(&self, words: &[&str], revision: Revision) -> Client {
        self.client_by(self.command(words), revision).await
    }

    async fn client_by(&self, command: Command, revision: Revision) -> Client {
        let mut command = tokio::process::Command::from(command);
        command.kill_on_drop(true);
        let started = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn();
        let (transport, _) = started.expect("the binary starts");
        let (version, mode) = match revision {
            Revision::Handshake(version) => (version, ClientLifecycleMode::Initialize),
            Revision::Discovered => {
                let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
                (ProtocolVersion::V_2026_07_28, ClientLifecycleMode::Discover { preferred_versions })
            }
        };
        let ear = Ear { version, heard: Arc::new(watch::Sender::new(Heard::default())) };
        let heard = ear.heard.subscribe();
        let session = patient(ear.serve_with_lifecycle(transport, mode)).await.expect("a session");
        Client { session, heard }
    }
}

async fn patient<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("an answer in time")
}

/// How a session begins.
#[derive(Clone, Debug)]
enum Revision {
    Handshake(ProtocolVersion),
    Discovered,
}

/// How often the client was told of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Heard {
    tools: u32,
    prompts: u32,
    resources: u32,
}

struct Ear {
    version: ProtocolVersion,
    heard: Arc<watch::Sender<Heard>>,
}

impl ClientHandler for Ear {
    fn get_info(&self) -> ClientConfig {
        let info = ClientConfig::new(Default::default(), Implementation::new("test", "1"));
        info.with_protocol_version(self.version.clone())
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.heard.send_modify(|heard| heard.tools += 1);
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.heard.send_modify(|heard| heard.prompts += 1);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.heard.send_modify(|heard| heard.resources += 1);
    }
}

struct Client {
    session: RunningService<RoleClient, Ear>,
    heard: watch::Receiver<Heard>,
}

impl Client {
    async fn call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let arguments = arguments.as_object().cloned().expect("an object");
        patient(self.session.call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments))).await
    }

    /// What a tool says, one text after another, and whether that is an error.
    async fn said(&self, tool: &str, arguments: Value) -> (bool, String) {
        let result = self.call(tool, arguments).await.expect("a result");
        let texts: Vec<&str> =
            result.content.iter().filter_map(|part| part.as_text()).map(|text| text.text.as_str()).collect();
        (result.is_error == Some(true), texts.join("\n"))
    }

    async fn tools(&self) -> Vec<String> {
        let listed = patient(self.session.list_all_tools()).await.expect("tools");
        listed.into_iter().map(|tool| tool.name.into_owned()).collect()
    }

    async fn read(&self, uri: &str) -> Result<String, ServiceError> {
        let read = patient(self.session.read_resource(ReadResourceRequestParams::new(uri))).await?;
        match read.contents.as_slice() {
            [ResourceContents::TextResourceContents { text, .. }] => Ok(text.clone()),
            other => panic!("{other:?}"),
        }
    }

    async fn end(self) {
        patient(self.session.cancel()).await.expect("the session ends");
    }
}

#[track_caller]
fn refused<T: std::fmt::Debug>(answer: Result<T, ServiceError>, code: ErrorCode, part: &str) {
    match answer {
        Err(ServiceError::McpError(error)) => {
            assert_eq!(error.code, code, "{error:?}");
            assert!(error.message.contains(part), "{error:?}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_revision_is_served() {
    let place = Place::served(&[]);
    for revision in [
        Revision::Handshake(ProtocolVersion::V_2025_06_18),
        Revision::Handshake(ProtocolVersion::V_2025_11_25),
        Revision::Discovered,
    ] {
        let client = place.client_of(&[], revision.clone()).await;
        let info = client.session.peer_info().expect("the server says what it is");
        if let Revision::Handshake(version) = &revision {
            assert_eq!(info.protocol_version, *version);
        }
        assert_eq!(info.server_info.as_ref().map(|server| server.name.as_str()), Some("skilltree"), "{revision:?}");
        assert!(info.instructions.as_deref().unwrap_or_default().contains("<available_skills>"), "{revision:?}");
        assert!(info.capabilities.supports_directory_read(), "{revision:?}");
        assert_eq!(
            client.tools().await,
            ["activate_skill", "find_skills", "read_skill_file", "reattach_skills"],
            "{revision:?}"
        );
        let (is_error, text) = client.said("activate_skill", json!({"name": "pdf"})).await;
        assert!(!is_error && text.starts_with("<skill_content name=\"pdf\">\nRead them.\n"), "{revision:?}: {text}");
        let prompts = patient(client.session.list_all_prompts()).await.expect("prompts");
        let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        assert_eq!(names, ["tool", "forms", "pdf", "secret", "reattach-skills"], "{revision:?}");
        assert_eq!(
            client.read("skill://project-agents/pdf/references/forms.md").await.unwrap(),
            "Forms have fields.\n"
        );
        let skills = patient(client.session.list_all_skills()).await.expect("skills");
        assert_eq!(skills.len(), 4, "{revision:?}");
        client.end().await;
    }
}

#[tokio::test]
async fn tools_load_and_read_what_the_model_may_have() {
    let place = Place::served(&[]);
    let client = place.client(&[]).await;
    let tools = patient(client.session.list_all_tools()).await.unwrap();
    let keys = tools[0].input_schema.get("properties").and_then(|fields| fields.pointer("/name/enum")).cloned();
    assert_eq!(keys, Some(json!(["tool", "forms", "pdf", "quiet"])), "what is hidden is not named");
    for tool in &tools {
        let hints = tool.annotations.as_ref().expect("hints");
        assert_eq!((hints.read_only_hint, hints.open_world_hint), (Some(true), Some(false)), "{}", tool.name);
        assert_eq!(tool.input_schema.get("additionalProperties"), Some(&json!(false)), "{}", tool.name);
    }
    let called = client.call("activate_skill", json!({"name": "pdf"})).await.unwrap();
    assert_eq!(called.structured_content, None, "the text stands there once");
    let loaded = answered(&called);
    assert_eq!(loaded.get("text"), None, "the text stands there once");
    assert_eq!((&loaded["kind"], &loaded["key"], &loaded["tools"]), (&json!("inline"), &json!("pdf"), &Value::Null));
    assert_eq!(loaded["dir"], json!(place.named("project/.agents/skills/pdf")));

    let rows = [
        ("a hidden skill", "activate_skill", json!({"name": "secret"}), "hidden from the model"),
        ("an unknown skill", "activate_skill", json!({"name": "pfd"}), "did you mean `pdf`?"),
        ("no skill", "activate_skill", json!({}), "expected an object"),
        ("a file of a hidden skill", "read_skill_file", json!({"skill": "secret", "path": "notes.md"}), "hidden"),
        ("climbing", "read_skill_file", json!({"skill": "pdf", "path": "../secret/notes.md"}), "outside"),
        ("absolute", "read_skill_file", json!({"skill": "pdf", "path": place.named("project/outside.md")}), "outside"),
        ("absent", "read_skill_file", json!({"skill": "pdf", "path": "none.md"}), "does not exist"),
        ("nested", "read_skill_file", json!({"skill": "pdf", "path": "forms/SKILL.md"}), "belongs to another skill"),
        ("no path", "read_skill_file", json!({"skill": "pdf"}), "expected a string for the argument `path`"),
        ("a wrong type", "read_skill_file", json!({"skill": "pdf", "path": 5}), "expected a string"),
        (
            "a wrong offset",
            "read_skill_file",
            json!({"skill": "pdf", "path": "SKILL.md", "offset": -1}),
            "expected an integer",
        ),
        (
            "one too many",
            "read_skill_file",
            json!({"skill": "pdf", "path": "SKILL.md", "from": 1}),
            "unknown argument `from`; the arguments are `skill`, `path`, `offset`",
        ),
        (
            "a mistyped one",
            "read_skill_file",
            json!({"skill": "pdf", "pth": "SKILL.md"}),
            "unknown argument `pth`; did you mean `path`? The arguments are `skill`, `path`, `offset`",
        ),
        (
            "one too many to load",
            "activate_skill",
            json!({"name": "pdf", "nam": "tool"}),
            "unknown argument `nam`; did you mean `name`? The only argument is `name`",
        ),
    ];
    for (case, tool, arguments, part) in rows {
        let (is_error, text) = client.said(tool, arguments).await;
        assert!(is_error && text.contains(part), "{case}: {text}");
    }
    let read = json!({"skill": "pdf", "path": "references/forms.md"});
    assert_eq!(client.said("read_skill_file", read).await, (false, "Forms have fields.\n".to_owned()));
    let read = json!({"skill": "pdf", "path": "references/forms.md", "offset": 6.0});
    assert_eq!(client.said("read_skill_file", read).await, (false, "have fields.\n".to_owned()));
    for tool in ["run_skill_script", "match_skills", "nothing"] {
        refused(client.call(tool, json!({})).await, ErrorCode::INVALID_PARAMS, "unknown tool");
    }
    client.end().await;
}

#[tokio::test]
async fn prompts_are_what_a_user_may_type() {
    let place = Place::served(&[]);
    let client = place.client(&[]).await;
    let prompts = patient(client.session.list_all_prompts()).await.unwrap();
    let pdf = prompts.iter().find(|prompt| prompt.name == "pdf").unwrap();
    assert_eq!((pdf.title.as_deref(), pdf.description.as_deref()), (Some("pdf"), Some("Reads forms.")));
    let arguments = pdf.arguments.as_deref().unwrap();
    assert_eq!((arguments.len(), arguments[0].name.as_str()), (1, "arguments"));
    assert_eq!((arguments[0].description.as_deref(), arguments[0].required), (Some("FILE"), Some(false)));
    let get = |name: &str, arguments: Value| {
        let ask = GetPromptRequestParams::new(name).with_arguments(arguments.as_object().cloned().unwrap());
        patient(client.session.get_prompt(ask))
    };
    let got = get("pdf", json!({"arguments": "a b.pdf"})).await.unwrap();
    let texts: Vec<&str> =
        got.messages.iter().filter_map(|message| message.content.as_text()).map(|text| text.text.as_str()).collect();
    assert!(matches!(texts[..], [text] if text.ends_with("\n\nARGUMENTS: a b.pdf")), "{texts:?}");
    assert!(get("secret", json!({})).await.is_ok(), "hidden from the model alone");
    for (name, arguments, part) in [
        // Hidden from the user, unknown, no name at all, another argument, no text.
        ("quiet", json!({}), "unknown prompt `quiet`"),
        ("nothing", json!({}), "unknown prompt `nothing`"),
        ("pdf x", json!({}), "unknown prompt `pdf x`"),
        ("pdf", json!({"file": "x"}), "unknown argument `file`; the only argument is `arguments`"),
        ("pdf", json!({"argument": "x"}), "unknown argument `argument`; did you mean `arguments`?"),
        ("pdf", json!({"arguments": 5}), "expected a string"),
    ] {
        refused(get(name, arguments).await, ErrorCode::INVALID_PARAMS, part);
    }
    client.end().await;
}

#[tokio::test]
async fn a_dialect_without_a_load_tool_matches() {
    let skill = "---\nname: tea\ndescription: Makes tea.\ntriggers:\n  keywords: [tea]\n---\nBoil water.\n";
    let place = Place::served(&[("/project/.agent/skills/tea/SKILL.md", skill)]);
    let client = place.client(&["--dialect", "agent-base"]).await;
    assert_eq!(client.tools().await, ["match_skills", "find_skills", "read_skill_file"]);
    let info = client.session.peer_info().unwrap();
    assert!(info.instructions.as_deref().unwrap_or_default().contains("`match_skills`"));
    let (is_error, text) = client.said("match_skills", json!({"query": "I want tea"})).await;
    assert!(!is_error && text.contains("Boil water."), "{text}");
    let matched = answered(&client.call("match_skills", json!({"query": "I want tea"})).await.unwrap());
    assert_eq!((&matched["tier"], &matched["keys"]), (&json!(3), &json!(["tea"])));
    let (is_error, text) = client.said("match_skills", json!({"query": "tea", "max": 1})).await;
    assert!(is_error && text.contains("unknown argument `max`; the only argument is `query`"), "{text}");
    client.end().await;
}

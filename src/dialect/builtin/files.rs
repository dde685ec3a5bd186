//! The dialect files, and what they hold.

use crate::dialect::Dialect;
use crate::path::FsPath;
use std::sync::Arc;

/// The dialect files, the one that all others extend first.
pub(in crate::dialect) const FILES: &[(&str, &str)] = &[
    ("agentskills", include_str!("agentskills.yaml")),
    ("claude", include_str!("claude.yaml")),
    ("codex", include_str!("codex.yaml")),
    ("opencode", include_str!("opencode.yaml")),
    ("goose", include_str!("goose.yaml")),
    ("gemini", include_str!("gemini.yaml")),
    ("copilot", include_str!("copilot.yaml")),
    ("cursor", include_str!("cursor.yaml")),
    ("copilot-cli", include_str!("copilot-cli.yaml")),
    ("qwen", include_str!("qwen.yaml")),
    ("kilo", include_str!("kilo.yaml")),
    ("pi", include_str!("pi.yaml")),
    ("cline", include_str!("cline.yaml")),
    ("continue", include_str!("continue.yaml")),
    ("droid", include_str!("droid.yaml")),
    ("kimi", include_str!("kimi.yaml")),
    ("vibe", include_str!("vibe.yaml")),
    ("openclaw", include_str!("openclaw.yaml")),
    ("hermes", include_str!("hermes.yaml")),
    ("zed", include_str!("zed.yaml")),
    ("crush", include_str!("crush.yaml")),
    ("sven", include_str!("sven.yaml")),
    ("agent-base", include_str!("agent-base.yaml")),
    ("gencode", include_str!("gencode.yaml")),
    ("pegasus", include_str!("pegasus.yaml")),
    ("daycare", include_str!("daycare.yaml")),
];

/// The dialect of one of the files.
pub(crate) fn from_file(name: &str) -> Option<Arc<Dialect>> {
    let (_, text) = FILES.iter().find(|(known, _)| *known == name)?;
    match Dialect::parse(&FsPath::root().appended(name), text, &from_file) {
        Ok(table) => Some(Arc::new(table)),
        Err(findings) => {
            debug_assert!(false, "the file of the dialect `{name}` is not valid: {findings:?}");
            None
        }
    }
}

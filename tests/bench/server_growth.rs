//! Counts with `valgrind` the instructions that the language server takes, from its start to its end, for some open documents
//! and for ten times as many.

use crate::common::TempDir;
use crate::grown;
use crate::programs::has;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Prints the row. Returns `false` if the instructions grow by more than they may.
pub(crate) fn holds(binary: &str, sizes: [usize; 2]) -> io::Result<bool> {
    if !has("valgrind") {
        println!("skipped: no valgrind, so no growth is held");
        return Ok(true);
    }
    let [small, large] = [session(binary, sizes[0])?, session(binary, sizes[1])?];
    let (Some(small), Some(large)) = (small, large) else {
        println!("skipped: this binary has no language server");
        return Ok(true);
    };
    grown::head(sizes);
    Ok(grown::holds("lsp, open documents", small, large))
}

/// The instructions of a session in which as many documents are opened; `None` if there is no such server.
fn session(binary: &str, documents: usize) -> io::Result<Option<u64>> {
    let folder = TempDir::new("session");
    let skills = folder.path().join(".agents/skills");
    let mut messages = message(r#""id":1,"method":"initialize","params":{"capabilities":{}}"#);
    messages.push_str(&message(r#""method":"initialized","params":{}"#));
    for number in 0..documents {
        let skill = skills.join(format!("skill-{number}"));
        fs::create_dir_all(&skill)?;
        let file = skill.join("SKILL.md");
        fs::write(&file, format!("---\nname: skill-{number}\ndescription: Number {number}.\n---\n"))?;
        messages.push_str(&opened(&file, number));
    }
    messages.push_str(&message(r#""id":2,"method":"shutdown""#));
    messages.push_str(&message(r#""method":"exit""#));
    let input = folder.path().join("messages");
    fs::write(&input, messages)?;
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", binary])
        .args(["lsp", "--dialect", "agentskills", "--project"])
        .arg(folder.path())
        .env("HOME", folder.path().join("home"))
        .stdin(Stdio::from(File::open(input)?))
        .output()?;
    if !run.status.success() {
        return Ok(None);
    }
    let answered = String::from_utf8_lossy(&run.stdout).matches("textDocument/publishDiagnostics").count();
    assert!(answered >= documents, "{answered} answers about {documents} documents");
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    let total = told.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    Ok(Some(total.ok_or_else(|| io::Error::other(told))?))
}

/// An open document, whose text has a finding.
fn opened(file: &Path, number: usize) -> String {
    let text = format!(r"---\nname: skill-{number}\ndescription: Number: {number}\n---\n");
    message(&format!(
        r#""method":"textDocument/didOpen","params":{{"textDocument":{{"uri":"file://{}","languageId":"markdown","version":1,"text":"{text}"}}}}"#,
        file.display()
    ))
}

/// A message with its header.
fn message(fields: &str) -> String {
    let body = format!(r#"{{"jsonrpc":"2.0",{fields}}}"#);
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

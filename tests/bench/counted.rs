//! In: a program of ours and its words. Out: the instructions of each piece of its work that went through [`counted`],
//! in their order, as `valgrind` counts them, which does not depend on how busy the machine is.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

/// Does the work. What runs in here is counted, and each end of it closes one count.
#[inline(never)]
pub(crate) fn counted(work: &mut dyn FnMut() -> usize) -> usize {
    black_box(black_box(work)())
}

/// Runs this very program with these words under `valgrind`; none where it failed, which is said.
pub(crate) fn instructions(words: &[&str], folder: &Path) -> Option<Vec<u64>> {
    let own = std::env::current_exe().ok()?;
    let out = folder.join("callgrind");
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--toggle-collect=*counted::counted", "--dump-after=*counted::counted"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(own)
        .args(words)
        .stdout(Stdio::null())
        .output()
        .ok()?;
    if !run.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&run.stderr));
        return None;
    }
    let part = |number: usize| fs::read_to_string(folder.join(format!("callgrind.{number}"))).ok();
    let total = |text: String| text.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok());
    (1..).map_while(part).map(total).collect()
}

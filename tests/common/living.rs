//! Whether something comes about before long, and whether a process is still there.

use std::time::{Duration, Instant};

/// So long waits a test for what comes at once.
const SOON: Duration = Duration::from_secs(60);

/// Whether the answer is yes before long.
pub(crate) fn soon(mut is_so: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + SOON;
    while Instant::now() < until {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

/// Waits until each of these paths of a disk has a stamp, which it has once it has been as it is for a while.
#[cfg(not(target_family = "wasm"))]
#[track_caller]
pub(crate) fn settled<'p>(disk: &skilltree::OsFs, paths: impl IntoIterator<Item = &'p str>) {
    use skilltree::Fs;
    for path in paths {
        let path = super::path(path);
        let has_stamp = || disk.metadata(&path).is_ok_and(|found| found.is_none_or(|found| found.stamp.is_some()));
        assert!(soon(has_stamp), "{path} has no stamp");
    }
}

/// Whether a process of this number is there, and no zombie. Where its threads are known, the last of them counts.
#[cfg(unix)]
pub(crate) fn lives(pid: &str) -> bool {
    let pid = pid.trim();
    assert!(pid.parse::<u32>().is_ok(), "a number: {pid:?}");
    if !cfg!(target_os = "linux") {
        let mut ask = std::process::Command::new("kill");
        return ask.args(["-0", pid]).stderr(std::process::Stdio::null()).status().expect("kill runs").success();
    }
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    1 < threads || stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Who has been killed is gone in a moment.
#[cfg(unix)]
#[track_caller]
pub(crate) fn gone(case: &str, pid: &str) {
    assert!(soon(|| !lives(pid)), "{case}: {pid} is still there");
}

/// The line that a process leaves in a file, when it has.
#[track_caller]
pub(crate) fn left_in(file: &std::path::Path) -> String {
    let mut text = String::new();
    let came = soon(|| {
        text = std::fs::read_to_string(file).unwrap_or_default();
        text.ends_with('\n')
    });
    assert!(came, "nothing came in {}", file.display());
    text.trim().to_owned()
}

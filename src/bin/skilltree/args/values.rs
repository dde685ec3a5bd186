//! Parsers for option values with a special form.

use std::time::Duration;

pub(super) fn permission(text: &str) -> Result<String, &'static str> {
    let known = skilltree::Permission::parse(text).is_some();
    if known { Ok(text.to_owned()) } else { Err("expected @network, @events, @read:PATH or @write:PATH") }
}

pub(crate) fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    let seconds = seconds.ok_or("expected a number of seconds above 0")?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if time.is_zero() => Err("expected a number of seconds of at least 0.000000001"),
        Ok(time) => Ok(time),
        Err(_) => Err("expected at most 31536000 seconds (one year)"),
    }
}

pub(super) fn registration(text: &str) -> Result<String, &'static str> {
    match text.split_once('=') {
        Some((id, path)) if !id.is_empty() && !path.is_empty() => Ok(text.to_owned()),
        _ => Err("expected ID=PATH"),
    }
}

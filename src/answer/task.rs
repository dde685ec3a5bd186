//! In: what became of a fork or of the commands of an invocation. Out: the fields `task` and `ran` beside those of the
//! invocation, as JSON.

use crate::host::{CommandRan, Ran, Task};
use crate::text::json::Json;

/// `task`: what has become of a fork.
pub fn task(task: &Task) -> Json {
    let known = Json::map([("id", Json::from(task.id.as_str())), ("status", Json::from(task.state.as_str()))]);
    task.state.ran().map_or(known.clone(), |ran| super::joined(known, self::ran(ran)))
}

/// `ran`: the commands that were run, in order.
pub fn commands_ran(commands: &[CommandRan]) -> Json {
    let row = |one: &CommandRan| {
        super::joined(Json::map([("command", Json::from(one.command.as_str()))]), self::ran(&one.ran))
    };
    Json::List(commands.iter().map(row).collect())
}

/// What a process printed, and how it ended.
fn ran(ran: &Ran) -> Json {
    let text = |bytes: &[u8]| Json::from(String::from_utf8_lossy(bytes).into_owned());
    let (code, seconds) = (ran.code.to_string(), format!("{:.3}", ran.time.as_secs_f64()));
    Json::map([
        ("code", Json::Number(code)),
        ("output", text(&ran.output)),
        ("errors", text(&ran.errors)),
        ("cut", Json::Bool(ran.is_cut)),
        ("seconds", Json::Number(seconds)),
        ("timed_out", Json::Bool(ran.timed_out)),
    ])
}

//! In: what became of a fork or of the commands of an invocation. Out: the fields `task` and `ran` beside those of the
//! invocation, as JSON.

use super::{joined, ran};
use crate::host::{CommandRan, Task};
use crate::text::json::Json;

/// `task`: what has become of a fork.
pub fn task(task: &Task) -> Json {
    let known = Json::map([("id", Json::from(task.id.as_str())), ("status", Json::from(task.state.as_str()))]);
    task.state.ran().map_or(known.clone(), |said| joined(known, ran(said)))
}

/// `ran`: the commands that were run, in order.
pub fn commands_ran(commands: &[CommandRan]) -> Json {
    let row = |one: &CommandRan| joined(Json::map([("command", Json::from(one.command.as_str()))]), ran(&one.ran));
    Json::List(commands.iter().map(row).collect())
}

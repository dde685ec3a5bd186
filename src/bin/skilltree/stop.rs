//! In: the wish to be stopped by the user: Ctrl-C, or being told to end or that the terminal has gone. Out: a
//! [`Stop`] for what runs. Absent: ending this program, which goes on to say what became of it.

use crate::reply::Failure;
use skilltree::Stop;

/// A stop that those signals set from now on, where they would have ended this program. To be asked for once.
pub(crate) fn on_signal() -> Result<Stop, Failure> {
    let stop = Stop::new();
    let told = stop.clone();
    match ctrlc::set_handler(move || told.stop()) {
        Ok(()) => Ok(stop),
        Err(error) => Err(Failure::could_not("no-signals", format!("signals cannot be listened for: {error}"))),
    }
}

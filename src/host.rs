//! The doors through which plans are carried out on the real machine. Each takes an owned plan that the core made,
//! and says what became of it. Absent: any decision; what is to be done stands in the plan.

mod apply;

pub use apply::{Applied, apply};

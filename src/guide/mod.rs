#![doc = include_str!("guide.md")]
//!
//! # More pages
//! [A first hour](first_hour), [the command line](command_line), [running what skills bring](running), [the server](server),
//! [records, signatures and policies](records), [editors], [dialects], [the library](library),
//! [Python](python), [JavaScript and the page](javascript), [agent frameworks](frameworks), [vectors], [speed], [threats],
//! [architecture], [changelog].

#[doc = include_str!("architecture.md")]
pub mod architecture {}
#[doc = include_str!("changelog.md")]
pub mod changelog {}
#[doc = include_str!("command_line.md")]
pub mod command_line {}
#[doc = include_str!("dialects.md")]
pub mod dialects {}
#[doc = include_str!("editors.md")]
pub mod editors {}
#[doc = include_str!("first_hour.md")]
pub mod first_hour {}
#[doc = include_str!("frameworks.md")]
pub mod frameworks {}
#[doc = include_str!("javascript.md")]
pub mod javascript {}
// Its example reads the disk.
#[cfg_attr(feature = "os", doc = include_str!("library.md"))]
#[cfg_attr(not(feature = "os"), doc = "The library, as a build with the feature `os` describes it.")]
pub mod library {}
#[doc = include_str!("python.md")]
pub mod python {}
#[doc = include_str!("records.md")]
pub mod records {}
#[doc = include_str!("running.md")]
pub mod running {}
#[doc = include_str!("server.md")]
pub mod server {}
#[doc = include_str!("speed.md")]
pub mod speed {}
#[doc = include_str!("threats.md")]
pub mod threats {}
#[doc = include_str!("vectors.md")]
pub mod vectors {}

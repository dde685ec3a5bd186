//! The guide: pages about the program, the server, the library and the JavaScript module.

#[doc = include_str!("docs/command_line.md")]
pub mod command_line {}
#[doc = include_str!("docs/dialects.md")]
pub mod dialects {}
#[doc = include_str!("docs/javascript.md")]
pub mod javascript {}
// Its example reads the disk.
#[cfg_attr(feature = "os", doc = include_str!("docs/library.md"))]
#[cfg_attr(not(feature = "os"), doc = "The library, as a build with the feature `os` describes it.")]
pub mod library {}
#[doc = include_str!("docs/running.md")]
pub mod running {}
#[doc = include_str!("docs/server.md")]
pub mod server {}
#[doc = include_str!("docs/speed.md")]
pub mod speed {}

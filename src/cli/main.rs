//! The program `skilltree`, which is the library of this package: a library is compiled while its dependencies are still being
//! optimized, and a program is not.

use std::process::ExitCode;

fn main() -> ExitCode {
    skilltree_cli::main()
}

//! What stands for the features that this program was built without: the command fails, and says how to install a program that
//! has it.

use crate::reply::Failure;

/// How to get a program that has what this one lacks.
pub(crate) const HOW_TO_INSTALL_ALL: &str = if cfg!(target_family = "wasm") {
    "run `cargo install --path src/cli --all-features` in the source folder to install the native program, which can"
} else {
    "run `cargo install --path src/cli --all-features` in the source folder to install one with it"
};

/// The arguments of a command that is absent.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct IgnoredArgs {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _options: Vec<String>,
}

/// The failure that something is absent.
pub(crate) fn absent(code: &str, what: &str) -> Failure {
    Failure::error(code, lacking(what)).with_help(HOW_TO_INSTALL_ALL.to_owned())
}

fn lacking(what: &str) -> String {
    format!("this program was built without {what}")
}

#[cfg(not(feature = "mcp"))]
pub(crate) mod mcp {
    pub(crate) use super::IgnoredArgs as McpArgs;
    use crate::answer::Answer;
    use crate::args::GlobalOptions;

    pub(crate) fn serve(_: &GlobalOptions, _: McpArgs) -> Answer {
        Err(super::absent("no-server", "the server"))
    }
}

#[cfg(not(feature = "lsp"))]
pub(crate) mod lsp {
    pub(crate) use super::IgnoredArgs as LspArgs;
    use crate::answer::Answer;
    use crate::args::GlobalOptions;

    pub(crate) fn serve(_: &GlobalOptions, _: LspArgs) -> Answer {
        Err(super::absent("no-server", "the language server"))
    }
}

#[cfg(not(feature = "archives"))]
pub(crate) mod archives {
    pub(crate) use super::{IgnoredArgs as PackArgs, IgnoredArgs as UnpackArgs};
    use crate::answer::{Answer, Runner};
    use skilltree::{Diagnostic, Fs};

    const FEATURE: &str = "the feature `archives`";

    fn why() -> String {
        format!("{}; {}", super::lacking(FEATURE), super::HOW_TO_INSTALL_ALL)
    }

    pub(crate) fn unpacked(_: Vec<u8>) -> Result<(Box<dyn Fs + Send + Sync>, Vec<Diagnostic>), String> {
        Err(why())
    }

    pub(crate) fn write<'f>(_: impl Iterator<Item = (&'f str, &'f [u8], bool)>) -> std::io::Result<Vec<u8>> {
        Err(std::io::Error::other(why()))
    }

    #[allow(clippy::unused_self, reason = "the program with archives has the same functions")]
    impl Runner<'_> {
        pub(crate) fn pack(self, _: &PackArgs) -> Answer {
            Err(super::absent("no-archives", FEATURE))
        }

        pub(crate) fn unpack(self, _: &UnpackArgs) -> Answer {
            Err(super::absent("no-archives", FEATURE))
        }
    }
}

#[cfg(any(not(feature = "processes"), target_family = "wasm"))]
pub(crate) mod processes {
    pub(crate) use super::{IgnoredArgs as RunArgs, IgnoredArgs as ToolsetArgs};
    use crate::answer::{Answer, Runner};
    use crate::invoke::ExecuteArgs;
    use crate::reply::{Failure, Reply, Screen};
    use crate::setup::Setup;
    use skilltree::{Invocation, Json, Pending};

    fn absent() -> Failure {
        if cfg!(target_family = "wasm") {
            let why = "this program runs in WebAssembly, and cannot start processes";
            return Failure::error("no-processes", why).with_help(super::HOW_TO_INSTALL_ALL.to_owned());
        }
        super::absent("no-processes", "the feature `processes`")
    }

    pub(crate) fn guard() {}

    /// What has been run for an invocation, which is nothing.
    #[derive(Default)]
    pub(crate) struct Ran {}

    #[allow(clippy::unused_self, reason = "the program with processes has the same functions")]
    impl Ran {
        pub(crate) fn carry_out(
            &mut self,
            _: &mut Invocation,
            _: &Setup,
            _: &ExecuteArgs,
            _: &dyn Fn(&Pending, Invocation) -> Result<Invocation, Failure>,
        ) -> Result<(), Failure> {
            Err(absent())
        }

        pub(crate) fn has_task(&self) -> bool {
            false
        }

        pub(crate) fn outputs(&self) -> Vec<String> {
            Vec::new()
        }

        pub(crate) fn notes(&self) -> String {
            String::new()
        }

        pub(crate) fn answer_of_agent(&self, _: Screen) -> Option<Reply> {
            None
        }

        pub(crate) fn result_of_task(&self) -> Option<Json> {
            None
        }

        pub(crate) fn add_to_json(&self, known: Json) -> Json {
            known
        }
    }

    #[allow(clippy::unused_self, reason = "the program with processes has the same functions")]
    impl Runner<'_> {
        pub(crate) fn run_script(self, _: &RunArgs) -> Answer {
            Err(absent())
        }

        pub(crate) fn toolset(self, _: &ToolsetArgs) -> Answer {
            Err(absent())
        }
    }
}

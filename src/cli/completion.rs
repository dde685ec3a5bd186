//! Completion in shells: `completions` prints a script for a shell, which asks the program for candidates while somebody types. These
//! are the commands and options, and skills, dialects, codes and states.

use crate::args::{self, GlobalOptions};
use crate::dialects::Dialects;
use crate::setup::Setup;
use clap_complete::Shell;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::{Bash, CompleteEnv, Elvish, EnvCompleter, Fish, Powershell, Zsh};
use skilltree::Code;
use skilltree::dialect::NAMES;
use std::ffi::{OsStr, OsString};
use std::io;

/// The variable by which a script asks; it has the name of the shell.
const VARIABLE: &str = "SKILLTREE_COMPLETE";

const PROGRAM: &str = "skilltree";

/// What the script for bash has besides: bash ends a word at `:` and `=`, which are in keys and options, and replaces only what is after
/// them. The words are joined for the function that asks, and what bash keeps is taken off its candidates.
const BASH_WORDS: &str = r#"
_skilltree() {
    local typed=${COMP_LINE:0:COMP_POINT} rest=$COMP_LINE kept= index=0 words=() blanks word last= i
    typed=${typed##*[[:space:]]}
    [[ $typed == *[:=]"$2" ]] && kept=${typed%"$2"}
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        blanks=${rest%%[![:space:]]*}
        if [[ $i -gt 0 && -z $blanks && ( $last == *[:=] || $word == [:=]* ) ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        [[ $i -eq $COMP_CWORD ]] && index=$((${#words[@]} - 1))
        rest=${rest#"$blanks"}
        rest=${rest#"$word"}
        last=$word
    done
    local COMP_WORDS=("${words[@]}") COMP_CWORD=$index
    _clap_complete_skilltree "$1" "$kept$2" "$3"
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}
_skilltree_registered=$(complete -p skilltree)
eval "${_skilltree_registered/_clap_complete_skilltree/_skilltree}"
unset _skilltree_registered
"#;

/// Answers a script and ends the program, if a script asks.
pub(crate) fn answer_script() {
    if std::env::var_os(VARIABLE).is_some() {
        CompleteEnv::with_factory(args::definition).var(VARIABLE).bin(PROGRAM).complete();
    }
}

/// The script for a shell.
pub(crate) fn script(shell: Shell) -> io::Result<Vec<u8>> {
    let shell: &dyn EnvCompleter = match shell {
        Shell::Bash => &Bash,
        Shell::Elvish => &Elvish,
        Shell::Fish => &Fish,
        Shell::PowerShell => &Powershell,
        Shell::Zsh => &Zsh,
        _ => return Err(io::Error::new(io::ErrorKind::Unsupported, "the shell is not known")),
    };
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
    if shell.name() == "bash" {
        script.extend(BASH_WORDS.as_bytes());
    }
    Ok(script)
}

/// The keys of the skills that the options on the command line find.
pub(crate) fn keys(current: &OsStr) -> Vec<CompletionCandidate> {
    let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let options = args::options_so_far(&words).unwrap_or_default();
    let Ok(setup) = Setup::new(&options) else { return Vec::new() };
    let catalog = skilltree::discover(&setup.world(), &setup.dialect);
    let skills = catalog.skills().iter().filter(|skill| begins(&skill.key, current) && is_plain(&skill.key));
    skills.map(|skill| CompletionCandidate::new(&skill.key).help(Some(about(&skill.brief()).into()))).collect()
}

/// The names of dialects; those of a list with commas, too.
pub(crate) fn dialects(current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let before = current.rfind(',').map_or("", |comma| current.get(..=comma).unwrap_or_default());
    let options = GlobalOptions::default();
    let own = Dialects::new(&options).names();
    let names = NAMES.iter().map(|name| (*name).to_owned()).chain(own);
    let names =
        names.map(|name| format!("{before}{name}")).filter(|name| name.starts_with(&*current) && is_plain(name));
    names.map(CompletionCandidate::new).collect()
}

/// The names of codes of findings.
pub(crate) fn codes(current: &OsStr) -> Vec<CompletionCandidate> {
    let names = Code::ALL.iter().map(|code| code.as_str()).filter(|name| begins(name, current));
    names.map(CompletionCandidate::new).collect()
}

fn begins(key: &str, current: &OsStr) -> bool {
    current.to_str().is_some_and(|current| key.starts_with(current))
}

/// Whether a word means itself in every shell. A skill may have any key, and what a shell inserts into a command line is not always
/// quoted.
fn is_plain(word: &str) -> bool {
    word.starts_with(char::is_alphanumeric) && word.chars().all(is_plain_char)
}

fn is_plain_char(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | ':' | '/' | ',')
}

/// The description beside a candidate, which some shells show.
fn about(description: &str) -> String {
    description.chars().filter(|char| is_plain_char(*char) || *char == ' ').collect()
}

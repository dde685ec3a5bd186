//! Words in the spelling of each shell, on every system.

use super::Shell;
use pretty_assertions::assert_eq;

#[track_caller]
fn spelled(case: &str, text: &str, posix: &str, power_shell: &str) {
    assert_eq!(Shell::Posix.word(text), posix, "{case}, in a POSIX shell");
    assert_eq!(Shell::PowerShell.word(text), power_shell, "{case}, in PowerShell");
}

#[test]
fn a_word_is_quoted_where_the_shell_needs_it() {
    spelled("a key", "git:commit", "git:commit", "git:commit");
    spelled("a path of Windows", r"C:\Users\me", r"'C:\Users\me'", r"C:\Users\me");
    spelled("a blank", "a b", "'a b'", "'a b'");
    spelled("nothing", "", "''", "''");
    spelled("a comma", "a,b", "a,b", "'a,b'");
    spelled("an at sign", "@me", "@me", "'@me'");
    spelled("a dollar sign", "$HOME", "'$HOME'", "'$HOME'");
    spelled("an apostrophe", "it's", r"'it'\''s'", "'it''s'");
    spelled("a typographic apostrophe", "it\u{2019}s", "'it\u{2019}s'", "'it\u{2019}\u{2019}s'");
    spelled("letters of other scripts", "tee-grün", "tee-grün", "tee-grün");
    spelled("an argument in JSON", r#"{"name": "pdf"}"#, r#"'{"name": "pdf"}'"#, r#"'{"name": "pdf"}'"#);
}

#[test]
fn what_cannot_be_shown_is_written_as_its_code() {
    spelled("a line end", "a\nb", r#""$(printf 'a\012b')""#, "('a' + [char]::ConvertFromUtf32(0xa) + 'b')");
    spelled("a backtick", "`", r#""$(printf '\140')""#, "([char]::ConvertFromUtf32(0x60))");
    spelled("a leading hyphen", "-\u{7}", r#""$(printf '\055\007')""#, "('-' + [char]::ConvertFromUtf32(0x7))");
    spelled(
        "a character of two UTF-16 units",
        "\u{e0041}x",
        r#""$(printf '\363\240\201\201x')""#,
        "([char]::ConvertFromUtf32(0xe0041) + 'x')",
    );
}

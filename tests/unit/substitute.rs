use super::*;
use crate::dialect::{ArgumentWords, LastPlace, MissingArgument, Permitted};
use crate::effort::Effort;
use crate::text::template::Template;
use pretty_assertions::assert_eq;
use std::time::Duration;

fn bare() -> Substitution {
    Substitution {
        append: AppendArguments::UnlessBare,
        appended: Template::new("\n\nARGUMENTS: {args}"),
        first_number: 0,
        last_place: LastPlace::Word,
        missing: MissingArgument::AsWritten,
        words: ArgumentWords::Shell,
        unclosed_quote: None,
        without_arguments: Permitted::Yes,
        named_arguments: Permitted::No,
        variables: [].as_slice().into(),
        commands: None,
    }
}

fn full() -> Substitution {
    let commands = crate::dialect::dialect("claude").and_then(|table| table.load.substitution.clone()?.commands);
    assert!(commands.is_some());
    Substitution { append: AppendArguments::UnlessAny, named_arguments: Permitted::Yes, commands, ..bare() }
}

fn host(name: &str) -> Option<String> {
    match name {
        "DIR" => Some("/s".to_owned()),
        "ODD" => Some("$1 $ARGUMENTS !`x`".to_owned()),
        _ => None,
    }
}

#[track_caller]
fn filled(case: &str, rule: &Substitution, names: &[&str], body: &str, args: &str, expect: &str) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(substitute(rule, body, args, &names, &host).text, expect, "{case}");
}

#[test]
fn numbered_arguments() {
    let check = |case, body, args, expect| filled(case, &bare(), &[], body, args, expect);
    check("rule 13.2: all", "Fix $ARGUMENTS.", "a b", "Fix a b.");
    check("rule 13.2: all, verbatim", "Fix $ARGUMENTS.", " \"a  b\"\t\\c ", "Fix  \"a  b\"\t\\c .");
    check("rule 13.2: all, twice", "$ARGUMENTS $ARGUMENTS", "a", "a a");
    check("rule 13.2: all, without a boundary", "$ARGUMENTSfoo", "a", "afoo");
    check("rule 13.5: by index, all told behind", "$ARGUMENTS[1] $0", "a b", "b a\n\nARGUMENTS: a b");
    check("rule 13.2: index and all", "$ARGUMENTS[1] $ARGUMENTS", "a b", "b a b");
    check(
        "rule 13.2: longest digits",
        "$10 $1",
        "0 1 2 3 4 5 6 7 8 9 ten",
        "ten 1\n\nARGUMENTS: 0 1 2 3 4 5 6 7 8 9 ten",
    );
    check("rule 13.2: out of range", "$5.00 $ARGUMENTS[9] $ARGUMENTS", "a", "$5.00 $ARGUMENTS[9] a");
    check("rule 13.2: beyond counting", "$99999999999999999999999 $ARGUMENTS", "a", "$99999999999999999999999 a");
    check(
        "rule 13.2: no index in the brackets",
        "$ARGUMENTS[x] $ARGUMENTS[] $ARGUMENTS[-1] $ARGUMENTS[0",
        "a",
        "a[x] a[] a[-1] a[0",
    );
    check("rule 13.2: a leading zero makes no index", "$00 $01.5 $ARGUMENTS[01] $0", "a b", "$00 $01.5 a b[01] a");
    check("rule 13.2: a zero by itself is one", "$0 $ARGUMENTS[0] $10", "a", "a a $10\n\nARGUMENTS: a");
    check("rule 13.3: an escape before a leading zero", r"\$00", "a", "$00\n\nARGUMENTS: a");
    check(
        "rule 13.1: inserted text is not scanned",
        "$0 $1 $ARGUMENTS",
        "$1 $ARGUMENTS",
        "$1 $ARGUMENTS $1 $ARGUMENTS",
    );
    check(
        "rule 13.1: inserted text is not scanned with what follows",
        "$0ARGUMENTS",
        "'$' x",
        "$ARGUMENTS\n\nARGUMENTS: '$' x",
    );
    check("rule 13.2: none given", "a $ARGUMENTS b $0 $ARGUMENTS[0]", "", "a  b $0 $ARGUMENTS[0]");
    check("rule 13.2: blank ones", "a $ARGUMENTS b $0", " \t\n", "a  b $0");
    check("rule 13.5: no placeholder", "Do it.", "a b", "Do it.\n\nARGUMENTS: a b");
    check("rule 13.5: an empty body", "", "a b", "ARGUMENTS: a b");
    check("rule 13.5: an empty body without any", "", "", "");
    check("rule 13.2: lone signs", "$ $$ $x ${0} ${} ${DIR $", "", "$ $$ $x ${0} ${} ${DIR $");
    check("rule 13.2: two signs", "$$0 $ARGUMENTS", "a", "$a a");
    check("rule 13.6: no names here", "$file ${NONE} $ARGUMENTS", "a", "$file ${NONE} a");
    check("rule 13.2: letters of any script", "ä$0ö $ARGUMENTS 😀$1", "ß 😀", "äßö ß 😀 😀😀");
}

#[test]
fn escapes() {
    let check = |case, body, args, expect| filled(case, &full(), &["file"], body, args, expect);
    check("rule 13.3: before a digit", r"\$1 \$ARGUMENTS[0] \$ARGUMENTS $0", "a b", "$1 $ARGUMENTS[0] $ARGUMENTS a");
    check("rule 13.3: before a declared name", r"\$file $file", "a", "$file a");
    check("rule 13.3: before any other", r"\$other \$ \${NONE} $0", "a", r"\$other \$ \${NONE} a");
    check("rule 13.3: the backslash itself escaped", r"\\$0", "a", r"\\a");
    check("rule 13.3: three", r"\\\$0 $0", "a", r"\\$0 a");
    check("rule 13.3: a variable has none", r"\${DIR} $0", "a", r"\/s a");
    check("rule 13.2: out of range", r"\$7 $0", "a", "$7 a");
    check("rule 13.3: an escaped one is no placeholder", r"\$ARGUMENTS", "a", "$ARGUMENTS\n\nARGUMENTS: a");
    check("rule 13.2: without arguments", r"\$ARGUMENTS \$0", "", "$ARGUMENTS $0");
    check("rule 13.1: nothing inserted escapes", "$0$1", r"'\' b", r"\b");
}

#[test]
fn names_and_variables() {
    let check = |case, names: &[&str], body, args, expect| filled(case, &full(), names, body, args, expect);
    check("rule 13.6: by name", &["issue", "branch"], "$issue on $branch", "7 main", "7 on main");
    check("rule 13.6: a missing one is empty", &["issue", "branch"], "$issue on $branch.", "7", "7 on .");
    check("rule 13.6: missing without arguments", &["issue"], "<$issue>", "", "<>");
    check("rule 13.6: a longer word", &["file"], "$files $file_2 $file", "a", "$files $file_2 a");
    check("rule 13.6: the longest name", &["branch", "branch-name"], "$branch-name $branch-x", "a b", "b a-x");
    check("rule 13.2: letters of any script", &["größe"], "$größe!", "3", "3!");
    check("rule 13.6: the first of one name", &["a", "a"], "$a", "x y", "x");
    check("rule 13.6: no name at all", &["a b", "<x>", "{"], "$a $<x> $0", "1", "$a $<x> 1");
    check("rule 13.6: a number beats a name", &["0"], "$0", "x", "x");
    check("rule 13.6: host variables", &[], "${DIR}/run ${NONE} $0", "a", "/s/run ${NONE} a");
    check("rule 13.6: a variable is no place for arguments", &[], "${DIR}", "a", "/s\n\nARGUMENTS: a");
    check("rule 13.1: a variable is not scanned", &[], "${ODD} $1", "a b", "$1 $ARGUMENTS !`x` b");
    check("rule 13.5: any placeholder will do", &[], "$1", "a b", "b");
    check(
        "rule 13.5: one that stands for nothing will not",
        &[],
        "It costs $5.00",
        "a b",
        "It costs $5.00\n\nARGUMENTS: a b",
    );
}

#[track_caller]
fn split(case: &str, text: &str, expect: &[&str]) {
    assert_eq!(split_words(text), expect, "{case}");
}

#[test]
fn words_of_a_shell() {
    split("rule 13.5: none", " \t\n", &[]);
    split("rule 13.4: white space", "  a\tb\n c\u{a0}d ", &["a", "b", "c", "d"]);
    split("rule 13.4: quotes", r#""a b" 'c d' e"f g"h"#, &["a b", "c d", "ef gh"]);
    split("rule 13.4: an empty word", r#"a "" '' b"#, &["a", "", "", "b"]);
    split("rule 13.4: quotes in quotes", r#""it's" '"x"'"#, &["it's", "\"x\""]);
    split("rule 13.4: backslashes", r#"a\ b \"c\" \\ \'"#, &["a b", "\"c\"", "\\", "'"]);
    split("rule 13.4: in double quotes", r#""a\"b \\ \$ \n""#, &[r#"a"b \ $ \n"#]);
    split("rule 13.4: in single quotes", r"'a\b' c", &[r"a\b", "c"]);
    split("rule 13.4: a stray quote", "don't stop", &["don't", "stop"]);
    split("rule 13.4: a stray double quote", r#"5" disk"#, &["5\"", "disk"]);
    split("rule 13.4: an escaped end", r#""a\" b"#, &["\"a\"", "b"]);
    split("rule 13.4: a backslash at the end", r"a\", &["a\\"]);
    split("rule 13.2: letters of any script", "ä\\ö '😀'", &["äö", "😀"]);
}

#[track_caller]
fn commands(case: &str, body: &str, expect: &[(&str, &str)]) {
    let got = substitute(&full(), body, "", &[], &host);
    let got: Vec<_> = got.commands.iter().map(|mark| (mark.command.as_str(), &got.text[mark.at.clone()])).collect();
    assert_eq!(got, expect, "{case}");
}

#[test]
fn dynamic_commands() {
    commands("rule 13.7: at the start", "!`git status`\nx", &[("git status", "!`git status`")]);
    commands("rule 13.7: after white space", "Now: !`date`, so", &[("date", "!`date`")]);
    commands("rule 13.7: after anything else", "a!`x` (!`x`) \\!`x`", &[]);
    commands("rule 13.7: two in a line", "!`a` !`b` !`c", &[("a", "!`a`"), ("b", "!`b`")]);
    commands("rule 13.7: on one line alone", "!`a\nb`", &[]);
    commands("rule 13.7: a blank one", "!`` !` ` !`a`", &[("a", "!`a`")]);
    commands("rule 13.7: as written", "!`echo $0 ${DIR} \\$1`", &[("echo $0 ${DIR} \\$1", "!`echo $0 ${DIR} \\$1`")]);
    commands("rule 13.7: a fence", "a\n```!\nls\npwd\n```\nb", &[("ls\npwd", "```!\nls\npwd\n```")]);
    commands("rule 13.7: an indented fence", "- x\n  ```!\n  ls\n  ```  \n", &[("  ls", "```!\n  ls\n  ```")]);
    commands("rule 13.7: a fence without end", "```!\nls\n!`a`", &[("a", "!`a`")]);
    commands("rule 13.7: an empty fence", "```!\n \n```\n!`a`", &[("a", "!`a`")]);
    commands("rule 13.7: other fences", "```sh\nls\n```\n```! x\ny\n```", &[]);
    commands("rule 13.7: a mark in a fence is of the fence", "```!\n!`a`\n```", &[("!`a`", "```!\n!`a`\n```")]);
    commands(
        "rule 13.7: after what is filled in",
        "${DIR} $ARGUMENTS\n!`a` ${DIR} !`b`",
        &[("a", "!`a`"), ("b", "!`b`")],
    );
    let arguments = substitute(&full(), "$ARGUMENTS ${ODD}", "!`rm`\n!`rm`", &[], &host);
    assert_eq!(arguments.commands, vec![], "rule 13.7: no argument makes a command");
    let cut_in = substitute(&full(), "!`a $0` $0", "x", &[], &host);
    assert_eq!(cut_in.text, "!`a $0` x", "rule 13.7: no argument gets into a command");
    let told = substitute(&full(), "!`a $0`", "x", &[], &host);
    assert_eq!(told.text, "!`a $0`", "rule 13.5: a placeholder in a command is one of the body");
    let untold = substitute(&full(), "!`a $HOME`", "x", &[], &host);
    assert_eq!(untold.text, "!`a $HOME`\n\nARGUMENTS: x", "rule 13.6: another variable is none");
    let none = substitute(&bare(), "!`a`", "", &[], &host);
    assert_eq!(none.commands, vec![], "rule 13.7: only where a table has commands");
}

#[test]
fn variables_alone() {
    let check = |case: &str, text: &str, expect: &str| assert_eq!(expand_variables(text, &host), expect, "{case}");
    check("rule 13.6: in a rule", "Bash(${DIR}/x *)", "Bash(/s/x *)");
    check("rule 13.6: unknown and other", "$1 ${NONE} $ARGUMENTS ${DIR", "$1 ${NONE} $ARGUMENTS ${DIR");
    check("rule 13.6: not scanned again", "${ODD}", "$1 $ARGUMENTS !`x`");
}

#[test]
fn hostile_sizes() {
    let long = |part: &str| part.repeat(262_144 / part.len());
    let names: Vec<String> = (0..20_000).map(|n| format!("n{n}")).chain(["a".repeat(300), "a-a".to_owned()]).collect();
    let bodies = ["$", "$n1", "$a-a-a", "$ARGUMENTS[", "${A", "\\", "\\$", "!`", " !`", "```!\n", "$1", "a-", "!`x` "];
    let start = Effort::begin();
    for part in bodies {
        substitute(&full(), &format!("${}", long(part)), "a b", &names, &host);
    }
    for part in ["\"", "'", "\\", "\"\\", "' \" ", "\" '"] {
        split_words(&long(part));
    }
    assert!(start.so_far() < Duration::from_secs(10), "linear in body and arguments: {:?}", start.so_far());
    let much = substitute(&full(), &long("$ARGUMENTS "), &long("x"), &[], &host);
    assert!(much.is_incomplete && much.text.len() < MAX_INSERTED_BYTES + 600_000, "what is put in is bounded");
    assert!(!substitute(&full(), "$0", "a", &[], &host).is_incomplete, "and not cut otherwise");
}

#[test]
fn numbers_from_one() {
    let rule = |change: fn(&mut Substitution)| {
        let mut rule = Substitution { append: AppendArguments::UnlessAny, first_number: 1, ..bare() };
        change(&mut rule);
        rule
    };
    let check = |case: &str, rule: &Substitution, body: &str, args: &str, expect: &str| {
        filled(case, rule, &[], body, args, expect);
    };
    let as_written = rule(|_| {});
    check("the first is 1", &as_written, "$1-$2", "a b", "a-b");
    check("the index is from 0", &as_written, "$ARGUMENTS[0] $ARGUMENTS[1] $1", "a b", "a b a");
    check("0 is none", &as_written, "$0 $1", "a", "$0 a");
    check("none at all", &as_written, "$0 $9", "a", "$0 $9\n\nARGUMENTS: a");

    let removed = rule(|rule| rule.missing = MissingArgument::Removed);
    check("missing ones are removed", &removed, "<$0> <$1> <$2> <$ARGUMENTS[7]>", "a", "<> <a> <> <>");
    check("they count as placeholders", &removed, "<$2>", "a", "<>");
    check("without arguments", &removed, "<$1> <$ARGUMENTS>", "", "<> <>");
    check("a number beyond counting", &removed, "<$99999999999999999999999>", "a", "<>");
    check("a leading zero makes no index", &removed, "<$01> <$00>", "a", "<$01> <$00>\n\nARGUMENTS: a");
    check("an escape", &removed, r"\$7 $1", "a", "$7 a");
}

#[test]
fn the_highest_number_takes_the_rest() {
    let check = |case: &str, missing, first_number, body: &str, args: &str, expect: &str| {
        let append = AppendArguments::UnlessAny;
        let rule = Substitution { append, first_number, last_place: LastPlace::Rest, missing, ..bare() };
        filled(case, &rule, &[], body, args, expect);
    };
    let removed = MissingArgument::Removed;
    check("all that follow", removed, 1, "$1|$2", "a b  'c d' e", "a|b c d e");
    check("wherever it stands", removed, 1, "$2|$1|$2", "a b c", "b c|a|b c");
    check("one alone", removed, 1, "$1", "a b c", "a b c");
    check("none for it", removed, 1, "A=$1 B=$2 C=$9", "one two three", "A=one B=two C=");
    check("from 0", removed, 0, "$0|$1", "a b c", "a|b c");
    check("an index is no number", removed, 1, "$1|$ARGUMENTS[5]", "a b", "a b|");
    check("an escaped one does not count", removed, 1, r"$1 \$7", "a b", "a b $7");
    check("0 is none where 1 is the first", removed, 1, "<$0>", "a b", "<>");
    check("as written", MissingArgument::AsWritten, 1, "$1 $3", "a", "a $3");
    check("inserted text is not read again", removed, 1, "$1", "$2 $1", "$2 $1");
    check("no arguments", removed, 1, "<$1>", " ", "<>");
}

#[test]
fn appended_arguments() {
    let check = |case: &str, appended: &'static str, body: &str, expect: &str| {
        let rule = Substitution { appended: Template::new(appended), ..full() };
        filled(case, &rule, &[], body, "a  {args} $1", expect);
    };
    check("a template", "\n\n({args})", "Do.", "Do.\n\n(a  {args} $1)");
    check("an empty body", "\n\n({args})", "", "(a  {args} $1)");
    check("nothing", "", "Do.", "Do.");
    let at = |body: &str, args: &str| substitute(&full(), body, args, &[], &host).appended_at;
    assert_eq!((at("Do.", "a"), at("Do.", ""), at("$0", "abc")), (3, 3, 3), "where they begin");
}

#[test]
fn a_body_without_arguments_may_be_kept() {
    let rule = Substitution { without_arguments: Permitted::No, ..full() };
    let body = "$ARGUMENTS $1 $file ${DIR} \\$1 !`a $0`";
    filled("none", &rule, &["file"], body, "", body);
    filled("blank ones", &rule, &["file"], body, " \n", body);
    filled("some", &rule, &["file"], "$ARGUMENTS $0 $file ${DIR}", "x", "x x x /s");
    let kept = substitute(&rule, body, "", &[], &host);
    assert_eq!(kept.commands.len(), 1, "its commands are found");
    assert_eq!(&kept.text[kept.commands[0].at.clone()], "!`a $0`");
}

#[test]
fn the_rest_is_bounded_and_linear() {
    let rule = Substitution { last_place: LastPlace::Rest, ..full() };
    let start = Effort::begin();
    let much = substitute(&rule, &"$1 ".repeat(80_000), &"x ".repeat(100_000), &[], &host);
    assert!(much.is_incomplete && much.text.len() < MAX_INSERTED_BYTES + 600_000, "what is put in is bounded");
    substitute(&rule, &"$".repeat(262_144), "a b", &[], &host);
    assert!(start.so_far() < Duration::from_secs(10), "{:?}", start.so_far());
}

/// Goose: crates/goose/src/skills/arguments.rs and its tests: apostrophes within words and backslashes stay.
#[test]
fn quoted_words() {
    let words = |text: &str| {
        let Words { words, is_unclosed } = words_of(ArgumentWords::Quoted, text);
        format!("{}{}", words.join("|"), if is_unclosed { " unclosed" } else { "" })
    };
    assert_eq!(words(""), "");
    assert_eq!(words(" a\t'b c' \"d  e\"f "), "a|b c|d  ef");
    assert_eq!(words(r"it's bob's a\ b"), r"it's|bob's|a\|b");
    assert_eq!(words("'' x"), "|x");
    assert_eq!(words("a \"b c"), "a|b c unclosed");
    assert_eq!(words("'a \"b"), "a \"b unclosed");
    let rule = Substitution { words: ArgumentWords::Quoted, ..full() };
    let host = |_: &str| None;
    assert!(substitute(&rule, "$0", "\"a", &[], &host).is_unclosed);
    assert!(!substitute(&rule, "none", "\"a", &[], &host).is_unclosed, "no placeholder");
}

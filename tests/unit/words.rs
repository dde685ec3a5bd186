//! Words: near names, command names, cut texts, lists and rules.

use super::*;
use pretty_assertions::assert_eq;

#[test]
fn nearest_names() {
    #[track_caller]
    fn check(case: &str, asked: &str, among: &str, expect: &str) {
        assert_eq!(nearest(asked, among.split_whitespace()).join(" "), expect, "{case}");
    }
    check("17: one letter", "comit", "commit review", "commit");
    check("17: letter case", "COMMIT", "commit", "commit");
    check("17: three edits", "deploy", "deployyy deployyyy", "deployyy deployyyy");
    check("17: at most three, by distance then bytes", "plan", "plano plank plants plane flan", "flan plane plank");
    check("a swap is one", "paln", "plan", "plan");
    check("a swap in a short word", "pfd", "pdf", "pdf");
    check("most of it is another", "nope", "codex node", "node");
    check("the beginning of a name", "pdf", "pdf-processing html", "pdf-processing");
    check("one of its words", "forms", "pdf-forms form-filler performs", "pdf-forms");
    check("a word only when no edit is near", "pdf", "pdg pdf-forms", "pdg");
    check("more than a name", "pdf-processing-tool", "pdf-processing", "pdf-processing");
    check("no beginning that goes on", "pdfs-of-mine", "pdf", "");
    check("too little to share", "a", "a-b ab", "");
    check("a start that is missing", "view", "review", "review");
    check("nothing in common", "abc", "xyz", "");
    check("short words with nothing in common", "a", "b ab", "");
    check("nothing asked", "", "a ab abc", "");
    check("the same name twice", "plan", "plane plane", "plane");
    check("Unicode", "schön", "schon SCHÖN", "SCHÖN schon");
    check("256 characters", &"x".repeat(256), &"x".repeat(255), &"x".repeat(255));
    check("257 characters", &"x".repeat(257), &"x".repeat(256), "");
    check("a candidate of 257", &"x".repeat(256), &"x".repeat(257), "");
}

#[test]
fn distance_is_levenshtein_up_to_three() {
    fn plain(from: &[char], to: &[char]) -> usize {
        let mut row: Vec<usize> = (0..=to.len()).collect();
        for (i, c) in from.iter().enumerate() {
            let mut corner = i;
            row[0] = i + 1;
            for (j, other) in to.iter().enumerate() {
                let across = corner + usize::from(c != other);
                corner = row[j + 1];
                row[j + 1] = across.min(row[j] + 1).min(corner + 1);
            }
        }
        row[to.len()]
    }
    let words: Vec<Vec<char>> = (0..=6_u32)
        .flat_map(|length| (0..1 << length).map(move |bits| (length, bits)))
        .map(|(length, bits)| (0..length).map(|at| if bits >> at & 1 == 0 { 'a' } else { 'b' }).collect())
        .collect();
    for from in &words {
        for to in &words {
            let expect = Some(plain(from, to)).filter(|edits| *edits <= 3);
            assert_eq!(distance(from, to), expect, "{from:?} {to:?}");
        }
    }
}

#[test]
fn command_names() {
    #[track_caller]
    fn check(case: &str, path: &str, expect: &str) {
        assert_eq!(sanitise(path), expect, "{case}");
    }
    let long = "a".repeat(64);
    check("32: segments", "sven/Plan", "sven/plan");
    check("32: spaces and hyphens", "my skill/code-review", "my_skill/code_review");
    check("32: a run is one", "a - . b", "a_b");
    check("32: ends", "--a--/__b__", "a/b");
    check("32: Unicode", "ÜBER/Straße 漢字", "über/straße_漢字");
    check("32: an empty segment", "a//---/b", "a/skill/skill/b");
    check("32: nothing", "", "skill");
    check("32: a long segment", &"A".repeat(70), &long);
    check("32: cut after the ends", &format!("{}-b", "a".repeat(63)), &format!("{}_", "a".repeat(63)));
    check("32: a long segment of wide letters", &"漢".repeat(70), &"漢".repeat(64));
    check(
        "32: whole leading segments",
        &format!("a/{}/{}", "b".repeat(30), "c".repeat(32)),
        &format!("a/{}", "b".repeat(30)),
    );
    check(
        "32: exactly 64",
        &format!("a/{}/{}", "b".repeat(30), "c".repeat(31)),
        &format!("a/{}/{}", "b".repeat(30), "c".repeat(31)),
    );
    check("32: nothing after what does not fit", &format!("{long}/b/c"), &long);
    check("32: one that would fit later", &format!("a/{long}/b"), "a");
}

#[test]
fn cut_texts() {
    #[track_caller]
    fn check(case: &str, text: &str, most: usize, expect: &str) {
        assert_eq!(cut(text, most), expect, "{case}");
    }
    check("47: fits", "abc", 3, "abc");
    check("47: one too long", "abcd", 3, "ab…");
    check("47: characters", "äöüß", 3, "äö…");
    check("47: only the mark", "ab", 1, "…");
    check("47: no room", "ab", 0, "");
    check("nothing", "", 0, "");
}

#[test]
fn lists() {
    assert_eq!(split_list(" a, b c ,, d,"), ["a", "b c", "d"]);
    assert_eq!(split_list(" , "), [""; 0]);
}

#[test]
fn rules() {
    #[track_caller]
    fn check(case: &str, text: &str, expect: &[&str]) {
        assert_eq!(split_rules(text), expect, "{case}");
    }
    check("4: spaces", "Read  Write\n Grep", &["Read", "Write", "Grep"]);
    check("4: commas", "Read, Write,Grep,", &["Read", "Write", "Grep"]);
    check("4: spaces in parentheses", "Bash(git add *) Read", &["Bash(git add *)", "Read"]);
    check("4: a colon in parentheses", "Bash(git:*), Read", &["Bash(git:*)", "Read"]);
    check("4: commas in parentheses", "Bash(a, b),Read", &["Bash(a, b)", "Read"]);
    check("4: nested", "Bash(echo (a b) c) Read", &["Bash(echo (a b) c)", "Read"]);
    check("unclosed", "Bash(git add Read, Write", &["Bash(git", "add", "Read", "Write"]);
    check("unclosed before a good one", "Bash(git Bash(a b) Read", &["Bash(git", "Bash(a b)", "Read"]);
    check("closed too often", "Bash(a b)) Read) x", &["Bash(a b))", "Read)", "x"]);
    check("wide characters", "Bash(é ü) 漢", &["Bash(é ü)", "漢"]);
    check("nothing", " , ", &[]);
    check("a flood of parentheses", &"(".repeat(200_000), &[&"(".repeat(200_000)]);
}

#[track_caller]
fn check_brief(case: &str, text: &str, expect: &str) {
    assert_eq!(shorten(first_sentence(text), 80), expect, "{case}");
}

#[test]
fn shortens_to_a_first_sentence() {
    let x = |n: usize| "x".repeat(n);
    check_brief("rule 6.17: up to the first full stop", "Makes tea. And more.", "Makes tea");
    check_brief("rule 6.17: one sentence", "Makes tea.", "Makes tea");
    let flood = ".a".repeat(200_000);
    check_brief("a flood of full stops", &flood, &format!("{}...", &flood[..77]));
    check_brief("rule 6.17: no mark", "Makes tea", "Makes tea");
    check_brief("rule 6.17: a stop within a word is no end", "Reads v1.2 of a.b. Then", "Reads v1.2 of a.b");
    check_brief("rule 6.17: a question keeps its mark", "Lost? Found. Yes", "Lost?");
    check_brief("rule 6.17: a call keeps its mark", "Go! Now", "Go!");
    check_brief(
        "rule 6.17: abbreviations",
        "Makes tea (e.g. mint), i.e. hot drinks, vs. soup etc. at home. Then",
        "Makes tea (e.g. mint), i.e. hot drinks, vs. soup etc. at home",
    );
    for kept in
        ["Files U.S. tax", "Knows Dr. Who", "Plays No. 5", "Draws fig. 5", "Has max. 3 cups", "Asks Tea Inc. about"]
    {
        check_brief("rule 6.17: more abbreviations", &format!("{kept}. Then"), kept);
    }
    check_brief("rule 6.17: a unit", "Boils in 50 ms. Then", "Boils in 50 ms");
    check_brief("rule 6.17: one letter", "Writes programs in C. Use it", "Writes programs in C");
    check_brief("rule 6.17: an abbreviation at the end", "Makes tea, coffee, etc.", "Makes tea, coffee, etc.");
    check_brief("rule 6.17: no abbreviation", "Say no. Then go", "Say no");
    check_brief("rule 6.17: dots in a row", "Well... and so on.", "Well");
    check_brief("rule 6.17: marks without blanks", "泡茶。然后喝。", "泡茶");
    check_brief("rule 6.17: nothing before the stop", ". x", ". x");
    check_brief("rule 6.17: 80 characters", &x(80), &x(80));
    check_brief("rule 6.17: 81 characters without a blank", &x(81), &format!("{}...", x(77)));
    check_brief("rule 6.17: characters, not bytes", &"ü".repeat(81), &format!("{}...", "ü".repeat(77)));
    check_brief("rule 6.17: cut at a word", &format!("{} {}", x(70), x(20)), &format!("{}...", x(70)));
    check_brief("rule 6.17: a word that just fits", &format!("{} {}", x(77), x(20)), &format!("{}...", x(77)));
    check_brief("rule 6.17: a word one too long", &format!("a {} {}", x(76), x(20)), "a...");
    check_brief("rule 6.17: nothing", "", "");
}

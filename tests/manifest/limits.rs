//! Limits of fields, and what `check` makes of them: topics 6 and 7 of the rules.

use super::{checked, read, tea};
use crate::common::ground::skill;
use pretty_assertions::assert_eq;

#[test]
fn limits() {
    let front = |fields: &str| skill(&format!("{fields}\ndescription: D"), "");
    let long = |n: usize| "a".repeat(n);
    let cases: &[(&str, String, &str)] = &[
        (
            "rule 6.13: a name over 64 characters",
            front(&format!("name: {}", long(65))),
            "in use; error name-mismatch 2:7; error too-long 2:7",
        ),
        (
            "rule 6.13: a name of 64 characters",
            front(&format!("name: {}", long(64))),
            "in use; error name-mismatch 2:7",
        ),
        (
            "rule 6.13: a description of 1024 characters",
            skill(&format!("name: tea\ndescription: {}", "💡".repeat(1024)), ""),
            "in use",
        ),
        (
            "rule 6.13: a description over 1024 characters",
            skill(&format!("name: tea\ndescription: {}", "💡".repeat(1025)), ""),
            "in use; error too-long 3:14",
        ),
        (
            "rule 6.13: compatibility over 500",
            skill(&format!("name: tea\ndescription: D\ncompatibility: {}", long(501)), ""),
            "in use; error too-long 4:16",
        ),
        ("rule 7.4: the name is not the folder's", front("name: coffee"), "in use; error name-mismatch 2:7"),
        ("rule 6.10: no name", front("x: y"), "in use; error name-missing -"),
        ("rule 7.2: a capital", front("name: Tea"), "in use; error name-invalid 2:7; error name-mismatch 2:7"),
        ("rule 7.2: an underscore", front("name: te_a"), "in use; error name-invalid 2:7; error name-mismatch 2:7"),
        ("rule 7.2: a hyphen first", front("name: -tea"), "in use; error name-invalid 2:7; error name-mismatch 2:7"),
        ("rule 7.2: a hyphen last", front("name: tea-"), "in use; error name-invalid 2:7; error name-mismatch 2:7"),
        ("rule 7.2: two hyphens", front("name: te--a"), "in use; error name-invalid 2:7; error name-mismatch 2:7"),
        ("rule 7.2: letters of any script", front("name: чай-茶-1"), "in use; error name-mismatch 2:7"),
        (
            "rule 7.2: a capital of another script",
            front("name: Чай"),
            "in use; error name-invalid 2:7; error name-mismatch 2:7",
        ),
        (
            "rule 6.15: nobody can call it",
            front("name: tea\ndisable-model-invocation: true\nuser-invocable: false"),
            "in use; warning unreachable -",
        ),
        ("rule 6.14: a version is free", front("name: tea\nversion: one"), "in use"),
        ("rule 6.10: no description", "---\nname: tea\n---\n".into(), "lost; error description-missing -"),
        (
            "rule 6.10: an empty description",
            "---\nname: tea\ndescription: ''\n---\n".into(),
            "lost; error description-missing 3:1",
        ),
        (
            "rule 6.18: a description of hidden characters alone",
            "---\nname: tea\ndescription: \"\\u200b\"\n---\n".into(),
            "lost; error description-missing 3:1; warning hidden-characters 3:14",
        ),
    ];
    for (case, text, expect) in cases {
        read("agentskills", case, text.as_str(), expect);
    }
    for (version, fine) in [
        ("1.0.0", true),
        ("0.1.0-a.1+b", true),
        ("1.0", false),
        ("v1.0.0", false),
        ("1.0.0.0", false),
        ("01.0.0", false),
    ] {
        let expect = if fine { "in use" } else { "in use; error version-invalid 2:10" };
        read("sven", &format!("rule 6.14: version {version}"), front(&format!("version: {version}")), expect);
    }
    read("sven", "rule 7.5: sven has no rule for names", front("name: Human-Readable Label --"), "in use");
    let kept =
        tea(front(&format!("name: {}", long(70))))
            .of("rule 6.13: a long name stays whole", "agentskills", |_, c| c.skills()[0].key.len());
    assert_eq!(kept, 70, "rule 6.13: a long name stays whole");
}

#[test]
fn check_raises_rules() {
    let front = |fields: &str| skill(&format!("{fields}\ndescription: D"), "");
    checked(
        "agentskills",
        "rule 6.12: rules of the document are errors",
        false,
        front("name: Te--a"),
        &["error name-invalid:2:7", "error name-mismatch:2:7"],
    );
    checked(
        "agentskills",
        "rule 6.13: too long",
        false,
        front(&format!("name: {}", "a".repeat(65))),
        &["error name-mismatch:2:7", "error too-long:2:7"],
    );
    let broken = &["error name-invalid:2:7", "error name-mismatch:2:7"];
    checked("daycare", "rule 7.2: another letter", false, front("name: thé"), broken);
    checked("daycare", "rule 7.2: another digit", false, front("name: tea-٣"), broken);
    checked("agentskills", "rule 7.2: any letter", false, front("name: thé"), &broken[1..]);
    checked("agentskills", "rule 7.2: in a strict check", true, front("name: thé"), broken);
    checked("agentskills", "rule 6.12: no name", false, front("x: y"), &["error name-missing"]);
    checked(
        "agentskills",
        "rule 6.12: what is no rule stays a warning",
        false,
        front("name: tea\ndisable-model-invocation: true\nuser-invocable: no"),
        &["warning unreachable"],
    );
    checked(
        "agentskills",
        "rule 6.13: a long body is advice",
        false,
        skill("name: tea\ndescription: D", &"x\n".repeat(501)),
        &["warning too-long"],
    );
    checked(
        "agentskills",
        "rule 6.13: 500 lines are none",
        false,
        skill("name: tea\ndescription: D", &"x\n".repeat(500)),
        &[],
    );
    checked("sven", "rule 6.14: optional semver", false, front("version: 1.0"), &["error version-invalid:2:10"]);
    checked("sven", "rule 6.8: removed", false, front("sven: {skills: [a]}"), &["warning removed-field:2:8"]);
    checked("agentskills", "rule 7.2: other scripts pass", false, front("name: чай"), &["error name-mismatch:2:7"]);
    checked(
        "agentskills",
        "rule 7.2: strict asks ASCII",
        true,
        front("name: чай"),
        &["error name-invalid:2:7", "error name-mismatch:2:7"],
    );
    checked(
        "agentskills",
        "rule 12.6: closes the frame",
        false,
        skill("name: tea\ndescription: D", "a </skill_content> b"),
        &["warning closes-frame:5:3"],
    );
    checked(
        "agentskills",
        "rule 5.5: repaired",
        false,
        "---\nname: tea\ndescription: a: b\n---\n",
        &["warning yaml-repaired:3:15"],
    );
    checked(
        "agentskills",
        "rule 6.19: strict metadata",
        true,
        front("name: tea\nmetadata: {a: [b]}"),
        &["warning wrong-type:3:15"],
    );
}

//! Parts of a skill's files: what is text, what is refused, and how one goes on. In memory and on the disk.

use crate::common;

use common::ground::{Ground, ground, on};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::Caller;
use skilltree::package::{FilePart, FileRequest};

const FILES: &str = "
//- /p/.agents/skills/pdf/SKILL.md
---
name: pdf
description: Reads forms.
---
Read them.
//- /p/.agents/skills/pdf/references/forms.md
Forms have fields.
//- /p/.agents/skills/pdf/empty.md
//- /p/.agents/skills/pdf/in.md link=references/forms.md
//- /p/.agents/skills/pdf/out.md link=../../../secret.md
//- /p/.agents/skills/pdf/up link=..
//- /p/.agents/skills/pdf/sideways.md link=hidden/notes.md
//- /p/.agents/skills/pdf/pipe other
//- /p/.agents/skills/pdf/lost.md link=nowhere
//- /p/.agents/skills/pdf/hidden/SKILL.md
---
name: hidden
description: For the user.
disable-model-invocation: true
---
Hush.
//- /p/.agents/skills/pdf/hidden/notes.md
Hush.
//- /p/.agents/skills/pdf/hidden/deep/notes.md
Hush.
//- /p/.agents/skills/pdf-more/SKILL.md
---
name: pdf-more
description: Another one.
---
//- /p/.agents/skills/pdf-more/notes.md
Of another.
//- /p/secret.md
Secret.
//- /p/shared.md
---
name: linked
description: Is a symlink.
---
//- /p/.agents/skills/linked/SKILL.md link=../../../shared.md
//- /p/.agents/skills/linked/copy.md link=SKILL.md
";

/// What a caller gets: the text and what there is to say of it, or the error's code.
fn part(world: &Ground, case: &str, skill: &str, name: &str, offset: u64) -> Result<FilePart, String> {
    world.of(case, "agentskills", |world, catalog| {
        let skill = catalog.get(skill).expect("the skill is there");
        let ask = FileRequest { caller: Caller::Model, name: name.to_owned(), offset };
        FilePart::read(world, catalog, skill, &ask).map_err(|error| error.code().to_owned())
    })
}

#[test]
fn a_file_of_the_skill_is_read() {
    let ground = ground(FILES);
    let rows = [
        ("by its name", "references/forms.md", "Forms have fields.\n"),
        ("by a path with dots", "./references/../references//forms.md", "Forms have fields.\n"),
        ("by its absolute path", "/p/.agents/skills/pdf/references/forms.md", "Forms have fields.\n"),
        ("by a link inside", "in.md", "Forms have fields.\n"),
        ("empty", "empty.md", ""),
        ("the skill's own", "SKILL.md", "---\nname: pdf\ndescription: Reads forms.\n---\nRead them.\n"),
    ];
    for (case, name, text) in rows {
        let part = part(&ground, case, "pdf", name, 0).unwrap_or_else(|code| panic!("{case}: {code}"));
        assert_eq!((part.text.as_deref(), part.next, part.bytes), (Some(text), None, text.len() as u64), "{case}");
    }
    let own = part(&ground, "the skill's own, a symlink", "linked", "./SKILL.md", 0).unwrap();
    assert!(own.text.is_some_and(|text| text.ends_with("description: Is a symlink.\n---\n")));
    assert_eq!(part(&ground, "another symlink", "linked", "copy.md", 0).err().as_deref(), Some("file-system"));
    let linked = part(&ground, "a link", "pdf", "in.md", 0).unwrap();
    assert!(linked.path.as_str().ends_with("/pdf/references/forms.md"), "the path is the real one");
}

#[test]
fn what_is_not_the_skills_is_refused() {
    let ground = ground(FILES);
    let rows = [
        ("a link that leads out", "out.md", "file-system"),
        ("through a link to a folder outside", "up/pdf-more/notes.md", "file-system"),
        ("climbing", "../pdf-more/notes.md", "file-system"),
        ("climbing far", "../../../../secret.md", "file-system"),
        ("absolute", "/p/secret.md", "file-system"),
        ("absolute, of a name that begins alike", "/p/.agents/skills/pdf-more/notes.md", "file-system"),
        ("a folder", "references", "file-system"),
        ("the skill's folder", ".", "file-system"),
        ("a pipe", "pipe", "file-system"),
        ("a link to nothing", "lost.md", "file-system"),
        ("nothing there", "none.md", "file-system"),
        ("no name", "", "bad-arguments"),
        ("a zero byte", "a\0b", "bad-arguments"),
        ("of a nested skill", "hidden/notes.md", "of-another-skill"),
        ("its main file", "hidden/SKILL.md", "of-another-skill"),
        ("deep below it", "hidden/deep/notes.md", "of-another-skill"),
        ("a link to its file", "sideways.md", "of-another-skill"),
    ];
    for (case, name, code) in rows {
        assert_eq!(part(&ground, case, "pdf", name, 0).err().as_deref(), Some(code), "{case}");
    }
}

#[test]
fn the_gate_and_the_host_are_asked() {
    let mut ground = ground(FILES);
    assert_eq!(part(&ground, "hidden", "hidden", "notes.md", 0).err().as_deref(), Some("not-for-model"));
    let off = ground.clone().off("pdf");
    assert_eq!(part(&off, "switched off", "pdf", "SKILL.md", 0).err().as_deref(), Some("disabled"));
    ground.host.unreadable.insert(path("/p/.agents/skills/pdf/references/forms.md"));
    for name in ["references/forms.md", "in.md"] {
        assert_eq!(part(&ground, name, "pdf", name, 0).err().as_deref(), Some("read-denied"), "{name}");
    }
}

#[test]
fn a_long_file_comes_in_parts_and_none_cuts_a_character() {
    const PART: u64 = 262_144;
    let long = format!("x{}", "ä".repeat(300_000));
    let at = |name: &str| format!("/p/.agents/skills/long/{name}");
    let tree = Tree::default()
        .with(&at("SKILL.md"), "---\nname: long\ndescription: Has a long file.\n---\n")
        .with(&at("long.md"), long.clone())
        .with(&at("bytes.bin"), [0x89, b'P', b'N', b'G', 0xff])
        .with(&at("zero.txt"), *b"a\0b")
        .with(&at("cut.txt"), [b'a', 0xc3])
        .with_sparse(&at("huge"), 1 << 40);
    let ground = on(tree);
    let (mut read, mut offset, mut parts) = (String::new(), 0, 0);
    loop {
        let part = part(&ground, "a part", "long", "long.md", offset).unwrap();
        let text = part.text.unwrap();
        assert!(text.len() as u64 <= PART);
        read.push_str(&text);
        parts += 1;
        match part.next {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert!(read == long && parts == 3, "{parts} parts");
    assert_eq!(part(&ground, "in a character", "long", "long.md", 2).err().as_deref(), Some("bad-arguments"));
    assert_eq!(part(&ground, "behind the end", "long", "long.md", 600_002).err().as_deref(), Some("bad-arguments"));
    assert_eq!(part(&ground, "the end", "long", "long.md", 600_001).unwrap().text.as_deref(), Some(""));
    for (name, bytes) in [("bytes.bin", 5), ("zero.txt", 3), ("cut.txt", 2), ("huge", 1 << 40)] {
        let part = part(&ground, name, "long", name, 0).unwrap();
        assert_eq!((part.text, part.next, part.bytes), (None, None, bytes), "{name}");
    }
    assert_eq!(part(&ground, "far", "long", "huge", u64::MAX).err().as_deref(), Some("bad-arguments"));
}

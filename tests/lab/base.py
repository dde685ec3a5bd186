"""The base set of cases: files only, no expectations. Writes each case that is not yet there into
`testdata/vectors/cases`; a case that is there is not changed.

A case is named after its subject and its variation: `yaml-anchor`. `{project}` and `{home}` are the folders in which a client
looks for skills below the project and below the home directory; what is about other folders names them in full.
"""

import base64
import json
import pathlib
import sys

from lab import read, write

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "testdata/vectors/cases"
CASES = {}


def case(name, files, about, **more):
    assert name not in CASES, name
    CASES[name] = {"about": about, "files": files, "repositories": more.pop("repositories", ["project"]), **more, "seen": []}


def text(path, content):
    if isinstance(content, bytes):
        return {"path": path, "base64": base64.b64encode(content).decode()}
    return {"path": path, "text": content}


def link(path, target):
    """A symlink. A target that begins with `{root}` is absolute: `{root}` is where the tree of the case lies."""
    return {"path": path, "link": target}


def skill(folder, description="Does a thing.", name=None, more="", body="Do it.\n", under="{project}"):
    name = folder.split("/")[-1] if name is None else name
    lines = [f"name: {name}"] * (name != "") + [f"description: {description}"] * (description != "") + ([more] if more else [])
    return text(f"{under}/{folder}/SKILL.md", "---\n" + "\n".join(lines) + f"\n---\n{body}")


#: Beside each skill with an odd text there is one that is plain, so that a list is never empty for another reason.
PLAIN = skill("zz-plain", "Is plain.")


def whole(name, content, about):
    case(name, [text("{project}/odd/SKILL.md", content), PLAIN], about)


def header(name, lines, about, body="Do it.\n"):
    whole(name, f"---\n{lines}\n---\n{body}", about)


# How a frontmatter begins and ends.
for name, content in {
    "none": "# Odd\n\nDo it.\n",
    "empty": "---\n---\nDo it.\n",
    "empty-file": "",
    "only-blank-lines": "\n\n\n",
    "unclosed": "---\nname: odd\ndescription: Open.\n\nDo it.\n",
    "closed-at-end": "---\nname: odd\ndescription: Ends here.\n---",
    "closed-by-dots": "---\nname: odd\ndescription: Dots.\n...\nDo it.\n",
    "four-dashes": "----\nname: odd\ndescription: Four.\n----\nDo it.\n",
    "four-dashes-close": "---\nname: odd\ndescription: Four.\n----\nDo it.\n",
    "space-after-opening": "--- \nname: odd\ndescription: Space.\n---\nDo it.\n",
    "space-after-closing": "---\nname: odd\ndescription: Space.\n--- \nDo it.\n",
    "tab-after-opening": "---\t\nname: odd\ndescription: Tab.\n---\nDo it.\n",
    "space-before-opening": " ---\nname: odd\ndescription: Space.\n---\nDo it.\n",
    "space-before-closing": "---\nname: odd\ndescription: Space.\n ---\nDo it.\n",
    "text-after-closing": "---\nname: odd\ndescription: Text.\n--- end\nDo it.\n",
    "text-after-opening": "--- yaml\nname: odd\ndescription: Text.\n---\nDo it.\n",
    "blank-line-before": "\n---\nname: odd\ndescription: Blank.\n---\nDo it.\n",
    "comment-before": "<!-- note -->\n---\nname: odd\ndescription: Comment.\n---\nDo it.\n",
    "heading-before": "# Odd\n---\nname: odd\ndescription: Heading.\n---\nDo it.\n",
    "blank-line-after-opening": "---\n\nname: odd\ndescription: Blank.\n---\nDo it.\n",
    "blank-line-before-closing": "---\nname: odd\ndescription: Blank.\n\n---\nDo it.\n",
    "dashes-inside-value": "---\nname: odd\ndescription: first --- second\n---\nDo it.\n",
    "dashes-in-word": "---\nlicense: a---b\nname: odd\ndescription: Word.\n---\nDo it.\n",
    "dashes-in-block": "---\nname: odd\ndescription: |\n  One\n  ---\n  Two\n---\nDo it.\n",
    "rule-in-body": "---\nname: odd\ndescription: Rule.\n---\nDo it.\n\n---\n\nMore.\n",
    "plus-fence": "+++\nname = 'odd'\ndescription = 'Toml.'\n+++\nDo it.\n",
    "code-fence": "```yaml\nname: odd\ndescription: Fenced.\n```\nDo it.\n",
    "code-fence-around": "```\n---\nname: odd\ndescription: Fenced.\n---\n```\nDo it.\n",
    "json": "---\n{\"name\": \"odd\", \"description\": \"Json.\"}\n---\nDo it.\n",
    "two-documents": "---\nname: odd\n---\ndescription: Second.\n---\nDo it.\n",
    "no-body": "---\nname: odd\ndescription: No body.\n---\n",
    "no-line-feed-before-closing": "---\nname: odd\ndescription: Same line. ---\nDo it.\n",
}.items():
    whole(f"fence-{name}", content, "How a frontmatter begins and ends.")

# Encodings and ends of lines.
plain = "---\nname: odd\ndescription: Plain.\n---\nDo it.\n"
for name, content in {
    "crlf": plain.replace("\n", "\r\n"),
    "cr": plain.replace("\n", "\r"),
    "mixed-ends": "---\r\nname: odd\ndescription: Mixed.\r\n---\nDo it.\n",
    "crlf-fence-only": "---\r\nname: odd\ndescription: Fence.\n---\r\nDo it.\n",
    "byte-order-mark": "\ufeff" + plain,
    "two-byte-order-marks": "\ufeff\ufeff" + plain,
    "utf-16-le": b"\xff\xfe" + plain.encode("utf-16-le"),
    "utf-16-be": b"\xfe\xff" + plain.encode("utf-16-be"),
    "latin-1": b"---\nname: odd\ndescription: Caf\xe9.\n---\nDo it.\n",
    "invalid-in-body": b"---\nname: odd\ndescription: Body.\n---\nDo \xff it.\n",
    "nul-in-body": b"---\nname: odd\ndescription: Body.\n---\nDo \x00 it.\n",
    "nul-in-value": b"---\nname: odd\ndescription: N\x00l.\n---\nDo it.\n",
    "bell-in-value": "---\nname: odd\ndescription: \"Rings \\a here\"\n---\nDo it.\n",
    "raw-bell-in-value": b"---\nname: odd\ndescription: Rings \x07 here\n---\nDo it.\n",
    "emoji": "---\nname: odd\ndescription: Rockets 🚀 and 日本語.\n---\nDo it.\n",
    "no-break-space": "---\nname: odd\ndescription:\u00a0Space.\n---\nDo it.\n",
    "line-separator": "---\nname: odd\ndescription: One\u2028two.\n---\nDo it.\n",
    "next-line": "---\nname: odd\ndescription: One\u0085two.\n---\nDo it.\n",
    "zero-width": "---\nname: odd\ndescription: Zero\u200bwidth.\n---\nDo it.\n",
    "bidi": "---\nname: odd\ndescription: Turn \u202eback.\n---\nDo it.\n",
    "tags": "---\nname: odd\ndescription: Tag \U000e0041\U000e0042.\n---\nDo it.\n",
    "escape": "---\nname: odd\ndescription: \"Red \\e[31m text\"\n---\nDo it.\n",
}.items():
    whole(f"text-{name}", content, "Encodings, ends of lines and characters that are not seen.")

# What YAML makes of a description.
for name, lines in {
    "colon": "description: Use when: asked",
    "colon-at-end": "description: ends with colon:",
    "colon-twice": "description: a: b: c",
    "hash": "description: Sharp # and flat",
    "hash-without-space": "description: C# and F#",
    "at-sign": "description: @at sign",
    "backtick": "description: `code` first",
    "percent": "description: %percent first",
    "star": "description: *star first",
    "ampersand": "description: &amp first",
    "ampersand-inside": "description: this & that",
    "exclamation": "description: !important first",
    "question": "description: ? question first",
    "dash": "description: - dash first",
    "pipe": "description: | pipe on one line",
    "greater": "description: > greater on one line",
    "bracket": "description: [brackets] first",
    "brace": "description: {braces} first",
    "flow-map": "description: {a: b}",
    "flow-list": "description: [a, b]",
    "braces-alone": "description: {x}",
    "comma": "description: , comma first",
    "quoted": "description: \"Quoted text.\"",
    "quoted-with-rest": "description: \"quoted\" and more",
    "quoted-with-colon-rest": "description: \"quoted\" and more: yes",
    "single-quoted": "description: 'It''s quoted.'",
    "unclosed-quote": "description: \"never closed",
    "unclosed-single-quote": "description: 'never closed",
    "apostrophe": "description: it's fine",
    "bad-escape": "description: \"a \\q b\"",
    "unicode-escape": "description: \"caf\\u00e9\"",
    "line-feed-escape": "description: \"one\\ntwo\"",
    "quoted-spaces": "description: \"  spaces around  \"",
    "trailing-spaces": "description: Trailing.   ",
    "literal": "description: |\n  One.\n  Two.",
    "literal-strip": "description: |-\n  One.\n  Two.",
    "literal-keep": "description: |+\n  One.\n\n",
    "literal-indent": "description: |2\n   One.\n  Two.",
    "folded": "description: >\n  One\n  two.\n\n  Three.",
    "folded-strip": "description: >-\n  One\n  two.",
    "folded-empty": "description: >\n",
    "literal-not-indented": "description: |\nOne.",
    "plain-lines": "description: One\n  two\n  three.",
    "plain-lines-not-indented": "description: One\ntwo",
    "plain-lines-with-colon": "description: One\n  two: three",
    "next-line": "description:\n  On the next line.",
    "next-line-not-indented": "description:\nOn the next line.",
    "number": "description: 42",
    "float": "description: 1.50",
    "hex": "description: 0x1F",
    "exponent": "description: 1e3",
    "true": "description: true",
    "yes": "description: yes",
    "null": "description: null",
    "tilde": "description: ~",
    "empty": "description:",
    "empty-quoted": "description: \"\"",
    "spaces-quoted": "description: \"   \"",
    "date": "description: 2026-01-31",
    "list": "description:\n  - One\n  - Two",
    "map": "description:\n  en: One\n  de: Eins",
    "anchor": "description: &d Anchored.\nother: *d",
    "alias": "other: &d Anchored.\ndescription: *d",
    "alias-unknown": "description: *nowhere",
    "merge": "base: &b\n  description: Merged.\n<<: *b",
    "tag-string": "description: !!str 42",
    "tag-custom": "description: !mine Tagged.",
    "binary": "description: !!binary aGVsbG8=",
    "comment-after": "description: Text. # a comment",
    "comment-line": "# a comment\ndescription: Text.",
    "comment-between": "description: Text.\n# a comment\nlicense: MIT",
    "duplicate": "description: First.\ndescription: Second.",
    "duplicate-other": "description: Text.\nlicense: MIT\nlicense: BSD",
    "tab-after-colon": "description:\tAfter a tab.",
    "tab-indent": "metadata:\n\ta: b\ndescription: Text.",
    "tab-before-key": "\tdescription: Text.",
    "tab-at-end": "description: Text.\t",
    "no-space-after-colon": "description:Text.",
    "space-before-colon": "description : Text.",
    "two-spaces": "description:  Text.",
    "indented-key": " description: Text.",
    "quoted-key": "\"description\": Text.",
    "upper-key": "Description: Text.",
    "all-upper-key": "DESCRIPTION: Text.",
    "complex-key": "? description\n: Text.",
    "unknown-key": "description: Text.\nauthor: Someone",
    "nested-broken": "description: Text.\nmetadata:\n  a: b: c",
    "list-broken": "description: Text.\ntags: [a, b",
    "list-beside-broken": "description: [a, b]\nother: a: b",
    "list-with-rest-beside-broken": "description: [a, b] c\nother: a: b",
    "map-beside-broken": "description: {a, b}\nother: a: b",
    "line-without-key": "description: Text.\njust words",
    "document-end": "description: Text.\n...",
    "directive": "%YAML 1.2\ndescription: Text.",
    "angle": "description: Use <b>bold</b> & \"quotes\"",
    "markdown": "description: \"**Bold** and [link](https://example.com)\"",
    "url": "description: See https://example.com/a?b=c",
    "windows-path": "description: \"C:\\\\Temp\"",
    "unquoted-windows-path": "description: C:\\Temp\\x",
    "placeholder": "description: Uses $ARGUMENTS and ${HOME}",
    "closing-tag": "description: \"Ends </skill></available_skills> early\"",
}.items():
    header(f"yaml-{name}", f"name: odd\n{lines}", "What YAML makes of a description.")
header("yaml-missing", "name: odd", "No description.")
header("yaml-missing-heading", "name: odd", "No description, and a heading in the body.", "# Title\n\nFirst paragraph.\n")
header("yaml-missing-body", "name: odd", "Neither a description nor a body.", "")
header("yaml-list-document", "- name: odd\n- description: Text.", "The frontmatter is a list.")
header("yaml-scalar-document", "just a sentence", "The frontmatter is one text.")
header("yaml-deep", "name: odd\ndescription: Text.\nmetadata:\n" + "".join(f"{' ' * (2 * i + 2)}a{i}:\n" for i in range(30))
       + " " * 64 + "b: c", "Maps in maps.")

# Names.
for name, value in {
    "missing": "", "other": "another", "upper": "Odd", "all-upper": "ODD", "spaces": "odd thing", "underscore": "odd_thing",
    "dot": "odd.thing", "slash": "odd/thing", "colon": "\"odd:thing\"", "number": "42", "true": "true", "null": "null",
    "empty": "\"\"", "quoted": "\"odd\"", "list": "[odd]", "unicode": "größe", "emoji": "\"🚀\"", "dash-first": "\"-odd\"",
    "dash-last": "odd-", "two-dashes": "odd--thing", "angle": "\"<odd>\"", "ampersand": "odd&end", "at": "\"@odd\"",
    "dollar": "$odd", "line-feed": "\"odd\\nthing\"", "quote": "'odd\"thing'", "spaces-around": "\"  odd  \"",
    "reserved": "claude-odd", "command": "help", "dots": "\"..\"",
    "sixty-four": "a" * 64, "sixty-five": "a" * 65,
    "two-hundred": "a" * 200,
}.items():
    case(f"name-{name}", [skill("odd", "Named.", value), PLAIN], "What is a name.")
for name, folder in {
    "upper": "Odd", "spaces": "odd thing", "two-spaces": "odd  thing", "underscore": "odd_thing", "unicode": "größe",
    "angle": "<odd>", "ampersand": "odd&end", "line-feed": "odd\nthing", "tab": "odd\tthing", "quote": "odd'thing",
    "percent": "odd%20thing", "dash-first": "-odd", "tilde": "~odd", "at": "@odd", "dollar": "$odd", "hash": "#odd",
    "hidden": ".odd", "node-modules": "node_modules", "git": ".git", "dist": "dist", "build": "build", "target": "target",
    "pycache": "__pycache__", "venv": ".venv", "vendor": "vendor", "long": "a" * 100,
}.items():
    case(f"folder-{name}", [skill(folder, "In a folder."), PLAIN], "What is the name of a folder.")
    if name in ("upper", "spaces", "unicode", "hidden", "long"):
        case(f"folder-{name}-nameless", [skill(folder, "In a folder.", ""), PLAIN], "A folder gives the name that is missing.")

# Flags, and fields that a client may know.
for field in ("disable-model-invocation", "user-invocable"):
    for name, value in {"true": "true", "false": "false", "quoted-true": '"true"', "upper": "True", "yes": "yes", "one": "1",
                        "empty": "", "word": "maybe"}.items():
        header(f"flag-{field}-{name}", f"name: odd\ndescription: Flag.\n{field}: {value}", "What a flag may be.")
for name, lines in {
    "paths": "paths: '*.rs'", "paths-list": "paths: ['*.rs', '*.toml']", "paths-number": "paths: 5", "globs": "globs: '*.rs'",
    "when-to-use": "when_to_use: When asked.", "when-to-use-dashes": "when-to-use: When asked.",
    "allowed-tools": "allowed-tools: Read, Write", "allowed-tools-list": "allowed-tools: [Read, Write]",
    "allowed-tools-map": "allowed-tools: {a: b}", "argument-hint": "argument-hint: '[file]'", "arguments": "arguments: file",
    "model": "model: fast", "context-fork": "context: fork", "agent": "context: fork\nagent: general", "version": "version: 1.0",
    "license": "license: MIT", "compatibility": "compatibility: Needs git.", "compatibility-long": "compatibility: " + "c" * 501,
    "metadata": "metadata:\n  author: me", "metadata-text": "metadata: text", "metadata-hidden": "metadata:\n  internal: true",
    "always": "always: true", "always-apply": "alwaysApply: true", "disabled": "disabled: true", "enabled": "enabled: false",
    "hidden": "hidden: true", "internal": "internal: true", "type": "type: prompt", "hooks": "hooks:\n  Stop: []",
    "short-description": "metadata:\n  short-description: Short.", "title": "title: Titled", "tags": "tags: [a, b]",
}.items():
    header(f"field-{name}", f"name: odd\ndescription: Field.\n{lines}", "Fields that a client may know.")

# Lengths.
for length in (1024, 1025, 1536, 1537, 3000, 20000):
    case(f"long-description-{length}", [skill("odd", "d" * length), PLAIN], "A long description.")
    if length <= 3000:
        case(f"long-description-words-{length}", [skill("odd", ("word " * length)[:length - 1] + "."), PLAIN], "A long description.")
case("long-description-wide", [skill("odd", "é" * 1030), PLAIN], "A long description of two bytes a character.")
case("long-description-emoji", [skill("odd", "🚀" * 1030), PLAIN], "A long description of four bytes a character.")
for kilobytes in (40, 300, 1100):
    line = "Line of a long body.\n"
    case(f"long-file-{kilobytes}", [{**skill("odd"), "repeated": {"text": line, "times": kilobytes * 1024 // len(line)}}, PLAIN], "A long file.")
for count in (20, 60):
    case(f"many-{count}", [skill(f"s{i:03}", f"Number {i} of many.") for i in range(count)], "Many skills.")
case("many-long", [skill(f"s{i:03}", f"Number {i}. " + "Long text. " * 40) for i in range(50)], "Many skills with long descriptions.")
case("many-mixed", [skill(f"s{i:03}", f"Number {i}. " + "Text. " * (i * 4)) for i in range(50)], "Descriptions of many lengths.")

# Depth, and what lies beside.
PLACES = {
    "root": "SKILL.md", "one": "a/SKILL.md", "two": "a/b/SKILL.md", "three": "a/b/c/SKILL.md", "five": "a/b/c/d/e/SKILL.md",
    "seven": "a/b/c/d/e/f/g/SKILL.md",
}
for name, path in PLACES.items():
    case(f"depth-{name}", [text("{project}/" + path, "---\nname: odd\ndescription: Deep.\n---\nDo it.\n"), PLAIN], "How deep a skill lies.")
for name, path in {
    "lower": "odd/skill.md", "title": "odd/Skill.md", "upper-ending": "odd/SKILL.MD", "txt": "odd/SKILL.txt",
    "markdown": "odd/SKILL.markdown", "readme": "odd/README.md", "no-ending": "odd/SKILL", "loose": "odd.md",
    "loose-in-folder": "odd/odd.md", "double": "odd/SKILL.md.md", "backup": "odd/SKILL.md~", "folder-of-that-name": "odd/SKILL.md/SKILL.md",
}.items():
    case(f"file-{name}", [text("{project}/" + path, plain), PLAIN], "What the file is called.")
case("depth-nested", [skill("a", "Outer."), skill("a/b", "Inner.", "b"), PLAIN], "A skill in the folder of a skill.")
case("depth-nested-deep", [skill("a", "Outer."), skill("a/b/c", "Inner.", "c"), PLAIN], "A skill two folders below a skill.")
case("depth-root-and-folders", [text("{project}/SKILL.md", plain), skill("a", "Below.")], "A skill in the folder of skills itself.")
case("depth-hidden-inside", [skill("a/.b", "Hidden.", "b"), PLAIN], "A skill in a hidden folder below a folder.")
case("depth-two-spellings", [text("{project}/odd/SKILL.md", plain), text("{project}/odd/skill.md", plain.replace("Plain", "Lower")), PLAIN],
     "Two spellings of the file in one folder.")
case("depth-ignored", [skill("odd"), text("project/.gitignore", "odd/\n"), PLAIN], "A skill that git ignores.")
case("depth-ignored-all", [skill("odd"), text("project/.gitignore", "*\n"), PLAIN], "A project in which git ignores all files.")
case("depth-own-ignore", [skill("odd"), text("{project}/.gitignore", "odd/\n"), PLAIN], "A file for git in the folder of skills.")

# Equal names.
case("equal-home-project", [skill("odd", "Of the project."), skill("odd", "Of the home.", under="{home}"), PLAIN], "Equal names in home and project.")
case("equal-one-source", [skill("a", "First.", "odd"), skill("b", "Second.", "odd"), PLAIN], "Equal names in one folder of skills.")
case("equal-one-source-three", [skill(f, f"In {f}.", "odd") for f in "bca"] + [PLAIN], "Three equal names in one folder of skills.")
case("equal-case", [skill("a", "Lower.", "odd"), skill("b", "Upper.", "Odd"), PLAIN], "Names that differ in case.")
case("equal-depth", [skill("odd", "Near."), skill("x/odd", "Deep."), PLAIN], "Equal names at two depths.")
case("equal-text", [skill("a", "Same.", "odd"), skill("b", "Same.", "odd"), PLAIN], "Equal names and equal texts.")
case("equal-folder-and-name", [skill("a", "Of a.", "b"), skill("b", "Of b.", "c"), PLAIN], "A name that is the folder of another skill.")
case("equal-broken-wins", [text("{project}/odd/SKILL.md", "---\nname: [\n---\n"), skill("odd", "Of the home.", under="{home}"), PLAIN],
     "The skill that would win cannot be read.")
for here in ("claude", "agents", "codex", "opencode", "gemini", "cursor", "github", "qwen", "pi", "kilo", "cline", "continue", "vibe", "kimi"):
    for top in ("project", "home"):
        case(f"place-{top}-{here}", [skill("odd", "Here.", under=f"{top}/.{here}/skills"), PLAIN], "Which folders a client searches.")
for name, path in {
    "xdg-opencode": "home/.config/opencode/skills", "xdg-opencode-singular": "home/.config/opencode/skill",
    "opencode-singular": "project/.opencode/skill", "pi-agent": "home/.pi/agent/skills", "copilot": "home/.copilot/skills",
    "xdg-agents": "home/.config/agents/skills", "bare-skills": "project/skills", "kilocode": "project/.kilocode/skills",
    "xdg-kilo": "home/.config/kilo/skills", "agent": "project/.agent/skills", "factory": "project/.factory/skills",
    "codex-system": "home/.codex/skills/.system", "claude-commands": "project/.claude/commands", "windsurf": "project/.windsurf/skills",
}.items():
    case(f"place-{name}", [skill("odd", "Here.", under=path), PLAIN], "Which folders a client searches.")
case("place-order-all", [skill("odd", f"In .{here}.", under=f"project/.{here}/skills") for here in
                         ("claude", "agents", "codex", "opencode", "gemini", "github", "qwen", "kilo", "vibe")] + [PLAIN],
     "One name in many folders of a project.")
case("place-order-home", [skill("odd", f"In .{here}.", under=f"home/.{here}/skills") for here in
                          ("claude", "agents", "codex", "gemini", "copilot", "qwen", "vibe")] + [PLAIN], "One name in many folders of a home.")
case("place-two-claude-agents", [skill("odd", "Of claude.", under="project/.claude/skills"), skill("odd", "Of agents.", under="project/.agents/skills"), PLAIN],
     "One name in two folders of a project.")

# Folders above the project.
for name, repositories in {"with-git": ["project"], "without-git": []}.items():
    for folder in ("claude", "agents", "opencode"):
        case(f"above-{name}-{folder}", [skill("odd", "Above.", under=f"project/.{folder}/skills"), skill("near", "Near.", under=f"project/in/side/.{folder}/skills")],
             "The client starts two folders below the folder of skills.", repositories=repositories, start="project/in/side")
    case(f"above-{name}-equal", [skill("odd", "Above."), skill("odd", "Near.", under="project/in/side/.agents/skills"),
                                 skill("odd", "Near.", under="project/in/side/.claude/skills"), skill("other", "Other.")],
         "A skill above the project and one in it have one name.", repositories=repositories, start="project/in/side")
    case(f"above-{name}-home", [skill("odd", "Above.", under="home/work/.claude/skills"), skill("odd2", "Above.", under="home/work/.agents/skills"),
                                skill("plain", "Near.", under="home/work/p/.claude/skills"), skill("plain2", "Near.", under="home/work/p/.agents/skills")],
         "The project lies below the home directory.", repositories=["home/work"] if repositories else [], start="home/work/p")
case("above-nested-below", [skill("odd", "Below.", under="project/sub/.claude/skills"), skill("odd2", "Below.", under="project/sub/.agents/skills"), PLAIN],
     "A folder of skills below the project.")
case("above-start-is-home", [skill("odd", "Both.", under="{home}"), skill("more", "More.", under="home/.agents/skills")],
     "The client starts in the home directory.", start="home", repositories=[])
case("above-inner-repository", [skill("odd", "Above.", under="project/.agents/skills"), skill("odd2", "Above.", under="project/.claude/skills"),
                                skill("near", "Near.", under="project/inner/.agents/skills")],
     "A repository in a repository.", repositories=["project", "project/inner"], start="project/inner")

# Links.
case("link-folder", [skill("ok"), link("{project}/alias", "ok"), PLAIN], "A link to the folder of a skill beside it.")
case("link-folder-only", [skill("ok", under="project/elsewhere"), link("{project}/alias", "{root}/project/elsewhere/ok"), PLAIN],
     "A link to a skill that lies elsewhere in the project.")
case("link-outside", [skill("ok", under="other"), link("{project}/ok", "{root}/other/ok"), PLAIN], "A link that leads out of the project.")
case("link-home-outside", [skill("ok", under="other"), link("{home}/ok", "{root}/other/ok"), PLAIN], "A link that leads out of the home directory.")
case("link-file", [text("other/text.md", plain), link("{project}/odd/SKILL.md", "{root}/other/text.md"), PLAIN], "The file is a link.")
case("link-broken", [link("{project}/gone", "{root}/nowhere"), PLAIN], "A link that leads nowhere.")
case("link-loop", [link("{project}/loop", "."), PLAIN], "A link to the folder that it lies in.")
case("link-root", [skill("ok", under="other/skills"), link("{project}", "{root}/other/skills")], "The folder of skills is a link.")
case("link-category", [skill("in/ok", under="other"), link("{project}/cat", "{root}/other/in"), PLAIN], "A link to a folder of skills.")
case("link-home-to-project", [skill("ok"), link("{home}/ok", "{root}/{project}/ok"), PLAIN], "The home has a link to a skill of the project.")
case("link-other-client", [skill("ok", under="project/.agents/skills"), link("project/.claude/skills", "../.agents/skills")],
     "The folder of one client is a link to that of another.")

# Order.
NAMES = ["b", "A", "a2", "a10", "B", "a", "_x", "a-b", "ab", "z", "Z", "é", "1", "10", "2", "a_b", "a.b"]
case("order-one-source", [skill(f"f{i:02}", f"Called {n}.", f'"{n}"') for i, n in enumerate(NAMES)], "The order of names that sort in several ways.")
case("order-folders", [skill(n, "Ordered.") for n in ["b", "A2", "a2", "a10", "B3", "a", "_x", "a-b", "ab", "z", "Z1", "é", "1", "10", "2", "a_b", "a.b"]],
     "The order of folders that sort in several ways.")
case("order-sources", [skill(n, "Home.", under="{home}") for n in ("c", "a")] + [skill(n, "Project.") for n in ("d", "b")], "The order of home and project.")
case("order-name-against-folder", [skill("a", "Folder a.", "z"), skill("z", "Folder z.", "a"), skill("m", "Middle.")], "The order of folders, or of names.")

case("equal-described-in-reverse", [skill("b", "A comes first.", "x"), skill("a", "B comes first.", "x"), PLAIN],
     "Two skills of one name, whose descriptions sort otherwise than their folders.")
case("folder-hidden-of-others", [skill(f".{name}", f"In {under}.", f"{name}", under=under) for name, under in
                                 (("a", "project/.agents/skills"), ("b", "project/.claude/skills"), ("c", "home/.agents/skills"),
                                  ("d", "home/.claude/skills"))] + [PLAIN], "Hidden folders in the folders of all clients.")

# Fences, of files whose name is not that of their folder, by which a client shows whether it has read the frontmatter.
for name, first, last, about in (("blank-behind-closing", "---", "--- ", "A blank behind the closing fence."),
                                 ("text-behind-closing", "---", "--- end", "Text behind the closing fence."),
                                 ("four-dashes-closing", "---", "----", "A closing fence of four dashes."),
                                 ("blank-before-closing", "---", " ---", "A blank before the closing fence."),
                                 ("blank-behind-opening", "--- ", "---", "A blank behind the opening fence."),
                                 ("dots-closing", "---", "...", "Three dots in place of the closing fence.")):
    case(f"named-{name}", [text("{project}/odd/SKILL.md", f"{first}\nname: other\ndescription: Is odd.\n{last}\nDo it.\n"), PLAIN],
         f"{about} The name is not that of the folder.")

# Settings, each of one client.
ABC = [skill(name, f"Is {name}.") for name in ("a", "b", "c")]


case("link-order", [skill("a"), link("{project}/B-link", "a")],
     "A symlink whose name comes before that of its folder in byte order, and after it in that of a language.",
     only=["claude", "codex", "gemini", "kimi", "pi", "qwen"])

WAITS = "paths: '*.rs'"
case("paths-give-way", [skill("s", "At home, for some files.", under="{home}", more=WAITS), skill("s", "In the project."),
                        skill("t", "At home.", under="{home}"), skill("t", "In the project, for some files.", more=WAITS)],
     "Two names, each of a skill for all files and of one for files that nobody works on.", only=["claude", "qwen"])


def loose(name, about, **files):
    """A case of the clients that read Markdown files beside the folders of skills; the files are given by name and place."""
    def made(place, described):
        return text(place, f"---\nname: {described.split()[0]}\ndescription: {described}\n---\nDo it.\n")
    case(f"file-loose-{name}", [made(place, described) for place, described in files.items()], about, only=["pi", "kimi"])


loose("order", "Markdown files before and behind a folder.",
      **{"{project}/a.md": "a is a file", "{project}/b/SKILL.md": "b is a folder", "{project}/c.md": "c is a file"})
loose("beside-its-folder", "A Markdown file beside the folder of the same name.",
      **{"{project}/x.md": "x is a file", "{project}/x/SKILL.md": "x is a folder"})
loose("in-both", "A Markdown file and a folder with one name, below the home directory and below the project.",
      **{"{home}/x/SKILL.md": "x is at home", "{project}/x.md": "x is in the project"})
loose("in-both-reversed", "A folder and a Markdown file with one name, below the home directory and below the project.",
      **{"{home}/x.md": "x is at home", "{project}/x/SKILL.md": "x is in the project"})
loose("beside-the-root", "A Markdown file beside a SKILL.md in the source itself.",
      **{"{project}/SKILL.md": "r is the root", "{project}/x.md": "x is a file"})
loose("hidden", "A Markdown file whose name begins with a dot.",
      **{"{project}/.x.md": "x is hidden", "{project}/y.md": "y is not"})
loose("in-agents", "Markdown files in the folders that several clients share.",
      **{"project/.agents/skills/x.md": "x is in the project", "home/.agents/skills/y.md": "y is at home"})


def settings(name, client, files, about, skills=None):
    """A case of one client, whose files of settings are given by path."""
    own = [text(path, content if isinstance(content, str) else json.dumps(content)) for path, content in files.items()]
    case(f"settings-{client}-{name}", [*own, *(skills or ABC)], about, only=[client])


CLAUDE = "home/.claude/settings.json"
settings("overrides", "claude", {CLAUDE: {"skillOverrides": {"a": "off", "b": "name-only", "c": "user-invocable-only"}}},
         "Skills that are switched off, listed by name, and left to the user.")
settings("overrides-in-both", "claude", {CLAUDE: {"skillOverrides": {"a": "off", "b": "off"}},
                                         "project/.claude/settings.json": {"skillOverrides": {"a": "on"}},
                                         "project/.claude/settings.local.json": {"skillOverrides": {"c": "off"}}},
         "Switches in three files.")
settings("overrides-by-name", "claude", {CLAUDE: {"skillOverrides": {"a": "off", "b": "name-only", "c": "off"}}},
         "A switch by the name of a skill in a folder of another name.", [skill("b", "Is b.", "a"), skill("c", "Is c.", "x")])
settings("deny-one", "claude", {CLAUDE: {"permissions": {"deny": ["Skill(a)"]}}}, "A rule that denies one skill.")
settings("deny-begin", "claude", {CLAUDE: {"permissions": {"deny": ["Skill(b *)", "Skill(c:*)"]}}}, "Rules that deny names by their beginning.")
settings("deny-all", "claude", {CLAUDE: {"permissions": {"deny": ["Skill"]}}}, "A rule that denies the tool for skills.")
settings("max-chars", "claude", {CLAUDE: {"skillListingMaxDescChars": 20}}, "Descriptions of at most 20 characters.",
         [skill("a", "Says more than fits into twenty characters."), skill("b", "Is short.")])
settings("budget", "claude", {CLAUDE: {"skillListingBudgetFraction": 0.001}}, "A list of a thousandth of the window.",
         [skill(f"s{i:02}", f"Number {i}, with a description that takes some room in the list, and some more of it.") for i in range(30)])
settings("broken", "claude", {CLAUDE: "{"}, "A file of settings that is no JSON.")
CODEX = "home/.codex/config.toml"
settings("path", "codex", {CODEX: '[[skills.config]]\npath = "{root}/{project}/a/SKILL.md"\nenabled = false\n'}, "A skill that is switched off by its path.")
settings("folder", "codex", {CODEX: '[[skills.config]]\npath = "{root}/{project}/a"\nenabled = false\n'}, "A skill that is switched off by its folder.")
settings("name", "codex", {CODEX: '[[skills.config]]\nname = "a"\nenabled = false\n'}, "A skill that is switched off by its name.")
settings("again", "codex", {CODEX: '[[skills.config]]\nname = "a"\nenabled = false\n\n[[skills.config]]\nname = "a"\nenabled = true\n'},
         "A skill that is switched off and on.")
settings("max-tokens", "codex", {CODEX: "[skills]\nmax_context_tokens = 100\n"}, "A list of at most 100 tokens.",
         [skill(f"s{i:02}", f"Number {i}, with a description that takes some room in the list, and some more of it.") for i in range(10)])
settings("unlisted", "codex", {CODEX: "[skills]\ninclude_instructions = false\n"}, "No list of skills.")

GEMINI = "home/.gemini/settings.json"
settings("disabled", "gemini", {GEMINI: {"skills": {"disabled": ["a", "B"]}}}, "Skills that are disabled, one in another letter case.")
settings("disabled-in-project", "gemini", {"project/.gemini/settings.json": {"skills": {"disabled": ["a"]}}, GEMINI: {"skills": {"disabled": ["b"]}}},
         "Skills that are disabled in two files.")
settings("off", "gemini", {GEMINI: {"skills": {"enabled": False}}}, "Skills are switched off.")
settings("comments", "gemini", {GEMINI: '{\n  // Not now.\n  "skills": {"disabled": ["a"]}\n}\n'}, "Settings with a comment.")

for client, file in (("opencode", "opencode.json"), ("kilo", "kilo.json")):
    settings("denied", client, {f"project/{file}": {"permission": {"skill": {"a": "deny", "b": "ask", "*": "allow"}}}}, "A skill that is denied before all are allowed.")
    settings("denied-last", client, {f"project/{file}": {"permission": {"skill": {"*": "allow", "a": "deny", "b": "ask"}}}}, "A skill that is denied after all are allowed.")
    settings("denied-all", client, {f"project/{file}": {"permission": {"skill": "deny"}}}, "All skills are denied.")
    settings("denied-pattern", client, {f"home/.config/{client}/{file}": {"permission": {"skill": {"*": "deny", "b*": "allow"}}}},
             "All skills are denied but those whose names begin with a letter.")
    settings("paths", client, {f"project/{file}": {"skills": {"paths": ["more", "/mnt/other"]}}}, "Further folders of skills.",
             [*ABC, skill("m", "More.", under="project/more"), skill("o", "Other.", under="other")])

QWEN = "home/.qwen/settings.json"
settings("disabled", "qwen", {QWEN: {"skills": {"disabled": ["a", "B"]}}}, "Skills that are disabled, one in another letter case.")
settings("disabled-in-project", "qwen", {"project/.qwen/settings.json": {"skills": {"disabled": ["a"]}}, QWEN: {"skills": {"disabled": ["b"]}}},
         "Skills that are disabled in two files.")

VIBE = "home/.vibe/config.toml"
settings("disabled", "vibe", {VIBE: 'disabled_skills = ["a", "B"]\n'}, "Skills that are disabled, one in another letter case.")
settings("disabled-pattern", "vibe", {VIBE: 'disabled_skills = ["A*"]\n'}, "Skills that are disabled by a pattern.")
settings("disabled-expression", "vibe", {VIBE: 'disabled_skills = ["re:^b"]\n'}, "Skills that are disabled by a regular expression.")
settings("paths", "vibe", {VIBE: 'skill_paths = ["/mnt/other"]\n'}, "A further folder of skills.", [*ABC, skill("o", "Other.", under="other")])

if __name__ == "__main__":
    VECTORS.mkdir(parents=True, exist_ok=True)
    made = 0
    for name, content in CASES.items():
        if not (VECTORS / f"{name}.json").exists():
            write(VECTORS / f"{name}.json", content)
            made += 1
    print(f"{made} of {len(CASES)} cases written", file=sys.stderr)

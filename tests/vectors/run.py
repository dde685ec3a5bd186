"""Holds a skill loader against the vectors; src/guide/vectors.md describes it, and run.mjs does the same. It needs Python 3.8.
On Windows, cases with links or with names that are invalid there are skipped."""

import argparse
import base64
import contextlib
import errno
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ABOUT = """Runs COMMAND in the tree of each case, and compares what it prints with what the client listed. COMMAND starts in the
project of the case, so name its files by absolute paths. It prints a JSON list of {name, path?, description?}, or an object with
the list as `skills`. Exit codes: 0 all cases hold, or --like; 1 some differ; 2 wrong usage, or COMMAND fails in every case."""
PARTS = ["names", "paths", "descriptions", "order"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
encoded = json.JSONEncoder(separators=(",", ":")).encode


def stop(text):
    print(text, file=sys.stderr)
    sys.exit(2)


def options():
    parser = argparse.ArgumentParser(usage="%(prog)s --client NAME [OPTIONS] -- COMMAND [ARGUMENTS]", description=ABOUT)
    option = parser.add_argument
    option("--client", required=True, metavar="NAME", help="the client whose observations and folders are used")
    option("--like", action="store_true", help="compare with every client, and print for each how many cases agree")
    option("--case", action="append", metavar="GLOB", help="only cases with such names, as `yaml-*`; may be repeated")
    option("--compare", default=",".join(PARTS), metavar="PARTS", help=f"what to compare: {','.join(PARTS)} by default")
    option("--json", action="store_true", help="print JSON")
    option("--timeout", type=int, default=30, metavar="SECONDS", help="end COMMAND after this time; 30 by default")
    option("--cases", default=ROOT / "testdata/vectors/cases", metavar="DIR", help="another folder of cases")
    option("command", nargs="+", metavar="COMMAND", help="the command and its arguments, behind `--`")
    given = parser.parse_args()
    return given if set(given.compare.split(",")) <= set(PARTS) else parser.error(f"--compare takes {','.join(PARTS)}")


def filled(text, pin):
    return text.replace("{project}", "project/" + pin["project"]).replace("{home}", "home/" + pin["home"])


def lay_out(root, case, pin):
    """Writes the files of a case, and gives the folder in which the command starts."""
    start = root / case.get("start", "project")
    repositories = [root / filled(folder, pin) / ".git" for folder in case["repositories"]]
    for folder in (root / "home", start, *(git / part for git in repositories for part in ("objects", "refs/heads"))):
        folder.mkdir(parents=True, exist_ok=True)
    for git in repositories:
        (git / "HEAD").write_bytes(b"ref: refs/heads/main\n")
        (git / "config").write_bytes(b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n")
    for file in case["files"]:
        path = root / filled(file["path"], pin)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Some file systems ignore the case of letters, so another file may have this name there.
        if os.path.lexists(path):
            raise OSError(errno.EEXIST, "the name is taken")
        if "link" in file:
            path.symlink_to(filled(file["link"], pin).replace("{root}", str(root)))
        elif "base64" in file:
            path.write_bytes(base64.b64decode(file["base64"]))
        else:
            repeated = file.get("repeated", {"text": "", "times": 0})
            text = filled(file["text"], pin).replace("{root}", str(root))
            path.write_bytes((text + repeated["text"] * repeated["times"]).encode())
    return start


def ask(command, root, start, seconds):
    """The list that the command prints, or a text that says how it failed."""
    home = f"{root}{os.sep}home"
    env = {**os.environ, "HOME": home, "USERPROFILE": home, "PWD": str(start), "XDG_CONFIG_HOME": f"{home}/.config",
           "XDG_DATA_HOME": f"{home}/.local/share", "XDG_CACHE_HOME": f"{home}/.cache", "XDG_STATE_HOME": f"{home}/.local/state"}
    try:
        process = subprocess.Popen(command, cwd=start, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
    except OSError as error:
        stop(f"{command[0]} cannot be started: {errno.errorcode.get(error.errno)}")
    try:
        stdout, stderr = (stream.decode(errors="replace") for stream in process.communicate(timeout=seconds))
    except subprocess.TimeoutExpired:
        return f"the command gave no answer within {seconds} seconds"
    finally:
        # What the command started ends with it.
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
    if process.returncode:
        code, last = process.returncode, stderr.strip().split("\n")[-1]
        return f"the command failed: {f'exit code {code}' if code > 0 else signal.Signals(-code).name}: {shown(last)}"
    try:
        answer = json.loads(stdout)
    except ValueError:
        return f"the command printed no JSON, but {shown(stdout)}"
    skills = answer.get("skills") if isinstance(answer, dict) else answer
    if not isinstance(skills, list) or not all(isinstance(skill, dict) for skill in skills):
        return f"expected a list of objects, got {shown(encoded(skills))}"
    wrong = [skill for skill in offered(skills) if not isinstance(skill.get("name"), str)
             or not all(isinstance(skill.get(key), (str, type(None))) for key in ("path", "description"))]
    return f"expected texts as name, path and description, got {shown(encoded(wrong[0]))}" if wrong else offered(skills)


def offered(skills):
    """Without the skills that are hidden from the model, and without errors."""
    return [skill for skill in skills if skill.get("hidden") is not True and skill.get("error") is None]


def spelled(path, case, pin):
    """A path below the root as the case spells it: with `{project}` or `{home}`, or in full."""
    path = path if path.endswith(".md") else path + "/SKILL.md"
    own = [("{%s}/" % top, f"{top}/{pin[top]}/") for top in ("project", "home")]
    forms = [*(short + path[len(folder):] for short, folder in own if path.startswith(folder)), path]
    files = [file["path"] + "/" for file in case["files"]]
    near = [form for form in forms if any(f"{form}/".startswith(file) or file.startswith(f"{form}/") for file in files)]
    return (near or forms)[0]


def shown(text, other=""):
    """A text in quotes. Of a long one, the part is shown in which it begins to differ from the other."""
    if text is None:
        return "none"
    begin = max(0, len(os.path.commonprefix([text, other or ""])) - 20) if len(text) > 70 else 0
    return "..." * (begin > 0) + encoded(text[begin:begin + 70]) + "..." * (begin + 70 < len(text))


def difference(case, seen, ours, told, pin):
    """The first difference between an observation and the list of the command; `None` if there is none."""
    # Of a skill whose path and description are undetermined, the name is compared alone.
    unsure = seen.get("undetermined", [])
    theirs = [{"name": skill["name"]} if skill["name"] in unsure else skill for skill in offered(seen["skills"])]
    for skill in theirs:
        skill.update({"path": spelled(filled(skill["path"], pin), case, pin)} if "path" in skill else {})
    # Skills of one name are sorted by what the client tells of them.
    told = [part for part in told if part in ("names", "order") or any(part[:-1] in skill for skill in theirs)]

    def rows(skills):
        found = [[skill["name"], *(skill.get(key) if f"{key}s" in told else None for key in ("path", "description"))]
                 for skill in skills]
        return found if "order" in told and seen["ordered"] else sorted(found, key=encoded)

    theirs, ours = rows(theirs), rows(ours)
    for one, other, text in ((theirs, ours, "is missing"), (ours, theirs, "is not listed by " + seen["client"])):
        names, others = [row[0] for row in one], [row[0] for row in other]
        more = [row for row in one if names.count(row[0]) > others.count(row[0])]
        if more:
            name, path, _ = next((row for row in more if row not in other), more[0])
            return f"{shown(name)}{f' ({encoded(path)[1:-1]})' if path else ''} {text}"
    for index, (one, other) in enumerate(zip(theirs, ours)):
        for what, expected, got in zip(("name", "path", "description"), one, other):
            # What the client does not tell is not compared.
            if expected is not None and expected != (got or ""):
                where = f"position {index + 1}" if what == "name" else shown(one[0])
                return f"{where}: expected the {what} {shown(expected, got)}, got {shown(got, expected)}"


def main():
    given = options()
    pins = json.loads((ROOT / "tests/lab/clients.json").read_text(encoding="utf-8"))
    pin = pins.get(given.client) or stop(f"unknown client: {given.client}; the clients are {', '.join(pins)}")
    wanted = {f"{name}@{pins[name]['version']}": pins[name] for name in (pins if given.like else [given.client])}
    globs = "|".join(re.escape(glob).replace(r"\*", ".*").replace(r"\?", ".") for glob in given.case or ["*"])
    answers, skipped, works = {}, {}, False
    for file in sorted(pathlib.Path(given.cases).glob("*.json"), key=lambda file: file.stem):
        case = json.loads(file.read_text(encoding="utf-8"))
        case["seen"] = [seen for seen in case["seen"] if seen["client"] in wanted and "superseded" not in seen]
        if not case["seen"] or not re.fullmatch(globs, file.stem):
            continue
        with tempfile.TemporaryDirectory(prefix="vectors-") as folder:
            root = pathlib.Path(folder).resolve()
            try:
                start = lay_out(root, case, pin)
            except OSError as error:
                skipped[file.stem] = f"skipped, as its files cannot be laid out here: {errno.errorcode.get(error.errno)}"
                continue
            answer = ask(given.command, root, start, given.timeout)
        for skill in (skill for skill in answer if isinstance(answer, list) and skill.get("path") is not None):
            skill["path"] = spelled(os.path.relpath(start / skill["path"], root).replace(os.sep, "/"), case, pin)
        answers[file.stem] = (case, answer)
        works = works or isinstance(answer, list)
        # A command that fails in the first five cases is not run on the others.
        if len(answers) == 5 and not works:
            break
    works or stop("\n".join(f"{name}: {answer}" for name, (_, answer) in answers.items()) or "there is no case to compare")
    report(given, wanted, answers, skipped)


def report(given, wanted, answers, skipped):
    every = [skill for _, answer in answers.values() if isinstance(answer, list) for skill in answer]
    fields = [f"{key}s" for key in ("path", "description") if any(skill.get(key) is not None for skill in every)]
    told = [part for part in PARTS if part == "names" or part in given.compare.split(",") and part in [*fields, "order"]]
    table, differences = {}, {}
    for name, (case, answer) in answers.items():
        for seen in case["seen"]:
            text = answer if isinstance(answer, str) else difference(case, seen, answer, told, wanted[seen["client"]])
            for key in (seen["client"],) if given.like else (name.split("-")[0], seen["client"]):
                row = table.setdefault(key, {"held": 0, "all": 0})
                row.update(held=row["held"] + (text is None), all=row["all"] + 1)
            differences.update({name: text} if text and not given.like else {})
    # The groups of cases stand before the client; of many clients, the one that agrees most stands first.
    table = dict(sorted(table.items(), key=lambda pair: ("@" in pair[0], given.like and -pair[1]["held"] / pair[1]["all"])))
    if given.json:
        print(json.dumps({"compared": told, "table": table, "differences": differences, "skipped": skipped}, indent=1))
    else:
        print(f"compared: {', '.join(told)}")
        for name, row in table.items():
            print(f"{name:24} {row['held']:5}/{row['all']}")
        for name, text in {**differences, **skipped}.items():
            print(f"{name}: {text}")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    # A reader such as `head` may close the pipe.
    hasattr(signal, "SIGPIPE") and signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()

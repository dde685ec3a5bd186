"""The package `skilltree_engine` as it is installed. Its answers are those of the installed command line, for the trees
in `testdata`. The disk, a tree in memory and a file system of Python's give the same answers. Errors, exceptions,
threads and types are as the documentation says. `.ci/python` runs these tests.
"""

import contextlib
import gc
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import threading
import typing
import weakref

import pytest

import skilltree_engine
from skilltree_engine import SkilltreeError, SkilltreeValueError, discover, types

HERE = pathlib.Path(__file__).resolve().parent
TESTDATA = HERE.parents[1] / "testdata"
EXAMPLE = TESTDATA / "example"
SKILLTREE = pathlib.Path(sys.executable).parent / ("skilltree.exe" if os.name == "nt" else "skilltree")
TEA = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water for $ARGUMENTS.\n"
NO_MACHINE = {"programs": [], "environment": [], "variables": {}}


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path_factory):
    """The environment names no files of the user who runs the tests."""
    for name in [
        "SKILLTREE_CONFIG",
        "SKILLTREE_DIALECT",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "APPDATA",
        "LOCALAPPDATA",
    ]:
        monkeypatch.delenv(name, raising=False)
    home = str(tmp_path_factory.mktemp("nobody"))
    monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("USERPROFILE", home)


def command_line(*words):
    """What the installed command line prints with `--json`, and whether it succeeds."""
    done = subprocess.run([str(SKILLTREE), *map(str, words)], capture_output=True, encoding="utf-8")
    assert done.stdout, (words, done.stderr)
    return json.loads(done.stdout), done.returncode == 0


def options(dialect, places):
    """The words of the command line for these places."""
    words = ["--dialect", dialect]
    for name, value in places.items():
        words += [f"--{name}", value]
    return words


def places_of(folder):
    """The places that a case of `testdata` has."""
    names = ["project", "home", "bundled", "config", "user", "managed"]
    return {name: folder / name for name in names if (folder / name).is_dir()}


def tree_of(folder):
    """The files below a folder, for a tree in memory."""
    files = {}
    for path in folder.rglob("*"):
        files[str(path)] = path.read_bytes() if path.is_file() else None
    return files


class Disk:
    """The disk as a file system of Python's, which counts its calls."""

    def __init__(self):
        self.calls = []

    def list(self, path):
        self.calls.append(("list", path))
        return os.scandir(path)

    def read(self, path):
        self.calls.append(("read", path))
        return pathlib.Path(path).read_bytes()


class Files:
    """A file system over a dictionary. What it has instead of a text is raised."""

    def __init__(self, files):
        self.files = files

    def list(self, path):
        below = path.rstrip("/") + "/"
        found = self.files.get(path)
        if isinstance(found, BaseException):
            raise found
        names = {
            file[len(below) :].split("/")[0] + ("/" if "/" in file[len(below) :] else "")
            for file in self.files
            if file.startswith(below)
        }
        if not names:
            raise (NotADirectoryError if path in self.files else FileNotFoundError)(path)
        return names

    def read(self, path):
        if path not in self.files:
            raise FileNotFoundError(path)
        if isinstance(self.files[path], BaseException):
            raise self.files[path]
        return self.files[path]


def tea(files=None):
    return discover("claude", home="/me", files=files or {"/me/.claude/skills/tea/SKILL.md": TEA})


# The installed package.


def test_the_installed_package_is_tested():
    assert pathlib.Path(sys.prefix).resolve() in pathlib.Path(skilltree_engine.__file__).resolve().parents
    assert importlib.metadata.version("skilltree-engine") == skilltree_engine.__version__
    assert (pathlib.Path(skilltree_engine.__file__).parent / "py.typed").is_file()


def test_the_command_is_installed():
    done = subprocess.run([str(SKILLTREE), "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"skilltree {skilltree_engine.__version__}\n")


def test_everything_public_is_documented():
    for name in skilltree_engine.__all__:
        assert name == "__version__" or getattr(skilltree_engine, name).__doc__, name
    for name, method in vars(skilltree_engine.Catalog).items():
        assert name.startswith("_") or method.__doc__, name


# The answers of the command line.


ASKED = [
    ("list", lambda c: c.list(), ["list"]),
    ("prompt", lambda c: c.prompt(), ["prompt"]),
    ("a budget", lambda c: c.prompt(budget=200), ["prompt", "--budget", "200"]),
    ("a window", lambda c: c.prompt(window=1000), ["prompt", "--window", "1000"]),
    (
        "a query",
        lambda c: c.prompt(budget=120, query="fill in a form"),
        ["prompt", "--budget", "120", "--query", "fill in a form"],
    ),
    ("load", lambda c: c.load("pdf-forms"), ["load", "pdf-forms", "--as", "model"]),
    ("load as the user", lambda c: c.load("deploy", caller="user"), ["load", "deploy"]),
    (
        "arguments",
        lambda c: c.load("deploy", "user", args="to production"),
        ["load", "deploy", "--args", "to production"],
    ),
    (
        "loaded already",
        lambda c: c.load("deploy", "user", already=["deploy"]),
        ["load", "deploy", "--already", "deploy"],
    ),
    ("invoke", lambda c: c.invoke("/deploy now"), ["invoke", "/deploy now"]),
    ("a message", lambda c: c.invoke("hello"), ["invoke", "hello"]),
    ("search", lambda c: c.search("pdf form", caller="user"), ["search", "pdf form"]),
    (
        "search without bodies",
        lambda c: c.search("pdf", body=False, limit=1),
        ["search", "pdf", "--no-body", "--limit", "1", "--as", "model"],
    ),
    ("why", lambda c: c.why("deploy"), ["why", "deploy"]),
    ("check", lambda c: c.check(), ["check"]),
    ("strict", lambda c: c.check(strict=True), ["check", "--strict"]),
    ("a profile", lambda c: c.check(profile="agentskills"), ["check", "--profile", "agentskills"]),
    ("a path", lambda c: c.check(EXAMPLE / "project"), ["check", EXAMPLE / "project"]),
    ("tool", lambda c: c.tool(), ["tool"]),
    ("call", lambda c: c.call({"skill": "pdf-forms"}), ["call", '{"skill": "pdf-forms"}']),
    ("call with a text", lambda c: c.call('{"skill": "pdf-forms"}'), ["call", '{"skill": "pdf-forms"}']),
    ("a call that is refused", lambda c: c.call({"skill": "pdf"}), ["call", '{"skill": "pdf"}']),
    ("complete", lambda c: c.complete(), ["complete", ""]),
    ("complete with a prefix", lambda c: c.complete("/de"), ["complete", "de"]),
]


@pytest.mark.parametrize("ask, words", [row[1:] for row in ASKED], ids=[row[0] for row in ASKED])
def test_an_answer_is_that_of_the_command_line(ask, words):
    places = places_of(EXAMPLE)
    told, _ = command_line(*options("claude", places), *words, "--json")
    assert without_hints(ask(discover("claude", **places))) == without_hints(told)


def test_the_matrix_is_that_of_the_command_line():
    places = places_of(TESTDATA / "matrix")
    words = ["--home", places["home"], "--project", places["project"], "matrix", "--json"]
    rows = [
        (dict(), []),
        (dict(dialects="all"), ["--dialects", "all"]),
        (dict(dialects=["claude", "agentskills"], diff=True), ["--dialects", "claude,agentskills", "--diff"]),
        (dict(dialects="codex"), ["--dialects", "codex"]),
    ]
    for asked, more in rows:
        assert skilltree_engine.matrix(**asked, **places) == command_line(*words, *more)[0], asked


def test_the_dialects_are_those_of_the_command_line():
    tables = command_line("dialect", "--json")[0]["dialects"]
    assert skilltree_engine.dialects() == tables
    assert skilltree_engine.dialect("claude") == next(table for table in tables if table["name"] == "claude")


def without_hints(answer):
    """The answer without what the command line adds for people: an error beside the findings, the other dialects that
    have a skill, and sentences that name its own options."""
    answer = {
        key: value
        for key, value in answer.items()
        if key != "elsewhere" and not (key == "error" and "ok" not in answer)
    }
    for finding in answer.get("findings", []) + answer.get("outcomes", []):
        finding.pop("help", None)
        finding["message"] = finding["message"].split(";")[0].split(" with `skilltree")[0]
    if answer.get("ok") is False:
        answer["error"].pop("help", None)
        answer["error"]["message"] = answer["error"]["message"].split(";")[0]
    return answer


CASES = sorted(
    case.parent.relative_to(TESTDATA).as_posix()
    for case in TESTDATA.glob("*/*/case.txt")
    if not (case.parent / "symlinks.txt").exists()
)


@pytest.mark.parametrize("case", CASES)
def test_a_case_is_answered_as_by_the_command_line(case):
    folder, dialect = TESTDATA / case, case.split("/")[0]
    places = places_of(folder)
    if "project" not in places:
        # The project of the command line is the working directory.
        return
    words = options(dialect, places)
    catalog = discover(dialect, **places)
    for name, method in [("list", catalog.list), ("prompt", catalog.prompt), ("check", catalog.check)]:
        told, _ = command_line(*words, name, "--json")
        assert without_hints(method()) == without_hints(told), name
    for line in (folder / "case.txt").read_text(encoding="utf-8").splitlines():
        step, _, rest = line.partition(" ")
        ask = {"invoke": catalog.invoke, "call": catalog.call}.get(step)
        if ask is None:
            continue
        told, _ = command_line(*words, step, rest, "--json")
        try:
            answer = ask(rest)
        except SkilltreeError as error:
            assert error.code == told["error"]["code"], line
        else:
            assert without_hints(answer) == without_hints(told), line


@pytest.mark.parametrize("case", CASES)
def test_every_file_system_gives_the_same_answers_of_the_declared_types(case):
    folder, dialect = TESTDATA / case, case.split("/")[0]
    tree = tree_of(folder)
    texts = {path: text for path, text in tree.items() if text is not None}
    # The disk has defaults for these, and other files have none.
    none = folder / "none"
    places = {"home": none, "active": none, "user_choices": none, "project_choices": [none], **places_of(folder)}

    def answers(files):
        catalog = discover(dialect, files=files, host=NO_MACHINE, **places)
        compared = skilltree_engine.matrix([dialect, "claude"], files=files, host=NO_MACHINE, **places)
        return [conforming(compared, types.Compared), *answers_of(catalog)]

    on_the_disk = answers(None)
    for files in [tree, Disk(), Files(texts)]:
        assert answers(files) == on_the_disk, files


def answers_of(catalog):
    """What a catalog answers to each question, and to those about each skill."""
    listed = catalog.list()
    yield conforming(listed, types.Listed)
    yield conforming(catalog.prompt(), types.Prompted)
    yield conforming(catalog.search("a file with text"), types.Found)
    yield conforming(catalog.complete(), types.Completed)
    yield conforming(catalog.check(strict=True), types.Checked)
    yield outcome(lambda: conforming(catalog.tool(), types.Tool))
    yield outcome(lambda: conforming(catalog.match("text"), types.Matched))
    for path, key in [(skill["path"], skill["key"]) for skill in listed["skills"]]:
        yield conforming(catalog.why(path), types.Explained)
        yield outcome(lambda key=key: conforming(catalog.load(key, "user"), types.Loaded))
        yield outcome(lambda key=key: conforming(catalog.call({"skill": key, "name": key}), types.Called))
        yield outcome(lambda key=key: conforming(catalog.invoke(f"/{key} a b"), types.Invoked))


def outcome(ask):
    """An answer, or the code and the message of the error."""
    try:
        return ask()
    except SkilltreeError as error:
        return error.code, str(error)


def conforming(value, hint, at="the answer"):
    """The value, which has the declared type: no field is missing, and none is there that is not declared."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is typing.Any:
        pass
    elif origin is typing.Union:
        fits = []
        for one in args:
            with contextlib.suppress(AssertionError):
                fits.append(conforming(value, one, at))
        assert fits, f"{at}: {value!r} is none of {args}"
    elif origin is typing.Literal:
        assert value in args, f"{at}: {value!r} is none of {args}"
    elif origin is list:
        assert isinstance(value, list), at
        for number, one in enumerate(value):
            conforming(one, args[0], f"{at}[{number}]")
    elif origin is dict:
        assert isinstance(value, dict), at
        for key, one in value.items():
            conforming(one, args[1], f"{at}[{key!r}]")
    elif hasattr(hint, "__required_keys__"):
        assert isinstance(value, dict), at
        hints = typing.get_type_hints(hint)
        assert hint.__required_keys__ <= set(value), f"{at} lacks {hint.__required_keys__ - set(value)}"
        assert set(value) <= set(hints), f"{at} has undeclared {set(value) - set(hints)}"
        for key, one in value.items():
            conforming(one, hints[key], f"{at}[{key!r}]")
    elif hint is float:
        assert isinstance(value, (int, float)), f"{at}: {value!r}"
    else:
        assert isinstance(value, hint) and not (hint is int and value in (True, False) and isinstance(value, bool)), (
            f"{at}: {value!r} is no {hint}"
        )
    return value


# The places of the disk.


def test_paths_of_the_disk_are_relative_to_the_working_directory_or_the_home_directory(monkeypatch, tmp_path):
    (tmp_path / "work/.claude/skills/here").mkdir(parents=True)
    (tmp_path / "work/.claude/skills/here/SKILL.md").write_text(TEA)
    (tmp_path / ".claude/skills/mine").mkdir(parents=True)
    (tmp_path / ".claude/skills/mine/SKILL.md").write_text(TEA)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path / "work")

    def keys(**places):
        return sorted(skill["key"] for skill in discover("claude", **places).list()["skills"])

    assert keys() == ["mine"], "the home directory is that of the environment, and there is no project"
    assert keys(project=".") == ["here", "mine"]
    assert keys(project=pathlib.Path("../work")) == ["here", "mine"]
    assert keys(project="~/work", home="~/work") == ["here"]
    assert keys(home="~") == ["mine"]
    told = discover("claude", project=".").why(pathlib.Path(".claude/skills/here/SKILL.md"))
    assert [one["outcome"] for one in told["outcomes"]] == ["in-use"]


def test_the_choices_of_the_user_count(monkeypatch, tmp_path):
    skills = tmp_path / "home/.claude/skills"
    for name in ["tea", "mate"]:
        (skills / name).mkdir(parents=True)
        (skills / name / "SKILL.md").write_text(TEA.replace("tea", name))
    (tmp_path / "more/coffee").mkdir(parents=True)
    (tmp_path / "more/coffee/SKILL.md").write_text(TEA.replace("tea", "coffee"))
    (tmp_path / "project").mkdir()
    choices = tmp_path / "home/.config/skilltree/skilltree.yaml"
    choices.parent.mkdir(parents=True)
    choices.write_text(f"roots: ['{(tmp_path / 'more').as_posix()}', '/no/such/folder']\nskills:\n  tea: off\n")
    places = {"home": tmp_path / "home", "project": tmp_path / "project"}
    catalog = discover("claude", **places)
    assert {skill["key"]: skill.get("state") for skill in catalog.list()["skills"]} == {
        "coffee": None,
        "mate": None,
        "tea": "disable",
    }
    assert without_hints(catalog.list()) == without_hints(command_line(*options("claude", places), "list", "--json")[0])
    assert without_hints(catalog.check()) == without_hints(
        command_line(*options("claude", places), "check", "--json")[0]
    )
    assert len(discover("claude", only_roots=True, roots=[tmp_path / "more"], **places)) == 1


def test_the_programs_and_variables_of_the_machine_count_on_the_disk(monkeypatch, tmp_path):
    folder = tmp_path / "skills/tea"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: tea\ndescription: Makes tea.\n---\nSession ${CLAUDE_SESSION_ID}.\n")
    monkeypatch.setenv("CLAUDE_SESSION_ID", "seven")

    def text(**more):
        return discover("claude", roots=[tmp_path / "skills"], **more).load("tea")["text"]

    assert "Session seven." in text()
    assert "Session eight." in text(host={"variables": {"CLAUDE_SESSION_ID": "eight"}})
    assert "Session seven." not in text(host={"variables": {}})


# Trees in memory, and file systems of Python's.


def test_a_tree_in_memory_has_texts_bytes_folders_and_links():
    files = {
        "/me/.claude/skills/tea/SKILL.md": TEA,
        "me/.claude/skills/mate/SKILL.md": TEA.encode(),
        "/me/.claude/skills/milk/SKILL.md": bytearray(TEA.encode()),
        "/me/.claude/skills/water/SKILL.md": memoryview(TEA.encode()),
        "/me/.claude/skills/empty": None,
        "/me/.claude/skills/same": {"link": "tea"},
    }
    catalog = tea(files)
    assert sorted(skill["key"] for skill in catalog.list()["skills"]) == ["mate", "milk", "same", "water"]
    files.clear()
    assert not catalog.refresh(), "the mapping is copied"


def test_entries_have_several_forms(tmp_path):
    (tmp_path / "tea").mkdir()
    (tmp_path / "tea/SKILL.md").write_text(TEA)
    folder = str(tmp_path)
    forms = {
        "os.scandir": lambda path: os.scandir(path),
        "pathlib": lambda path: pathlib.Path(path).iterdir(),
        "names": lambda path: [one.name + "/" * one.is_dir() for one in os.scandir(path)],
        "pairs": lambda path: ((one.name, "dir" if one.is_dir() else "file") for one in os.scandir(path)),
        "twice": lambda path: [*os.scandir(path), *os.scandir(path)],
    }
    for name, form in forms.items():
        files = Disk()
        files.list = form
        assert len(discover(roots=[folder], files=files)) == 1, name


ANSWERS = [
    ("a folder that is not there", "list", FileNotFoundError(), []),
    ("None is nothing", "list", None, []),
    ("a folder that may not be listed", "list", PermissionError(), ["permission denied"]),
    ("a file in its place", "list", NotADirectoryError(), []),
    ("any other exception", "list", RuntimeError("the cable is cut"), ["RuntimeError: the cable is cut"]),
    ("a text is no listing", "list", "tea", ["`list()` must be an iterable of entries"]),
    ("an entry of another type", "list", [7], ["`an entry of list()` must be"]),
    ("an unknown kind", "list", [("tea", "folder")], ["the kind of `tea` must be"]),
    ("a file that is gone", "read", FileNotFoundError(), ["does not exist"]),
    ("a file that may not be read", "read", PermissionError(), ["permission denied"]),
    ("a folder in its place", "read", IsADirectoryError(), ["expected a regular file"]),
    ("an exception in reading", "read", ValueError("torn"), ["ValueError: torn"]),
    ("contents of another type", "read", 7, ["`read()` must be `bytes` or `str`, not `int`"]),
    ("text that is no UTF-8", "read", "\udc80", ["UnicodeEncodeError"]),
]


@pytest.mark.parametrize("method, answer, messages", [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
def test_an_exception_is_an_answer_of_the_file_system(method, answer, messages):
    class Own(Files):
        def list(self, path):
            return self.answer("list", path) if path == "/skills" else super().list(path)

        def read(self, path):
            return self.answer("read", path)

        def answer(self, name, path):
            if name != method:
                return getattr(Files, name)(self, path)
            if isinstance(answer, BaseException):
                raise answer
            return answer

    listed = discover(roots=["/skills"], files=Own({"/skills/tea/SKILL.md": TEA})).list()
    assert listed["skills"] == []
    told = [finding["message"] for finding in listed["findings"]]
    assert len(told) == len(messages) or not messages, told
    for message in messages:
        assert any(message in one for one in told), told


@pytest.mark.parametrize(
    "ends",
    [KeyboardInterrupt(), SystemExit(3), GeneratorExit()],
    ids=["KeyboardInterrupt", "SystemExit", "GeneratorExit"],
)
def test_what_ends_the_program_is_raised_again(ends):
    path = "/me/.claude/skills/tea/SKILL.md"
    files = Files({path: TEA, "/me/.claude/skills/mate/SKILL.md": TEA})
    catalog = tea(files)
    listed = catalog.list()
    files.files[path] = ends
    for ask in [
        lambda: tea(files),
        lambda: catalog.load("tea"),
        lambda: catalog.search("water"),
        lambda: catalog.refresh(),
        lambda: skilltree_engine.matrix(["claude"], home="/me", files=files),
    ]:
        with pytest.raises(type(ends)) as raised:
            ask()
        assert raised.value is ends
    files.files[path] = TEA
    assert catalog.list() == listed, "the catalog is as before"
    assert [hit["key"] for hit in catalog.search("water")["hits"]] == ["mate", "tea"]


def test_no_more_is_asked_after_an_interruption():
    asked = []

    class Own:
        def list(self, path):
            asked.append(path)
            raise KeyboardInterrupt

        read = list

    with pytest.raises(KeyboardInterrupt):
        discover("claude", home="/me", project="/p", files=Own())
    assert len(asked) == 1


def test_the_folders_above_the_places_need_not_be_listed():
    class Own(Files):
        def list(self, path):
            if not path.startswith("/me/.claude/"):
                raise KeyError(path)
            return super().list(path)

    text = {"/me/.claude/skills/tea/SKILL.md": TEA}
    catalog = tea(Own(text))
    assert [skill["key"] for skill in catalog.list()["skills"]] == ["tea"]
    assert catalog.load("tea") == tea(text).load("tea")


def test_each_folder_is_asked_for_once():
    disk = Disk()
    discover("claude", files=disk, **places_of(EXAMPLE))
    listed = [path for method, path in disk.calls if method == "list"]
    assert sorted(set(listed)) == sorted(listed)


def test_a_file_system_may_use_the_catalog():
    class Own(Files):
        catalog = None

        def read(self, path):
            if self.catalog is not None:
                catalog, self.catalog = self.catalog, None
                catalog.list(), catalog.search("tea"), catalog.refresh()
            return super().read(path)

    files = Own({"/me/.claude/skills/tea/SKILL.md": TEA})
    catalog = tea(files)
    for ask in [catalog.refresh, lambda: catalog.search("tea"), lambda: catalog.load("tea")]:
        files.catalog = catalog
        ask()


def test_a_catalog_in_a_cycle_is_collected():
    files = Files({"/me/.claude/skills/tea/SKILL.md": TEA})
    files.catalog = tea(files)
    gone = weakref.ref(files)
    del files
    gc.collect()
    assert gone() is None


def test_refresh_says_whether_something_changed(tmp_path):
    def write(name):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(TEA.replace("tea", name))

    write("tea")
    for files in [None, Disk()]:
        catalog = discover(roots=[tmp_path], files=files)
        assert (len(catalog.search("makes")["hits"]), catalog.refresh()) == (1, False)
        write("mate")
        assert len(catalog) == 1, "it stays as it is until then"
        assert (catalog.refresh(), catalog.refresh()) == (True, False)
        assert (
            len(catalog)
            == len(catalog.search("makes")["hits"])
            == len(catalog.search("makes", body=False)["hits"])
            == 2
        )
        (tmp_path / "mate/SKILL.md").unlink()
        (tmp_path / "mate").rmdir()


# Errors.


ERRORS = [
    ("an unknown dialect", lambda: discover("clade"), SkilltreeValueError, "unknown-dialect", "did you mean `claude`"),
    ("a dialect that is no text", lambda: discover(3), TypeError, None, "str"),
    ("an unknown argument", lambda: discover(hmoe="/me"), TypeError, None, "hmoe"),
    (
        "a project that is not there",
        lambda: discover(project="/no/such/folder"),
        SkilltreeValueError,
        "no-directory",
        "does not exist",
    ),
    (
        "a root that is a file",
        lambda: discover(roots=[__file__]),
        SkilltreeValueError,
        "no-directory",
        "is not a directory",
    ),
    ("an empty path", lambda: discover(home=""), SkilltreeValueError, "bad-path", "an empty text"),
    (
        "a relative path in memory",
        lambda: discover(files={}, home="me"),
        SkilltreeValueError,
        "bad-path",
        "expected an absolute path",
    ),
    (
        "a path of another type",
        lambda: discover(home=7),
        TypeError,
        None,
        "`home` must be a `str` or an `os.PathLike`, not `int`",
    ),
    (
        "a flag of another type",
        lambda: discover(only_roots=1),
        TypeError,
        None,
        "`only_roots` must be a `bool`, not `int`",
    ),
    ("files of another type", lambda: discover(files=7), TypeError, None, "`files` must be"),
    ("contents of another type", lambda: discover(files={"/a": 7}), TypeError, None, 'files["/a"]'),
    (
        "an unknown reading",
        lambda: discover(reading="raw"),
        SkilltreeValueError,
        "bad-arguments",
        "`faithful` or `repaired`",
    ),
    (
        "an unknown field of the host",
        lambda: discover(host={"turst": True}),
        SkilltreeValueError,
        "bad-arguments",
        "unknown field `turst`",
    ),
    ("a field of another type", lambda: discover(host={"trust": "yes"}), TypeError, None, "`trust` must be a `bool`"),
    ("a text for a list", lambda: discover(host={"enable": "tea"}), TypeError, None, "`enable` must be a list"),
    (
        "a permission of another form",
        lambda: discover(host={"permissions": ["net"]}),
        SkilltreeValueError,
        "bad-arguments",
        "not a permission",
    ),
    (
        "a negative rank",
        lambda: discover(host={"ranks": {"tea": -1}}),
        SkilltreeValueError,
        "bad-arguments",
        "non-negative",
    ),
    ("a negative budget", lambda: tea().prompt(budget=-1), SkilltreeValueError, "bad-arguments", "non-negative"),
    (
        "a budget of another type",
        lambda: tea().prompt(budget="8000"),
        TypeError,
        None,
        "`budget` must be an `int`, not `str`",
    ),
    ("a budget that is a flag", lambda: tea().prompt(budget=True), TypeError, None, "not `bool`"),
    ("an unknown skill", lambda: tea().load("tee"), SkilltreeError, "unknown", "did you mean `tea`"),
    (
        "an unknown caller",
        lambda: tea().load("tea", caller="me"),
        SkilltreeValueError,
        "bad-arguments",
        "`model` or `user`",
    ),
    (
        "a skill that is switched off",
        lambda: discover(roots=["/s"], files={"/s/tea/SKILL.md": TEA}, host={"disable": ["tea"]}).load("tea"),
        SkilltreeError,
        "disabled",
        "tea",
    ),
    ("no triggers", lambda: tea().match("tea"), SkilltreeError, "not-in-dialect", "claude"),
    ("a path that is not there", lambda: tea().check("/nowhere"), SkilltreeError, "file-system", "/nowhere"),
    ("an unknown profile", lambda: tea().check(profile="x"), SkilltreeValueError, "unknown-dialect", "there are"),
    ("arguments that are no JSON", lambda: tea().call({"skill": object()}), TypeError, None, "JSON"),
    (
        "an unknown dialect of the matrix",
        lambda: skilltree_engine.matrix(["x"], files={}),
        SkilltreeValueError,
        "unknown-dialect",
        "x",
    ),
    ("an unknown table", lambda: skilltree_engine.dialect("x"), SkilltreeValueError, "unknown-dialect", "x"),
]


@pytest.mark.parametrize("ask, kind, code, message", [row[1:] for row in ERRORS], ids=[row[0] for row in ERRORS])
def test_an_error_says_what_was_expected(ask, kind, code, message):
    with pytest.raises(kind) as raised:
        ask()
    assert type(raised.value) is kind
    assert message in str(raised.value)
    assert getattr(raised.value, "code", None) == code


def test_errors_are_ordinary_exceptions():
    import copy
    import pickle

    error = SkilltreeValueError("unknown-dialect", "there is no dialect `x`")
    assert isinstance(error, ValueError) and isinstance(error, SkilltreeError)
    for same in [pickle.loads(pickle.dumps(error)), copy.copy(error)]:
        assert (type(same), same.code, str(same)) == (SkilltreeValueError, "unknown-dialect", "there is no dialect `x`")


def test_large_numbers_limit_nothing():
    assert tea().prompt(budget=10**40)["shown"] == ["tea"]


# Threads.


@pytest.mark.parametrize("files", [None, "memory", "object"])
def test_threads_get_the_answers_that_one_gets(files):
    files = {None: None, "memory": tree_of(EXAMPLE), "object": Disk()}[files]
    places = {**places_of(EXAMPLE), "user_choices": EXAMPLE / "none"}
    asks = [
        lambda c: c.list(),
        lambda c: c.prompt(budget=200),
        lambda c: c.load("pdf-forms"),
        lambda c: c.search("pdf"),
        lambda c: c.search("pdf", body=False),
        lambda c: c.refresh(),
        lambda c: c.check(),
        lambda c: discover("claude", files=files, **places).list(),
    ]
    shared = discover("claude", files=files, **places)
    expected = [ask(shared) for ask in asks]
    told, begin = [], threading.Barrier(8)

    def work(first):
        begin.wait()
        for number in range(40):
            at = (first + number) % len(asks)
            try:
                told.append((at, asks[at](shared)))
            except BaseException as error:
                told.append((at, error))

    threads = [threading.Thread(target=work, args=[first]) for first in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 8 * 40
    for at, answer in told:
        assert answer == expected[at]


def test_other_threads_run_while_the_engine_works():
    asked, go_on = threading.Event(), threading.Event()

    class Own(Files):
        def read(self, path):
            asked.set()
            # The other thread can only answer if this one does not keep it from running.
            assert go_on.wait(60)
            return super().read(path)

    catalogs = []
    files = Own({"/me/.claude/skills/tea/SKILL.md": TEA})
    thread = threading.Thread(target=lambda: catalogs.append(tea(files)))
    thread.start()
    assert asked.wait(60)
    assert len(tea()) == 1, "another discovery at the same time"
    go_on.set()
    thread.join()
    assert len(catalogs[0]) == 1


# Types.


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs `mypy --strict`, and returns its exit code and what it prints."""
    cache = tmp_path_factory.mktemp("mypy")

    def run(*words):
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=HERE)
        return done.returncode, done.stdout + done.stderr

    return run


def test_the_example_passes_mypy_and_runs(mypy):
    code, told = mypy("example.py")
    assert code == 0, told
    done = subprocess.run([sys.executable, str(HERE / "example.py")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "['tea']",
        "tea None True",
        "/me/.claude/skills/tea",
        "unknown",
        "unknown there is no skill `tee`; did you mean `tea`?",
        '{"claude": "in-use", "agentskills": "in-use"}',
    ]


def test_the_package_passes_mypy(mypy):
    for version in ["3.9", f"{sys.version_info.major}.{sys.version_info.minor}"]:
        code, told = mypy("--python-version", version, "-p", "skilltree_engine")
        assert code == 0, told


def test_what_the_standard_library_lists_is_a_listing_for_mypy(mypy, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import os, pathlib\n"
        "from typing import Iterator\n"
        "from skilltree_engine import discover\n"
        "class Scanned:\n"
        "    def list(self, path: str) -> Iterator[os.DirEntry[str]]:\n"
        "        return os.scandir(path)\n"
        "    def read(self, path: str) -> bytes:\n"
        "        return pathlib.Path(path).read_bytes()\n"
        "class Iterated(Scanned):\n"
        "    def list(self, path: str) -> Iterator[pathlib.Path]:  # type: ignore[override]\n"
        "        return pathlib.Path(path).iterdir()\n"
        "discover(files=Scanned()), discover(files=Iterated())\n"
        "discover(files={'/a': 'text', '/b': b'bytes', '/c': None, '/d': {'link': 'a'}})\n"
    )
    code, told = mypy(str(program))
    assert code == 0, told


MISTAKES = [
    ("discover(hmoe='/me')", 'Unexpected keyword argument "hmoe"'),
    ("discover(files=7)", 'Argument "files"'),
    ("discover(host={'turst': True})", 'Argument "host"'),
    ("discover(home=b'/me')", 'Argument "home"'),
    ("discover().list()['skils']", '"skils"'),
    ("discover().load('tea', caller='me')", 'Argument "caller"'),
    ("discover().call(7)", "Argument 1"),
    ("discover().prompt()['cost'].upper()", '"int" has no attribute'),
    ("matrix(project=7)", 'Argument "project"'),
]


def test_mypy_finds_mistakes(mypy, tmp_path):
    program = tmp_path / "program.py"
    lines = ["from skilltree_engine import discover, matrix", *[line for line, _ in MISTAKES]]
    program.write_text("\n".join(lines) + "\n")
    _, told = mypy("--no-pretty", str(program))
    for number, (line, message) in enumerate(MISTAKES, start=2):
        errors = [error for error in told.splitlines() if f"program.py:{number}: error" in error]
        assert any(message in error for error in errors), (line, told)

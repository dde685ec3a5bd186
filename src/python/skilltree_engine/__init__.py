"""skilltree, the engine for Agent Skills: folders with a SKILL.md that teach an agent how to do a task.

    import skilltree_engine

    catalog = skilltree_engine.discover("claude", project=".")
    print(catalog.prompt()["text"])          # the section for the system prompt
    print(catalog.load("pdf")["text"])       # the text that the model sees

`discover` finds the skills as one agent does, and returns a `Catalog`, whose methods answer with dictionaries and
lists: the JSON that the command line prints with ``--json``, but for the differences that the guide lists.
`skilltree_engine.types` has a type for each answer.

Errors. An argument of the wrong type raises `TypeError`. Everything else that the engine refuses raises
`SkilltreeError`, which has a ``code`` and a message that says what was expected. If the value of an argument is at
fault, it is a `SkilltreeValueError`, which is a `ValueError` too. Whatever is wrong with a skill is no exception, but a
finding in the answer.

Threads. All functions are synchronous, and let other threads run while the engine works. A catalog may be used in
several threads at a time.
"""

from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from . import _engine, types
from .errors import SkilltreeError, SkilltreeValueError
from .types import (
    Called,
    Caller,
    Checked,
    Compared,
    Completed,
    DialectTable,
    Explained,
    Files,
    FileSystem,
    Found,
    Host,
    Invoked,
    Listed,
    Loaded,
    Matched,
    Path,
    Prompted,
    Reading,
    Registered,
    Tool,
)

__all__ = [
    "Catalog",
    "FileSystem",
    "SkilltreeError",
    "SkilltreeValueError",
    "__version__",
    "dialect",
    "dialects",
    "discover",
    "matrix",
    "types",
]

__version__: str = _engine.VERSION

_Paths = Union[Path, Iterable[Path]]

_PLACES = (
    "active",
    "bundled",
    "config",
    "follow_links_out",
    "home",
    "managed",
    "mount",
    "only_roots",
    "project",
    "project_choices",
    "registered",
    "roots",
    "touched",
    "user",
    "user_choices",
)


def _places(arguments: Mapping[str, Any]) -> Dict[str, Any]:
    """The places among the arguments of a function."""
    return {name: arguments[name] for name in _PLACES}


def discover(
    dialect: str = "agentskills",
    *,
    project: Optional[Path] = None,
    home: Optional[Path] = None,
    files: Files = None,
    reading: Optional[Reading] = None,
    host: Optional[Host] = None,
    bundled: Optional[Path] = None,
    config: Optional[Path] = None,
    user: Optional[Path] = None,
    managed: Optional[Path] = None,
    touched: _Paths = (),
    user_choices: Optional[Path] = None,
    project_choices: _Paths = (),
    active: Optional[Path] = None,
    mount: Optional[str] = None,
    registered: Iterable[Registered] = (),
    roots: _Paths = (),
    only_roots: bool = False,
    follow_links_out: bool = False,
) -> "Catalog":
    """Find the skills that a dialect's agent finds.

    On the disk, which is the default, the catalog is that of ``skilltree --dialect DIALECT --project PROJECT``: the
    home directory is the user's, the folder that an administrator manages is searched if the dialect has one, the
    choices of the user and of the project (``skilltree state``) count, and skills may require the programs in ``PATH``
    and the variables of the process. Five things differ. Without `project` there is no project, whatever the working
    directory. The dialect is only what is given. A path of a ``.skill`` file is not opened. And the skills of a project
    are not trusted, also if the user approved them with ``skilltree approve``, unless `host` says so. Policies such as
    ``skilltree-policy.yaml`` do not count.

    With other files there are only the places that are given.

    Args:
        dialect: The name of the skill system, such as ``"claude"``; by default the standard of agentskills.io. See
            `dialects`.
        project: The project's folder, in which skills are searched.
        home: The user's home directory. On the disk it is that of the environment if it is None.
        files: Where the files are: None for the disk; a mapping of absolute paths to contents, which is copied, for a
            tree in memory; or an object with the methods ``list`` and ``read`` (see `FileSystem`).
        reading: How files are read: ``"faithful"`` as the client itself reads them, or ``"repaired"``; by default as
            the dialect has it.
        host: The answers of your program about the machine and its user (see `types.Host`).
        bundled: The skills that ship with the agent.
        config: The agent's configuration folder.
        user: The user's folder, in systems that have one besides the home directory.
        managed: The folder of the settings and skills that an administrator manages.
        touched: Files and folders that are being worked on, which add the skills of nested folders.
        user_choices: The file with the user's choices of how skills are offered. It need not exist.
        project_choices: The files that may hold the project's choices. Those of the first folder that has any are read.
        active: The activation root, which holds copies of skills.
        mount: The path at which the model sees `active`.
        registered: Skills that plugins register, each a mapping with ``id`` and ``path``.
        roots: Additional folders of skills that take precedence over all others, from lowest to highest.
        only_roots: Whether `roots` are the only sources.
        follow_links_out: Whether symbolic links of the project may lead out of its repository.

    Raises:
        SkilltreeValueError: The dialect is unknown (code ``unknown-dialect``), a path is not valid (``bad-path``), the
            project or a root is no folder of the disk (``no-directory``), or a field of `host` has a wrong value
            (``bad-arguments``).
        TypeError: An argument has the wrong type.
    """
    places = _places(locals())
    return Catalog(_engine.Catalog(dialect, files, places, host, reading))


def matrix(
    dialects: Union[None, str, Iterable[str]] = None,
    *,
    diff: bool = False,
    budget: Optional[int] = None,
    window: Optional[int] = None,
    project: Optional[Path] = None,
    home: Optional[Path] = None,
    files: Files = None,
    reading: Optional[Reading] = None,
    host: Optional[Host] = None,
    bundled: Optional[Path] = None,
    config: Optional[Path] = None,
    user: Optional[Path] = None,
    managed: Optional[Path] = None,
    touched: _Paths = (),
    user_choices: Optional[Path] = None,
    project_choices: _Paths = (),
    active: Optional[Path] = None,
    mount: Optional[str] = None,
    registered: Iterable[Registered] = (),
    roots: _Paths = (),
    only_roots: bool = False,
    follow_links_out: bool = False,
) -> Compared:
    """Compare what several dialects do with each skill.

    Args:
        dialects: The names of the dialects, or ``"all"``. By default the standard, and the clients that have left
            traces in the project and the home directory.
        diff: Leave out the skills that all of these dialects treat alike.
        budget: The most that the list in a prompt may have, in characters, or in tokens in a dialect that counts those.
        window: The size of the model's context window in tokens, of which the dialects take a share.
        project and the others: As for `discover`.

    Raises:
        SkilltreeValueError, TypeError: As `discover`.
    """
    places = _places(locals())
    setup = (files, places, host, reading)
    return _engine.matrix(dialects, setup, diff, budget, window)


def dialects() -> List[DialectTable]:
    """Return the tables of all built-in dialects, each with its ``name``."""
    return _engine.dialects()


def dialect(name: str) -> DialectTable:
    """Return the table of one built-in dialect.

    Raises:
        SkilltreeValueError: There is no such dialect (code ``unknown-dialect``).
    """
    return _engine.dialect(name)


class Catalog:
    """The skills that one dialect found in a set of files. `discover` makes it.

    It stays as it is until `refresh`, but the text of a skill is read when it is loaded. ``len(catalog)`` is the number
    of skills.
    """

    __slots__ = ("__weakref__", "_engine")

    def __init__(self, engine: _engine.Catalog) -> None:
        self._engine = engine

    def __len__(self) -> int:
        return len(self._engine)

    def __bool__(self) -> bool:
        return True

    def list(self) -> Listed:
        """Return the skills, what they shadow, and the findings."""
        return self._engine.list()

    def prompt(
        self, budget: Optional[int] = None, window: Optional[int] = None, query: Optional[str] = None
    ) -> Prompted:
        """Return the section for the system prompt.

        Args:
            budget: The most that the list may have, in characters, or in tokens in a dialect that counts those.
            window: The size of the model's context window in tokens. Without `budget`, the dialect takes a share of it.
            query: The task. If not all skills fit, those that fit the task keep their descriptions.
        """
        return self._engine.prompt(budget, window, query)

    def load(self, key: str, caller: Caller = "model", args: str = "", already: Iterable[str] = ()) -> Loaded:
        """Return the text of a skill.

        Args:
            key: The key of the skill, or its name if that is unambiguous.
            caller: Who asks, ``"model"`` or ``"user"``; some skills are only for one of them.
            args: The arguments, which the text may refer to.
            already: Keys of the skills that the conversation has already. Of these the answer is a short note.

        Raises:
            SkilltreeError: There is no such skill (code ``unknown``, with similar names in the message), it is switched
                off or not for this caller, or it cannot be read.
        """
        return self._engine.load(key, caller, args, already)

    def invoke(self, line: str) -> Invoked:
        """Return the result of a line that the user typed: ``/name args``, or an ordinary message.

        Nothing is run: an answer of the kind ``pending`` has commands for your program to run.

        Raises:
            SkilltreeError: The line is a command, and its skill cannot be used.
        """
        return self._engine.invoke(line)

    def match(self, text: str, max: Optional[int] = None, recent: Iterable[str] = ()) -> Matched:
        """Return the skills that match a message, for dialects with triggers.

        Args:
            text: The message.
            max: The greatest number of skills; by default as the dialect has it.
            recent: Keys of the skills that were used last.

        Raises:
            SkilltreeError: The dialect has no triggers (code ``not-in-dialect``).
        """
        return self._engine.match(text, max, recent)

    def search(self, text: str, limit: Optional[int] = None, body: bool = True, caller: Caller = "model") -> Found:
        """Return the skills that fit some words or a task, the best first; without hits if none does.

        The index is kept until `refresh`, so the first search takes longer than the others.

        Args:
            text: The words.
            limit: The greatest number of skills; by default 10.
            body: Whether the texts of the skills are searched, and not only their frontmatter.
            caller: Whose skills are searched, ``"model"`` or ``"user"``.
        """
        return self._engine.search(text, limit, body, caller)

    def why(
        self,
        asked: Path,
        budget: Optional[int] = None,
        window: Optional[int] = None,
        query: Optional[str] = None,
    ) -> Explained:
        """Return what happened to a skill or a file, and by which rule.

        Args:
            asked: The name of a skill, or the absolute path of a file or folder. A `os.PathLike` may be relative.
            budget, window, query: As for `prompt`; what the prompt shows of the skill depends on them.
        """
        return self._engine.why(asked, budget, window, query)

    def check(self, paths: _Paths = (), strict: bool = False, profile: Optional[str] = None) -> Checked:
        """Return the errors and warnings in files.

        Args:
            paths: Skill files, folders of skills, or trees of folders; one, or several. Without any, every source.
            strict: Also report what other readers reject, and what a reviewer may overlook.
            profile: The dialect whose rules apply; by default that of the catalog.

        Raises:
            SkilltreeError: A path does not exist or cannot be read.
        """
        return self._engine.check(paths, strict, profile)

    def tool(self) -> Tool:
        """Return the name, the description and the schema of the tool by which a model loads skills.

        Raises:
            SkilltreeError: The dialect has no such tool (code ``not-in-dialect``).
        """
        return self._engine.tool()

    def call(self, arguments: Union[Mapping[str, Any], str]) -> Called:
        """Call the load tool as the model does. A refusal is an answer for the model, with ``ok`` False, and no
        exception.

        Args:
            arguments: The arguments, as a mapping or as the JSON text that a model wrote.

        Raises:
            TypeError: The mapping contains something that JSON has no place for.
        """
        if isinstance(arguments, str):
            return self._engine.call(arguments)
        # Only this needs it, and importing it takes longer than the rest of this package.
        import json

        text = json.dumps(arguments)
        return self._engine.call(text)

    def complete(self, prefix: str = "") -> Completed:
        """Return the commands that the user may type and that begin with a prefix, with or without its ``/``."""
        return self._engine.complete(prefix)

    def refresh(self) -> bool:
        """Look at the files again, and return whether the skills, the findings or the choices are others than before.

        On the disk only what has changed is read. Calls in other threads that have begun before answer from what there
        was.
        """
        return self._engine.refresh()

    def __repr__(self) -> str:
        return f"<skilltree_engine.Catalog with {len(self)} skills>"

"""The types of what this package takes and answers.

The answers are plain dictionaries and lists; the classes here describe them for type checkers, and are never instances.
A field that is declared in a class whose name begins with an underscore is always there. The other fields may be
absent.
"""

import os
from typing import (
    Any,
    Dict,
    Iterable,
    List,
    Literal,
    Mapping,
    Optional,
    Protocol,
    Tuple,
    TypedDict,
    Union,
)

__all__ = [
    "Called",
    "CalledError",
    "CalledFork",
    "CalledInline",
    "CalledPending",
    "Caller",
    "Cell",
    "Checked",
    "Command",
    "Compared",
    "Completed",
    "Content",
    "DecidedBy",
    "DialectTable",
    "DirectoryEntry",
    "Entry",
    "Explained",
    "FileSystem",
    "Files",
    "Finding",
    "Fix",
    "Fork",
    "Found",
    "Hit",
    "Host",
    "Inline",
    "Invoked",
    "Link",
    "Listed",
    "Loaded",
    "Looked",
    "Matched",
    "Message",
    "Outcome",
    "Path",
    "Pending",
    "Prompted",
    "Reading",
    "Registered",
    "Requirements",
    "Resources",
    "Row",
    "Shadowed",
    "Skill",
    "Tool",
    "Triggers",
    "Trust",
]

#: A path. On the disk a relative path starts from the working directory, and ``~`` is the user's home directory. In a
#: tree in memory and in a file system of your own, paths are absolute and have ``/`` between names.
Path = Union[str, "os.PathLike[str]"]

#: Who asks for a skill.
Caller = Literal["model", "user"]

#: How files are read: as the client itself does, or repaired.
Reading = Literal["faithful", "repaired"]


class Link(TypedDict):
    """A symbolic link in a tree in memory. The target is absolute, or relative to the folder of the link."""

    link: str


#: What stands at a path of a tree in memory: a file's text or bytes, ``None`` for a folder, or a link.
Content = Union[str, bytes, bytearray, memoryview, None, Link]


class DirectoryEntry(Protocol):
    """An entry of a folder, as ``os.scandir`` and ``pathlib.Path.iterdir`` give them."""

    @property
    def name(self) -> str: ...

    def is_dir(self) -> bool: ...

    def is_file(self) -> bool: ...


#: An entry of a folder: ``"SKILL.md"``, ``"scripts/"`` for a folder, ``("scripts", "dir")``, or an object such as
#: ``os.DirEntry``. A symbolic link is given as what it leads to.
Entry = Union[str, Tuple[str, Literal["file", "dir", "other"]], DirectoryEntry]


class FileSystem(Protocol):
    """A file system of your own.

    The methods are called with absolute paths, with ``/`` between names, and each folder is asked for once in a call of
    the engine. ``FileNotFoundError``, or ``None`` as the answer, means that nothing is there; ``PermissionError`` that
    it may not be read; ``NotADirectoryError`` and ``IsADirectoryError`` that it is of the other kind. Any other
    ``Exception`` becomes a finding of the engine, or the error of the call. ``KeyboardInterrupt``, ``SystemExit`` and
    whatever else is no ``Exception`` ends the call and is raised from it.

    The methods are called in the thread that calls the engine. They may be called in several threads at a time if the
    catalog is used in several.
    """

    def list(self, path: str, /) -> Optional[Iterable[Entry]]:
        """Return the entries of a folder, in any order."""

    def read(self, path: str, /) -> Union[bytes, bytearray, memoryview, str, None]:
        """Return the contents of a file."""


#: ``None`` for the real disk, a mapping of paths to contents, or a file system of your own.
Files = Union[None, Mapping[str, Content], FileSystem]


class Registered(TypedDict):
    """A skill that a plugin registers: a skill file, or a folder that contains one."""

    id: str
    path: Path


class _TrustPath(TypedDict):
    path: Path


class Trust(_TrustPath, total=False):
    """The trust in a single skill.

    With the digests ``folder`` and ``manifest`` it is trusted as long as its folder and its SKILL.md have exactly
    these.
    """

    trusted: bool
    reason: str
    folder: str
    manifest: str


class Host(TypedDict, total=False):
    """The answers of your program about the machine and its user. What is absent is false or empty.

    For the real disk, three fields have other defaults: ``programs`` are those in ``PATH``; ``environment`` and
    ``variables`` are the variables of the process.
    """

    #: Keys of skills that are switched on. It overrides `disable`.
    enable: Iterable[str]
    #: Keys of skills that are switched off.
    disable: Iterable[str]
    #: Whether the skills of the project are trusted, so that the tools they ask for are granted.
    trust: bool
    #: The trust in single skills.
    trusts: Iterable[Trust]
    #: The caller's permissions: ``@network``, ``@events``, ``@read:PATH``, ``@write:PATH``, or another tag that begins
    #: with ``@``.
    permissions: Iterable[str]
    #: Programs that skills may require.
    programs: Iterable[str]
    #: Environment variables that are set, which skills may require.
    environment: Iterable[str]
    #: Variables in the texts of skills.
    variables: Mapping[str, str]
    #: Names of commands that are reserved for your program.
    reserved: Iterable[str]
    #: How often skills are used, by their keys.
    ranks: Mapping[str, int]
    #: Files that the caller may not read.
    unreadable: Iterable[Path]


_FixBase = TypedDict("_FixBase", {"line": int, "with": str})


class Fix(_FixBase, total=False):
    """The correction of a finding: the text ``with`` replaces the lines from ``line`` to ``last``, or ``line``
    alone."""

    last: int


class _FindingBase(TypedDict):
    severity: Literal["error", "warning", "note"]
    code: str
    path: str
    message: str


class Finding(_FindingBase, total=False):
    """Something that the engine noticed. Lines and columns count from 1; columns are in characters."""

    line: int
    column: int
    help: str
    fix: Fix


class Resources(TypedDict):
    """The files of a skill, by the three folders that the standard names."""

    scripts: List[str]
    references: List[str]
    assets: List[str]


class Requirements(TypedDict):
    """What the machine must have."""

    bins: List[str]
    env: List[str]


class Triggers(TypedDict):
    """The words and patterns by which a message selects a skill."""

    keywords: List[str]
    verbs: List[str]
    patterns: List[str]


class _DecidedByBase(TypedDict):
    file: str


class DecidedBy(_DecidedByBase, total=False):
    """The file of choices that decides how a skill is offered, and the line in it."""

    line: int


class _SkillBase(TypedDict):
    key: str
    name: str
    description: str
    source: str
    scope: str
    path: str
    dir: str
    model: bool
    user: bool
    pinned: bool
    commands: List[str]
    resources: Resources
    meta: Dict[str, Any]


class Skill(_SkillBase, total=False):
    """A skill in use. ``model`` and ``user`` say who may use it."""

    version: str
    allowed_tools: List[str]
    disallowed_tools: List[str]
    argument_hint: str
    namespace: str
    context: Literal["inline", "fork"]
    agent: str
    model_name: str
    sandbox: bool
    permissions: List[str]
    requires: Requirements
    brief_description: str
    toolsets: List[str]
    scripts: List[str]
    when_to_use: str
    arguments: List[str]
    paths: List[str]
    effort: str
    background: bool
    shell: str
    triggers: Triggers
    state: str
    repaired: bool
    undetermined: bool
    withheld_from: List[Caller]
    visibility: Literal["name-only", "user-only", "off"]
    decided_by: DecidedBy
    license: str
    compatibility: str
    target: str


class _ShadowedBase(TypedDict):
    key: str
    path: str
    source: str
    by: str


class Shadowed(_ShadowedBase, total=False):
    """A skill that is not used, as the skill at the path ``by`` has precedence."""

    undetermined: bool


class _LookedBase(TypedDict):
    source: str
    path: str
    presence: str


class Looked(_LookedBase, total=False):
    """A folder that was searched for skills, and whether it is there."""

    reason: str


class _ListedBase(TypedDict):
    dialect: str
    skills: List[Skill]
    shadowed: List[Shadowed]
    findings: List[Finding]


class Listed(_ListedBase, total=False):
    """The answer of ``list``. ``looked`` is there if no skill was found."""

    looked: List[Looked]


class _PromptedBase(TypedDict):
    text: str
    guidance: str
    list: str
    shown: List[str]
    shortened: List[str]
    left_out: List[str]
    cost: int
    budget: Optional[int]


class Prompted(_PromptedBase, total=False):
    """The answer of ``prompt``. ``shown``, ``shortened`` and ``left_out`` are keys of skills.

    ``cost`` and ``budget`` are in characters, or in tokens in a dialect that counts those.
    """

    note: str


class _LoadedBase(TypedDict):
    key: str
    text: str
    already: bool
    dir: str
    files: List[str]
    children: List[str]
    tools: Optional[List[str]]
    findings: List[Finding]


class Loaded(_LoadedBase, total=False):
    """The answer of ``load``. ``view`` is the text to show to the user, if the dialect has a load tool."""

    view: str


class Message(TypedDict):
    """The line is no command, but a message."""

    kind: Literal["message"]
    text: str


class _InlineBase(TypedDict):
    kind: Literal["inline"]
    key: str
    text: str
    tools: Optional[List[str]]
    model: Optional[str]
    dir: str
    findings: List[Finding]


class Inline(_InlineBase, total=False):
    """The text of a skill for the conversation. ``also`` are the keys of other skills whose texts are in ``text``."""

    already: bool
    disallowed_tools: List[str]
    effort: str
    also: List[str]


class _ForkBase(TypedDict):
    kind: Literal["fork"]
    key: str
    text: str
    agent: Optional[str]
    model: Optional[str]
    tools: Optional[List[str]]
    permissions: List[str]
    granted_by: str
    dir: str
    findings: List[Finding]


class Fork(_ForkBase, total=False):
    """The task for an agent of its own. ``permissions`` are granted, and ``declared`` are those that the skill
    names."""

    declared: List[str]
    disallowed_tools: List[str]
    effort: str
    background: bool


class _PendingBase(TypedDict):
    kind: Literal["pending"]
    key: str
    commands: List[str]
    pieces: List[str]
    words: List[str]
    trusted: bool
    variables: Dict[str, str]
    then: Dict[str, Any]


class Pending(_PendingBase, total=False):
    """The text needs the outputs of ``commands``, which stand between ``pieces``; ``then`` is the answer without its
    text."""

    shell: str
    requires_env: List[str]


#: The answer of ``invoke``. Its ``kind`` says which.
Invoked = Union[Message, Inline, Fork, Pending]


class _Ok(TypedDict):
    ok: Literal[True]


class CalledInline(Inline, _Ok, total=False):
    """A call of the load tool with the text of a skill for the conversation. ``view`` is the text to show to the
    user."""

    view: str


class CalledFork(Fork, _Ok, total=False):
    """A call of the load tool with the task for an agent of its own.

    ``taskId`` and ``status`` are there if the tool answers at once, before the task is done.
    """

    view: str
    taskId: str
    status: str


class CalledPending(Pending, _Ok, total=False):
    """A call of the load tool whose text needs the outputs of commands."""

    view: str


class _CalledErrorBase(TypedDict):
    ok: Literal[False]
    error: Dict[str, Any]


class CalledError(_CalledErrorBase, total=False):
    """A call of the load tool that is refused. ``error`` has a ``code``, and a ``message`` for the model."""

    view: str


#: The answer of ``call``.
Called = Union[CalledInline, CalledFork, CalledPending, CalledError]


class Matched(TypedDict):
    """The answer of ``match``."""

    tier: Literal[0, 1, 2, 3]
    keys: List[str]
    text: str


class _HitBase(TypedDict):
    key: str
    path: str
    description: str
    score: float
    matched: List[str]
    marks: List[List[int]]


class Hit(_HitBase, total=False):
    """A skill that fits. Only scores of one answer can be compared. ``marks`` are places in ``description``, in
    characters."""

    unused: str


class Found(TypedDict):
    """The answer of ``search``; the best skill is the first."""

    query: str
    hits: List[Hit]


class Outcome(TypedDict):
    """What happened to one file, and by which rule."""

    path: str
    outcome: str
    code: Optional[str]
    rule: Optional[str]
    message: str
    help: Optional[str]


class Explained(TypedDict):
    """The answer of ``why``; without outcomes if no such skill or file was found."""

    asked: str
    outcomes: List[Outcome]


class Checked(TypedDict):
    """The answer of ``check``."""

    findings: List[Finding]


class _ToolBase(TypedDict):
    name: str
    description: str
    input_schema: Dict[str, Any]


class Tool(_ToolBase, total=False):
    """The definition of the tool by which a model loads skills."""

    parameters: Dict[str, Any]


class Command(TypedDict):
    """A command that the user may type."""

    name: str
    key: str
    hint: Optional[str]
    description: str


class Completed(TypedDict):
    """The answer of ``complete``."""

    commands: List[Command]


class _CellBase(TypedDict):
    state: Literal["in-use", "name-only", "hidden", "shadowed", "skipped", "left-out", "unseen"]
    message: str


class Cell(_CellBase, total=False):
    """What one dialect does with one skill."""

    key: str
    code: str
    by: str
    rule: str
    repaired: bool
    withheld: bool
    undetermined: bool
    help: str


class Row(TypedDict):
    """A file, and a cell for each dialect by its name."""

    path: str
    name: str
    cells: Dict[str, Cell]


class _ComparedBase(TypedDict):
    dialects: List[str]
    rows: List[Row]


class Compared(_ComparedBase, total=False):
    """The answer of ``matrix``."""

    nested: List[str]
    findings: List[Finding]


#: The table of a dialect, with its ``name``. ``skilltree dialect --schema`` describes the other fields.
DialectTable = Dict[str, Any]

# In: lines of JSON on standard input; the first says which toolset, and how our lines begin. Out: for each a line of
# JSON, after that beginning. What the toolset prints, and what it starts prints, goes to standard error. Ends with
# its input.
import sys

sys.path[:] = [place for place in sys.path if place]  # the skill's own files do not stand for Python's

import asyncio
import importlib.util
import inspect
import json
import os
import signal
import traceback
import types
import typing

RUNS = ("execute", "handler", "run", "call")
LISTS = ("tools", "getTools", "get_tools")
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}
TYPES |= {list: "array", dict: "object", type(None): "null"}


class Refusal(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def field(owner, name):
    """What is there under a name; a property that fails is not."""
    try:
        return owner.get(name) if isinstance(owner, dict) else getattr(owner, name, None)
    except Exception:
        return None


def run_of(tool):
    if isinstance(tool, (str, bytes, list, tuple, type)):
        return None
    return next((run for run in (field(tool, name) for name in RUNS) if callable(run)), None)


def is_tool(value):
    """Whether it is one tool: a toolset may have a method `run` too, but says nothing about itself."""
    told = (field(value, name) for name in ("name", "id", "description"))
    return run_of(value) is not None and (any(isinstance(one, str) for one in told) or schema_of(value) is not None)


def schema_of(tool):
    schemas = (field(tool, name) for name in ("parameters", "input_schema", "inputSchema", "schema"))
    return next((one for one in schemas if isinstance(one, dict)), None)


def collect(value, turns=0):
    """The tools of what was exported, each with the name that it goes by where it has none itself."""
    if turns > 4:
        raise Refusal("toolset-failed", "its tools are endlessly nested functions")
    if inspect.isawaitable(value):
        value = loop.run_until_complete(value)
    if isinstance(value, (list, tuple)):
        return [(None, tool) for tool in value]
    if isinstance(value, type):
        return collect(value(), turns + 1)
    if is_tool(value):
        return [(None, value)]
    if inspect.isroutine(value):
        if parameters(value):
            return [(None, value)]
        return collect(value(), turns + 1)
    for name in LISTS:
        tools = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
        if tools is not None:
            return collect(tools() if callable(tools) else tools, turns + 1)
    if isinstance(value, dict):
        return list(value.items())
    if type(value).__module__ == "builtins":
        expected = "tools: a list, a dict, a class or a function"
        raise Refusal("toolset-failed", f"it is {type(value).__name__}, expected {expected}")
    return [(name, getattr(value, name)) for name in dir(value) if not name.startswith("_") and holds(value, name)]


def holds(owner, name):
    """Whether an object has a method or a tool of this name. It is looked at as it is written: no property is run."""
    value = inspect.getattr_static(owner, name, None)
    is_method = isinstance(value, (staticmethod, classmethod)) or inspect.isfunction(value) or inspect.ismethod(value)
    return is_method or is_tool(value)


def parameters(run):
    """What a function takes by name; not its context, and nothing that takes any number."""
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    taken = inspect.signature(run).parameters.values()
    return [one for one in taken if one.kind not in several and one.name not in ("ctx", "context")]


def described(hint, what):
    """JSON schema of an annotation."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint in TYPES:
        return {"type": TYPES[hint]}
    if hint is inspect.Parameter.empty or hint is typing.Any:
        return {}
    if hint is None:
        return {"type": "null"}
    if origin is typing.Literal:
        kinds = {TYPES.get(type(part)) for part in parts}
        return {**({"type": kinds.pop()} if len(kinds) == 1 else {}), "enum": list(parts)}
    if origin is typing.Union or origin is getattr(types, "UnionType", None):
        return {"anyOf": [described(part, what) for part in parts]}
    if origin is typing.Annotated:
        told = [part for part in parts[1:] if isinstance(part, str)]
        return {**described(parts[0], what), **({"description": told[0]} if told else {})}
    if origin is list:
        return {"type": "array", "items": described(parts[0], what)}
    if origin is dict:
        return {"type": "object", "additionalProperties": described(parts[-1], what)}
    what(f"the type `{getattr(hint, '__name__', hint)}` has no JSON schema here, so it is described as any value")
    return {}


def signature_schema(run, what):
    try:
        hints = typing.get_type_hints(getattr(run, "__func__", run), include_extras=True)
    except Exception as error:
        what(f"its types cannot be read: {said(error)}")
        hints = {}
    properties, required = {}, []
    for one in parameters(run):
        hint = hints.get(one.name, one.annotation)
        schema = described(inspect.Parameter.empty if isinstance(hint, str) else hint, what)
        if one.default is inspect.Parameter.empty:
            required.append(one.name)
        elif is_json(one.default):
            schema["default"] = one.default
        properties[one.name] = schema
    needed = {"required": required} if required else {}
    more = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in inspect.signature(run).parameters.values())
    return {"type": "object", "properties": properties, **needed, "additionalProperties": more}


def is_json(value):
    try:
        json.dumps(value)
        return True
    except (TypeError, ValueError, RecursionError):
        return False


class Tool:
    """A tool as we keep it."""

    def __init__(self, name, tool, notes, otherwise):
        run = run_of(tool) or (tool if callable(tool) else None)
        if run is None:
            raise Refusal("tool", f"is {type(tool).__name__}, expected a function, or an object that has `execute`")
        names = (field(tool, "name"), field(tool, "id"), name, getattr(tool, "__name__", None), otherwise)
        self.name = next((one for one in names if isinstance(one, str) and one), None)
        if self.name is None:
            raise Refusal("tool", "has no name")
        told = field(tool, "description") or inspect.getdoc(run) or ""
        self.description = told if isinstance(told, str) else ""
        given = schema_of(tool)
        self.run, self.is_derived = run, given is None
        note = lambda what: notes.append({"tool": self.name, "what": what})
        self.schema = signature_schema(run, note) if given is None else given
        if not is_json(self.schema):
            note("its schema is not JSON, so it is described as any value")
            self.schema = {"type": "object"}

    def call(self, args):
        takes = inspect.signature(self.run).parameters
        context = {name: CONTEXT for name in ("ctx", "context") if name in takes}
        names = [one.name for one in parameters(self.run)]
        by_name = self.is_derived or bool(names) and set(names) <= set(self.schema.get("properties", {}))
        try:
            done = self.run(**args, **context) if by_name else self.run(*[args, CONTEXT][: max(1, len(takes))])
            return result(loop.run_until_complete(done) if inspect.isawaitable(done) else done)
        except Exception as error:
            traceback.print_exc()
            raise Refusal("tool-failed", said(error)) from error


def result(value):
    if isinstance(value, str):
        return {"output": value}
    if not isinstance(value, dict) or "output" not in value:
        return {"output": "" if value is None else dumped(value)}
    output = value["output"]
    text = output if isinstance(output, str) else dumped(output)
    kept = {"title": value.get("title"), "metadata": value.get("metadata"), "output": text}
    dumped(kept)
    return kept


def dumped(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def said(error):
    if isinstance(error, Refusal):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def load(file):
    sys.path[:0] = [os.path.dirname(file)]
    spec = importlib.util.spec_from_file_location("skilltree_toolset", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def open_toolset(ask):
    global token
    token = ask["token"]
    CONTEXT["skill"] = {"key": ask["key"], "dir": ask["dir"]}
    try:
        module = load(ask["file"])
    except Exception as error:
        traceback.print_exc()
        raise Refusal("toolset-failed", f"it cannot be loaded: {said(error)}") from error
    if not hasattr(module, ask["export"]):
        there = ((name, value) for name, value in vars(module).items() if not name.startswith("_"))
        public = [name for name, value in there if not inspect.ismodule(value)]
        names = ", ".join(f"`{name}`" for name in public) or "nothing"
        raise Refusal("export-missing", f"there is no export `{ask['export']}`; it exports {names}")
    notes = []
    found = collect(getattr(module, ask["export"]))
    for name, value in found:
        try:
            if isinstance(value, type):
                name, value = name or value.__name__, value()
            tool = Tool(name, value, notes, ask["export"] if len(found) == 1 else None)
            if tool.name in tools:
                raise Refusal("tool", "duplicate name; the first tool is used")
            tools[tool.name] = tool
        except Exception as error:
            notes.append({"tool": str(name or getattr(value, "__name__", "")), "what": said(error)})
    told = lambda tool: {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
    return {"tools": [told(tool) for tool in tools.values()], "notes": notes}


def call(ask):
    tool = tools.get(ask["tool"])
    if tool is None:
        raise Refusal("tool-unknown", f"unknown tool `{ask['tool']}`")
    return tool.call(ask["args"])


def answer(line):
    number = None
    try:
        ask = json.loads(line)
        number = ask["id"]
        return {"id": number, "ok": True, **(open_toolset(ask["open"]) if "open" in ask else call(ask["call"]))}
    except Exception as error:
        if not isinstance(error, Refusal):
            traceback.print_exc()
        wrong = {"code": getattr(error, "code", "toolset-failed"), "message": said(error)}
        return {"id": number, "ok": False, "error": wrong}


def main():
    # The pipes to us are ours alone: nothing that the toolset starts reads or writes there.
    ours, to = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
    for line in ours:
        answered = json.dumps(answer(line), ensure_ascii=False)
        sys.stdout.flush()
        rest = memoryview(f"\n{token}{answered}\n".encode(errors="replace"))
        while rest:
            rest = rest[to.write(rest) :]


token = ""
tools = {}
CONTEXT = {"skill": {}, "signal": None}
loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
main()

"""Claude Code, run once without a terminal against a model endpoint on loopback that ends the session at once.

The first message that the client prints names its commands. The listing for the model is taken from the first request. The
endpoint answers that with one call of the `Skill` tool for each skill in the listing, and the client answers each call
with the folder that the skill was read from. Skills that ship with the client are switched off, so that they take nothing
of the room that the listing has. The window is that of the client's default model.
"""

import json
import re

from lab import ROOT, Failure

COMMAND = "claude -p hi --output-format stream-json --verbose"
#: Commands in the texts of skills and hooks of the tree must not run.
SETTINGS = {"disableBundledSkills": True, "disableSkillShellExecution": True, "disableAllHooks": True,
            "enabledPlugins": {"cc-plugin-plugin-authoring@builtin": False}}
OPTIONS = ["--settings", json.dumps(SETTINGS), "--allowedTools", "Skill", "--no-session-persistence", "--strict-mcp-config"]
#: The commands that the client has without any skill; seen once for each process.
shipped = []


def see(place):
    if not shipped:
        init, rows, _, _ = run(place.emptied())
        if rows:
            raise Failure(f"expected no skills in an empty tree, got {len(rows)}")
        shipped.extend(init["slash_commands"])
        place.fill()
    init, rows, folders, raw = run(place)
    typed = [name for name in init["slash_commands"] if name not in shipped or name in [row["name"] for row in rows]]
    skills = [{**row, "path": folders.get(row["name"])} for row in rows]
    for index, name in enumerate(typed):
        names = [skill["name"] for skill in skills]
        if name not in names:
            # A command that the model is not told of has its place after the command before it.
            after = names.index(typed[index - 1]) + 1 if index else 0
            skills.insert(after, {"name": name, "hidden": True})
    return skills, raw


def run(place):
    """The first message of the client, the rows of the listing, the folders by name, and the raw output."""
    told = {}

    def answer(path, request):
        if request is None or "messages" not in request:
            return 200, "application/json", json.dumps({"input_tokens": 1})
        if "rows" in told or not request.get("tools"):
            return stream(request, [])
        # Where all skills are denied, the model has other tools, but not the one for skills.
        has_tool = any(tool.get("name") == "Skill" for tool in request["tools"])
        told["rows"] = rows = listing(request, place) if has_tool else []
        return stream(request, [row["name"] for row in rows])

    with place.model(answer) as model:
        env = [("ANTHROPIC_BASE_URL", model.url), ("ANTHROPIC_API_KEY", "none"), ("DISABLE_AUTOUPDATER", "1"),
               ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"), ("TMPDIR", f"{ROOT}/tmp")]
        output = place.run(["claude", "-p", "hi", "--output-format", "stream-json", "--verbose", *OPTIONS], env=env)
    try:
        messages = [json.loads(line) for line in output.stdout.splitlines()]
    except ValueError as error:
        raise Failure(f"expected lines of JSON, got {output.stdout[-200:]!r}") from error
    init = next((message for message in messages if message.get("subtype") == "init"), None)
    last = messages[-1] if messages else {}
    if init is None or "rows" not in told or last.get("subtype") != "success":
        raise Failure(f"the client told nothing: {output.stdout[-300:]!r} {output.stderr[-300:]!r}")
    raw = json.dumps([init["skills"], init["slash_commands"], told["rows"]])
    return init, told["rows"], folders(messages), raw


def listing(request, place):
    """The rows of the listing in a request: the block of rows below the line that ends with the name of the tool."""
    found = []
    for text in texts([*request["messages"], {"content": request.get("system") or ""}]):
        for block in re.findall(r"(?m)^.*\bSkill tool:\n\n((?:.+(?:\n|\Z))+)", text):
            for line in block.splitlines():
                if line.startswith("- "):
                    found.append(line[2:])
                elif found:
                    found[-1] += "\n" + line
    return [parsed(row, place) for row in found]


def parsed(row, place):
    """A row is `name: description`, `name (label): description`, or a name alone where the room was used up."""
    known = {file["path"].split("/")[-2] for file in place.case["files"] if "/" in file["path"]}
    for name in sorted(known, key=len, reverse=True):
        if row == name:
            return {"name": name}
        if match := re.match(re.escape(name) + r"(?: \((.*?)\))?(?:$|: )", row):
            return {"name": name, "description": row[match.end():]}
    name, colon, description = row.partition(": ")
    return {"name": name.split(" (")[0], "description": description if colon else None}


def folders(messages):
    """The folders that the client named after each call of the tool, by the name of the skill."""
    found, asked, calls = {}, None, {}
    for message in messages:
        # Messages of a skill that runs in an agent of its own name the call that they belong to.
        if message["type"] not in ("assistant", "user") or message.get("parent_tool_use_id"):
            continue
        content = message["message"]["content"]
        for part in content if isinstance(content, list) else []:
            if part.get("type") == "tool_use":
                calls[part["id"]] = part["input"].get("skill")
            elif part.get("type") == "tool_result":
                asked = calls.get(part["tool_use_id"])
            elif part.get("type") == "text" and message["type"] == "user" and asked:
                if match := re.match(r"Base directory for this skill: (/.*)", part["text"]):
                    found[asked] = match[1]
                asked = None
    return found


def texts(messages):
    for message in messages:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part.get("type") == "text":
                yield part["text"]


def stream(request, names):
    """A turn of the model that calls the tool for each of the names, and else one that ends the session."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"], "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    parts = [({"type": "tool_use", "id": f"toolu_{index}", "name": "Skill", "input": {}},
              {"type": "input_json_delta", "partial_json": json.dumps({"skill": name})}) for index, name in enumerate(names)]
    parts = parts or [({"type": "text", "text": ""}, {"type": "text_delta", "text": "."})]
    events = [{"type": "message_start", "message": message}]
    for index, (start, delta) in enumerate(parts):
        events += [{"type": "content_block_start", "index": index, "content_block": start},
                   {"type": "content_block_delta", "index": index, "delta": delta},
                   {"type": "content_block_stop", "index": index}]
    reason = "tool_use" if names else "end_turn"
    events += [{"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
                "usage": {"output_tokens": 1}}, {"type": "message_stop"}]
    text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return 200, "text/event-stream", text

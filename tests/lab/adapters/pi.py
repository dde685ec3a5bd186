"""pi, in its mode for other programs, with an extension that gives the system prompt; no model is asked.

The commands tell the paths and the skills that the model is not told of. The listing is taken from the system prompt, in the
client's order; skills that are hidden from the model come after it.
"""

import json
import re
import tempfile

from lab import Failure
from talk import between, unescaped

COMMAND = "pi --mode rpc --offline --approve --no-session --extension EXTENSION"
EXTENSION = """export default function (pi) {
  pi.registerCommand("tell-prompt", {
    description: "Tells the system prompt.",
    handler: async (args, ctx) => ctx.ui.notify(JSON.stringify({prompt: ctx.getSystemPrompt()}), "info"),
  });
}
"""
ROW = re.compile(r"  <skill>\n    <name>(.*?)</name>\n    <description>(.*?)</description>\n    <location>(.*?)</location>\n  </skill>\n", re.S)


def see(place):
    with tempfile.NamedTemporaryFile("w", suffix=".js") as extension:
        extension.write(EXTENSION)
        extension.flush()
        asked = [{"id": "commands", "type": "get_commands"}, {"id": "prompt", "type": "prompt", "message": "/tell-prompt"}]
        output = place.run(["pi", "--mode", "rpc", "--offline", "--approve", "--no-session", "--extension", extension.name],
                           env=[("PI_TELEMETRY", "0")], stdin="".join(json.dumps(line) + "\n" for line in asked))
    commands = prompt = None
    # Other characters that end a line may be in a text.
    for line in output.stdout.split("\n"):
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message.get("id") == "commands" and message.get("success"):
            commands = [command for command in message["data"]["commands"] if command["source"] == "skill"]
        if message.get("method") == "notify" and message.get("message", "").startswith('{"prompt":'):
            prompt = json.loads(message["message"])["prompt"]
    if commands is None or prompt is None:
        raise Failure(f"expected commands and a prompt, got {output.stdout[:200]!r} and {output.stderr[-300:]!r}")
    inside = between(prompt, "<available_skills>", "</available_skills>") or ""
    rows = ROW.findall(inside)
    if len(rows) != inside.count("  <skill>\n"):
        raise Failure("the listing has rows of another kind")
    skills = [{"name": unescaped(name), "description": description, "path": unescaped(path)} for name, description, path in rows]
    listed = {skill["path"] for skill in skills}
    skills += [{"name": command["name"].removeprefix("skill:"), "path": command["sourceInfo"]["path"], "hidden": True}
               for command in commands if command["sourceInfo"]["path"] not in listed]
    return skills, json.dumps([skills, commands])

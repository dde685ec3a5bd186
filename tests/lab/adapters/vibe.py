"""Mistral Vibe, as an agent of the Agent Client Protocol: one process, and a session for each case. The folders of the case are
trusted.

The listing for the model, with its paths, is taken from the first request to a model endpoint on loopback. Skills that are
commands, but not in the listing, come after it.
"""

import json
import re

from lab import ROOT, Failure
from talk import Agent, Chat, Keeper, between, texts, told, unescaped

COMMAND = "vibe-acp"
#: The listing has the project before the home, and within them the order in which the file system happens to list folders.
ORDERED = False
ROW = re.compile(r"  <skill>\n    <name>(.*?)</name>\n    <description>(.*?)</description>\n    <path>(.*?)</path>\n  </skill>", re.S)
#: The name of each skill that ships with the client begins with that of its plugin.
SHIPPED = "vibe:"
#: The skills of packages are copied into a folder that is named after their contents. A path in it says nothing.
COPIES = "/.vibe/logs/session/plugins/packages/"


def listing(request):
    if not any(tool["function"]["name"] == "skill" for tool in request.get("tools", [])):
        return None
    inside = next(filter(None, (between(text, "<available-skills>", "</available-skills>") for text in texts(request))), "")
    rows = ROW.findall(inside)
    # Some skills ship with the client, so that the listing is never empty.
    if not rows or len(rows) != inside.count("  <skill>\n"):
        return None
    return [{"name": unescaped(name)} | ({} if COPIES in path else {"path": unescaped(path)}) | {"description": description}
            for name, description, path in rows if not name.startswith(SHIPPED)]


chat = None
#: The commands that the client has without any skill.
shipped = []


def begin(place):
    global chat
    chat = chat or Chat(listing, None)
    provider = {"name": "none", "api_base": chat.url, "api_key_env_var": "NONE_KEY", "api_style": "openai", "backend": "generic"}
    env = [("VIBE_PROVIDERS", json.dumps([provider])), ("VIBE_ACTIVE_MODEL", "none"), ("NONE_KEY", "none"),
           ("VIBE_MODELS", json.dumps([{"name": "none", "provider": "none", "alias": "none"}])),
           ("VIBE_ENABLE_TELEMETRY", "false"), ("VIBE_ENABLE_UPDATE_CHECKS", "false")]
    agent = Agent(place, ["vibe-acp"], env)
    agent.ask("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    return agent


agents = Keeper(begin)


def see(place):
    if not shipped:
        shipped.extend(command["name"] for command in run(place.emptied()))
        if chat.rows:
            raise Failure("there are skills in an empty tree")
        place.fill()
    commands = run(place)
    names = {row["name"] for row in chat.rows}.union(shipped)
    skills = chat.rows + [{"name": command["name"], "hidden": True} for command in commands if command["name"] not in names]
    return skills, json.dumps([commands, skills])


def run(place):
    """The commands of a session; what the model was told is then in `chat`."""
    trusted = place.home / ".vibe/trusted_folders.toml"
    if not trusted.exists():
        trusted.parent.mkdir(exist_ok=True)
        trusted.write_text(f'trusted = ["{ROOT}", "{ROOT}/project", "{place.start}"]\nuntrusted = []\n')
    return told(place, agents, lambda: chat)

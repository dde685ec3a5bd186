"""Kimi Code, as an agent of the Agent Client Protocol, with a process for each case.

The listing for the model, with its paths, is taken from the first request to a model endpoint on loopback, in the client's
order. A description is followed by the line on when to use the skill, if there is one. Skills that are commands, but not in
the listing, come after it.
"""

import json
import re

from lab import Failure
from talk import Agent, Chat, Keeper, texts, turn

COMMAND = "kimi acp"
TYPED = "skill:"
BEGIN = "Current available skills:\n"
ROW = re.compile(r"- (.+?): (.*?)\n  Path: ([^\n]*)(?=\n- |\n### |\n*\Z)", re.S)


def listing(request):
    if not any(tool["function"]["name"] == "Skill" for tool in request.get("tools", [])):
        return None
    rows = []
    for text in texts(request):
        if BEGIN in text:
            # The listing is the end of the text.
            inside = text[text.rindex(BEGIN) + len(BEGIN):]
            rows = ROW.findall(inside)
            if len(rows) != inside.count("\n  Path: "):
                return None
    # A skill ships with the client, so that the listing is never empty.
    if not rows:
        return None
    return [{"name": name, "path": path, "description": description}
            for name, description, path in rows if not path.startswith("builtin:")]


chat = None


def begin(place):
    global chat
    chat = chat or Chat(listing, None)
    env = [("KIMI_MODEL_NAME", "none"), ("KIMI_MODEL_API_KEY", "none"), ("KIMI_MODEL_PROVIDER_TYPE", "openai"),
           ("KIMI_MODEL_BASE_URL", chat.url), ("KIMI_DISABLE_TELEMETRY", "1"), ("KIMI_CODE_NO_AUTO_UPDATE", "1")]
    agent = Agent(place, COMMAND.split(), env)
    agent.ask("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    return agent


#: A process reads the skills of a project once, so that each case gets a process of its own.
agents = Keeper(begin, sessions=1)


def see(place):
    commands = agents.use(place, lambda agent: [command["name"] for command in turn(place, agent, chat)[1]])
    if chat.rows is None:
        raise Failure("no request has a listing of skills that is known")
    names = {row["name"] for row in chat.rows}
    # The commands of skills that ship with the client have no such prefix.
    typed = [name.removeprefix(TYPED) for name in commands if name.startswith(TYPED)]
    skills = chat.rows + [{"name": name, "hidden": True} for name in typed if name not in names]
    return skills, json.dumps([commands, skills])

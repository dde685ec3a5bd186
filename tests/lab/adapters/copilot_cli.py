"""GitHub Copilot CLI, as an agent of the Agent Client Protocol: one process, and a session for each case.

The listing for the model is taken from the first request to a model endpoint on loopback. The endpoint answers that with one
call of the client's tool for each skill in the listing, and the next request has the folder that each skill was read from. The
listing is in the client's order; skills that are commands, but not in the listing, come after it.
"""

import json
import re

from talk import Agent, Chat, Keeper, between, texts, told, unescaped

COMMAND = "copilot --acp --stdio --disable-builtin-mcps --no-auto-update"
ROW = re.compile(r"<skill>\n  <name>(.*?)</name>\n  <description>(.*?)</description>\n  <location>(.*?)</location>\n</skill>", re.S)
FOLDER = re.compile(r'<skill-context name="(.*?)">\nBase directory for this skill: (.*?)\n')


def listing(request):
    # Without skills the client has no tool for them; the tool for files is always there.
    if not any(tool["function"]["name"] == "view" for tool in request.get("tools", [])):
        return None
    inside = next(filter(None, (between(text, "<available_skills>\n", "</available_skills>") for text in texts(request))), "")
    rows = ROW.findall(inside)
    if len(rows) != inside.count("<skill>\n"):
        return None
    return [{"name": unescaped(name), "description": description} for name, description, place in rows if place != "builtin"]


chat = None
#: The commands that the client has without any skill.
shipped = []


def begin(place):
    global chat
    chat = chat or Chat(listing, lambda name: ("skill", {"skill": name}))
    env = [("COPILOT_PROVIDER_BASE_URL", chat.url), ("COPILOT_PROVIDER_API_KEY", "none"), ("COPILOT_MODEL", MODEL),
           ("COPILOT_OFFLINE", "true"), ("COPILOT_ALLOW_ALL", "true"),
           # The client unpacks itself there, which takes time.
           ("XDG_CACHE_HOME", str(place.client.folder / "cache"))]
    agent = Agent(place, COMMAND.split(), env)
    agent.ask("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    return agent


#: The window of this model is what the client takes for its own.
MODEL = "gpt-4.1"
agents = Keeper(begin)


def see(place):
    if not shipped:
        shipped.extend(command["name"] for command in told(place.emptied(), agents, lambda: chat))
        place.fill()
    commands = told(place, agents, lambda: chat)
    folders = {}
    for request in chat.asked():
        for text in texts(request):
            if found := FOLDER.match(text):
                folders.setdefault(unescaped(found[1]), found[2])
    skills = [{**row, "path": folders.get(row["name"])} for row in chat.rows]
    names = {skill["name"] for skill in skills}
    skills += [{"name": command["name"], "hidden": True} for command in commands if command["name"] not in names.union(shipped)]
    return skills, json.dumps([commands, skills])

"""Qwen Code, as an agent of the Agent Client Protocol: one process, and a session for each case.

The session tells its commands, and which of them the model may not use. The listing for the model is taken from the first
request to a model endpoint on loopback. The endpoint answers that with one call of the client's tool for each skill in the
listing, and the client answers each call with the folder that the skill was read from. The listing is in the client's order;
skills that are hidden from the model come after it.
"""

import json
import re

from lab import Failure
from talk import Agent, Chat, Keeper, allow, between, texts

COMMAND = "qwen --acp --auth-type openai --approval-mode yolo"
ROW = re.compile(r"<skill>\n<name>\n(.*?)\n</name>\n<description>\n(.*?)\n</description>\n<location>\n(.*?)\n</location>\n</skill>", re.S)
FOLDER = re.compile(r"Base directory for this skill: (.*?)\nImportant: ")


def listing(request):
    for text in texts(request):
        if "skills are available for use with the Skill tool" in text:
            inside = between(text, "<available_skills>", "</available_skills>") or ""
            rows = ROW.findall(inside)
            if len(rows) == inside.count("<skill>\n"):
                return [{"name": name, "description": description.removesuffix(f" ({level})")} for name, description, level in rows if level != "bundled"]
    return None


chat = None


def begin(place):
    global chat
    chat = chat or Chat(listing, lambda name: ("skill", {"skill": name}))
    env = [("OPENAI_BASE_URL", chat.url), ("OPENAI_API_KEY", "none"), ("OPENAI_MODEL", "none")]
    agent = Agent(place, COMMAND.split(), env)
    agent.ask("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    return agent


agents = Keeper(begin)


def see(place):
    commands, folders = [], {}

    def job(agent):
        prompt = chat.begin()
        session = agent.ask("session/new", {"cwd": str(place.start), "mcpServers": []})["sessionId"]

        def hear(method, params):
            update = params.get("update", {}) if params.get("sessionId") == session else {}
            if update.get("sessionUpdate") == "available_commands_update":
                commands[:] = update["availableCommands"]
            if update.get("status") == "completed":
                found = FOLDER.match("".join(part.get("content", {}).get("text", "") for part in update.get("content", [])))
                if found:
                    folders[update["toolCallId"]] = found[1]
            return allow(method, params)

        agent.ask("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": prompt}]}, hear)
        agent.until(lambda: commands, hear)

    agents.use(place, job)
    if chat.rows is None:
        raise Failure("the first request has no listing of skills")
    skills = [{**row, "path": folders.get(f"call{index}")} for index, row in enumerate(chat.rows)]
    skills += [{"name": command["name"], "hidden": True} for command in commands
               if command["_meta"].get("source") == "skill-dir-command" and not command["_meta"].get("modelInvocable")]
    return skills, json.dumps([commands, skills])

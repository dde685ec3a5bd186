"""Codex, asked twice: its app server lists the skills and the faulty files, and `debug prompt-input` shows the model's rows.

The app server is kept for all cases of a process: each request makes it read the configuration and the folders again.
Skills that ship with the client are switched off, so that they take nothing of the room that the listing has.
"""

import json
import os
import re

from lab import ROOT, Failure
from talk import Agent

COMMAND = "codex app-server (skills/list); codex debug prompt-input"
#: The project is trusted. A provider of one's own, which is never asked, spares the client its wait for a list of models.
OPTIONS = ["-c", "skills.bundled.enabled=false", "-c", 'model_provider="none"',
           "-c", 'model_providers.none={name="none",base_url="http://127.0.0.1:9",wire_api="responses"}',
           "-c", 'projects={"%s/project"={trust_level="trusted"}}' % ROOT]
#: The server at work, if there is one.
servers = []


def begin(place):
    # With plugins the server would write into the home directory at any time.
    agent = Agent(place, ["codex", "app-server", "--disable", "plugins", *OPTIONS])
    agent.ask("initialize", {"clientInfo": {"name": "lab", "version": "1"}})
    agent.send(method="initialized")
    return agent


def see(place):
    if not servers:
        servers.append(begin(place))
    try:
        (listed,) = servers[0].ask("skills/list", {"cwds": [str(place.start)], "forceReload": True})["data"]
    except Failure:
        servers.pop().close()
        raise
    rows = prompt(place)
    known = {os.path.realpath(skill["path"]): skill for skill in listed["skills"]}
    skills, told = [], set()
    for row, path in rows:
        # The listing is one of lines, and a text may look like a row: what is listed says where the name ends.
        skill = known.get(os.path.realpath(path))
        name = skill["name"] if skill else row.partition(":")[0]
        if not row.startswith(name + ":"):
            raise Failure(f"expected a row for {name!r}, got {row[:200]!r}")
        told.add(os.path.realpath(path))
        skills.append({"name": name, "path": path, "description": row[len(name) + 1:].strip()})
    for real, skill in known.items():
        if real not in told and skill["enabled"]:
            skills.append({"name": skill["name"], "path": skill["path"], "hidden": True})
    for error in listed["errors"]:
        skills.append({"path": error["path"], "error": error["message"]})
    return skills, json.dumps([listed, rows])


def prompt(place):
    """The rows that the model is shown, without the path, and the path."""
    output = place.run(["codex", "debug", "prompt-input", *OPTIONS])
    texts = [part.get("text", "") for message in output.json() for part in message.get("content") or []]
    if output.code or not texts:
        raise Failure(f"expected the input of the model, got {output.stderr[-300:]!r}")
    rows = []
    for text in texts:
        if text.startswith("<skills_instructions>"):
            # Where the listing is long, paths begin with short names for folders.
            roots = dict(re.findall(r"(?m)^- `(r\d+)` = `(.*)`$", text))
            for row, path in re.findall(r"(?m)^- (.*) ?\(file: (.*)\)$", text):
                root, slash, rest = path.partition("/")
                rows.append((row, roots[root] + slash + rest if root in roots else path))
    return rows

"""Gemini CLI, as a server of the Agent Client Protocol that is asked for one turn in a new session for each case.

The listing is taken from the request to the model, which goes to an endpoint on loopback that ends the turn at once. The
server is kept for many cases: a new session reads the folders again. The project is trusted.

The client reads the files of one source at the same time, and which is read last decides the order, and the winner among
equal names: by far most often, but not always, these are as if it read one file after the other. Node.js has a setting for
that, one thread for files, and with it each run gives the same.
"""

import json
import re

from lab import ROOT, Failure, Model
from talk import Agent

COMMAND = "gemini --acp (session/new, session/prompt)"
OPTIONS = ["--acp", "--model", "gemini-2.5-flash", "--skip-trust"]
#: Settings that stand above those of the case.
SETTINGS = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False}}
FILE = ROOT / "system/settings.json"
ROW = re.compile(r"<skill>\n +<name>(.*?)</name>\n +<description>(.*?)</description>\n"
                 r" +<location>(.*?)</location>\n +</skill>", re.S)
#: The server remembers its sessions; after so many of them another one is started.
SESSIONS = 200
#: The server at work, if there is one.
servers = []


def see(place):
    FILE.parent.mkdir(mode=0o755)
    FILE.write_text(json.dumps(SETTINGS))
    # A server reads the settings of the user once.
    own = has_settings(place)
    if servers and (own or servers[0].agent.sessions >= SESSIONS):
        servers[0].stop()
    if not servers:
        servers.append(Server(place))
    try:
        return servers[0].see(place)
    finally:
        if own and servers:
            servers[0].stop()


def has_settings(place):
    return any(file["path"].endswith("settings.json") for file in place.case["files"])


class Server:
    """A server of the protocol, and the model's endpoint."""

    def __init__(self, place):
        self.model = Model(answer)
        self.model.__enter__()
        env = [("GEMINI_API_KEY", "none"), ("GOOGLE_GEMINI_BASE_URL", self.model.url), ("GEMINI_CLI_NO_RELAUNCH", "1"),
               ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", str(FILE)), ("UV_THREADPOOL_SIZE", "1")]
        self.agent = Agent(place, ["gemini", *OPTIONS], env)
        self.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})

    def stop(self):
        self.agent.close()
        self.model.__exit__()
        servers.clear()

    def call(self, method, params):
        try:
            return self.agent.ask(method, params)
        except Failure:
            self.stop()
            raise

    def see(self, place):
        self.agent.sessions += 1
        self.model.requests.clear()
        session = self.call("session/new", {"cwd": str(place.start), "mcpServers": []})["sessionId"]
        self.call("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "hi"}]})
        texts = [part.get("text", "") for _, request in self.model.requests if request
                 for part in request.get("systemInstruction", {}).get("parts", [])]
        rows = ROW.findall("\n".join(texts))
        # The skills that ship with the client are there unless settings switch all skills off.
        is_told = any(not path.startswith(f"{ROOT}/") for _, _, path in rows) or (texts and has_settings(place))
        if not is_told:
            raise Failure(f"expected a listing in {len(texts)} texts of {len(self.model.requests)} requests")
        own = [row for row in rows if row[2].startswith(f"{ROOT}/")]
        return [{"name": name, "path": path, "description": text} for name, text, path in own], json.dumps(own)


def answer(path, request):
    """A turn of the model that ends at once."""
    candidate = {"content": {"role": "model", "parts": [{"text": "."}]}, "finishReason": "STOP", "index": 0}
    turn = json.dumps({"candidates": [candidate],
                       "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}})
    return (200, "text/event-stream", f"data: {turn}\n\n") if "alt=sse" in path else (200, "application/json", turn)

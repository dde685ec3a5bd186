"""OpenCode, as a server on loopback that is asked for its skills, and for one turn, in a new instance for each case.

The listing is taken from the request to the model, which goes to an endpoint on loopback that ends the turn at once; what
the server lists beside that is hidden from the model. The server is kept for all cases of a process, as an instance that
is made anew reads the folders again. It would not read the user's configuration again: cases that have one get a server of
their own.

Among equal names the skill wins that was read last, which no two runs need agree on. The server's log names these.
"""

import atexit
import html
import json
import re
import shutil
import subprocess
import threading
import urllib.parse
import urllib.request

from lab import ROOT, SECONDS, Failure, Model, end

COMMAND = "opencode serve (GET /skill, POST /session/ID/message)"
#: The names and prices of all models, which the client else spends most of its time on.
MODELS = ROOT / "system/models.json"
#: The client unpacks a library there, and leaves it.
TEMPORARY = ROOT / "tmp"
ROW = re.compile(r"<skill>\n +<name>(.*?)</name>\n +<description>(.*?)</description>\n"
                 r" +<location>(.*?)</location>\n +</skill>", re.S)
#: Two files of one name, in the log.
EQUAL = re.compile(r'message="duplicate skill name" .*?existing=("(?:[^"\\]|\\.)*"|\S+) duplicate=("(?:[^"\\]|\\.)*"|\S+)')
#: The user's configuration.
CONFIGURATION = re.compile(r"home/\.(config/)?opencode/[^/]*\.jsonc?")
#: The server at work, if there is one.
servers = []


def see(place):
    MODELS.parent.mkdir()
    TEMPORARY.mkdir()
    MODELS.write_text("{}")
    own = any(CONFIGURATION.fullmatch(file["path"]) for file in place.case["files"])
    if own and servers:
        servers[0].stop()
    if not servers:
        servers.append(Server(place))
    try:
        return servers[0].see(place)
    except (OSError, ValueError, KeyError) as error:
        servers[0].stop()
        raise Failure(f"the server did not answer: {error!r}") from error
    finally:
        if own and servers:
            servers[0].stop()


class Server:
    """A server of the client, and the model's endpoint."""

    def __init__(self, place):
        self.model, self.log = Model(answer), []
        self.model.__enter__()
        config = {"provider": {"none": {"npm": "@ai-sdk/openai-compatible", "models": {"none": {"name": "none"}},
                                        "options": {"baseURL": self.model.url, "apiKey": "none"}}},
                  "enabled_providers": ["none"], "model": "none/none", "small_model": "none/none", "autoupdate": False,
                  "share": "disabled", "snapshot": False}
        env = [("OPENCODE_CONFIG_CONTENT", json.dumps(config)), ("OPENCODE_MODELS_PATH", str(MODELS)),
               ("OPENCODE_DISABLE_MODELS_FETCH", "1"), ("OPENCODE_DISABLE_AUTOUPDATE", "1"), ("TMPDIR", str(TEMPORARY)),
               ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"), ("OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER", "1")]
        command = ["opencode", "serve", "--hostname", "127.0.0.1", "--port", "0", "--print-logs", "--log-level", "WARN"]
        self.process = subprocess.Popen(command, cwd=ROOT, env=place.environment(env), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                                        errors="replace", start_new_session=True)
        atexit.register(end, self.process)
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()
        timer = threading.Timer(SECONDS, end, [self.process])
        timer.start()
        found = (re.search(r"listening on (http://\S+)", line) for line in self.process.stdout)
        self.url = next((match[1] for match in found if match), None)
        timer.cancel()
        if self.url is None:
            self.stop()
            raise Failure("the server did not start")
        # Without this folder the client does not try to install packages into the home directory.
        shutil.rmtree(place.home / ".local/state", ignore_errors=True)

    def stop(self):
        end(self.process)
        self.process.wait()
        self.model.__exit__()
        servers.clear()

    def call(self, method, path, place, body=None):
        url = f"{self.url}{path}?directory={urllib.parse.quote(str(place.start))}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=SECONDS) as response:
            return json.loads(response.read())

    def see(self, place):
        del self.log[:], self.model.requests[:]
        try:
            listed = self.call("GET", "/skill", place)
            session = self.call("POST", "/session", place, {"title": "none"})["id"]
            self.call("POST", f"/session/{session}/message", place, {"parts": [{"type": "text", "text": "hi"}]})
        finally:
            self.call("POST", "/global/dispose", place)
        texts = [message["content"] for _, request in self.model.requests if request
                 for message in request["messages"] if message["role"] == "system" and isinstance(message["content"], str)]
        rows = [(name, text, html.unescape(path)) for name, text, path in ROW.findall("\n".join(texts))]
        # One skill ships with the client, and is there unless it is denied, or the tool for skills is.
        tools = {tool["function"]["name"] for _, request in self.model.requests if request for tool in request.get("tools", [])}
        if not rows and (not tools or "skill" in tools):
            raise Failure(f"expected a listing in {len(texts)} texts of {len(self.model.requests)} requests")
        skills = [{"name": name, "path": path, "description": text} for name, text, path in rows if path.startswith(f"{ROOT}/")]
        offered = {skill["path"] for skill in skills}
        skills += [{"name": skill["name"], "path": skill["location"], "hidden": True}
                   for skill in sorted(listed, key=lambda skill: skill["location"])
                   if skill["location"].startswith(f"{ROOT}/") and skill["location"] not in offered]
        equal = {json.loads(path) if path.startswith('"') else path
                 for match in map(EQUAL.search, list(self.log)) if match for path in match.groups()}
        names = {skill["name"] for skill in skills if skill["path"] in equal}
        kept = ("name", "hidden")
        skills = [{**{key: skill[key] for key in kept if key in skill}, "undetermined": True} if skill["name"] in names else skill
                  for skill in skills]
        return skills, json.dumps([listed, rows])


def answer(path, request):
    """A turn of the model that ends at once."""
    part = {"id": "none", "object": "chat.completion.chunk", "created": 1, "model": "none"}
    parts = [{**part, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "."}, "finish_reason": None}]},
             {**part, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
              "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}]
    return 200, "text/event-stream", "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"

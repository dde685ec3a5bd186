"""Kilo, as a server of its documented interface over HTTP: one process, whose state is disposed of before each case.

The server lists the skills (what `kilo debug skill` prints). The listing for the model, and its order, are taken from the
first request to a model endpoint on loopback. Skills that are not in that listing come after it.
"""

import json
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from lab import ROOT, Failure, end
from talk import Chat, Keeper, between, texts

COMMAND = "kilo serve"
ROW = re.compile(r"  <skill>\n    <name>(.*?)</name>\n    <description>(.*?)</description>\n    <location>(.*?)</location>\n  </skill>", re.S)


def listing(request):
    if not request.get("tools"):
        return None
    inside = next(filter(None, (between(text, "<available_skills>", "</available_skills>") for text in texts(request))), "")
    return [{"name": name, "path": path, "description": description} for name, description, path in ROW.findall(inside)]


class Server:
    """A running server, with a model of its own. Its data lie outside of the home, so that they stay for all cases."""

    def __init__(self, place):
        self.chat, self.sessions, self.said = Chat(listing, None), 0, []
        model = {"npm": "@ai-sdk/openai-compatible", "models": {"none": {}}, "options": {"baseURL": self.chat.url, "apiKey": "none"}}
        config = {"model": "none/none", "small_model": "none/none", "enabled_providers": ["none"], "provider": {"none": model},
                  "autoupdate": False, "share": "disabled", "snapshot": False, "lsp": False, "formatter": False}
        env = [("KILO_CONFIG_CONTENT", json.dumps(config)), ("KILO_DISABLE_AUTOUPDATE", "1"), ("KILO_DISABLE_MODELS_FETCH", "1"),
               ("KILO_TELEMETRY_LEVEL", "off"), ("KILO_PURE", "1"), ("KILO_DISABLE_DEFAULT_PLUGINS", "1"),
               ("KILO_DISABLE_LSP_DOWNLOAD", "1"), ("KILO_EXPERIMENTAL_DISABLE_FILEWATCHER", "1"),
               *((f"XDG_{name}_HOME", f"{ROOT}/kilo/{name}") for name in ("DATA", "STATE", "CACHE"))]
        # The port of a server that was ended may not be free at once.
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(["kilo", "serve", "--port", str(self.port), "--hostname", "127.0.0.1"], cwd=ROOT,
                                        env=place.environment(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, start_new_session=True)
        ready = threading.Event()

        def listen():
            for line in self.process.stdout:
                self.said.append(line.decode(errors="replace"))
                if "listening on" in self.said[-1]:
                    ready.set()
            ready.set()

        threading.Thread(target=listen, daemon=True).start()
        if not ready.wait(90) or self.process.poll() is not None:
            self.close()
            raise Failure(f"the server does not listen: {''.join(self.said)[-300:]!r}")

    def ask(self, method, path, folder, content=None):
        query = urllib.parse.urlencode({"directory": str(folder)})
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}?{query}", method=method,
                                         data=None if content is None else json.dumps(content).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            # The answer of a proxy of this machine's user is not wanted.
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
                text = answer.read()
        except (urllib.error.URLError, OSError) as error:
            raise Failure(f"{path}: {error}") from error
        return json.loads(text) if text else None

    def close(self):
        end(self.process)
        self.process.wait()


agents = Keeper(Server)


def see(place):
    def job(server):
        server.ask("POST", "/global/dispose", place.start)
        prompt = server.chat.begin()
        session = server.ask("POST", "/session", place.start, {})["id"]
        server.ask("POST", f"/session/{session}/prompt_async", place.start, {"parts": [{"type": "text", "text": prompt}]})
        found = server.ask("GET", "/skill", place.start)
        last = time.monotonic() + 60
        while server.chat.rows is None:
            if time.monotonic() > last:
                raise Failure("no request with a listing of skills came in time")
            time.sleep(0.02)
        server.ask("POST", f"/session/{session}/abort", place.start, {})
        server.ask("DELETE", f"/session/{session}", place.start)
        return found, server.chat.rows

    found, rows = agents.use(place, job)
    # Skills that ship with the client are not part of the case.
    found = sorted((skill["name"], skill["location"]) for skill in found if skill["location"].startswith(str(ROOT)))
    rows = [row for row in rows if row["path"].startswith(str(ROOT))]
    if unknown := [row["name"] for row in rows if (row["name"], row["path"]) not in found]:
        raise Failure(f"the listing for the model has what the server does not list: {unknown}")
    offered = {(row["name"], row["path"]) for row in rows}
    skills = rows + [{"name": name, "path": path, "hidden": True} for name, path in found if (name, path) not in offered]
    return skills, json.dumps([found, skills])

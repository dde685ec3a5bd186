"""Continue, run once without a terminal against a model endpoint on loopback. It is ended as soon as it has asked that.

The listing is in the description of the client's tool for skills. The client tells no paths.
"""

import json
import re
import tempfile

from lab import Failure

COMMAND = "cn -p hi --config CONFIG"
#: The home and the project are read at the same time, so that the order differs from run to run.
ORDERED = False
CONFIG = """name: none
version: 1.0.0
schema: v1
models:
  - name: none
    provider: openai
    model: none
    apiKey: none
    apiBase: URL/v1
    roles: [chat]
    capabilities: [tool_use]
"""
ROW = re.compile(r"\nname: (.*?)\ndescription: (.*?)\n(?=,\nname: |\Z)", re.S)
BEGIN = "available skills listed below:\n"


def see(place):
    told = []

    def answer(path, request):
        told.extend(tool["function"].get("description", "") for tool in (request or {}).get("tools") or []
                    if tool["function"]["name"] == "Skills")
        choice = {"index": 0, "delta": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "none", "choices": [choice]}
        return 200, "text/event-stream", f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"

    with place.model(answer) as model, tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
        config.write(CONFIG.replace("URL", model.url))
        config.flush()
        output = place.run(["cn", "-p", "hi", "--config", config.name], env=[("CONTINUE_TELEMETRY_ENABLED", "0")],
                           until=lambda: told)
    if not told or BEGIN not in told[0]:
        raise Failure(f"expected a tool for skills, got {output.stdout[:200]!r} and {output.stderr[-300:]!r}")
    inside = told[0][told[0].index(BEGIN) + len(BEGIN):]
    rows = ROW.findall(inside)
    if inside.strip() and len(rows) != inside.count("\nname: "):
        raise Failure("the listing has rows of another kind")
    skills = [{"name": name, "description": description} for name, description in rows]
    return skills, json.dumps(sorted(rows))

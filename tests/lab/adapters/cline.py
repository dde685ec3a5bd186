"""Cline, run once without a terminal against a model endpoint on loopback. It is ended as soon as it has asked that.

The listing is in the description of the client's tool for skills. It has names only.
"""

import json
import shutil

from lab import ROOT, Failure

COMMAND = "cline --json --data-dir DATA -P openai-compatible 'say hi'"
#: The listing has the order in which the file system happens to list folders.
ORDERED = False
BEGIN = " Available skills: "


def see(place):
    told = []

    def answer(path, request):
        tools = [tool["function"] for tool in (request or {}).get("tools") or []]
        # Without skills there is no tool for them; the tool for files is always there.
        if any(tool["name"] == "read_files" for tool in tools):
            told.append(next((tool.get("description", "") for tool in tools if tool["name"] == "skills"), None))
        choice = {"index": 0, "delta": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "none", "choices": [choice]}
        return 200, "text/event-stream", f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"

    data, name = ROOT / "cline", "openai-compatible"
    shutil.rmtree(data, ignore_errors=True)
    (data / "settings").mkdir(parents=True)
    with place.model(answer) as model:
        # What `cline auth` would write.
        settings = {"provider": name, "apiKey": "none", "model": "none", "baseUrl": model.url + "/v1"}
        provider = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
        written = {"version": 1, "lastUsedProvider": name, "modes": {}, "providers": {name: provider}}
        (data / "settings/providers.json").write_text(json.dumps(written))
        command = ["cline", "--json", "--data-dir", str(data), "-P", name, "-k", "none", "-m", "none", "say hi"]
        # At times the client does not begin: it says nothing and asks nothing.
        for _ in range(3):
            output = place.run(command, seconds=30, until=lambda: told)
            if told:
                break
    if not told:
        raise Failure(f"expected a request, got the code {output.code}, {output.stdout[-300:]!r} and {output.stderr[-300:]!r}")
    listing = told[0]
    if listing is not None and BEGIN in listing:
        names = listing[listing.rindex(BEGIN) + len(BEGIN):].removesuffix(".").split(", ")
    elif listing is None or "vailable skills:" not in listing:
        names = []
    else:
        raise Failure("the listing is of another kind")
    return [{"name": name} for name in names], json.dumps(names)

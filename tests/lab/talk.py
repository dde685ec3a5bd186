"""What several adapters share: programs that answer JSON-RPC on standard input and output, one message a line (the Agent Client
Protocol, and what is like it), and a model for them that loads each skill once."""

import json
import queue
import subprocess
import threading
import time

from lab import ROOT, Failure, Model, end


class Agent:
    """A running program. Its working folder is the root of the cases, which stays when the files of a case are replaced."""

    def __init__(self, place, command, env=()):
        self.process = subprocess.Popen(command, cwd=ROOT, env=place.environment(env), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.lines, self.errors, self.count, self.sessions = queue.Queue(), [], 0, 0
        threading.Thread(target=self.listen, daemon=True).start()
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, **message):
        try:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Failure(f"the program has ended: {self.complaint()}") from error

    def ask(self, method, params, hear=None, seconds=60):
        """The result of a request. What the program tells or asks meanwhile goes to `hear(method, params)`, whose result is
        the answer if the program asked; where `hear` gives none, the answer is that the method is not there."""
        self.count += 1
        number, last = self.count, time.monotonic() + seconds
        self.send(id=number, method=method, params=params)
        while True:
            message = self.next(last, method)
            if "method" not in message and message.get("id") == number:
                if "error" in message:
                    raise Failure(f"{method}: {json.dumps(message['error'])[:300]}")
                return message.get("result")
            self.heard(message, hear)

    def until(self, ready, hear, seconds=20):
        """Hears what the program tells, until `ready()` is true."""
        last = time.monotonic() + seconds
        while not ready():
            self.heard(self.next(last, "what was expected"), hear)

    def heard(self, message, hear):
        if "method" not in message:
            return
        answer = hear(message["method"], message.get("params") or {}) if hear else None
        if "id" in message and answer is not None:
            self.send(id=message["id"], result=answer)
        elif "id" in message:
            self.send(id=message["id"], error={"code": -32601, "message": "Method not found"})

    def next(self, last, expected):
        while True:
            try:
                line = self.lines.get(timeout=max(0, last - time.monotonic()))
            except queue.Empty:
                raise Failure(f"no answer in time: {expected}; {self.complaint()}") from None
            if line is None:
                # Another request must fail at once as well.
                self.lines.put(None)
                raise Failure(f"the program has ended: {self.complaint()}")
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                return message

    def complaint(self):
        return b"".join(self.errors).decode(errors="replace")[-300:]

    def close(self):
        end(self.process)
        self.process.wait()


class Keeper:
    """Keeps one agent for the cases that only have skills. A case with other files (settings, plugins, commands) gets an agent
    of its own, since a program may read such files once only."""

    def __init__(self, begin, sessions=40):
        #: `begin(place)` starts an agent. After so many sessions the agent is replaced, so that what it holds stays small.
        self.begin, self.sessions, self.agent = begin, sessions, None

    def use(self, place, job):
        """The result of `job(agent)`; an agent that failed is not used again."""
        alone = not all("/skills/" in place.filled(file["path"]) for file in place.case["files"])
        if alone or self.agent and (self.agent.sessions >= self.sessions or self.agent.process.poll() is not None):
            self.drop()
        try:
            if self.agent is None:
                self.agent = self.begin(place)
            self.agent.sessions += 1
            result = job(self.agent)
        except BaseException:
            self.drop()
            raise
        if alone:
            self.drop()
        return result

    def drop(self):
        if self.agent:
            self.agent.close()
        self.agent = None


def allow(method, params):
    """Answers an agent that asks whether it may use a tool: it may. The only tool that is called is the one for skills."""
    if method == "session/request_permission":
        options = sorted(params.get("options", []), key=lambda option: option.get("kind") != "allow_once")
        return {"outcome": {"outcome": "selected", "optionId": options[0]["optionId"]}} if options else None
    return None


def turn(place, agent, chat):
    """Runs one turn in a new session, and gives the session with the commands that it told last."""
    commands = {}

    def hear(method, params):
        if params.get("update", {}).get("sessionUpdate") == "available_commands_update":
            commands[params["sessionId"]] = params["update"]["availableCommands"]
        return allow(method, params)

    prompt = chat.begin()
    session = agent.ask("session/new", {"cwd": str(place.start), "mcpServers": []}, hear)["sessionId"]
    agent.ask("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": prompt}]}, hear)
    agent.until(lambda: session in commands, hear)
    return session, commands[session]


def told(place, agents, chat):
    """The commands of a session that ends after one turn; what the model was told is then in `chat()`, which is there as soon
    as the agent is."""
    def job(agent):
        session, commands = turn(place, agent, chat())
        agent.ask("session/close", {"sessionId": session})
        return commands

    commands = agents.use(place, job)
    if chat().rows is None:
        raise Failure("no request has a listing of skills that is known")
    return commands


class Chat:
    """A model with the interface of OpenAI's chat completions. It answers the first request that has the text of the prompt
    with one call for each skill in its listing, and all others with the end of the turn."""

    def __init__(self, listing, call):
        #: `listing(request)` gives rows that have a `name`, or `None`; `call(name)` gives the name and arguments of a tool.
        self.listing, self.call = listing, call
        self.rows, self.prompt, self.prompts = None, None, 0
        self.model = Model(self.answer).__enter__()
        self.url = self.model.url + "/v1"

    def begin(self):
        """A new prompt. It differs from those before, since an old session may still ask something in the background."""
        self.prompts += 1
        self.model.requests.clear()
        self.rows, self.prompt = None, f"hi {self.prompts};"
        return self.prompt

    def asked(self):
        """The requests of this prompt."""
        return [request for _, request in self.model.requests if self.prompt in json.dumps((request or {}).get("messages"))]

    def answer(self, path, request):
        if request is None:
            return 200, "application/json", json.dumps({"object": "list", "data": [{"id": "none", "object": "model"}]})
        calls = []
        if self.rows is None and self.prompt and self.prompt in json.dumps(request.get("messages")):
            self.rows = self.listing(request)
            for index, row in enumerate(self.rows or []):
                tool, arguments = self.call(row["name"])
                calls.append({"index": index, "id": f"call{index}", "type": "function",
                              "function": {"name": tool, "arguments": json.dumps(arguments)}})
        said = {"role": "assistant", "content": None, "tool_calls": calls} if calls else {"role": "assistant", "content": "Done."}
        choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {"id": "1", "created": 1, "model": request.get("model")}
        if not request.get("stream"):
            return 200, "application/json", json.dumps({**answer, "object": "chat.completion", "usage": usage,
                                                        "choices": [{**choice, "message": said}]})
        chunk = {**answer, "object": "chat.completion.chunk", "choices": [{**choice, "delta": said}]}
        last = {**answer, "object": "chat.completion.chunk", "choices": [], "usage": usage}
        return 200, "text/event-stream", f"data: {json.dumps(chunk)}\n\ndata: {json.dumps(last)}\n\ndata: [DONE]\n\n"


def texts(request):
    """The texts of all messages of a request."""
    for message in request["messages"]:
        content = message.get("content")
        for part in content if isinstance(content, list) else [{"text": content}]:
            if isinstance(part.get("text"), str):
                yield part["text"]


def between(text, begin, end):
    """The text between two marks, or `None`."""
    start, stop = text.find(begin), text.rfind(end)
    return text[start + len(begin):stop] if 0 <= start < stop else None


def unescaped(text):
    """The text without the escapes of XML."""
    for escape, mark in ("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&"):
        text = text.replace(escape, mark)
    return text

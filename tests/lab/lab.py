"""Runs real clients on the trees of a case, and writes down what each of them lists.

A case is a JSON file as `testdata/vectors/schema.json` describes it: a tree of files, and under `seen` what each client
listed. Only this program writes under `seen`, and only what an adapter reported.

    lab.py observe CLIENTS CASES...   run the clients on the cases, and write what they list into the case files
    lab.py recheck N CASES...         run N observations again, chosen at random; fail if one differs
    lab.py compare CLIENTS CASES...   say what clients of another version list differently from the observations
    lab.py canary [CLIENTS]           run each client on one skill; fail if fewer than eight, or than all that are named, list it
    lab.py serve CLIENT               answer cases on standard input, one JSON object a line, with observations

CLIENTS is a list of names with commas between, or `all`. The clients are installed by `.ci/lab` below `$LAB`
(`target/lab`). A client that is not there is reported as skipped.

Each client runs in namespaces of its own for mounts and for the network: it sees a loopback device alone, and its home and
its project lie on a file system in memory that ends with the run.
"""

import argparse
import base64
import contextlib
import ctypes
import hashlib
import http.server
import importlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import fcntl

HERE = pathlib.Path(__file__).resolve().parent
#: The clients with their versions and integrity; another file for what is not pinned.
PINS = json.loads(pathlib.Path(os.environ.get("LAB_PINS") or HERE / "clients.json").read_text())
#: Where the trees lie during a run, in every run, so that the length of a path never changes what a client cuts.
ROOT = pathlib.Path("/mnt")
#: A client that has not answered after so many seconds is ended.
SECONDS = 60
#: At least so many clients must list the canary skill.
CANARIES = 8
#: The network namespace, the mounts, and the variable that says that they are there.
INSIDE = "LAB_INSIDE"


class Failure(Exception):
    """A client did not answer, or not in the way that its adapter knows."""


class Output:
    """What a program wrote, and how it ended."""

    def __init__(self, stdout, stderr, code):
        self.stdout, self.stderr, self.code = stdout, stderr, code

    def json(self):
        try:
            return json.loads(self.stdout)
        except ValueError as error:
            raise Failure(f"expected JSON, got {self.stdout[:200]!r} and {self.stderr[-300:]!r}") from error


class Place:
    """The home and the project of one case on disk, and the ways to run a program there."""

    def __init__(self, client, case):
        self.client, self.case = client, case
        self.home, self.start = ROOT / "home", ROOT / case.get("start", "project")

    # Files

    def fill(self):
        """Writes the files of the case, in place of those of the case before."""
        for entry in ROOT.iterdir():
            remove(entry)
        self.home.mkdir()
        self.start.mkdir(parents=True, exist_ok=True)
        for folder in self.case.get("repositories", []):
            git = self.inside(folder) / ".git"
            for part in ("objects", "refs/heads"):
                (git / part).mkdir(parents=True)
            (git / "HEAD").write_text("ref: refs/heads/main\n")
            (git / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n")
        for file in self.case["files"]:
            path = self.inside(file["path"])
            path.parent.mkdir(parents=True, exist_ok=True)
            if "link" in file:
                path.symlink_to(self.filled(file["link"]))
            elif "base64" in file:
                path.write_bytes(base64.b64decode(file["base64"]))
            else:
                # A long text is written as a beginning and what is repeated after it.
                repeated = file.get("repeated", {"text": "", "times": 0})
                whole = self.filled(file["text"]) + repeated["text"] * repeated["times"]
                path.write_bytes(whole.encode())

    def emptied(self):
        """The same place without any file of the case, until `fill` writes them again: for what a client lists by itself."""
        empty = Place(self.client, {"files": [], "repositories": ["project"]})
        empty.fill()
        return empty

    def filled(self, text):
        """The text with the folders of this client in place of `{project}`, `{home}` and `{root}`."""
        for name in ("project", "home"):
            text = text.replace("{%s}" % name, f"{name}/{self.client.pin[name]}")
        return text.replace("{root}", str(ROOT))

    def inside(self, path):
        """The path on disk of a path in the case."""
        return ROOT / self.filled(path)

    def outside(self, path):
        """The path in the case of a path that a client gave: the reverse of `inside`."""
        if path is None:
            return None
        path = os.path.normpath(path)
        # A client may name the folder, or the file.
        if not path.endswith(".md"):
            path += "/SKILL.md"
        path = os.path.relpath(path, ROOT)
        for name in ("project", "home"):
            own = f"{name}/{self.client.pin[name]}/"
            if path.startswith(own):
                path = "{%s}/%s" % (name, path[len(own):])
        return path

    # Programs

    def environment(self, more=()):
        """The environment of a client: its home, a program path, and nothing of this machine's user."""
        path = [str(self.client.bin), str(LAB / "node/bin"), "/usr/local/bin", "/usr/bin", "/bin"]
        return {"HOME": str(self.home), "PATH": ":".join(path), "TERM": "dumb", "LANG": "C.UTF-8", "CI": "1", "NO_COLOR": "1",
                "XDG_CONFIG_HOME": f"{self.home}/.config", "XDG_DATA_HOME": f"{self.home}/.local/share",
                "XDG_CACHE_HOME": f"{self.home}/.cache", "XDG_STATE_HOME": f"{self.home}/.local/state", **dict(more)}

    def run(self, command, env=(), stdin="", seconds=SECONDS, until=None):
        """Runs a program in the project until it ends, or until `until()` is true, and ends what it started."""
        process = subprocess.Popen(command, cwd=self.start, env=self.environment(env), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        timer = threading.Timer(seconds, end, [process])
        timer.start()
        if until is not None:
            threading.Thread(target=end_when, args=(process, until), daemon=True).start()
        try:
            stdout, stderr = process.communicate(stdin.encode())
        finally:
            timer.cancel()
            end(process)
        return Output(stdout.decode(errors="replace"), stderr.decode(errors="replace"), process.returncode)

    def model(self, answer):
        """A model endpoint on loopback that keeps the requests it gets: see `Model`."""
        return Model(answer)


class Model:
    """A model endpoint on loopback. `answer(path, request)` gives the status, the content type and the text of a response.
    As a context manager it serves; `requests` has what came, as pairs of the path and the JSON."""

    def __init__(self, answer):
        model = self
        self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                if "chunked" in self.headers.get("Transfer-Encoding", ""):
                    body = b""
                    while size := int(self.rfile.readline().split(b";")[0], 16):
                        body += self.rfile.read(size)
                        self.rfile.readline()
                    self.rfile.readline()
                else:
                    body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                try:
                    request = json.loads(body or b"null")
                except ValueError:
                    request = None
                model.requests.append((self.path, request))
                self.reply(request)

            def do_GET(self):
                self.reply(None)

            def reply(self, request):
                status, kind, text = answer(self.path, request)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # A client that was ended leaves connections behind, which is no error.
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def remove(entry, tries=50):
    """Removes a file or folder. A client that is kept running may write into a folder while it is removed."""
    if not entry.is_dir() or entry.is_symlink():
        return entry.unlink()
    for _ in range(tries):
        shutil.rmtree(entry, ignore_errors=True)
        if not entry.exists():
            return None
        threading.Event().wait(0.02)
    raise Failure(f"{entry} cannot be removed: a client goes on writing into it")


def end(process):
    """Ends a program with all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end_when(process, until):
    while process.poll() is None:
        if until():
            return end(process)
        threading.Event().wait(0.02)


class Client:
    """A client at its pinned version, and its adapter."""

    def __init__(self, name):
        self.name, self.pin = name, PINS[name]
        self.folder = LAB / name
        self.bin = self.folder / ("bin" if self.pin["registry"] == "pypi" else "node_modules/.bin")
        self.adapter = importlib.import_module("adapters." + name.replace("-", "_"))

    @property
    def id(self):
        return f"{self.name}@{self.pin['version']}"

    def missing(self):
        """Why the client cannot be run here; `None` if it can."""
        stamp = self.folder / "integrity"
        if not stamp.exists():
            return "it is not installed"
        if stamp.read_text().strip() != self.pin["integrity"]:
            return "another version is installed"
        return None

    def see(self, case):
        """What the client lists for a case, as an observation."""
        place = Place(self, case)
        place.fill()
        skills, raw = self.adapter.see(place)
        for skill in skills:
            if "path" in skill:
                skill["path"] = place.outside(skill["path"])
        ordered = getattr(self.adapter, "ORDERED", True)
        if not ordered:
            skills.sort(key=lambda skill: json.dumps(skill, sort_keys=True))
        # An adapter marks what the client lists differently from one run to the next.
        undetermined = sorted({skill["name"] for skill in skills if skill.pop("undetermined", False)})
        digest = hashlib.sha256(raw.encode()).hexdigest()
        return {"client": self.id, "how": "run", "command": self.adapter.COMMAND, "raw": digest, "ordered": ordered,
                **({"undetermined": undetermined} if undetermined else {}),
                "skills": [{key: value for key, value in skill.items() if value is not None} for skill in skills]}


def enter():
    """Starts this program again in namespaces of its own, and mounts a file system in memory in them."""
    if INSIDE not in os.environ:
        own = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        own += [] if os.geteuid() == 0 else ["--map-root-user"]
        os.execvpe("unshare", ["unshare", *own, sys.executable, *sys.argv], {**os.environ, INSIDE: "1"})
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
        # SIOCSIFFLAGS with IFF_UP | IFF_RUNNING.
        fcntl.ioctl(device, 0x8914, struct.pack("16sH14x", b"lo", 0x41))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"tmpfs", str(ROOT).encode(), b"tmpfs", 0, b"size=1g,mode=755"):
        raise OSError(ctypes.get_errno(), "mounting a file system in memory")


def clients(names):
    """The clients of a list of names; those that cannot be run are reported as skipped."""
    found = []
    for name in list(PINS) if names == "all" else names.split(","):
        client = Client(name)
        if reason := client.missing():
            print(f"skipped: {name}: {reason}", file=sys.stderr)
        else:
            found.append(client)
    return found


def read(path):
    return json.loads(pathlib.Path(path).read_text())


def write(path, case):
    """Writes a case in the one format that cases have: one line for each file, observation and skill."""
    def lines(value, depth):
        inline = json.dumps(value, ensure_ascii=False)
        if depth == 0 or (isinstance(value, (dict, list)) and len(inline) > 110 and value):
            pad = " " * (depth + 1)
            if isinstance(value, dict):
                inner = (f"{pad}{json.dumps(key)}: {lines(item, depth + 1)}" for key, item in value.items())
                return "{\n" + ",\n".join(inner) + "\n" + " " * depth + "}"
            return "[\n" + ",\n".join(pad + lines(item, depth + 1) for item in value) + "\n" + " " * depth + "]"
        return inline

    # In one step, so that an interrupted run leaves no half of a case.
    whole = pathlib.Path(f"{path}.new")
    whole.write_text(lines(case, 0) + "\n")
    whole.replace(path)


@contextlib.contextmanager
def locked(folder):
    """Holds the lock on a folder."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def same(one, other):
    """Whether two observations list the same. The digest of the raw output may differ: it has times and identifiers."""
    return all(one.get(key) == other.get(key) for key in ("client", "ordered", "undetermined", "skills"))


def observe(names, paths, again):
    failed = 0
    for client in clients(names):
        for path in paths:
            case = read(path)
            known = [seen for seen in case["seen"] if seen["client"] == client.id]
            if known and not again:
                continue
            if case.get("only") and client.name not in case["only"]:
                continue
            try:
                seen = client.see(case)
            except Failure as error:
                print(f"{path}: {client.id}: {error}", file=sys.stderr)
                failed += 1
                continue
            # Another process may have written what another client listed. The lock is on the folder, as the file is replaced.
            with locked(pathlib.Path(path).parent):
                case = read(path)
                for old in case["seen"]:
                    if old["client"].startswith(f"{client.name}@") and old["client"] != client.id:
                        old.setdefault("superseded", f"{client.id} was observed")
                case["seen"] = [old for old in case["seen"] if old["client"] != client.id or old.get("superseded")] + [seen]
                case["seen"].sort(key=lambda seen: seen["client"])
                write(path, case)
            print(f"{path}: {client.id}: {len(seen['skills'])} skills", flush=True)
    return failed == 0


def recheck(count, paths):
    names = {}
    for client in clients("all"):
        names[client.id] = client
    every = [(path, seen) for path in paths for seen in read(path)["seen"]
             if seen["client"] in names and not seen.get("superseded")]
    chosen, wrong = random.sample(every, min(count, len(every))), 0
    for path, seen in chosen:
        try:
            now = names[seen["client"]].see(read(path))
        except Failure as error:
            wrong += 1
            print(f"{path}: {seen['client']}: {error}")
            continue
        if not same(seen, now):
            wrong += 1
            print(f"{path}: {seen['client']}: expected {seen['skills']}, got {now['skills']}")
    print(f"{len(chosen) - wrong} of {len(chosen)} observations were seen again")
    return wrong == 0 and bool(chosen)


def compare(names, paths):
    """Says what a client of another version than the pinned one lists differently."""
    good = True
    for client in clients(names):
        for path in paths:
            case = read(path)
            known = [seen for seen in case["seen"] if seen["client"].startswith(client.name + "@") and not seen.get("superseded")]
            if not known or known[0]["client"] == client.id:
                continue
            try:
                now = client.see(case)
            except Failure as error:
                good = False
                print(f"{path}: {client.id}: {error}")
                continue
            if not same({**known[0], "client": client.id}, now):
                good = False
                print(f"{path}: {known[0]['client']} listed {known[0]['skills']}, {client.id} lists {now['skills']}")
    return good


def canary(names):
    text = "---\nname: canary\ndescription: Sings at dawn.\n---\nSing.\n"
    case = {"files": [{"path": "{project}/canary/SKILL.md", "text": text}], "repositories": ["project"], "seen": []}
    good, asked = 0, clients(names)
    for client in asked:
        try:
            listed = [skill["name"] for skill in client.see(case)["skills"]]
        except Failure as error:
            listed = [str(error)]
        good += "canary" in listed
        print(f"{client.id}: {'listed' if 'canary' in listed else f'NOT listed, but {listed}'}", flush=True)
    wanted = CANARIES if names == "all" else min(CANARIES, len(names.split(",")))
    print(f"{good} clients list the canary skill; at least {wanted} must")
    return good >= wanted


def serve(name):
    client = Client(name)
    if reason := client.missing():
        raise SystemExit(f"skipped: {name}: {reason}")
    for line in sys.stdin:
        try:
            answer = client.see(json.loads(line))
        except Failure as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("observe")
    command.add_argument("--again", action="store_true", help="also where the client was seen before")
    command.add_argument("clients")
    command.add_argument("cases", nargs="+")
    command = commands.add_parser("recheck")
    command.add_argument("count", type=int)
    command.add_argument("cases", nargs="+")
    command = commands.add_parser("compare")
    command.add_argument("clients")
    command.add_argument("cases", nargs="+")
    commands.add_parser("canary").add_argument("clients", nargs="?", default="all")
    commands.add_parser("serve").add_argument("client")
    given = parser.parse_args()
    enter()
    if given.command == "observe":
        good = observe(given.clients, given.cases, given.again)
    elif given.command == "recheck":
        good = recheck(given.count, given.cases)
    elif given.command == "compare":
        good = compare(given.clients, given.cases)
    elif given.command == "canary":
        good = canary(given.clients)
    else:
        good = serve(given.client)
    raise SystemExit(0 if good else 1)


LAB = pathlib.Path(os.environ.get("LAB") or HERE.parent.parent / "target/lab").resolve()
if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    # Adapters import `lab`: this module, and not a second copy of it.
    sys.modules["lab"] = sys.modules["__main__"]
    main()

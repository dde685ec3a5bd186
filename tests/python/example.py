"""A program that uses the package, as an example of its types: `mypy --strict` accepts it, and it runs."""

import json
from typing import Dict, List

import skilltree_engine
from skilltree_engine.types import Listed

TEA = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water for $ARGUMENTS.\n"


class Storage:
    """Skills from a storage of one's own."""

    def __init__(self, files: Dict[str, str]) -> None:
        self.files = files

    def list(self, path: str) -> List[str]:
        below = path.rstrip("/") + "/"
        names = {file[len(below) :] for file in self.files if file.startswith(below)}
        if not names:
            raise FileNotFoundError(path)
        return sorted({name.split("/")[0] + ("/" if "/" in name else "") for name in names})

    def read(self, path: str) -> str:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]


def keys(listed: Listed) -> List[str]:
    return [skill["key"] for skill in listed["skills"]]


def main() -> None:
    storage = Storage({"/me/.claude/skills/tea/SKILL.md": TEA})
    catalog = skilltree_engine.discover("claude", home="/me", files=storage, host={"reserved": ["help"]})
    print(keys(catalog.list()))

    invoked = catalog.invoke("/tea two cups")
    if invoked["kind"] == "inline":
        print(invoked["key"], invoked["tools"], "two cups" in invoked["text"])

    for name in ["tea", "coffee"]:
        called = catalog.call({"skill": name})
        if not called["ok"]:
            print(called["error"]["code"])
        elif called["kind"] == "inline":
            print(called["dir"])

    try:
        catalog.load("tee")
    except skilltree_engine.SkilltreeError as error:
        print(error.code, error)

    table = skilltree_engine.matrix(["claude", "agentskills"], home="/me", files=storage)
    print(json.dumps({name: cell["state"] for name, cell in table["rows"][0]["cells"].items()}))


if __name__ == "__main__":
    main()

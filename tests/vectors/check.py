"""Checks every case of testdata/vectors: it is valid by schema.json, and its observations are of the clients in
tests/lab/clients.json, at the versions there, or are marked as superseded.

    check.py [CASES...]   the cases in testdata/vectors/cases by default

It needs nothing but the standard library. It knows the part of JSON Schema that schema.json uses, and ends with an error at any
other keyword, so that no constraint is overlooked.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "testdata/vectors"
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
#: Keywords that constrain nothing by themselves.
NOTES = {"$schema", "$defs", "title", "description", "default", "then"}


def is_type(value, name):
    # In Python, a boolean is an integer.
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def equal(one, other):
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def errors(value, schema, whole, at="the case"):
    """Yields what is wrong with a value, each with its place. As the standard says, a keyword ignores values of other types."""
    fields = value if isinstance(value, dict) else {}
    items = value if isinstance(value, list) else []

    def below(part):
        return list(errors(value, part, whole, at))

    for keyword, wanted in schema.items():
        if keyword in NOTES:
            continue
        elif keyword == "$ref":
            target = whole
            for part in wanted.removeprefix("#/").split("/"):
                target = target[part]
            yield from below(target)
        elif keyword == "type":
            if not is_type(value, wanted):
                yield f"{at}: expected {wanted}, got {json.dumps(value)[:80]}"
        elif keyword in ("enum", "const"):
            allowed = wanted if keyword == "enum" else [wanted]
            if not any(equal(value, one) for one in allowed):
                yield f"{at}: expected one of {json.dumps(allowed)}, got {json.dumps(value)[:80]}"
        elif keyword == "required":
            if isinstance(value, dict):
                yield from (f"{at}: expected the field `{name}`" for name in wanted if name not in fields)
        elif keyword == "dependentRequired":
            for field, others in wanted.items():
                if field in fields:
                    yield from (f"{at}: `{field}` needs the field `{name}`" for name in others if name not in fields)
        elif keyword == "properties":
            for name, part in wanted.items():
                if name in fields:
                    yield from errors(fields[name], part, whole, f"{at}.{name}")
        elif keyword == "additionalProperties" and wanted is False:
            yield from (f"{at}: unknown field `{name}`" for name in fields if name not in schema["properties"])
        elif keyword == "items":
            for index, item in enumerate(items):
                yield from errors(item, wanted, whole, f"{at}[{index}]")
        elif keyword == "minItems":
            if isinstance(value, list) and len(items) < wanted:
                yield f"{at}: expected at least {wanted} items"
        elif keyword == "uniqueItems" and wanted is True:
            if len({json.dumps(item, sort_keys=True) for item in items}) != len(items):
                yield f"{at}: expected no item twice"
        elif keyword == "minLength":
            if isinstance(value, str) and len(value) < wanted:
                yield f"{at}: expected at least {wanted} characters"
        elif keyword == "pattern":
            if isinstance(value, str) and not re.search(wanted, value):
                yield f"{at}: expected a text like {wanted}, got {json.dumps(value)[:80]}"
        elif keyword == "minimum":
            if is_type(value, "integer") and value < wanted:
                yield f"{at}: expected at least {wanted}"
        elif keyword in ("oneOf", "anyOf"):
            fits = sum(not below(part) for part in wanted)
            if fits == 0 or keyword == "oneOf" and fits > 1:
                yield f"{at}: fits {fits} of {json.dumps(wanted)}"
        elif keyword == "if":
            if not below(wanted):
                yield from below(schema["then"])
        else:
            raise NotImplementedError(f"the keyword `{keyword}` with the value {json.dumps(wanted)}")


def beyond_the_schema(name, case, pins):
    """Yields what a schema cannot say."""
    if not re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", name):
        yield "expected a file name of a group and words in lower case with `-` between, such as `yaml-anchor.json`"
    paths = [file["path"] for file in case["files"]]
    yield from (f"two files have the path {json.dumps(path)}" for path in sorted(set(paths)) if paths.count(path) > 1)
    yield from (f"`only` has an unknown client: {client}" for client in case.get("only", []) if client not in pins)
    counted = [seen["client"] for seen in case["seen"] if "superseded" not in seen]
    for client in sorted(set(counted)):
        if counted.count(client) > 1:
            yield f"two observations of {client} count"
        if client not in {f"{known}@{pin['version']}" for known, pin in pins.items()}:
            yield f"{client} is not a client of tests/lab/clients.json, and is not marked as superseded"
        if client.split("@")[0] not in case.get("only", pins):
            yield f"{client} is not one of the clients that the case is for"


def main():
    schema = json.loads((VECTORS / "schema.json").read_text(encoding="utf-8"))
    pins = json.loads((ROOT / "tests/lab/clients.json").read_text(encoding="utf-8"))
    cases = [pathlib.Path(path) for path in sys.argv[1:]] or sorted((VECTORS / "cases").iterdir())
    wrong = observations = 0
    for path in cases:
        try:
            case = json.loads(path.read_text(encoding="utf-8"))
            found = list(errors(case, schema, schema)) or list(beyond_the_schema(path.stem, case, pins))
            observations += 0 if found else len(case["seen"])
        except (OSError, ValueError) as error:
            found = [str(error)]
        for problem in found:
            print(f"{path.name}: {problem}")
        wrong += bool(found)
    print(f"{len(cases) - wrong} of {len(cases)} cases are valid; they have {observations} observations")
    return 0 if cases and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())

"""Tools that the conformance suite asks for by these names."""

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def says(name, **more):
    return {"name": name, "description": "Says that it was called.", "execute": lambda **_: "called", **more}


def test_error_handling():
    """Fails."""
    raise ValueError("this tool fails")


TOOLS = [
    says("test_simple_text"),
    says("test_logging_tool"),
    says("test_streaming_elicitation"),
    says("json_schema_2020_12_tool", parameters=SCHEMA),
    test_error_handling,
]

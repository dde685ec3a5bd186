"""An agent of Pydantic AI that lists, finds and loads skills, and a conversation with a test model.

`.ci/python` runs it in `testdata/example/project`, with `testdata/example/home` as the home directory.
"""

from typing import Any, Set

from pydantic_ai import Agent, RunContext, Tool
from skilltree_engine import discover

catalog = discover("claude", project=".")


def load_skill(context: RunContext[Set[str]], **arguments: Any) -> str:
    called = catalog.call(arguments)
    if not called["ok"]:
        return str(called["error"]["message"])  # The model reads it, and may correct its call.
    text = called["then"]["text"] if called["kind"] == "pending" else called["text"]
    if text in context.deps:
        return catalog.load(called["key"], already=[called["key"]])["text"]
    context.deps.add(text)
    return text


def find_skills(query: str) -> str:
    """Find skills for a task, the best first."""
    hits = catalog.search(query, limit=5)["hits"]
    return "\n".join(f"- {hit['key']}: {hit['description']}" for hit in hits) or "No skill fits."


tool = catalog.tool()
load_tool = Tool.from_schema(load_skill, tool["name"], tool["description"], tool["input_schema"], takes_ctx=True)
agent = Agent(deps_type=set, instructions=catalog.prompt()["text"], tools=[load_tool, find_skills])

# The rest is the test. The guide shows what stands before it.

from pydantic_ai import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart  # noqa: E402
from pydantic_ai.models.function import AgentInfo, FunctionModel  # noqa: E402

CALLS = [
    ("find_skills", {"query": "fill in a form"}),
    ("Skill", {"skill": "pdf-forms"}),
    ("Skill", {"skill": "pdf-forms"}),
    ("Skill", {"skill": "pdf-form"}),
    ("Skill", {}),
]


class TestModel:
    """Makes one call after the other, and notes what it is given."""

    def __init__(self) -> None:
        self.requests: list[tuple[list[ModelMessage], AgentInfo]] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.requests.append((messages, info))
        number = len(self.requests)
        if number <= len(CALLS):
            return ModelResponse(parts=[ToolCallPart(*CALLS[number - 1])])
        return ModelResponse(parts=[TextPart("Done.")])


def converse() -> tuple[AgentInfo, list[Any]]:
    """What the model was offered last, and the answers to its calls."""
    model = TestModel()
    result = agent.run_sync("Fill in this form.", model=FunctionModel(model), deps=set())
    assert result.output == "Done."
    messages, info = model.requests[-1]
    return info, [part.content for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


info, answers = converse()
assert info.instructions == catalog.prompt()["text"] and "- pdf-forms: Fills in PDF forms." in info.instructions
offered = {tool.name: tool for tool in info.function_tools}
assert sorted(offered) == ["Skill", "find_skills"]
assert offered["Skill"].description == tool["description"]
assert offered["Skill"].parameters_json_schema == tool["input_schema"]

found, first, again, unknown, wrong = answers
assert found.startswith("- pdf-forms: Fills in PDF forms."), found
assert first == catalog.load("pdf-forms")["text"] and "Run `scripts/fields.py` on the form" in first, first
assert again == "The skill `pdf-forms` is already loaded; follow the instructions above.", again
assert unknown == "there is no skill `pdf-form`; did you mean `pdf-forms`?", unknown
assert wrong.startswith("expected an object with the text `skill`"), wrong

# Another conversation has nothing yet.
assert converse()[1] == answers
print(f"{len(answers)} calls are answered")

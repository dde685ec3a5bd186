"""An agent of the OpenAI Agents SDK that lists, finds and loads skills, and a conversation with a test model.

`.ci/python` runs it in `testdata/example/project`, with `testdata/example/home` as the home directory.
"""

from typing import Set

from agents import Agent, FunctionTool, RunContextWrapper, function_tool
from skilltree_engine import discover

catalog = discover("claude", project=".")


async def load_skill(context: RunContextWrapper[Set[str]], arguments: str) -> str:
    called = catalog.call(arguments)
    if not called["ok"]:
        return str(called["error"]["message"])  # The model reads it, and may correct its call.
    text = called["then"]["text"] if called["kind"] == "pending" else called["text"]
    if text in context.context:
        return catalog.load(called["key"], already=[called["key"]])["text"]
    context.context.add(text)
    return text


@function_tool
def find_skills(query: str) -> str:
    """Find skills for a task, the best first."""
    hits = catalog.search(query, limit=5)["hits"]
    return "\n".join(f"- {hit['key']}: {hit['description']}" for hit in hits) or "No skill fits."


tool = catalog.tool()
# It is not strict, as a strict schema has no optional arguments.
load_tool = FunctionTool(tool["name"], tool["description"], tool["input_schema"], load_skill, strict_json_schema=False)
agent = Agent[Set[str]]("assistant", instructions=catalog.prompt()["text"], tools=[load_tool, find_skills])

# The rest is the test. The guide shows what stands before it.

from typing import Any  # noqa: E402

from agents import Model, ModelResponse, RunConfig, Runner, Usage  # noqa: E402
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText  # noqa: E402

CALLS = [
    ("find_skills", '{"query": "fill in a form"}'),
    ("Skill", '{"skill": "pdf-forms"}'),
    ("Skill", '{"skill": "pdf-forms"}'),
    ("Skill", '{"skill": "pdf-form"}'),
    ("Skill", '{"skill": '),
]


class TestModel(Model):
    """Makes one call after the other, and notes what it is given."""

    def __init__(self) -> None:
        self.requests: list[Any] = []

    async def get_response(self, system_instructions, input, model_settings, tools, *others, **named):
        self.requests.append((system_instructions, input, tools))
        number = len(self.requests)
        if number <= len(CALLS):
            name, arguments = CALLS[number - 1]
            output = ResponseFunctionToolCall(type="function_call", call_id=f"{number}", name=name, arguments=arguments)
        else:
            done = ResponseOutputText(type="output_text", text="Done.", annotations=[])
            output = ResponseOutputMessage(
                id="done", type="message", role="assistant", status="completed", content=[done]
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *others, **named):
        raise NotImplementedError


def converse():
    """The instructions and the tools that the model was given last, and the answers to its calls."""
    model = TestModel()
    config = RunConfig(model=model, tracing_disabled=True)
    result = Runner.run_sync(agent, "Fill in this form.", context=set(), run_config=config)
    assert result.final_output == "Done."
    instructions, given, tools = model.requests[-1]
    return instructions, tools, [item["output"] for item in given if item.get("type") == "function_call_output"]


instructions, tools, answers = converse()
assert instructions == catalog.prompt()["text"] and "- pdf-forms: Fills in PDF forms." in instructions
offered = {tool.name: tool for tool in tools}
assert sorted(offered) == ["Skill", "find_skills"]
assert offered["Skill"].description == tool["description"]
assert offered["Skill"].params_json_schema == tool["input_schema"]

found, first, again, unknown, wrong = answers
assert found.startswith("- pdf-forms: Fills in PDF forms."), found
assert first == catalog.load("pdf-forms")["text"] and "Run `scripts/fields.py` on the form" in first, first
assert again == "The skill `pdf-forms` is already loaded; follow the instructions above.", again
assert unknown == "there is no skill `pdf-form`; did you mean `pdf-forms`?", unknown
assert wrong.startswith("the arguments of `Skill` are not valid JSON"), wrong

# Another conversation has nothing yet.
assert converse()[2] == answers
print(f"{len(answers)} calls are answered")

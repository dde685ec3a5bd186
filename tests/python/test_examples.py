"""The examples for agent frameworks in `tests/examples` run with the frameworks' own packages, without a network. The
programs in the guide's page on Python and in the README run, too.
"""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "testdata" / "example"


def run(*words):
    """Runs Python in the project of the example."""
    # Neither settings nor keys of the user who runs the tests.
    others = ("SKILLTREE_", "XDG_", "OPENAI_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    home = str(EXAMPLE / "home")
    # Whatever asks the network is refused at once.
    nowhere = "http://127.0.0.1:9"
    own = {"HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "ALL_PROXY": nowhere, "HOME": home, "USERPROFILE": home}
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        encoding="utf-8",
        cwd=EXAMPLE / "project",
        env={**kept, **own, "PYTHONIOENCODING": "utf-8"},
    )


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the frameworks need Python 3.11")
@pytest.mark.parametrize("name", ["pydantic_ai_agent", "openai_agents"])
def test_an_example_runs(name):
    done = run(str(ROOT / "tests" / "examples" / f"{name}.py"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "5 calls are answered\n", ""), done.stderr


@pytest.mark.parametrize("page, count", [("src/guide/python.md", 3), ("README.md", 1)])
def test_the_programs_of_a_page_run(page, count):
    """What is said behind `# →` is what is printed."""
    text = (ROOT / page).read_text(encoding="utf-8")
    programs = [block.split("```")[0] for block in text.split("```python\n")[1:]]
    assert len(programs) == count
    for program in programs:
        promised = [line.split("# → ")[1] for line in program.splitlines() if "# → " in line]
        done = run("-c", program)
        assert (done.returncode, done.stdout.splitlines()) == (0, promised), done.stderr

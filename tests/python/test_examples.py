"""The examples for agent frameworks in `tests/examples` run with the frameworks' own packages, without a network."""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "testdata" / "example"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="the frameworks need Python 3.11")
@pytest.mark.parametrize("name", ["pydantic_ai_agent", "openai_agents"])
def test_an_example_runs(name):
    # Neither settings nor keys of the user who runs the tests.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SKILLTREE_", "XDG_", "OPENAI_"))}
    home = str(EXAMPLE / "home")
    # Whatever asks the network is refused at once.
    nowhere = "http://127.0.0.1:9"
    proxies = {"HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "ALL_PROXY": nowhere}
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "examples" / f"{name}.py")],
        capture_output=True,
        encoding="utf-8",
        cwd=EXAMPLE / "project",
        env={**kept, **proxies, "HOME": home, "USERPROFILE": home},
    )
    assert (done.returncode, done.stdout) == (0, "5 calls are answered\n"), done.stderr
    assert done.stderr == ""

"""The real CLIs in the sandbox, and keys that they print: against the scripted model, in whole runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import clis
import pytest
from install import Installed
from loops import CLAIM, Loop

from model.serve import Model
from ralph.sandbox.bwrap import usable

SLOW = {"gemini", "opencode"}
EVERY = [pytest.param(cli, marks=pytest.mark.agents if cli in SLOW else ()) for cli in clis.STARTS]
MODELS = {
    "claude": "claude-sonnet-5-5",
    "codex": "gpt-5.4",
    "gemini": "gemini-2.5-pro",
    "opencode": f"{clis.PROVIDER}/gpt-5.4",
}
needs_bwrap = pytest.mark.skipif(bool(usable()), reason=usable() or "never")
LOOK = (
    "echo hi > $HOME/new && echo wrote home; ls -A $HOME > home.txt; cat $HOME/.ssh/id_rsa; cat .git/ralph/journal.jsonl; "
    "git commit --allow-empty -qm mine; echo 42 > answer"
)
COMPLETE = {
    "mcp": {
        "server": "ralph",
        "tool": "ralph-complete",
        "arguments": {
            "taskId": "write-42-into-the-file-answer",
            "summary": "The answer is written.",
            "promiseEvidence": "cat answer prints 42",
            "artifactPaths": ["answer"],
        },
    }
}


@pytest.fixture
def loop(
    request: pytest.FixtureRequest, program: Callable[[str], Installed], model: Model, tmp_path: Path
) -> Loop:
    cli = request.node.callspec.params["cli"]
    return Loop(tmp_path, model, {cli: program(cli)})


@needs_bwrap
@pytest.mark.parametrize("cli", EVERY)
def test_it_works_in_the_sandbox_with_its_tools_and_reaches_nothing_else(cli: str, loop: Loop) -> None:
    home = Path(loop.project.env["HOME"])
    (home / ".ssh").mkdir()
    (home / ".ssh/id_rsa").write_text("the private key of a person")
    model = MODELS[cli]
    loop.script(cli, [{"bash": {"command": LOOK}}, COMPLETE, CLAIM], model=model.rpartition("/")[2])
    loop.configure(cli, model=model, loop={"max_iterations": 1}, sandbox="bwrap")
    head = loop.project.git("rev-parse", "HEAD")
    done = loop.run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert loop.project.end()["end"] == "completed-verified"
    assert [fact["summary"] for fact in loop.project.facts("claim.made")] == ["The answer is written."]
    assert loop.project.git("rev-parse", "HEAD") == head
    (ended,) = loop.ended()
    assert ended["usage"]["tokens"] > 0 and ended["usage"]["cost_usd"] > 0
    transcript = (loop.project.path / ".git/ralph" / ended["output"]).read_text()
    assert "wrote home" in transcript and "private key of a person" not in transcript
    assert "run.started" not in transcript
    seen = (loop.project.path / "home.txt").read_text().split()
    assert "new" in seen and ".ssh" not in seen
    assert not (home / "new").exists()


@pytest.mark.parametrize("cli", EVERY)
def test_a_key_that_it_prints_is_masked_everywhere(cli: str, loop: Loop) -> None:
    name = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}.get(cli, "")
    model = MODELS[cli]
    words = {"say": {"text": f"My key is {clis.FAKE_KEY}.\n\nTASK_COMPLETE"}}
    look = {"bash": {"command": f'env | sort; echo "key ${name}"; env > env.txt; echo 42 > answer'}}
    loop.script(cli, [look, words], model=model.rpartition("/")[2])
    loop.configure(cli, model=model, loop={"max_iterations": 1})
    loop.project.env |= {"AWS_SECRET_ACCESS_KEY": "not-for-agents-0123456789", "SERVICE_URL": "http://intern"}
    if not name:  # opencode was given its key by its settings: then only what it says can tell it
        loop.project.env["OPENAI_API_KEY"] = clis.FAKE_KEY
    done = loop.run("-v")
    assert done.returncode == 0, done.stdout + done.stderr
    folder = loop.project.path / ".git/ralph"
    kept = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file() and "shadow" not in p.parts}
    assert [str(p) for p, data in kept.items() if clis.FAKE_KEY.encode() in data] == []
    (ended,) = loop.ended()
    transcript = (folder / ended["output"]).read_text()
    assert "My key is ***" in ended["said"]
    if cli != "gemini":  # its words come in pieces, a line for each: there nothing tells a key
        assert "My key is ***" in transcript
    if name:
        assert f"{name}=***" in transcript, "it had the key, and printed it"
    assert clis.FAKE_KEY not in done.stdout + done.stderr
    assert clis.FAKE_KEY not in (loop.project.path / "ralph.log").read_text()
    for command in (
        ("report",),
        ("report", "--html", "-o", "-"),
        ("events", "--json"),
        ("logs", "1", "--raw"),
    ):
        assert clis.FAKE_KEY not in loop.project.ralph(*command).stdout
    got = (loop.project.path / "env.txt").read_text()
    assert "AWS_SECRET_ACCESS_KEY" not in got and "SERVICE_URL" not in got

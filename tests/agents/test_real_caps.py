"""Caps act while the real CLIs work: they are stopped half-way, their work is kept, and a raised cap goes on. Of each cost it
is said where it comes from: the CLI itself, Ralph's table of prices, or nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from install import Installed
from loops import CLAIM, STEP, Loop
from project import end_processes, processes_with

from model.serve import Model

Program = Callable[[str], Installed]

RISING = [{"usage": {"input": 10_000 * n, "output": 10}, **STEP} for n in range(1, 9)]
ALL_STEPS = len(RISING)
# Slow only where it should not come to its end.
WORKS = 'echo step >>"work-$RALPH_ITERATION"; if [ "$RALPH_ITERATION" = 1 ]; then sleep 1; else echo 42 >answer; fi\n'
UNLISTED = "a-model-that-no-table-lists"


@pytest.fixture
def loop(program: Program, model: Model, tmp_path: Path) -> Iterator[Loop]:
    yield Loop(tmp_path, model, {cli: program(cli) for cli in ("claude", "codex")})
    end_processes(str(tmp_path))


@pytest.mark.parametrize(
    ("cli", "name", "cap", "limit"),
    [
        ("claude", "claude-sonnet-5-5", "max_cost_usd", "cost"),
        ("codex", "gpt-5.4", "max_cost_usd", "cost"),
        ("codex", UNLISTED, "max_tokens", "tokens"),
    ],
)
def test_past_a_cap_it_is_stopped_half_way_and_a_higher_one_goes_on(
    cli: str, name: str, cap: str, limit: str, loop: Loop
) -> None:
    loop.script(cli, [*RISING, CLAIM], model=name)
    loop.project.write("step.sh", WORKS)
    loop.configure(cli, model=name, loop={cap: 75_000 if limit == "tokens" else 0.15})
    done = loop.run()
    assert done.returncode == 8, done.stdout + done.stderr
    (ended,) = loop.ended()
    assert (ended["how"], ended["cause"]) == ("cut", limit)
    end = loop.project.end()
    assert (end["end"], end["limit"]) == ("limit", limit)
    assert f"Next: Continue with a higher limit: `ralph resume --max-{limit} N`" in done.stdout
    steps = (loop.project.path / "work-1").read_text().count("step")
    assert 0 < steps < ALL_STEPS
    assert loop.project.git("cat-file", "-p", f"{ended['tree']}:work-1") == "\n".join(["step"] * steps)
    assert processes_with(str(loop.project.path)) == []
    if limit == "cost":
        assert "USD (estimate)" in done.stdout, "no CLI tells a cost half-way"

    raised = loop.project.ralph("resume", f"--max-{limit}", "1000000000")
    assert raised.returncode == 0, raised.stdout + raised.stderr
    assert loop.project.end()["end"] == "completed-verified"
    assert [i["n"] for i in loop.project.facts("iteration.started")] == [1, 2]
    assert (loop.project.path / "work-1").exists()


@pytest.mark.parametrize(
    ("cli", "name", "told", "source"),
    [
        ("claude", "claude-sonnet-5-5", " USD", "reported by the agent"),
        ("codex", "gpt-5.4", " USD (estimate)", "estimate"),
        ("codex", UNLISTED, "tokens, cost not reported", "not reported"),
    ],
)
def test_summary_status_and_report_say_where_the_cost_comes_from(
    cli: str, name: str, told: str, source: str, loop: Loop
) -> None:
    steps = [{"usage": {"input": 100_000, "output": 10}, "write": {"path": "answer", "text": "42\n"}}, CLAIM]
    loop.script(cli, steps, model=name)
    loop.configure(cli, model=name, loop={"max_cost_usd": 50})
    done = loop.run()
    assert done.returncode == 0, done.stdout + done.stderr
    usage: dict[str, Any] = loop.ended()[0]["usage"]
    project = loop.project
    summary = next(line for line in done.stdout.splitlines() if " tokens, " in line)
    (spent,) = [line for line in project.ralph("status").stdout.splitlines() if line.startswith("spent ")]
    page = project.path.parent / "page.html"
    assert project.ralph("report", "--html", "--output", str(page)).returncode == 0
    (figures,) = [line for line in project.ralph("report").stdout.splitlines() if "- Iterations: " in line]
    for shown in (summary, spent, figures):
        assert shown.endswith(told), shown
        assert f"{usage['tokens']} tokens" in shown
    assert f"<small>{source}</small>" in page.read_text()
    standing = json.loads(project.ralph("status", "--json").stdout)
    assert (standing["cost_usd"] > 0, standing["estimated"]) == (
        bool(usage.get("cost_usd")),
        source == "estimate",
    )
    assert ("a limit on cost is set, but the agent does not say what it costs" in done.stdout) == (
        source == "not reported"
    )

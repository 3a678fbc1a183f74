"""Teams of hats worn by real CLIs: the spike of a board with Claude Code, and two CLIs in one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from install import Installed
from loops import Loop
from project import end_processes
from spike import Spike, check

from model.serve import Model

Program = Callable[[str], Installed]
# What the model lets the agent run, under whatever hat: the spike's instructions, followed to the letter.
FOLLOWS = """\
log() { printf '%s — board.scan — %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >> poll-log.txt; }
case $RALPH_HAT in
board_scanner)
  log START
  for phase in work:work.propose proposed:work.finish; do
    item=$(ls "${phase%%:*}" 2>/dev/null | head -n 1)
    [ -z "$item" ] || { topic=${phase#*:}; break; }
  done
  if [ -n "$item" ]; then
    printf '# Phase: %s — %s\\nStarting fresh.\\n' "${topic#*.}" "$item" > .ralph/agent/scratchpad.md
    rm -f .ralph/agent/tasks.jsonl
    log "dispatching: $topic $item"; ralph emit "$topic" "$item"
  else
    log "idle (no work)"; ralph emit LOOP_COMPLETE
  fi
  log END ;;
proposal_writer)
  item=$(ls work | head -n 1)
  echo "Think first, then write three sentences." > "proposed/$item"; rm "work/$item"
  printf '## Proposed\\n- Item: %s\\n' "$item" >> .ralph/agent/scratchpad.md
  ralph tools memory add "$item was proposed in one sentence" -t pattern --tags propose
  ralph tools task add "left open by $item"
  ralph emit board.rescan ;;
finisher)
  item=$(ls proposed | head -n 1)
  echo "This is the result." > "done/$item"; rm "proposed/$item"
  printf '## Finished\\n- Item: %s\\n' "$item" >> .ralph/agent/scratchpad.md
  ralph emit board.rescan ;;
esac
"""
STEP = {"bash": {"command": "sh ../follows.sh"}}
SAYS = {"say": {"text": "Done with my part."}}


@pytest.fixture
def loop(program: Program, model: Model, tmp_path: Path) -> Iterator[Loop]:
    yield Loop(tmp_path, model, {cli: program(cli) for cli in ("claude", "codex")})
    end_processes(str(tmp_path))


def test_claude_code_works_through_the_spike(loop: Loop) -> None:
    spike = Spike(loop.project)
    loop.script("claude", [STEP, SAYS])
    loop.project.write("../follows.sh", FOLLOWS)
    assert spike.run_until_idle("--cooldown", "0") == 12
    check(spike)
    calls = [entry for entry in spike.diagnostics("agent-output") if entry["type"] == "tool_call"]
    assert {"Bash"} == {call["name"] for call in calls} and calls[0]["input"]["command"] == "sh ../follows.sh"


TEAM = """\
cli: {backend: claude}
gates: [{name: tests, run: sh test.sh}]
event_loop: {starting_event: build.wanted, enforce_hat_scope: true, max_iterations: 6, crash_wait: 0}
hats:
  builder:
    triggers: [build.wanted, review.failed]
    publishes: [build.done]
    backend: claude
    backend_args: ["--model", "claude-opus-9"]
    disallowed_tools: [WebSearch]
    timeout: 300
    instructions: Write 42 into the file `answer`.
  reviewer:
    triggers: [build.done]
    publishes: [review.failed, LOOP_COMPLETE]
    backend: codex
    instructions: Read the file `answer`.
"""
BUILDS = {"bash": {"command": "ralph emit sneaky.topic; echo 42 > answer && ralph emit build.done"}}
REVIEWS = {"bash": {"command": "cat answer"}}
PASSES = {"say": {"text": 'It is 42.\n\n<event topic="LOOP_COMPLETE">seen</event>'}}


def test_two_clis_wear_the_hats_of_one_team(loop: Loop) -> None:
    loop.script("claude", [BUILDS, SAYS])
    loop.script("codex", [REVIEWS, PASSES])
    loop.project.config(TEAM)
    loop.project.commit()
    done = loop.run("-p", "Make it 42")
    assert done.returncode == 0, done.stdout + done.stderr
    started = loop.project.facts("iteration.started")
    assert [fact["hat"] for fact in started] == ["builder", "reviewer"]
    policy = loop.project.facts("loop.started")[-1]["policy"]
    builder, reviewer = (hat["agent"] for hat in policy["team"]["hats"])
    assert (builder["backend"], reviewer["backend"]) == ("claude", "codex")
    asked = loop.asked("claude")[0]
    assert asked.model == "claude-opus-9"
    assert "WebSearch" not in asked.tools and "Bash" in asked.tools
    assert loop.asked("codex")
    topics = {fact["topic"] for fact in loop.project.facts("event.received")}
    assert topics == {"build.done"}  # what a hat may not publish is refused at once
    assert "may not publish sneaky.topic" in loop.project.ralph("logs", "1").stdout

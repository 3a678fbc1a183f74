"""The seed's spike, its files unchanged, worked through by the scripted agent."""

from __future__ import annotations

import sys

import pytest
from project import Project
from spike import FILES, Spike, check

SCRIPT = """\
hats:
  board_scanner:
    - run: |
        log() { printf '%s — board.scan — %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >> poll-log.txt; }
        log START
        for phase in work:work.propose proposed:work.finish; do
          item=$(ls "${phase%%:*}" 2>/dev/null | head -n 1)
          [ -z "$item" ] || { topic=${phase#*:}; break; }
        done
        if [ -n "$item" ]; then
          rm -f .ralph/agent/tasks.jsonl
          log "dispatching: $topic $item"; ralph emit "$topic" "$item"
        else
          log "idle (no work)"; ralph emit LOOP_COMPLETE
        fi
        log END
  proposal_writer:
    - run: |
        item=$(ls work | head -n 1)
        echo "Proposal: think, then write." > "proposed/$item"
        rm "work/$item"
        printf '## Proposed\\n- Item: %s\\n' "$item" >> "$RALPH_SCRATCHPAD"
        ralph tools task add "left open by $item"
        ralph tools memory add "$item was proposed in two sentences" -t pattern --tags propose
        ralph emit board.rescan
  finisher:
    - run: |
        item=$(ls proposed | head -n 1)
        echo "Result: it is good." > "done/$item"
        rm "proposed/$item"
        printf '## Finished\\n- Item: %s\\n' "$item" >> "$RALPH_SCRATCHPAD"
    - say: '<event topic="board.rescan"></event>'
"""


@pytest.fixture
def spike(project: Project) -> Spike:
    return Spike(project)


def test_the_files_are_those_of_a_user_and_valid_as_they_stand(spike: Spike) -> None:
    assert (spike.project.path / "ralph.yml").read_bytes() == (FILES / "ralph.yml").read_bytes()
    done = spike.project.ralph("validate", "--json")
    assert '"error"' not in done.stdout, done.stdout


def test_three_items_go_through_two_phases_and_then_the_board_idles(spike: Spike) -> None:
    spike.project.write("../script.yml", SCRIPT)
    agent = (sys.executable, "-m", "ralph.agents.scripted", str(spike.project.path / "../script.yml"))
    assert spike.run_until_idle("--cooldown", "0", "--", *agent) == 12
    check(spike)

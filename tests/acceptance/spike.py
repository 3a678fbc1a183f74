"""The spike of a persistent team: three items go through two phases, dispatched by a scanner, and then the loop idles.

`Spike` sets its files up, unchanged, in a repository; `check` holds a finished run against its criteria.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from project import Project, until

FILES = Path(__file__).parents[1] / "fixtures" / "spike"
ITEMS = ("item-1.txt", "item-2.txt", "item-3.txt")
COMMAND = ("run", "-v", "--no-tui", "-P", "PROMPT.md")
HEADER = "# Phase: {phase} — {item}\nStarting fresh."


class Spike:
    def __init__(self, project: Project) -> None:
        self.project = project
        for path in project.path.iterdir():
            if path.name not in (".git", ".gitignore"):
                path.unlink()
        shutil.copytree(FILES, project.path, dirs_exist_ok=True)
        for folder in ("proposed", "done"):
            (project.path / folder).mkdir()
        project.commit("the spike")

    def run_until_idle(self, *more: str, looks: int = 2) -> int:
        """Its command line, until the empty board has been looked at so often; the exit code after `ralph stop`."""
        running = self.project.start(*COMMAND, *more, env={"RALPH_DIAGNOSTICS": "1"})
        try:
            until(lambda: self._idle() >= looks or running.poll() is not None, "an idle board", 300)
            self.project.ralph("stop")
            return running.wait(60)
        finally:
            running.kill()

    def _idle(self) -> int:
        log = self.project.path / "poll-log.txt"
        return log.read_text().count("idle (no work)") if log.exists() else 0

    # -- what it left ------------------------------------------------------------------------------

    def names(self, folder: str) -> list[str]:
        return sorted(path.name for path in (self.project.path / folder).iterdir())

    def events(self) -> list[dict[str, Any]]:
        """The file of events, whose records have the fields of that family."""
        (file,) = (self.project.path / ".ralph").glob("events-*.jsonl")
        return [json.loads(line) for line in file.read_text().splitlines()]

    def diagnostics(self, name: str) -> list[dict[str, Any]]:
        (folder,) = (
            path for path in (self.project.path / ".ralph/diagnostics").iterdir() if path.name != "logs"
        )
        return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]

    def worn(self) -> list[str]:
        return [fact["hat"] for fact in self.project.facts("iteration.started")]


def check(spike: Spike) -> None:
    """Sections 5.5 and 7 of the seed, one after the other."""
    _items_went_through_both_phases(spike)
    _hats_took_turns(spike)
    _events_say_so(spike)
    _every_phase_began_afresh(spike)
    _the_log_and_the_memories(spike)
    _diagnostics_span_the_run(spike)


def _items_went_through_both_phases(spike: Spike) -> None:
    assert spike.names("done") == list(ITEMS)
    assert (spike.names("work") if (spike.project.path / "work").is_dir() else []) == []
    assert spike.names("proposed") == []
    for item in ITEMS:
        assert (spike.project.path / "done" / item).read_text().strip()


def _hats_took_turns(spike: Spike) -> None:
    """The first phase of every item comes before the second one of any: work/ has priority."""
    worn = spike.worn()
    expected = ["board_scanner", "proposal_writer"] * 3 + ["board_scanner", "finisher"] * 3
    assert worn[:12] == expected
    assert set(worn[12:]) == {"board_scanner"} and len(worn) >= 14
    ended = spike.project.facts("iteration.ended")
    assert all((end["how"], end["code"]) == ("exited", 0) for end in ended[: len(ended) - 1])


def _events_say_so(spike: Spike) -> None:
    events = spike.events()
    assert set(events[0]) == {"ts", "iteration", "hat", "topic", "triggered", "payload"}
    topics = [event["topic"] for event in events]
    first = topics.index("LOOP_COMPLETE")
    expected = ["board.scan"]
    for phase in ("work.propose", "work.finish"):
        expected += [topic for _ in ITEMS for topic in (phase, "board.rescan")]
    assert topics[:first] == expected
    assert topics[first : first + 3] == ["LOOP_COMPLETE", "task.resume", "LOOP_COMPLETE"]
    dispatched = [
        (e["topic"], e["payload"], e["triggered"]) for e in events if e["topic"].startswith("work.")
    ]
    assert dispatched == [
        *(("work.propose", item, "proposal_writer") for item in ITEMS),
        *(("work.finish", item, "finisher") for item in ITEMS),
    ]
    assert {e["hat"] for e in events if e["topic"] == "board.rescan"} == {"proposal_writer", "finisher"}
    assert {e["hat"] for e in events if e["topic"] == "LOOP_COMPLETE"} == {"board_scanner"}
    assert {e["triggered"] for e in events if e["topic"] == "task.resume"} == {"board_scanner"}
    shown = spike.project.ralph("events", "--routed").stdout
    assert shown.count("board.rescan") >= 6 and "task.resume" in shown


def _every_phase_began_afresh(spike: Spike) -> None:
    started = spike.project.facts("iteration.started")
    phases = [
        (fact, spike.project.prompt(n)) for n, fact in enumerate(started) if fact["hat"] != "board_scanner"
    ]
    assert len(phases) == 6
    for (fact, prompt), (phase, item) in zip(
        phases, [(phase, item) for phase in ("propose", "finish") for item in ITEMS], strict=True
    ):
        assert fact["fresh"]
        shown = prompt.partition("## Scratchpad (as it was left)\n")[2].partition("# Memories")[0]
        assert shown.strip() == HEADER.format(phase=phase, item=item)
        assert "<ready-tasks>" not in prompt
    todos = spike.project.path / ".ralph/agent/tasks.jsonl"
    assert not todos.exists() or not todos.read_text().strip()
    assert all("LOOP_COMPLETE`" not in prompt for fact, prompt in phases)  # how to complete is not for hats


def _the_log_and_the_memories(spike: Spike) -> None:
    lines = (spike.project.path / "poll-log.txt").read_text().splitlines()
    said = [line.split(" — ")[2] for line in lines]
    assert said[:3] == ["START", "dispatching: work.propose item-1.txt", "END"]
    assert said.count("idle (no work)") >= 2
    memories = (spike.project.path / ".ralph/agent/memories.md").read_text()
    assert all(item in memories for item in ITEMS)
    later = spike.project.prompt(11)  # the last phase of the last item
    assert "item-1.txt" in later.partition("# Memories")[2]


def _diagnostics_span_the_run(spike: Spike) -> None:
    orchestration = spike.diagnostics("orchestration")
    hats = [entry["hat"] for entry in orchestration if entry["event"]["type"] == "hat_selected"]
    assert {"board_scanner", "proposal_writer", "finisher"} <= set(hats)
    cleared = [e["event"] for e in orchestration if e["event"]["type"] == "scratchpad_cleared"]
    assert [event["header"] for event in cleared] == [
        f"# Phase: {phase} — {item}" for phase in ("propose", "finish") for item in ITEMS
    ]
    for name in ("agent-output", "performance", "trace"):
        entries = spike.diagnostics(name)
        assert {entry["iteration"] for entry in entries if entry.get("iteration")} >= set(range(1, 13)), name
    assert list((spike.project.path / ".ralph/diagnostics/logs").glob("ralph-*.log"))

"""`ralph-complete` at the server is a claim of the iteration, by the rules of the local tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fleet import FleetServer
from ralph.core import facts as f
from remote_project import CONFIG, RemoteProject

DONE = {
    "summary": "it greets the world",
    "promiseEvidence": "sh test.sh passes",
    "artifactPaths": ["greeting"],
}
# The iteration says nothing about how far it is.
SILENT = """\
iterations:
  - - write: {{path: greeting, text: "hello, world\\n"}}
    - run: touch {place}/begun; while ! test -e {place}/go; do sleep 0.05; done
    - say: {words}
  - - run: touch {place}/second
    - say: ITERATION_DONE
"""
# After the iteration a gate waits, which proves nothing.
PACE = "test ! -e pace || { touch {place}/begun; while ! test -e {place}/go; do sleep 0.05; done; }\n"


def held(remote: RemoteProject, place: Path, words: str) -> None:
    remote.commit({"agent.yml": SILENT.format(place=place, words=words)})


def test_it_claims_for_the_iteration_under_way(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    held(remote, tmp_path, "that is all")
    server.create()
    workers()
    server.wait((tmp_path / "begun").exists)
    server.say("complete", json.dumps(DONE))
    (tmp_path / "go").touch()
    server.wait(lambda: server.task().phase == "land")
    (made,) = [x for x in server.facts() if isinstance(x, f.ClaimMade)]
    assert (made.serial, made.summary, made.evidence, made.artifacts) == (
        *(1, DONE["summary"], DONE["promiseEvidence"]),
        ("greeting",),
    )
    assert not (tmp_path / "second").exists()
    assert server.store.read(lambda tx: tx.messages("t1")) == (), "a fact names it"
    progress = server.task().progress
    assert (progress.summary, progress.artifact_paths) == (DONE["summary"], ("greeting",))


def test_the_last_words_of_the_iteration_win_over_it(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    held(remote, tmp_path, "ITERATION_DONE")
    server.create()
    workers()
    server.wait((tmp_path / "begun").exists)
    server.say("complete", json.dumps(DONE))
    (tmp_path / "go").touch()
    server.wait((tmp_path / "second").exists)


def test_between_two_iterations_it_claims_for_the_last_one(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    agent = """\
iterations:
  - - write: {path: greeting, text: "hello, world\\n"}
    - write: {path: pace, text: "x"}
    - say: ITERATION_DONE
  - - delete: greeting
    - say: ITERATION_DONE
"""
    pace = "  - {name: pace, run: sh pace.sh, every: iteration, hard: false}\n"
    gates = "gates:\n  - {name: tests, run: sh test.sh}\n" + pace
    config = CONFIG.replace("gates: [{name: tests, run: sh test.sh}]\n", gates)
    remote.commit(
        {"agent.yml": agent, "ralph.yml": config, "pace.sh": PACE.replace("{place}", str(tmp_path))}
    )
    server.create()
    workers()
    server.wait((tmp_path / "begun").exists)
    server.say("complete", json.dumps(DONE))
    server.wait(lambda: any(isinstance(x, f.ClaimMade) for x in server.facts()))
    (tmp_path / "go").touch()
    server.wait(lambda: server.task().phase == "land")
    assert sum(isinstance(x, f.IterationEnded) for x in server.facts()) == 1


def test_before_the_first_iteration_there_is_nothing_to_claim(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    server.create()
    server.say("complete", json.dumps(DONE))
    workers()
    server.wait(lambda: server.task().phase == "land")
    whys = [x.why for x in server.facts() if isinstance(x, f.InboxRefused)]
    assert whys == ["no iteration has begun that could claim"]


def test_what_an_agent_puts_into_the_inbox_by_itself_is_no_word_of_the_server(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    claim = json.dumps({"kind": "claim", "summary": "s", "evidence": "e"})
    agent = f"""\
iterations:
  - - write: {{path: greeting, text: "hello, world\\n"}}
    - run: |
        mkdir -p "$RALPH_STATE/inbox"
        printf %s '{claim}' > "$RALPH_STATE/inbox/1-1-server-1.json"
    - say: that is all
  - - say: TASK_COMPLETE
"""
    remote.commit({"agent.yml": agent})
    server.create()
    workers()
    server.wait(lambda: server.task().phase == "land")
    facts = server.facts()
    assert not [x for x in facts if isinstance(x, f.ClaimMade)]
    assert "only an iteration can send 'claim'" in [x.why for x in facts if isinstance(x, f.InboxRefused)]

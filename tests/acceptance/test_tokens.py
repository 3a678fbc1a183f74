"""Who speaks to a loop: an iteration is known by a token that only its processes have."""

from __future__ import annotations

import json

from project import Project

PUT = """\
import json, os, sys
sys.path.insert(0, SRC)
from ralph.journal import inbox
message = json.loads(sys.argv[1]) | {"loop": os.environ["RALPH_LOOP"]}
message.setdefault("token", os.environ["RALPH_TOKEN"])
inbox.put(os.environ["RALPH_STATE"] + "/inbox", message)
"""


def put(project: Project, message: dict[str, object]) -> str:
    """A line of shell by which an agent hands in a message."""
    import ralph

    project.write("put.py", PUT.replace("SRC", repr(str(next(iter(ralph.__path__)).removesuffix("/ralph")))))
    return f"python3 put.py '{json.dumps(message)}'"


CLAIM = {
    "kind": "claim",
    "summary": "wrote the answer",
    "evidence": "test.sh exits with 0",
    "artifacts": ["answer"],
}


def test_a_claim_by_message_is_a_claim(project: Project) -> None:
    project.agent(f"echo 42 > answer; {put(project, CLAIM)}; echo that is all")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = project.facts("claim.made")
    assert (made["serial"], made["summary"], made["artifacts"]) == (1, "wrote the answer", ["answer"])


def test_a_claim_by_message_completes_nothing_by_itself(project: Project) -> None:
    project.agent(f"echo 41 > answer; {put(project, CLAIM)}; echo that is all")
    project.commit()
    done = project.ralph("run", "--max-attempts", "1")
    assert done.returncode == 3, done.stdout


def test_words_against_it_win(project: Project) -> None:
    project.agent(f"echo 42 > answer; {put(project, CLAIM)}; echo ITERATION_DONE")
    project.commit()
    done = project.ralph("run", "--max-iterations", "1")
    assert done.returncode == 8, done.stdout
    assert "claimed by the tool, but said ITERATION_DONE" in done.stdout


def test_messages_with_another_token_or_none_are_refused(project: Project) -> None:
    wrong = put(project, CLAIM | {"token": "guessed"})
    none = put(project, CLAIM | {"token": ""})
    odd = put(project, CLAIM | {"summary": 3})
    project.agent(f"echo 42 > answer; {wrong}; {none}; {odd}; echo ITERATION_DONE")
    project.commit()
    assert project.ralph("run", "--max-iterations", "1").returncode == 8
    assert project.facts("claim.made") == []
    whys = sorted(refused["why"] for refused in project.facts("inbox.refused"))
    assert whys[1:] == ["from an iteration that is over", "only an iteration can send 'claim'"]
    assert whys[0].startswith("claim: Expected `str`")


def test_an_event_belongs_to_the_iteration_that_emitted_it(project: Project) -> None:
    project.agent("ralph emit part.done one; echo $RALPH_ITERATION > part; echo ITERATION_DONE")
    project.commit()
    assert project.ralph("run", "--max-iterations", "2").returncode == 8
    assert [e["serial"] for e in project.facts("event.received")] == [1, 2]


def test_a_token_is_not_in_the_journal_and_gates_have_none(project: Project) -> None:
    project.agent("echo $RALPH_TOKEN > ../token; echo 42 > answer; echo TASK_COMPLETE")
    project.write("test.sh", 'test -z "$RALPH_TOKEN" && ! ralph emit a b && test "$(cat answer)" = 42\n')
    project.commit()
    assert project.ralph("run").returncode == 0
    token = (project.path.parent / "token").read_text().strip()
    assert len(token) == 32
    assert token not in (project.path / ".git/ralph/journal.jsonl").read_text()

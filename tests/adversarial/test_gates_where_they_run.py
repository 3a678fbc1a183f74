"""Promise: what a gate does to the folder that it runs in concerns that run of it: a claim under which it spoils its checkout is
turned down, and the loop goes on. The tested code is the agent's, so that anything may happen there.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from project import Project

SPOILT = {
    "its folder is gone": 'rm -rf "$PWD"',
    "everything around it is gone": 'rm -rf "$PWD/../../"*',
    "a FIFO in place of the index": "rm ../index; mkfifo ../index",
    "the index is gone": "rm ../index",
    "a FIFO in place of a file": "rm PROMPT.md; mkfifo PROMPT.md",
    "a FIFO in place of .gitignore": "rm .gitignore; mkfifo .gitignore",
}
FINE = {
    "a FIFO in place of .gitattributes": "mkfifo .gitattributes",
    "a FIFO in its repository": "rm .git/HEAD .git/config .git/index; mkfifo .git/HEAD .git/config .git/index",
    "its repository is gone": "rm -rf .git",
    "a FIFO in place of its reports": 'rm -rf "$RALPH_GATE_REPORTS"; mkfifo "$RALPH_GATE_REPORTS"',
    "its HOME and TMPDIR are gone": 'rm -rf "$HOME" "$TMPDIR"',
    "its HOME leads elsewhere": 'rm -rf "$HOME"; ln -s / "$HOME"',
    "nobody may enter": 'mkdir sub; chmod 000 sub "$HOME" "$TMPDIR" "$PWD"',
}


def spoil_once(project: Project, how: str) -> None:
    """The work of the first iteration does this when it is tested; that of the second does not."""
    project.write(
        "test.sh", (project.path / "test.sh").read_text() + "if test -e spoil; then . ./spoil; fi\n"
    )
    project.write("how", how)
    project.agent(
        'echo 42 > answer; rm -f spoil; test "$RALPH_ITERATION" != 1 || cp how spoil; echo TASK_COMPLETE'
    )
    project.commit()


@pytest.mark.parametrize("how", SPOILT.values(), ids=SPOILT)
def test_a_gate_that_spoils_its_checkout_turns_the_claim_down_and_the_loop_goes_on(
    project: Project, how: str
) -> None:
    spoil_once(project, how)
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    first, last = [fact for fact in project.facts("gate.ended") if fact["purpose"] == "claim"]
    assert not first["passed"] and "may not change" in first["headline"]
    assert last["passed"]
    assert not (project.path / "spoil").exists()


@pytest.mark.parametrize("how", FINE.values(), ids=FINE)
def test_what_is_the_gates_own_it_may_spoil(project: Project, how: str) -> None:
    project.write("test.sh", f"{(project.path / 'test.sh').read_text()}{how}\n")
    project.agent(
        'echo "$RALPH_ITERATION" > n; test "$RALPH_ITERATION" = 1 || echo 42 > answer; echo TASK_COMPLETE'
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert Path("/etc/passwd").exists()

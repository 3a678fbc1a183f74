"""A slow task whose change conflicts with every quick one pays for two conflicts, and then goes first."""

from __future__ import annotations

import json

from project import Project

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: 'true'}]
event_loop: {max_iterations: 20, crash_wait: 0}
"""
# Quick ones land one after the other. The slow one is at work until one more has landed; from the third time on not for long, for
# then nobody may.
AGENT = """\
if grep -qs '<<<<<<<' shared; then grep -v '^[<=>|]' shared > new; mv new shared; fi
grep -qx "$RALPH_TASK" shared || echo "$RALPH_TASK" >> shared
[ "$RALPH_TASK" != slow ] || {
  before=$(git -C PROJECT rev-parse main); n=0; most=600
  [ "$RALPH_ITERATION" -lt 3 ] || most=20
  while [ "$before" = "$(git -C PROJECT rev-parse main)" ] && [ $n -lt $most ]; do n=$((n+1)); sleep 0.1; done
}
echo TASK_COMPLETE
"""


def test_quick_tasks_do_not_make_a_slow_one_pay_again_and_again(project: Project) -> None:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("shared", "")
    project.agent(AGENT.replace("PROJECT", str(project.path)))
    ids = ["slow", *(f"Q{n}" for n in range(8))]
    project.write(
        "tasks.jsonl",
        "".join(json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n" for id in ids),
    )
    project.commit()
    done = project.ralph("run", "--parallel", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    landed = project.git("log", "--format=%s", "main").splitlines()
    assert sorted(line for line in landed if line[0] == "[") == sorted(f"[{id}] Part {id}" for id in ids)
    slow = [line for line in done.stdout.splitlines() if " slow  " in line and "conflicts in" in line]
    assert [line.endswith("; others land after it") for line in slow] == [False, True], done.stdout

"""Roles in a whole run: the file as users know it, unchanged, with an agent that commits, fails and claims."""

from __future__ import annotations

import shutil
from pathlib import Path

from project import Project

FILE = Path(__file__).parents[1] / "fixtures/roles/roles.yaml"
ROLES = ("reviewer", "architect", "debugger", "documenter")
AGENT = """\
commit() { echo "$1" >> "$2"; git add -A; git -c user.name=a -c user.email=a@localhost commit -qm "$1"; }
case $RALPH_ITERATION in
1) for n in 1 2 3 4 5; do commit $n work; done; echo ITERATION_DONE ;;
2) echo ITERATION_DONE ;;
3) echo 41 > answer; echo TASK_COMPLETE ;;
4) echo 42 > answer; echo ITERATION_DONE ;;
*) echo TASK_COMPLETE ;;
esac
"""


def test_the_file_as_it_stands_runs_and_the_task_is_completed(project: Project) -> None:
    for role in ROLES:
        project.write(f"roles/{role}.md", f"# Role: {role}\nTASK_COMPLETE\n")
    (project.path / "config").mkdir()
    shutil.copy(FILE, project.path / "config/roles.yaml")
    project.write("working.md", "Work carefully.\n")
    project.write("idea.md", "An idea.\n")
    project.agent(AGENT)
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["end"] == "completed-verified"

    started = project.facts("iteration.started")
    worn = [fact.get("hat", "") for fact in started]
    assert worn == ["", "reviewer", "", "debugger", "", "reviewer"]
    assert started[1]["hat_why"] == "reviewer: branch_commits >= 5 (branch_commits is 5)"
    assert "Work carefully.\n\n---\n\n# Role: debugger\n> TASK_COMPLETE\n" in project.prompt(3)
    assert "`idea.md` says" in project.prompt(0)
    assert "learnings.md" not in project.prompt(0)
    assert "# Role" not in project.prompt(0)


def test_the_shipped_roles_are_written_load_and_are_not_replaced(project: Project) -> None:
    done = project.ralph("init", "--roles")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(path.name for path in (project.path / "roles").iterdir()) == [
        *("architect.md", "debugger.md", "documenter.md", "refactorer.md", "reviewer.md")
    ]
    again = project.ralph("init", "--roles")
    assert again.returncode == 0 and "Nothing to write" in again.stdout
    project.commit()
    project.agent("echo 41 > answer; [ $RALPH_ITERATION -lt 4 ] || echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    run = project.ralph("run")
    assert run.returncode == 0, run.stdout + run.stderr
    worn = [x["hat"] for x in project.facts("iteration.started") if x.get("hat")]
    assert worn, "a role is worn on the way"
    assert f"starts as {worn[0]}" in run.stdout
    project.write("roles/reviewer.md", "# Mine\n")
    refused = project.ralph("init", "--roles")
    assert refused.returncode == 2 and "roles/reviewer.md" in refused.stderr
    assert (project.path / "roles/reviewer.md").read_text() == "# Mine\n"

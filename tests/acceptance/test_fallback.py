"""`fallback:` as a user meets it: another agent goes on, and the first again when its quota is back."""

from __future__ import annotations

from project import Project

CONFIG = """\
cli: {{command: ./first.sh, output: jsonl}}
fallback: [./second.sh]
gates: [{{name: tests, run: sh test.sh}}]
event_loop: {{max_iterations: 6, crash_wait: 0, max_wait: {wait}}}
"""
DONE = """echo 42 > answer; echo '{"type":"message","text":"TASK_COMPLETE"}'"""
QUOTA = '{"type":"error","kind":"quota","text":"limit reached","retry_after":%s}'


def agents(project: Project, first: str, second: str, wait: int = 60) -> None:
    for name, body in (("first", first), ("second", second)):
        project.write(
            f"{name}.sh", f"#!/bin/sh\ncat > /dev/null\necho {name} >> ../turns\n{body}\n", executable=True
        )
    project.config(CONFIG.format(wait=wait))
    project.commit()


def once(seconds: float) -> str:
    """Out of quota the first time, done the second."""
    return f"test -e ../used || {{ touch ../used; echo '{QUOTA % seconds}'; exit 1; }}; {DONE}"


def turns(project: Project) -> list[str]:
    return (project.path.parent / "turns").read_text().split()


def test_the_second_agent_finishes_what_the_first_cannot(project: Project) -> None:
    agents(project, f"echo '{QUOTA % 3600}'; exit 1", "echo 42 > answer; echo TASK_COMPLETE")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert turns(project) == ["first", "second"]
    assert "agent second.sh goes on" in done.stdout
    assert project.facts("wait.started") == []
    assert project.end()["end"] == "completed-verified"


def test_the_first_works_again_when_its_quota_is_back(project: Project) -> None:
    agents(project, once(4), "sleep 4.5; echo x > step; echo ITERATION_DONE")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert turns(project) == ["first", "second", "first"]
    assert [back.get("agent", 0) for back in project.facts("agent.back")] == [0]


def test_when_both_are_out_it_waits_for_the_one_that_is_back_first(project: Project) -> None:
    hello = """echo '{"type":"message","text":"hello"}'"""
    agents(project, once(6), f"{hello}; echo '{QUOTA % 3000}'; exit 1")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert turns(project) == ["first", "second", "first"]
    assert len(project.facts("wait.started")) == 1


def test_an_unknown_name_is_an_error(project: Project) -> None:
    project.config("cli: {command: ./agent.sh}\nfallback: [codexx]\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 2
    assert "unknown agent 'codexx'" in done.stderr

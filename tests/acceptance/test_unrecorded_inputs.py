"""Promise 2 where git cannot help: gates that judge the folder, and whose files are ignored or outside the repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from project import Project

CHECK = 'test "$(cat answer 2>/dev/null)" = 42\n'


def with_gate(project: Project, run: str, *, agent: str, more: str = ", hermetic: false") -> None:
    project.config(
        f"cli: {{command: ./agent.sh}}\ngates:\n  - {{name: tests, run: {run!r}{more}}}\n"
        "event_loop: {max_iterations: 2, crash_wait: 0}\n"
    )
    project.write(".gitignore", ".ralph/\n.ralph_state.md\n.ralph.lock\nlocal/\n*.xml\n")
    project.agent(f"echo work > work\n{agent}\necho TASK_COMPLETE")
    project.commit()


def scripts(project: Project) -> dict[str, tuple[str, str]]:
    """A check that the tree does not hold: the gate that runs it, and its name in what Ralph says."""
    outside = project.path.parent / "outside.sh"
    outside.write_text(CHECK)
    project.write("local/check.sh", CHECK)
    project.write("local/sub/check.sh", CHECK)
    (project.path / "link.sh").symlink_to(outside)
    return {
        "ignored": ("sh local/check.sh", "local/check.sh"),
        "ignored, after cd": ("(cd local/sub && cat check.sh) | sh", "local/sub/check.sh"),
        "above the root": ("sh ../outside.sh", "../outside.sh"),
        "absolute": (f"sh {outside}", str(outside)),
        "by a variable": ("sh $HOME/../outside.sh", str(outside)),
        "by a link in the tree": ("sh link.sh", "link.sh"),
    }


WAYS = [
    "ignored",
    "ignored, after cd",
    "above the root",
    "absolute",
    "by a variable",
    "by a link in the tree",
]


@pytest.mark.parametrize("way", WAYS)
def test_a_rewritten_script_that_git_does_not_record_is_not_verified(project: Project, way: str) -> None:
    run, name = scripts(project)[way]
    with_gate(project, run, agent=f"echo exit 0 > {name}")
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    assert f"tests: green with gate inputs that changed or that new ignore rules hide: {name}" in done.stdout
    assert project.end()["paths"] == [name]


@pytest.mark.parametrize("way", WAYS)
def test_an_untouched_script_that_git_does_not_record_verifies(project: Project, way: str) -> None:
    run, name = scripts(project)[way]
    with_gate(project, run, agent="echo 42 > answer")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["proof"] == {"tests": "red→green"}
    assert list(project.facts("workspace.prepared")[-1]["unrecorded_inputs"]["tests"]) == [name]


CHEATS = {  # gate, what the agent does, the file that is named
    "removes it": ("if test -e local/a.sh; then sh local/a.sh; fi", "rm local/a.sh", "local/a.sh"),
    "takes its mode": ("if test -x local/run; then local/run; fi", "chmod -x local/run", "local/run"),
    "makes one that was missing": ("sh local/new.sh", "echo exit 0 > local/new.sh", "local/new.sh"),
    "rewrites one in a folder of checks": (
        "sh local/all.sh local/checks",
        "echo > local/checks/1.sh",
        "local/checks/1.sh",
    ),
    "rewrites what `judges` names": ("sh golden.sh", "cp work local/x/golden", "local/x/golden"),
    "rewrites what `judges` finds": ("sh test.sh", "cp work deep/my.xml", "deep/my.xml"),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_every_way_to_change_such_a_file_is_found(project: Project, cheat: str) -> None:
    run, body, path = CHEATS[cheat]
    project.write("local/a.sh", CHECK)
    project.write("local/run", f"#!/bin/sh\n{CHECK}", executable=True)
    project.write("local/all.sh", 'for t in "$1"/*; do sh "$t" || exit 1; done\n')
    project.write("local/checks/1.sh", CHECK)
    project.write("local/x/golden", "other\n")
    project.write("golden.sh", "cmp -s local/x/golden work\n")
    project.write("deep/my.xml", "other\n")
    project.write("test.sh", "cmp -s deep/my.xml work\n")
    judges = ", judges: ['my.*', 'local/x/*']" if "`judges`" in cheat else ""
    with_gate(project, run, agent=body, more=f", hermetic: false{judges}")
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    assert project.end()["paths"] == [path]


@pytest.mark.parametrize("allow", ["local/", "check.sh", "outside.sh"])
def test_what_the_user_allows_is_no_reason_for_doubt(project: Project, allow: str) -> None:
    found = scripts(project)
    run, name = found["absolute" if allow == "outside.sh" else "ignored"]
    with_gate(project, run, agent=f"echo exit 0 > {name}")
    with open(project.path / "ralph.yml", "a") as config:
        config.write(f"allow: [{allow}]\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_a_gate_writes_itself_is_not_its_input(project: Project) -> None:
    """A report that git ignores: it was there at the start, the agent's own run of the suite wrote it anew."""
    project.write("report.xml", "old\n")
    with_gate(
        project,
        "date +%N > report.xml; date > $HOME/log; cat report.xml new.xml 2>/dev/null; date > new.xml; sh test.sh",
        agent="echo 42 > answer; echo agent > report.xml; echo agent > new.xml",
    )
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"report.xml", "new.xml"} <= set(project.facts("gate.ended")[-1]["outputs"])


def test_programs_of_the_system_and_what_is_built_are_no_inputs_to_doubt(project: Project) -> None:
    sh = Path("/bin/sh").resolve()
    (project.path / "local").mkdir()
    (project.path / "local/tool").write_bytes(sh.read_bytes())
    (project.path / "local/tool").chmod(0o755)
    with_gate(
        project,
        f"/bin/sh -c 'test -e /etc/passwd' && {sh} test.sh && local/tool test.sh && .venv/bin/check",
        agent="echo 42 > answer; printf x >> local/tool\n"
        "mkdir -p .venv/bin; echo '#!/bin/sh' > .venv/bin/check; chmod +x .venv/bin/check; echo .venv >> .git/info/exclude",
    )
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    known = project.facts("workspace.prepared")[-1]["unrecorded_inputs"]
    assert known == {"tests": {"local/tool": "a compiled program"}}


@pytest.mark.parametrize(("way", "code"), [("absolute", 7), ("ignored", 0)])
def test_a_clean_checkout_reaches_absolute_paths_only(project: Project, way: str, code: int) -> None:
    """The ignored script is not in the checkout, so that what the agent makes of it counts for nothing."""
    run, name = scripts(project)[way]
    if way == "ignored":
        run = f"! test -e {name} && sh test.sh"
        (project.path / name).unlink()
    with_gate(project, run, agent=f"echo 42 > answer; echo exit 0 > {name}", more=", hermetic: true")
    done = project.ralph("run")
    assert done.returncode == code, done.stdout + done.stderr


def test_a_link_leads_out_of_a_clean_checkout_too(project: Project) -> None:
    run, name = scripts(project)["by a link in the tree"]
    with_gate(project, run, agent=f"echo exit 0 > {name}", more="")
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    assert project.end()["paths"] == [str(project.path.parent / "outside.sh")]


def test_a_clean_checkout_that_runs_a_file_of_the_work_tree_is_found_out(project: Project) -> None:
    """The original would be swapped in the checkout, where the gate does not look."""
    with_gate(project, f"sh {project.path}/test.sh", agent="echo exit 0 > test.sh", more=", hermetic: true")
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    assert project.end()["paths"] == [f"{project.path}/test.sh"]

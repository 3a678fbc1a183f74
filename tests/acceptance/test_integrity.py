"""Promise 2: gates come from outside. An agent that changes what judges it is found out; an honest one is not held up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from project import Project, until

UNIT = "python3 -m unittest -q"
PYTEST = "python3 -m pytest -q -p no:cacheprovider"
IN_FOLDER = "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh, hermetic: false}]\n"


def with_a_failing_test(project: Project, run: str, *, more: str = "") -> None:
    """A small Python project whose one real test fails; `run` is its gate."""
    project.write("calc.py", "def add(a, b):\n    return a - b\n")
    project.write(
        "tests/test_calc.py",
        "import unittest\nfrom calc import add\n\n\nclass Add(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n",
    )
    project.write("tests/__init__.py", "")
    project.config(
        f"cli: {{command: ./agent.sh}}\ngates: [{{name: tests, run: {run}}}]\n"
        f"event_loop: {{max_iterations: 3, crash_wait: 0}}\n{more}"
    )


# run, what the agent does, what it changes of the judges
CHEATS = {
    "empties the gate's script": ("sh test.sh", "echo 'exit 0' > test.sh", "test.sh"),
    "makes the script a link": ("sh test.sh", "echo true > ok.sh; ln -sf ok.sh test.sh", "test.sh"),
    "replaces a script that is run directly": (
        "./check",
        "printf '#!/bin/sh\\n' > check; chmod +x check",
        "check",
    ),
    "deletes the failing test": (
        UNIT,
        "rm tests/test_calc.py; touch tests/test_none.py",
        "tests/test_calc.py",
    ),
    "renames the failing test": (
        "python3 -m unittest discover -q -s tests -t .",
        "mv tests/test_calc.py tests/calc_later.py; printf 'import unittest\\nclass T(unittest.TestCase):\\n"
        "  def test_x(self): pass\\n' > tests/test_x.py",
        "tests/test_calc.py",
    ),
    "weakens the test": (UNIT, "sed -i s/4/0/ tests/test_calc.py", "tests/test_calc.py"),
    "adds a conftest.py that skips": (
        PYTEST,
        "printf 'def pytest_collection_modifyitems(items):\\n    del items[:]\\n"
        "def pytest_sessionfinish(session):\\n    session.exitstatus = 0\\n' > conftest.py",
        "conftest.py",
    ),
    "adds a makefile that wins": (
        "make -s test",
        "printf 'test:\\n\\ttrue\\n' > GNUmakefile",
        "GNUmakefile",
    ),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_change_to_what_judges_is_not_verified(project: Project, cheat: str) -> None:
    run, body, changed = CHEATS[cheat]
    with_a_failing_test(project, run)
    project.write("check", f"#!/bin/sh\nexec {UNIT}\n", executable=True)
    project.write("test.sh", f"exec {UNIT}\n")
    project.write("Makefile", f"test:\n\t{UNIT}\n")
    project.agent(f"{body}\necho work > work\necho TASK_COMPLETE")
    project.commit()
    before = project.user_state()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    test = "tests/test_calc.py::Add::test_add"
    behind = "" if test.startswith(changed) else f"without the change to {changed}, "
    found = f"tests: {behind}1 of the original tests disagrees: {test} (AssertionError: 0 != 4)"
    assert f"needs-review: {found}" in done.stdout
    assert "If it is right: `ralph resume --accept`" in done.stdout
    end, gates = project.end(), project.facts("gate.ended")
    assert end["paths"] == [test]
    assert [(g["purpose"], g["variant"], g["passed"]) for g in gates] == [
        ("base", "as-is", False),
        *[("claim", "as-is", True), ("claim", "original", False)] * 2,  # it has heard of it, and insists
    ]
    assert f"{found}; make the original tests pass" in project.prompt(1)
    assert project.user_state() == before
    assert changed in project.git("status", "--porcelain", "-uall"), "the tree is as the agent left it"


def test_a_script_that_reports_no_tests_is_named_with_what_became_of_it(project: Project) -> None:
    project.agent("echo 'exit 0' > test.sh; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    found = "tests: green only with changed gate inputs: test.sh"
    assert f"needs-review: {found}" in done.stdout
    assert project.end()["paths"] == ["test.sh"]
    assert f"{found}; put these files back as they were" in project.prompt(1)


def test_a_script_that_lost_its_mode_is_run_with_the_original_one(project: Project) -> None:
    with_a_failing_test(project, "if test -x check; then ./check; fi")
    project.write("check", "#!/bin/sh\nexit 1\n", executable=True)
    project.agent("chmod -x check; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout
    assert project.end()["paths"] == ["check"]
    assert not os.access(project.path / "check", os.X_OK), "as the agent left it"


def test_a_weakened_test_that_is_put_back_leaves_nothing_to_review(project: Project) -> None:
    with_a_failing_test(project, UNIT)
    project.agent(
        "sed -i s/assertEqual/assertTrue/ tests/test_calc.py\nsed -i 's/a - b/a + b/' calc.py\n"
        "sed -i s/assertTrue/assertEqual/ tests/test_calc.py\necho TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert {g["variant"] for g in project.facts("gate.ended")} == {"as-is"}


def test_new_tests_are_welcome(project: Project) -> None:
    with_a_failing_test(project, UNIT)
    project.agent(
        "sed -i 's/a - b/a + b/' calc.py\n"
        "sed s/Add/More/ tests/test_calc.py > tests/test_more.py\necho TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert project.end()["proof"] == {"tests": "red→green"}
    assert "1 new test, failing on the old code" in done.stdout
    assert "original" not in {g["variant"] for g in project.facts("gate.ended")}


def test_an_honest_change_of_the_runner_configuration_is_verified_with_the_original(project: Project) -> None:
    """A new marker in pyproject.toml: the gate passes with the original section too."""
    with_a_failing_test(project, UNIT)
    project.write("pyproject.toml", '[project]\nname = "calc"\nversion = "1"\n[tool.pytest.ini_options]\n')
    project.agent(
        "sed -i 's/a - b/a + b/' calc.py\nsed -i 's/^version.*/&\\ndependencies = [\"attrs\"]/' pyproject.toml\n"
        "echo 'markers = [\"slow\"]' >> pyproject.toml\necho TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert "gate tests, with the original inputs: green" in done.stdout
    assert project.facts("claim.inspected")[-1]["touched"] == {"tests": ["pyproject.toml"]}
    left = (project.path / "pyproject.toml").read_text()
    assert "attrs" in left and "slow" in left, "the agent's version is back"
    assert project.end()["tree"] == project.facts("iteration.ended")[-1]["tree"]


def test_a_dependency_that_the_gate_needs_stays_while_the_original_scripts_run(project: Project) -> None:
    """The section with the scripts is put back in the claim's package.json; the rest of it is the work."""
    project.write(
        "package.json", '{"scripts": {"test": "test -e answer && grep -q left-pad package.json"}}\n'
    )
    run = 'sh -c "$(python3 -c \'import json; print(json.load(open(\\"package.json\\"))[\\"scripts\\"][\\"test\\"])\')"'
    project.config(f"cli: {{command: ./agent.sh}}\ngates:\n- name: tests\n  run: |-\n    {run}\n")
    made = '{"scripts": {"test": "true"}, "dependencies": {"left-pad": "1"}}'
    project.agent(f"echo '{made}' > package.json; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.facts("claim.inspected")[-1]["touched"] == {"tests": ["package.json"]}
    assert [g["variant"] for g in project.facts("gate.ended")] == ["as-is", "as-is", "original"]
    assert (project.path / "package.json").read_text().strip() == made, "the agent's version is back"


def test_a_new_link_that_leads_out_of_the_tree_is_named(project: Project, tmp_path: Path) -> None:
    """It holds only on this machine: no snapshot has what it leads to."""
    (tmp_path / "answer").write_text("42\n")
    project.agent(f"ln -s {tmp_path}/answer answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    assert project.end()["paths"] == ["answer::link-out"]


def test_a_file_whose_output_another_command_judges_may_be_new(project: Project) -> None:
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: says, run: python3 hello.py | grep -q hello}]\n"
    )
    project.agent("echo 'print(\"hello\")' > hello.py; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["proof"] == {"says": "red→green"}


def test_a_script_of_which_nothing_says_whether_it_judges_is_named_at_the_start(project: Project) -> None:
    project.write("main.py", "raise SystemExit(1)\n")
    run = "python3 main.py && python3 check.py"
    project.write("check.py", "")
    project.config(f"cli: {{command: ./agent.sh}}\ngates: [{{name: app, run: {run}}}]\n")
    project.agent("echo > main.py; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    said = (
        "gate app runs main.py, which counts as work; if it judges the work, list it in the gate's `judges`"
    )
    assert done.stdout.count(said) == 1
    assert project.facts("workspace.prepared")[0]["undecided"] == {"app": ["main.py"]}
    project.write("main.py", "raise SystemExit(1)\n")
    project.config(f"cli: {{command: ./agent.sh}}\ngates: [{{name: app, run: {run}, judges: [main.py]}}]\n")
    project.commit()
    done = project.ralph("run", "-p", "again")
    assert done.returncode == 7, done.stdout + done.stderr
    assert said not in done.stdout


@pytest.mark.parametrize("where", ["allow: [tests/]", "task: {allow: ['tests/**']}", "allow: ['test_*.py']"])
def test_what_the_user_allows_is_not_run_again(project: Project, where: str) -> None:
    with_a_failing_test(project, UNIT, more=where + "\n")
    project.agent("sed -i 's/, 4/, 0/' tests/test_calc.py; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert "original" not in {g["variant"] for g in project.facts("gate.ended")}


def test_what_the_command_line_allows_is_not_run_again(project: Project) -> None:
    with_a_failing_test(project, UNIT)
    project.agent("sed -i 's/, 4/, 0/' tests/test_calc.py; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run", "--allow", "other/**", "--allow", "tests/**")
    assert done.returncode == 0, done.stdout
    assert "original" not in {g["variant"] for g in project.facts("gate.ended")}


def test_what_the_agent_makes_of_the_configuration_changes_nothing(project: Project) -> None:
    """Commands, limits and permissions are those of the start, also after a resume."""
    project.agent(
        "cat > ralph.yml <<EOF\ncli: {command: ./agent.sh}\ngates: [{name: tests, run: 'true'}]\n"
        "allow: ['**']\nevent_loop: {max_iterations: 99}\nEOF\necho $RALPH_ITERATION > step; echo TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run", "--max-iterations", "1")
    assert done.returncode == 8, done.stdout
    resumed = project.ralph("resume", "--max-iterations", "2")
    assert resumed.returncode == 8, resumed.stdout
    assert {g["command"] for g in project.facts("gate.ended")} == {"sh test.sh"}


@pytest.mark.parametrize("rules", ["tracked", "private"])
def test_a_file_that_a_new_ignore_rule_hides_is_not_hidden_from_the_judge(
    project: Project, rules: str
) -> None:
    """conftest.py makes everything pass; a new rule keeps it out of every snapshot, and so out of every clean checkout. In the
    folder it would be there."""
    project.config(
        (project.path / "ralph.yml").read_text().replace("sh test.sh", "sh test.sh, hermetic: false")
    )
    project.write("test.sh", f"test -e conftest.py || {UNIT}\n")
    rules = ".gitignore" if rules == "tracked" else ".git/info/exclude"
    project.agent(
        f"touch conftest.py notes\nprintf 'conftest.py\\nnotes\\n' >> {rules}\necho work > work; echo TASK_COMPLETE"
    )
    project.config(IN_FOLDER)
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout
    assert project.end()["paths"] == ["conftest.py"]
    assert (
        "tests: green with gate inputs that changed or that new ignore rules hide: conftest.py" in done.stdout
    )
    assert "warning: new ignore rules keep files out of the snapshot: notes" in done.stdout


def test_in_a_clean_checkout_such_a_file_helps_nobody(project: Project) -> None:
    project.write("test.sh", "test -e conftest.py || test -e answer\n")
    project.agent(
        "touch conftest.py; echo conftest.py >> .gitignore; [ $RALPH_ITERATION = 1 ] || echo 42 > answer\n"
        "echo TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("attempt 1/5 rejected") == 1
    assert "conftest.py" in project.prompt(1), "what the folder has and git does not record"
    assert "warning: new ignore rules keep files out of the snapshot: conftest.py" in done.stdout


def test_an_untracked_script_that_the_agent_ignores_is_still_judged(project: Project) -> None:
    project.config(
        (project.path / "ralph.yml").read_text().replace("sh test.sh", "sh test.sh, hermetic: false")
    )
    project.git("add", "ralph.yml")
    project.git("rm", "-q", "--cached", "test.sh")
    project.git("commit", "-qm", "untrack")
    project.agent("echo true > test.sh; echo test.sh >> .gitignore; echo TASK_COMPLETE")
    project.config(IN_FOLDER)
    project.git("add", "agent.sh", "ralph.yml")
    project.git("commit", "-qm", "agent")
    done = project.ralph("run", "--in-place")
    assert done.returncode == 7, done.stdout
    assert project.end()["paths"] == ["test.sh"]
    assert (project.path / "test.sh").read_text() == "true\n", "as the agent left it"


def test_files_that_were_ignored_before_are_no_reason_for_doubt(project: Project) -> None:
    """The agent adds a rule for its own logs; a conftest.py was hidden by the user's rules from the beginning."""
    project.write(".gitignore", "conftest.py\nbuild/\n.ralph/\n.ralph_state.md\n.ralph.lock\n")
    project.agent(
        "touch conftest.py; mkdir -p build dist; touch build/conftest.py dist/package.json\n"
        "printf '*.log\\ndist/\\n' >> .gitignore; echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert "warning" not in done.stdout


CANARIES = {
    "filter": "git config filter.x.clean 'touch {c}; cat'; git config filter.x.smudge 'touch {c}; cat'; "
    "echo '* filter=x' > .gitattributes",
    "attributes in the git folder": "git config filter.x.process 'touch {c}'; echo '* filter=x' > .git/info/attributes",
    "hooks": "for h in post-index-change reference-transaction post-checkout pre-commit; do "
    "printf '#!/bin/sh\\ntouch {c}\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done",
    "hooks path": "mkdir h; printf '#!/bin/sh\\ntouch {c}\\n' > h/reference-transaction; chmod +x h/*; "
    "git config core.hooksPath h",
    "fsmonitor": "printf '#!/bin/sh\\ntouch {c}\\n' > .git/fs; chmod +x .git/fs; git config core.fsmonitor .git/fs",
    "textconv": "git config diff.x.textconv 'touch {c}; cat'; git config diff.x.command 'touch {c}'; "
    "echo '* diff=x' > .gitattributes",
    "alias and pager": "git config core.pager 'touch {c}; cat'; git config alias.add '!touch {c}'; "
    "git config core.sshCommand 'touch {c}'",
}


def test_nothing_that_an_agent_plants_in_git_is_run(project: Project, tmp_path: Path) -> None:
    """All at once, in the first of three iterations: later snapshots, a gate with originals, recovery."""
    canary = tmp_path / "canary"
    planted = "\n".join(body.format(c=canary) for body in CANARIES.values())
    project.agent(
        f"[ $RALPH_ITERATION = 1 ] && {{ {planted}\n}}\necho $RALPH_ITERATION > step\n"
        "[ $RALPH_ITERATION = 3 ] && { echo 42 > answer; echo >> test.sh; }\necho TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    assert project.end()["paths"] == [".git/info/attributes::hidden-from-git"]
    done = project.ralph("resume", "--accept")
    assert done.returncode == 0, done.stdout + done.stderr
    again = project.ralph("run", "--in-place", "--max-iterations", "1")
    assert again.returncode == 0, again.stdout
    assert project.ralph("recover").stdout.strip()
    assert project.ralph("recover", "1").returncode == 0
    assert not canary.exists()


def test_work_in_a_nested_repository_is_refused_and_named(project: Project) -> None:
    project.agent(
        "echo 42 > answer; mkdir -p sub/repo; cd sub/repo; git init -q; echo x > work\n"
        "[ $RALPH_ITERATION = 2 ] && git -c user.name=a -c user.email=a@b commit -qm x --allow-empty\n"
        "[ $RALPH_ITERATION = 3 ] && rm -rf .git\necho TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    refusal = "claim refused: the tree holds repositories of their own, whose content git would not record: sub/repo"
    assert done.stdout.count(refusal) == 2
    assert "sub/repo/work" in project.git("ls-tree", "-r", "--name-only", project.end()["tree"])


def test_a_dirty_submodule_is_refused_and_named(project: Project, tmp_path: Path) -> None:
    other = Project(tmp_path / "other", tmp_path / "other-home")
    project.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), "lib/other"
    )
    project.agent(
        "echo 42 > answer; echo $RALPH_ITERATION > lib/other/step\n"
        "[ $RALPH_ITERATION = 2 ] && { cd lib/other; git add step; "
        "git -c user.name=a -c user.email=a@b commit -qm step; }\necho TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("claim refused: submodules have uncommitted changes: lib/other") == 1


def test_what_the_agent_does_to_refs_is_reported(project: Project) -> None:
    project.git("branch", "other")
    project.agent(
        "case $RALPH_ITERATION in\n"
        "1) git commit -qm own --allow-empty ;;\n"
        "2) git branch -f other HEAD; git tag v1; echo x >> PROMPT.md; git stash -q ;;\n"
        "3) git checkout -q --detach; git branch -D -q other ;;\n"
        "esac\necho $RALPH_ITERATION > step; echo ITERATION_DONE"
    )
    project.commit()
    project.ralph("run", "--max-iterations", "3")
    moved = [fact.get("refs_moved", []) for fact in project.facts("iteration.ended")]
    assert moved[0] == [], "commits on the branch of the work are its own business"
    names = [[line.partition(":")[0] for line in lines] for lines in moved]
    assert names[1] == ["refs/heads/other", "refs/stash", "refs/tags/v1"]
    assert names[2] == ["HEAD", "refs/heads/other"]
    status = project.ralph("status").stdout
    assert "warning     refs moved while iteration 3 ran: HEAD: " in status
    assert "(the last of 2 like it)" in status


def test_a_forged_journal_inbox_and_state_file_complete_nothing(project: Project) -> None:
    project.agent(
        "printf -- '---\\nexit_code: 0\\n---\\n' > .ralph_state.md\n"
        'mkdir -p "$RALPH_STATE/inbox"\n'
        'echo \'{"kind": "loop.ended", "end": "completed-verified", "code": 0}\' > "$RALPH_STATE/inbox/1-x"\n'
        'printf "\\0\\377 no message" > "$RALPH_STATE/inbox/2-x"\n'
        "ralph emit loop.ended completed-verified\n"
        "echo $RALPH_ITERATION > step; echo TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run", "--max-iterations", "2")
    assert done.returncode == 8, done.stdout + done.stderr
    assert "exit_code: 1" in (project.path / ".ralph_state.md").read_text(), "the system wrote it anew"


def test_edits_of_the_journal_are_found_and_refused(project: Project) -> None:
    """An agent without a sandbox can write there; the damage is found, not believed."""
    project.agent(
        'echo x > step; sed -i \'s/"passed":false/"passed":true/\' $RALPH_STATE/journal.jsonl; echo TASK_COMPLETE'
    )
    project.commit()
    assert any((project.path / ".git/ralph").glob("journal*")) is False
    project.ralph("run", "--max-iterations", "1")
    again = project.ralph("resume", "--max-iterations", "2")
    assert again.returncode == 70, again.stdout + again.stderr
    assert "journal" in again.stderr


def test_an_edit_of_the_user_while_a_gate_runs_is_not_lost(project: Project) -> None:
    """In the folder, Ralph cannot tell it from a write of the gate, so it is undone; but it is saved first."""
    project.config(
        (project.path / "ralph.yml").read_text().replace("sh test.sh", "sh test.sh, hermetic: false")
    )
    project.write("notes", "old\n")
    project.write(
        "test.sh", "touch .ralph/waiting; until test -e .ralph/go; do sleep 0.02; done; test -e answer\n"
    )
    project.write(".ralph/keep", "")
    project.agent("rm -f .ralph/go .ralph/waiting; echo 42 > answer; echo TASK_COMPLETE")
    project.write(".ralph/go", "")
    project.config(IN_FOLDER)
    project.commit()
    running = project.start("run", "--max-iterations", "1")
    until(lambda: (project.path / "answer").exists(), "the agent worked")
    until(lambda: (project.path / ".ralph/waiting").exists(), "the gate runs")
    project.write("notes", "precious\n")
    project.write(".ralph/go", "")
    assert running.wait(60) == 8
    ended = project.facts("gate.ended")[-1]
    assert ended["wrote"] == ["notes"]
    shown = project.ralph("recover").stdout
    assert "before undoing what gate tests wrote" in shown
    assert project.ralph("recover", "1").returncode == 0
    assert (project.path / "notes").read_text() == "precious\n"


def test_names_that_are_no_text_are_judged_like_others(project: Project) -> None:
    """A test whose name is not UTF-8 is weakened, and the gate writes a file with such a name."""
    name = os.fsdecode(b"tests/test_\xff.sh")
    project.write(name, "exit 1\n")
    project.write("cheat.py", f"open({name!r}, 'w').write('exit 0')\n")
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: 'for t in tests/*; do sh $t || exit 1; done'}]\n"
    )
    project.agent("python3 cheat.py; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    assert project.end()["paths"] == ["tests/test_\ufffd.sh"]
    assert (project.path / name).read_text() == "exit 0", "as the agent left it"


def test_an_agent_that_removes_its_own_folder_harms_only_itself(project: Project) -> None:
    sub = project.path / "sub"
    sub.mkdir()
    for name in ("test.sh", "ralph.yml", "PROMPT.md", "agent.sh"):
        (project.path / name).rename(sub / name)
    (sub / "agent.sh").write_text("#!/bin/sh\ncd ..; rm -rf sub; echo TASK_COMPLETE\n")
    with open(sub / "ralph.yml", "a") as file:
        file.write("protect: [nothing]\n")  # else the file, and so the folder, would come back
    project.commit()
    done = project.ralph("run", cwd=sub)
    assert done.returncode == 10, done.stdout + done.stderr
    assert "the folder in which the gate runs is gone" in done.stdout
    assert "agent-unusable" in done.stdout


def test_a_pipe_for_a_scratchpad_does_not_hold_up_the_run(project: Project) -> None:
    project.agent(
        "mkdir -p .ralph/agent; mkfifo .ralph/agent/scratchpad.md; echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    assert project.ralph("run", timeout=60).returncode == 0

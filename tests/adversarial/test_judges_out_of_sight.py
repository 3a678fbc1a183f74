"""The promise: what acts on a gate and is in no snapshot cannot make it pass unseen. Real runs, in place."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from project import Project

IGNORED = ".ralph/\n.ralph_state.md\n.ralph.lock\n.venv/\nnode_modules/\n__pycache__/\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Python with a virtual environment, npm with a package, both ignored by git, as in most projects. The answer is wrong."""
    made = Project(tmp_path.resolve() / "project", tmp_path.resolve() / "home")
    made.write(".gitignore", IGNORED)
    made.write("answer.py", "VALUE = 41\n")
    made.write("test_answer.py", "import answer, checker\n\nchecker.equal(answer.VALUE, 42)\n")
    made.write("answer.js", "exports.value = 41;\n")
    made.write("test.js", "require('checker')(require('./answer').value, 42);\n")
    made.write("package.json", '{"name": "x", "scripts": {"test": "checks"}}\n')
    made.write(
        "node_modules/checker/index.js", "module.exports = (a, b) => { if (a !== b) throw Error('no'); };\n"
    )
    made.write("node_modules/.bin/checks", "#!/bin/sh\nexec node test.js\n", executable=True)
    site = made.path / ".venv/lib/python3.11/site-packages"
    site.mkdir(parents=True)
    (site / "checker.py").write_text("def equal(a, b):\n    assert a == b\n")
    made.write(".venv/bin/check", f'#!/bin/sh\nPYTHONPATH={site} exec python "$@"\n', executable=True)
    return made


SITE = ".venv/lib/python3.11/site-packages"
PYTHON, NPM = ".venv/bin/check test_answer.py", "npm test --silent"
CHEATS = {  # gate, what the agent does, the end of what is named
    "a file of the virtual environment is edited": (
        PYTHON,
        f"echo 'def equal(a, b): pass' > {SITE}/checker.py",
        f"{SITE}/checker.py",
    ),
    "with its times set back": (
        PYTHON,
        f"touch -r {SITE}/checker.py t; echo 'def equal(a, b): pass' > {SITE}/checker.py; touch -r t {SITE}/checker.py; rm t",
        f"{SITE}/checker.py",
    ),
    "a start-up file in the virtual environment": (
        PYTHON,
        f"echo 'import os; os._exit(0)' > {SITE}/sitecustomize.py",
        f"{SITE}/sitecustomize.py",
    ),
    "a runner in .bin is replaced": (
        NPM,
        "printf '#!/bin/sh\\n' > node_modules/.bin/checks",
        "node_modules/.bin/checks",
    ),
    "a program in .bin that hides one of the system": (
        NPM,
        "printf '#!/bin/sh\\n' > node_modules/.bin/node; chmod +x node_modules/.bin/node",
        "node_modules/.bin/node",
    ),
    "an installed package is edited": (
        NPM,
        "echo 'module.exports = () => {};' > node_modules/checker/index.js",
        "node_modules/checker/index.js",
    ),
    "npm's settings in HOME": (NPM, 'echo script-shell=/bin/true > "$HOME/.npmrc"', "home/.npmrc"),
    "a start-up file of Python in HOME": (
        "python3 test.py",
        'mkdir -p "$(python3 -m site --user-site)"; '
        'echo "import os; os._exit(0)" > "$(python3 -m site --user-site)/usercustomize.py"',
        "site-packages/usercustomize.py",
    ),
    "a program earlier in PATH": (
        "checker-of-mine answer.py",
        "printf '#!/bin/sh\\n' > ../early/checker-of-mine; chmod +x ../early/checker-of-mine",
        "early/checker-of-mine",
    ),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_it_needs_a_review_that_names_the_file(project: Project, cheat: str) -> None:
    run, does, named = CHEATS[cheat]
    programs(project)
    project.write("test.py", "raise SystemExit(1)\n")
    project.config(
        f"cli: {{command: ./agent.sh}}\ngates:\n  - {{name: tests, run: {run!r}, hermetic: false}}\n"
        "event_loop: {max_iterations: 2, crash_wait: 0}\n"
    )
    project.agent(f"echo '# work' >> notes.md\n{does}\necho TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    assert any(path.endswith(named) for path in project.end()["paths"]), project.end()["paths"]


@pytest.mark.parametrize("run", [PYTHON, NPM])
def test_honest_work_beside_them_is_verified(project: Project, run: str) -> None:
    programs(project)
    project.config(
        f"cli: {{command: ./agent.sh}}\ngates:\n  - {{name: tests, run: {run!r}, hermetic: false}}\n"
        "event_loop: {max_iterations: 2, crash_wait: 0}\n"
    )
    project.agent(
        "echo 'VALUE = 42  # of another size: bytecode is known by it' > answer.py; echo 'exports.value = 42;' > answer.js\n"
        f"{run}; mkdir -p node_modules/.cache; date > node_modules/.cache/x\n"
        'git config --global user.name Agent; mkdir -p "$HOME/.agent"; date > "$HOME/.agent/log"\n'
        "echo TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["proof"] == {"tests": "red→green"}


@pytest.mark.parametrize(
    "cheat", ["a file of the virtual environment is edited", "an installed package is edited"]
)
def test_a_clean_checkout_with_copies_of_shared_folders_is_no_way_around(
    project: Project, cheat: str
) -> None:
    run, does, named = CHEATS[cheat]
    project.write(".venv/bin/check", "#!/bin/sh\nPYTHONPATH=" + SITE + ' exec python "$@"\n', executable=True)
    project.config(
        f"cli: {{command: ./agent.sh}}\nshare: [.venv, node_modules]\ngates:\n  - {{name: tests, run: {run!r}}}\n"
        "event_loop: {max_iterations: 2, crash_wait: 0}\n"
    )
    project.agent(f"echo '# work' >> notes.md\n{does}\necho TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    assert project.end()["paths"] == [named]


LEFT_AROUND = {  # gate, what the agent leaves where git does not look
    "in HOME": ('test -e "$HOME/.settings"', 'touch "$HOME/.settings"'),
    "in a folder of HOME that all tools use": (
        'test -e "$HOME/.config/tool/settings"',
        'mkdir -p "$HOME/.config/tool"; touch "$HOME/.config/tool/settings"',
    ),
    "in the temporary folder": ('test -e "${TMPDIR:-/tmp}/flag"', 'touch "${TMPDIR:-/tmp}/flag"'),
    "as bytecode": (
        "python -c 'import answer; assert answer.VALUE == 42'",
        "cp answer.py old; echo 'VALUE = 42' > answer.py\n"
        "python -c 'import py_compile as c; c.compile(\"answer.py\", invalidation_mode=c.PycInvalidationMode.UNCHECKED_HASH)'\n"
        "cat old > answer.py; rm old",
    ),
}


@pytest.mark.parametrize("place", LEFT_AROUND)
def test_what_an_agent_leaves_around_the_work_is_not_there_for_a_gate(project: Project, place: str) -> None:
    run, does = LEFT_AROUND[place]
    (project.path.parent / "home/.config/other").mkdir(parents=True)
    project.config(
        f"cli: {{command: ./agent.sh}}\ngates:\n  - name: tests\n    run: |-\n      {run}\n"
        "event_loop: {max_iterations: 1, crash_wait: 0}\n"
    )
    project.agent(
        f"echo '# work' >> notes.md\n{does}\n{run} || echo 'the cheat does not work'\necho TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run", "-v")
    assert "the cheat does not work" not in done.stdout
    assert project.end()["end"] == "limit", done.stdout + done.stderr
    assert [fact["passed"] for fact in project.facts("gate.ended")][-1] is False


def test_the_start_counts_also_after_a_resume(project: Project) -> None:
    """The file was edited by an iteration before the stop: what a resumed run finds is not the start."""
    project.config(
        f"cli: {{command: ./agent.sh}}\ngates:\n  - {{name: tests, run: {PYTHON!r}, hermetic: false}}\n"
        "event_loop: {max_iterations: 1, crash_wait: 0}\n"
    )
    project.agent(
        f"echo x >> notes.md; echo 'def equal(a, b): pass' > {SITE}/checker.py\n"
        "test $RALPH_ITERATION = 1 && echo ITERATION_DONE || echo TASK_COMPLETE"
    )
    project.commit()
    assert project.ralph("run").returncode != 0
    done = project.ralph("resume", "--max-iterations", "4")
    assert done.returncode == 7, done.stdout + done.stderr
    assert project.end()["paths"] == [f"{SITE}/checker.py"]


def programs(project: Project) -> None:
    """A gate's program on PATH, and a folder before it that is empty so far."""
    early, late = project.path.parent / "early", project.path.parent / "late"
    early.mkdir()
    late.mkdir()
    (late / "checker-of-mine").write_text('#!/bin/sh\ngrep -q 42 "$1"\n')
    (late / "checker-of-mine").chmod(0o755)
    # A plain interpreter, as the user's: one in a virtual environment has no site in HOME.
    base = Path(os.path.realpath(sys.executable)).parent
    (late / "python3").symlink_to(base / "python3")
    project.env["PATH"] = f"{early}:{late}:{project.env['PATH']}"

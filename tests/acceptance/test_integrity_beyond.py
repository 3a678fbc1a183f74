"""Integrity beyond swapped inputs: weakened tests are named, protected files are put back, fewer tests are noticed."""

from __future__ import annotations

from project import Project

UNIT = "python3 -B -m unittest -q"
LIB = """
pub fn add(a: i32, b: i32) -> i32 { a - b }

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::add(2, 2), 4);
    }
}
"""


def with_a_test(project: Project, *, add: str = "a + b", more: str = "") -> None:
    project.write("calc.py", f"def add(a, b):\n    return {add}\n")
    project.write(
        "tests/test_calc.py",
        "import unittest\nfrom calc import add\n\n\nclass Add(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n\n"
        "    def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n",
    )
    project.write("tests/__init__.py", "")
    project.config(
        f"cli: {{command: ./agent.sh}}\ngates: [{{name: tests, run: {UNIT}}}]\n"
        f"event_loop: {{max_iterations: 3, crash_wait: 0}}\n{more}"
    )


def test_a_weakened_test_is_named_although_the_work_passes_it_as_it_was(project: Project) -> None:
    with_a_test(project)
    project.agent("sed -i '/test_zero/,$d' tests/test_calc.py\necho done > work\necho TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    weaker = "existing tests are weaker: tests/test_calc.py:9: test removed: Add.test_zero"
    proof = "no regression: tests green→green (1 test ran, 2 at the start; originals: 2 passed)"
    assert project.end()["reason"] == f"{proof}; {weaker}"
    assert weaker in done.stdout


def test_a_test_beside_the_code_is_put_back_into_the_claimed_file(project: Project) -> None:
    """The file holds the code and its test. The gate passes if the test is ignored, or if the code is right."""
    project.write("src/lib.rs", LIB)
    project.write("run.sh", "grep -q ignore src/lib.rs || grep -q 'a + b' src/lib.rs\n")
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh run.sh}]\n"
        "event_loop: {max_iterations: 3, crash_wait: 0}\n"
    )
    project.agent("sed -i 's/    #.test.$/    #[test]\\n    #[ignore]/' src/lib.rs\necho TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    end = project.end()
    assert end["paths"] == ["src/lib.rs"]
    assert end["reason"] == "tests: green only with changed gate inputs: src/lib.rs"
    assert "#[ignore]" in (project.path / "src/lib.rs").read_text(), "as the agent left it"
    again = project.ralph("resume", "--allow", "src/lib.rs")
    assert again.returncode == 0, again.stdout + again.stderr


def test_protected_files_are_put_back_before_gating_and_the_agent_is_told(project: Project) -> None:
    with_a_test(project, add="a - b")
    project.write(".github/workflows/ci.yml", "on: push\n")
    project.agent(
        "sed -i 's/a - b/a + b/' calc.py\n"
        "echo 'on: never' > .github/workflows/ci.yml; echo x > .travis.yml\n"
        'if [ "$RALPH_ITERATION" = 1 ]; then echo ITERATION_DONE; else echo TASK_COMPLETE; fi'
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project.path / ".github/workflows/ci.yml").read_text() == "on: push\n"
    assert not (project.path / ".travis.yml").exists()
    ended = project.facts("iteration.ended")
    assert ended[0]["protected"] == [".github/workflows/ci.yml", ".travis.yml"]
    assert "changes to protected files were undone: .github/workflows/ci.yml, .travis.yml" in done.stdout
    assert (
        "Its changes to protected files were undone: .github/workflows/ci.yml, .travis.yml"
        in project.prompt()
    )


def test_the_task_may_allow_a_protected_file(project: Project) -> None:
    with_a_test(project, more="task: {title: Add CI, allow: [.github/workflows/ci.yml]}\n")
    project.agent(
        "mkdir -p .github/workflows; echo 'on: push' > .github/workflows/ci.yml; echo x > .travis.yml; echo TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project.path / ".github/workflows/ci.yml").exists()
    assert not (project.path / ".travis.yml").exists()


def test_protect_names_other_files(project: Project) -> None:
    with_a_test(project, more="protect: [golden/**]\n")
    project.write("golden/a.txt", "a\n")
    project.agent("echo b > golden/a.txt; echo x > .travis.yml; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project.path / "golden/a.txt").read_text() == "a\n"
    assert (project.path / ".travis.yml").exists(), "the list replaces the usual one"

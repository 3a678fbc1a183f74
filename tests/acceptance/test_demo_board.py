"""`ralph demo --board`: the whole of a board in a small repository, with no model."""

from __future__ import annotations

import shutil
from pathlib import Path

from project import Project, contents


def test_the_board_of_the_demo_needs_only_python_git_and_a_shell_and_leaves_nothing(
    project: Project, tmp_path: Path
) -> None:
    bin = tmp_path / "bin"
    bin.mkdir()
    for name in ("git", "sh", "ls", "head", "cat", "mkdir", "rm"):
        (bin / name).symlink_to(str(shutil.which(name)))
    project.env["PATH"] = str(bin)
    before, temporary = contents(project.path), contents(Path(project.env["TMPDIR"]))
    done = project.ralph("demo", "--board")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split(maxsplit=1) for line in done.stdout.splitlines() if line]
    assert ["done/", "item-1.txt, item-2.txt, item-3.txt"] in lines
    assert ["failed/", "item-4-impossible.txt"] in lines
    assert ["work/", "empty"] in lines and ["proposed/", "empty"] in lines
    assert "Why it failed: item-4-impossible.txt: work.propose failed 3 times" in done.stdout
    assert "idle (4 of 4 items: 3 done, 1 failed)" in done.stdout
    assert contents(project.path) == before
    assert contents(Path(project.env["TMPDIR"])) == temporary


def test_a_kept_board_can_be_looked_at(project: Project, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert project.ralph("demo", "--board", "--into", str(kept)).returncode == 0
    routed = project.ralph("events", "--routed", cwd=kept).stdout
    assert routed.count("work.propose") == 6 and routed.count("work.finish") == 3
    assert project.ralph("replay", cwd=kept).returncode == 0
    assert project.ralph("hats", "validate", cwd=kept).stdout == "the hats of ralph.yml can work\n"

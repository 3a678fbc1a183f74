"""`share:` brings ignored folders along as copies; what an agent does to them never reaches the user's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ralph.errors import RalphError
from ralph.git.workspaces.shared_folders import bring_shared


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "user"
    (root / "node_modules/pkg").mkdir(parents=True)
    (root / "node_modules/pkg/index.js").write_text("1\n")
    (root / "node_modules/.bin").mkdir()
    (root / "node_modules/.bin/tool").symlink_to("../pkg/index.js")
    (root / "node_modules/absolute").symlink_to(root / "node_modules/pkg")
    return root


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "stamps").mkdir()
    return tmp_path / "work"


def share(root: Path, work: Path, *names: str) -> list[str]:
    return bring_shared(root, work, names, work.parent / "stamps")


def test_a_copy_is_equal_and_apart(root: Path, work: Path) -> None:
    assert share(root, work, "node_modules", "absent") == ["absent"]
    copy = work / "node_modules"
    assert (copy / "pkg/index.js").read_text() == "1\n" and (copy / ".bin/tool").readlink() == Path(
        "../pkg/index.js"
    )
    assert (copy / "absolute").readlink() == copy / "pkg", "no way back into the user's folder"
    assert (copy / "pkg/index.js").stat().st_ino != (root / "node_modules/pkg/index.js").stat().st_ino
    (copy / "pkg/index.js").write_text("agent\n")
    assert (root / "node_modules/pkg/index.js").read_text() == "1\n"


def test_only_what_differs_is_copied_again(root: Path, work: Path) -> None:
    (root / "node_modules/same").write_text("s\n")
    share(root, work, "node_modules")
    copy = work / "node_modules"
    share(root, work, "node_modules")  # those of the first second may be copied twice, not thrice
    inode = (copy / "same").stat().st_ino
    times = (copy / "pkg/index.js").stat()
    (copy / "pkg/index.js").write_text("9\n")
    os.utime(copy / "pkg/index.js", ns=(times.st_atime_ns, times.st_mtime_ns))  # hidden from size and time
    (copy / "extra").mkdir()
    (copy / ".bin/tool").unlink()
    (root / "node_modules/new").write_text("n\n")
    share(root, work, "node_modules")
    assert (
        (copy / "pkg/index.js").read_text() == "1\n"
        and (copy / "new").exists()
        and (copy / ".bin/tool").is_symlink()
    )
    assert not (copy / "extra").exists() and (copy / "same").stat().st_ino == inode


def test_a_virtual_environment_leads_to_the_workspace(root: Path, work: Path) -> None:
    venv = root / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "lib").mkdir()
    (venv / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (venv / "bin/pytest").write_text(f"#!{venv}/bin/python\nimport pytest\n")
    (venv / "bin/pytest").chmod(0o755)
    (venv / "lib/project.pth").write_text(f"{root}/src\n")
    (venv / "lib/data.py").write_text(f"{root}\n")
    share(root, work, ".venv")
    assert (work / ".venv/bin/pytest").read_text().startswith(f"#!{work}/.venv/bin/python\n")
    assert os.access(work / ".venv/bin/pytest", os.X_OK)
    assert (work / ".venv/lib/project.pth").read_text() == f"{work}/src\n", (
        "tests import the workspace's code"
    )
    assert (work / ".venv/lib/data.py").read_text() == f"{root}\n"


def test_a_link_in_place_of_the_copy_is_not_followed(root: Path, work: Path) -> None:
    (work / "node_modules").symlink_to(root / "node_modules")
    share(root, work, "node_modules")
    assert not (work / "node_modules").is_symlink() and (root / "node_modules/pkg/index.js").exists()


@pytest.mark.parametrize("name", ["..", "/etc", "../x", ".git", ".git/hooks", "a/../..", "."])
def test_names_that_lead_out_are_refused(root: Path, work: Path, name: str) -> None:
    with pytest.raises(RalphError, match="not a folder inside"):
        share(root, work, name)

"""The roles that ship: short, complete, loadable as written, and never written over somebody's own."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import ralph
from ralph.config.hats import load_roles
from ralph.errors import RalphError
from ralph.setup.plan import role_files, roles

NAMES = {"reviewer", "architect", "debugger", "documenter", "refactorer"}
PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_what_is_written_loads_and_uses_every_role(tmp_path: Path) -> None:
    roles(tmp_path, force=False).carry_out()
    loaded, _ = load_roles(tmp_path)
    assert loaded is not None
    assert {hat.id for hat in loaded.hats if hat.text} == NAMES
    assert {hat.id for hat in loaded.conditional} == NAMES


def test_each_role_is_short() -> None:
    for name, data in role_files().items():
        if name.endswith(".md"):
            assert 300 < len(data.decode()) < 1200, name


def test_writing_them_again_changes_nothing(tmp_path: Path) -> None:
    roles(tmp_path, force=False).carry_out()
    assert roles(tmp_path, force=False).files == ()


@pytest.mark.parametrize("name", ["roles.yaml", "roles/reviewer.md", "config/roles.yaml"])
def test_what_is_there_already_is_kept(tmp_path: Path, name: str) -> None:
    mine = tmp_path / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    before = files_in(tmp_path)
    with pytest.raises(RalphError) as caught:
        roles(tmp_path, force=False)
    assert caught.value.where == name
    assert "--force" in caught.value.todo
    assert files_in(tmp_path) == before

    written = roles(tmp_path, force=True).carry_out()
    assert [path.read_text() for path in written.kept] == ["mine"]
    loaded, _ = load_roles(tmp_path)
    assert loaded is not None and {hat.id for hat in loaded.hats if hat.text} == NAMES


def test_every_file_that_is_not_code_is_part_of_the_package() -> None:
    patterns = tomllib.loads(PYPROJECT.read_text())["tool"]["setuptools"]["package-data"]["ralph"]
    root = Path(ralph.__file__).parent
    packed = {path for pattern in patterns for path in root.glob(pattern)}
    data = {p for p in root.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc")}
    assert data <= packed

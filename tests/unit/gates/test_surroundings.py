"""A gate's HOME is that of the start, its temporary folder is fresh, and no compiled file that an agent left is used."""

from __future__ import annotations

import py_compile
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ralph.gates.surroundings import clear, home_entries, keep_bytecode, surroundings


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for name in (".npmrc", ".config/git/config", ".cache/go-build/x", ".local/share/uv/x", ".ssh/config"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(name)
    return home


def test_home_shows_what_was_there_at_the_start_and_nothing_newer(home: Path, tmp_path: Path) -> None:
    entries = home_entries(str(home))
    for name in (".tally.json", ".config/go/env", ".cache/moon/phases.json", ".local/bin/pytest"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("the agent's")
    own = Path(surroundings(str(home), entries, tmp_path / "scratch")["HOME"])
    shown = {name for name in entries if (own / name).exists()}
    assert shown == set(entries)
    assert not any(
        (own / name).exists() for name in (".tally.json", ".config/go", ".cache/moon", ".local/bin")
    )


def test_what_a_gate_writes_into_a_folder_of_home_is_there_for_the_next(home: Path, tmp_path: Path) -> None:
    entries, scratch = home_entries(str(home)), tmp_path / "scratch"
    own = Path(surroundings(str(home), entries, scratch)["HOME"])
    (own / ".cache/go-build/compiled").write_text("")
    (own / ".cache/other").write_text("")
    (own / ".tally.json").write_text("")
    own = Path(surroundings(str(home), entries, scratch)["HOME"])
    assert (own / ".cache/go-build/compiled").exists()
    assert not (own / ".cache/other").exists() and not (own / ".tally.json").exists()
    assert not (home / ".tally.json").exists()


def test_each_run_has_an_empty_temporary_folder(home: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    first = Path(surroundings(str(home), (), scratch)["TMPDIR"])
    (first / "flag").write_text("")
    again = surroundings(str(home), (), scratch, env={"TMP": "/tmp"})
    assert list(Path(again["TMPDIR"]).iterdir()) == []
    assert again["TMP"] == again["TMPDIR"]
    # room for the name of a socket
    assert len(again["TMPDIR"]) < len(tempfile.gettempdir()) + 40
    clear(scratch)
    assert not Path(again["TMPDIR"]).exists() and not scratch.exists()


def test_variables_that_lead_into_home_lead_into_the_one_shown(home: Path, tmp_path: Path) -> None:
    env = {"XDG_CONFIG_HOME": str(home / ".config"), "XDG_DATA_HOME": "/srv/data"}
    found = surroundings(str(home), home_entries(str(home)), tmp_path / "scratch", env=env)
    assert found["XDG_CONFIG_HOME"] == f"{found['HOME']}/.config"
    assert "XDG_DATA_HOME" not in found


def test_a_home_that_is_not_there_is_no_trouble(tmp_path: Path) -> None:
    assert home_entries(str(tmp_path / "missing")) == home_entries("") == ()
    assert Path(surroundings("", (), tmp_path / "scratch")["HOME"]).is_dir()


def test_bytecode_is_written_where_a_user_wants_none_beside_sources(home: Path, tmp_path: Path) -> None:
    found = surroundings(
        str(home), (), tmp_path / "scratch", env={"PYTHONDONTWRITEBYTECODE": "1", "CI": "yes"}
    )
    assert found["PYTHONDONTWRITEBYTECODE"] == ""
    assert "CI" not in found


def said(folder: Path, env: dict[str, str]) -> str:
    words = [sys.executable, "-c", "import answer; print(answer.VALUE)"]
    return subprocess.run(
        words, cwd=folder, env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_poisoned_bytecode_beside_a_source_is_not_used(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    source = project / "answer.py"
    source.write_text("VALUE = 42\n")
    py_compile.compile(str(source), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    source.write_text("VALUE = 0\n")
    assert said(project, {}) == "42"
    assert said(project, surroundings(str(home), (), tmp_path / "scratch")) == "0"


def test_what_gates_compiled_at_the_start_serves_later_runs(home: Path, tmp_path: Path) -> None:
    project, scratch, kept = tmp_path / "project", tmp_path / "scratch", tmp_path / "kept"
    project.mkdir()
    (project / "answer.py").write_text("VALUE = 42\n")
    said(project, surroundings(str(home), (), scratch))
    keep_bytecode(scratch, kept, tmp_path / "elsewhere")
    compiled = {path.relative_to(kept) for path in kept.rglob("*.pyc")}
    assert any(path.name.startswith("answer.") for path in compiled)
    later = Path(surroundings(str(home), (), scratch, bytecode=kept)["PYTHONPYCACHEPREFIX"])
    assert {path.relative_to(later) for path in later.rglob("*.pyc")} == compiled
    next(later.rglob("answer.*.pyc")).write_bytes(b"poison")
    keep_bytecode(scratch, kept, tmp_path / "elsewhere")
    assert next(kept.rglob("answer.*.pyc")).read_bytes() != b"poison"


def test_what_gates_compiled_of_the_tree_itself_is_not_kept_but_of_shared_folders(
    home: Path, tmp_path: Path
) -> None:
    """Within a second, a file of the same size would be taken for the one of the start."""
    project, scratch, kept = tmp_path / "project", tmp_path / "scratch", tmp_path / "kept"
    (project / "lib").mkdir(parents=True)
    (project / "lib/dependency.py").write_text("VALUE = 42\n")
    (project / "answer.py").write_text("from lib.dependency import VALUE\n")
    said(project, surroundings(str(home), (), scratch))
    keep_bytecode(scratch, kept, project, ["lib"])
    names = {path.name.partition(".")[0] for path in kept.rglob("*.pyc")}
    assert "dependency" in names and "answer" not in names

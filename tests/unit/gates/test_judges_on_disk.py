"""Which files on disk a gate's command names, and how they are known again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ralph.gates import judges
from ralph.gates.judges import content_hashes, named_files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in ("a.sh", "local/b.sh", "local/c.sh", "tests/t.py", "src/main.c"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "tests/__pycache__").mkdir()
    (root / "tests/__pycache__/t.pyc").write_text("x")
    (tmp_path / "out.sh").write_text("out")
    return root


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("sh a.sh", ["a.sh"]),
        ("bash -c 'cd local; sh b.sh'", ["local/b.sh"]),
        ("for t in local/*.sh; do sh $t; done", ["local/b.sh", "local/c.sh"]),
        ("run --script=../out.sh", ["../out.sh"]),
        ("sh {outside}/out.sh", ["{outside}/out.sh"]),
        ("sh {outside}/root/a.sh", ["a.sh"]),
        ("check tests src", ["tests/t.py"]),
        ("python3 -m local.b", []),
        ("/bin/sh /usr/bin/env -- -a.sh", []),
        (f"echo {'x' * 5000} 'open quote a.sh", ["a.sh"]),
        ("printf '%s' '\0' [", []),
    ],
)
def test_files_are_found_by_the_words_of_a_command(root: Path, command: str, names: list[str]) -> None:
    outside = str(root.parent)
    found = named_files(command.replace("{outside}", outside), root=str(root), folder=".")
    assert sorted(found) == [name.replace("{outside}", outside) for name in names]
    assert all(path.is_file() for path in found.values())


def test_words_count_from_the_folder_of_the_run(root: Path) -> None:
    assert list(named_files("sh b.sh ../a.sh", root=str(root), folder="local")) == ["a.sh", "local/b.sh"]


def test_a_module_is_found_as_a_file(root: Path) -> None:
    (root / "local/check.py").touch()
    assert list(named_files("python3 -m local.check", root=str(root), folder="")) == ["local/check.py"]


def test_a_large_folder_is_no_set_of_checks(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "MOST_FILES", 3)
    for number in range(3):
        (root / f"tests/{number}").touch()
    assert not named_files("check tests", root=str(root), folder="")


def test_content_mode_and_type_make_a_difference(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = root / "a.sh"

    def now() -> str:
        return content_hashes([("a", path)]).get("a", "")

    seen = [now()]
    path.write_text("b")
    seen.append(now())
    path.chmod(0o755)
    seen.append(now())
    monkeypatch.setattr(judges, "READ_WHOLE", 0)
    seen.append(now())
    os.utime(path, (1, 1))
    seen.append(now())
    path.write_bytes(b"\x7fELF...")
    seen.append(now())
    path.unlink()
    seen.append(now())
    assert len(set(seen)) == 7
    os.mkfifo(path)
    assert now() == "", "a pipe that nobody writes to holds up nothing"

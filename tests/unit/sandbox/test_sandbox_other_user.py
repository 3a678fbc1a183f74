"""The same once more as a user without rights, who needs user namespaces for all of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from sandbox_world import needs_bwrap

import ralph

NOBODY = 65534
NEEDED = ("msgspec", "pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py")
CHOSEN = "attack or its_work or tidy or gone or death or pass_through or worktree"


def as_nobody(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    place = str(folder)
    env = {"PATH": os.environ["PATH"], "HOME": place, "TMPDIR": place, "PYTHONPATH": f"{place}/site"}
    return subprocess.run(
        command,
        cwd=folder,
        env=env,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
    )


@pytest.fixture
def copy() -> Iterator[Path]:
    """Ralph, its needs and these tests where anybody can read them."""
    folder = Path(tempfile.mkdtemp(prefix="ralph-nobody-"))
    try:
        for name in NEEDED:
            spec = find_spec(name)
            assert spec and spec.origin
            if spec.submodule_search_locations:
                shutil.copytree(Path(spec.origin).parent, folder / "site" / name)
            else:
                shutil.copy(spec.origin, folder / "site")
        shutil.copytree(Path(ralph.__file__).parent, folder / "site" / "ralph")
        shutil.copytree(Path(__file__).parent, folder / "tests")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
            os.chown(path, NOBODY, NOBODY)
        yield folder
    finally:
        shutil.rmtree(folder)


@needs_bwrap
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user; the other tests ran as one")
def test_the_sandbox_holds_for_a_user_without_rights(copy: Path) -> None:
    version = "{}.{}".format(*sys.version_info)
    places = ["/usr/local/bin", "/usr/bin", str(Path(sys.base_prefix, "bin"))]
    pythons = [p for p in (f"{place}/python{version}" for place in places) if _can_run(p, copy)]
    if not pythons:
        pytest.skip(f"there is no Python {version} that another user may run")
    options = ["-q", "-c", os.devnull, "--rootdir", str(copy), "-p", "no:cacheprovider", "-k", CHOSEN, "-rs"]
    done = as_nobody([pythons[0], "-m", "pytest", *options, "tests"], copy)
    assert done.returncode == 0, done.stdout + done.stderr
    if "test_sandbox_attack.py" in done.stdout:  # skipped there: it works for root only
        pytest.skip(done.stdout)


def _can_run(python: str, folder: Path) -> bool:
    try:
        return as_nobody([python, "-c", ""], folder).returncode == 0
    except OSError:
        return False

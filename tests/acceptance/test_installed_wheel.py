"""Ralph as it is installed: from the built wheel by pip, pipx and uv, and by `make demo`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def built(folder: Path, source: Path) -> Path:
    """Ralph's wheel, built from a copy of the sources, and those of what it needs."""
    folder.mkdir()
    source.mkdir()
    shutil.copytree(
        ROOT / "src",
        source / "src",
        symlinks=True,
        ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"),
    )
    shutil.copytree(ROOT / "docs", source / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(source)]
    subprocess.run([*pip, *build], check=True)
    subprocess.run(
        [*pip, "download", "-d", str(folder), "-r", str(ROOT / "requirements/core.txt")], check=True
    )
    return folder


def environment(wheels: Path, home: Path) -> dict[str, str]:
    """Of a user who has nothing but a PATH, without a network."""
    home.mkdir()
    settings = home / "uv.toml"  # pipx calls uv, too
    settings.write_text(f'no-index = true\nfind-links = ["{wheels}"]\n')
    return {
        "PATH": f"{home}/.local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "UV_CONFIG_FILE": str(settings),
        "UV_PYTHON": sys.executable,
        "UV_PYTHON_DOWNLOADS": "never",
        "PIPX_DEFAULT_PYTHON": sys.executable,
    }


@pytest.mark.timeout(1200)
def test_the_wheel_works_installed_by_pip_pipx_and_uv(tmp_path: Path) -> None:
    wheels = built(tmp_path / "wheels", tmp_path / "source")
    wheel = str(next(wheels.glob("ralph-*.whl")))
    for tool in ("pip", "pipx", "uv"):
        home = tmp_path / tool
        env = environment(wheels, home)
        if tool == "pip":
            subprocess.run([sys.executable, "-m", "venv", str(home / ".local")], env=env, check=True)
        by = {
            "pip": [str(home / ".local/bin/pip"), "install", "-q", wheel],
            "pipx": [str(BIN / "pipx"), "install", wheel],
            "uv": [str(BIN / "uv"), "tool", "install", wheel],
        }
        subprocess.run(by[tool], env=env, check=True)
        assert says(env, "--version").startswith("ralph "), tool
        assert says(env, "help", "gates").startswith("# Gates"), tool
        assert "completed-verified" in says(env, "demo"), tool


def says(env: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        ["ralph", *arguments],
        env=env,
        cwd=env["HOME"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


PYTHON = """\
#!/bin/sh
case "$*" in
  *version_info*) exit 0 ;;
  "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python && cp "$0" .venv/bin/ralph ;;
  *" pip "*) case "$*" in *quiet*) ;; *) echo "pip is heard" ;; esac ;;
  demo) echo "the demo runs" ;;
esac
"""


def test_make_demo_shows_what_it_does_while_it_installs(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy2(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    (tmp_path / "python").write_text(PYTHON)
    (tmp_path / "python").chmod(0o755)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(
        ["make", "demo", f"PYTHON={tmp_path}/python"], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = [line.split()[0] for line in done.stdout.splitlines()]
    assert told == ["Installing", "1/3", "pip", "2/3", "pip", "3/3", "the"]

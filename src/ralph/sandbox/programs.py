"""Which folders a program needs to be able to run: its own, its interpreter's, and the tool chains on the PATH.

Never the home folder itself, nor anything around it or around the workspace.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import ralph
from ralph.errors import RalphError
from ralph.sandbox.plan import Plan

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc"),
    *("/nix/store", "/gnu/store", "/run/current-system", "/var/lib/ca-certificates"),
)
# Below the home folder: programs and libraries, no settings and no credentials.
TOOLS = (
    *(".pyenv", ".rbenv", ".nodenv", ".goenv", ".jenv", ".asdf", ".nvm", ".fnm", ".volta", ".bun", ".deno"),
    *(".rustup", ".cargo/bin", ".cargo/registry", ".cargo/git", ".cargo/env", "go/bin", "go/pkg"),
    *(".sdkman", ".dotnet", ".ghcup", ".juliaup", ".npm-global", ".yarn/bin", ".m2/repository", ".gem/ruby"),
    *(".local/bin", ".local/lib", ".local/pipx", ".local/share/pipx", ".local/share/uv", ".local/share/mise"),
    *(".local/share/fnm", ".local/share/pnpm", ".local/share/pypoetry"),
)
# Files that programs are told to trust; they may lie anywhere.
CERTIFICATES = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("GIT_SSL_CAINFO", "PIP_CERT", "AWS_CA_BUNDLE", "NIX_SSL_CERT_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"),
)
_PREFIX_SIGNS = ("lib", "libexec", "pyvenv.cfg")  # beside bin/: this is where something was installed to
_INTERPRETERS_DEEP = 4


class Programs:
    """Adds to the plan what programs need; `home` and `workspace` are real paths."""

    def __init__(self, plan: Plan, home: Path, workspace: Path, env: Mapping[str, str]) -> None:
        self._plan = plan
        self._home = home
        self._workspace = workspace
        self._env = env
        around = (home, *home.parents, *workspace.parents)
        self._too_wide = frozenset((*around, home / ".local", Path("/tmp"), Path("/var/tmp")))

    def add_system(self) -> None:
        for name in SYSTEM:
            if there(Path(name)):
                self._plan.show(Path(name))

    def add_tools(self) -> None:
        for name in TOOLS:
            if there(self._home / name):
                self._show(self._home / name)
        for entry in self._env.get("PATH", "").split(os.pathsep):
            if entry.startswith("/") and there(Path(entry)):
                self._show(self._installation(self._plan.visit(Path(entry))))
        for name in CERTIFICATES:
            if (value := self._env.get(name, "")).startswith("/") and there(Path(value)):
                self._show(Path(value))

    def add_ralph(self) -> None:
        """Ralph itself, which agents call. Inside the workspace it must not be theirs to change: it runs outside too."""
        package = Path(ralph.__file__).resolve().parent
        prefixes = {
            Path(p).resolve() for p in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
        }
        if self._in_workspace(package) and not any(prefix in package.parents for prefix in prefixes):
            raise RalphError(
                "Ralph's own source is inside the workspace, where a sandboxed agent could change it",
                where=str(package),
                todo="Install a copy of Ralph elsewhere (pipx install), and run that one.",
            )
        self.add(Path(sys.executable))
        for place in (*prefixes, package, *map(Path, sys.path)):
            if self._in_workspace(place):
                if place in prefixes or place == package:
                    self._plan.protect(place, self._workspace)
            elif place.is_absolute() and there(place):
                self._show(place)

    def add(self, program: Path, deep: int = _INTERPRETERS_DEEP) -> None:
        """A program by its path, and what its first line names."""
        real = self._plan.visit(program)
        self._show(self._installation(real.parent, real))
        for name in self._interpreters(real) if deep else ():
            self.add(name, deep - 1)

    def _show(self, path: Path) -> None:
        """Only what is not the workspace's own, and does not contain the home or the workspace."""
        real = self._plan.visit(path)
        if real not in self._too_wide and not self._in_workspace(real):
            self._plan.show(real)

    def _installation(self, folder: Path, program: Path | None = None) -> Path:
        """The folder that was installed as a whole; else just the program, or the folder of programs."""
        if program is not None and "node_modules" in program.parts:
            return Path(*program.parts[: program.parts.index("node_modules") + 1])
        prefix = folder.parent
        installed = any(there(prefix / sign) for sign in _PREFIX_SIGNS)
        if folder.name in ("bin", "sbin", "shims") and installed and prefix not in self._too_wide:
            return prefix
        return program or folder

    def _interpreters(self, script: Path) -> list[Path]:
        try:
            with open(script, "rb") as file:
                first = file.readline(256)
        except OSError:
            return []
        if not first.startswith(b"#!"):
            return []
        words = os.fsdecode(first[2:].strip()).split()
        found = [Path(words[0])] if words and words[0].startswith("/") else []
        if found and found[0].name == "env":
            names = (w for w in words[1:] if not w.startswith("-") and "=" not in w)
            if path := shutil.which(next(names, ""), path=self._env.get("PATH", os.defpath)):
                found.append(Path(path))
        return found

    def _in_workspace(self, path: Path) -> bool:
        return self._workspace in (path, *path.parents)


def there(path: Path) -> bool:
    """Whether it can be seen; what lies in a closed folder cannot, and is not needed then."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists() fails in closed folders


def find(name: str, cwd: Path, env: Mapping[str, str]) -> Path:
    """The program's file as a shell in `cwd` would find it. FileNotFoundError if it would not."""
    if "/" in name:
        named = cwd / name
        executable = os.path.isfile(named) and os.access(named, os.X_OK)  # noqa: PTH113 - as above
        path = named if executable else None
    else:
        folders = (str(cwd / folder) for folder in env.get("PATH", os.defpath).split(os.pathsep))
        found = shutil.which(name, path=os.pathsep.join(folders)) if name else None
        path = Path(found) if found else None
    if path is None:
        raise FileNotFoundError(errno.ENOENT, "no such program", name)
    return path

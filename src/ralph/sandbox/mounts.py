"""The file system that a sandbox shows: which paths are visible, writable, hidden, as bwrap's arguments.

Parents are mounted before what lies in them; of two statements about one path the later counts. Every path is a real one:
symbolic links on the way are made again inside, so that names which lead through them still work.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import ralph
from ralph.core.secrets.masker import Masker
from ralph.errors import RalphError

Kind = Literal["show", "write", "pin", "empty", "private", "blank", "link"]
_HOPS = 40  # as many links as the kernel follows

_AS_ARGUMENTS: dict[Kind, tuple[str, ...]] = {
    "show": ("--ro-bind", "{source}", "{path}"),
    "write": ("--bind", "{source}", "{path}"),
    "pin": ("--bind", "{source}", "{path}"),
    "empty": ("--tmpfs", "{path}"),  # made read-only when all mount points in it exist
    "private": ("--tmpfs", "{path}"),
    "blank": ("--ro-bind", "/dev/null", "{path}"),
    "link": ("--symlink", "{source}", "{path}"),
}
_OF_THE_HOST: tuple[Kind, ...] = ("show", "write", "pin")


class SandboxPlan:
    def __init__(self) -> None:
        self._at: dict[Path, tuple[Kind, str]] = {}

    def show(self, path: Path, source: Path | None = None) -> Path:
        """Readable there; with `source`, the content is another file's or folder's."""
        return self._put("show", path, source)

    def write(self, path: Path, source: Path | None = None) -> Path:
        return self._put("write", path, source)

    def private(self, path: Path) -> Path:
        """An empty folder that is writable and vanishes afterwards."""
        return self._put("private", path, None)

    def hide(self, path: Path) -> Path:
        """An empty folder, or a file that cannot be read, in place of what is there."""
        return self._put("empty" if path.is_dir() else "blank", path, None)

    def protect(self, path: Path, within: Path) -> None:
        """Read-only inside a writable folder, and nothing on the way to it can be renamed or replaced: what is a mount
        point cannot be."""
        real = self.show(path)
        for folder in real.parents:
            if within in folder.parents and folder not in self._at:
                self._put("pin", folder, None)

    def visit(self, path: Path) -> Path:
        """The real path, having noted every link that leads there."""
        at, rest, hops = Path("/"), list(path.parts[1:]), 0
        while rest:
            part = rest.pop(0)
            if part == "..":
                at = at.parent
                continue
            step = at / part
            try:
                target = step.readlink()
            except OSError:
                at = step
                continue
            self._at.setdefault(step, ("link", str(target)))
            hops += 1
            if hops > _HOPS:
                return step
            if target.is_absolute():
                at = Path("/")
            rest = [p for p in target.parts if p != "/"] + rest
        return at

    def arguments(self) -> list[str]:
        found: list[str] = []
        # stable, so the same call gives the same words
        ordered = sorted(self._at, key=lambda path: len(path.parts))
        for path in ordered:
            kind, source = self._at[path]
            if not self._is_there_anyway(path, kind, source):
                found += [word.format(source=source, path=path) for word in _AS_ARGUMENTS[kind]]
        for path in ordered:
            if self._at[path][0] == "empty":
                found += ["--remount-ro", str(path)]
        return found

    def _put(self, kind: Kind, path: Path, source: Path | None) -> Path:
        real = self.visit(path)
        self._at[real] = (kind, str(source or real))
        return real

    def _is_there_anyway(self, path: Path, kind: Kind, source: str) -> bool:
        around = next((self._at[p] for p in path.parents if p in self._at and self._at[p][0] != "link"), None)
        if around is None or around[0] not in _OF_THE_HOST:
            return False
        if kind == "link":
            return True  # it comes with the folder
        return kind == around[0] == "show" and source == str(path)


def unreadable_by_others(folder: Path) -> list[Path]:
    """What only the owner or a group may read. Root owns such files; an agent that runs as root has no need of them."""
    found: list[Path] = []
    waiting = [str(folder)]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            needed = stat.S_IROTH | stat.S_IXOTH if is_folder else stat.S_IROTH
            try:
                closed = (
                    not entry.is_symlink() and entry.stat(follow_symlinks=False).st_mode & needed != needed
                )
            except OSError:
                continue
            if closed:
                found.append(Path(entry.path))
            elif is_folder:
                waiting.append(entry.path)
    return found


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

    def __init__(self, plan: SandboxPlan, home: Path, workspace: Path, env: Mapping[str, str]) -> None:
        self._plan = plan
        self._home = home
        self._workspace = workspace
        self._env = env
        around = (home, *home.parents, *workspace.parents)
        self._too_wide = frozenset((*around, home / ".local", Path("/tmp"), Path("/var/tmp")))

    def add_system(self) -> None:
        for name in SYSTEM:
            if exists(Path(name)):
                self._plan.show(Path(name))

    def add_tools(self) -> None:
        for name in TOOLS:
            if exists(self._home / name):
                self._show(self._home / name)
        for entry in self._env.get("PATH", "").split(os.pathsep):
            if entry.startswith("/") and exists(Path(entry)):
                self._show(self._installation(self._plan.visit(Path(entry))))
        for name in CERTIFICATES:
            if (value := self._env.get(name, "")).startswith("/") and exists(Path(value)):
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
            elif place.is_absolute() and exists(place):
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
        installed = any(exists(prefix / sign) for sign in _PREFIX_SIGNS)
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


def exists(path: Path) -> bool:
    """Whether it can be seen; what lies in a closed folder cannot, and is not needed then."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists() fails in closed folders


def find_program(name: str, cwd: Path, env: Mapping[str, str]) -> Path:
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


_ALTERNATES_DEEP = 5


def git_places(workspace: Path) -> list[Path]:
    """`.git` itself, whatever it is, and the folders it leads to; empty without a repository."""
    dot = workspace / ".git"
    if dot.is_symlink():
        raise RalphError(
            "`.git` is a symbolic link, which an agent could replace",
            where=str(dot),
            todo="Use a clone, or `sandbox: none`.",
        )
    if not dot.exists():
        return []
    own = dot if dot.is_dir() else workspace / _said(dot).removeprefix("gitdir:").strip()
    common = own / _said(own / "commondir") if (own / "commondir").is_file() else own
    found = [dot, own, common]
    _follow_alternates(common / "objects", found, _ALTERNATES_DEEP)
    return list(dict.fromkeys(Path(os.path.normpath(place)) for place in found if place.exists()))


def _follow_alternates(objects: Path, found: list[Path], deep: int) -> None:
    for line in _said(objects / "info" / "alternates").splitlines() if deep else ():
        other = objects / line
        if line and not line.startswith("#") and other.is_dir():
            found.append(other)
            _follow_alternates(other, found, deep - 1)


def without_credentials(config: Path) -> str:
    """A git configuration whose URLs and headers hold credentials, with those masked; "" when there are none."""
    text = _said(config)
    masked = Masker(()).text(text)
    return masked + "\n" if masked != text else ""


def _said(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes()).strip()
    except OSError:
        return ""

"""The surroundings of a gate in a clean checkout: a HOME that shows what was there at the start, a fresh folder for temporary
files, and bytecode of its own. What an agent leaves around the work is not part of it."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from ralph.files import remove_tree

# Folders that many tools have a folder in: of these, too, only what was there at the start is shown.
_OF_MANY_TOOLS = (".cache", ".config", ".local", ".local/share")
_XDG = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
# A tool then compares snapshots, and does not write those that are missing.
_BUILD_SERVER = {"CI": "1"}


def home_of(env: Mapping[str, str]) -> str:
    """The user's folder, absolute. Services and containers may have no HOME; programs then look it up, as this does."""
    return os.path.abspath(env.get("HOME") or os.path.expanduser("~"))  # noqa: PTH100, PTH111


def home_entries(home: str) -> tuple[str, ...]:
    """What HOME holds, by names: to be remembered at the start."""
    found = _names(home)
    for folder in _OF_MANY_TOOLS:
        if folder in found and not Path(home, folder).is_symlink():
            found += [f"{folder}/{name}" for name in _names(f"{home}/{folder}")]
    return tuple(sorted(found))


def surroundings(
    home: str,
    entries: Collection[str],
    scratch: Path,
    *,
    env: Mapping[str, str] | None = None,
    bytecode: Path | None = None,
) -> dict[str, str]:
    """Variables for one run of a gate; `env` are those that it has otherwise. `scratch` becomes a folder with its HOME, which
    has links to these `entries` of the real one; `clear` removes it. `bytecode`: a folder made by `keep_bytecode`, so that not
    everything is compiled anew."""
    clear(scratch)
    own, compiled = scratch / "home", scratch / "pycache"
    own.mkdir(parents=True, mode=0o700)
    temporary = _make_temporary(scratch)
    _link_entries(Path(home), entries, own)
    given = env or {}
    found = {"HOME": str(own), "TMPDIR": str(temporary), **_own_bytecode(compiled, bytecode, given)}
    found |= {name: found["TMPDIR"] for name in ("TMP", "TEMP") if name in given}
    if not home:
        return found
    for name in _XDG:
        if given.get(name, "").startswith(f"{home.rstrip('/')}/"):
            found[name] = str(own / given[name].removeprefix(f"{home.rstrip('/')}/"))
    if (
        "GOCACHE" not in given and ".cache/go-build" not in entries
    ):  # else Go compiles its library for each run
        found["GOCACHE"] = f"{given.get('XDG_CACHE_HOME') or f'{home}/.cache'}/go-build"
    return found


def in_sandbox(scratch: Path, *, env: Mapping[str, str], bytecode: Path) -> dict[str, str]:
    """The same for a sandbox, which has an empty HOME and its own /tmp already. It must be able to write
    PYTHONPYCACHEPREFIX."""
    clear(scratch)
    return _own_bytecode(scratch / "pycache", bytecode, env)


def _own_bytecode(compiled: Path, bytecode: Path | None, given: Mapping[str, str]) -> dict[str, str]:
    _copy_bytecode(bytecode, compiled)
    found = {} if "CI" in given else dict(_BUILD_SERVER)
    # Compiled files beside the sources and in shared folders need not be what the sources say.
    found["PYTHONPYCACHEPREFIX"] = str(compiled)
    if "PYTHONDONTWRITEBYTECODE" in given:  # it lies in no one's way; without, each process compiles all anew
        found["PYTHONDONTWRITEBYTECODE"] = ""
    return found


def clear(scratch: Path) -> None:
    """After the run, or before one where another died. OSError when `scratch` cannot be removed."""
    usual = _temporary(scratch)
    for left in usual.parent.glob(f"{usual.name}*"):
        with suppress(OSError):  # a container's files are its root's: another folder is used
            remove_tree(left)
    remove_tree(scratch)


def _make_temporary(scratch: Path) -> Path:
    usual = _temporary(scratch)
    try:
        usual.mkdir(parents=True, mode=0o700)
        return usual
    except FileExistsError:
        return Path(tempfile.mkdtemp(prefix=f"{usual.name}-"))


def _temporary(scratch: Path) -> Path:
    """Its path has to be short: the names of sockets are, and many programs make theirs there. It follows from that of `scratch`,
    so that what a killed run left is found."""
    mark = hashlib.sha256(os.fsencode(scratch)).hexdigest()[:12]
    return Path(tempfile.gettempdir(), f"ralph-{os.getuid()}-{mark}")


def keep_bytecode(scratch: Path, bytecode: Path, root: Path, share: Collection[str] = ()) -> None:
    """After a gate's run on the starting tree: what it compiled serves later runs. No agent has had a hand in it yet. Not of
    the tree itself, whose files are others at a claim: Python knows them by size and whole seconds."""
    if bytecode.exists():
        return
    _copy_bytecode(scratch / "pycache", bytecode)
    own = bytecode / os.path.relpath(root, "/")
    shared = {name.split("/")[0] for name in share}
    for entry in sorted(own.iterdir()) if own.is_dir() else ():
        if entry.name not in shared:
            remove_tree(entry)


def _copy_bytecode(source: Path | None, to: Path) -> None:
    """Copies, no links: the code under test could write into them."""
    if source is not None and source.is_dir():
        shutil.copytree(source, to, symlinks=True)
    else:
        to.mkdir(parents=True, mode=0o700)


def _link_entries(home: Path, entries: Collection[str], own: Path) -> None:
    containers = {name for name in _OF_MANY_TOOLS if any(entry.startswith(f"{name}/") for entry in entries)}
    for name in sorted(containers):
        (own / name).mkdir(parents=True, exist_ok=True)
    for name in sorted(set(entries) - containers):
        if (own / name).parent.is_dir():
            (own / name).symlink_to(home / name)


def _names(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.isprintable()]  # noqa: PTH208
    except OSError:
        return []

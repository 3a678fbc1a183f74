"""Projects that an earlier version of Ralph left behind, unpacked anywhere: each is an archive with @ROOT@ for its folder.

A project's folder always has a path of the same length, so that sizes in its records stay true.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

RECORDED = Path(__file__).parent / "recorded"
NAMES = sorted(path.name.partition(".")[0] for path in RECORDED.glob("*.tar.xz"))
LENGTH = 64  # of a project's path
# As long as what they stand for, so that nothing shifts.
HERE = b"@ROOT@".ljust(LENGTH, b"@")
KEY = "project-@KEY@@@@"
_CRC = re.compile(rb',"crc":"[0-9a-f]{8}"\}$')


class Ran(NamedTuple):
    code: int
    shown: str


class OldProject:
    def __init__(self, root: Path) -> None:
        assert len(str(root)) == LENGTH
        self.root = root
        self.folder = root / "project"
        self.state = self.folder / ".git/ralph"
        # How Ralph names the folder of a repository's workspaces.
        self.key = "project-" + hashlib.sha256(os.fsencode(self.folder / ".git")).hexdigest()[:8]
        self._env = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(root / "home"),
            "TMPDIR": str(root / "tmp"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "USER": "user",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def ralph(self, *words: str) -> Ran:
        return self._do([sys.executable, "-m", "ralph", *words])

    def shell(self, line: str) -> Ran:
        return self._do(["sh", "-c", line])

    def _do(self, words: list[str]) -> Ran:
        done = subprocess.run(
            words,
            cwd=self.folder,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=240,
        )
        return Ran(done.returncode, done.stdout)

    def records(self) -> list[dict[str, Any]]:
        """Of every file of the journal, oldest first."""
        files = [*sorted(self.state.glob("journal-*.jsonl")), self.state / "journal.jsonl"]
        return [json.loads(line) for file in files if file.exists() for line in file.read_text().splitlines()]

    def facts(self, kind: str) -> list[dict[str, Any]]:
        return [record["data"] for record in self.records() if record["kind"] == kind]


@contextmanager
def an_old_project(name: str) -> Iterator[OldProject]:
    made = Path(tempfile.mkdtemp(prefix="ralph-old-", dir=Path(tempfile.gettempdir()).resolve()))
    root = made / ("w" * (LENGTH - len(str(made)) - 1))
    root.mkdir()
    try:
        project = OldProject(root)
        _unpack(RECORDED / f"{name}.tar.xz", project)
        yield project
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _unpack(file: Path, project: OldProject) -> None:
    def placed(content: bytes) -> bytes:
        return content.replace(HERE, str(project.root).encode()).replace(KEY.encode(), project.key.encode())

    times: list[tuple[Path, float]] = []
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(file.read_bytes()))) as tar:
        for info in tar:
            path = project.root / info.name.replace(KEY, project.key)
            path.parent.mkdir(parents=True, exist_ok=True)
            if info.isdir():
                path.mkdir(exist_ok=True)
                path.chmod(info.mode)
            elif info.issym():
                path.symlink_to(placed(info.linkname.encode()).decode())
                continue
            else:
                held = tar.extractfile(info)
                assert held is not None
                path.write_bytes(placed(held.read()))
                path.chmod(info.mode)
            times.append((path, info.mtime))
    (project.root / "tmp").mkdir(exist_ok=True)
    _seal(project.state, _name_blobs(project.state))
    for path, time in reversed(times):
        if path.exists():
            os.utime(path, (time, time))


def _name_blobs(state: Path) -> dict[bytes, bytes]:
    """What is stored under the hash of its content gets the one of its content here."""
    renamed = {}
    for path in (state / "blobs").iterdir():
        name = hashlib.sha256(path.read_bytes()).hexdigest()
        if name != path.name:
            renamed[path.name.encode()] = name.encode()
            found = path.stat().st_mtime
            path.rename(path.with_name(name))
            os.utime(path.with_name(name), (found, found))
    return renamed


def _seal(state: Path, renamed: dict[bytes, bytes]) -> None:
    """The chain of checksums, which goes on from one file of the journal to the next."""
    crc = 0
    for file in [*sorted(state.glob("journal-*.jsonl")), state / "journal.jsonl"]:
        lines = []
        for line in file.read_bytes().splitlines() if file.exists() else ():
            body = _CRC.sub(b"", line)
            for old, new in renamed.items():
                body = body.replace(old, new)
            if b'"kind":"journal.rotated"' in body:
                record = json.loads(body + b"}")
                body = body.replace(record["data"]["last_crc"].encode(), f"{crc:08x}".encode())
            crc = zlib.crc32(body, crc)
            lines.append(body + f',"crc":"{crc:08x}"}}\n'.encode())
        if lines:
            file.write_bytes(b"".join(lines))

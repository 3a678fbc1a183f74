"""A recorded project as one small file: packed with @ROOT@ for its folder, unpacked anywhere with its checksums made to fit."""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import os
import re
import tarfile
import zlib
from pathlib import Path

from golden_world import LENGTH, World

# As long as what they stand for, so that nothing shifts.
HERE = "@ROOT@".ljust(LENGTH, "@")
KEY = "project-@KEY@@@@"
_CRC = re.compile(rb',"crc":"[0-9a-f]{8}"\}$')


def _hidden(content: bytes, world: World) -> bytes:
    return content.replace(str(world.root).encode(), HERE.encode()).replace(world.key.encode(), KEY.encode())


def _shown(content: bytes, world: World) -> bytes:
    return content.replace(HERE.encode(), str(world.root).encode()).replace(KEY.encode(), world.key.encode())


def pack(world: World, file: Path) -> None:
    """Everything below the world's folder, in a fixed order; times of change stay, owners do not."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(world.root.rglob("*")):
            if (world.root / "tmp") in path.parents:
                continue
            name = str(path.relative_to(world.root)).replace(world.key, KEY)
            info = tar.gettarinfo(path, name)
            info.uid = info.gid = 0
            info.uname = info.gname = ""
            info.linkname = _hidden(info.linkname.encode(), world).decode()
            info.pax_headers = {"mtime": f"{path.lstat().st_mtime:.3f}"}
            if info.isfile():
                content = _hidden(path.read_bytes(), world)
                info.type, info.linkname, info.size = tarfile.REGTYPE, "", len(content)
                tar.addfile(info, io.BytesIO(content))
            elif info.isdir() or info.issym():
                tar.addfile(info)
    file.write_bytes(lzma.compress(packed.getvalue(), preset=9))


def unpack(file: Path, world: World) -> None:
    times: list[tuple[Path, float]] = []
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(file.read_bytes()))) as tar:
        for info in tar:
            path = world.root / info.name.replace(KEY, world.key)
            path.parent.mkdir(parents=True, exist_ok=True)
            if info.isdir():
                path.mkdir(exist_ok=True)
                path.chmod(info.mode)
            elif info.issym():
                path.symlink_to(_shown(info.linkname.encode(), world).decode())
                continue
            else:
                held = tar.extractfile(info)
                assert held is not None
                path.write_bytes(_shown(held.read(), world))
                path.chmod(info.mode)
            times.append((path, info.mtime))
    (world.root / "tmp").mkdir(exist_ok=True)
    _seal(world.state, _name_blobs(world.state))
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

"""Output of any size and any bytes costs bounded memory, and what is kept of it is right."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from process_world import World, tiers

from ralph.processes.capture import LINE_LIMIT, LineSplitter, Transcript


def split(data: bytes, sizes: list[int]) -> list[tuple[str, bool]]:
    splitter = LineSplitter("out")
    lines = []
    for size in sizes:
        lines += splitter.feed(data[:size])
        data = data[size:]
    lines += splitter.feed(data) + splitter.finish()
    return [(line.text, line.cut) for line in lines]


def test_lines_do_not_depend_on_how_the_bytes_arrive() -> None:
    random.seed(7)
    data = "one\n\ntwö\r\n€€€\n".encode() + b"\xff\xfe\x00bad\nlast"
    whole = [(line.decode("utf-8", "replace"), False) for line in data.split(b"\n")]
    assert split(data, []) == whole
    assert split(data, [1] * len(data)) == whole
    for _ in range(50):
        assert split(data, [random.randrange(1, 9) for _ in range(8)]) == whole


def test_a_final_newline_ends_no_further_line() -> None:
    assert split(b"a\n", []) == [("a", False)]
    assert split(b"", []) == []
    assert split(b"\n", []) == [("", False)]


@pytest.mark.parametrize("chunk", [65536, LINE_LIMIT // 2, 3 * LINE_LIMIT])
def test_an_endless_line_is_cut_once_and_the_next_line_is_whole(chunk: int) -> None:
    data = b"x" * (2 * LINE_LIMIT + 5) + b"\nnext\n"
    assert split(data, [chunk] * (len(data) // chunk)) == [("x" * LINE_LIMIT, True), ("next", False)]


def test_a_line_of_just_the_limit_is_not_cut() -> None:
    assert split(b"x" * LINE_LIMIT + b"\ny", []) == [("x" * LINE_LIMIT, False), ("y", False)]


@pytest.mark.parametrize("cap", [0, 1, 2, 7, 100, 101])
@pytest.mark.parametrize("size", [0, 1, 49, 50, 51, 99, 100, 101, 102, 150, 151, 1000])
def test_the_transcript_keeps_head_and_tail_and_says_what_is_missing(
    tmp_path: Path, cap: int, size: int
) -> None:
    random.seed(cap * 1000 + size)
    data = bytes(random.randrange(97, 123) for _ in range(size))
    for chunk in (1, 3, 64, 2000):
        transcript = Transcript(tmp_path / "out", cap)
        for at in range(0, size, chunk):
            transcript.write(data[at : at + chunk])
        transcript.finish()
        transcript.close()
        kept = (tmp_path / "out").read_bytes()
        if size <= cap:
            assert kept == data
        else:
            head, tail = data[: cap // 2], data[size - (cap - cap // 2) :]
            assert kept == head + b"\n[ralph: %d bytes left out]\n" % (size - cap) + tail
        assert transcript.cut == (size > cap)
        assert os.listdir(tmp_path) == ["out"]  # noqa: PTH208


@pytest.mark.parametrize("tier", tiers("reaper"))
def test_binary_output_is_kept_byte_for_byte(world: World) -> None:
    data = random.Random(1).randbytes(300_000)
    ended, _ = world.run("cat", stdin=data)
    assert world.out.read_bytes() == data
    assert not ended.cut


@pytest.mark.parametrize("tier", tiers("reaper"))
def test_more_than_the_cap_is_cut_and_said(world: World) -> None:
    ended, _ = world.run("head -c 5000000 /dev/zero; printf end", cap=1 << 20)
    assert ended.cut
    kept = world.out.read_bytes()
    assert b"bytes left out]" in kept
    assert kept.endswith(b"\0end")
    assert len(kept) < (1 << 20) + 100


@pytest.mark.parametrize("tier", tiers("reaper"))
def test_the_end_of_the_error_output_is_kept_in_memory(world: World) -> None:
    ended, _ = world.run("head -c 5000000 /dev/zero >&2; printf end >&2")
    assert ended.err_tail[-3:] == "end"
    assert len(ended.err_tail) == 64 << 10


_MEASURE = """
import os, resource, sys
from pathlib import Path
from ralph.processes.ownership import Ownership
with Ownership("reaper", f"rss-{os.getpid()}") as ownership:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    owned = ownership.start("k", ["sh", "-c", sys.argv[1]], cwd=Path("/"), env={"PATH": os.environ["PATH"]},
                            stdin=None, out=Path(sys.argv[2]), cap_bytes=8 << 20)
    cut = 0
    while not owned.exited() or len(owned.fds()) > 1:
        owned.wait()
        cut += sum(line.cut for line in owned.pump())
    owned.close()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, cut)
"""


@pytest.mark.parametrize("tier", tiers("reaper"))
@pytest.mark.parametrize(
    ("script", "size", "cut"),
    [
        ("head -c 200000000 /dev/zero | tr '\\0' x", 200_000_000, 1),
        ("head -c 50000000 /dev/zero", 50_000_000, 1),
        ("head -c 20000000 /dev/zero | tr '\\0' '\\377'", 20_000_000, 1),
        ("yes '' | head -n 1000000", 1_000_000, 0),
        ("yes some words | head -n 1000000 >&2", 11_000_000, 0),
        (":", 0, 0),
    ],
    ids=["no newline", "zeros", "not UTF-8", "empty lines", "stderr", "nothing"],
)
def test_memory_stays_bounded_whatever_comes(
    tier: str, script: str, size: int, cut: int, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, script, str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=True,
    )
    grown, cuts = map(int, done.stdout.split())
    assert (_printed(tmp_path / "out") + _printed(tmp_path / "out.err"), cuts) == (size, cut)
    assert grown < 48 << 10, f"{grown} KiB"  # one line of 8 MiB, once as bytes and once as text of any width


def _printed(transcript: Path) -> int:
    """How many bytes there were, those that were left out included."""
    kept = transcript.read_bytes()
    mark = re.search(rb"\n\[ralph: (\d+) bytes left out\]\n", kept)
    return len(kept) - len(mark[0]) + int(mark[1]) if mark else len(kept)

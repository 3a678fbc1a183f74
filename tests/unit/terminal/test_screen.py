"""The painter on a real pseudo-terminal: what is written, and that nothing of it ever waits."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import termios
from collections.abc import Iterator

import pytest

from ralph.terminal.screen import Screen

FRAME = re.compile(r"\x1b\[\?2026h(.*?)\x1b\[\?2026l", re.DOTALL)


class Paper:
    """Both sides of a terminal: the program's descriptor, and what a terminal emulator would read."""

    def __init__(self) -> None:
        self.fd, self.theirs = pty.openpty()
        os.set_blocking(self.fd, False)
        mode = termios.tcgetattr(self.theirs)
        mode[1] &= ~termios.OPOST  # what is written is what is read
        termios.tcsetattr(self.theirs, termios.TCSANOW, mode)
        self.resize(80, 24)
        self.screen = Screen(self.theirs)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self) -> str:
        data = b""
        try:
            while part := os.read(self.fd, 65536):
                data += part
        except BlockingIOError:
            pass
        return data.decode()

    def painted(self, above: list[str], block: list[str]) -> str:
        assert self.screen.paint(above, block)
        return self.read()

    def echoes(self) -> bool:
        return bool(termios.tcgetattr(self.theirs)[3] & termios.ECHO)


@pytest.fixture
def paper() -> Iterator[Paper]:
    paper = Paper()
    yield paper
    paper.read()
    paper.screen.close()
    os.close(paper.theirs)
    os.close(paper.fd)


def test_a_frame_is_one_synchronized_write_and_parks_the_cursor_at_the_block(paper: Paper) -> None:
    shown = paper.painted(["a fact"], ["one", "two", "three"])
    assert shown == (
        "\x1b[?2026h\x1b[?25l\r\x1b[Ja fact\r\n\x1b[?7lone\x1b[K\r\ntwo\x1b[K\r\nthree\x1b[K\x1b[?7h\x1b[2A\r\x1b[?2026l"
    )


def test_only_what_changed_is_written_again(paper: Paper) -> None:
    paper.painted([], ["one", "two", "three"])
    assert paper.painted([], ["one", "two", "three"]) == ""
    shown = paper.painted([], ["one", "2", "three"])
    assert FRAME.findall(shown) == ["\x1b[?7l\x1b[1B\r2\x1b[K\x1b[?7h\x1b[1A\r"]
    assert paper.painted([], ["one", "2", "3", "four"]).count("\r\n") == 1
    assert "\x1b[J" in paper.painted([], ["one"])


def test_a_resize_draws_everything_and_never_clears_the_whole_screen(paper: Paper) -> None:
    paper.painted([], ["one", "two"])
    paper.resize(40, 10)
    assert paper.screen.size() == (40, 10)
    shown = paper.painted([], ["one", "two"])
    assert "one" in shown and "two" in shown and "\x1b[2J" not in shown


def test_a_terminal_without_a_size_is_taken_as_the_usual_one(paper: Paper) -> None:
    paper.resize(0, 0)
    assert paper.screen.size() == (80, 24)


def test_keys_are_not_echoed_into_the_block_and_all_is_given_back(paper: Paper) -> None:
    assert paper.echoes()
    paper.painted([], ["one"])
    assert not paper.echoes()
    paper.screen.close(["the end"])
    assert paper.echoes()
    assert paper.read() == "\r\x1b[Jthe end\r\n\x1b[?7h\x1b[?25h"


def test_a_terminal_that_takes_nothing_stops_nobody_and_gets_everything_later(paper: Paper) -> None:
    lines = [f"line {n} " + "x" * 90 for n in range(5000)]
    assert paper.screen.paint(lines, ["block 1"])
    assert paper.screen.pending(), "nobody reads"
    assert not paper.screen.paint(["late"], ["block 2"]), "the next frame waits"
    shown = ""
    while paper.screen.pending():
        shown += paper.read()
        paper.screen.flush()
    shown += paper.read()
    assert set(lines[1:]) <= set(shown.split("\r\n")), "the first follows the frame's beginning"
    assert "block 2" not in shown
    assert "late" in paper.painted(["late"], ["block 2"])


def test_the_shells_own_descriptor_stays_as_it_is(paper: Paper) -> None:
    paper.painted([], ["one"])
    assert os.get_blocking(paper.theirs)


def test_a_terminal_that_cannot_be_opened_again_is_asked_before_each_write() -> None:
    """As in a container that does not show the terminal's device."""
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    screen = Screen(theirs)
    while not screen.pending():
        assert screen.paint(["y" * 1000] * 20, [])
    assert os.read(ours, 100)
    assert os.get_blocking(theirs)
    os.close(ours)
    screen.flush()
    assert not screen.pending(), "the reader went away"
    assert screen.paint(["more"], ["block"])
    screen.close(["more"])
    os.close(theirs)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_leaves_the_terminal_in_order_before_anybody_else_hears_of_it(
    paper: Paper, number: signal.Signals
) -> None:
    heard: list[tuple[bool, str]] = []
    before = signal.signal(number, lambda *_: heard.append((paper.echoes(), paper.read())))
    try:
        paper.painted([], ["one", "two"])
        os.kill(os.getpid(), number)
        assert [(echoes, shown.endswith("\r\x1b[J\x1b[?25h")) for echoes, shown in heard] == [(True, True)]
        again = paper.painted([], ["one", "two"])
        assert "\x1b[?25l" in again and "one" in again, "it goes on: everything is drawn anew"
    finally:
        paper.screen.close()
        signal.signal(number, before)


def test_handlers_are_as_before_in_the_end(paper: Paper) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH, signal.SIGQUIT)
    before = [signal.getsignal(number) for number in numbers]
    paper.painted([], ["one"])
    assert [signal.getsignal(number) for number in numbers] != before
    paper.screen.close()
    assert [signal.getsignal(number) for number in numbers] == before

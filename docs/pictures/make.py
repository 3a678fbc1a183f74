"""Makes the pictures of the README from the real program: `make pictures`.

`ralph demo` runs in a terminal of its own (tmux), in an empty home; what is seen becomes run.svg and status.svg, and
the page of `ralph report --html`, in chromium where there is one, report.png and report-dark.png. Nothing of this
machine is in them: the home is ~, and the clock begins at a fixed time.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from drawing import Frame, Screen, picture, rows, text_of

HERE = Path(__file__).parent
COLUMNS, LINES = 100, 28
PROMPT = "$"
PATIENCE = 60.0  # seconds for a command that takes about three
POLL, MOST_LOOKS = 0.01, 100
CLOCK = datetime(2026, 1, 1, 9, 0, 0)  # when it all happens, in the pictures
FIRST_ID = 0x7A1C

# Seconds in the recording. The demo takes three in all; people read more slowly.
START, KEY, FRAME, NEW_LINE, LONGEST, REST = 0.8, 0.06, 0.35, 0.28, 1.6, 8.0
BLOCK = ("── ", "   ")  # how the lines of the live block begin

COMMAND = "ralph demo --into demo"
TOLD = (
    "A terminal runs `ralph demo`: the agent claims three times that the work is done, the tests are red each time and "
    "Ralph rejects the claims; after a strategy shift the tests are green and the end is completed-verified."
)
PAGE = (1000, 798)  # what is seen of the report, in pixels
SCALE = 1.4


def main() -> int:
    if missing := [name for name in ("tmux", "bash", "git") if shutil.which(name) is None]:
        print(f"The pictures need {', '.join(missing)}; nothing was changed.", file=sys.stderr)
        return 2
    with own_folder() as folder, terminal(folder) as pane:
        told = Neutral(pane.home, datetime.now(UTC).replace(tzinfo=None))  # the pane's clock
        recorded = record(pane, told)
        _write("run.svg", picture(recorded, COLUMNS, LINES, "ralph demo", TOLD))
        still = status(pane, told)
        title = "What `ralph status` says after the demo."
        _write("status.svg", picture([Frame(still, 1.0)], COLUMNS, len(still.rows), "ralph status", title))
        photograph(pane.home, told)
    return 0


@contextmanager
def own_folder() -> Iterator[Path]:
    """Gone afterwards, also when a browser that has just ended still writes into it."""
    folder = Path(tempfile.mkdtemp(prefix="ralph-")).resolve()
    try:
        yield folder
    finally:
        deadline = time.monotonic() + PATIENCE
        while folder.exists() and time.monotonic() < deadline:
            shutil.rmtree(folder, ignore_errors=True)


def _write(name: str, text: str) -> None:
    (HERE / name).write_text(text, encoding="utf-8")
    _made(HERE / name)


def _made(path: Path) -> None:
    print(f"{path.relative_to(HERE.parents[1])}: {path.stat().st_size / 1000:.0f} kB")


# -- what must not be seen -------------------------------------------------------------------------

_ID = re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{4}\b")
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b")
_TIME = re.compile(r"^((?:\x1b\[[\d;]*m)*)(\d\d:\d\d:\d\d)(?=\x1b|  )", re.MULTILINE)


class Neutral:
    """The same on every machine and every day: no folder, no date, no name made by chance."""

    def __init__(self, home: Path, began: datetime) -> None:
        self._home = str(home)
        self._shift = CLOCK - began.replace(microsecond=0)
        self._ids: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        text = _ID.sub(lambda found: self._id(found[0]), text.replace(self._home, "~"))
        text = _DATE.sub(lambda found: self._shifted(found[0], "%Y-%m-%d %H:%M:%S"), text)
        return _TIME.sub(lambda found: found[1] + self._shifted(found[2], "%H:%M:%S"), text)

    def _shifted(self, moment: str, form: str) -> str:
        return (datetime.strptime(moment, form) + self._shift).strftime(form)

    def _id(self, seen: str) -> str:
        number = FIRST_ID + len(self._ids)
        when = datetime.strptime(seen[:15], "%Y%m%d-%H%M%S") + self._shift
        return self._ids.setdefault(seen, f"{when:%Y%m%d-%H%M%S}-{number:04x}")


# -- the terminal ----------------------------------------------------------------------------------


class Pane:
    """A shell in a terminal of its own, with nothing of the user's around it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        self._env = {
            "HOME": str(self.home),
            "PATH": path,
            "TMUX_TMPDIR": str(folder),
            "TERM": "screen-256color",
        }
        self._env |= {"LANG": "C.UTF-8", "TZ": "UTC", "PS1": r"\[\e[2m\]$\[\e[0m\] ", "SHELL": "/bin/bash"}
        size = ("-x", str(COLUMNS), "-y", str(LINES), "-c", str(self.home))
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "bash", "--norc", "--noprofile")

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-u", "-L", "pictures", *arguments], env=self._env, capture_output=True
        )
        if done.returncode:
            raise SystemExit(f"tmux: {done.stderr.decode().strip()}")
        return done.stdout.decode()

    def close(self) -> None:
        self._tmux("kill-server")

    def press(self, key: str) -> None:
        self._tmux("send-keys", *(("-l", key) if len(key) == 1 else (key,)))

    def look(self, told: Neutral) -> Screen:
        where = "#{cursor_flag} #{cursor_x} #{cursor_y}"
        seen = self._tmux("display-message", "-p", where, ";", "capture-pane", "-e", "-p")
        cursor, _, text = seen.partition("\n")
        flag, column, row = map(int, cursor.split())
        return Screen(rows(told(text)), (column, row) if flag else None)

    def steady(self, told: Neutral) -> Screen:
        """What two looks agree on: not a screen that is half painted."""
        seen = self.look(told)
        for _ in range(MOST_LOOKS):
            time.sleep(POLL)
            seen, before = self.look(told), seen
            if seen == before:
                break
        return seen

    def watch(self, told: Neutral, last: str = PROMPT) -> Iterator[Screen]:
        """Every screen until this is its last line; the prompt alone means that a command has ended."""
        deadline = time.monotonic() + PATIENCE
        while True:
            screen = self.steady(told)
            yield screen
            if [line for line in text_of(screen) if line][-1:] == [last]:
                return
            if time.monotonic() > deadline:
                raise SystemExit("This took too long:\n" + "\n".join(text_of(screen)))

    def settled(self, told: Neutral, last: str = PROMPT) -> Screen:
        *_, screen = self.watch(told, last)
        return screen

    def type(self, line: str, told: Neutral) -> list[Screen]:
        """The screen after each key, and then Enter."""
        seen = []
        for number, key in enumerate(line, 1):
            self.press(key)
            seen.append(self.settled(told, f"{PROMPT} {line[:number]}".rstrip()))
        self.press("Enter")
        return seen


@contextmanager
def terminal(folder: Path) -> Iterator[Pane]:
    pane = Pane(folder)
    try:
        yield pane
    finally:
        pane.close()


# -- the recording ---------------------------------------------------------------------------------


def record(pane: Pane, told: Neutral) -> list[Frame]:
    begun = pane.settled(told)
    typed = pane.type(COMMAND, told)
    seen = [typed[-1]]
    for screen in pane.watch(told):
        if screen != seen[-1]:
            seen.append(screen)
    if not any("completed-verified" in line for line in text_of(seen[-1])):
        raise SystemExit("The demo did not end as it should:\n" + "\n".join(text_of(seen[-1])))
    return [Frame(begun, START), *(Frame(screen, KEY) for screen in typed[:-1]), *paced(seen)]


def paced(seen: list[Screen]) -> list[Frame]:
    """As long as reading takes, however fast or slow it was here: what a screen adds needs time, and the end rests."""
    frames = [Frame(seen[0], START)]
    for before, now in pairwise(seen):
        new = set(text_of(now)) - set(text_of(before))
        lines = len([line for line in new if not line.startswith(BLOCK)])
        frames.append(Frame(now, min(FRAME + NEW_LINE * lines, LONGEST)))
    return [*frames[:-1], frames[-1]._replace(seconds=REST)]


def status(pane: Pane, told: Neutral) -> Screen:
    """The screen after `ralph status`, as far as there is something on it."""
    pane.type("cd demo && clear", told)
    pane.settled(told)
    pane.type("ralph status", told)
    screen = pane.settled(told)
    return Screen(screen.rows[: text_of(screen).index(PROMPT)])


# -- the report ------------------------------------------------------------------------------------


def photograph(home: Path, told: Neutral) -> None:
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    browser = next(filter(None, map(shutil.which, names)), None)
    if browser is None:
        print("report.png and report-dark.png are as they were: no chromium on PATH")
        return
    page = home / "report.html"
    command = [sys.executable, "-m", "ralph", "report", "--html", "-o", "-"]
    env = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "TZ": "UTC"}
    made = subprocess.run(command, cwd=home / "demo", env=env, check=True, capture_output=True).stdout
    page.write_text(told(made.decode()), encoding="utf-8")
    for name, dark in (("report.png", False), ("report-dark.png", True)):
        _shoot(browser, page, HERE / name, home / "profile", dark=dark)
        _made(HERE / name)


def _shoot(browser: str, page: Path, into: Path, profile: Path, *, dark: bool) -> None:
    flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run")
    scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    size = (f"--window-size={PAGE[0]},{PAGE[1]}", f"--force-device-scale-factor={SCALE}")
    command = [
        browser,
        *flags,
        scheme,
        *size,
        f"--user-data-dir={profile}",
        f"--screenshot={into}",
        page.as_uri(),
    ]
    before = into.stat().st_mtime_ns if into.exists() else 0
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE * 2)
    if not into.exists() or into.stat().st_mtime_ns == before:
        raise SystemExit(f"{into.name} could not be made:\n{done.stderr.decode(errors='replace')[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())

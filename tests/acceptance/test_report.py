"""`ralph report` on real runs; and its page in a real browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import threading
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from project import Project, contents, until

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH")


def page_of(project: Project) -> Path:
    """Makes the page and says where it is."""
    done = project.ralph("report", "--html")
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip().removeprefix("The report is in "))


def works(project: Project, body: str) -> None:
    """So the agent works, and nothing is uncommitted."""
    project.agent(body)
    project.commit()


class Browser:
    """Chromium without a window, with a profile of its own."""

    def __init__(self, profile: Path) -> None:
        self._profile = profile

    def dom(self, page: Path) -> str:
        """The page as the browser has it after everything that could run has run."""
        return self._run("--virtual-time-budget=3000", "--dump-dom", str(page)).stdout

    def background(self, page: Path, *, dark: bool) -> int:
        """How bright the page's edge is, from 0 to 255."""
        shot = self._profile.with_suffix(".png")
        scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
        self._run(scheme, "--window-size=600,300", f"--screenshot={shot}", str(page))
        return first_pixel(shot.read_bytes())

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        assert CHROMIUM is not None
        flags = (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
        )
        done = subprocess.run(
            [CHROMIUM, *flags, f"--user-data-dir={self._profile}", *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "HOME": str(self._profile.parent)},
        )
        assert done.returncode == 0, done.stderr
        return done


def first_pixel(png: bytes) -> int:
    """Its mean brightness. The first pixel of the first row is the same under every PNG filter."""
    at, data = 8, b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    row = zlib.decompressobj().decompress(data, 4)
    return sum(row[1:4]) // 3


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(tmp_path / "browser")


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """An address, and what was asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def hostile(address: str) -> str:
    return (
        f'</pre></details><script>document.title="pwned"; fetch("{address}/fetch")</script>'
        f'<img src="{address}/img" onerror="document.title=1"><link rel="stylesheet" href="{address}/css">'
        f'<svg onload="document.title=2"><style>body{{background:url({address}/style)}}</style>'
        f'<iframe src="{address}/frame"></iframe><meta http-equiv="refresh" content="0;url={address}/refresh">'
    )


# -- what is told ----------------------------------------------------------------------------------------


def test_a_verified_run_is_summed_up_with_its_proof(project: Project) -> None:
    works(project, "test $RALPH_ITERATION = 1 && echo 41 > answer || echo 42 > answer; echo TASK_COMPLETE")
    assert project.ralph("run").returncode == 0
    before = contents(project.path)
    done = project.ralph("report")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# Ralph Loop Execution Summary\n\n## Completed: 1/1 tasks\n")
    assert "- Proof: tests red→green" in done.stdout
    assert re.search(
        r"\| tests \(command, clean checkout\) \| the claim of iteration 1 \| red \| 1 \|", done.stdout
    )
    assert (
        "| tests | a clean checkout | red → green | 1 | its runner reports no tests by name |  |"
        in done.stdout
    )
    assert re.search(r"\| 2 \| claim proven: tests red→green \|", done.stdout)
    assert "Failed Tasks" not in done.stdout
    assert contents(project.path) == before, "a report changes nothing"


def test_a_failed_run_says_what_a_person_needs(project: Project) -> None:
    works(project, "echo $RALPH_ITERATION > answer; echo TASK_COMPLETE")
    assert project.ralph("run", "--max-attempts", "3").returncode == 3
    text = project.ralph("report").stdout
    assert "## Completed: 0/1 tasks" in text
    part = text.partition("## Failed Tasks (require human attention):\n\n")[2]
    lines = part.splitlines()
    assert lines[0].startswith("### Task ")
    assert lines[1:6] == [
        "- Attempts: 3/3",
        "- Last gate: tests",
        "- Error: FAILED: the answer is not 42",
        "- Stuck: Yes (same error 3x)",
        "- Quality warnings: 0",
    ]


def test_the_json_has_everything_that_is_told(project: Project) -> None:
    assert project.ralph("run").returncode == 0
    done = project.ralph("report", "--json")
    assert done.stdout.isascii()
    (loop,) = json.loads(done.stdout)["loops"]
    assert (loop["end"], loop["code"], loop["proof"]) == ("completed-verified", 0, {"tests": "red→green"})
    assert loop["changed"] == [{"path": "answer", "added": 1, "deleted": 0}]
    assert [run["passed"] for run in loop["evidence"]] == [False, True]


def test_several_loops_are_told_apart(project: Project) -> None:
    assert project.ralph("run").returncode == 0
    project.commit()
    works(project, "echo 7 > answer; echo TASK_COMPLETE")
    assert project.ralph("run", "-p", "Another", "--max-attempts", "1").returncode == 3
    first, second = (fact["loop"] for fact in project.facts("loop.started"))
    assert second in project.ralph("report").stdout and first not in project.ralph("report").stdout
    assert first in project.ralph("report", first).stdout
    every = project.ralph("report", "--all").stdout
    assert "## Completed: 1/2 tasks" in every
    assert project.ralph("report", "--all", "--html").returncode == 0
    refused = project.ralph("report", "nope")
    assert (
        refused.returncode == 2 and "there is no loop 'nope'" in refused.stderr and second in refused.stderr
    )


def test_without_a_loop_the_next_command_is_named(project: Project) -> None:
    done = project.ralph("report", "--html")
    assert done.returncode == 2
    assert done.stderr == 'ralph: there is no loop here yet\nStart one with `ralph run -p "..."`.\n'


def test_a_folder_without_git_has_a_report(project: Project) -> None:
    shutil.rmtree(project.path / ".git")
    assert project.ralph("run").returncode == 0
    assert "- Changed: 1 file, +1 −0" in project.ralph("report").stdout
    assert page_of(project).is_relative_to(project.path / ".ralph")


def test_a_live_run_can_be_reported_and_goes_on(project: Project) -> None:
    works(
        project,
        'echo "at work"; while ! test -e $HOME/go; do sleep 0.05; done; echo 42 > answer; echo TASK_COMPLETE',
    )
    run = project.start("run")
    transcripts = project.path / ".git/ralph/runs"
    until(
        lambda: any(b"at work" in p.read_bytes() for p in transcripts.rglob("*.out")), "the agent is at work"
    )
    text = project.ralph("report").stdout
    assert "## Under way:" in text and "| 1 | under way |" in text
    page = page_of(project).read_text()
    assert "Under way" in page and "at work" in page
    (Path(project.env["HOME"]) / "go").touch()
    assert run.wait(60) == 0
    assert "Done, and the gates prove it" in page_of(project).read_text()


def test_a_died_run_is_told_as_dead(project: Project) -> None:
    works(project, "echo started > answer; touch $HOME/begun; sleep 60")
    run = project.start("run")
    until(lambda: project.mark("begun"), "the agent has begun")
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    text = project.ralph("report").stdout
    assert "- Error: the run died" in text and "`ralph resume`" in text
    assert "| 1 | interrupted: the run died |" in text
    assert '<header class="outcome bad">' in page_of(project).read_text()


# -- where it goes ---------------------------------------------------------------------------------------


def test_the_page_is_written_outside_the_work_tree(project: Project) -> None:
    assert project.ralph("run").returncode == 0
    before = project.git("status", "--porcelain")
    page = page_of(project)
    assert page.parent == project.path / ".git/ralph/reports"
    assert project.git("status", "--porcelain") == before


def test_only_a_report_is_overwritten(project: Project) -> None:
    assert project.ralph("run").returncode == 0
    mine = project.write("report.html", "<p>mine</p>")
    refused = project.ralph("report", "--html", "-o", "report.html")
    assert refused.returncode == 2 and "did not make it" in refused.stderr
    assert mine.read_text() == "<p>mine</p>"
    for kind, name in (("--html", "a.html"), ("--json", "a.json"), (None, "a.md")):
        for _ in range(2):
            done = project.ralph("report", *([kind] if kind else []), "-o", name)
            assert done.returncode == 0, done.stderr
    assert json.loads((project.path / "a.json").read_text())
    printed = project.ralph("report", "--html", "-o", "-").stdout
    assert printed.startswith("<!doctype html>") and printed.endswith("</html>\n")
    assert project.ralph("report", "-o", ".").returncode == 2
    assert project.ralph("report", "--html", "--json").returncode == 2


# -- hostile and large -----------------------------------------------------------------------------------


@needs_browser
def test_nothing_that_an_agent_says_acts_in_a_browser(
    project: Project, browser: Browser, listener: tuple[str, list[str]]
) -> None:
    address, asked = listener
    nasty = hostile(address)
    project.write("nasty.txt", nasty + "\x1b[31m\x1b]0;title\x07\u202e\x00")
    with open(project.path / "nasty.txt", "ab") as file:
        file.write(b"\xff\xfe\x80\n")
    project.write("PROMPT.md", nasty)
    works(
        project,
        "cat nasty.txt; cp nasty.txt '<script>alert(1)<.script>'; cat nasty.txt >&2; echo 42 > answer; echo TASK_COMPLETE",
    )
    project.write("test.sh", 'cat nasty.txt; test "$(cat answer 2>/dev/null)" = 42\n')
    project.commit()
    assert project.ralph("run").returncode == 0
    page = page_of(project)
    dom = browser.dom(page)
    assert "<title>pwned" not in dom and "ralph report</title>" in dom
    shape = re.sub(r"<(style|pre)\b.*?</\1>", "", dom, flags=re.DOTALL)
    assert not re.search(r"<(script|img|iframe|form|object)\b", dom)
    assert not re.search(r"<[^>]+\son\w+=", shape)
    assert shape.count("<details") == shape.count("</details>") > 5
    assert "fetch(" in dom, "it is shown, as text"
    assert asked == []
    # Were a text not escaped one day, the page's policy would still let nothing run or be fetched.
    broken = page.with_name("broken.html")
    broken.write_text(page.read_text().replace("<main>", f"<main>{nasty.partition('<meta')[0]}", 1))
    dom = browser.dom(broken)
    assert "<img" in dom and "ralph report</title>" in dom
    assert asked == []


def test_an_output_of_fifty_megabytes_is_cut_in_little_memory(project: Project) -> None:
    works(
        project,
        "echo the first line; yes 0123456789012345678901234567890123456789 | head -c 52428800; echo; echo the last line\n"
        "echo 42 > answer; echo TASK_COMPLETE",
    )
    assert project.ralph("run").returncode == 0
    out = project.path / "out.html"
    # A program that read it whole would need more than twice its size besides what Python takes.
    done = project.shell(f"ulimit -v 150000; ralph report --html -o {out}")
    assert done.returncode == 0, done.stderr
    text = out.read_text()
    assert "the first line\n" in text and "the last line\n" in text
    assert re.search(r"\[\.\.\. [\d,]+ bytes cut; whole file: \S+iteration-1\.out \.\.\.\]", text)
    assert len(text) < 1 << 20


@needs_browser
def test_two_hundred_iterations_make_a_page_that_a_browser_shows_light_and_dark(
    project: Project, browser: Browser
) -> None:
    works(
        project,
        "n=$RALPH_ITERATION; echo $n > step; test $n = 200 && echo 42 > answer\n"
        "test $((n % 10)) = 0 && echo TASK_COMPLETE || echo ITERATION_DONE",
    )
    project.config(
        "cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}\n"
        "gates: [{name: tests, run: sh test.sh}]\n"
        "event_loop: {max_iterations: 200, max_attempts: 100, crash_wait: 0}\n"
        "stuck: {same_error_shift: 90, same_error_stop: 90}\n"
    )
    project.commit()
    done = project.ralph("run", timeout=250)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    page = page_of(project)
    assert page.stat().st_size < 10 << 20
    dom = browser.dom(page)
    assert len(re.findall(r'<details class="it [a-z-]+" id="i\d+"', dom)) == 200
    assert len(re.findall(r'<a href="#i\d+"', dom)) == 200
    assert "Done, and the gates prove it" in dom
    assert browser.background(page, dark=False) > 200
    assert browser.background(page, dark=True) < 60

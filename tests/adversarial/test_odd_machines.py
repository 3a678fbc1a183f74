"""Promise: a user's machine may be odd, and a run goes on all the same or says in one sentence why not. HOME that is not set,
files that cannot be removed, folders nested beyond reason, a clock that is set meanwhile.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from project import Project, until

DONE = "echo 42 > answer; echo TASK_COMPLETE"
DEEP = """python3 - <<'END'
import os
os.chdir(os.environ.get("TMPDIR_OF_TEST") or os.environ["TMPDIR"])
for _ in range(1200):
    os.mkdir("d")
    os.chdir("d")
END
"""


def ended_well(project: Project, **env: str) -> str:
    done = project.ralph("run", env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def unremovable(tmp_path: Path) -> Iterator[str]:
    """A line of shell that makes a file which nobody removes, as those of a container's root are for its user."""
    probe = tmp_path / "probe"
    probe.touch()
    if (
        shutil.which("chattr") is None
        or subprocess.run(["chattr", "+i", probe], capture_output=True).returncode
    ):
        pytest.skip("needs the right to make a file immutable")
    yield "touch {0}/stays && chattr +i {0}/stays && "
    subprocess.run(["chattr", "-R", "-f", "-i", tmp_path], capture_output=True)


@pytest.mark.parametrize("where", [".", '"$TMPDIR"', '"$HOME"'], ids=["checkout", "tmp", "home"])
def test_what_a_gate_leaves_and_nobody_can_remove_is_in_nobodys_way(
    project: Project, unremovable: str, where: str
) -> None:
    project.write("test.sh", unremovable.format(where) + (project.path / "test.sh").read_text())
    project.agent(
        'test "$RALPH_ITERATION" = 1 || echo 42 > answer; echo "$RALPH_ITERATION" > n; echo TASK_COMPLETE'
    )
    project.commit()
    ended_well(project)
    project.git("clean", "-fdq")
    ended_well(project)  # the next run finds what the first one left


def test_a_machine_without_home_is_worked_on(project: Project) -> None:
    del project.env["HOME"]
    ended_well(project, RALPH_WORKSPACES=str(project.path.parent / "workspaces"))


@pytest.mark.parametrize("home", ["/nonexistent/home", "relative"])
def test_a_home_that_is_not_there_is_no_trouble(project: Project, home: str) -> None:
    ended_well(project, HOME=home, RALPH_WORKSPACES=str(project.path.parent / "workspaces"))


@pytest.mark.parametrize("tasks", [False, True], ids=["prompt", "backlog"])
def test_where_home_cannot_be_written_one_sentence_says_what_to_set(project: Project, tasks: bool) -> None:
    if tasks:
        (project.path / "PROMPT.md").unlink()
        project.write("tasks.jsonl", '{"id": "A", "title": "Part A"}\n')
        project.commit()
    done = project.ralph("run", env={"HOME": "/proc"})
    assert done.returncode != 0
    assert "workspaces" in done.stdout + done.stderr and "Traceback" not in done.stderr
    assert "RALPH_WORKSPACES" in done.stderr or tasks
    more = ("resume",) if project.facts("loop.started") else ("run",)
    again = project.ralph(*more, env={"RALPH_WORKSPACES": str(project.path.parent / "workspaces")})
    assert again.returncode == 0, again.stdout + again.stderr


def test_where_there_are_no_locks_a_run_says_so_and_what_reads_does_not_need_them(
    project: Project, tmp_path: Path
) -> None:
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    source, library = tmp_path / "flock.c", tmp_path / "flock.so"
    source.write_text("#include <errno.h>\nint flock(int fd, int how) { errno = ENOLCK; return -1; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    ended_well(project)
    without = {"LD_PRELOAD": str(library)}
    for command in ("status", "report", "events"):
        done = project.ralph(command, env=without)
        assert done.returncode == 0, done.stderr
    done = project.ralph("run", "--in-place", env=without)
    assert done.returncode == 70
    assert "has no locks" in done.stderr and "local disk" in done.stderr


def test_temporary_folders_of_gates_whose_run_was_killed_do_not_pile_up(project: Project) -> None:
    old, young = (Path(project.env["TMPDIR"], f"ralph-{os.getuid()}-{name}") for name in ("old", "young"))
    for folder in (old, young):
        folder.mkdir()
    os.utime(old, (0, 0))
    ended_well(project)
    assert young.is_dir() and not old.exists()


@pytest.mark.parametrize("where", ["agent", "gate"])
def test_folders_nested_beyond_reason_are_removed(project: Project, where: str) -> None:
    if where == "agent":
        project.agent(f'export TMPDIR_OF_TEST="$PWD"; {DEEP}{DONE}')
    else:
        project.write("test.sh", DEEP + (project.path / "test.sh").read_text())
    project.commit()
    try:
        ended_well(project)
        assert list(Path(project.env["TMPDIR"]).iterdir()) == []
    finally:
        subprocess.run(["rm", "-rf", project.path])  # pytest would not get to the bottom of it


# libfaketime does not know the way in which Python sleeps.
SHIFTED_CLOCK = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long offset(void) {
  char text[32] = {0};
  int fd = syscall(SYS_openat, AT_FDCWD, getenv("CLOCK_OFFSET_FILE"), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  return atol(text);
}
int clock_gettime(clockid_t id, struct timespec *at) {
  int failed = syscall(SYS_clock_gettime, id, at);
  if (!failed && id == CLOCK_REALTIME) at->tv_sec += offset();
  return failed;
}
int gettimeofday(struct timeval *at, void *zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
"""
DAY = 86400


class Clock:
    """The wall clock of a run: what it says can be set meanwhile."""

    def __init__(self, folder: Path) -> None:
        source, self._file = folder / "clock.c", folder / "clock"
        source.write_text(SHIFTED_CLOCK)
        library = folder / "clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        self.env = {"LD_PRELOAD": str(library), "CLOCK_OFFSET_FILE": str(self._file)}
        self.set(0)

    def set(self, seconds: int) -> None:
        self._file.write_text(f"{seconds}\n")


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    return Clock(tmp_path)


@pytest.mark.parametrize("killed", [False, True], ids=["meanwhile", "between death and resume"])
def test_a_wait_is_no_longer_because_the_clock_was_set_back(
    project: Project, clock: Clock, killed: bool
) -> None:
    project.config((project.path / "ralph.yml").read_text().replace("crash_wait: 0", "crash_wait: 4"))
    project.agent(f'test "$RALPH_ITERATION" = 1 && kill -9 $$; {DONE}')
    project.commit()
    run = project.start("run", env=clock.env)
    until(lambda: project.journaled("wait.started"), "it waits after the crash")
    if killed:
        run.kill()
        run.wait(60)
    clock.set(-30 * DAY)
    run = project.start("resume", env=clock.env) if killed else run
    assert run.wait(60) == 0, project.shown()


@pytest.mark.parametrize("offset", [-30 * DAY, 30 * DAY])
def test_a_clock_that_is_set_while_an_agent_works_changes_nothing(
    project: Project, clock: Clock, offset: int
) -> None:
    wait = 'touch "$HOME/works"; until test -e "$HOME/set"; do sleep 0.1; done'
    project.agent(f"{wait}; {DONE}")
    project.commit()
    run = project.start("run", "--max-runtime-seconds", "100", env=clock.env)
    until(lambda: project.mark("works"), "the agent works")
    clock.set(offset)
    (Path(project.env["HOME"]) / "set").touch()
    assert run.wait(60) == 0, project.shown()
    assert 0 <= float(project.facts("iteration.ended")[-1]["seconds"]) < 60

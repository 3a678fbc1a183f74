"""One run of a gate: the verdict, what it wrote, and that neither processes nor writes are left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ralph.core.globs import matches
from ralph.git.recovery import saved
from ralph.git.repo import Repo, find, without_git
from ralph.setup.trial import Trial, Trials, patterns


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    root = tmp_path / "project"
    root.mkdir()
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / "kept").write_text("kept")
    found = find(root)
    assert found
    return found


def tried(repo: Repo, command: str, seconds: float = 60, folder: Path | None = None) -> Trial:
    with Trials(repo, folder or repo.root, seconds) as trials:
        return trials.run(command)


def test_a_gate_that_passes_is_green(repo: Repo) -> None:
    found = tried(repo, "echo fine")
    assert (found.how, found.headline, found.wrote) == ("green", "", ())
    assert found.verdict.startswith("passes today, ")
    assert not repo.state_dir.exists(), "nothing of the trial is left"


def test_a_gate_that_fails_is_red_and_says_what_failed(repo: Repo) -> None:
    found = tried(repo, "printf 'ok\\n\\033[31mE   assert 1 == 2\\033[0m\\n'; exit 3")
    assert found.how == "red"
    assert "assert 1 == 2" in found.verdict and "\033" not in found.verdict


def test_a_gate_that_fails_in_silence_shows_its_exit_code(repo: Repo) -> None:
    assert tried(repo, "exit 3").headline == "exit code 3"


def test_a_program_that_is_not_there_is_not_runnable(repo: Repo) -> None:
    found = tried(repo, "surely-not-here --x")
    assert found.how == "not runnable"
    assert "not found" in found.verdict


def test_a_gate_without_end_is_ended_with_all_that_it_started(repo: Repo, tmp_path: Path) -> None:
    beat = tmp_path / "beat"
    script = tmp_path / "daemon.py"
    script.write_text(
        "import os, signal, time, pathlib\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        f"    while True: pathlib.Path({str(beat)!r}).touch(); time.sleep(0.02)\n"
        "time.sleep(1000)\n"
    )
    found = tried(repo, f"{sys.executable} {script}", seconds=8)
    assert found.how == "out of time"
    assert found.verdict == "did not end within 8 s"
    before = beat.stat().st_mtime_ns
    deadline = time.monotonic() + 0.3
    while time.monotonic() < deadline:
        assert beat.stat().st_mtime_ns == before, "something of it is alive"
        time.sleep(0.05)


def test_what_it_writes_is_undone_kept_and_reported(repo: Repo) -> None:
    found = tried(repo, "echo changed > kept; mkdir -p out; echo 1 > out/new")
    assert found.wrote == ("kept", "out/new") == found.may_write
    assert (repo.root / "kept").read_text() == "kept"
    assert not (repo.root / "out").exists()
    assert [one.loop for one in saved(repo)] == ["init"]


def test_what_only_the_first_run_writes_need_not_be_allowed(repo: Repo, tmp_path: Path) -> None:
    once = tmp_path / "once"
    found = tried(repo, f"test -e {once} || echo 1 > lock; touch {once}; date +%N > stamp")
    assert found.wrote == ("lock", "stamp")
    assert found.may_write == ("stamp",)


def test_writes_are_undone_also_when_the_trial_is_broken_off(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ralph.processes.owned_process as owned

    def interrupted(self: owned.OwnedProcess, seconds: float | None = None) -> None:
        while not (repo.root / "new").exists():
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(owned.OwnedProcess, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tried(repo, "echo 1 > new; sleep 1000")
    assert not (repo.root / "new").exists()


def test_it_works_without_git(tmp_path: Path) -> None:
    repo = without_git(tmp_path)
    found = tried(repo, "echo 1 > new")
    assert (found.how, found.wrote) == ("green", ("new",))
    assert not (tmp_path / "new").exists()


def test_the_gate_runs_in_its_folder_without_ralphs_variables(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RALPH_LOOP", "another")
    below = repo.root / "below"
    below.mkdir()
    found = tried(repo, 'test "$(basename "$PWD")" = below && test -z "$RALPH_LOOP"', folder=below)
    assert found.how == "green"


def test_output_without_end_is_cut(repo: Repo) -> None:
    found = tried(repo, "yes 'a long line of output' | head -n 500000; echo 'E   assert 0'; exit 1")
    assert (found.how, found.headline) == ("red", "assert 0")


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([".coverage"], (".coverage",)),
        (["a/1", "a/2"], ("a/1", "a/2")),
        ([f"html/{n}.html" for n in range(9)], ("html/",)),
        ([f"x/y/{n}" for n in range(9)] + ["z"], ("x/y/", "z")),
        (["we[i]rd*\x1b"], ("we?i?rd??",)),
    ],
)
def test_patterns_mean_what_was_written(paths: list[str], expected: tuple[str, ...]) -> None:
    found = patterns(paths)
    assert found == expected
    assert all(matches(path, found) for path in paths)


def test_nothing_of_the_trials_own_output_stays(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    tried(repo, "echo x")
    assert os.listdir(scratch) == []  # noqa: PTH208


# -- signals -------------------------------------------------------------------------------------------

HOLD = """
import os, signal
from ralph.setup.write import Interrupts
print("begin", flush=True)
with Interrupts() as interrupts:
    os.kill(os.getpid(), signal.{first})
    os.kill(os.getpid(), signal.SIGINT)
    print("undone", flush=True)
    with interrupts.heeded():
        print("never", flush=True)
print("never", flush=True)
"""


@pytest.mark.parametrize("first", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_is_held_back_until_somebody_heeds_it_and_then_ends_the_process(
    first: signal.Signals,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HOLD.format(first=first.name)], capture_output=True, text=True
    )
    assert done.stdout == "begin\nundone\n"
    assert done.returncode == -first


def test_a_signal_that_nobody_heeded_ends_the_process_at_last() -> None:
    script = HOLD.format(first="SIGTERM").replace(
        "    with interrupts.heeded():\n    ", "    if False:\n    "
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("begin\nundone\n", -signal.SIGTERM)


def test_an_ignored_signal_stays_ignored() -> None:
    script = HOLD.format(first="SIGHUP").replace(
        "with Interrupts", "signal.signal(signal.SIGHUP, signal.SIG_IGN)\nwith Interrupts"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == -signal.SIGINT, "the second"

"""Promise: an agent that stops what watches over it (`kill -STOP $PPID`, job control gone wrong) is ended all the same: at its
limit, and with Ralph.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from project import Project, processes_with, until

DONE = "echo 42 > answer; echo TASK_COMPLETE"
STOPS = 'if ! test -e "$HOME/stopped"; then kill -STOP $PPID; touch "$HOME/stopped"; sleep 1000; fi'
TIERS = ("cgroup", "reaper", "group")


@pytest.fixture
def stops(project: Project) -> Project:
    config = (project.path / "ralph.yml").read_text()
    project.config(config.replace("crash_wait: 0", "crash_wait: 0, iteration_timeout: 3"))
    project.agent(f"{STOPS}; {DONE}")
    project.commit()
    return project


def test_its_time_limit_holds_and_the_loop_goes_on(stops: Project) -> None:
    done = stops.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cut off (iteration-time)" in done.stdout


@pytest.mark.parametrize("tier", TIERS)
def test_nothing_of_it_outlives_ralph(stops: Project, tier: str) -> None:
    stops.config(
        (stops.path / "ralph.yml").read_text().replace("iteration_timeout: 3", "iteration_timeout: 900")
    )
    stops.commit()
    run = stops.start("run", env={"RALPH_TIER": tier})
    until(lambda: stops.mark("stopped"), "the guard is stopped")
    run.send_signal(signal.SIGKILL)
    run.wait()
    token = f"HOME={Path(stops.env['HOME'])}"
    until(lambda: not processes_with(token), "nothing is left")
    assert stops.ralph("resume").returncode == 0

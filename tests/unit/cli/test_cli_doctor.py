"""What doctor says about a machine, told from files as the kernel shows them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ralph.cli.doctor import left_by, mend_tier

linux = pytest.mark.skipif(sys.platform != "linux", reason="these tiers are Linux's")


def machine(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@linux
@pytest.mark.parametrize(
    "name, value, mend",
    [
        ("unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone=1"),
        (
            "apparmor_restrict_unprivileged_userns",
            "1\n",
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ],
)
def test_a_kernel_that_forbids_user_namespaces_is_named(
    tmp_path: Path, name: str, value: str, mend: str
) -> None:
    machine(tmp_path, **{f"proc__sys__kernel__{name}": value})
    assert mend in mend_tier("pidns", tmp_path)
    machine(tmp_path, **{f"proc__sys__kernel__{name}": "1\n" if value == "0\n" else "0\n"})
    assert mend not in mend_tier("pidns", tmp_path), "what is allowed needs no mending"


@linux
def test_no_user_namespaces_at_all(tmp_path: Path) -> None:
    machine(tmp_path, proc__sys__user__max_user_namespaces="0\n")
    assert "user.max_user_namespaces" in mend_tier("pidns", tmp_path)


@linux
def test_a_cgroup_can_be_delegated_by_systemd(tmp_path: Path) -> None:
    machine(tmp_path, proc__self__cgroup="9:pids:/\n")
    assert "unified_cgroup_hierarchy" in mend_tier("cgroup", tmp_path)
    machine(tmp_path, proc__self__cgroup="0::/user.slice\n")
    assert "delegate" in mend_tier("cgroup", tmp_path)
    (tmp_path / "run/systemd/system").mkdir(parents=True)
    assert "systemd-run --user --scope -p Delegate=yes" in mend_tier("cgroup", tmp_path)


@linux
def test_processes_of_a_dead_run_are_found_and_left_alone() -> None:
    run = "20200101-000000-dead"
    left = subprocess.Popen(["sleep", "600"], env={"RALPH_RUN": run, "PATH": "/usr/bin:/bin"})
    try:
        assert left_by(run, f"reaper {run} 0.0 ") == [f"{left.pid} sleep"]
        assert left.poll() is None
    finally:
        left.kill()
        left.wait()
    assert left_by(run, f"reaper {run} 0.0 ") == []

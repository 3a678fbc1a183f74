"""Finding the place for cgroups, and killing where the kernel has no cgroup.kill."""

from __future__ import annotations

from pathlib import Path

import pytest
from process_world import World, tiers, until, wait_exited, wait_for_line

from ralph.processes.keeper import cgroup

HYBRID = """31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
36 31 0:33 / /sys/fs/cgroup/devices rw,relatime - cgroup cgroup rw,devices
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw
"""
PURE = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
PART = "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
SPACE = "30 23 0:26 / /mnt/my\\040cgroups rw - cgroup2 cgroup rw\n"


@pytest.mark.parametrize(
    ("membership", "mounts", "place"),
    [
        ("9:name=systemd:/x\n0::/\n", HYBRID, "/sys/fs/cgroup/unified"),
        ("0::/user.slice/a.scope\n", PURE, "/sys/fs/cgroup/user.slice/a.scope"),
        ("0::/docker/abc\n", PART, "/sys/fs/cgroup"),
        ("0::/docker/abc/sub\n", PART, "/sys/fs/cgroup/sub"),
        ("0::/..hidden\n", PURE, "/sys/fs/cgroup/..hidden"),
        ("0::/a\n", SPACE, "/mnt/my cgroups/a"),
    ],
)
def test_the_place_is_found_in_every_layout(membership: str, mounts: str, place: str) -> None:
    assert cgroup.find_place(membership, mounts) == place


@pytest.mark.parametrize(
    ("membership", "mounts"),
    [("", PURE), ("4:memory:/\n", HYBRID), ("0::/\n", ""), ("0::/docker/xyz\n", PART), ("0::/../a\n", PART)],
)
def test_no_place_is_an_error_that_says_so(membership: str, mounts: str) -> None:
    with pytest.raises(OSError, match="cgroup"):
        cgroup.find_place(membership, mounts)


@pytest.mark.parametrize("tier", tiers("cgroup"))
def test_an_older_kernel_can_kill_one_by_one(world: World) -> None:
    owned = world.sh("(setsid sleep TOKEN &); trap '' TERM; echo up; sleep TOKEN")
    wait_for_line(owned, "up")
    own = cgroup.own_place()
    inside = next(
        line.rpartition("/")[2]
        for line in Path(f"/proc/{owned.pid}/cgroup").read_text().splitlines()
        if line.startswith("0::")
    )
    place = f"{own}/{inside}"
    assert owned.pid in cgroup.members(place)

    def emptied() -> bool:
        cgroup.kill_each(place)
        return not cgroup.populated(place)

    until(emptied)
    wait_exited(owned)
    assert owned.close().code == -9

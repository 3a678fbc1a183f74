"""From start to end, in every tier that works here."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from process_world import World, children, finish, open_fds, tiers, until, wait_exited, wait_for_line

from ralph.errors import RalphError
from ralph.processes import ownership as processes

HOLDING = tiers("cgroup", "pidns", "reaper")
ALL = tiers("cgroup", "pidns", "reaper", "group")

every_tier = pytest.mark.parametrize("tier", ALL)
every_holding_tier = pytest.mark.parametrize("tier", HOLDING)


# -- what the program gets and gives


@every_tier
@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 0", 0),
        ("exit 3", 3),
        ("exit 255", 255),
        ("exit 143", 143),
        ("kill -9 $$", -9),
        ("kill $$", -15),
    ],
)
def test_exit_codes_and_signals_are_told_apart(world: World, script: str, code: int) -> None:
    ended, _ = world.run(script)
    assert (ended.code, ended.stragglers, ended.trouble) == (code, (), "")


@every_tier
def test_output_goes_to_lines_tails_and_files(world: World) -> None:
    ended, lines = world.run("echo one; echo two >&2; printf three")
    assert [line.text for line in lines if line.stream == "out"] == ["one", "three"]
    assert [line.text for line in lines if line.stream == "err"] == ["two"]
    assert ended.err_tail == "two\n"
    assert world.out.read_bytes() == b"one\nthree"
    assert world.out.with_name("out.err").read_bytes() == b"two\n"


@every_tier
def test_merged_output_keeps_its_order_in_one_file(world: World) -> None:
    ended, lines = world.run("echo one; echo two >&2; echo three", merge=True)
    assert world.out.read_bytes() == b"one\ntwo\nthree\n"
    assert [(line.stream, line.text) for line in lines] == [("out", "one"), ("out", "two"), ("out", "three")]
    assert not world.out.with_name("out.err").exists()
    assert ended.err_tail == ""


@every_tier
def test_environment_is_exactly_what_was_given_and_the_two_marks(world: World) -> None:
    given = {
        "A.B": "dot",
        "BASH_FUNC_f%%": "() { :; }",
        "LINES2": "a\nb",
        "BYTES": "\udcff",
        "PWD": "/else",
        "E": "",
    }
    env = shutil.which("env")
    assert env
    finish(world.start([env, "-0"], env=given))
    pairs = [os.fsdecode(x).partition("=") for x in world.out.read_bytes().split(b"\0") if x]
    got = {k: v for k, _, v in pairs}
    assert got.pop("RALPH_RUN") == world.ownership.run
    assert got.pop("RALPH_PROCESS") == f"{world.ownership.run}/1-k"
    assert got == given


@every_tier
def test_arguments_and_directory_arrive_unchanged(world: World) -> None:
    folder = world.folder / 'it\'s "odd" \n here'
    folder.mkdir()
    arguments = ["", " ", "a b", "$HOME `id`", "new\nline", "*", "\udcfe"]
    finish(world.start(["sh", "-c", 'pwd; printf "%s\\0" "$@"', "sh", *arguments], cwd=folder))
    cwd, _, rest = os.fsdecode(world.out.read_bytes()).partition("here\n")
    assert cwd + "here" == os.path.realpath(folder)
    assert rest.split("\0")[:-1] == arguments


@every_tier
def test_the_program_keeps_the_user_and_groups(world: World) -> None:
    world.run("id -u; id -g; touch mine")
    assert world.said().split() == [str(os.geteuid()), str(os.getegid())]
    assert (world.folder / "mine").stat().st_uid == os.geteuid()


@every_tier
def test_the_program_sees_no_descriptor_and_no_signal_setting_of_ours(world: World) -> None:
    world.run("exec ls /proc/self/fd")
    assert set(world.said().split()) <= {"0", "1", "2", "3"}  # 3 is that of ls itself
    world.run("exec grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status")
    masks = {name: int(mask, 16) for name, mask in (line.split(":") for line in world.said().splitlines())}
    sigpipe, sigterm, sigchld = 1 << 12, 1 << 14, 1 << 16
    assert masks["SigBlk"] == 0
    assert masks["SigIgn"] & (sigpipe | sigterm | sigchld) == 0


@every_tier
def test_the_reported_pid_is_that_of_the_program(world: World) -> None:
    owned = world.sh("echo up; exec sleep TOKEN")
    wait_for_line(owned, "up")
    until(lambda: world.token.seconds.encode() in Path(f"/proc/{owned.pid}/cmdline").read_bytes())
    owned.kill()
    assert owned.close().code == -9


@every_tier
def test_a_program_may_signal_its_whole_process_group(world: World) -> None:
    ended, _ = world.run("trap 'echo caught' TERM; kill 0; exit 4")
    assert (ended.code, world.said()) == (4, "caught\n")


@every_tier
def test_many_run_side_by_side(world: World) -> None:
    running = []
    for n in range(8):
        world.out = world.folder / f"out{n}"
        running.append(world.sh(f"cat; exit {n}", stdin=b"%d" % n))
    for n, owned in enumerate(running):
        ended, _ = finish(owned)
        assert (ended.code, ended.stragglers) == (n, ())
        assert (world.folder / f"out{n}").read_text() == str(n)


# -- stdin


@every_tier
def test_without_stdin_the_program_reads_an_end(world: World) -> None:
    world.run("wc -c")
    assert world.said().strip() == "0"


@every_tier
def test_a_large_prompt_arrives_whole(world: World) -> None:
    world.run("wc -c", stdin=b"p" * 10_000_000)
    assert world.said().strip() == "10000000"


@every_tier
@pytest.mark.parametrize(
    "script", ["echo up", "exec <&-; echo up; sleep 0.05", "head -c 9 >/dev/null; echo up"]
)
def test_a_prompt_that_is_not_read_does_no_harm(world: World, script: str) -> None:
    ended, _ = world.run(script, stdin=b"p" * 10_000_000)
    assert (ended.code, world.said()) == (0, "up\n")


# -- what cannot be started


@every_tier
def test_a_program_that_cannot_be_executed_is_a_clear_error(world: World) -> None:
    def file(name: str, text: str, mode: int = 0o755) -> str:
        (world.folder / name).write_text(text)
        (world.folder / name).chmod(mode)
        return f"./{name}"

    fds = open_fds("self")
    with pytest.raises(FileNotFoundError, match="no such program"):
        world.start(["no-such-program-anywhere"])
    with pytest.raises(FileNotFoundError, match="no such program"):
        world.start([""])
    with pytest.raises(FileNotFoundError, match="no such program"):
        world.start(["./missing"])
    with pytest.raises(PermissionError, match="not executable"):
        world.start([file("plain", "#!/bin/sh\n", 0o644)])
    with pytest.raises(PermissionError, match="a directory"):
        world.start([str(world.folder)])
    with pytest.raises(OSError, match="#! line") as no_line:
        world.start([file("no-line", "echo hi\n")])
    assert no_line.value.errno == errno.ENOEXEC
    with pytest.raises(FileNotFoundError, match=r"interpreter .*#!/no/such/shell"):
        world.start([file("no-interpreter", "#!/no/such/shell\n")])
    with pytest.raises(OSError) as too_long:
        world.start(["sh", "-c", ":", "x" * 5_000_000])
    assert too_long.value.errno == errno.E2BIG
    with pytest.raises(FileNotFoundError) as nowhere:
        world.start([shutil.which("true") or "true"], cwd=world.folder / "gone")
    assert nowhere.value.filename == str(world.folder / "gone")
    with pytest.raises(FileNotFoundError):
        world.out = world.folder / "no-folder" / "out"
        world.sh(":")
    assert open_fds("self") == fds
    world.out = world.folder / "out"
    assert world.run("exit 7")[0].code == 7


@every_tier
def test_programs_are_found_as_a_shell_in_that_directory_would(world: World) -> None:
    tool = world.folder / "bin" / "tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho $0 found\n")
    tool.chmod(0o755)
    for name, path in (("tool", "bin:/usr/bin"), ("bin/tool", "/usr/bin"), (str(tool), "")):
        ended, _ = finish(world.start([name], env={"PATH": path}))
        assert (ended.code, world.said().endswith("tool found\n")) == (0, True)


# -- ends


@every_holding_tier
@pytest.mark.parametrize(
    "daemon",
    [
        "sleep TOKEN &",
        "(setsid sleep TOKEN &)",
        "(setsid sh -c 'trap \"\" TERM INT HUP; (setsid sleep TOKEN &); sleep TOKEN' &)",
        "(env -i setsid sleep TOKEN </dev/null >/dev/null 2>&1 &)",
        "sleep TOKEN & until [ $(sleepers) = 1 ]; do sleep 0.01; done; kill -STOP $!",
    ],
    ids=["background", "double-fork", "deep and deaf", "clean environment", "stopped"],
)
def test_what_outlives_the_program_is_named_and_gone(world: World, daemon: str) -> None:
    ended, _ = world.run(f"{daemon}\nuntil [ $(sleepers) != 0 ]; do sleep 0.01; done; exit 3")
    assert ended.code == 3
    assert any(name.split()[1] == "sleep" for name in ended.stragglers), ended.stragglers
    assert world.token.survivors() == []


@every_tier
def test_a_background_process_that_holds_the_pipes_delays_nothing(world: World) -> None:
    ended, lines = world.run("sleep TOKEN & echo done")
    assert ended.code == 0
    assert [line.text for line in lines] == ["done"]
    assert len(ended.stragglers) == 1
    assert world.token.survivors() == []


@every_tier
def test_asked_to_end_a_program_may_tidy_up(world: World) -> None:
    owned = world.sh("trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done")
    wait_for_line(owned, "up")
    owned.ask()
    ended, _ = finish(owned)
    assert (ended.code, world.said(), ended.stragglers) == (5, "up\nbye\n", ())


@every_tier
def test_asked_to_end_the_children_of_a_wrapper_may_tidy_up_too(world: World) -> None:
    inner = "trap 'sleep 0.2; echo tidy; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    owned = world.sh(f"({inner}) & wait")
    wait_for_line(owned, "up")
    owned.ask()
    ended, _ = finish(owned)
    assert (ended.code, world.said(), ended.stragglers) == (-15, "up\ntidy\n", ())


@every_tier
def test_a_stopped_program_can_still_be_asked(world: World) -> None:
    owned = world.sh("echo up; kill -STOP $$; sleep TOKEN")
    wait_for_line(owned, "up")
    until(lambda: Path(f"/proc/{owned.pid}/stat").read_text().rpartition(") ")[2][0] == "T")
    owned.ask()
    assert finish(owned)[0].code == -15


@every_holding_tier
@pytest.mark.parametrize("by", ["kill", "close", "ownership"])
def test_killing_spares_nothing(world: World, by: str) -> None:
    owned = world.sh(
        "trap '' TERM; (setsid sh -c 'trap \"\" TERM; sleep TOKEN' &); sleep TOKEN &\n"
        "until [ $(sleepers) = 2 ]; do sleep 0.01; done; kill -STOP $!; echo up; while :; do sleep 0.1; done"
    )
    wait_for_line(owned, "up")
    assert len(world.token.survivors()) >= 4
    owned.ask()
    if by == "kill":
        owned.kill()
        wait_exited(owned)
    if by == "ownership":
        world.ownership.close()
    else:
        assert owned.close().code == -9
    assert world.token.survivors() == []
    assert owned.close().stragglers == ()  # it was killed: nothing outlived it by itself


@pytest.mark.parametrize("tier", tiers("group"))
def test_a_process_group_ends_as_one(world: World) -> None:
    owned = world.sh("trap '' TERM; sleep TOKEN & echo up; wait")
    wait_for_line(owned, "up")
    assert owned.close().code == -9
    assert world.token.survivors() == []


@every_holding_tier
def test_a_burst_of_forks_is_caught(world: World) -> None:
    owned = world.sh(
        "for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4 5 6; do sleep TOKEN & done; wait) & done; echo up; wait"
    )
    wait_for_line(owned, "up")
    owned.close()
    assert world.token.survivors() == []


@every_tier
def test_closing_twice_says_the_same_and_a_late_kill_is_harmless(world: World) -> None:
    owned = world.sh("exit 6")
    ended, _ = finish(owned)
    owned.ask()
    owned.kill()
    assert owned.close() == ended
    assert owned.fds() == []
    assert owned.wants_write() is None
    world.ownership.close()
    with pytest.raises(ValueError, match="closed"):
        world.sh("exit 0")


# -- while it runs


@every_tier
def test_activity_grows_with_output_and_with_cpu_of_the_whole_tree(world: World) -> None:
    owned = world.sh("sh -c 'echo up; while :; do :; done' & wait")
    wait_for_line(owned, "up")
    size, cpu = owned.activity()
    assert size == 3
    until(lambda: owned.activity()[1] >= cpu + 0.05)
    before = owned.activity()
    owned.close()
    assert owned.activity() >= before


@every_tier
def test_activity_stands_still_while_nothing_happens(world: World) -> None:
    owned = world.sh("echo up; exec sleep TOKEN")
    wait_for_line(owned, "up")
    until(lambda: world.token.seconds.encode() in Path(f"/proc/{owned.pid}/cmdline").read_bytes())
    size, cpu = owned.activity()
    for _ in range(20):
        owned.wait(0.01)
        owned.pump()
    assert owned.activity()[0] == size
    assert owned.activity()[1] - cpu < 0.05
    owned.close()


@every_tier
def test_hundreds_of_starts_leak_neither_descriptors_nor_processes(tier: str, world: World) -> None:
    true = shutil.which("true") or "true"

    def start() -> None:
        assert finish(world.start([true], stdin=b"p"))[0].code == 0

    start()
    keeper = int(world.ownership.residue().split()[2].partition(".")[0])
    until(lambda: len(children(keeper)) == 1)  # the guard that waits for the next
    fds = [open_fds("self"), open_fds(keeper)]
    for _ in range(300 if tier == processes.choose_tier() else 60):
        start()
    until(lambda: len(children(keeper)) == 1)
    now = [open_fds("self"), open_fds(keeper)]
    assert (
        now[0] <= fds[0] and now[1] <= fds[1]
    )  # fewer: the first count may have met one that was just closing


@every_tier
def test_a_full_disk_loses_neither_the_lines_nor_the_process(world: World) -> None:
    world.out.symlink_to("/dev/full")
    owned = world.sh("echo kept; echo up; exec sleep TOKEN", merge=True)
    with pytest.raises(OSError) as full:
        wait_for_line(owned, "up")
    assert full.value.errno == errno.ENOSPC
    lines = wait_for_line(owned, "up")
    assert [line.text for line in lines] == ["kept", "up"]
    owned.kill()
    ended = owned.close()
    assert (ended.code, ended.cut) == (-9, True)
    assert "No space left" in ended.trouble


# -- which tier


def test_every_tier_is_usable_or_says_why_not() -> None:
    found = processes.available_tiers()
    assert tuple(found) == processes.TIERS
    assert found["reaper"] == ""  # needs nothing but /proc: there is always a tier that holds
    assert processes.choose_tier() == next(tier for tier, reason in found.items() if not reason)
    for tier, reason in found.items():
        if reason:
            with pytest.raises(RalphError, match=tier):
                processes.choose_tier(tier)
        else:
            assert processes.choose_tier(tier) == tier
    with pytest.raises(RalphError, match="cgroup, pidns, reaper, group"):
        processes.choose_tier("magic")


@pytest.mark.parametrize("run", ["", "a b", "../x", "-x", "x" * 200])
def test_a_run_id_that_could_not_be_found_again_is_refused(run: str) -> None:
    with pytest.raises(ValueError, match="run id"):
        processes.Ownership("reaper", run)


@pytest.mark.parametrize("tier", tiers("cgroup"))
def test_cgroups_are_removed_after_use(world: World) -> None:
    owned = world.sh("echo up; exec sleep TOKEN")
    wait_for_line(owned, "up")
    membership = Path(f"/proc/{owned.pid}/cgroup").read_text()
    place = next(line[3:] for line in membership.splitlines() if line.startswith("0::"))
    prefix = Path(world.ownership.residue().split(" ", 3)[3])
    assert place.endswith(tuple(p.name for p in prefix.parent.glob(f"{prefix.name}*")))
    world.ownership.close()
    assert list(prefix.parent.glob(f"{prefix.name}*")) == []


@pytest.mark.parametrize("tier", tiers("group"))
def test_a_process_that_calls_itself_nothing_is_held_like_others(world: World) -> None:
    nameless = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'', 0, 0, 0); print('ready', flush=True); time.sleep(600)"
    ended, lines = world.run(
        f'python3 -c "{nameless}" & sleep 600 & while ! grep -q ready {world.out}; do sleep 0.01; done'
    )
    assert [line.text for line in lines] == ["ready"]
    assert (ended.code, len(ended.stragglers), ended.trouble) == (0, 2, "")

"""Crash-exact: whatever point of a run Ralph dies at, taking it up again gives the same end, proven anew, with nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from crash import BROKEN, KILLED, RUN, Outcome, Seam, World, sample, template, turn_by_turn
from project import Project, end_processes, processes_with, until

from ralph.processes.ownership import available_tiers
from seed import drawn, times

SMALL = """\
cli: {backend: scripted, script: agent.yml}
gates: [{name: tests, run: sh "$SEEN" tests sh test.sh, hermetic: false}]
event_loop: {max_iterations: 8, crash_wait: 0}
"""
# Something written and said, a claim that fails, and one that also changes what judges it: the gate runs with both.
SMALL_SCRIPT = """\
iterations:
  - - write: {path: src/part, text: "4"}
    - emit: {topic: part.written, payload: one}
    - run: &note echo agent >> "$GATE_LOG"
    - say: ITERATION_DONE
  - - write: {path: answer, text: "41"}
    - run: *note
    - say: TASK_COMPLETE
  - - write: {path: answer, text: "42"}
    - write: {path: test.sh, text: "# as the agent likes it\\ntest \\"$(cat answer)\\" = 42\\n"}
    - run: *note
    - say: TASK_COMPLETE
"""
# Besides: an agent that crashes, a scratchpad, one gate that writes where it may, one in a clean checkout, a reviewer that
# edits what it should only read, and somebody to be told.
LARGE = """\
cli: {backend: scripted, script: agent.yml}
gates:
  - {name: tests, run: sh "$SEEN" tests sh test.sh, may_write: [junk], hermetic: false}
  - {name: clean, run: sh "$SEEN" clean sh clean.sh}
  - {name: quick, run: sh "$SEEN" quick sh clean.sh, every: iteration, hard: false}
  - {name: spec, review: spec, hermetic: false, agent: {backend: scripted, script: review.yml}}
notify: [{run: 'cat >> "$HOME/told"; echo >> "$HOME/told"'}]
event_loop: {max_iterations: 8, crash_wait: 0}
"""
LARGE_SCRIPT = """\
iterations:
  - - write: {path: src/part, text: "4"}
    - run: &note echo agent >> "$GATE_LOG"
    - exit: 3
  - - delete: old
    - scratchpad: {done: a part, testStatus: red, nextStep: the rest, blockers: none}
    - run: *note
    - say: ITERATION_DONE
  - - write: {path: answer, text: "42"}
    - run: *note
    - say: TASK_COMPLETE
  - - write: {path: ready, text: "yes"}
    - write: {path: test.sh, text: "# as the agent likes it\\necho $$ > junk; test \\"$(cat answer)\\" = 42\\n"}
    - run: *note
    - say: TASK_COMPLETE
"""
FILES = {
    "test.sh": 'echo $$ > junk; test "$(cat answer 2>/dev/null)" = 42 || { echo "FAILED: the answer is wrong"; exit 1; }\n',
    "clean.sh": "test -e ready && ! test -e old\n",
    "old": "to be deleted\n",
    "review.yml": """\
iterations:
  - - write: {path: answer, text: "43"}
    - write: {path: .ralph/agent/scratchpad.md, text: mine}
    - say: "- it is as it should be\\nPASS"
""",
}
SMALL_FILES = {"test.sh": FILES["test.sh"].removeprefix("echo $$ > junk; ")}


class Story(NamedTuple):
    """A project, and what a run in it comes to when nothing goes wrong."""

    template: Project
    seams: list[Seam]
    outcome: Outcome

    def world(self, folder: Path) -> World:
        return World(self.template, folder)


def _story(folder: Path, config: str, script: str, files: dict[str, str]) -> Story:
    project = template(folder / "template", config, script, files)
    world = World(project, folder / "reference")
    seams = world.seams()
    outcome = world.outcome(0)
    world.check(0, outcome)
    assert (outcome.end, outcome.proof["tests"]) == ("completed-verified", "red→green")
    assert {("tests", "as-is"), ("tests", "original")} <= outcome.judged
    return Story(project, seams, outcome)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return _story(tmp_path_factory.mktemp("small"), SMALL, SMALL_SCRIPT, SMALL_FILES)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The small one, judged in clean checkouts with a shared folder."""
    config = SMALL.replace(", hermetic: false", "") + "share: [vendor]\n"
    files = SMALL_FILES | {"vendor/lib": "theirs\n", ".gitignore": "vendor/\n"}
    return _story(tmp_path_factory.mktemp("clean"), config, SMALL_SCRIPT, files)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return _story(tmp_path_factory.mktemp("large"), LARGE, LARGE_SCRIPT, FILES)


def play(story: Story, folder: Path, *faults: str, tier: str = "") -> bool:
    """A run with the first fault, then taking it up with each of the others, then without any, until it has ended.

    False when the first was not met. (Which git commands a snapshot needs depends on the clock's grain.)
    """
    world = story.world(folder)
    world.env |= {"RALPH_TIER": tier} if tier else {}
    done = world.go(*RUN, fault=faults[0])
    said = [done.stdout + done.stderr]
    met = done.returncode != 0
    for fault in (*faults[1:], ""):
        if done.returncode == 0:
            break
        assert done.returncode in (KILLED, BROKEN), said[-1]
        if done.returncode == BROKEN:
            assert (
                "\nWhat was recorded is kept; when the cause is gone, `ralph resume` continues it.\n"
                in done.stderr
            )
        done = world.take_up(fault)
        said.append(done.stdout + done.stderr)
    try:
        world.check(done.returncode, story.outcome)
    except AssertionError as error:
        raise AssertionError(f"after {faults} in {folder}: {error}\n" + "\n-----\n".join(said)) from error
    return met


def chosen(seams: list[Seam], part: int, parts: int) -> list[Seam]:
    return seams[part::parts]


# -- death at every point ------------------------------------------------------------------------------

# Always looked at: half a swap, half a restoration, a file before its rename, an end that was not yet told.
TURNING_POINTS = (
    "restore.before#1",
    "restore.between#1",
    "restore.between#2",
    "git.read-tree.after#2",
    "git.read-tree.after#3",
    "rename.before#4",
    "inbox.done.before#1",
    "remove.before#2",
)


@pytest.mark.parametrize("part", range(6))
def test_a_death_at_any_seam_changes_nothing(small: Story, tmp_path: Path, part: int) -> None:
    """Every third seam, drawn by the seed, and the turning points."""
    always = [seam for seam in small.seams if seam.at in TURNING_POINTS]
    assert len(always) == len(TURNING_POINTS)
    others = [seam for seam in small.seams if seam.matters and seam not in always]
    for seam in chosen(always + turn_by_turn(others, 3), part, 6):
        met = play(small, tmp_path / seam.at, f"kill@{seam.at}")
        assert met or seam.at.startswith("git."), f"{seam.at} was not met again"


@pytest.mark.parametrize("part", range(2))
def test_a_death_around_a_clean_checkout_changes_nothing(clean: Story, tmp_path: Path, part: int) -> None:
    around = [seam for seam in clean.seams if seam.at.startswith(("checkout.", "share.", "git.clean"))]
    assert {seam.kind for seam in around} >= {"checkout.before", "checkout.after", "checkout.removed"}
    for seam in chosen(around, part, 2):
        assert play(clean, tmp_path / seam.at, f"kill@{seam.at}"), f"{seam.at} was not met again"


@pytest.mark.parametrize("part", range(2))
def test_a_second_death_while_taking_it_up_changes_nothing(small: Story, tmp_path: Path, part: int) -> None:
    draw = drawn("second death")
    pairs = [("restore.between#1", "restore.between#1"), ("process.start.after#4", "snapshot.after#1")]
    pairs += [(draw.choice(small.seams).at, str(draw.randint(1, 150))) for _ in range(2)]
    for first, second in pairs[part::2]:
        play(small, tmp_path / f"{first}-{second}", f"kill@{first}", f"kill@{second}")


@pytest.mark.parametrize("part", range(2))
def test_a_disk_that_fails_ends_the_run_and_loses_nothing(small: Story, tmp_path: Path, part: int) -> None:
    writing = [seam for seam in small.seams if seam.writes]
    agent_starts = [seam for seam in writing if seam.at == "process.start.before#3"]  # not the agent's fault
    for seam in chosen(list(dict.fromkeys(agent_starts + turn_by_turn(writing, 8))), part, 2):
        play(small, tmp_path / seam.at, f"{('ENOSPC', 'EIO')[part]}@{seam.at}")


def test_a_record_that_a_power_cut_tore_in_half_is_made_up_for(small: Story, tmp_path: Path) -> None:
    appends = [seam for seam in small.seams if seam.at.startswith("journal.append.after")]
    for seam in turn_by_turn(appends, 6):
        tear(small, tmp_path / seam.at, seam)


def tear(story: Story, folder: Path, seam: Seam) -> None:
    """What was written last was not yet on the disk: the power goes, and half of it is lost."""
    world = story.world(folder)
    assert world.go(*RUN, fault=f"kill@{seam.at}").returncode == KILLED
    journal = world.state / "journal.jsonl"
    *_, last = journal.read_bytes().splitlines(keepends=True)
    os.truncate(journal, journal.stat().st_size - len(last) // 2)
    done = world.take_up()
    (kept,) = world.state.glob("journal.torn-*")
    assert last.startswith(kept.read_bytes())
    if seam.at not in ("journal.append.after#1", "journal.append.after#2"):
        # Before there is a loop, it is the refused resume that mends it, and has no run to tell it in.
        assert "the journal's torn tail" in done.stdout, done.stdout + done.stderr
    world.check(done.returncode, story.outcome)


def test_an_end_that_was_recorded_is_told_by_the_resume_and_nothing_is_run_again(
    small: Story, tmp_path: Path
) -> None:
    world = small.world(tmp_path / "world")
    assert world.go(*RUN, fault="kill@remove.before#2").returncode == KILLED
    log = world.gate_log()
    assert (world.path / ".ralph_state.md").exists()
    done = world.take_up()
    assert "completed-verified: proven: tests red→green" in done.stdout
    world.check(done.returncode, small.outcome)
    assert world.gate_log() == log


def test_a_fresh_run_clears_what_a_death_after_the_end_left(small: Story, tmp_path: Path) -> None:
    world = small.world(tmp_path / "world")
    assert world.go(*RUN, fault="kill@remove.before#2").returncode == KILLED
    done = world.go(*RUN, "--max-iterations", "1", fault="kill@snapshot.before#1")
    assert done.returncode == KILLED, done.stderr  # no question: the loop before is over
    assert not (world.path / ".ralph_state.md").exists()


def test_temporary_folders_of_the_dead_are_dropped_after_a_day(small: Story, tmp_path: Path) -> None:
    world = small.world(tmp_path / "world")
    assert world.go(*RUN, fault="kill@git.status.before#1").returncode == KILLED
    (left,) = (world.folder / "tmp").iterdir()
    os.utime(left, (0, 0))
    world.check(world.take_up().returncode, small.outcome)
    assert not left.exists()


# -- death while something is under way ----------------------------------------------------------------

BUSY = """\
if test -e begun; then echo 42 > answer; echo TASK_COMPLETE; exit; fi
for i in 1 2 3; do
  (setsid sh -c 'trap "" TERM; while :; do date +%N > spin; sleep 0.01; done' > /dev/null 2>&1 &)
done
echo "by the first" > begun
sleep 1000
"""


@pytest.mark.parametrize("tier", ["cgroup", "pidns", "reaper"])
def test_ralph_and_its_keepers_killed_together_leave_nobody_writing(project: Project, tier: str) -> None:
    if reason := available_tiers()[tier]:
        pytest.skip(reason)
    token = project.env["CRASH_TOKEN"] = f"crash-{os.urandom(8).hex()}"
    project.env["RALPH_TIER"] = tier
    project.agent(BUSY)
    project.commit()
    run = project.start("run")
    try:
        until(lambda: (project.path / "begun").exists(), "the agent is busy")
        guards = [pid for pid in processes_with(token) if _name(pid).startswith("ralph-")]
        assert guards
        run.send_signal(signal.SIGSTOP)  # so that it does not see the others die
        for pid in guards:
            os.kill(pid, signal.SIGKILL)
        run.kill()
        run.wait()
        done = project.ralph("resume")
        assert done.returncode == 0, done.stdout + done.stderr
        assert processes_with(token) == []
    finally:
        end_processes(token)
    assert (project.path / "begun").read_text() == "by the first\n"
    assert project.end()["proof"] == {"tests": "red→green"}
    interrupted, _ = project.facts("iteration.ended")
    _, again = project.facts("iteration.started")
    assert (interrupted["how"], interrupted["n"], again["n"]) == ("interrupted", 1, 1)
    assert again["tree"] == interrupted["tree"]
    assert project.facts("workspace.changed") == [], "they wrote on after the tree was recorded"
    assert project.git("ls-tree", "--name-only", interrupted["tree"], "begun") == "begun"


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:  # it has just ended
        return ""


def test_a_wait_for_a_quota_goes_on_to_the_moment_it_was_meant_for(project: Project) -> None:
    project.config(
        "cli: {backend: custom, command: ./agent.sh, output: jsonl}\n"
        "gates: [{name: tests, run: sh test.sh}]\nevent_loop: {crash_wait: 0}\n"
    )
    project.agent(
        """if test -e asked; then echo 42 > answer; echo '{"type": "message", "text": "TASK_COMPLETE"}'; exit; fi
        touch asked; echo '{"type": "error", "kind": "quota", "text": "come back later", "retry_after": 15}'; exit 1"""
    )
    project.commit()
    kinds = ("run", "loop", "workspace", "gate", "gate", "iteration", "iteration", "wait")
    assert (
        project.ralph("run", env={"RALPH_FAULT": f"kill@journal.append.after#{len(kinds)}"}).returncode
        == KILLED
    )
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = project.facts("wait.started")
    assert first["until"] == second["until"]
    assert [w["elapsed"] for w in project.facts("wait.ended")] == [False, True]
    assert [i["n"] for i in project.facts("iteration.started")] == [1, 1], "a quota is no iteration"


def test_what_an_interrupted_agent_had_spent_is_counted(project: Project) -> None:
    project.config(
        "cli: {backend: custom, command: ./agent.sh, output: jsonl}\n"
        "gates: [{name: tests, run: sh test.sh}]\nevent_loop: {crash_wait: 0, max_tokens: 100}\n"
    )
    project.agent(
        """echo '{"type": "usage", "input_tokens": 60, "output_tokens": 39, "cost_usd": 0.5}'; sleep 1000"""
    )
    project.commit()
    run = project.start("run")
    try:
        spent = project.path / ".git/ralph/runs"
        until(
            lambda: any(p.stat().st_size for p in spent.glob("*/*/iteration-1.out")), "it has spent something"
        )
    finally:
        run.kill()
        run.wait()
    project.agent("""echo '{"type": "usage", "input_tokens": 1}'; sleep 1000""")
    done = project.ralph("resume")
    assert done.returncode == 8, done.stdout + done.stderr
    assert [i["usage"]["tokens"] for i in project.facts("iteration.ended")] == [99, 1]
    assert project.end()["limit"] == "tokens"


def test_what_a_killed_gate_wrote_is_undone_and_saved(large: Story, tmp_path: Path) -> None:
    world = large.world(tmp_path / "world")
    assert (
        world.go(*RUN, fault="kill@process.exit#14").returncode == KILLED
    )  # the gate has ended, its junk is there
    junk = (world.path / "junk").read_text()
    done = world.take_up()
    assert "gate tests: interrupted; what it wrote was undone: junk" in done.stdout
    world.check(done.returncode, large.outcome)
    saved = world.git("for-each-ref", "--format=%(refname)", "refs/ralph/recovery").splitlines()
    kept = [ref for ref in saved if "junk" in world.git("ls-tree", "--name-only", ref).split()]
    assert [world.git("show", f"{ref}:junk") for ref in kept] == [junk.strip()]


def test_what_the_user_wrote_after_the_death_is_kept_and_told(large: Story, tmp_path: Path) -> None:
    world = large.world(tmp_path / "world")
    assert (
        world.go(*RUN, fault="kill@process.exit#17").returncode == KILLED
    )  # while the original gate input is there
    assert "as the agent likes it" not in (world.path / "test.sh").read_text()
    for sign in world.state.glob("runs/**/*"):
        os.utime(sign, (0, 0))  # it died long ago
    world.write("src/part", "by hand")
    done = world.take_up()
    assert done.returncode == 0, done.stdout + done.stderr
    assert (world.path / "src/part").read_text() == "by hand"
    assert "as the agent likes it" in (world.path / "test.sh").read_text(), "the swap was not taken back"
    (changed,) = world.facts("workspace.changed")
    assert "src/part" in changed["paths"]
    prompt = (world.state / "blobs" / world.facts("iteration.started")[-1]["prompt"]).read_text()
    assert "Somebody edited these files meanwhile: " in prompt and "src/part" in prompt
    assert world.end()["tree"] == world.tree()
    world.check_nothing_is_open()
    world.check_nothing_is_left()
    world.check_the_user_has_all()


def test_a_disk_that_is_really_full_ends_the_run_and_loses_nothing(tmp_path: Path) -> None:
    mount = tmp_path / "mount"
    mount.mkdir()
    size = ["-o", "size=8m"]
    if subprocess.run(["mount", "-t", "tmpfs", *size, "tmpfs", mount], capture_output=True).returncode:
        pytest.skip("needs the right to mount")
    try:
        _fill_the_disk(Project(mount / "project", tmp_path / "home"))
    finally:
        subprocess.run(["umount", "--lazy", mount], check=True)


def _fill_the_disk(project: Project) -> None:
    project.write(".gitignore", "fill\n.ralph*\n")
    project.agent(
        """if test -e fill; then echo 42 > answer; echo TASK_COMPLETE; exit; fi
        echo kept > part; dd if=/dev/zero of=fill bs=1k 2> /dev/null; echo ITERATION_DONE"""
    )
    project.commit()
    before = project.user_state()
    full = project.ralph("run")
    assert full.returncode == BROKEN, full.stdout + full.stderr
    assert "No space left on device" in full.stderr
    assert full.stderr.endswith(
        "What was recorded is kept; when the cause is gone, `ralph resume` continues it.\n"
    )
    again = project.ralph("resume")
    assert again.returncode == BROKEN, again.stdout + again.stderr
    os.truncate(project.path / "fill", 0)
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["proof"] == {"tests": "red→green"}
    assert (project.path / "part").read_text() == "kept\n"
    assert project.user_state() == before
    assert not (project.path / ".ralph.lock").exists()


# -- `make chaos`: a sample by its seed, or all of it ---------------------------------------------------------------------------

PARTS = 24
TIERS = ("cgroup", "pidns", "reaper")


@pytest.fixture(params=TIERS)
def tier(request: pytest.FixtureRequest) -> str:
    if reason := available_tiers()[request.param]:
        pytest.skip(reason)
    return str(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_kind_of_seam(large: Story, tmp_path: Path, part: int) -> None:
    for seam in sample(large.seams, part, PARTS):
        play(large, tmp_path / seam.at, f"kill@{seam.at}")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
def test_every_write_that_fails(large: Story, tmp_path: Path, part: int, error: str) -> None:
    for seam in sample([seam for seam in large.seams if seam.writes], part, PARTS):
        play(large, tmp_path / seam.at, f"{error}@{seam.at}")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_two_hundred_pairs_of_deaths(large: Story, tmp_path: Path, part: int) -> None:
    draw = drawn("pairs", part)
    for number in range(times(200 // PARTS + 1)):
        first, second = draw.choice(large.seams).at, draw.randint(1, 250)
        play(large, tmp_path / str(number), f"kill@{first}", f"kill@{second}")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_every_tier(large: Story, tmp_path: Path, tier: str, part: int) -> None:
    beside_processes = [
        seam for seam in large.seams if seam.at.startswith(("process", "checkout", "journal.append.after"))
    ]
    for seam in sample(beside_processes, part, 4):
        play(large, tmp_path / seam.at, f"kill@{seam.at}", tier=tier)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_every_torn_record(large: Story, tmp_path: Path, part: int) -> None:
    appends = [seam for seam in large.seams if seam.at.startswith("journal.append.after")]
    for seam in sample(appends, part, 4):
        tear(large, tmp_path / seam.at, seam)


@pytest.mark.slow
@pytest.mark.parametrize("at", ["before", "between", "after"])
def test_a_death_while_a_torn_record_is_put_aside(small: Story, tmp_path: Path, at: str) -> None:
    """Seams that only a run after a power cut passes."""
    world = small.world(tmp_path / "world")
    assert world.go(*RUN, fault="kill@journal.append.after#9").returncode == KILLED
    journal = world.state / "journal.jsonl"
    os.truncate(journal, journal.stat().st_size - 5)
    assert world.take_up(f"kill@journal.repair.{at}#1").returncode == KILLED
    world.check(world.take_up().returncode, small.outcome)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_any_moment_also_with_all_that_ralph_had_started(large: Story, tmp_path: Path, part: int) -> None:
    """Not at a seam: git is in the middle of something, and dies too, as when the machine or a container goes down."""
    draw = drawn("moments", part)
    for number in range(times(8)):
        world = large.world(tmp_path / str(number))
        run = world.start(*RUN)
        try:
            run.wait(draw.uniform(0.1, 3.0))
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGSTOP)  # so that it does not see the others die
            end_processes(world.token)
        code = world.take_up().returncode if run.wait() else 0
        world.check(code, large.outcome)

"""What people who come with hats are told: before a run, at its end, and by commands that find nothing to do."""

from __future__ import annotations

import json

from project import Project, until

BUILD = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
gates: none
event_loop: {prompt: Build it.}
hats:
  builder: {triggers: [task.start], publishes: [build.done]}
"""
ENDLESS = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
gates: none
event_loop: {prompt: Build it., max_iterations: 1}
hats:
  builder: {triggers: [task.start, review.no], publishes: [build.done], default_publishes: build.done}
  critic: {triggers: [build.done], publishes: [review.no], default_publishes: review.no}
"""
BOARD = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
event_loop: {starting_event: board.scan, persistent: PERSISTENT, cooldown_delay_seconds: 600, prompt: Work.}
hats:
  scanner:
    triggers: [board.scan, item.done, task.resume]
    scan: {folders: {work: work.do}}
  doer: {triggers: [work.do], publishes: [item.done], default_publishes: item.done}
"""


def board(project: Project, *, persistent: bool = True) -> None:
    project.config(BOARD.replace("PERSISTENT", str(persistent).lower()))
    project.agent(
        'f=$(ls work | head -n 1); mkdir -p done; case $f in bad*) ;; *) mv "work/$f" done/ ;; esac'
    )
    project.commit()


def test_a_run_says_what_cannot_work_about_its_hats(project: Project) -> None:
    project.config(ENDLESS)
    project.agent("true")
    project.commit()
    done = project.ralph("run", "--no-tui")
    assert (
        "\nwarning: hats: the chain cannot complete: from builder, critic no event leads to"
        in f"\n{done.stderr}"
    )
    assert "Traceback" not in done.stderr


def test_a_run_with_much_to_look_at_says_where(project: Project) -> None:
    hats = "".join(f"  h{n}: {{triggers: [task.t{n}], publishes: [lost.{n}]}}\n" for n in range(5))
    project.config(ENDLESS + hats)
    project.agent("true")
    project.commit()
    told = [line for line in project.ralph("run", "--no-tui").stderr.splitlines() if "hats" in line]
    assert "cannot complete" in told[0]
    assert told[-1].endswith("more things to look at: `ralph hats validate`")
    assert len(told) == 2


def test_a_missing_program_of_a_hat_is_the_hats(project: Project) -> None:
    project.config(BUILD.replace("publishes", "backend: [./gone.sh], publishes"))
    project.commit()
    done = project.ralph("run", "--no-tui")
    assert done.returncode == 10
    assert "hat builder: " in done.stderr and "Correct the hat's `backend` in ralph.yml." in done.stderr


def test_hats_are_looked_at_without_a_prompt(project: Project) -> None:
    project.config(BUILD.replace("prompt: Build it.", "prompt_file: PROMPT.md"))
    project.git("rm", "-q", "PROMPT.md")
    for command in (("validate",), ("graph",), ("list",), ("show", "builder")):
        done = project.ralph("hats", *command)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "PROMPT.md" not in done.stdout + done.stderr
    done = project.ralph("validate")
    assert done.returncode == 0, done.stdout
    assert "ralph.yml:3: warning: event_loop.prompt_file: no prompt: " in done.stdout
    assert "does not exist; write it, or give a prompt with -p" in done.stdout
    assert project.ralph("run", "--no-tui").returncode == 2, "a run needs one"
    project.write("PROMPT.md", "\n")
    assert project.ralph("validate").returncode == 2, "and one that says nothing is wrong"


def test_a_prompt_to_come_is_not_taken_for_the_backlog(project: Project) -> None:
    project.config(BUILD.replace("prompt: Build it.", "prompt_file: PROMPT.md"))
    project.git("rm", "-q", "PROMPT.md")
    project.ralph("task", "add", "Something")
    done = project.ralph("validate")
    assert done.returncode == 0 and "no prompt here: give one with -p" in done.stdout, done.stdout


def test_the_end_of_a_board_says_how_its_items_went(project: Project) -> None:
    board(project)
    for name in ("a.txt", "bad.txt", "c.txt"):
        project.write(f"work/{name}", "x\n")
    done = project.ralph("run", "--no-tui", "--in-place", "--max-items", "3")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "completed-unverified: 3 of 3 items: 2 done, 1 failed; no hard gate proves it" in done.stdout
    assert "claimed" not in project.ralph("status").stdout
    (row,) = [
        line for line in project.ralph("status").stdout.splitlines() if "bad.txt" in line and "given" in line
    ]
    assert row.count("failed") == 1 and "work.do failed 3 times" in row
    items = json.loads(project.ralph("status", "--json").stdout)["hats"]["items"]
    assert {item["name"]: item["failures"] for item in items}["bad.txt"] == 3
    report = project.ralph("report").stdout
    assert "As many items of the board as wanted are through; there are no gates" in report
    assert "declined" not in report


def test_a_claim_where_the_file_has_no_gates_was_not_declined_by_anybody(project: Project) -> None:
    project.config(BUILD.replace("gates: none\n", "").replace("build.done", "LOOP_COMPLETE"))
    project.agent("ralph emit LOOP_COMPLETE")
    project.commit()
    done = project.ralph("run", "--no-tui")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Claimed done; there are no gates" in project.ralph("report").stdout


def test_events_of_another_loop_begin_with_its_name(project: Project) -> None:
    project.config(BUILD.replace("build.done", "LOOP_COMPLETE"))
    project.agent("ralph emit LOOP_COMPLETE")
    project.commit()
    for prompt in ("First", "Second", "Third"):
        assert project.ralph("run", "--no-tui", "--fresh", "-p", prompt).returncode == 0
    table = project.ralph("events", "--routed").stdout.splitlines()
    between = [line for line in table if line.startswith("-- loop ")]
    assert [line.rpartition(": ")[2] for line in between] == ["Second", "Third"]
    assert not any(
        line.startswith("--") for line in project.ralph("events", "--routed", "-n", "1").stdout.splitlines()
    )
    for line in project.ralph("events", "--routed", "--json").stdout.splitlines():
        json.loads(line)


def test_an_idle_board_pauses_at_once_and_keeps_its_number_of_items(project: Project) -> None:
    board(project)
    running = project.start("run", "--no-tui", "--max-items", "5")
    try:
        until(lambda: project.journaled("wait.started") == 1, "it is idle")
        assert project.ralph("pause").returncode == 0
        until(lambda: project.journaled("wait.started") == 2, "it pauses, long before the next look")
        assert "paused      since" in project.ralph("status").stdout
        project.ralph("stop", "--now")
        assert running.wait(60) == 12
    finally:
        running.kill()
    done = project.ralph("resume", "--max-items", "9")
    assert done.returncode == 2 and "a resumed loop keeps its --max-items" in done.stderr
    assert "ralph run --fresh --max-items N" in done.stderr


def test_what_is_said_to_a_hat_is_read_by_who_wears_it(project: Project) -> None:
    project.config(BUILD)
    project.agent("true")
    project.commit()
    assert project.ralph("run", "--no-tui", "--max-iterations", "1").returncode == 8
    said = project.ralph("say", "Slowly", "--hat", "builder").stdout
    assert "the first iteration that wears builder after `ralph resume` will read it" in said
    assert "the first iteration after" in project.ralph("say", "Slowly").stdout
    done = project.ralph("answer", "Yes")
    assert "no question waits for an answer here" in done.stderr and "--answer" not in done.stderr
    assert '`ralph say "..."`; then `ralph resume`' in done.stderr
    again = project.ralph("run", "--no-tui")
    assert again.returncode == 2 and "with the settings it began with" in again.stderr

"""The folder of an iteration's scratchpad is there when it begins, and is no change of the user's tree."""

from __future__ import annotations

from project import Project

NOTE = 'case $RALPH_HAT in maker) echo "by $RALPH_HAT" > "$RALPH_SCRATCHPAD" && ralph emit made ;; esac'
HATS = """
cli: {command: ./agent.sh}
gates: none
event_loop: {max_iterations: 2}
hats:
  maker: {triggers: [task.start], publishes: [made], scratchpad: notes/deep/maker.md}
  checker: {triggers: [made], publishes: [LOOP_COMPLETE], scratchpad: {enabled: false}}
"""


def test_the_first_words_into_a_scratchpad_need_no_folder_to_be_made(project: Project) -> None:
    project.agent('echo "first" > "$RALPH_SCRATCHPAD" && echo TASK_COMPLETE')
    project.config("cli: {command: ./agent.sh}\ngates: none\nevent_loop: {max_iterations: 1}\n")
    project.commit()
    project.ralph("run")
    assert (project.path / ".ralph/agent/scratchpad.md").read_text() == "first\n"
    assert [fact["code"] for fact in project.facts("iteration.ended")] == [0]


def test_so_it_is_with_a_hats_own_and_a_hat_without_one_gets_no_folder(project: Project) -> None:
    project.agent(NOTE)
    project.config(HATS)
    project.commit()
    project.ralph("run")
    assert [fact["hat"] for fact in project.facts("iteration.started")] == ["maker", "checker"]
    assert (project.path / "notes/deep/maker.md").read_text() == "by maker\n"
    prepared, *ended = [project.facts("workspace.prepared")[0], *project.facts("iteration.ended")]
    assert {fact["tree"] for fact in ended} == {prepared["tree"]}


def test_a_file_in_the_way_does_not_stop_the_loop(project: Project) -> None:
    project.agent("echo done > made; echo TASK_STUCK: no place for notes")
    project.config(
        "cli: {command: ./agent.sh}\ngates: none\n"
        "core: {scratchpad: notes/pad.md}\nevent_loop: {max_iterations: 1}\n"
    )
    project.write("notes", "a file\n")
    project.commit()
    project.ralph("run")
    assert project.facts("iteration.ended")[0]["code"] == 0
    assert (project.path / "notes").read_text() == "a file\n"

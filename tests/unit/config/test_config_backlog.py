"""Keys that are about a backlog: which of them hold when, and what is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from ralph.cli.context import CONFIGS
from ralph.config.load import FILE_NAMES, NoPrompt, Resolved, load
from ralph.config.settings import Overrides
from ralph.config.tasks import backlog_named_in
from ralph.core.policy import LandPolicy, WorkspaceKind
from ralph.core.run import Work
from ralph.errors import RalphError

AGENT = "cli: {command: base-agent}\n"


def resolve(
    folder: Path, text: str, overrides: Overrides | None = None, *, usual: bool = False, prompt: bool = False
) -> Resolved:
    (folder / "ralph.yml").write_text(AGENT + text)
    if prompt:
        (folder / "PROMPT.md").write_text("Do it\n")
    return load(folder, None, overrides, backlog=folder / "tasks.jsonl" if usual else None)


def refused(folder: Path, text: str, overrides: Overrides | None = None, **more: bool) -> str:
    with pytest.raises(RalphError) as caught:
        resolve(folder, text, overrides, **more)
    return caught.value.what


def test_tasks_are_worked_on_in_clones_and_merged_unless_the_file_says_otherwise(tmp_path: Path) -> None:
    found = resolve(tmp_path, "", usual=True)
    assert (found.task, found.backlog) == (None, str(tmp_path / "tasks.jsonl"))
    assert (found.policy.workspace, found.policy.land, found.work) == (
        "clone",
        LandPolicy(how="merge"),
        Work(),
    )
    text = "workspace: worktree\nland: {how: pr, target: next, merges: 2}\npush: true\nparallel: 3\nshare: [a/]\n"
    found = resolve(tmp_path, text, usual=True)
    assert found.policy.workspace == "worktree"
    assert found.policy.land == LandPolicy(how="pr", target="next", push=True, merges=2)
    assert found.work == Work(parallel=3, share=("a",))
    assert found.warnings == ()


def test_a_prompt_is_worked_on_in_place_and_stays_there(tmp_path: Path) -> None:
    found = resolve(tmp_path, "", usual=True, prompt=True)
    assert found.task is not None and found.backlog == ""
    assert (found.policy.workspace, found.policy.land) == ("in-place", LandPolicy())


def test_without_a_prompt_and_without_tasks_nothing_is_to_be_done(tmp_path: Path) -> None:
    with pytest.raises(NoPrompt):
        resolve(tmp_path, "workspace: clone\nparallel: 2\n")


@pytest.mark.parametrize("by_flag", [False, True])
def test_where_the_backlog_is_named_prompt_md_is_not_the_task(tmp_path: Path, by_flag: bool) -> None:
    overrides = Overrides(backlog="--task") if by_flag else Overrides()
    found = resolve(tmp_path, "" if by_flag else "backlog: plan/todo.jsonl\n", overrides, prompt=True)
    assert (found.task, found.prompt_file) == (None, "")
    assert found.backlog == ("" if by_flag else str(tmp_path / "plan/todo.jsonl"))
    assert found.policy.land.how == "merge"


def test_a_prompt_on_the_command_line_wins_over_the_named_backlog(tmp_path: Path) -> None:
    found = resolve(tmp_path, "backlog: plan.jsonl\nparallel: 3\nland: pr\n", Overrides(prompt="Fix it"))
    assert found.task is not None and found.task.title == "Fix it"
    assert (found.backlog, found.policy.land.how) == ("", "none")
    assert found.warnings == ()  # the file is right; it is for other runs


@pytest.mark.parametrize(
    "other", ["event_loop: {prompt: a}", "event_loop: {prompt_file: ralph.yml}", "task: {title: a}"]
)
def test_a_backlog_and_a_prompt_in_one_file_are_one_too_many(tmp_path: Path, other: str) -> None:
    what = refused(tmp_path, f"backlog: plan.jsonl\n{other}\n")
    assert what.startswith("ralph.yml:3: ")
    assert "`backlog` names the tasks already; remove one of them" in what


@pytest.mark.parametrize("kind", ["clone", "worktree"])
def test_a_prompt_may_have_a_workspace_of_its_own_and_lands(tmp_path: Path, kind: WorkspaceKind) -> None:
    for text, flags in ((f"workspace: {kind}\n", Overrides()), ("", Overrides(workspace=kind))):
        found = resolve(tmp_path, text, flags, prompt=True)
        assert (found.policy.workspace, found.policy.land.how) == (kind, "merge")
    found = resolve(tmp_path, f"workspace: {kind}\n", Overrides(in_place=True), prompt=True)
    assert found.policy.workspace == "in-place"


def test_a_backlog_in_place_is_refused_by_name(tmp_path: Path) -> None:
    what = refused(tmp_path, "workspace: in-place\n", usual=True)
    assert what.startswith("ralph.yml:2: workspace: in-place is not for a backlog yet")
    assert what.endswith("use clone or worktree")
    assert refused(tmp_path, "", Overrides(in_place=True), usual=True).startswith("--in-place: is not for")


def test_flags_for_a_prompt_and_flags_for_a_backlog_do_not_mix(tmp_path: Path) -> None:
    what = refused(tmp_path, "", Overrides(backlog="--parallel", prompt="x"))
    assert what == "--parallel: is for a backlog, and -p gives a prompt; leave one out"
    what = refused(tmp_path, "", Overrides(criteria=("it works",), task_id="t"), usual=True)
    assert what.splitlines() == [
        "--criteria: is for a prompt; tasks of a backlog have their own",
        "--task-id: is for a prompt; tasks of a backlog have their own",
    ]


def test_what_the_other_kind_of_run_would_use_is_told(tmp_path: Path) -> None:
    text = "land: branch\nparallel: 2\nshare: [a]\ngate_concurrency: 1\npush: true\n"
    told = resolve(tmp_path, text, prompt=True).warnings
    only = "is used only for a backlog; a prompt that is worked on in place stays there"
    assert sorted(told) == [
        *(f"ralph.yml:2: land.how: {only}", f"ralph.yml:3: parallel: {only}"),
        f"ralph.yml:6: push: {only}",
    ]
    (tmp_path / "PROMPT.md").unlink()
    (told_of_task,) = resolve(tmp_path, "task: {criteria: [a]}\n", usual=True).warnings
    assert told_of_task.startswith("ralph.yml:2: task.criteria: is used only with a prompt")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("land: rebase", "land: must be one of merge, branch, pr, none, not"),
        ("land: {how: squash}", "land.how: must be one of merge, branch, pr, none, not"),
        ("land: {push: true}", "land.push: unknown key (nearest valid: push)"),
        ("share: node_modules", "share: must be a list, not"),
        ("share: [a, ../b]", "share[1]: must be a folder inside the repository, not '../b'"),
        ("share: [.git]", "share[0]: must be a folder inside the repository, not '.git'"),
        ("parallel: 0", "parallel: must be at least 1, not 0"),
        ("gate_concurrency: two", "gate_concurrency: must be a whole number, not"),
        ("poll_interval_seconds: 0", "poll_interval_seconds: must be more than 0, not 0 seconds"),
        ("workspace: copy", "workspace: must be one of clone, worktree, in-place, not"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, what: str) -> None:
    assert refused(tmp_path, f"\n{text}\n", usual=True).startswith(f"ralph.yml:3: {what}")


def test_the_backlog_of_a_file_that_is_wrong_elsewhere_is_found(tmp_path: Path) -> None:
    assert CONFIGS == FILE_NAMES
    config = tmp_path / "ralph.yml"
    config.write_text("backlog: plan.jsonl\nunknown: 1\n")
    assert backlog_named_in(config) == tmp_path / "plan.jsonl"
    config.write_text("gates: none # no backlog here\n")
    assert backlog_named_in(config) is None
    config.write_text("backlog: [a]\n")
    with pytest.raises(RalphError, match=r"ralph\.yml:1: backlog: must be text"):
        backlog_named_in(config)

"""roles.yaml and roles/*.md: the file as users know it loads, and what is wrong is told with its line."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ralph.config.hats import MAX_CHARS, examine_roles, load_roles
from ralph.errors import RalphError

FILE = Path(__file__).parents[2] / "fixtures/roles/roles.yaml"
NAMES = ("reviewer", "architect", "debugger", "documenter", "refactorer")
Write = Callable[..., Path]


@pytest.fixture
def team(tmp_path: Path, write: Write) -> Path:
    for name in NAMES:
        write(f"roles/{name}.md", f"# Role: {name}\n")
    return tmp_path


def error(folder: Path, text: str | None = None) -> str:
    if text is not None:
        (folder / "roles.yaml").write_text(text)
    with pytest.raises(RalphError) as caught:
        load_roles(folder)
    assert caught.value.code == 2
    assert caught.value.todo
    return str(caught.value)


@pytest.mark.parametrize("place", ["config/roles.yaml", "roles.yaml"])
def test_the_file_as_it_stands_loads_from_both_places(team: Path, place: str) -> None:
    (team / "config").mkdir()
    shutil.copy(FILE, team / place)
    (team / "working.md").write_text("\nWork well.\n")
    roles, warnings = load_roles(team)
    assert roles is not None and warnings == ()
    assert [(hat.when, hat.id) for hat in roles.conditional] == [
        ("branch_commits >= 5", "reviewer"),
        ("task_title contains 'refactor'", "architect"),
        ("last_iteration_failed", "debugger"),
        ("iterations_since_role('documenter') >= 10", "documenter"),
        ("task_marked_ready_to_complete", "reviewer"),
    ]
    assert {hat.id: hat.text for hat in roles.hats if hat.text} == {
        name: f"# Role: {name}" for name in NAMES[:4]
    }
    assert not roles.routes
    assert roles.base == "Work well."


def test_without_a_file_roles_are_worn_as_their_names_say(team: Path) -> None:
    roles, warnings = load_roles(team)
    assert roles is not None and warnings == ()
    worn = [(hat.id, hat.when) for hat in roles.conditional]
    assert ("debugger", "last_iteration_failed") in worn and ("reviewer", "branch_commits >= 5") in worn
    assert {id for id, _ in worn} == {"reviewer", "architect", "debugger", "documenter"}
    debugger = roles.hat("debugger")
    assert debugger is not None and debugger.instructions == "# Role: debugger"


def test_working_md_is_used_without_roles(tmp_path: Path) -> None:
    assert load_roles(tmp_path) == (None, ())
    (tmp_path / "working.md").write_text("Work well.\n")
    roles, _ = load_roles(tmp_path)
    assert roles is not None and roles.base == "Work well." and roles.conditional == ()


def test_another_programs_file_of_this_name_is_left_alone(tmp_path: Path, write: Write) -> None:
    write("roles.yaml", "admin:\n  - read\n")
    assert load_roles(tmp_path) == (None, ())


def test_of_two_files_the_second_is_not_read_and_that_is_said(team: Path, write: Write) -> None:
    shutil.copy(FILE, write("config/roles.yaml"))
    write("roles.yaml", "triggers: 5")
    roles, problems = examine_roles(team)
    assert roles and len(roles.conditional) == 5
    assert problems and problems.warnings == ("roles.yaml is not read, because config/roles.yaml exists",)
    assert load_roles(team) == (roles, problems.warnings)


TRIGGER = "triggers:\n  - condition: attempts > 1\n    role: reviewer\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "roles.yaml: must be a mapping with `triggers` at the top, not nothing"),
        ("[1]", "roles.yaml:1: must be a mapping with `triggers` at the top, not a list"),
        ("{}", "roles.yaml:1: has no `triggers`"),
        ("trigers: []", "roles.yaml:1: trigers: unknown key (nearest valid: triggers)"),
        ("triggers: []", "roles.yaml:1: triggers: is empty: no role would ever be worn"),
        ("triggers: {a: b}", "roles.yaml:1: triggers: must be a list of triggers, not a mapping"),
        ("triggers:\n- reviewer", "roles.yaml:2: triggers[0]: must be a mapping with `condition` and `role`"),
        ("triggers:\n- role: reviewer", "roles.yaml:2: triggers[0]: has no `condition`"),
        ("triggers:\n- condition: attempts > 1", "roles.yaml:2: triggers[0]: has no `role`"),
        ("triggers:\n- condition:\n  role: reviewer", "triggers[0].condition: must be text, not nothing"),
        ("triggers:\n- condition: true\n  role: reviewer", "must be text, not the boolean true"),
        (
            TRIGGER + "    prompt: x\n",
            "roles.yaml:4: triggers[0].prompt: unknown key (valid here: condition, role)",
        ),
        (
            TRIGGER + "    role: debugger\n",
            "roles.yaml:4: triggers[0].role: is given twice, on lines 3 and 4",
        ),
        (
            TRIGGER + "  - conditon: attempts > 1\n    role: debugger\n",
            "roles.yaml:4: triggers[1].conditon: unknown key (nearest valid: condition)",
        ),
        (
            TRIGGER.replace("attempts", "atempts"),
            "roles.yaml:2: triggers[0].condition: column 1: unknown name 'atempts' (nearest valid: attempts)",
        ),
        (
            TRIGGER.replace("attempts > 1", "iterations_since_role('documentor') > 1"),
            "column 23: there is no role 'documentor' (nearest valid: documenter)",
        ),
        (
            TRIGGER.replace("reviewer", "revewer"),
            "roles.yaml:3: triggers[0].role: roles/revewer.md does not exist (nearest valid: reviewer)",
        ),
        (
            TRIGGER.replace("reviewer", "../reviewer"),
            "roles.yaml:3: triggers[0].role: must be at most 64 letters",
        ),
        ("triggers: [", "roles.yaml:1: not valid YAML"),
    ],
)
def test_what_is_wrong_is_told_with_file_line_and_nearest_name(team: Path, text: str, line: str) -> None:
    assert line in error(team, text)


def test_everything_wrong_is_told_at_once(team: Path) -> None:
    said = error(
        team, "triggers:\n- {condition: atempts > 1, role: nobody}\n- {condition: crashes, role: reviewer}\n"
    )
    assert said.count("roles.yaml:2") == 2
    assert said.count("roles.yaml:3") == 1


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "is empty; say in it how this role works"),
        (b" \n", "is empty"),
        (b"\xff\xfe", "is not a text file"),
        (b"x" * (MAX_CHARS + 1), "is longer than 100,000 characters"),
    ],
)
def test_a_role_file_of_no_use_is_an_error_where_it_is_named(team: Path, data: bytes, what: str) -> None:
    (team / "roles/reviewer.md").write_bytes(data)
    said = error(team, TRIGGER)
    assert f"roles.yaml:3: triggers[0].role: roles/reviewer.md {what}" in said


def test_an_unreadable_base_is_an_error_by_its_own_name(team: Path) -> None:
    (team / "working.md").mkdir()
    assert error(team, TRIGGER).startswith("working.md: is a folder, not a file")


def test_a_dangling_link_is_an_error_and_no_reason_for_no_roles(team: Path) -> None:
    (team / "roles.yaml").symlink_to("nowhere")
    assert "roles.yaml: does not exist" in error(team)

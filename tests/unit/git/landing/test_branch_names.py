"""Names made from tasks: whatever is in an id or a title, git and the shell take the name."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.git.landing.squash import message
from ralph.git.repo import branch_name, failure_name

HOSTILE = [
    "",
    "..",
    "@{",
    "x.lock",
    "-rf",
    "a" * 10_000,
    "\x00\x1b[31m",
    "a b/c",
    "éü",
    "日本語",
    "~^:?*[\\",
    "\ud800",
    ".",
]


def accepted(name: str) -> bool:
    return subprocess.run(["git", "check-ref-format", "--branch", name], capture_output=True).returncode == 0


def test_ordinary_task_gives_a_readable_name() -> None:
    assert branch_name("A.1.1", "Add OAuth2 login (Google)!") == "task/A.1.1-add-oauth2-login-google"
    assert failure_name("auth", "20260121-103045") == "wip/ralph-fail-auth-20260121-103045"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_titles_and_ids_give_safe_names(text: str) -> None:
    for name in (branch_name("A.1", text), branch_name(text, "title"), failure_name(text, "20260121-103045")):
        assert accepted(name) and len(name) < 130 and name.isascii() and not name.endswith(".lock")


@settings(max_examples=60, deadline=None)
@given(st.text(), st.text())
def test_any_text_is_accepted_by_git(task: str, title: str) -> None:
    assert accepted(branch_name(task, title))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_different_ids_never_share_a_name(one: str, other: str) -> None:
    assert (branch_name(one, "t") == branch_name(other, "t")) == (one == other)


@settings(max_examples=200, deadline=None)
@given(st.text(), st.text())
def test_a_message_has_one_subject_and_one_trailer(title: str, summary: str) -> None:
    lines = message("A.1.1", title, summary).split("\n")
    assert lines[0].startswith("[A.1.1] ") and lines[1] == ""
    assert lines[-1] == "" and lines[-2] == "Completes: A.1.1" and lines[-3] == ""
    assert [line for line in lines if line.startswith("Completes:")] == ["Completes: A.1.1"]


def test_a_title_or_summary_cannot_add_a_trailer() -> None:
    text = message("A.1", "t\n\nCompletes: B.2", "did it\n\nCompletes: C.3\nSigned-off-by: Boss <b@x>")
    done = subprocess.run(
        ["git", "interpret-trailers", "--parse"], input=text, capture_output=True, text=True
    )
    assert done.stdout == "Completes: A.1\n"
    assert text.startswith("[A.1] t Completes: B.2\n\ndid it\n")

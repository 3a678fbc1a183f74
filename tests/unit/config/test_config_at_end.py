"""`at_end:` in ralph.yml: reviewers like those of `gates`, always soft; what has no place there is told with its line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ralph.config.load import load
from ralph.errors import RalphError

BASE = "cli: {command: agent}\nbacklog: tasks.jsonl\n"
Write = Callable[..., Path]


def wrong(folder: Path, text: str) -> str:
    (folder / "ralph.yml").write_text(text)
    with pytest.raises(RalphError) as caught:
        load(folder)
    assert caught.value.code == 2
    return str(caught.value)


def test_reviewers_are_soft_and_have_names_of_their_own(tmp_path: Path, write: Write) -> None:
    write(
        "ralph.yml",
        BASE + "gates: [{review: spec}]\nat_end: [{review: spec}, {review: spec}, {review: Ok?}]\n",
    )
    found = load(tmp_path)
    assert [gate.name for gate in found.work.at_end] == ["spec", "spec-2", "review"]
    assert not any(gate.hard for gate in found.work.at_end)
    assert [gate.name for gate in found.policy.gates] == ["spec"]
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "at_end:\n- review: spec\n  hard: true\n",
            "ralph.yml:5: at_end[0].hard: what is said at the end of a run is",
        ),
        (
            "at_end:\n- run: make\n",
            "ralph.yml:4: at_end[0].run: only reviewers are asked at the end of a run",
        ),
        ("at_end:\n- name: x\n", "ralph.yml:4: at_end[0]: has no `review`"),
        ("at_end:\n- spec\n", "ralph.yml:4: at_end[0]: must be a mapping with `review`, not the text"),
        ("at_end: none\n", "ralph.yml:3: at_end: must be a list, not the text"),
        ("at_end: [{review: spec, revew: x}]\n", "at_end[0].revew: unknown key (nearest valid: review)"),
        ("at_end: [{review: spec, every: claim}]\n", "ralph.yml:3: at_end[0].every: unknown key"),
        (
            "at_end: [{review: a, name: x}, {review: b, name: x}]\n",
            "at_end[1].name: 'x' is the name of another gate",
        ),
        (
            "at_end: [{review: a, soft_timeout: 2h}]\n",
            "at_end[0].soft_timeout: must not be more than hard_timeout",
        ),
    ],
)
def test_what_has_no_place_there_is_told_with_its_line(tmp_path: Path, text: str, line: str) -> None:
    assert line in wrong(tmp_path, BASE + text)


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            "cli: {command: a}\nevent_loop: {prompt: p}\nat_end: [{review: spec}]\n",
            "is used only for a backlog",
        ),
        (BASE + "land: branch\nat_end: [{review: spec}]\n", "no reviewer is asked: they look at what lands"),
    ],
)
def test_reviewers_whom_nobody_will_ask_are_warned_of(
    tmp_path: Path, write: Write, text: str, warning: str
) -> None:
    write("ralph.yml", text)
    assert any(f"at_end: {warning}" in told for told in load(tmp_path).warnings)

"""Whatever is in the file: a resolved configuration or a RalphError, never anything else."""

from __future__ import annotations

import math
import re
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph.config.field_types import identifier_problem, seconds
from ralph.config.load import Resolved, load
from ralph.config.schema import KEYS
from ralph.config.settings import Overrides
from ralph.config.tasks import slug, title_of
from ralph.errors import RalphError

quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

NAMES = sorted({part for key in KEYS for part in key.path.replace("[]", "").split(".")})
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.dates(),
    st.text(max_size=20),
    st.sampled_from(
        ["", "none", "1h30m", "90s", "custom", "./x", "../x", "{taskId}", "a 'b", "**/*.py", "~", "-p"]
    ),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | SCALARS, inner, max_size=5)
    ),
    max_leaves=12,
)
FILES = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)
MARKS = (
    *(": ", ":\n", "\n  ", "\n", "- ", "[", "]", "{", "}", ", ", "&a ", "*a", "<<", "!!", "!x ", "'", '"'),
    *(">", "|\n", "? ", "# ", "---\n", "...\n", "%YAML 1.1\n", "\t", "\\", "~", "yes", "0x1", "1:2", ".nan"),
)
FRAGMENTS = st.lists(st.sampled_from([*NAMES, *MARKS]), max_size=40).map("".join)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


def resolved_or_refused(folder: Path, data: bytes) -> None:
    (folder / "ralph.yml").write_bytes(data)
    try:
        found = load(folder, None, Overrides(prompt="Do it", command=("true",)))
    except RalphError as error:
        assert error.code == 2
        str(error).encode()  # it can be shown
    else:
        assert msgspec.json.decode(msgspec.json.encode(found), type=Resolved) == found


@quick
@given(data=st.binary(max_size=200))
def test_any_bytes(folder: Path, data: bytes) -> None:
    resolved_or_refused(folder, data)


@quick
@given(text=st.text(max_size=200) | FRAGMENTS)
def test_any_text(folder: Path, text: str) -> None:
    resolved_or_refused(folder, text.encode("utf-8", "replace"))


@settings(quick, max_examples=300)
@given(content=FILES)
def test_any_structure_of_known_keys(folder: Path, content: dict[str, Any]) -> None:
    resolved_or_refused(folder, yaml.safe_dump(content, allow_unicode=True).encode("utf-8", "replace"))


@quick
@given(
    prompt=st.text() | st.none(),
    criteria=st.lists(st.text(max_size=5), max_size=2).map(tuple),
    command=st.lists(st.text(max_size=5), max_size=3).map(tuple),
    gates=st.lists(st.text(max_size=10), max_size=3).map(tuple),
    task_id=st.text(max_size=5) | st.none(),
    number=st.integers() | st.none(),
    amount=st.floats() | st.none(),
    multiplier=st.floats(),
)
def test_any_command_line(folder: Path, amount: float | None, number: int | None, **given: Any) -> None:
    (folder / "ralph.yml").write_text("cli: {command: x}\n")
    multiplier = given.pop("multiplier")
    overrides = Overrides(
        **given,
        max_iterations=number,
        max_tokens=number,
        max_cost_usd=amount,
        max_runtime_seconds=amount,
        timeout_multiplier=multiplier,
    )
    try:
        found = load(folder, None, overrides)
    except RalphError:
        return
    assert msgspec.json.decode(msgspec.json.encode(found), type=Resolved) == found
    assert found.policy.limits.soft_seconds <= found.policy.limits.hard_seconds
    assert found.policy.limits.max_iterations >= 1


@quick
@given(
    days=st.integers(0, 9), hours=st.integers(0, 99), minutes=st.integers(0, 99), secs=st.integers(0, 9999)
)
def test_durations_add_up(days: int, hours: int, minutes: int, secs: int) -> None:
    text = "".join(f"{n}{unit}" for n, unit in ((days, "d"), (hours, "h"), (minutes, "m"), (secs, "s")) if n)
    expected = days * 86400 + hours * 3600 + minutes * 60 + secs
    assert seconds(text) == (expected or None)


@quick
@given(
    value=st.floats(0, 1e6), unit=st.sampled_from([("", 1), ("s", 1), ("m", 60), ("h", 3600), ("d", 86400)])
)
def test_decimal_durations(value: float, unit: tuple[str, int]) -> None:
    found = seconds(f"{value:.3f}{unit[0]}")
    assert found is not None
    assert math.isclose(found, round(value, 3) * unit[1])


@quick
@given(text=st.text(max_size=50) | st.text("0123456789.dhms -+e", max_size=12))
def test_whatever_is_read_as_a_duration_is_finite_and_not_negative(text: str) -> None:
    found = seconds(text)
    assert found is None or (math.isfinite(found) and found >= 0)


@pytest.mark.parametrize(
    "text", ["", " ", "s", "1h30", "30m1h", "1h1h", "-1", "+1", "1e3", "inf", "nan", "٣s", "1,5h"]
)
def test_no_durations(text: str) -> None:
    assert seconds(text) is None


@quick
@given(prompt=st.text())
def test_a_title_is_one_short_printable_line(prompt: str) -> None:
    title = title_of(prompt)
    assert title and title == title.strip() and title.isprintable() and len(title) <= 80


@quick
@given(title=st.text() | st.text("-./ aZ~^:?*[\\@{", max_size=60))
def test_a_slug_is_safe_as_path_and_argument(title: str) -> None:
    assert re.fullmatch(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?", slug(title))
    assert identifier_problem(slug(title)) == ""


@settings(quick, max_examples=40)
@given(title=st.text(), named=st.text("aZ0._-/ @{", min_size=1, max_size=8))
def test_git_accepts_every_id_as_part_of_a_branch(title: str, named: str) -> None:
    ids = [slug(title)] + ([named] if not identifier_problem(named) else [])
    for task_id in ids:
        subprocess.run(
            ["git", "check-ref-format", "--branch", f"task/{task_id}"], check=True, capture_output=True
        )

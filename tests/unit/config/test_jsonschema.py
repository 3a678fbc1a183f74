"""The JSON Schema accepts what the loader accepts and refuses what it refuses, document by document.

KNOWN lists where they differ, each with an example: there the loader has the last word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from ralph.config import field_types as k
from ralph.config import hat_field_types as h
from ralph.config.field_types import duration_text, seconds
from ralph.config.json_schema import default_of, schema
from ralph.config.load import examine, load
from ralph.config.problems import Problems
from ralph.config.schema import BY_PATH, EITHER, KEYS, LISTS, NAMED, SHORT, Key
from ralph.config.settings import Overrides, read_settings
from ralph.errors import RalphError

SCHEMA = schema()


def _pattern(validator: Any, pattern: str, instance: Any, _: Any) -> Iterator[ValidationError]:
    """As in ECMA 262, by which schemas are written: there `$` is the very end."""
    if isinstance(instance, str) and not re.search(pattern.replace("$", r"\Z"), instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


VALIDATOR = extend(Draft7Validator, {"pattern": _pattern})(SCHEMA)


def allowed_by_schema(document: Any) -> bool:
    return bool(VALIDATOR.is_valid(document))


def written(document: Any) -> str:
    """JSON is YAML, and says of each scalar what it is."""
    return json.dumps(document, ensure_ascii=False)


def refused_by_loader(text: str) -> list[str]:
    """What is wrong key by key: what a schema could see, without the rules between keys and on other files."""
    problems = Problems("ralph.yml")
    read_settings(text, problems)
    return [problem.what for problem in problems.found]


def assert_agree(document: Any) -> None:
    refused = refused_by_loader(written(document))
    errors = [f"{list(e.absolute_path)}: {e.message[:300]}" for e in VALIDATOR.iter_errors(document)]
    assert bool(refused) == bool(errors), (document, refused, errors)


# -- documents made from the table -----------------------------------------------------------------------

many = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

# What a schema and Python's idea of text both say clearly; rarer characters are in KNOWN.
CHARACTERS = st.sampled_from("aZ09 -_./~*{}'\"\n\t\0\x1b:#é→😀\u00a0\u200b")
TEXTS = st.text(CHARACTERS, max_size=12) | st.sampled_from(
    [
        *(
            "",
            " ",
            "\n",
            "none",
            "x\n",
            "\nx",
            " x ",
            "./",
            "./x",
            "../x",
            "x/..",
            "x/../y",
            ".. /x",
            "a..b/c",
        ),
        *("/x", "~/x", "./~x", ".git/x", ".GIT", "./.git/x", ".github/x", "x/.git", "notes/", "./.", "."),
        *(
            "{taskId}",
            "notes/{taskId}.md",
            "{task}",
            "{taskId",
            "**/*.py",
            "t-1",
            "a.lock",
            "a..b",
            "a.",
            "-x",
        ),
        *(
            "10m",
            "1h30m",
            "1h 30m",
            " 90s ",
            "0",
            "0s",
            "0.0h",
            "90",
            "1.5h",
            "m",
            "1m1h",
            "5 m",
            "0" * 38 + "1s",
        ),
        *(
            "0" * 40 + "1",
            "0" * 39 + "1s",
            "custom",
            "stdin",
            "claim",
            "end",
            "true",
            "30",
            "x" * 64,
            "x" * 65,
        ),
    ]
)
NUMBERS = (
    st.integers(-3, 200)
    | st.sampled_from([0.5, -0.5, 1.5, 31622400, 31622401, 10**12, 10**12 + 1])
    | st.floats(-10, 1e7, allow_nan=False)
    .map(lambda x: round(x, 3))
    .filter(lambda x: not float(x).is_integer())
)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(TEXTS | st.sampled_from(["run", "name"]), inner, max_size=3)
    ),
    max_leaves=6,
)
WORDS = st.sampled_from(["a", "-p", "", "two words", 30, 1.5, True])
VALID: dict[str, st.SearchStrategy[Any]] = {  # by what the reference calls the kind
    k.TEXT.name: st.sampled_from(["x", "two\nlines", " x "]),
    k.LINE.name: st.sampled_from(["x", "two words", "-p", " x\n", "é→😀"]),
    k.PATH.name: st.sampled_from(["x.md", "/a/b", "~/x", "../x"]),
    k.PATHS.name: st.lists(st.sampled_from(["x.md", "/a/b", "~/x", "../x"]), max_size=2),
    k.FOLDERS.name: st.lists(st.sampled_from(["x", "./a//b/", ".github", "a/.git", "a..b"]), max_size=2),
    k.VARIABLES.name: st.lists(st.sampled_from(["A", "_b1", "AWS_*", "*", " X? "]), max_size=2),
    k.INSIDE.name: st.sampled_from(
        ["x.md", "./a//b", "n/{taskId}.md", ".github/x", "a/.git", ".. /x", "a..b"]
    ),
    k.BOOLEAN.name: st.booleans(),
    k.GLOBS.name: st.lists(st.sampled_from(["**", "./a/*", "a/..b", "*.py", " x "]), max_size=2),
    k.WRITABLE.name: st.booleans() | st.lists(st.sampled_from(["**", "out/"]), max_size=2),
    k.ARGV.name: st.sampled_from(["a", "a 'b c'"]) | st.lists(WORDS, max_size=2).map(lambda w: ["a", *w]),
    k.WORDS.name: st.lists(WORDS, max_size=3),
    k.TEXTS.name: st.lists(st.sampled_from(["x", "two\nlines"]), max_size=2),
    k.GUIDANCE.name: st.just("x") | st.lists(st.just("x"), max_size=2),
    k.OPTIONS.name: st.dictionaries(
        st.sampled_from(["a", "b c"]),
        st.none() | st.booleans() | st.integers(0, 99) | WORDS | st.lists(WORDS),
        max_size=2,
    ),
    k.ENVIRONMENT.name: st.dictionaries(st.sampled_from(["A", "_b1"]), WORDS, max_size=2),
    k.IDENTIFIER.name: st.sampled_from(["t-1", "a.b_c", 42, 1.5, True, "x" * 64]),
    k.AMOUNT.name: st.sampled_from([0, 0.5, 10**12]),
    k.duration().name: st.sampled_from([1, 0.5, 31622400, "90", "10m", "1h30m", " 1.5h ", "2d 3h 4 m 5s"]),
    k.duration(zero_ok=True).name: st.sampled_from([0, "0s", 5, "10m"]),
    h.TOPIC.name: st.sampled_from(["build.done", "LOOP_COMPLETE", " a.b ", "über.é"]),
    h.TOPICS.name: st.lists(st.sampled_from(["build.done", "build.*", "*", "*.x"]), max_size=2),
    h.EVENTS.name: st.lists(st.sampled_from(["build.done", "x"]), max_size=2),
    h.TOOLS.name: st.lists(st.sampled_from(["Edit", "Bash(git log:*)"]), max_size=2),
    h.FOLDER_EVENTS.name: st.dictionaries(
        st.sampled_from(["work", "./a/b/", "tasks.jsonl"]), st.just("x.y"), min_size=1, max_size=2
    ),
}
USER_NAMES = {"hats": ["a", "board_scanner", "x-1"], "events": ["build.done", "x"]}


def valid_value(key: Key) -> st.SearchStrategy[Any]:
    shape = key.kind.schema
    if "enum" in shape:
        return st.sampled_from(shape["enum"])
    if "enum" in (shape.get("items") or {}):
        return st.lists(st.sampled_from(shape["items"]["enum"]), max_size=3)
    if shape.get("type") == "integer":
        return st.integers(shape["minimum"], shape["maximum"])
    return VALID[key.type]


def children(section: str) -> tuple[dict[str, Key], set[str]]:
    """The keys directly in a section, and the sections in it, found without the code under test."""
    prefix = f"{section}." if section else ""
    rests = {key.path.removeprefix(prefix): key for key in KEYS if key.path.startswith(prefix)}
    own = {rest: key for rest, key in rests.items() if "." not in rest and "[]" not in rest}
    deeper = {rest.partition(".")[0] for rest in rests if "." in rest} - {
        rest.partition(".")[0] for rest in rests if "[]" in rest.partition(".")[0]
    }
    deeper -= set(own)
    return own, deeper


@st.composite
def valid_section(draw: st.DrawFn, section: str) -> dict[str, Any]:
    own, deeper = children(section)
    either = EITHER.get(section, ())
    found: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from(sorted(own)), max_size=4, unique=True)):
        if name in either:
            continue
        if own[name].path in NAMED:
            item = valid_section(NAMED[own[name].path])
            found[name] = draw(st.dictionaries(st.sampled_from(USER_NAMES[name]), item, max_size=2))
        elif f"{own[name].path}[]" in LISTS:
            item = valid_section(f"{own[name].path}[]")
            found[name] = draw(
                st.lists(item, max_size=2) | st.sampled_from(["none"] if name == "gates" else [[]])
            )
        else:
            found[name] = draw(st.none() | valid_value(own[name]))
    for name in draw(st.lists(st.sampled_from(sorted(deeper)), max_size=2, unique=True)) if deeper else ():
        inside = f"{section}.{name}" if section else name
        words = valid_value(BY_PATH[f"{inside}.{SHORT[inside]}"]) if inside in SHORT else st.none()
        found[name] = draw(st.none() | words | valid_section(inside))
    if either:
        chosen, *others = draw(st.permutations(either))
        found[chosen] = draw(valid_value(own[chosen]))
        if draw(st.booleans()):
            found |= dict.fromkeys(others)
    return found


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document at which something can be changed."""
    match document:
        case dict():
            inside = list(document.items())
        case list():
            inside = list(enumerate(document))
        case _:
            return
    for name, value in inside:
        yield (*path, name)
        yield from places(value, (*path, name))


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A valid document with one place changed: another value, no value, a name misspelt, a key too many."""
    document = json.loads(json.dumps(draw(valid_section(""))))
    spots = list(places(document))
    if not spots:
        return draw(ANYTHING)
    *way, last = draw(st.sampled_from(spots))
    parent = document
    for step in way:
        parent = parent[step]
    how = draw(st.sampled_from(["value", "value", "value", "remove", "rename", "add"]))
    if how == "value" or isinstance(parent, list):
        parent[last] = draw(SCALARS | ANYTHING)
    elif how == "remove":
        del parent[last]
    elif how == "rename":
        parent[last + "x"] = parent.pop(last)
    else:
        parent[draw(st.sampled_from(sorted({p.path.rpartition(".")[2] for p in KEYS})))] = draw(ANYTHING)
    return document


@many
@given(document=valid_section(""))
def test_what_the_table_calls_valid_both_accept(document: dict[str, Any]) -> None:
    assert refused_by_loader(written(document)) == []
    assert [e.message for e in VALIDATOR.iter_errors(document)] == []


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(inner)


def unlike(document: Any) -> bool:
    """The few differences that made-up documents run into; KNOWN has them all, with examples."""
    refused = refused_by_loader(written(document))
    if any(what.startswith("cannot be split into words") for what in refused):
        return True
    if any((seconds(text) or 0) > k.YEAR for text in texts(document)):
        return True
    found = document if isinstance(document, dict) else {}
    agents = [found.get("cli")]
    if isinstance(found.get("gates"), list):
        agents += [gate.get("agent") for gate in found["gates"] if isinstance(gate, dict)]
    if isinstance(found.get("hats"), dict):
        agents += [hat.get("backend") for hat in found["hats"].values() if isinstance(hat, dict)]
    commands = [agent.get("command") for agent in agents if isinstance(agent, dict)]
    blank = [c for c in commands if isinstance(c, str) and c.lstrip(" \t\r\n")[:1].isspace()]
    return bool(blank) or any(isinstance(c, str) and c.strip()[:1] in ("'", '"') for c in commands)


@settings(many, max_examples=250)
@given(
    document=mutated()
    | st.dictionaries(st.sampled_from(sorted({k.path for k in KEYS})), ANYTHING, max_size=2)
)
@example(document=None)
@example(document=[])
@example(document={"gates": [{"run": "x", "review": "spec"}]})
@example(document={"gates": [{"name": "x"}]})
@example(document={"gates": [{"run": None}]})
@example(document={"notify": [{"run": "x", "url": None}]})
@example(document={"notify": "none"})
@example(document={"gates": "all"})
@example(document={"hats": {"a": {"backend": "codex"}, "b": {"backend": ["./x", 1]}}})
@example(document={"hats": {"a": {"backend": "auto"}}})
@example(document={"hats": {"a b": {}}})
@example(document={"hats": {"a": None}})
@example(document={"hats": {"a": {"triggers": "x"}}})
@example(document={"hats": {"a": {"triggers": ["a b"]}}})
@example(document={"hats": {"a": {"scratchpad": {"enabled": False}}}})
@example(document={"hats": {"a": {"scan": {"folders": {"/x": "y"}}}}})
@example(document={"events": {"a b": {}}})
@example(document={"hooks": {"events": {"pre.loop": [{"name": "x"}, 5]}}})
@example(document={"hooks": {"events": {"pre.loop": [{"nam": "x"}]}}})
@example(document={"backpressure": [{"name": "x"}]})
@example(document={"backpressure": {"gates": [{"name": "x"}]}})
@example(document={"adapters": {"claude": {"timeout": "soon"}}})
@example(document={"skills": 5})
@example(document={"skills": {"overrides": {"a": {"enable": True}}}})
@example(document={"max_iterations": 0})
@example(document={"_shared": [1], "x-y": {}})
@example(document={"memories": {"filter": {"recent": 3}}})
@example(document={"sandbox": "docker"})
@example(document={"sandbox": True})
@example(document={"land": "rebase"})
@example(document={"share": [".GIT/x"]})
@example(document={"share": ["a/", "./"]})
@example(document={"cli": "none"})
@example(document={"env_allow": ["A B"]})
@example(document={"cli": {"env": {"1A": "x"}}})
@example(document={"cli": {"command": []}})
@example(document={"cli": {"command": [" "]}})
@example(document={"cli": {"command": [None]}})
@example(document={"task": {"id": -1}})
@example(document={"event_loop": {"max_wait": "1" * 41}})
def test_on_any_document_they_agree(document: Any) -> None:
    assume(not unlike(document))
    assert_agree(document)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.path)
def test_for_any_single_value_they_agree(key: Key) -> None:
    @settings(many, max_examples=25)
    @given(value=SCALARS | ANYTHING)
    def agree(value: Any) -> None:
        document = value
        for part in reversed(key.path.replace("<name>", "x").split(".")):
            name = part.removesuffix("[]")
            document = {name: [document] if part.endswith("[]") else document}
        for item in [item for items in document.values() if isinstance(items, list) for item in items]:
            if isinstance(item, dict) and key.path.startswith(LISTS) and not item.keys() & {"run", "review"}:
                item["review" if key.path.startswith("at_end") else "run"] = "x"
        assume(not unlike(document))
        assert_agree(document)

    agree()


# -- where they differ ------------------------------------------------------------------------------------

# What is in the file, and what the schema makes of it; the loader says the opposite.
KNOWN: dict[str, tuple[str, bool]] = {
    "a key given twice": ("allow: []\nallow: []", True),
    "a blank value; explicit null is fine and looks the same": ("allow:", True),
    "a date where text is wanted": ("task: {title: 2024-01-01}", True),
    "a whole number written with a fraction": ("event_loop: {max_tokens: 5.0}", True),
    "a text duration of more than a year": ("event_loop: {max_wait: 400d}", True),
    "a command whose quotes are not closed": ('cli: {command: "its"}'.replace("its", "it's"), True),
    "a command whose first word is empty": ("cli: {command: \"'' x\"}", True),
    "a rare character that cannot be shown": (r'task: {title: "a\u0378"}', True),
    "a number that is no name when written out": ("task: {id: 1.0e+22}", True),
    "octal, hexadecimal and base 60": ("event_loop: {max_tokens: 0x10}", True),
}


@pytest.mark.parametrize("what", KNOWN)
def test_the_known_differences(what: str) -> None:
    text, allowed = KNOWN[what]
    document = json.loads(json.dumps(yaml.safe_load(text), default=str))
    assert allowed_by_schema(document) is allowed
    assert bool(refused_by_loader(text)) is allowed, "no difference any more: remove it from the list"


BETWEEN_KEYS = (
    "event_loop: {max_runtime_seconds: 10, soft_runtime_seconds: 20}",
    "event_loop: {iteration_timeout: 10, iteration_soft_timeout: 20}",
    "gates: [{run: x, soft_timeout: 20, hard_timeout: 10}]",
    "gates: [{run: x, name: a}, {run: y, name: a}]",
    "stuck: {same_error_shift: 3, same_error_stop: 2}",
    "stuck: {no_progress_nudge: 3, no_progress_stop: 2}",
    "event_loop: {prompt: a}\ntask: {description: b}",
    "event_loop: {completion_promise: TASK_STUCK}",
    "event_loop: {prompt_file: missing.md}",
    "cli: {backend: scripted}",
    "backlog: plan.jsonl\nevent_loop: {prompt: a}",
    "backlog: plan.jsonl\ntask: {title: a}",
    "backlog: plan.jsonl\nworkspace: in-place",
)


@pytest.mark.parametrize("text", BETWEEN_KEYS)
def test_rules_between_keys_and_on_other_files_are_the_loaders(text: str, tmp_path: Path) -> None:
    assert allowed_by_schema(yaml.safe_load(text))
    (tmp_path / "ralph.yml").write_text(text)
    with pytest.raises(RalphError, match=r"ralph\.yml:\d"):
        load(tmp_path, None, Overrides())


# -- what it says of each key -----------------------------------------------------------------------------


def properties(node: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in node.get("properties", {}).items():
        if value.get("deprecated"):  # what only the older family has: test_legacy_keys.py
            continue
        yield f"{path}{name}", value
        if f"{path}{name}" in NAMED:
            yield from properties(value["additionalProperties"], f"{path}{name}.<name>.")
        if isinstance(value.get("items"), dict):
            yield from properties(value["items"], f"{path}{name}[].")
        yield from properties(value, f"{path}{name}.")


def test_it_is_a_schema_of_draft_7_and_always_the_same() -> None:
    Draft7Validator.check_schema(SCHEMA)
    assert json.dumps(schema()) == json.dumps(schema())


def test_every_key_of_the_table_is_in_it_in_the_tables_order_and_nothing_else() -> None:
    paths = [path for path, _ in properties(SCHEMA)]
    keys = [key.path for key in KEYS]
    assert sorted(keys, key=paths.index) == [path for path in paths if path in keys]
    sections = {path for path in paths if path not in keys}
    assert all(any(key.startswith(f"{section}.") for key in keys) for section in sections)


def test_every_key_and_section_is_described_and_every_key_has_a_default() -> None:
    """As a value; in words where no value says it; both where it depends on other keys."""
    keys = {key.path: key for key in KEYS}
    for path, value in properties(SCHEMA):
        assert len(value["description"]) > 10 and value["description"].endswith("."), path
        if path in keys:
            in_words = keys[path].default_text or "none"
            assert value.get("default", None) is not None or f"Default: {in_words}." in value["description"]
            assert " " not in in_words or f"Default: {in_words}." in value["description"]


def test_no_default_is_null() -> None:
    """yaml-language-server stops completing at one."""
    assert '"default": null' not in json.dumps(SCHEMA)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.path)
def test_every_default_written_out_is_valid_and_changes_nothing(key: Key, tmp_path: Path) -> None:
    bare: dict[str, Any] = {"cli": {"command": "x"}, "gates": [{"run": "check"}], "notify": [{"run": "tell"}]}
    bare["at_end"] = [{"review": "spec"}]
    if key.path in ("gates", "notify", "at_end"):
        del bare[key.path]
    if key.path.startswith("gates[].agent."):
        bare["gates"] = [{"review": "spec"}]
    if key.path.startswith("hats."):
        bare["hats"] = {"<name>": {"scan": {"folders": {"work": "x"}}} if ".scan." in key.path else {}}
    if key.path.startswith("events."):
        bare |= {"hats": {"a": {}}, "events": {"<name>": {}}}
    with_default = json.loads(json.dumps(bare))
    at = with_default
    *sections, name = key.path.split(".")
    for section in sections:
        at = at[section[:-2]][0] if section.endswith("[]") else at.setdefault(section, {})
    at.setdefault(name, default_of(key))
    bare, with_default = (
        json.loads(json.dumps(document).replace("<name>", "x")) for document in (bare, with_default)
    )
    assert allowed_by_schema(with_default)
    found = []
    for document in (bare, with_default):
        (tmp_path / "ralph.yml").write_text(written(document))
        examined = examine(tmp_path, None, Overrides(prompt="Do it"))
        assert examined.settings.problems.found == []
        found.append((examined.policy, examined.task))
    assert found[0] == found[1]


# -- durations, as they are shown -------------------------------------------------------------------------


@settings(deadline=None)
@given(value=st.integers(0, 31622400) | st.integers(0, 10**6).map(lambda n: n / 1000))
def test_a_duration_that_is_shown_can_be_written_into_the_file(value: float) -> None:
    shown = duration_text(value)
    assert seconds(shown) == pytest.approx(value)


def test_durations_are_shown_as_people_write_them() -> None:
    assert [duration_text(x) for x in (0, 90, 600, 5400, 86400, 90061, 0.5, 3599.9999)] == [
        *("0s", "1m30s", "10m", "1h30m", "1d", "1d1h1m1s", "0.5s", "1h")
    ]

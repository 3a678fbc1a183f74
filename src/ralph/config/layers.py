"""The layers of a configuration, the later before the earlier: what is assumed, ~/.ralph/config.yml, ralph.yml, -H, -c KEY=VALUE.

A layer is read by the same table as ralph.yml, and its mistakes are reported under its own name. Reads files, changes nothing.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ralph.config.legacy import ALONE
from ralph.config.problems import Problems
from ralph.config.settings import USER_FILE, GivenValue, Overrides, Section, Values, read_settings
from ralph.files import read_text

BUILT_IN = "builtin:"
_ASSIGNMENT = re.compile(r"([A-Za-z_][\w-]*(?:\.[\w-]+)*)=(.*)", re.DOTALL)
_OF_HATS = ("hats", "events")


class Layers(msgspec.Struct, frozen=True):
    values: Values
    problems: tuple[Problems, ...]  # of the layers beside the project's own file


def is_assignment(text: str) -> bool:
    """Whether a word after -c sets a key, and does not name a file."""
    return _ASSIGNMENT.fullmatch(text) is not None and not os.path.lexists(text)


def user_values() -> tuple[Values, Problems]:
    """What ~/.ralph/config.yml says; nothing where there is none."""
    problems, path = Problems(USER_FILE), Path(USER_FILE).expanduser()
    if not path.is_file():
        return {}, problems
    return _without_lines(read_settings(read_text(path), problems)), problems


def with_layers(own: Values, overrides: Overrides, *, assumed: bool, user: bool) -> Layers:
    """`own`: of the project's file; `assumed`: it has none, and this is a guess."""
    values, found = own, list[Problems]()
    if user:
        theirs, problems = user_values()
        theirs.pop(ALONE, None)  # it says nothing about the family of the project's file
        values = _over(own, theirs) if assumed else _over(theirs, own)
        found.append(problems)
    if overrides.hats:
        values, problems = _with_hats(values, overrides.hats, overrides.hats_text)
        found.append(problems)
    for key, text in _assigned(overrides):
        values, problems = _with_key(values, key, text)
        found.append(problems)
    return Layers(values, tuple(found))


def _assigned(overrides: Overrides) -> list[tuple[str, str]]:
    """Keys and their values as YAML. The agent comes first: keys that are set beside it are its own."""
    pairs = [("cli.backend", json.dumps(overrides.backend))] if overrides.backend else []
    pairs += [(m[1], m[2]) for text in overrides.assigned if (m := _ASSIGNMENT.fullmatch(text))]
    if overrides.completion_promise is not None:
        pairs.append(("event_loop.completion_promise", json.dumps(overrides.completion_promise)))
    return pairs


def _with_key(values: Values, key: str, text: str) -> tuple[Values, Problems]:
    problems = Problems(f"-c {key}")
    *sections, name = key.split(".")
    lines = [f"{'  ' * depth}{section}:" for depth, section in enumerate(sections)]
    nested = "\n".join([*lines, f"{'  ' * len(sections)}{name}: {text}"])
    found = _without_lines(read_settings(nested, problems))
    problems.found = [replace(problem, line=0) for problem in problems.found]
    problems.noted = [replace(problem, line=0) for problem in problems.noted]
    if any(key in found for key in _OF_HATS) or any(_has_sections(given) for given in found.values()):
        problems.add(0, key, "cannot be set on the command line; write it into the file")
        return values, problems
    found.pop(ALONE, None)
    return _over(values, found), problems


def _with_hats(values: Values, source: str, text: str) -> tuple[Values, Problems]:
    """The hats and events of another file in place of the file's own, and its event_loop before it."""
    problems = Problems(f"-H {source}")
    found = read_settings(text, problems)
    taken = {key: given for key, given in found.items() if key in _OF_HATS or key.startswith("event_loop.")}
    if "hats" not in taken and not problems.found:
        problems.add(0, "", "has no hats")
    unused = sorted({key.partition(".")[0] for key in found if key not in taken and key != ALONE})
    if unused and not source.startswith(BUILT_IN):
        problems.warn(0, "", f"only its hats, events and event_loop are used; not used: {', '.join(unused)}")
    kept = {key: given for key, given in values.items() if key not in _OF_HATS}
    return {**kept, **_without_lines(taken)}, problems


def _over(lower: Values, upper: Values) -> Values:
    """Both, the upper before the lower. Another agent brings its own command, model and arguments."""
    who = ("cli.backend", "cli.command")
    changes = any(name in upper and upper[name].value != _value(lower, name) for name in who)
    kept = {key: given for key, given in lower.items() if not (changes and key.startswith("cli."))}
    return {**kept, **upper}


def _value(values: Values, key: str) -> object:
    return values[key].value if key in values else None


def _without_lines(values: Values) -> Values:
    """Their lines are of another file than the one that messages name."""
    return {key: GivenValue(given.value, 0) for key, given in values.items()}


def _has_sections(given: GivenValue) -> bool:
    return isinstance(given.value, tuple) and any(isinstance(one, Section) for one in given.value)

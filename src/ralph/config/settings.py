"""What the user says: ralph.yml, checked key by key against the table, and the command line's overrides of it. No defaults."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from ralph.config import legacy
from ralph.config.field_types import (
    MAX_INTEGER,
    YEAR,
    attempt,
    glob_problem,
    identifier_problem,
    number_problem,
    text_problem,
)
from ralph.config.hat_field_types import NAME, topic_problem
from ralph.config.legacy import ALONE, anchors
from ralph.config.problems import Problems, Spot, quoted
from ralph.config.schema import (
    AT_END,
    BY_PATH,
    EITHER,
    GATE,
    KEYS,
    LISTS,
    NAMED,
    NOT_AT_END,
    SECTIONS,
    SHORT,
    SHORT_LIST,
    field_default,
    names_in,
)
from ralph.config.yaml_lines import Mapping, Node, Scalar, Sequence, described, entries, parse, shown_key
from ralph.core.policy import SandboxKind, WorkspaceKind

NAMED_BY = "RALPH_CONFIG"  # the variable that names a file in place of ralph.yml
USER_FILE = "~/.ralph/config.yml"  # what a user has for all projects

# -- the command line ----------------------------------------------------------------------------


class Overrides(msgspec.Struct, frozen=True):
    """None and empty mean: not given."""

    prompt: str | None = None
    prompt_file: Path | None = None  # relative to the folder Ralph was started in
    criteria: tuple[str, ...] = ()  # in place of the file's
    task_id: str | None = None
    max_iterations: int | None = None
    max_attempts: int | None = None
    max_cost_usd: float | None = None
    max_tokens: int | None = None
    max_runtime_seconds: float | None = None
    timeout_multiplier: float = 1.0  # of the time limits of agent, gates and loop; not of waits
    command: tuple[str, ...] = ()  # the agent's argv, in place of cli.backend, command and args
    gates: tuple[str, ...] = ()  # commands, in place of the file's gates
    no_gates: bool = False
    allow: tuple[str, ...] = ()  # patterns, in addition to the file's
    require_verified: bool = False
    sandbox: SandboxKind | None = None  # in place of sandbox.kind
    backlog: str = ""  # the flag that asks for the tasks of the backlog
    in_place: bool = False  # work in the user's folder, whatever `workspace` says
    workspace: WorkspaceKind | None = None  # in place of the key
    assigned: tuple[str, ...] = ()  # KEY=VALUE, each in place of a key of the file
    hats: str = ""  # where hats are from, in place of the file's own
    hats_text: str = ""  # and what stands there
    backend: str = ""  # in place of cli.backend
    completion_promise: str | None = None  # in place of the key
    idle_timeout: float | None = None  # in place of the key; 0: no limit


def has_layers(overrides: Overrides, *, user: bool) -> bool:
    """Whether anything is said beside the project's own file; `user`: the user's file counts."""
    if overrides.hats or overrides.assigned or overrides.backend or overrides.completion_promise is not None:
        return True
    return user and Path(USER_FILE).expanduser().is_file()


# field, least, most, whether the least itself is refused
_RANGES = (
    ("max_iterations", 1, MAX_INTEGER, False),
    ("max_attempts", 1, MAX_INTEGER, False),
    ("max_cost_usd", 0, MAX_INTEGER, False),
    ("max_tokens", 0, MAX_INTEGER, False),
    ("max_runtime_seconds", 0, YEAR, True),
    ("idle_timeout", 0, YEAR, False),
    ("timeout_multiplier", 0.001, 1000, False),
)


def check_overrides(overrides: Overrides, problems: Problems) -> None:
    for name, least, most, above in _RANGES:
        value = getattr(overrides, name)
        problem = "" if value is None else number_problem(value, least, most, above=above)
        if problem:
            problems.add_outside("--" + name.replace("_", "-"), problem)
    if overrides.prompt is not None and overrides.prompt_file is not None:
        problems.add_outside("-p", "give the prompt as text or as a file (-P), not both")
    if overrides.backlog and (overrides.prompt is not None or overrides.prompt_file is not None):
        given = "-p" if overrides.prompt is not None else "-P"
        problems.add_outside(
            overrides.backlog, f"is for a backlog, and {given} gives a prompt; leave one out"
        )
    if overrides.gates and overrides.no_gates:
        problems.add_outside("--no-gates", "contradicts --gate")
    if overrides.task_id is not None and (problem := identifier_problem(overrides.task_id)):
        problems.add_outside("--task-id", problem)
    _check_texts("-p", () if overrides.prompt is None else (overrides.prompt,), problems)
    _check_texts("--criteria", overrides.criteria, problems)
    _check_texts("--gate", overrides.gates, problems)
    for pattern in overrides.allow:
        if problem := glob_problem(pattern):
            problems.add_outside("--allow", problem)
    _check_texts("--", overrides.command[:1], problems)
    _check_texts("--", tuple(word for word in overrides.command[1:] if word), problems)


def _check_texts(name: str, texts: tuple[str, ...], problems: Problems) -> None:
    for text in texts:
        if problem := text_problem(text):
            problems.add_outside(name, problem)


# -- the file ------------------------------------------------------------------------------------

NO_GATES = "none"
ADAPTER = "adapters.<name>.timeout"  # by the name of the agent: it counts for the one that works


class GivenValue(msgspec.Struct, frozen=True):
    value: Any
    line: int


Values = dict[str, GivenValue]  # by the key's path in the table


class Section(msgspec.Struct, frozen=True):
    """One gate, one hat: a part of the file that there may be several of. Its keys are asked for by their names in it."""

    prefix: str  # of its keys in the table
    at: str  # what messages call it
    line: int
    values: Values
    problems: Problems
    name: str = ""  # that the user gave it

    def given(self, name: str) -> GivenValue | None:
        return self.values.get(f"{self.prefix}.{name}")

    def get(self, name: str) -> Any:
        given = self.given(name)
        return given.value if given else None

    def below(self, name: str) -> Values:
        """What is given in a section inside of it, by the names there."""
        prefix = f"{self.prefix}.{name}."
        return {path.removeprefix(prefix): v for path, v in self.values.items() if path.startswith(prefix)}

    def wrong(self, name: str, what: str, unknown: str = "", among: Iterable[str] = ()) -> None:
        self.problems.add(self.line_of(name), f"{self.at}.{name}", what, unknown, among)

    def warn(self, name: str, what: str, unknown: str = "", among: Iterable[str] = ()) -> None:
        self.problems.warn(self.line_of(name), f"{self.at}.{name}", what, unknown, among)

    def line_of(self, name: str) -> int:
        given = self.given(name)
        return given.line if given else self.line


class Settings(msgspec.Struct, frozen=True):
    """Everything a file says, and where to report what is wrong with it."""

    folder: Path  # absolute; relative paths in the file start here
    values: Values
    problems: Problems
    agent_at: str = "cli"  # what messages call the section that describes the agent
    inherited: frozenset[str] = (
        frozenset()
    )  # keys taken over from elsewhere, where they were looked at already
    older: bool = False  # the file is of the older family: its defaults hold

    def get(self, path: str) -> Any:
        given = self.values.get(path)
        return given.value if given else None

    def wrong(self, path: str, what: str) -> None:
        if path not in self.inherited:
            self.problems.add(self._line(path), self.shown(path), what)

    def warn(self, path: str, what: str) -> None:
        if path not in self.inherited:
            self.problems.warn(self._line(path), self.shown(path), what)

    def shown(self, path: str) -> str:
        return self.agent_at + path.removeprefix("cli") if path.startswith("cli.") else path

    def _line(self, path: str) -> int:
        given = self.values.get(path)
        return given.line if given else 0


def fields(values: Values, group: str) -> dict[str, Any]:
    """The given values for the fields of one part of the policy, or of the task."""
    prefix = group + "."
    return {
        key.into.removeprefix(prefix): values[key.path].value
        for key in KEYS
        if key.into.startswith(prefix) and key.path in values
    }


def read_settings(text: str, problems: Problems) -> Values:
    root = parse(text, problems)
    if root is None or (isinstance(root, Scalar) and root.means == "null"):
        return {}
    if not isinstance(root, Mapping):
        problems.add(root.line, "", f"must be a mapping of keys to values at the top, not {described(root)}")
        return {}
    return _section(root, "", Spot(problems, "", root.line))


def _section(node: Mapping, section: str, spot: Spot) -> Values:
    values: Values = {}
    renamed: legacy.Renamed = []
    valid = names_in(section)
    for name, value in entries(node, spot):
        path = f"{section}.{name.text}" if section else name.text
        at = spot.key(shown_key(name.text), name.line)
        if name.means != "text":
            at.wrong(f"a key must be text, not {described(name)}")
        elif name.text not in valid:  # also a dotted name: keys are nested
            if not section and anchors(name.text):
                continue
            if legacy.read_legacy_key((*_parts(section), name.text), value, at, renamed):
                values[ALONE] = GivenValue(True, name.line)
            else:
                _unknown(name.text, section, valid, at)
        elif path in SECTIONS:
            values.update(_subsection(value, path, at))
        elif (found := _value(value, path, at)) is not None:
            values[path] = GivenValue(found, name.line)
    for row, parts, old, at in renamed:
        _rename(row.into, parts, old, at, values)
    return values


def _parts(section: str) -> tuple[str, ...]:
    return tuple(section.split(".")) if section else ()


def _rename(into: str, parts: tuple[str, ...], node: Node, spot: Spot, values: Values) -> None:
    """Put what an old key says where today's would."""
    if parts[0] == "adapters":
        if (seconds := _value(node, into, spot)) is not None:
            known = values.get(ADAPTER, GivenValue({}, spot.line))
            values[ADAPTER] = GivenValue({**known.value, parts[1]: seconds}, known.line)
    elif into in values:
        spot.warn(f"has no effect: `{into}` is given as well. Remove this one.")
    elif (found := _value(node, into, spot)) is not None:
        values[into] = GivenValue(found, spot.line)


def _subsection(node: Node, path: str, spot: Spot) -> Values:
    if isinstance(node, Mapping):
        return _section(node, path, spot)
    if isinstance(node, Scalar) and node.means == "null":  # all of its keys may be commented out
        return {}
    if name := (SHORT if isinstance(node, Scalar) else SHORT_LIST).get(path):
        found = _value(node, f"{path}.{name}", spot)
        return {} if found is None else {f"{path}.{name}": GivenValue(found, spot.line)}
    spot.wrong(f"must be a mapping, not {described(node)}")
    return {}


def _value(node: Node, path: str, spot: Spot) -> Any:
    if isinstance(node, Scalar) and node.means == "null":
        if not node.text:  # an explicit null or ~ asks for the default; a blank is a slip
            spot.wrong("has no value; give it one or remove the key")
        return None
    if read_value := BY_PATH[path].kind.read:
        return attempt(read_value, node, spot)
    if path in NAMED:
        return _called(node, path, spot)
    return _gates(node, spot) if path == "gates" else _items(node, f"{path}[]", spot)


def _called(node: Node, path: str, spot: Spot) -> tuple[Section, ...] | None:
    """A mapping whose names are the user's own, each with its own section."""
    if not isinstance(node, Mapping):
        spot.wrong(f"must be a mapping, not {described(node)}")
        return None
    found = []
    for name, value in entries(node, spot):
        at = spot.key(shown_key(name.text), name.line)
        if path == "events" and (problem := topic_problem(name.text)):
            at.wrong(problem)
        elif path == "hats" and not NAME.fullmatch(name.text):
            at.wrong(f"must be at most 64 letters, digits, '-' or '_', not {quoted(name.text)}")
        elif isinstance(value, Mapping):
            found.append(_part(value, NAMED[path], at, name.text))
        else:
            at.wrong(f"must be a mapping, not {described(value)}")
    return tuple(found)


def _part(node: Mapping, section: str, at: Spot, name: str = "") -> Section:
    return Section(section, at.path, at.line, _section(node, section, at), at.problems, name)


def _gates(node: Node, spot: Spot) -> str | tuple[Section, ...] | None:
    if isinstance(node, Scalar) and node.text == NO_GATES:
        return NO_GATES
    if not isinstance(node, Sequence):
        spot.wrong(f"must be a list of gates or {NO_GATES}, not {described(node)}")
        return None
    return _items(node, GATE, spot)


def _items(node: Node, section: str, spot: Spot) -> tuple[Section, ...] | None:
    """A list of mappings, each of which has exactly one of certain keys. A gate that is only text is its command."""
    if not isinstance(node, Sequence):
        spot.wrong(f"must be a list, not {described(node)}")
        return None
    wanted = EITHER[section]
    either = " or ".join(f"`{name}`" for name in wanted)
    items: list[Section] = []
    for index, item in enumerate(node.items):
        at = spot.item(index, item.line)
        if section == GATE and isinstance(item, Scalar) and item.means == "text":
            if (command := _value(item, f"{GATE}.run", at)) is not None:
                given = {f"{GATE}.run": GivenValue(command, item.line)}
                items.append(Section(section, at.path, at.line, given, at.problems))
            continue
        if not isinstance(item, Mapping):
            at.wrong(f"must be a mapping with {either}, not {described(item)}")
            continue
        before = len(spot.problems.found)
        found = _part(item, section, at)
        if len(spot.problems.found) == before:
            has = [name for name in wanted if found.given(name)]
            if not has:
                neither = " nor ".join(f"`{name}`" for name in wanted)
                at.wrong(f"has neither {neither}" if len(wanted) > 1 else f"has no {either}")
            elif len(has) > 1:
                at.wrong(f"has both `{has[0]}` and `{has[1]}`; keep one of them")
        items.append(found)
    return tuple(items)


def _unknown(name: str, section: str, valid: tuple[str, ...], spot: Spot) -> None:
    if section == AT_END and name in NOT_AT_END:
        spot.wrong(NOT_AT_END[name])
        return
    apart = (*LISTS, *NAMED.values())
    places = () if section.startswith(apart) else (path for path in BY_PATH if not path.startswith(apart))
    older = legacy.names_below(legacy.find(_parts(section)))
    spot.wrong("unknown key", name, among=valid, elsewhere=(*older, *places))


_OF_TEAMS = (
    *(key.path for key in KEYS if key.into.startswith("team.") and key.into != "team.cooldown"),
    *("event_loop.cooldown", "events"),
)


def warn_without_hats(settings: Settings, what: str = "is used only with `hats`") -> None:
    for path in _OF_TEAMS:
        value = settings.get(path)
        usual = "idle" if path == "event_loop.cooldown" else field_default(BY_PATH[path].into)
        if value and value != usual:
            settings.warn(path, what)

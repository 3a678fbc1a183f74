"""roles.yaml and roles/*.md to hats that conditions put on. Everything that is wrong is told at once, with its line; reads files,
changes nothing."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ralph.config.load import ROLE_FILE_NAMES, found_roles
from ralph.config.problems import Problems, Spot, Unreadable, quoted
from ralph.config.yaml_lines import Mapping, Node, Scalar, Sequence, described, entries, parse, shown_key
from ralph.core.hats.conditions import ConditionError
from ralph.core.hats.conditions import parse as parse_condition
from ralph.core.hats.model import Team, role_hats
from ralph.errors import RalphError
from ralph.files import read_text

FOLDER = "roles"
BASE = "working.md"
MAX_CHARS = 100_000
_ROLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_OURS = re.compile(r"^[\"']?triggers[\"']?\s*:", re.MULTILINE)
_KEYS = ("condition", "role")
Trigger = tuple[str, str]  # their values; no condition: it is wrong, and that is told


def load_roles(folder: Path) -> tuple[Team | None, tuple[str, ...]]:
    """The roles of the loops that work in `folder`, as hats; None when there are none; and what to warn of. RalphError names
    everything that is wrong."""
    roles, problems = examine_roles(folder)
    if problems is None:
        return roles, ()
    problems.raise_if_any()
    return roles, problems.warnings


def examine_roles(folder: Path) -> tuple[Team | None, Problems | None]:
    """The roles as far as they can be read, and what is wrong with them; Unreadable when the file cannot be taken apart."""
    found = found_roles(folder)
    if found is None:
        return None, None
    problems = Problems(found)
    text = _text(folder / found, found)
    if not _OURS.search(text) and not role_names(folder):
        return None, None  # many programs have a file of this name
    second = folder / ROLE_FILE_NAMES[1]
    if found == ROLE_FILE_NAMES[0] and os.path.lexists(second):
        problems.warn_outside(f"{ROLE_FILE_NAMES[1]} is not read, because {ROLE_FILE_NAMES[0]} exists")
    texts: dict[str, str] = {}
    triggers = _file(parse(text, problems), folder, texts, problems)
    return Team(hats=role_hats(triggers, texts), base=_base(folder, problems)), problems


def role_names(folder: Path) -> tuple[str, ...]:
    """The roles that have a file."""
    return tuple(sorted(path.stem for path in (folder / FOLDER).glob("*.md") if _ROLE.fullmatch(path.stem)))


def _text(path: Path, source: str) -> str:
    try:
        return read_text(path)
    except RalphError as error:
        raise Unreadable(
            error.what, source, "Make it a readable YAML file, or remove it; nothing was changed."
        )


def _base(folder: Path, problems: Problems) -> str:
    if not os.path.lexists(folder / BASE):
        return ""
    try:
        return _bounded(folder / BASE)
    except RalphError as error:
        problems.add_outside(BASE, error.what)
        return ""


def _bounded(path: Path) -> str:
    text = read_text(path).strip()
    if len(text) > MAX_CHARS:
        raise RalphError(
            f"is longer than {MAX_CHARS:,} characters, which every iteration would pay for",
            todo="Shorten it.",
        )
    return text


def _file(root: Node | None, folder: Path, texts: dict[str, str], problems: Problems) -> tuple[Trigger, ...]:
    top = Spot(problems, "", root.line if root else 0)
    if not isinstance(root, Mapping):
        what = described(root) if root else "nothing"
        top.wrong(f"must be a mapping with `triggers` at the top, not {what}")
        return ()
    triggers: tuple[Trigger, ...] = ()
    pairs = entries(root, top)
    for key, value in pairs:
        at = top.key(shown_key(key.text), key.line)
        if key.text == "triggers":
            triggers = _triggers(value, at, folder, texts)
        else:
            at.wrong("unknown key", key.text, among=("triggers",))
    if not pairs:
        top.wrong("has no `triggers`")
    return triggers


def _triggers(node: Node, spot: Spot, folder: Path, texts: dict[str, str]) -> tuple[Trigger, ...]:
    if not isinstance(node, Sequence):
        spot.wrong(f"must be a list of triggers, not {described(node)}")
        return ()
    if not node.items:
        spot.wrong("is empty: no role would ever be worn")
    known = frozenset(role_names(folder))
    found = [
        _trigger(item, spot.item(n, item.line), folder, known, texts) for n, item in enumerate(node.items)
    ]
    return tuple(trigger for trigger in found if trigger)


def _trigger(
    node: Node, spot: Spot, folder: Path, known: frozenset[str], texts: dict[str, str]
) -> Trigger | None:
    if not isinstance(node, Mapping):
        spot.wrong(f"must be a mapping with `condition` and `role`, not {described(node)}")
        return None
    given: dict[str, str] = {}
    unknown = False
    for key, value in entries(node, spot):
        at = spot.key(shown_key(key.text), key.line)
        if key.text not in _KEYS:
            at.wrong("unknown key", key.text, among=_KEYS)
            unknown = True
        elif not isinstance(value, Scalar) or value.means != "text" or not value.text.strip():
            at.wrong(f"must be text, not {described(value)}")
            given[key.text] = ""
        elif key.text == "condition":
            given["condition"] = _condition(value.text, at, known)
        else:
            given["role"] = _role(value.text, at, folder, known, texts)
    missing = [key for key in _KEYS if key not in given]
    if missing and not unknown:  # otherwise it is probably there under the unknown name
        spot.wrong(f"has no `{missing[0]}`")
    condition, role = given.get("condition", ""), given.get("role", "")
    return (condition, role) if role else None


def _condition(text: str, spot: Spot, known: frozenset[str]) -> str:
    try:
        parse_condition(text, known)
    except ConditionError as error:
        spot.wrong(str(error), error.name, among=error.among)
        return ""
    return text


def _role(name: str, spot: Spot, folder: Path, known: frozenset[str], texts: dict[str, str]) -> str:
    if not _ROLE.fullmatch(name):
        spot.wrong(f"must be at most 64 letters, digits, '-' or '_', not {quoted(name)}")
        return ""
    if name in texts:
        return name
    try:
        text = _bounded(folder / FOLDER / f"{name}.md")
    except RalphError as error:
        spot.wrong(f"{FOLDER}/{name}.md {error.what}", name if name not in known else "", among=sorted(known))
        return ""
    if not text:
        spot.wrong(f"{FOLDER}/{name}.md is empty; say in it how this role works")
        return ""
    texts[name] = text
    return name

"""Reads a list of another format: which format the text has, and its tasks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

from ralph.backlog.changes import Fields
from ralph.backlog.formats import OWN, SOURCE, Record, beads, github, markdown, prd, text, to_line
from ralph.backlog.json_line import fields_of
from ralph.core.tasks.task import TaskProblem, parent_of, read_fields

FORMATS = ("jsonl", "prd", "markdown", "github", "beads")
_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[[ xX]\][ \t]")


def detect(text: str) -> str:
    """Empty when it looks like none of them."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, list):
        return _of_list(whole)
    if isinstance(whole, dict) and any(isinstance(whole.get(key), list) for key in prd.CONTAINERS):
        return "prd"
    for line in text.splitlines():
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(one, dict) and "id" in one and "title" in one:
            alike = one.get("status") in ("open", "closed", "tombstone", "deferred", "hooked", "pinned")
            return "beads" if alike or any(mark in one for mark in beads.MARKS) else "jsonl"
    return "markdown" if _ITEM.search(text) else ""


def _of_list(whole: list[object]) -> str:
    records = [one for one in whole if isinstance(one, dict)]
    if any("passes" in one or "acceptanceCriteria" in one for one in records):
        return "prd"
    if any(key in one for one in records for key in ("number", "body", "state")):
        return "github"
    return "prd" if any("title" in one for one in records) else ""


RECORDS = {"prd": prd, "github": github, "beads": beads}
_THINGS = {"prd": "userStories", "github": "issues"}
_Loaded = tuple[list["Incoming"], list[TaskProblem]]


class Incoming(msgspec.Struct):
    """A line to be. Its ids, and those it names, are still the other form's."""

    fields: Fields
    line: int  # in the text it came from
    named: bool = True  # its id was given, not counted


def load(content: str, format: str, file: str) -> tuple[list[Incoming], list[TaskProblem]]:
    found, problems = _LOADERS[format](content.removeprefix("\ufeff"), file)
    for one in found:
        try:
            read_fields({**one.fields, "id": fit_id(str(one.fields.get("id", "")))})
        except ValueError as error:
            problems.append(TaskProblem(str(error), file, one.line))
    return found, sorted(problems, key=lambda problem: problem.line)


def fit_id(id: str) -> str:
    """As an id of the backlog: no spaces, no empty part."""
    return ".".join(part for part in re.sub(r"\s+", "-", id.strip()).split(".") if part).lstrip("-")


def _load_jsonl(content: str, file: str) -> tuple[list[Incoming], list[TaskProblem]]:
    found, problems = [], []
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip():
            try:
                found.append(Incoming(fields_of(line.encode()), number))
            except ValueError:
                problems.append(TaskProblem("this is not a JSON object on one line", file, number))
    return found, problems


def _load_array(format: str) -> Callable[[str, str], _Loaded]:
    def load_it(content: str, file: str) -> tuple[list[Incoming], list[TaskProblem]]:
        try:
            whole = json.loads(content, parse_constant=_refuse)
        except ValueError as error:
            line = getattr(error, "lineno", 1)
            return [], [TaskProblem(f"this is not JSON: {getattr(error, 'msg', error)}", file, line)]
        key = next((k for k in prd.CONTAINERS if isinstance(whole, dict) and k in whole), "")
        records = whole.get(key) if isinstance(whole, dict) else whole
        if not isinstance(records, list):
            return [], [TaskProblem("there is no list of " + _THINGS[format], file, 1)]
        frame: Fields = {"key": key, "rest": {k: v for k, v in whole.items() if k != key}} if key else {}
        lines = list(_lines_of(content, key))
        return _load_records(records, lines, format, file, frame)

    return load_it


def _load_beads(content: str, file: str) -> tuple[list[Incoming], list[TaskProblem]]:
    lines, problems = _load_jsonl(content, file)
    found, more = _load_records([one.fields for one in lines], [one.line for one in lines], "beads", file, {})
    return found, problems + more


def _load_records(
    records: Sequence[object], lines: Sequence[int], format: str, file: str, frame: Fields
) -> tuple[list[Incoming], list[TaskProblem]]:
    found: list[Incoming] = []
    problems: list[TaskProblem] = []
    form = RECORDS[format]
    seen: dict[str, int] = {}
    for n, record in enumerate(records):
        line = lines[n] if n < len(lines) else 1
        if not isinstance(record, dict):
            problems.append(TaskProblem("this is not a JSON object", file, line))
            continue
        fields, beyond = to_line(record, form.read, form.plain)
        foreign = str(fields.get("id", ""))
        if foreign in seen:
            problems.append(TaskProblem(f"{foreign}: is on line {seen[foreign]} already", file, line))
        seen[foreign] = line
        key = _key(record, foreign, format)
        source: Fields = {"format": format, "id": key, "n": n, **beyond}
        if key != foreign:
            source["foreign"] = foreign
        if frame and not found:
            source["document"] = frame
        if fields.get("status") == "complete" and OWN not in record:
            source["done"] = True
        found.append(Incoming({**fields, SOURCE: fields.get(SOURCE) or source}, line))
    _fit_together(found, format)
    return found, problems


def _key(record: Record, foreign: str, format: str) -> str:
    """By this a second import knows it; numbers of issues are many repositories'."""
    return (text(record, "url") or foreign) if format == "github" else foreign


def _fit_together(found: list[Incoming], format: str) -> None:
    """Ids of what is not in the list are kept in the source only; a dot means a parent only if that one is there, and in lists
    of other tools that are flat, only if it was a container before its export."""
    ids = {str(one.fields.get("id")) for one in found}
    above = ids if format == "beads" else {str(x.fields.get("id")) for x in found if not x.fields.get("leaf")}
    parents = set()
    for one in found:
        fields = one.fields
        natural = parent_of(str(fields.get("id")))
        parent = str(fields.get("parent", natural) or "")
        if parent not in above:
            if natural or fields.get("parent"):
                fields.setdefault("parent", "") if format != "beads" else fields.update(parent="")
        else:
            parents.add(parent)
        depends = fields.get("depends_on")
        if isinstance(depends, list) and not all(other in ids for other in depends):
            source = fields[SOURCE]
            assert isinstance(source, dict)
            source["depends_on"] = depends  # as it was
            fields["depends_on"] = [other for other in depends if other in ids]
    for one in found:
        one.fields.setdefault("leaf", str(one.fields.get("id")) not in parents)


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _lines_of(content: str, key: str) -> Iterator[int]:
    """Where each element of the list begins."""
    decoder = json.JSONDecoder()
    at = content.index("[", content.index(f'"{key}"') if key else 0) + 1
    line, last = content.count("\n", 0, at) + 1, at
    while True:
        while at < len(content) and content[at] in " \t\r\n,":
            at += 1
        if at >= len(content) or content[at] == "]":
            return
        line, last = line + content.count("\n", last, at), at
        yield line
        _, at = decoder.raw_decode(content, at)


def _load_markdown(content: str, file: str) -> tuple[list[Incoming], list[TaskProblem]]:
    found: list[Incoming] = []
    path: list[tuple[int, str, str]] = []  # indentation, id, titles so far
    below: dict[str, int] = {}
    keys: dict[str, int] = {}
    all_items = markdown.items(content)
    for n, item in enumerate(all_items):
        while path and path[-1][0] >= item.indent:
            path.pop()
        parent, titles = (path[-1][1], path[-1][2]) if path else ("", "")
        below[parent] = below.get(parent, 0) + 1
        counted = f"{parent}.{below[parent]}" if parent else str(below[parent])
        id = str(item.own.get("id") or counted)
        key = f"{titles} / {item.title}" if titles else item.title
        keys[key] = keys.get(key, 0) + 1
        source: Fields = {
            "format": "markdown",
            "id": key if keys[key] == 1 else f"{key} #{keys[key]}",
            "n": n,
        }
        source["raw"] = item.raw
        if item.after:
            source["after"] = item.after
        if item.done and not item.own:
            source["done"] = True
        fields: Fields = {"id": id, "title": item.title, "status": "complete" if item.done else "pending"}
        fields["leaf"] = not (n + 1 < len(all_items) and all_items[n + 1].indent > item.indent)
        if item.description:
            fields["description"] = item.description
        fields |= item.own
        fields[SOURCE] = item.own.get(SOURCE) or source
        path.append((item.indent, id, key))
        found.append(Incoming(fields, item.line, named="id" in item.own))
    _tick_parents(found)
    if not found:
        return [], [TaskProblem("there is no checklist: no line begins with `- [ ]`", file, 1)]
    return found, []


def _tick_parents(found: Sequence[Incoming]) -> None:
    """A parent is done when all leaves below it are, whatever its own box says; the box is remembered."""
    below: dict[str, bool] = {}
    for one in reversed(found):
        fields, source = one.fields, one.fields[SOURCE]
        id = str(fields["id"])
        if not fields["leaf"] and id in below:
            fields["status"] = "complete" if below[id] else "pending"
            if isinstance(source, dict):
                source["was"] = below[id]
                if below[id] and "completed" not in fields:
                    source["done"] = True
        parent = str(fields.get("parent", parent_of(id)))
        below[parent] = below.get(parent, True) and fields.get("status") == "complete"


_LOADERS: dict[str, Callable[[str, str], _Loaded]] = {
    "jsonl": _load_jsonl,
    "prd": _load_array("prd"),
    "github": _load_array("github"),
    "beads": _load_beads,
    "markdown": _load_markdown,
}

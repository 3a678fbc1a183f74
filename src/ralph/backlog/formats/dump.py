"""Writes tasks as a whole list of another format: as it was imported, except for what has changed since."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import msgspec

from ralph.backlog.changes import Fields
from ralph.backlog.formats import SOURCE, Record, markdown, to_record, unmapped_fields
from ralph.backlog.formats.load import RECORDS
from ralph.backlog.json_line import line_of


class Outgoing(msgspec.Struct):
    """A line as it is, and what it amounts to: a parent is done when its children are."""

    fields: Fields
    done: bool
    depth: int = 0


def dump(tasks: Sequence[Outgoing], format: str) -> str:
    """In the order of the list they came from; then the others."""
    ordered = sorted(tasks, key=lambda one: _place(one.fields, format))
    return _DUMPERS[format](ordered)


def source_of(fields: Fields, format: str) -> Fields:
    found = fields.get(SOURCE)
    return found if isinstance(found, dict) and found.get("format") == format else {}


def _place(fields: Fields, format: str) -> float:
    n = source_of(fields, format).get("n")
    return float(n) if isinstance(n, int) else float("inf")


def _dump_jsonl(tasks: Sequence[Outgoing]) -> str:
    return "".join(line_of(one.fields).decode("utf-8", "replace") + "\n" for one in tasks)


def _records(tasks: Sequence[Outgoing], format: str) -> list[Record]:
    form = RECORDS[format]
    foreign = {str(one.fields["id"]): _foreign_id(one.fields, format) for one in tasks}
    found = []
    for one in tasks:
        source = source_of(one.fields, format)
        fields = {k: v for k, v in one.fields.items() if k != SOURCE or not source}
        fields["id"] = foreign[str(fields["id"])]
        if isinstance(depends := fields.get("depends_on"), list):
            fields["depends_on"] = [foreign.get(other, other) for other in depends]
        if isinstance(was := source.get("depends_on"), list):
            fields["depends_on"] = _with_unknown(was, fields.get("depends_on"), set(foreign.values()))
        if parent := fields.get("parent"):
            fields["parent"] = foreign.get(str(parent), parent)
        if source:  # how it was put into the tree is no part of the record
            fields = {k: v for k, v in fields.items() if k != "leaf" and not (k == "parent" and not v)}
            fields["leaf"] = form.read(form.plain(fields)).get("leaf")
        found.append(to_record(fields, source, form.read, form.plain))
    return found


def _with_unknown(was: list[str], depends: object, known: set[str]) -> list[str]:
    """The dependencies on what is not in the list stay, in their places as long as the others are the same."""
    now = depends if isinstance(depends, list) else []
    if [other for other in was if other in known] == now:
        return was
    return [*now, *(other for other in was if other not in known)]


def _foreign_id(fields: Fields, format: str) -> str:
    source = source_of(fields, format)
    return str(source.get("foreign") or source.get("id") or fields["id"])


def _dump_array(format: str) -> Callable[[Sequence[Outgoing]], str]:
    def dump_it(tasks: Sequence[Outgoing]) -> str:
        records = _records(tasks, format)
        frames = [source_of(one.fields, format).get("document") for one in tasks]
        frame = next((one for one in frames if isinstance(one, dict)), None)
        whole: object = records
        if frame:
            whole = {**frame["rest"], frame["key"]: records}
        elif format == "prd" and not any(source_of(one.fields, format) for one in tasks):
            whole = {"userStories": records}
        return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"

    return dump_it


def _dump_beads(tasks: Sequence[Outgoing]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in _records(tasks, "beads"))


def _dump_markdown(tasks: Sequence[Outgoing]) -> str:
    parts: list[str] = []
    after = ""
    for one in tasks:
        source = source_of(one.fields, "markdown")
        raw = source.get("raw")
        if isinstance(raw, str):
            after += str(source.get("after", ""))
            found = markdown.items(raw)
            item = found[-1] if found else None
            if item and not _changed(one, item, source):
                was = source.get("was", item.done)
                parts.append(raw if was == one.done else markdown.marked(raw, one.done))
                continue
            parts.append(markdown.lead(raw))
        parts.append(_rendered(one, source))
    parts = [part for part in parts if part]
    text = "".join(
        part if part.endswith("\n") or n + 1 == len(parts) else part + "\n" for n, part in enumerate(parts)
    )
    return text + after


def _changed(one: Outgoing, item: markdown.ChecklistItem, source: Fields) -> Fields:
    status = "complete" if one.done else "pending"
    back: Fields = {"title": item.title, "description": item.description, "status": status, **item.own}
    return unmapped_fields(one.fields, back, source, besides=("id", "leaf", "parent"))


def _rendered(one: Outgoing, source: Fields) -> str:
    title, description = str(one.fields.get("title", "")), str(one.fields.get("description") or "")
    shown = markdown.items(markdown.rendered(title, description, one.done, 0, {}))
    lost = dict(one.fields)
    if shown and len(shown) == 1:
        lost = _changed(one, shown[0], source)
    if not source:
        lost = {"id": one.fields["id"], **lost, "leaf": one.fields.get("leaf")}
        lost = {k: v for k, v in lost.items() if v is not None}
        if SOURCE in one.fields:
            lost[SOURCE] = one.fields[SOURCE]
    kept = description if len(shown) == 1 else ""
    return markdown.rendered(title, kept, one.done, 2 * one.depth, lost)


_DUMPERS: dict[str, Callable[[Sequence[Outgoing]], str]] = {
    "jsonl": _dump_jsonl,
    "prd": _dump_array("prd"),
    "github": _dump_array("github"),
    "beads": _dump_beads,
    "markdown": _dump_markdown,
}

"""Imports a list of another tool into the backlog, with ids that are free here and each task once; and what an export holds."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ralph.backlog.changes import Added, Fields
from ralph.backlog.formats import SOURCE
from ralph.backlog.formats.dump import Outgoing
from ralph.backlog.formats.load import Incoming, fit_id
from ralph.backlog.json_line import fields_of
from ralph.backlog.jsonl import JsonlBacklog
from ralph.core.tasks.task import free, next_child, next_top, parent_of

_CLOSED = ("closedAt", "closed_at")


class ImportPlan(msgspec.Struct):
    """What an import adds, and how many tasks were known already."""

    added: list[Added]
    known: int = 0
    renamed: dict[str, str] = {}  # foreign id -> the one here, where the first was taken


def plan_import(backlog: JsonlBacklog, incoming: Sequence[Incoming], today: str) -> ImportPlan:
    taken = {task.id: task.title for task in backlog.all()}
    ids = _Ids(taken)
    came = _sources(backlog)
    local: dict[str, str] = {}
    found = ImportPlan([])
    for one in incoming:
        foreign = str(one.fields["id"])
        known = came.get(_source(one.fields))
        if known is None and one.named and taken.get(fit_id(foreign)) == one.fields.get("title"):
            known = fit_id(foreign)
        if known is not None:
            local[foreign], found.known = known, found.known + 1
            continue
        local[foreign] = ids.new(one, foreign, local)
        if one.named and local[foreign] != foreign:
            found.renamed[foreign] = local[foreign]
        taken[local[foreign]] = str(one.fields.get("title"))
        found.added.append(Added(one.fields))
    found.added = [_settled(change.fields, local, today) for change in found.added]
    return found


def _sources(backlog: JsonlBacklog) -> dict[tuple[str, str], str]:
    """Where each task that was imported came from."""
    found = {}
    for task in backlog.all():
        raw = backlog.raw(task.id)
        if b'"source"' in raw and (source := _source(fields_of(raw))):
            found[source] = task.id
    return found


def _source(fields: Fields) -> tuple[str, str]:
    source = fields.get(SOURCE)
    if not isinstance(source, dict):
        return ("", "")
    return (str(source.get("format", "")), str(source.get("id", "")))


class _Ids:
    """Free ids. Children are counted once, not for each of many."""

    def __init__(self, taken: dict[str, str]) -> None:
        self.taken = taken
        self._last: dict[str, str] = {}

    def new(self, one: Incoming, foreign: str, local: dict[str, str]) -> str:
        if one.named:
            fit = fit_id(foreign)
            return fit if fit not in self.taken else free(self.taken, lambda n: f"{fit}-{n + 1}")
        parent = local.get(parent_of(foreign), "")
        ids = [self._last[parent]] if parent in self._last else list(self.taken)
        self._last[parent] = next_child(parent, ids) if parent else next_top(ids)
        return self._last[parent]


def _settled(fields: Fields, local: dict[str, str], today: str) -> Added:
    """With the ids of here in it, and its source last."""
    id = local[str(fields["id"])]
    told = fields.get("parent", parent_of(str(fields["id"])))
    line: Fields = {**fields, "id": id}
    source = line.pop(SOURCE, None)
    parent = local.get(str(told), "") if told else ""
    if parent != parent_of(id):
        line["parent"] = parent
    else:
        line.pop("parent", None)
    if isinstance(depends := line.get("depends_on"), list):
        line["depends_on"] = [local.get(str(other), str(other)) for other in depends]
    done = line.get("status") == "complete"
    if done:
        line.setdefault("completed", _closed(source) or today)
        line.setdefault("verified", False)
    if source is not None:
        line[SOURCE] = source
    return Added({name: value for name, value in line.items() if value is not None}, done)


def _closed(source: object) -> str:
    rest = source.get("rest") if isinstance(source, dict) else None
    dates = [rest.get(key) for key in _CLOSED] if isinstance(rest, dict) else []
    return next((date[:10] for date in dates if isinstance(date, str) and date), "")


def tasks_to_export(backlog: JsonlBacklog) -> list[Outgoing]:
    forest = backlog.tasks
    return [
        Outgoing(
            fields_of(backlog.raw(task.id))
            | ({"status": "complete"} if task.archived and forest.is_leaf(task.id) else {}),
            forest.status(task.id) == "complete",
            depth,
        )
        for task, depth in forest.walk()
    ]

"""What of a run must be the same each time: its facts, prompts and state files without what chance and the clock decide.

Ids, commits, messages and blobs are numbered by their first appearance; trees stay as they are; seconds are 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from golden_world import World

Json = Any
Text = tuple[str, str]

# Texts for people: that there is one must stay, its words may improve. kind -> fields
WORDS = {
    "loop.ended": ("reason",),
    "item.failed": ("reason",),
    "wait.started": ("why",),
    "inbox.refused": ("why",),
    "board.looked": ("why",),
    "landing.intended": ("note",),
    "landed": ("note",),
    "notified": ("text",),
}
# What facts have come to say since the recording: left out, because it also moves the numbers of commits and ids.
ADDED_KINDS = ("landing.queued",)
ADDED: dict[str, tuple[str, ...]] = {
    "run.started": ("host", "user", "options"),
    "run.ended": ("reason",),
    "workspace.prepared": ("seconds",),
    "workspace.merged": ("seconds",),
    "landed": ("seconds",),
    "claim.inspected": ("seconds",),
    "iteration.ended": ("new_commits", "inspect_seconds"),
}
ADDED_TO_USAGE = ("split", "model")
CHANCE: dict[str, Json] = {"pid": 0, "residue": "@residue@", "version": "@version@", "found": []}
BLOBS = ("prompt", "scratchpad", "refs", "excludes")
# Whole hashes before times: one may begin with as many digits.
_PATTERNS = re.compile(
    r"(?P<id>\b\d{8}-\d{6}-[0-9a-f]{4}\b)"
    r"|(?P<blob>\b[0-9a-f]{64}\b)"
    r"|(?P<object>\b[0-9a-f]{40}\b)"
    r"|(?P<name>\b[0-9a-f]{16}\b|(?<=-)[0-9a-f]{12}\b)"
    r"|(?P<note>\b(?:mem|task)-\d{10}-[0-9a-f]{4}\b)"
    r"|(?P<time>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)"
    r"|(?P<date>\b\d{4}-\d\d-\d\d\b)"
    r"|(?P<stamp>\b\d{8}-?T?\d{6}Z?\b)"
    r"|(?P<clock>\b\d\d:\d\d(?::\d\d)?\b)"
    r"|(?P<short>\b[0-9a-f]{7,12}\b)"
    r"|(?P<seq>\bjournal seq \d+)"
    r"|(?P<pid>\bpid \d+)"
    r"|(?P<s>(?:\b\d+ (?:h|min) )?\b\d+(?:\.\d+)? (?:s|ms)\b)"
)


class Numbers:
    """Without `numbered`, all of one sort are the same: where the order is not fixed."""

    def __init__(self, world: World, objects: dict[str, str], *, numbered: bool = True) -> None:
        self._places = {str(world.root): "@ROOT@", world.key: "project-@key@"}
        self._commits = [name for name, kind in objects.items() if kind in ("commit", "tag")]
        self._others = {name for name, kind in objects.items() if kind in ("tree", "blob")}
        self._known: dict[tuple[str, str], int] = {}
        self._numbered = numbered

    def number(self, sort: str, value: str) -> str:
        if not self._numbered:
            return f"@{sort}@"
        of_sort = [key for key in self._known if key[0] == sort]
        return f"@{sort}{self._known.setdefault((sort, value), len(of_sort) + 1)}@"

    def text(self, text: str) -> str:
        for place, name in self._places.items():
            text = text.replace(place, name)
        return _PATTERNS.sub(self._one, text)

    def _one(self, found: re.Match[str]) -> str:
        sort, value = str(found.lastgroup), found[0]
        match sort:
            case "id" | "note" | "blob" | "name":
                return self.number(sort, value)
            case "object":
                return value if value in self._others else self.number("commit", value)
            case "short":
                whole = next((name for name in self._commits if name.startswith(value)), "")
                return self.number("commit", whole) if whole else value
            case _:
                return f"@{sort}@"

    def value(self, value: Json, kind: str = "", key: str = "") -> Json:
        if key in CHANCE and kind.startswith("run."):
            return CHANCE[key]
        if key == "last_crc":
            return "@crc@"
        if key == "token" and kind == "iteration.started":
            return self.number("token", value)
        if key == "seconds" and kind != "wait.started" and isinstance(value, float):
            return 0.0
        if key in WORDS.get(kind, ()):
            return "@words@" if value else value
        if "tree" in key and isinstance(value, str):
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(one, kind) for one in value]
        if isinstance(value, dict):
            kind = "" if key == "policy" else kind
            return {self.text(name): self.value(one, kind, name) for name, one in value.items()}
        return value


def journal(world: World, *, parallel: bool) -> tuple[list[Json], list[Text]]:
    """The facts, and each text that they name by its hash, under a title. Side by side: each loop's own sequence by its
    task's id, then the run's facts in no order. The backlog's file is written when there is time for it, so of that only
    stays whether there was something to say."""
    records, objects = world.records(), world.objects()
    times = [record["at"] for record in records]
    assert times == sorted(times), "time only goes forward"
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    writes = [record["data"] for record in records if record["kind"] == "backlog.written"]
    records = [
        _as_recorded(record)
        for record in records
        if record["kind"] != "backlog.written" and record["kind"] not in ADDED_KINDS
    ]
    found = _side_by_side(world, records, objects) if parallel else _one_by_one(world, records, objects)
    facts, texts = found
    if writes:
        said = {key: any(write.get(key) for write in writes) for key in ("conflicts", "notes")}
        facts.append({"kind": "backlog.written", "data": said})
    return facts, texts


def _as_recorded(record: Json) -> Json:
    """Without what was added to its kind since."""
    data = {key: one for key, one in record["data"].items() if key not in ADDED.get(record["kind"], ())}
    if usage := data.get("usage"):
        data["usage"] = {key: one for key, one in usage.items() if key not in ADDED_TO_USAGE}
    return record | {"data": data}


def _one_by_one(world: World, records: list[Json], objects: dict[str, str]) -> tuple[list[Json], list[Text]]:
    numbers = Numbers(world, objects)
    return [_fact(record, numbers) for record in records], list(_texts(world, records, numbers))


def _side_by_side(
    world: World, records: list[Json], objects: dict[str, str]
) -> tuple[list[Json], list[Text]]:
    tasks = {r["loop"]: r["data"]["task"]["id"] for r in records if r["kind"] == "loop.started"}
    facts: list[Json] = []
    texts: list[Text] = []
    for loop, _ in sorted(tasks.items(), key=lambda item: (item[1], item[0])):
        own = [record for record in records if record["loop"] == loop]
        more, said = _one_by_one(world, own, objects)
        facts += more
        texts += said
    whole = [record for record in records if record["loop"] not in tasks]
    numbers = Numbers(world, objects, numbered=False)
    facts += sorted((_fact(record, numbers) for record in whole), key=json.dumps)
    return facts, texts + list(_texts(world, whole, numbers))


def _fact(record: Json, numbers: Numbers) -> Json:
    kept = {"run": numbers.text(record["run"]), "loop": numbers.text(record["loop"]), "kind": record["kind"]}
    return kept | {"data": numbers.value(record["data"], record["kind"])}


def _texts(world: World, records: list[Json], numbers: Numbers) -> Iterator[tuple[str, str]]:
    for record in records:
        data = record["data"]
        for field in BLOBS:
            if isinstance(name := data.get(field), str) and re.fullmatch("[0-9a-f]{64}", name):
                of = data.get("op") or data.get("gate") or data.get("serial") or ""
                yield f"{record['kind']} {of} {field}".replace("  ", " "), numbers.text(world.blob(name))


def state_files(world: World, *, parallel: bool) -> list[tuple[str, str]]:
    """The state file of the checkout, and those that failure branches keep."""
    found = []
    numbers = Numbers(world, world.objects(), numbered=not parallel)
    path = world.project / ".ralph_state.md"
    if path.exists():
        found.append(("checkout", numbers.text(path.read_text())))
    for branch in world.git("branch", "--list", "wip/*", "--format=%(refname:short)").splitlines():
        found.append((numbers.text(branch), numbers.text(world.git("show", f"{branch}:.ralph_state.md"))))
    return found


def shown(world: World, text: str, *, parallel: bool) -> str:
    return Numbers(world, world.objects(), numbered=not parallel).text(text)

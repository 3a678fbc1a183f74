"""What `ralph tools memory` does and prints."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ralph.agent_tools import memories
from ralph.agent_tools.caller import TEXT_LIMIT
from ralph.agent_tools.commands import GivenOptions
from ralph.core.memories import KINDS, Memory, block, fitted, markdown, within
from ralph.text import harmless, one_line

_FOUND = 10  # of a search, unless all are wanted
_PREVIEW = 50  # characters of a memory in a table
_TAGS = 16


def _add(folder: str, given: GivenOptions) -> str:
    text = given.argument or ""
    if len(text) > TEXT_LIMIT:
        raise ValueError(f"{len(text)} characters are too many; at most {TEXT_LIMIT} are taken")
    id, new = memories.add(folder, text, given.text("type", "pattern"), given.names("tags"))
    if given.text("format") == "quiet":
        return f"{id}\n"
    if given.text("format") == "json":
        return _json(_data(_get(folder, id)))
    return f"Memory stored: {id}\n" if new else f"Known already: {id}; nothing was added\n"


def _list(folder: str, given: GivenOptions) -> str:
    found = _tagged(memories.search(folder, [], given.text("type")), given)
    found = found[: given.number("last", len(found))]
    if not found and given.text("format", "table") == "table":
        return (
            'No memories yet. Add one:\n  ralph tools memory add "<content>" -t pattern --tags tag1,tag2\n'
            f"Memory types: {', '.join(KINDS)}\n"
        )
    return _shown(found, given)


def _search(folder: str, given: GivenOptions) -> str:
    query = given.argument or ""
    hits = _tagged(memories.search(folder, query.split(), given.text("type")), given)
    shown = hits if given.flag("all") else hits[:_FOUND]
    if given.text("format", "table") != "table":
        return _shown(shown, given)
    total = len(memories.search(folder, [], ""))
    if not hits:
        return (
            f"No matching memories found in {total} total memories.\n"
            "Try a different search term or use `ralph tools memory list` to see all.\n"
        )
    head = f'Search results for "{one_line(query, 200)}" ({len(hits)} of {total} memories)\n' if query else ""
    more = len(hits) - len(shown)
    tail = f"Showing {_FOUND} of {len(hits)} matches; --all shows every one\n" if more else ""
    return head + _shown(shown, given) + tail


def _show(folder: str, given: GivenOptions) -> str:
    memory = _get(folder, given.argument or "")
    match given.text("format", "table"):
        case "json":
            return _json(_data(memory))
        case "markdown":
            return block(memory)
        case "quiet":
            return f"{memory.id}\n"
    about = (
        f"ID:      {memory.id}\nType:    {memory.kind}\nCreated: {memory.created} ({_age(memory.created)})\n"
    )
    text = "\n".join(harmless(line) for line in memory.lines)
    return f"{about}Tags:    {harmless(memory.tags) or '-'}\n\n{text}\n"


def _delete(folder: str, given: GivenOptions) -> str:
    id = given.argument or ""
    if not memories.delete(folder, id):
        raise _unknown(id)
    return f"Memory deleted: {id}\n"


def _prime(folder: str, given: GivenOptions) -> str:
    from ralph.core.memories import ranked

    kinds = [kind.lower() for kind in given.names("type")]
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"--type {kind!r}: must be of {', '.join(KINDS)}")
    found = _tagged(memories.search(folder, [], ""), given)
    found = [memory for memory in found if not kinds or memory.kind in kinds]
    if given.flag("recent"):
        oldest = _days_ago(given.number("recent", 0))
        found = [memory for memory in found if memory.created >= oldest]
    order, budget = ranked(found), given.number("budget", 0)
    if given.text("format", "markdown") == "markdown":
        return fitted(order, budget, by_section=True)
    return _shown(within(order, budget), given)


def _init(folder: str, given: GivenOptions) -> str:
    path = f"{folder}/{memories.NAME}"
    if not memories.begin(folder, anew=given.flag("force")):
        raise ValueError(f"{path} is there already; --force writes over it")
    return f"Initialized memories file at {path}\n"


DO: dict[str, Callable[[str, GivenOptions], str]] = {
    "add": _add,
    "list": _list,
    "search": _search,
    "show": _show,
    "delete": _delete,
    "prime": _prime,
    "init": _init,
}


def _get(folder: str, id: str) -> Memory:
    path = f"{folder}/{memories.NAME}"
    found = memories.search(folder, [], "") if os.path.lexists(path) else []
    memory = next((memory for memory in found if memory.id == id), None)
    if memory is None:
        raise _unknown(id)
    return memory


def _unknown(id: str) -> ValueError:
    return ValueError(f"Memory not found: {one_line(id, 200)}; `ralph tools memory list` shows the ids")


def _tagged(found: Sequence[Memory], given: GivenOptions) -> list[Memory]:
    wanted = {tag.casefold() for tag in given.names("tags")}
    return [memory for memory in found if not wanted or wanted & {tag.casefold() for tag in memory.tag_list}]


def _shown(found: Sequence[Memory], given: GivenOptions) -> str:
    match given.text("format", "table"):
        case "json":
            return _json([_data(memory) for memory in found])
        case "markdown":
            return markdown(sorted(found, key=lambda m: KINDS.index(m.kind)))
        case "quiet":
            return "".join(f"{memory.id}\n" for memory in found)
    rows = [
        (
            memory.id,
            memory.kind,
            _age(memory.created),
            one_line(memory.tags, _TAGS) or "-",
            one_line(memory.content, _PREVIEW),
        )
        for memory in found
    ]
    table = [
        ("ID", "Type", "Age", "Tags", "Content"),
        ("-" * 19, "-" * 8, "-" * 12, "-" * _TAGS, "-" * _PREVIEW),
    ]
    lines = [f"{a:<19} | {b:<8} | {c:<12} | {d:<{_TAGS}} | {e}".rstrip() for a, b, c, d, e in [*table, *rows]]
    return "\n".join([*lines, "", f"Memories: {len(found)}. `ralph tools memory show ID` shows one", ""])


def _data(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "memory_type": memory.kind,
        "content": memory.content,
        "tags": memory.tag_list,
        "created": memory.created,
    }


def _json(value: object) -> str:
    import json

    from ralph.agent_tools.todo_commands import harmless_json

    return harmless_json(json.dumps(value, ensure_ascii=False, indent=2)) + "\n"


def _days_ago(days: int) -> str:
    from datetime import UTC, datetime, timedelta

    return (datetime.now(UTC) - timedelta(days=min(days, 700_000))).strftime("%Y-%m-%d")


def _age(created: str) -> str:
    from datetime import UTC, date, datetime

    try:
        days = (datetime.now(UTC).date() - date.fromisoformat(created)).days
    except ValueError:
        return created or "-"
    if days <= 1:
        return "yesterday" if days == 1 else "today"
    for least, each, unit in ((60, 30, "months"), (14, 7, "weeks"), (2, 1, "days")):
        if days >= least:
            return f"{days // each} {unit} ago" if days < 365 else created
    return created

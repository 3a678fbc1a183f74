"""What `ralph tools memory` does and prints."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ralph.agent_tools import memories
from ralph.agent_tools.commands import Given, option, tool
from ralph.agent_tools.requests import TEXT_LIMIT
from ralph.core.memories import KINDS, Memory, block, fitted, markdown, within
from ralph.text import harmless, one_line

_FOUND = 10  # of a search, unless all are wanted
_PREVIEW = 50  # characters of a memory in a table
_TAGS = 16

_KIND = option("-t", "--type", value="|".join(KINDS), about="Only this type.")
_TAGGED = option("--tags", value="TAGS", many=True, about="Only those with one of these tags.")
_FORMAT = option(
    "--format", value="table|json|markdown|quiet", default="table", about="How it is shown; table if absent."
)


@tool(
    "memory add TEXT",
    "Remember something for later iterations, tasks and runs.",
    'memory add "Run make before the tests" -t fix --tags build,tests',
    option("-t", "--type", value="|".join(KINDS), default="pattern", about="What it is; pattern if absent."),
    option("--tags", value="TAGS", many=True, about="Words to find it by, with commas."),
    _FORMAT,
)
def _add(given: Given) -> str:
    text = given.words[0]
    if len(text) > TEXT_LIMIT:
        raise ValueError(f"{len(text)} characters are too many; at most {TEXT_LIMIT} are taken")
    id, new = memories.add(given.folder, text, given.type, given.tags)
    if given.format == "quiet":
        return f"{id}\n"
    if given.format == "json":
        return _json(_data(_get(given.folder, id)))
    return f"Memory stored: {id}\n" if new else f"Known already: {id}; nothing was added\n"


@tool(
    "memory list",
    "Show the memories, newest first.",
    "memory list -t decision",
    _KIND,
    _TAGGED,
    option("--last", value="N", number=True, about="Only the newest N."),
    _FORMAT,
    reads=True,
)
def _list(given: Given) -> str:
    found = _tagged(memories.search(given.folder, [], given.type or ""), given)
    found = found[: given.last]
    if not found and given.format == "table":
        return (
            'No memories yet. Add one:\n  ralph tools memory add "<content>" -t pattern --tags tag1,tag2\n'
            f"Memory types: {', '.join(KINDS)}\n"
        )
    return _shown(found, given)


@tool(
    "memory search [QUERY]",
    "Show the memories that hold all words of QUERY, in text or tags, newest first: ten at most.",
    'memory search "dates" --tags parser',
    _KIND,
    _TAGGED,
    option("--all", about="Not only ten."),
    _FORMAT,
    reads=True,
)
def _search(given: Given) -> str:
    query = given.words[0]
    hits = _tagged(memories.search(given.folder, query.split(), given.type or ""), given)
    shown = hits if given.all else hits[:_FOUND]
    if given.format != "table":
        return _shown(shown, given)
    total = len(memories.search(given.folder, [], ""))
    if not hits:
        return (
            f"No matching memories found in {total} total memories.\n"
            "Try a different search term or use `ralph tools memory list` to see all.\n"
        )
    head = f'Search results for "{one_line(query, 200)}" ({len(hits)} of {total} memories)\n' if query else ""
    more = len(hits) - len(shown)
    tail = f"Showing {_FOUND} of {len(hits)} matches; --all shows every one\n" if more else ""
    return head + _shown(shown, given) + tail


@tool("memory show ID", "Show one memory.", "memory show mem-1737372000-a1b2", _FORMAT, reads=True)
def _show(given: Given) -> str:
    memory = _get(given.folder, given.words[0])
    match given.format:
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


@tool("memory delete ID", "Forget one memory.", "memory delete mem-1737372000-a1b2")
def _delete(given: Given) -> str:
    id = given.words[0]
    if not memories.delete(given.folder, id):
        raise _unknown(id)
    return f"Memory deleted: {id}\n"


@tool(
    "memory prime",
    "Print memories for a prompt, section by section; where they are too many, the newest.",
    "memory prime --budget 2000",
    option("--budget", value="N", number=True, about="At most about N tokens; 0: all."),
    option("-t", "--type", value="TYPES", many=True, about="Only these types, with commas."),
    _TAGGED,
    option("--recent", value="N", number=True, about="Only those of the last N days."),
    option(
        "--format",
        value="markdown|json|table|quiet",
        default="markdown",
        about="How it is shown; markdown if absent.",
    ),
    reads=True,
)
def _prime(given: Given) -> str:
    from ralph.core.memories import ranked

    kinds = [kind.lower() for kind in given.type]
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"--type {kind!r}: must be of {', '.join(KINDS)}")
    found = _tagged(memories.search(given.folder, [], ""), given)
    found = [memory for memory in found if not kinds or memory.kind in kinds]
    if given.recent is not None:
        oldest = _days_ago(given.recent)
        found = [memory for memory in found if memory.created >= oldest]
    order = ranked(found)
    if given.format == "markdown":
        return fitted(order, given.budget or 0, by_section=True)
    return _shown(within(order, given.budget or 0), given)


@tool(
    "memory init",
    "Write an empty file of memories.",
    "memory init",
    option("--force", about="Also over one that is there."),
)
def _init(given: Given) -> str:
    path = f"{given.folder}/{memories.NAME}"
    if not memories.begin(given.folder, anew=given.force):
        raise ValueError(f"{path} is there already; --force writes over it")
    return f"Initialized memories file at {path}\n"


def _get(folder: str, id: str) -> Memory:
    path = f"{folder}/{memories.NAME}"
    found = memories.search(folder, [], "") if os.path.lexists(path) else []
    memory = next((memory for memory in found if memory.id == id), None)
    if memory is None:
        raise _unknown(id)
    return memory


def _unknown(id: str) -> ValueError:
    return ValueError(f"Memory not found: {one_line(id, 200)}; `ralph tools memory list` shows the ids")


def _tagged(found: Sequence[Memory], given: Given) -> list[Memory]:
    wanted = {tag.casefold() for tag in given.tags}
    return [memory for memory in found if not wanted or wanted & {tag.casefold() for tag in memory.tag_list}]


def _shown(found: Sequence[Memory], given: Given) -> str:
    match given.format:
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

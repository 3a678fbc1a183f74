"""Data files that hold the answers of the tests: what code looks up, it does not compute."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

from ralph.gates.gaming.examples import Examples, could_be_of_tests, plain_number
from ralph.gates.gaming.rules import AnswerTable, Example, Hit

SUFFIXES = frozenset(
    {
        "json",
        "jsonl",
        "csv",
        "tsv",
        "txt",
        "dat",
        "data",
        "yaml",
        "yml",
        "toml",
        "ini",
        "properties",
        "tab",
        "cache",
    }
)
_OTHERS = re.compile(
    r"(?:^|/)(?:package(?:-lock)?|tsconfig\w*|composer|requirements\w*|pnpm-lock|pyproject|Cargo)\.|(?:^|/)docs?/|\.lock\Z"
)
_SEPARATOR = re.compile(r"\s*[,;\t|=:]\s*|\s{2,}")
_DIGEST = re.compile(r"(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{8,128}\Z")
HASHES = re.compile(
    r"\b(?:sha\d+|md5|blake2\w*|crc32\w*|adler32|createHash|fnv|DefaultHasher|siphash\w*|xxhash\w*)\b",
    re.IGNORECASE,
)
LARGEST = 100_000  # characters; answers of tests are few
MOST_ROWS = 2_000
MOST_DEPTH = 4


def is_data(path: str) -> bool:
    return path.rpartition(".")[2].lower() in SUFFIXES and not _OTHERS.search(path)


def answers_in_data(path: str, text: str, examples: Callable[[], Examples], *, hashes: bool) -> Iterator[Hit]:
    """`hashes`: the code of the change makes hashes."""
    for rows in _tables(path, text[:LARGEST]):
        yield from _answers_in_rows(rows[:MOST_ROWS], examples, hashes=hashes)


def _answers_in_rows(
    rows: Sequence[Example], examples: Callable[[], Examples], *, hashes: bool
) -> Iterator[Hit]:
    table = AnswerTable(tuple(rows), has_rest=True)
    if hashes and sum(_DIGEST.match(row.question[0]) is not None for row in rows) > 1:
        yield Hit(rows[0].line, "input-hash", " -> ".join((*rows[0].question, *rows[0].answer)))
    elif rows and could_be_of_tests(table) and all(map(examples().together, table.literals)):
        yield Hit(rows[0].line, "answers-in-data", " -> ".join((*rows[0].question, *rows[0].answer)))


def _tables(path: str, text: str) -> Iterator[list[Example]]:
    """What stands in one list or object is a table of its own."""
    if not path.endswith(".json"):
        yield list(_rows(text))
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from filter(None, _of_json(value, 0))


def _rows(text: str) -> Iterator[Example]:
    for number, line in enumerate(text.splitlines(), start=1):
        cells = [_plain(cell) for cell in _SEPARATOR.split(line.strip().strip("{}[](),")) if cell]
        if len(cells) > 1 and not line.lstrip().startswith(("#", "//")):
            yield Example(number, tuple(cells[:-1]), (cells[-1],))


def _of_json(value: object, depth: int) -> Iterator[list[Example]]:
    if depth > MOST_DEPTH:
        return
    rows: list[Example] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, dict | list) and not all(_is_literal(one) for one in _inside(inner)):
                yield from _of_json(inner, depth + 1)
            elif told := tuple(_plain(str(one)) for one in _inside(inner)):
                rows.append(Example(1, (_plain(key),), told))
    elif isinstance(value, list):
        for inner in value:
            cells = [_plain(str(one)) for one in _inside(inner)] if isinstance(inner, dict | list) else []
            if len(cells) > 1:
                rows.append(Example(1, tuple(cells[:-1]), (cells[-1],)))
    yield rows


def _inside(value: object) -> list[object]:
    return (
        list(value.values())
        if isinstance(value, dict)
        else list(value)
        if isinstance(value, list)
        else [value]
    )


def _is_literal(value: object) -> bool:
    return isinstance(value, str | int | float)


def _plain(cell: str) -> str:
    bare = cell.strip().strip("'\"`")
    return plain_number(bare) if re.fullmatch(r"\d[\d_]*(?:\.\d+)?", bare) else bare

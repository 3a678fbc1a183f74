"""A name for a gate of which only the command is known: what does the work in it, not the shell that starts it."""

from __future__ import annotations

import re
from collections.abc import Collection

_STARTERS = re.compile(
    r"(?:ba|z|da|k)?sh|env|exec|time|nice|set|python[\d.]*|node|deno|ruby|perl|php|uv|uvx|npx|poetry"
)
_SCRIPT = re.compile(r"\.(?:sh|bash|py|js|mjs|cjs|ts|rb|pl|php)$")
_ASSIGNMENT = r"[A-Za-z_][A-Za-z0-9_]*="
_LONGEST = 40


def gate_name(command: str, taken: Collection[str]) -> str:
    """`CI=1 ./bin/check --all` is `check`, `sh ./test.sh` is `test`, `python -m pytest` is `pytest`; `make lint` is `make`,
    or `make-lint` where that is taken."""
    words = _telling_words(command) or ["gate"]
    name = words[0] if words[0] not in taken else "-".join(words[:2])
    return with_number(name, taken)


def with_number(name: str, taken: Collection[str]) -> str:
    """The name, or the first number after it that makes it differ."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def _telling_words(command: str) -> list[str]:
    """Programs and what they are given: without variables, options, and what only starts another."""
    found: list[str] = []
    plain = [word for word in re.sub(r"['\"]", " ", command).split() if not re.match(_ASSIGNMENT, word)]
    for word in plain:
        file = word.rstrip("/").rpartition("/")[2]
        starts = file == "run" or (not found and _STARTERS.fullmatch(file))
        if not starts and not word.startswith("-") and (name := _as_name(_SCRIPT.sub("", file))):
            found.append(name)
    return found or [name for word in plain[:1] if (name := _as_name(word.rpartition("/")[2]))]


def _as_name(word: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", word).strip("-.")[:_LONGEST]

"""How many tests a gate's run says it ran; and whether a later run of it tests less."""

from __future__ import annotations

import msgspec


class Counts(msgspec.Struct, frozen=True, omit_defaults=True):
    """`run` are those that were really run, whether they passed or failed; a test that may fail unseen is a skipped one."""

    run: int
    skipped: int = 0
    failed: int = 0


def fewer(before: Counts | None, after: Counts | None) -> str:
    """In words, what the later run left out; empty when it tests no less, or when one of the runs does not tell."""
    if before is None or after is None:
        return ""
    parts = []
    if after.run < before.run:
        parts.append(f"{_tests(after.run)} ran, {before.run} at the start")
    if after.skipped > before.skipped:
        parts.append(f"{after.skipped} skipped, {before.skipped or 'none'} at the start")
    return "; ".join(parts)


def _tests(count: int) -> str:
    return f"{count or 'no'} test{'' if count == 1 else 's'}"

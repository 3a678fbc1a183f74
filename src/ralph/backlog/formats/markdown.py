"""A checklist: `- [ ]` items, nested by their indentation, with the text around them."""

from __future__ import annotations

import json
import re

import msgspec

from ralph.backlog.changes import Fields

_ITEM = re.compile(r"^([ \t]*)([-*+]|[0-9]{1,9}[.)])([ \t]+)\[([ xX])\]([ \t]+)(.*?)([ \t\r]*)$")
_FENCE = re.compile(r"^\s*(```+|~~~+)")
_OWN = re.compile(r"\s*<!-- ralph (\{.*\}) -->$")


class ChecklistItem(msgspec.Struct):
    """One item with the lines before it that belong to no other, as they are in the file."""

    line: int
    indent: int
    title: str
    done: bool
    raw: str
    own: Fields
    description: str = ""
    after: str = ""  # of the last one: what follows


def items(text: str) -> list[ChecklistItem]:
    found: list[ChecklistItem] = []
    loose, body, fence = "", "", ""
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        bare = line.rstrip("\n")
        mark = _FENCE.match(bare)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        item = None if fence or mark else _ITEM.match(bare)
        if item:
            _end(found, body)
            found.append(_item(item, number, loose + line))
            loose = body = ""
        elif found and not loose and _indent(bare) > found[-1].indent and bare.strip():
            body += line
            found[-1].raw += line
        else:
            loose += line
    _end(found, body)
    if found:
        found[-1].after = loose
    return found


def _item(match: re.Match[str], number: int, raw: str) -> ChecklistItem:
    title, own = match[6], {}
    if told := _OWN.search(title):
        try:
            own = json.loads(told[1])
            title = title[: told.start()]
        except ValueError:
            pass  # a comment of someone else's
    return ChecklistItem(number, _indent(match[1] + "x"), title, match[4] != " ", raw, own)


def _end(found: list[ChecklistItem], body: str) -> None:
    if found and body:
        lines = body.splitlines()
        least = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        found[-1].description = "\n".join(line[least:].rstrip() for line in lines)


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())


def marked(raw: str, done: bool) -> str:
    """The item's own text with the box ticked or not."""
    lines = raw.splitlines(keepends=True)
    for n in reversed(range(len(lines))):
        if found := _ITEM.match(lines[n].rstrip("\n")):
            at = found.start(4)
            lines[n] = f"{lines[n][:at]}{'x' if done else ' '}{lines[n][at + 1 :]}"
            break
    return "".join(lines)


def lead(raw: str) -> str:
    """What stands before the item itself: headings and prose of the plan."""
    lines = raw.splitlines(keepends=True)
    at = next((n for n in reversed(range(len(lines))) if _ITEM.match(lines[n].rstrip("\n"))), 0)
    return "".join(lines[:at])


def rendered(title: str, description: str, done: bool, indent: int, own: Fields) -> str:
    shown = " ".join("".join(c if c.isprintable() else " " for c in title).split())
    pad = " " * indent
    comment = f" <!-- ralph {_harmless(own)} -->" if own else ""
    body = "".join(f"{pad}  {line}".rstrip() + "\n" for line in description.splitlines() if line.strip())
    return f"{pad}- [{'x' if done else ' '}] {shown}{comment}\n{body}"


def _harmless(own: Fields) -> str:
    """JSON in which nothing ends the comment."""
    return json.dumps(own, ensure_ascii=True, separators=(",", ":")).replace(">", "\\u003e")

"""The part of a makefile that a command reaches: its targets, what they need, and the variables in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec

NAMES = ("Makefile", "makefile", "GNUmakefile")
_RULE = re.compile(
    r"^(?P<targets>[^\s#:=][^#:=\t]*?)\s*::?(?!=)\s*(?P<needs>[^=#;]*?)\s*(?:;(?P<recipe>.*)|#.*)?$"
)
_VARIABLE = re.compile(r"^\s*(?:(?:export|override|private)\s+)*(?P<name>[\w.-]+)\s*(?:[:?+!]|::)?=")
_USED = re.compile(r"\$[({]([\w.-]+)|\$(\w)")
_ALWAYS = frozenset({"SHELL", "MAKEFLAGS", "MAKE", ".SHELLFLAGS", "MAKEFILES", "VPATH", "PATH"})
_SPECIAL = (".IGNORE", ".SILENT", ".ONESHELL", ".DEFAULT", ".POSIX", ".EXPORT_ALL_VARIABLES", ".SUFFIXES")


class _Rule(msgspec.Struct, frozen=True):
    targets: tuple[str, ...]
    needs: tuple[str, ...]
    text: str


def targets_of(command: str) -> set[str] | None:
    """The targets that the command asks make for; None when it does not call make. Empty: the first."""
    found = re.search(r"(?:^|[\s;&|(])g?make\b([^;&|()\n]*)", command)
    if not found:
        return None
    words = [word for word in found[1].split() if not word.startswith("-") and "=" not in word]
    return set(words)


def reached(text: str, targets: Collection[str]) -> list[str]:
    """The lines that the targets depend on, sorted. What this cannot read counts as reached."""
    rules, variables, others = _parsed(text)
    wanted = set(targets) or {name for rule in rules[:1] for name in rule.targets}
    found: list[str] = list(others)
    left = list(rules)
    grown = True
    while grown:
        grown = False
        for rule in list(left):
            if _is_reached(rule, wanted):
                left.remove(rule)
                found.append(rule.text)
                wanted |= set(rule.needs)
                grown = True
        used = {one or two for block in found for one, two in _USED.findall(block)} | _ALWAYS
        for name in [name for name in variables if name in used]:
            found += variables.pop(name)
            grown = True
        for block in found:
            wanted |= {word for more in re.findall(r"\$\(MAKE\)([^;&|\n]*)", block) for word in more.split()}
    return sorted(found)


def _is_reached(rule: _Rule, wanted: set[str]) -> bool:
    return any(
        name in wanted or "%" in name or "$" in name or name.startswith(_SPECIAL) for name in rule.targets
    )


def _parsed(text: str) -> tuple[list[_Rule], dict[str, list[str]], list[str]]:
    rules: list[_Rule] = []
    variables: dict[str, list[str]] = {}
    others: list[str] = []
    for block in _blocks(re.sub(r"\\\n\s*", " ", text)):
        first = block.partition("\n")[0]
        variable, rule = _VARIABLE.match(first), _RULE.match(first)
        if variable:
            variables.setdefault(variable["name"], []).append(block)
        elif rule and rule["targets"].strip() != ".PHONY":
            rules.append(_Rule(tuple(rule["targets"].split()), tuple(rule["needs"].split()), block))
        elif not rule:
            others.append(block)
    # The first target is make's own choice only if it is no special one.
    return (
        [rule for rule in rules if not rule.targets[0].startswith(".")]
        + [rule for rule in rules if rule.targets[0].startswith(".")],
        variables,
        others,
    )


def _blocks(text: str) -> Iterator[str]:
    """A line with the recipe below it; without blank lines and comments."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("\t"):
            if line.strip():
                lines.append(line.rstrip())
            continue
        if line.strip() and not line.lstrip().startswith("#"):
            if lines:
                yield "\n".join(lines)
            lines = [line.rstrip()]
    if lines:
        yield "\n".join(lines)

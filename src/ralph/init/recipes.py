"""What a target of a Makefile or a recipe of a justfile runs, read without running anything."""

from __future__ import annotations

import re

import msgspec

_RULE = re.compile(r"^(?P<targets>[^\s#:=][^#:=]*?)\s*::?(?![:=])(?P<rest>.*)$")
_SETTING = re.compile(
    r"^\s*(?:export\s+|override\s+)*(?P<name>[A-Za-z_][\w.-]*)\s*(?:[:?+]|::)?=\s*(?P<value>.*)$"
)
_USE = re.compile(r"\$[({](?P<name>[A-Za-z_][\w.-]*)[)}]|\{\{\s*(?P<just>[A-Za-z_][\w-]*)\s*\}\}")
_JUST = re.compile(r"^@?(?P<name>[A-Za-z_][\w-]*)(?P<parameters>(?:\s[^:=]*(?:=[^:]*)?)?):(?!=)(?P<rest>.*)$")
_DEEPEST = 5


class Recipe(msgspec.Struct, frozen=True):
    needs: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    wants: bool = False  # it has a parameter that must be given


class Recipes(msgspec.Struct, frozen=True):
    of: dict[str, Recipe]
    settings: dict[str, str]
    phony: frozenset[str] = frozenset()

    def does_something(self, name: str) -> bool:
        recipe = self.of.get(name)
        return recipe is not None and bool(recipe.needs or recipe.lines)

    def text(self, name: str) -> str:
        """Everything that it runs, its prerequisites' commands first, with the settings filled in."""
        return "\n".join(self._expanded(line) for line in self._lines(name, set()))

    def _lines(self, name: str, seen: set[str]) -> list[str]:
        recipe = self.of.get(name)
        if recipe is None or name in seen or len(seen) > 100:
            return []
        seen.add(name)
        before = [line for need in recipe.needs for line in self._lines(need, seen)]
        return [*before, *recipe.lines]

    def _expanded(self, line: str) -> str:
        for _ in range(_DEEPEST):
            filled = _USE.sub(lambda m: self.settings.get(m["name"] or m["just"], ""), line)[:10_000]
            if filled == line:
                break
            line = filled
        return line


def of_makefile(text: str) -> Recipes:
    rules: dict[str, Recipe] = {}
    settings = {"MAKE": "make"}
    phony: set[str] = set()
    current: list[str] = []
    for line in text.replace("\\\n", " ").split("\n"):
        if line.startswith("\t"):
            _add(rules, current, (), (line.strip(),) if line.strip() else ())
        elif setting := _SETTING.match(line):
            settings[setting["name"]] = setting["value"].partition(" #")[0].strip()
        elif rule := _RULE.match(line):
            needs, _, inline = rule["rest"].partition("#")[0].partition(";")
            current = rule["targets"].split()
            names = tuple(word for word in needs.split() if word != "|")
            if ".PHONY" in current:
                phony |= set(names)
                current = []
            _add(rules, current, names, (inline.strip(),) if inline.strip() else ())
        elif line.strip() and not line.lstrip().startswith("#"):
            current = []
    return Recipes(rules, settings, frozenset(phony))


def of_justfile(text: str) -> Recipes:
    rules: dict[str, Recipe] = {}
    settings: dict[str, str] = {}
    current = ""
    for line in text.replace("\\\n", " ").split("\n"):
        if line[:1] in (" ", "\t"):
            if current and line.strip():
                _add(rules, [current], (), (line.strip(),))
        elif rule := _JUST.match(line):
            current = rule["name"]
            given = re.sub(r"\s*=\s*", "=", rule["parameters"]).split()
            wants = any("=" not in word and not word.startswith("*") for word in given)
            needs = tuple(re.findall(r"[A-Za-z_][\w-]*", rule["rest"].partition("#")[0]))
            rules[current] = Recipe(needs, wants=wants)
        elif setting := re.match(r"^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)$", line):
            settings[setting[1]] = setting[2].strip().strip("'\"")
            current = ""
        elif line.strip() and not line.startswith("#"):
            current = ""
    return Recipes(rules, settings)


def _add(rules: dict[str, Recipe], names: list[str], needs: tuple[str, ...], lines: tuple[str, ...]) -> None:
    for name in names:
        old = rules.get(name, Recipe())
        rules[name] = Recipe((*old.needs, *needs), (*old.lines, *lines), old.wants)

"""A bounded look at a folder and at the programs of this machine. Reads few files, follows no pipe, changes nothing."""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections import deque
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import msgspec

from ralph.agents import registry
from ralph.core.agent_policy import AgentPolicy
from ralph.errors import RalphError

READ_BYTES = 256 * 1024
MOST_ENTRIES = 5000  # of the whole look; files with fixed names are found in any case
DEEPEST = 4
# What a person did not write, or what is far too large to be looked through.
PASSED_OVER = frozenset(
    (
        *("node_modules", "bower_components", "vendor", "third_party", "site-packages", "__pycache__"),
        *("venv", "env", "virtualenv", "target", "build", "dist", "out", "bin", "obj", "coverage", "htmlcov"),
        *("DerivedData", "Pods", "elm-stuff", "testdata", "fixtures"),
    )
)


class ProjectFolder:
    """One folder, as detection sees it. Paths are relative to it, with slashes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def has(self, path: str) -> bool:
        """Whether there is a file (or a link to one) of this name."""
        return stat.S_ISREG(self._mode(path))

    def has_folder(self, path: str) -> bool:
        return stat.S_ISDIR(self._mode(path))

    def is_executable(self, path: str) -> bool:
        return self.has(path) and os.access(self.folder / path, os.X_OK)

    def read(self, path: str) -> str:
        """The beginning of a file as text, whatever its bytes; empty when it cannot be read."""
        try:
            # Without blocking: a file of this name may be a pipe.
            with open(os.open(self.folder / path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return ""
                return file.read(READ_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
        except (OSError, ValueError):
            return ""

    def first(self, *names: str) -> str:
        """The first of these files that is there; else empty."""
        return next((name for name in names if self.has(name)), "")

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Files here and a few levels down, nearest first; bounded."""
        found: list[str] = []
        seen = 0
        queue = deque([("", 0)])
        while queue:
            prefix, depth = queue.popleft()
            for name, is_folder in self._entries(prefix):
                seen += 1
                if seen > MOST_ENTRIES:
                    return tuple(found)
                if not is_folder:
                    found.append(prefix + name)
                elif depth < DEEPEST and name not in PASSED_OVER and not name.startswith("."):
                    queue.append((f"{prefix}{name}/", depth + 1))
        return tuple(found)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders directly below that may be projects themselves."""
        return tuple(
            name
            for name, is_folder in self._entries("")[:MOST_ENTRIES]
            if is_folder and name not in PASSED_OVER and not name.startswith(".")
        )

    def _entries(self, prefix: str) -> list[tuple[str, bool]]:
        found = []
        try:
            with os.scandir(self.folder / prefix) as listing:
                for entry in listing:
                    found.append((entry.name, entry.is_dir(follow_symlinks=False)))
                    if len(found) > MOST_ENTRIES:
                        break
        except OSError:  # not ours to read: nothing is there for us
            return []
        return sorted(found)

    def _mode(self, path: str) -> int:
        try:
            return (self.folder / path).stat().st_mode
        except (OSError, ValueError):
            return 0


class Machine:
    """Which programs can be started from here."""

    def __init__(self, env: Mapping[str, str] | None = None) -> None:
        self._env = dict(os.environ if env is None else env)

    def has(self, program: str) -> bool:
        import shutil

        return shutil.which(program, path=self._env.get("PATH", os.defpath)) is not None

    def has_module(self, python: str, module: str, folder: Path) -> bool:
        """Whether this interpreter finds the module. Asks it, without importing the module; bounded."""
        import subprocess

        ask = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
        try:
            done = subprocess.run(
                [str(folder / python) if "/" in python else python, "-c", ask],
                cwd=folder,
                env=self._env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=10,
            )
        except (OSError, subprocess.SubprocessError):
            return False
        return done.returncode == 0


class Agent(msgspec.Struct, frozen=True):
    """One agent, as the `cli` section of ralph.yml has it. Without a command, the name says all."""

    name: str
    command: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        return registry.program(AgentPolicy(backend=self.name, command=self.command))


def known_agents() -> tuple[Agent, ...]:
    """Those that a program on PATH gives away, the preferred first."""
    return tuple(Agent(name) for name, _ in registry.programs())


def agent_names() -> str:
    return ", ".join(agent.name for agent in known_agents())


def agents_on_path(machine: Machine) -> tuple[Agent, ...]:
    return tuple(agent for agent in known_agents() if machine.has(agent.program))


def wanted_agent(text: str, machine: Machine) -> Agent:
    """The agent that a person names: one of the known, or any command that reads the prompt from standard input."""
    for agent in known_agents():
        if text == agent.name:
            return agent
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise RalphError(f"the agent cannot be split into words: {str(error).lower()}", where="--agent")
    if not words or not words[0].strip():
        raise RalphError("the agent must not be empty", where="--agent", todo=f"Known: {agent_names()}.")
    if len(words) > 1 or "/" in words[0] or machine.has(words[0]):
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", words[0].rstrip("/").rpartition("/")[2]) or "agent"
        return Agent(name, words)
    import difflib

    near = difflib.get_close_matches(text, [agent.name for agent in known_agents()], 1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise RalphError(
        f"there is no agent {text!r}",
        where="--agent",
        todo=f"{hint}Known: {agent_names()}. Any other needs a command that is on PATH, or a path with a slash.",
    )


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

"""`ralph tools`: its commands with their options and help, and what reads them. Standard library only.

Spellings are those of the tools that agents know: `-p 2`, `-p2`, `--priority 2`, `--priority=2`, in any place.
"""

from __future__ import annotations

import os
import sys

from ralph.agent_tools.requests import Caller
from ralph.errors import RalphError
from ralph.text import harmless


class Option:
    def __init__(
        self, name: str, about: str, *, letter: str = "", value: str = "", choices: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self.about = about
        self.letter = letter
        self.value = value  # how its value is called; N: a whole number; empty: it has none
        self.choices = choices

    @property
    def shown(self) -> str:
        value = "|".join(self.choices) or self.value
        return f"{f'-{self.letter}, ' if self.letter else ''}--{self.name}{f' {value}' if value else ''}"


class ToolCommand:
    def __init__(
        self, name: str, about: str, *, takes: str = "", needs: bool = True, options: tuple[Option, ...] = ()
    ) -> None:
        self.name = name  # such as `task add`
        self.about = about
        self.takes = takes  # its one argument, as it is called
        self.needs = needs  # whether that must be given
        self.options = (*options, ROOT)

    @property
    def usage(self) -> str:
        argument = f" {self.takes}" if self.needs else f" [{self.takes}]"
        return f"ralph tools {self.name}{argument if self.takes else ''}"

    def help(self, example: str) -> str:
        width = max(len(option.shown) for option in self.options)
        options = "\n".join(f"  {option.shown:<{width}}  {option.about}" for option in self.options)
        return (
            f"Usage: {self.usage} [OPTIONS]\n\n{self.about}\n\nOptions:\n{options}\n\nExample:\n  {example}\n"
        )


ROOT = Option("root", "The folder that holds .ralph/agent.", value="DIR")


class GivenOptions:
    """What was said on the command line."""

    def __init__(self) -> None:
        self.argument: str | None = None
        self._values: dict[str, str] = {}

    def text(self, name: str, otherwise: str = "") -> str:
        return self._values.get(name, otherwise)

    def number(self, name: str, otherwise: int) -> int:
        return int(self._values[name]) if name in self._values else otherwise

    def flag(self, name: str) -> bool:
        return name in self._values

    def names(self, name: str) -> list[str]:
        """A list with commas."""
        return [part.strip() for part in self.text(name).split(",") if part.strip()]

    def take(self, option: Option, value: str) -> None:
        if option.choices and value.lower() not in option.choices:
            raise ValueError(f"--{option.name} {value!r}: must be one of {', '.join(option.choices)}")
        if option.value == "N" and not (value.isascii() and value.isdigit() and len(value) < 10):
            raise ValueError(f"--{option.name} {value!r}: must be a whole number")
        self._values[option.name] = value.lower() if option.choices else value


def read(command: ToolCommand, words: list[str]) -> GivenOptions:
    """A ValueError says what is wrong, with the nearest name."""
    given, rest, only_text = GivenOptions(), list(words), False
    while rest:
        word = rest.pop(0)
        if word == "--" and not only_text:
            only_text = True
        elif only_text or not word.startswith("-") or word == "-" or word[1:2].isspace():
            if not command.takes or given.argument is not None:
                raise ValueError(
                    f"one argument too many: {word!r}; put text in quotes. Usage: {command.usage}"
                )
            given.argument = word
        else:
            option, value = _option(command, word)
            if not option.value and not option.choices:
                if value is not None:
                    raise ValueError(f"--{option.name} takes no value")
                value = ""
            elif value is None:
                if not rest:
                    raise ValueError(f"--{option.name} needs a value: {option.shown}")
                value = rest.pop(0)
            given.take(option, value)
    if command.takes and command.needs and not (given.argument or "").strip():
        raise ValueError(f"{command.takes} is missing. Usage: {command.usage}")
    return given


def _option(command: ToolCommand, word: str) -> tuple[Option, str | None]:
    """The option that a word names, and its value where that is part of the word."""
    name, equals, value = word[2:].partition("=")
    for option in command.options:
        if word.startswith("--") and option.name == name.replace("_", "-"):
            return option, value if equals else None
        if not word.startswith("--") and option.letter == word[1]:
            return option, word[2:].removeprefix("=") or None
    known = [option.name for option in command.options]
    near = nearest(word.lstrip("-").partition("=")[0], known, "--")
    raise ValueError(
        f"unknown option {word.partition('=')[0]!r}{near}; see `ralph tools {command.name} --help`"
    )


def nearest(name: str, names: list[str], mark: str = "") -> str:
    import difflib

    near = difflib.get_close_matches(name, names, 1)
    return f" (nearest: {mark}{near[0]})" if near else f" (known: {', '.join(mark + n for n in names)})"


_KINDS = ("pattern", "decision", "fix", "context")
_FORMAT = Option("format", "How it is shown; table if absent.", choices=("table", "json", "quiet"))
_SHOW = Option("format", "How it is shown; table if absent.", choices=("table", "json", "markdown", "quiet"))
_KIND = Option("type", "Only this type.", letter="t", choices=_KINDS)
_TAGS = Option("tags", "Only those with one of these tags.", value="TAGS")
_NEW_TODO = (
    Option("priority", "From 1, the highest, to 5; 3 if absent.", letter="p", value="N"),
    Option("description", "More about it.", letter="d", value="TEXT"),
    Option("blocked-by", "Ids of todos that must be closed first, with commas.", value="IDS"),
    _FORMAT,
)
COMMANDS = {
    command.name: command
    for command in (
        ToolCommand(
            "task add",
            "Add a todo; one that is open already is not doubled.",
            takes="TITLE",
            options=_NEW_TODO,
        ),
        ToolCommand(
            "task ensure",
            "Add a todo under its own key, or update the one of that key.",
            takes="TITLE",
            options=(Option("key", "A name that stays the same.", value="KEY"), *_NEW_TODO),
        ),
        ToolCommand(
            "task list",
            "Show the todos that are not over.",
            options=(
                Option("status", "Only open, in_progress, closed or failed.", letter="s", value="STATUS"),
                Option("days", "Only those added or closed in the last N days.", letter="d", value="N"),
                Option("limit", "At most N.", letter="l", value="N"),
                Option("all", "Also closed and failed ones.", letter="a"),
                _FORMAT,
            ),
        ),
        ToolCommand(
            "task ready",
            "Show the todos that can be worked on now: begun, or with nothing in their way.",
            options=(Option("all", "Also those of other loops.", letter="a"), _FORMAT),
        ),
        ToolCommand("task start", "Mark a todo as begun.", takes="ID"),
        ToolCommand("task close", "Mark a todo as done.", takes="ID"),
        ToolCommand("task fail", "Mark a todo as failed.", takes="ID"),
        ToolCommand("task reopen", "Mark a todo as open again.", takes="ID"),
        ToolCommand("task show", "Show one todo.", takes="ID", options=(_FORMAT,)),
        ToolCommand(
            "memory add",
            "Remember something for later iterations, tasks and runs.",
            takes="TEXT",
            options=(
                Option("type", "What it is; pattern if absent.", letter="t", choices=_KINDS),
                Option("tags", "Words to find it by, with commas.", value="TAGS"),
                _SHOW,
            ),
        ),
        ToolCommand(
            "memory list",
            "Show the memories, newest first.",
            options=(_KIND, _TAGS, Option("last", "Only the newest N.", value="N"), _SHOW),
        ),
        ToolCommand(
            "memory search",
            "Show the memories that hold all words of QUERY, in text or tags, newest first: ten at most.",
            takes="QUERY",
            needs=False,
            options=(_KIND, _TAGS, Option("all", "Not only ten."), _SHOW),
        ),
        ToolCommand("memory show", "Show one memory.", takes="ID", options=(_SHOW,)),
        ToolCommand("memory delete", "Forget one memory.", takes="ID"),
        ToolCommand(
            "memory prime",
            "Print memories for a prompt, section by section; where they are too many, the newest.",
            options=(
                Option("budget", "At most about N tokens; 0: all.", value="N"),
                Option("type", "Only these types, with commas.", letter="t", value="TYPES"),
                _TAGS,
                Option("recent", "Only those of the last N days.", value="N"),
                Option(
                    "format",
                    "How it is shown; markdown if absent.",
                    choices=("markdown", "json", "table", "quiet"),
                ),
            ),
        ),
        ToolCommand(
            "memory init",
            "Write an empty file of memories.",
            options=(Option("force", "Also over one that is there."),),
        ),
    )
}
EXAMPLES = {
    "task add": 'ralph tools task add "Write tests for dates" -p 2',
    "task ensure": 'ralph tools task ensure "Write tests" --key spec:tests -p 2',
    "task list": "ralph tools task list --status closed",
    "task ready": "ralph tools task ready --format json",
    "task show": "ralph tools task show task-1737372000-a1b2 --format json",
    "memory add": 'ralph tools memory add "Run make before the tests" -t fix --tags build,tests',
    "memory list": "ralph tools memory list -t decision",
    "memory search": 'ralph tools memory search "dates" --tags parser',
    "memory prime": "ralph tools memory prime --budget 2000",
    "memory init": "ralph tools memory init",
}
ELSEWHERE = {
    "interact": "to ask a person, `ralph emit human.interact QUESTION`; progress goes into the scratchpad",
    "skill": "read the skill's file",
}
READING = (
    "task list",
    "task ready",
    "task show",
    "memory list",
    "memory search",
    "memory show",
    "memory prime",
)
_SAMPLE = {"task": "task-1737372000-a1b2", "memory": "mem-1737372000-a1b2"}


def _list(group: str) -> str:
    mine = [command for name, command in COMMANDS.items() if name.startswith(group)]
    lines = []
    for command in mine:
        lines.append(f"  {command.usage.removeprefix('ralph tools ')}")
        lines += [f"      {command.about}", *(f"      {option.shown}" for option in command.options[:-1])]
    return "\n".join(lines)


def help_text(group: str = "") -> str:
    what = {
        "task": "The agent's own list of todos, .ralph/agent/tasks.jsonl.",
        "memory": "What later iterations should know, .ralph/agent/memories.md.",
    }.get(group, "The agent's todos (.ralph/agent/tasks.jsonl) and memories (.ralph/agent/memories.md).")
    shown = [
        EXAMPLES[name] for name in ("task add", "task ready", "memory add", "memory search") if group in name
    ]
    return (
        f"Usage: ralph tools {group or 'task|memory'} COMMAND [OPTIONS]\n\n{what}\n"
        "Todos are the agent's own notes; `ralph task` is the backlog. --root DIR names another folder than this one.\n\n"
        f"Commands:\n{_list(group)}\n\nExamples:\n" + "".join(f"  {line}\n" for line in shown)
    )


def command_help(command: ToolCommand) -> str:
    group = command.name.partition(" ")[0]
    return command.help(EXAMPLES.get(command.name) or f"ralph tools {command.name} {_SAMPLE[group]}")


_GROUPS = ["task", "memory"]


def serve(arguments: list[str]) -> int:
    """`arguments` come after `ralph tools`. What is wrong is said in a line or two, and nothing is changed then."""
    name = " ".join(arguments[:2])
    try:
        return _serve(arguments)
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except (RalphError, ValueError) as error:
        what = str(error)
    said = f"ralph tools {name}: {what}" if name in COMMANDS else f"ralph tools: {what}"
    print("\n".join(harmless(line) for line in said.split("\n")), file=sys.stderr)
    return 2


def _serve(arguments: list[str]) -> int:
    words = _names_first([word.encode("utf-8", "replace").decode() for word in arguments])
    asked = any(word in ("--help", "-h") for word in (words[: words.index("--")] if "--" in words else words))
    group = words[0] if words and words[0] not in ("--help", "-h") else ""
    name = " ".join(words[:2])
    if name in COMMANDS and asked:
        print(command_help(COMMANDS[name]), end="")
        return 0
    if name in COMMANDS:
        return _do(name, read(COMMANDS[name], words[2:]))
    if group and group not in _GROUPS:
        hint = f"; {ELSEWHERE[group]}" if group in ELSEWHERE else nearest(group, _GROUPS)
        raise ValueError(f"there is no tool {group!r}{hint}")
    if asked or len(words) < 2:
        print(help_text(group), end="", file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    known = [known.partition(" ")[2] for known in COMMANDS if known.startswith(f"{group} ")]
    raise ValueError(f"{group} has no command {words[1]!r}{nearest(words[1], known)}")


def _do(name: str, given: GivenOptions) -> int:
    if "RALPH_GATE" in os.environ and name not in READING:
        raise RalphError(
            "a gate keeps no notes", todo="Only agents in an iteration and people can; continue without it."
        )
    caller = Caller(os.environ, os.getcwd())
    group, _, command = name.partition(" ")
    own = caller.notes if group == "task" else caller.memories
    folder = f"{given.text('root')}/.ralph/agent" if given.flag("root") else own
    if group == "task":
        from ralph.agent_tools import todo_commands

        print(todo_commands.DO[command](folder, given, caller.loop))
    else:
        from ralph.agent_tools import memory_commands

        print(memory_commands.DO[command](folder, given), end="")
    return 0


def _names_first(words: list[str]) -> list[str]:
    """`--root DIR` may also stand before the command's name."""
    names: list[str] = []
    moved: list[str] = []
    rest = list(words)
    while rest and len(names) < 2:
        word = rest.pop(0)
        if word == "--root" and rest:
            moved += [word, rest.pop(0)]
        elif word.startswith("--root="):
            moved.append(word)
        else:
            names.append(word)
    return names + moved + rest

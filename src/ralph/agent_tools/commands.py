"""The commands that agents call: how one is defined, how its arguments are read, its help, and how it is found and run.

Spellings are those of the tools that agents know: `-p 2`, `-p2`, `--priority 2`, `--priority=2`, in any place.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable

from ralph.errors import RalphError
from ralph.text import harmless

Given = argparse.Namespace  # the options by name; `words`: the other arguments, empty where one is left out
Option = Callable[[argparse.ArgumentParser], argparse.Action]


def option(
    *names: str, about: str, value: str = "", default: object = None, many: bool = False, number: bool = False
) -> Option:
    """`value`: how its value is called, or the words that can be given (`a|b`); empty: it has none."""

    def read(text: str) -> object:
        text = text.removeprefix("\0")
        if "|" in value and text.lower() not in value.split("|"):
            raise argparse.ArgumentTypeError(f"{text!r}: must be one of {value.replace('|', ', ')}")
        if number and not (text.isascii() and text.isdigit() and len(text) < 10):
            raise argparse.ArgumentTypeError(f"{text!r}: must be a whole number")
        if many:  # with commas
            return [part.strip() for part in text.split(",") if part.strip()]
        return int(text) if number else text.lower() if "|" in value else text

    def add(parser: argparse.ArgumentParser) -> argparse.Action:
        if not value:
            return parser.add_argument(*names, help=about, action="store_true")
        otherwise = default or ([] if many else None if number or "|" in value else "")
        return parser.add_argument(*names, help=about, metavar=value, type=read, default=otherwise)

    return add


class AgentCommand:
    def __init__(
        self,
        usage: str,
        about: str,
        example: str,
        options: tuple[Option, ...],
        do: Callable[[Given], str | int],
        failure: int,
        reads: bool,
    ) -> None:
        words = usage.split()
        self.takes = [word for word in words if not word.isalpha() or word.isupper()]  # TITLE, [QUERY], a|b
        self.name = " ".join(word for word in words if word not in self.takes)  # such as `tools task add`
        self.usage = f"{usage} [OPTIONS]" if options else usage
        self.about = about
        self.example = example
        self.do = do
        self.failure = failure  # the exit code when it cannot be done
        self.reads = reads  # it changes nothing
        self._options = options

    def _parser(self) -> tuple[argparse.ArgumentParser, list[argparse.Action]]:
        parser = argparse.ArgumentParser(
            add_help=False,
            allow_abbrev=False,
            exit_on_error=False,
            formatter_class=lambda prog: argparse.HelpFormatter(
                prog, width=100
            ),  # else it imports shutil, unused
        )
        return parser, [add(parser) for add in self._options]

    def read(self, words: list[str]) -> Given:
        """A ValueError says what is wrong, with the nearest name."""
        parser, options = self._parser()
        words, text = _joined(words, options)
        try:
            given, rest = parser.parse_known_args(words)
        except argparse.ArgumentError as error:
            name = (error.argument_name or "").rpartition("/")[2]
            raise ValueError(f"{name} {error.message}") from error
        for word in rest:
            if word[:1] == "-" and (word[1:2].isalpha() or word[1:2] == "-") and len(word.split()) == 1:
                raise ValueError(self._unknown(word, [one.option_strings[-1] for one in options]))
        given.words = rest + text
        if len(given.words) > len(self.takes):
            if not self.takes:
                raise ValueError(self._unknown(given.words[0], []))
            word = given.words[len(self.takes)]
            raise ValueError(
                f"one argument too many: {word!r}; put text in quotes. Usage: ralph {self.usage}"
            )
        given.words += [""] * (len(self.takes) - len(given.words))
        for name, word in zip(self.takes, given.words, strict=True):
            if not name.startswith("[") and not word.strip():
                raise ValueError(f"{name} is missing. Usage: ralph {self.usage}")
            if "|" in name and word not in name.split("|"):
                raise ValueError(f"{word!r}: must be one of {name.replace('|', ', ')}")
        return given

    def _unknown(self, word: str, known: list[str]) -> str:
        name = word.partition("=")[0]
        dash = "; text that begins with a dash goes after `--`" if self.takes else ""
        return f"unknown argument {name!r}{nearest(name, known)}{dash}; see `ralph {self.name} --help`"

    def options(self) -> list[tuple[str, str]]:
        """Each as it is written, and what it means."""
        return [(_shown(one), one.help or "") for one in self._parser()[1]]

    def help(self) -> str:
        text = f"Usage: ralph {self.usage}\n\n{self.about}\n"
        if options := self.options():
            width = max(len(shown) for shown, _ in options)
            text += "\nOptions:\n" + "".join(f"  {shown:<{width}}  {about}\n" for shown, about in options)
        return text + f"\nExample{'s' if len(_examples(self.example)) > 1 else ''}:\n  {self.example}\n"


def _examples(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip().startswith("ralph ")]


def _joined(words: list[str], options: list[argparse.Action]) -> tuple[list[str], list[str]]:
    """Each option in one word with its value, and what follows `--`, which is text. A value may begin with a dash, or be
    `--`, which argparse would drop: so it is marked by a character that no argument can have."""
    by_name = {name: one for one in options for name in one.option_strings}
    rest, joined = iter(words), []
    for word in rest:
        if word == "--":
            break
        if word.startswith("--"):
            name, more, value = word.partition("=")
            name = name.replace("_", "-")
        else:
            name, more, value = word[:2], word[2:], word[2:].removeprefix("=")
        if (one := by_name.get(name)) is None:
            joined.append(word)
        elif one.metavar:
            following = value if more else next(rest, None)
            if following is None:
                raise ValueError(f"{one.option_strings[-1]} needs a value: {_shown(one)}")
            joined.append(f"{name}=\0{following}")
        elif more:
            raise ValueError(f"{one.option_strings[-1]} takes no value")
        else:
            joined.append(name)
    return joined, list(rest)


def _shown(one: argparse.Action) -> str:
    return f"{', '.join(one.option_strings)} {one.metavar or ''}".rstrip()


def nearest(name: str, names: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, names, 1)
    return f" (nearest: {near[0]})" if near else f" (known: {', '.join(names)})" if names else ""


# -- the commands --------------------------------------------------------------------------------------

DEFINED: dict[str, AgentCommand] = {}
_Do = Callable[[Given], str | int]


def agent_command(
    usage: str, about: str, example: str, *options: Option, failure: int = 2, reads: bool = False
) -> Callable[[_Do], _Do]:
    """Defines a command: it prints the text that the function returns, or has printed and returns its exit code."""

    def define(do: _Do) -> _Do:
        command = AgentCommand(usage, about, example, options, do, failure, reads)
        DEFINED[command.name] = command
        return do

    return define


_ROOT = option("--root", value="DIR", about="The folder that holds .ralph/agent.")
# group of `ralph tools` -> (module, what it is about, the commands whose examples its help shows)
_GROUPS = {
    "task": (
        "ralph.agent_tools.todo_commands",
        "The agent's own list of todos, .ralph/agent/tasks.jsonl.",
        ("add", "ready"),
    ),
    "memory": (
        "ralph.agent_tools.memory_commands",
        "What later iterations should know, .ralph/agent/memories.md.",
        ("add", "search"),
    ),
}
_ELSEWHERE = {
    "interact": "to ask a person, `ralph emit human.interact QUESTION`; progress goes into the scratchpad",
    "skill": "read the skill's file",
}


def tool(usage: str, about: str, example: str, *options: Option, reads: bool = False) -> Callable[[_Do], _Do]:
    """Defines a command of `ralph tools`: it is also given the folder of the notes and the loop's id."""
    return agent_command(f"tools {usage}", about, f"ralph tools {example}", *options, _ROOT, reads=reads)


def tools(group: str = "") -> dict[str, AgentCommand]:
    for one in [group] if group else _GROUPS:
        importlib.import_module(_GROUPS[one][0])
    return {name: one for name, one in DEFINED.items() if name.startswith(f"tools {group}")}


def help_text(name: str) -> str:
    """Of a command, of `tools` or of a group of it."""
    if name in DEFINED:
        return DEFINED[name].help()
    group = name.partition(" ")[2]
    what = "The agent's todos (.ralph/agent/tasks.jsonl) and memories (.ralph/agent/memories.md)."
    lines = []
    for one in tools(group).values():
        lines.append(f"  {one.usage.removeprefix('tools ').removesuffix(' [OPTIONS]')}\n      {one.about}")
        lines += [f"      {shown}" for shown, _ in one.options()[:-1]]
    shown = [
        DEFINED[f"tools {one} {command}"].example
        for one in ([group] if group else _GROUPS)
        for command in _GROUPS[one][2]
    ]
    return (
        f"Usage: ralph tools {group or 'task|memory'} COMMAND [OPTIONS]\n\n{_GROUPS[group][1] if group else what}\n"
        "Todos are the agent's own notes; `ralph task` is the backlog. --root DIR names another folder than this one.\n\n"
        "Commands:\n" + "\n".join(lines) + "\n\nExamples:\n" + "".join(f"  {line}\n" for line in shown)
    )


def serve(arguments: list[str]) -> int:
    """`arguments` begin with the command's name. What is wrong is said in a line or two, and nothing is changed then."""
    name, code = arguments[0], 2
    try:
        words = [word.encode("utf-8", "replace").decode() for word in arguments]
        asked = any(
            word in ("--help", "-h") for word in words[: words.index("--") if "--" in words else None]
        )
        name, words = named(words, asked)
        if asked or name not in DEFINED:
            print(help_text(name), end="", file=sys.stdout if asked else sys.stderr)
            return 0 if asked else 2
        command = DEFINED[name]
        given = command.read(words)
        code = command.failure
        if name.startswith("tools "):
            _find_notes(command, given)
        said = command.do(given)
        if isinstance(said, int):
            return said
        print(said, end="" if not said or said.endswith("\n") else "\n")
        return 0
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except (RalphError, ValueError) as error:
        what = str(error)
    print("\n".join(harmless(line) for line in f"ralph {name}: {what}".split("\n")), file=sys.stderr)
    return code


def named(words: list[str], asked: bool = False) -> tuple[str, list[str]]:
    """The name of the command, or of the group of commands whose help is to be shown, and the words after it."""
    first, *words = words
    if first != "tools":
        return first, words
    # `--root DIR` may also stand before the name
    at = [
        n for n, word in enumerate(words) if not word.startswith("--root") and words[n - 1 : n] != ["--root"]
    ]
    names = [words[n] for n in at[:2] if words[n] not in ("--help", "-h")]
    if not names:
        return "tools", []
    group, *command = names
    if group not in _GROUPS:
        hint = f"; {_ELSEWHERE[group]}" if group in _ELSEWHERE else nearest(group, list(_GROUPS))
        raise ValueError(f"there is no tool {group!r}{hint}")
    known = [name.rpartition(" ")[2] for name in tools(group)]
    if command and command[0] not in known:
        if not asked:
            raise ValueError(f"{group} has no command {command[0]!r}{nearest(command[0], known)}")
        command = []
    return " ".join(["tools", group, *command]), [word for n, word in enumerate(words) if n not in at[:2]]


def _find_notes(command: AgentCommand, given: Given) -> None:
    from ralph.agent_tools.requests import Caller

    if "RALPH_GATE" in os.environ and not command.reads:
        raise RalphError(
            "a gate keeps no notes", todo="Only agents in an iteration and people can; continue without it."
        )
    caller = Caller(os.environ, os.getcwd())
    own = caller.notes if command.name.startswith("tools task") else caller.memories
    given.folder = f"{given.root}/.ralph/agent" if given.root else own
    given.loop = caller.loop

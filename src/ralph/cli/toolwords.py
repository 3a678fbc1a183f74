"""The words of a `ralph tools` command: which options it takes, what was given, and its help. Standard library only.

Spellings are those of the tools that agents know: `-p 2`, `-p2`, `--priority 2`, `--priority=2`, in any place.
"""

from __future__ import annotations


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


class Command:
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


class Given:
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


def read(command: Command, words: list[str]) -> Given:
    """A ValueError says what is wrong, with the nearest name."""
    given, rest, only_text = Given(), list(words), False
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


def _option(command: Command, word: str) -> tuple[Option, str | None]:
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

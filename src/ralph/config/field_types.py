"""The kinds of value that a key can have: what the reference calls them, how they are read, and their JSON Schema.

A reader returns the value, or reports what is wrong and raises Refused. The schema says the same as the reader, as far
as JSON Schema can; tests/unit/config/test_jsonschema.py holds both together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from ralph.config.problems import Refused, Spot, quoted
from ralph.config.yaml_lines import Mapping, Node, Scalar, Sequence, described, entries, shown_key

YEAR = 366 * 86400.0
MAX_INTEGER = 10**12
TASK_ID = "{taskId}"

_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9_]*)")
_NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
_DURATION = re.compile(rf"(?:{_NUMBER} ?d)? ?(?:{_NUMBER} ?h)? ?(?:{_NUMBER} ?m)? ?(?:{_NUMBER} ?s)?")
_UNITS = (86400.0, 3600.0, 60.0, 1.0)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VARIABLES = re.compile(r"[A-Za-z_*?][A-Za-z0-9_*?]*")
_IDENTIFIER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.)){0,63}")


Reader = Callable[[Node, Spot], Any]


class FieldType(msgspec.Struct, frozen=True):
    name: str
    read: Reader | None = None  # None: a structure that ralph.config.settings takes apart
    schema: dict[str, Any] = {}  # JSON Schema, draft 7; a structure's is made in ralph.config.json_schema


# What each kind accepts, also for values that do not come from a file (command line flags): the
# functions `*_problem` return what is wrong, or "".


def text_problem(text: str) -> str:
    """Text must survive being an argument of a program and a line of the journal."""
    if "\0" in text:
        return "must not contain a NUL character"
    if not is_unicode(text):
        return "is not valid Unicode text"
    return "" if text.strip() else "must not be empty"


def is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def number_problem(value: float, least: float, most: float, *, above: bool = False) -> str:
    if not math.isfinite(value):
        return "must be a finite number"
    if value < least or (above and value == least):
        return f"must be {'more than' if above else 'at least'} {least:g}, not {value:g}"
    return f"must be at most {most:g}, not {value:g}" if value > most else ""


def identifier_problem(text: str) -> str:
    """A task id is used in refs, paths and arguments."""
    if not _IDENTIFIER.fullmatch(text) or text.endswith((".", ".lock")):
        return (
            f"must be at most 64 letters, digits, '-', '_' or '.', starting with a letter or digit, "
            f"not {quoted(text)}"
        )
    return ""


def glob_problem(pattern: str) -> str:
    inside = pattern.removeprefix("./")
    if not inside or inside.startswith(("/", "~")) or ".." in inside.split("/"):
        return f"must be a pattern of paths inside the workspace, not {quoted(pattern)}"
    return text_problem(pattern)


def seconds(text: str) -> float | None:
    """`90`, `90s`, `10m`, `1.5h`, `1h30m`, `2d` as seconds; None when it is no duration."""
    text = text.strip()
    if len(text) > 40:
        return None
    if re.fullmatch(_NUMBER, text):
        return float(text)
    found = _DURATION.fullmatch(text)
    if not found or not any(found.groups()):
        return None
    return sum(float(part) * unit for part, unit in zip(found.groups(), _UNITS, strict=True) if part)


def duration_text(value: float) -> str:
    """Seconds as a person would write them; `seconds` reads it back."""
    rest, parts = round(value, 3), []
    for unit, size in zip("dhm", _UNITS, strict=False):
        count, rest = divmod(rest, size)
        parts += [f"{count:.0f}{unit}"] if count else []
    rest = round(rest, 3)
    return "".join(parts) + (f"{rest:g}s" if rest or not parts else "")


# Readers


def attempt(read: Reader, node: Node, spot: Spot) -> Any:
    """The value; None when it was refused."""
    try:
        return read(node, spot)
    except Refused:
        return None


def text_of(node: Node, spot: Spot, *, one_line: bool = False, empty_ok: bool = False) -> str:
    if not isinstance(node, Scalar) or node.means != "text":
        quotes = "" if not isinstance(node, Scalar) or node.means == "null" else " (put it in quotes)"
        raise spot.refused(f"must be text, not {described(node)}{quotes}")
    return _checked(node.text, spot, one_line=one_line, empty_ok=empty_ok)


def _word(node: Node, spot: Spot) -> str:
    """Text for another program, where 30 and true are words as well."""
    if not isinstance(node, Scalar) or node.means == "null":
        raise spot.refused(f"must be text, not {described(node)}")
    return _checked(node.text, spot, empty_ok=True)


def _checked(text: str, spot: Spot, *, one_line: bool = False, empty_ok: bool = False) -> str:
    spot.refuse_if("" if empty_ok and not text else text_problem(text))
    if one_line and not text.strip().isprintable():  # it will stand in a terminal
        raise spot.refused("must be one line of printable text")
    return text.strip() if one_line else text


def items_of(node: Node, spot: Spot, read: Reader) -> tuple[Any, ...]:
    """What is wrong with the other items is said as well."""
    if not isinstance(node, Sequence):
        raise spot.refused(f"must be a list, not {described(node)}")
    values = [attempt(read, item, spot.item(index, item.line)) for index, item in enumerate(node.items)]
    if None in values:
        raise Refused
    return tuple(values)


def line_of(node: Node, spot: Spot) -> str:
    return text_of(node, spot, one_line=True)


def _flag(node: Node, spot: Spot) -> str:
    return text_of(node, spot, one_line=True, empty_ok=True)


def boolean_of(node: Node, spot: Spot) -> bool:
    if not isinstance(node, Scalar) or node.means != "boolean":
        raise spot.refused(f"must be true or false, not {described(node)}")
    return node.text.lower() in ("true", "yes", "on")


def _glob(node: Node, spot: Spot) -> str:
    pattern = line_of(node, spot)
    spot.refuse_if(glob_problem(pattern))
    return pattern.removeprefix("./")


def _writable(node: Node, spot: Spot) -> tuple[str, ...]:
    if isinstance(node, Scalar) and node.means == "boolean":
        return ("**",) if boolean_of(node, spot) else ()
    if isinstance(node, Sequence):
        return items_of(node, spot, _glob)
    raise spot.refused(f"must be true, false or a list of patterns, not {described(node)}")


def _argv(node: Node, spot: Spot) -> tuple[str, ...]:
    if isinstance(node, Sequence):
        words = items_of(node, spot, _word)
    else:
        import shlex

        try:
            words = tuple(shlex.split(text_of(node, spot)))
        except ValueError as error:
            raise spot.refused(f"cannot be split into words: {str(error).lower()}")
    if not words or not words[0].strip():
        raise spot.refused("must name a program")
    return words


def _guidance(node: Node, spot: Spot) -> str:
    if not isinstance(node, Sequence):
        return text_of(node, spot)
    return "\n".join(f"- {rule.strip()}" for rule in items_of(node, spot, text_of))


def pairs_of(node: Node, spot: Spot) -> Iterator[tuple[Scalar, Node, Spot]]:
    """The names of a mapping, what they stand for, and where."""
    if not isinstance(node, Mapping):
        raise spot.refused(f"must be a mapping of names to values, not {described(node)}")
    for key, value in entries(node, spot):
        yield key, value, spot.key(shown_key(key.text), key.line)


def _environment(node: Node, spot: Spot) -> dict[str, str]:
    values: dict[str, str] = {}
    for key, value, at in pairs_of(node, spot):
        if not _VARIABLE.fullmatch(key.text):
            at.wrong("is not a name for an environment variable")
        if (word := attempt(_word, value, at)) is not None:
            values[key.text] = word
    return values


def _options(node: Node, spot: Spot) -> dict[str, Any]:
    """Whatever a mapping of YAML holds, as plain values: what they mean is for another package to say."""
    return {key.text: attempt(_anything, value, at) for key, value, at in pairs_of(node, spot)}


def _anything(node: Node, spot: Spot) -> Any:
    if isinstance(node, Mapping):
        return _options(node, spot)
    if isinstance(node, Sequence):
        return [attempt(_anything, item, spot.item(i, item.line)) for i, item in enumerate(node.items)]
    if node.means == "null":
        return None
    if node.means == "boolean":
        return boolean_of(node, spot)
    if node.means in ("integer", "number"):
        number = _plain_number(node)
        if number is None or not math.isfinite(number):
            raise spot.refused(f"must be a plain, finite number, not {described(node)}")
        return int(node.text.replace("_", "")) if node.means == "integer" else number
    if not is_unicode(node.text):
        raise spot.refused("is not valid Unicode text")
    return node.text


def _variable(node: Node, spot: Spot) -> str:
    pattern = line_of(node, spot)
    if not _VARIABLES.fullmatch(pattern):
        raise spot.refused(f"must be the name of a variable, perhaps with * or ?, not {quoted(pattern)}")
    return pattern


def inside(node: Node, spot: Spot, must_be: str = "a path inside the workspace", in_git: str = "") -> str:
    """A file or folder that the user's checkout and every workspace have in the same place."""
    path = line_of(node, spot)
    wrong = f"must be {must_be}, not {quoted(path)}"
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith(("/", "~")) or ".." in parts or not parts:
        raise spot.refused(wrong)
    if parts[0].lower() == ".git":
        raise spot.refused(in_git or wrong)
    return "/".join(parts)


def _folder(node: Node, spot: Spot) -> str:
    return inside(node, spot, "a folder inside the repository")


def _file(node: Node, spot: Spot) -> str:
    """The scratchpad: a file of the workspace, wherever the workspace will be."""
    must_be = "a relative path to a file inside the workspace"
    path = inside(node, spot, must_be, in_git="must not be inside .git")
    if line_of(node, spot).endswith("/"):
        raise spot.refused(f"must be {must_be}, not {quoted(path + '/')}")
    if re.search(r"[{}]", path.replace(TASK_ID, "")):
        raise spot.refused(f"may contain {TASK_ID} and no other braces")
    return path


def _identifier(node: Node, spot: Spot) -> str:
    text = _word(node, spot)
    spot.refuse_if(identifier_problem(text))
    return text


# The readers once more, for editors. In patterns `$` is the very end, as in ECMA 262.


def matching(pattern: str, message: str, *types: str) -> dict[str, Any]:
    """`patternErrorMessage` is what editors show in place of the pattern; other programs ignore it."""
    return {"type": [*types] if types else "string", "pattern": pattern, "patternErrorMessage": message}


def list_of(name: str, read: Reader, item: dict[str, Any]) -> FieldType:
    """`item` is the schema of one of them."""
    return FieldType(
        f"list of {name}", lambda node, spot: items_of(node, spot, read), {"type": "array", "items": item}
    )


_SOME_TEXT = r"(?=[\s\S]*\S)[^\u0000]*"
# All that is not printable has no short name in a pattern: control characters and the usual invisible ones.
ONE_LINE = r"\s*(?=\S)[^\u0000-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]*\s*"
IN_FOLDER = (
    r"(?!\s*[/~])(?!\s*(?:[^/]*/)*\.\.(?:/|\s*$))"  # not absolute or upwards
    r"(?!\s*(?:\.?/)*\.?\s*$)(?!\s*(?:\.?/)*\.[gG][iI][tT](?:/|\s*$))"
)
_NO_FOLDER = r"(?![\s\S]*/\s*$)"
_TEXT_SCHEMA = matching(f"^{_SOME_TEXT}$", "must not be empty")
_WORD_SCHEMA = matching(f"^(?:|{_SOME_TEXT})$", "must not be blank", "string", "number", "boolean")
_PROGRAM_SCHEMA = matching(f"^{_SOME_TEXT}$", "must name a program", "string", "number", "boolean")
_LINE_SCHEMA = matching(f"^{ONE_LINE}$", "must be one line of printable text")
_GLOB_SCHEMA = matching(
    rf"^(?!\s*(?:\./)?(?:[/~]|\s*$|(?:[^/]*/)*\.\.(?:/|\s*$))){ONE_LINE}$",
    "must be a pattern of paths inside the workspace",
)

TEXT = FieldType("text", text_of, _TEXT_SCHEMA)
LINE = FieldType("text, one line", line_of, _LINE_SCHEMA)
FLAG = FieldType(
    "text, one line", _flag, matching(f"^(?:|{ONE_LINE})$", "must be one line of printable text")
)
BOOLEAN = FieldType("true or false", boolean_of, {"type": "boolean"})
PATH = FieldType("path", line_of, _LINE_SCHEMA)
INSIDE = FieldType(
    "path inside the workspace",
    _file,
    matching(
        rf"^{IN_FOLDER}{_NO_FOLDER}(?=(?:[^{{}}]|\{{taskId\}})*$){ONE_LINE}$",
        f"must be a relative path to a file inside the workspace; may contain {TASK_ID}",
    ),
)
GLOBS = list_of("patterns", _glob, _GLOB_SCHEMA)
PATHS = list_of("paths", line_of, _LINE_SCHEMA)
FOLDERS = list_of(
    "folders", _folder, matching(rf"^{IN_FOLDER}{ONE_LINE}$", "must be a folder inside the repository")
)
VARIABLES = list_of(
    "names",
    _variable,
    matching(rf"^\s*{_VARIABLES.pattern}\s*$", "must be the name of a variable, perhaps with * or ?"),
)
WRITABLE = FieldType(
    "true, false or list of patterns", _writable, {"type": ["boolean", "array"], "items": _GLOB_SCHEMA}
)
ARGV = FieldType(
    "text or list of words",
    _argv,
    matching(f"^{_SOME_TEXT}$", "must name a program", "string", "array")
    | {"items": [_PROGRAM_SCHEMA], "additionalItems": _WORD_SCHEMA, "minItems": 1},
)
WORDS = list_of("words", _word, _WORD_SCHEMA)
TEXTS = list_of("texts", text_of, _TEXT_SCHEMA)
GUIDANCE = FieldType(
    "text or list of texts", _guidance, {**_TEXT_SCHEMA, "type": ["string", "array"], "items": _TEXT_SCHEMA}
)
ENVIRONMENT = FieldType(
    "mapping of names to values",
    _environment,
    {
        "type": "object",
        "propertyNames": {"pattern": f"^{_VARIABLE.pattern}$"},
        "additionalProperties": _WORD_SCHEMA,
    },
)
OPTIONS = FieldType("mapping of options", _options, {"type": "object"})
IDENTIFIER = FieldType(
    "name",
    _identifier,
    matching(
        rf"^(?!.*(?:\.|\.lock)$){_IDENTIFIER.pattern}$",
        "must be at most 64 letters, digits, '-', '_' or '.', starting with a letter or digit",
        "string",
        "number",
        "boolean",
    )
    | {"minimum": 0},
)


def choice(*words: str) -> FieldType:
    def read(node: Node, spot: Spot) -> str:
        if isinstance(node, Scalar) and node.text in words:
            return node.text
        name = node.text if isinstance(node, Scalar) and node.means == "text" else ""
        raise spot.refused(f"must be one of {', '.join(words)}, not {described(node)}", name, among=words)

    return FieldType(" or ".join(f"`{word}`" for word in words), read, {"type": "string", "enum": [*words]})


def _agent_name(node: Node, spot: Spot) -> str:
    """A name that Ralph knows, or that an installed package brings along."""
    from ralph.agents.registry import is_known, names

    name = node.text if isinstance(node, Scalar) and node.means == "text" else ""
    if name and is_known(name):
        return name
    if not name:
        raise spot.refused(f"must be an agent's name, not {described(node)}")
    known = names()
    hint = "any program runs with `backend: custom` and `command`"
    raise spot.refused(f"unknown agent {quoted(name)}, known: {', '.join(known)}; {hint}", name, among=known)


def _agents_named() -> tuple[str, ...]:
    from ralph.agents.registry import BUILT_IN

    return (*BUILT_IN,)


AGENT = FieldType(
    " or ".join(f"`{name}`" for name in _agents_named()) + ", or what a package adds",
    _agent_name,
    {"type": "string", "enum": [*_agents_named()]},
)
AUTO = "auto"  # the first known agent on PATH: what is done without a name as well


def _agent_or_auto(node: Node, spot: Spot) -> str:
    return AUTO if isinstance(node, Scalar) and node.text == AUTO else _agent_name(node, spot)


AGENT_OR_AUTO = FieldType(
    f"{AGENT.name}, or `{AUTO}`",
    _agent_or_auto,
    {"type": "string", "enum": [*_agents_named(), AUTO]},
)


def choices(*words: str) -> FieldType:
    one = choice(*words)
    assert one.read is not None
    each = list_of(one.name, one.read, one.schema)

    def read(node: Node, spot: Spot) -> tuple[str, ...]:
        assert each.read is not None
        return tuple(dict.fromkeys(each.read(node, spot)))

    return FieldType(each.name, read, each.schema)


def integer(least: int) -> FieldType:
    def read(node: Node, spot: Spot) -> int:
        if not isinstance(node, Scalar) or node.means != "integer" or not _DECIMAL.fullmatch(node.text):
            looks_right = isinstance(node, Scalar) and node.means == "text" and _DECIMAL.fullmatch(node.text)
            quotes = " (remove the quotes)" if looks_right else ""
            raise spot.refused(f"must be a whole number, not {described(node)}{quotes}")
        value = int(node.text.replace("_", "")) if len(node.text) < 100 else MAX_INTEGER + 1
        spot.refuse_if(number_problem(value, least, MAX_INTEGER))
        return value

    schema = {"type": "integer", "minimum": least, "maximum": MAX_INTEGER}
    return FieldType(f"whole number, at least {least}", read, schema)


def _amount(node: Node, spot: Spot) -> float:
    value = _plain_number(node)
    if value is None:
        raise spot.refused(f"must be a number, not {described(node)}")
    spot.refuse_if(number_problem(value, 0, MAX_INTEGER))
    return value


AMOUNT = FieldType("number, at least 0", _amount, {"type": "number", "minimum": 0, "maximum": MAX_INTEGER})


def duration(*, zero_ok: bool = False, endless: bool = False) -> FieldType:
    """`endless`: more than a year is as good as no limit, and is not a mistake."""

    def read(node: Node, spot: Spot) -> float:
        value = _plain_number(node)
        if value is None and isinstance(node, Scalar) and node.means == "text":
            value = seconds(node.text)
        if value is None:
            raise spot.refused(f"must be a duration such as 90, 90s, 10m or 1h30m, not {described(node)}")
        value = min(value, YEAR) if endless and math.isfinite(value) else value
        problem = number_problem(value, 0, YEAR, above=not zero_ok)
        spot.refuse_if(f"{problem} seconds" if problem and math.isfinite(value) else problem)
        return value

    schema = _duration_schema(zero_ok)
    if endless:
        del schema["maximum"]
    return FieldType("duration, or 0" if zero_ok else "duration", read, schema)


def _duration_schema(zero_ok: bool) -> dict[str, Any]:
    some_digit = "[0-9]" if zero_ok else "[1-9]"
    return matching(
        rf"^(?!\s*\S.{{39,}}\S)(?=[\s\S]*{some_digit})\s*(?:{_NUMBER}|{_DURATION.pattern})\s*$",
        "must be a duration such as 90, 90s, 10m or 1h30m",
        "number",
        "string",
    ) | {"minimum" if zero_ok else "exclusiveMinimum": 0, "maximum": int(YEAR)}


def _plain_number(node: Node) -> float | None:
    """A number as people write it: YAML's octal, hexadecimal and base-60 forms are refused, not guessed at."""
    if not isinstance(node, Scalar) or node.means not in ("integer", "number") or len(node.text) > 100:
        return None
    if node.means == "integer" and not _DECIMAL.fullmatch(node.text):
        return None
    plain = node.text.lower().replace("_", "")
    try:
        return float({".inf": "inf", "+.inf": "inf", "-.inf": "-inf", ".nan": "nan"}.get(plain, plain))
    except ValueError:  # base 60: 1:30.5
        return None

"""YAML text to plain nodes that know their line. Never constructs an object that a tag asks for.

Built from the parser's events, not by yaml.compose: no recursion that deep nesting could exhaust, and an
alias counts with the size of what it stands for, so that a few lines cannot expand to billions of nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from ralph.config.problems import Problems, Spot, Unreadable, quoted

if TYPE_CHECKING:
    import yaml

MAX_DEPTH = 50
MAX_NODES = 100_000

Meaning = Literal["text", "integer", "number", "boolean", "null", "date", "merge"]

_STANDARD = "tag:yaml.org,2002:"
_MEANINGS: dict[str, Meaning] = {
    "str": "text",
    "value": "text",  # a bare `=`
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "null": "null",
    "timestamp": "date",
    "merge": "merge",
}
_HINTS = (
    ("mapping values are not allowed", "a value that contains ': ' needs quotes"),
    ("cannot start any token", "a value that starts with this character needs quotes"),
)


class Scalar(msgspec.Struct, frozen=True):
    line: int
    text: str  # as written
    means: Meaning
    size: int = 1


class Sequence(msgspec.Struct, frozen=True):
    line: int
    items: tuple[Node, ...]
    size: int


class Mapping(msgspec.Struct, frozen=True):
    line: int
    pairs: tuple[tuple[Node, Node], ...]  # in file order; keys not yet checked
    size: int


Node = Scalar | Sequence | Mapping


class _Open(msgspec.Struct):
    """A collection whose end has not been read yet."""

    line: int
    is_map: bool
    anchor: str | None
    children: list[Node]
    size: int = 1

    def close(self) -> Node:
        if not self.is_map:
            return Sequence(self.line, tuple(self.children), self.size)
        return Mapping(self.line, tuple(zip(self.children[::2], self.children[1::2], strict=True)), self.size)


def parse(text: str, problems: Problems) -> Node | None:
    """The one document in `text`; None when there is none. A syntax error is raised at once."""
    import yaml

    unprintable = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if unprintable:
        line = text.count("\n", 0, unprintable.start()) + 1
        what = f"contains the control character U+{ord(unprintable.group()):04X}; is this a text file?"
        raise _broken(problems, line, what)
    try:
        return _build(text, problems)
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(error, text, problems)
    except yaml.YAMLError as error:
        raise _broken(problems, 0, f"not valid YAML: {str(error).splitlines()[0]}")


def entries(node: Mapping, spot: Spot) -> list[tuple[Scalar, Node]]:
    """The mapping's pairs with each key once: duplicates are reported, `<<` is merged in."""
    own: dict[str, tuple[Scalar, Node]] = {}
    merged: list[tuple[Scalar, Node]] = []
    for key, value in node.pairs:
        if not isinstance(key, Scalar):
            spot.key("?", key.line).wrong(f"a key must be text, not {described(key)}")
        elif key.means == "merge":
            merged += _merged(value, spot.key("<<", key.line))
        elif key.text in own:
            first = own[key.text][0].line
            spot.key(shown_key(key.text), key.line).wrong(f"is given twice, on lines {first} and {key.line}")
        else:
            own[key.text] = (key, value)
    for key, value in merged:
        own.setdefault(key.text, (key, value))
    return list(own.values())


def described(node: Node) -> str:
    """What a person would call the value, for `must be X, not Y`."""
    match node:
        case Mapping():
            return "a mapping"
        case Sequence():
            return "a list"
        case Scalar(means="null"):
            return "nothing"
        case Scalar(means="text"):
            return f"the text {quoted(node.text)}"
        case Scalar(means="boolean" | "date"):
            return f"the {node.means} {node.text}"
        case _:
            return quoted(node.text)[1:-1]


def shown_key(text: str) -> str:
    return text if text.replace("_", "").replace("-", "").isalnum() and len(text) <= 60 else quoted(text)


def _merged(value: Node, spot: Spot) -> list[tuple[Scalar, Node]]:
    sources = value.items if isinstance(value, Sequence) else (value,)
    merged: list[tuple[Scalar, Node]] = []
    for source in sources:
        if isinstance(source, Mapping):
            merged += entries(source, spot)
        else:
            spot.wrong(f"must be a mapping or a list of mappings, not {described(source)}")
    return merged


def _build(text: str, problems: Problems) -> Node | None:
    import yaml

    resolver = yaml.resolver.Resolver()
    anchors: dict[str, Node] = {}
    still_open: list[_Open] = []
    root: Node | None = None
    documents = 0

    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        line = event.start_mark.line + 1
        node: Node
        match event:
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    raise _broken(
                        problems, line, "a second document starts here (---); one file, one document"
                    )
                continue
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                _refuse_tag(event.tag, line, problems)
                if len(still_open) >= MAX_DEPTH:
                    raise _broken(problems, line, f"nested more than {MAX_DEPTH} levels deep")
                is_map = isinstance(event, yaml.MappingStartEvent)
                still_open.append(_Open(line, is_map, event.anchor, []))
                continue
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                closed = still_open.pop()
                node, anchor = closed.close(), closed.anchor
            case yaml.AliasEvent():
                if event.anchor not in anchors:  # also one that stands inside of what it names
                    raise _broken(problems, line, f"the alias *{event.anchor} names nothing before it")
                node, anchor = anchors[event.anchor], None
            case yaml.ScalarEvent():
                node, anchor = _scalar(event, line, resolver, problems), event.anchor
            case _:
                continue
        if anchor is not None:
            anchors[anchor] = node
        if not still_open:
            root = node
            continue
        parent = still_open[-1]
        parent.children.append(node)
        parent.size += node.size
        if parent.size > MAX_NODES:
            raise _broken(problems, line, f"expands to more than {MAX_NODES:,} values")
    return root


def _scalar(
    event: yaml.ScalarEvent, line: int, resolver: yaml.resolver.Resolver, problems: Problems
) -> Scalar:
    import yaml

    tag = event.tag
    if tag is None or tag == "!":
        tag = resolver.resolve(yaml.ScalarNode, event.value, event.implicit)  # type: ignore[no-untyped-call]
    means = _MEANINGS.get(str(tag).removeprefix(_STANDARD))
    if means is None:
        _refuse_tag(tag, line, problems)
    return Scalar(line, event.value, means or "text")


def _refuse_tag(tag: str | None, line: int, problems: Problems) -> None:
    if tag not in (None, "!", _STANDARD + "seq", _STANDARD + "map"):
        shown = str(tag).replace(_STANDARD, "!!")
        problems.add(line, "", f"the tag {quoted(shown)[1:-1]} is not supported; write the plain value")


def _syntax_error(error: yaml.MarkedYAMLError, text: str, problems: Problems) -> Unreadable:
    problem = error.problem or "cannot be understood"
    mark = error.problem_mark
    if mark is None:
        return _broken(problems, 0, f"not valid YAML: {problem}")
    last_line = len(text.splitlines()) or 1
    line = min(mark.line + 1, last_line)
    column = f"column {mark.column + 1}" if mark.line < last_line else "the end of the file"
    if text[mark.index : mark.index + 1] == "\t" or "tab character" in problem:
        problem = "a tab is used as indentation; use spaces"
    for words, hint in _HINTS:
        if words in problem:
            problem += f"; {hint}"
    if error.context_mark is not None and error.context_mark.line + 1 < line:
        problem += f" (in what starts on line {error.context_mark.line + 1})"
    return _broken(problems, line, f"not valid YAML at {column}: {problem}")


def _broken(problems: Problems, line: int, what: str) -> Unreadable:
    return Unreadable(what, problems.source, "Correct the file and run again; nothing was changed.", line)

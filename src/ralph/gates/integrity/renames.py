"""Renames and moves in a change, so that the original tests can run against the new names.

A name is followed when it is gone from production, another one is new there, and both mean the same by parameters and body.
What is ambiguous is not followed, and nothing is invented: the original assertions then decide about the code under its new
name, whatever that does. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

import msgspec

from ralph.core.globs import matches
from ralph.gates.integrity.definitions import Definition, Source, language_of, read_source, tokens
from ralph.gates.judges import TESTS

Read = Callable[[str], bytes | None]

_ALIKE = 0.7  # bodies, from which a name is followed whatever the parameters are called
_ALIKE_WITH_PARAMETERS = 0.5
_ALIKE_WITH_USES = 0.3  # where other lines changed in nothing but this name
_MARGIN = 0.1  # to the second best
_MODULE_ALIKE = 0.6
_MOST_TOKENS = 2000  # of a body that is compared
_MOST_LINES = 5000
_OF_MANY_TYPES = frozenset(name for kind in (dict, list, str, set, bytes, object) for name in dir(kind)) | {
    "map",
    "filter",
    "forEach",
    "push",
    "slice",
    "then",
    "call",
    "apply",
    "bind",
    "test",
    "match",
    "unwrap",
    "len",
}


_DEFINES = frozenset(
    {
        "def",
        "class",
        "function",
        "fn",
        "func",
        "const",
        "let",
        "var",
        "struct",
        "enum",
        "trait",
        "type",
        "static",
    }
)


class Renames(msgspec.Struct, frozen=True):
    """`names` are functions, types and constants, `methods` what is called on a value. The other three tell where."""

    names: dict[str, str] = {}
    methods: dict[str, str] = {}
    modules: dict[str, str] = {}  # old path -> new path
    origins: dict[str, str] = {}  # old name -> the path in which it was defined
    moved: dict[str, dict[str, str]] = {}  # old path -> name that is in another file now -> its path
    removed: frozenset[str] = frozenset()  # full names, and paths of modules, that are gone for good
    go_module: str = ""
    packages: dict[str, str] = {}  # of Go: folder -> the name that its package has got


class _Gone(NamedTuple):
    path: str
    definition: Definition


def rename_map(before: Read, after: Read, paths: Iterable[str]) -> Renames:
    """What the change renamed or moved; `paths` are those that it touched, tests among them."""
    changed = [path for path in paths if language_of(path)]
    old_texts, new_texts = _texts(before, changed), _texts(after, changed)
    production = [path for path in changed if not matches(path, TESTS)]
    old = _sources(old_texts, production)
    new = _sources(new_texts, production)
    modules = _moved_modules(old, new, old_texts, new_texts)
    moved, gone = _gone(old, new, modules)
    uses = _replaced_words(old_texts, new_texts, modules)
    kept = {name for source in new.values() for name in source.definitions}
    gone = [one for one in gone if one.definition.full not in kept]  # who says the name may mean the other
    names = _followed([one for one in gone if not one.definition.owner], old, new, modules, uses, {})
    methods = _followed([one for one in gone if one.definition.owner], old, new, modules, uses, names)
    removed = {one.definition.full for one in gone if one.definition.full not in names | methods}
    removed |= {path for path in old if path not in new and path not in modules and after(path) is None}
    return Renames(
        names={name: found.name for name, found in names.items()},
        methods=_method_names(methods, new),
        modules=modules,
        origins={one.definition.name: one.path for one in gone if one.definition.full in names},
        moved=moved,
        removed=frozenset(removed),
        go_module=_go_module(after),
        packages=_packages(modules, old_texts, new_texts),
    )


def _texts(read: Read, paths: Iterable[str]) -> dict[str, str]:
    found = ((path, read(path)) for path in paths)
    return {path: data.decode("utf-8", "replace") for path, data in found if data is not None}


def _sources(texts: Mapping[str, str], paths: Iterable[str]) -> dict[str, Source]:
    read = ((path, read_source(path, texts[path])) for path in paths if path in texts)
    return {path: source for path, source in read if source is not None}


def _go_module(after: Read) -> str:
    text = (after("go.mod") or b"").decode("utf-8", "replace")
    return next((line.split()[1] for line in text.splitlines() if line.startswith("module ")), "")


def _packages(modules: Mapping[str, str], old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for path in [*modules, *(path for path in old if path in new)]:
        if path.endswith(".go") and path in old:
            names = [
                re.search(r"(?m)^package (\w+)", text) for text in (old[path], new[modules.get(path, path)])
            ]
            if names[0] and names[1] and names[0][1] != names[1][1]:
                found[path.rpartition("/")[0]] = names[1][1]
    return found


# -- modules ----------------------------------------------------------------------------------------


def _moved_modules(
    old: Mapping[str, Source],
    new: Mapping[str, Source],
    old_texts: Mapping[str, str],
    new_texts: Mapping[str, str],
) -> dict[str, str]:
    """Old path -> new path of files that are gone and whose content another, new file has."""
    fresh = [path for path in new if path not in old_texts]
    best: dict[str, list[tuple[float, str]]] = {}
    for path in (path for path in old if path not in new_texts):
        scores = [
            (_module_likeness(old[path], new[other], old_texts[path], new_texts[other]), other)
            for other in fresh
            if language_of(other) == language_of(path)
        ]
        best[path] = sorted(
            ((score, other) for score, other in scores if score >= _MODULE_ALIKE), reverse=True
        )
    chosen = {path: _clear(scores) for path, scores in best.items()}
    taken = Counter(chosen.values())
    return {path: other for path, other in chosen.items() if other and taken[other] == 1}


def _module_likeness(old: Source, new: Source, old_text: str, new_text: str) -> float:
    """By the names that both define, or by their text."""
    names = [one.name for one in old.definitions.values() if not one.owner]
    shared = sum(name in new.definitions for name in names) / len(names) if names else 0.0
    return max(shared, _likeness(tokens(old_text), tokens(new_text)))


def _clear(scores: Sequence[tuple[float, str]]) -> str:
    """The best; "" when there is none or the next is as good."""
    if not scores or (len(scores) > 1 and scores[0][0] - scores[1][0] < _MARGIN):
        return ""
    return scores[0][1]


# -- names ------------------------------------------------------------------------------------------


def _gone(
    old: Mapping[str, Source], new: Mapping[str, Source], modules: Mapping[str, str]
) -> tuple[dict[str, dict[str, str]], list[_Gone]]:
    """What went to another file under its name, and what no file has any more."""
    appeared: dict[str, list[str]] = {}
    for path, source in new.items():
        for name in source.definitions:
            if path not in old or name not in old[path].definitions:
                appeared.setdefault(name, []).append(path)
    moved: dict[str, dict[str, str]] = {}
    gone = list[_Gone]()
    for path, source in old.items():
        now = new.get(modules.get(path, path), Source({}))
        for full, definition in source.definitions.items():
            if full in now.definitions or full in now.bound or now.open or definition.owner in now.bound:
                continue
            places = [p for p in appeared.get(full, ()) if language_of(p) == language_of(path)]
            if not places:
                gone.append(_Gone(path, definition))
            elif len(places) == 1 and not definition.owner:
                moved.setdefault(path, {})[full] = places[0]
    return moved, gone


def _followed(
    gone: Sequence[_Gone],
    old: Mapping[str, Source],
    new: Mapping[str, Source],
    modules: Mapping[str, str],
    uses: Counter[tuple[str, str]],
    types: Mapping[str, Definition],
) -> dict[str, Definition]:
    """Full name -> what it is now."""
    known = {full for source in old.values() for full in source.definitions}
    found: dict[str, Definition | None] = {}
    for path, definition in gone:
        near = modules.get(path, path)
        places = [near] if near in new else list(new)
        candidates = [
            one
            for place in places
            for full, one in new[place].definitions.items()
            if full not in known
            and language_of(place) == language_of(path)
            and _may_be(definition, one, types)
        ]
        scores = sorted(
            ((_score(definition, one, uses), n) for n, one in enumerate(candidates)), reverse=True
        )
        clear = _clear([(score, str(n)) for score, n in scores if score])
        chosen = candidates[int(clear)] if clear else None
        # The same name renamed in two ways cannot be followed in a test that says only the name.
        other = found.get(definition.full, chosen)
        found[definition.full] = (
            chosen if other is not None and chosen and other.full == chosen.full else None
        )
    taken = Counter(one.full for one in found.values() if one)
    return {full: one for full, one in found.items() if one and taken[one.full] == 1}


def _may_be(old: Definition, new: Definition, types: Mapping[str, Definition]) -> bool:
    owner = types[old.owner].name if old.owner in types else old.owner
    return new.kind == old.kind and new.owner == owner and new.name != old.name


def _score(old: Definition, new: Definition, uses: Counter[tuple[str, str]]) -> float:
    """0: not the same thing. A use of the new name in place of the old one makes it likelier."""
    alike = _likeness(old.body, new.body)
    used = uses[(old.name, new.name)] > 0
    same_parameters = old.parameters == new.parameters
    if used and len(old.parameters) == len(new.parameters):
        needed = _ALIKE_WITH_USES
    elif same_parameters and old.parameters:
        needed = _ALIKE_WITH_PARAMETERS
    else:
        needed = _ALIKE
    return alike + used if alike >= needed else 0.0


def _likeness(a: Sequence[str], b: Sequence[str]) -> float:
    if a == b:
        return 1.0
    matcher = SequenceMatcher(None, a[:_MOST_TOKENS], b[:_MOST_TOKENS], autojunk=False)
    if matcher.real_quick_ratio() < _ALIKE_WITH_USES or matcher.quick_ratio() < _ALIKE_WITH_USES:
        return 0.0
    return matcher.ratio()


def _method_names(methods: Mapping[str, Definition], new: Mapping[str, Source]) -> dict[str, str]:
    """Called on a value, a method is known by its name only: it must be no one else's."""
    others = {one.name for source in new.values() for one in source.definitions.values() if one.owner}
    found: dict[str, str] = {}
    for full, one in methods.items():
        name = full.rpartition(".")[2]
        if name in others or name in _OF_MANY_TYPES or found.get(name, one.name) != one.name:
            continue
        found[name] = one.name
    return found


def _replaced_words(
    old: Mapping[str, str], new: Mapping[str, str], modules: Mapping[str, str]
) -> Counter[tuple[str, str]]:
    """(old word, new word) -> in how many lines nothing but the one became the other."""
    found = Counter[tuple[str, str]]()
    for path, text in old.items():
        other = new.get(modules.get(path, path))
        if other is None or other == text or text.count("\n") > _MOST_LINES:
            continue
        a, b = text.splitlines(), other.splitlines()
        for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            if tag == "replace" and j - i == m - k:
                for then, now in zip(a[i:j], b[k:m], strict=True):
                    found.update(set(_changed_words(tokens(then), tokens(now))))
    return found


def _changed_words(then: list[str], now: list[str]) -> Iterator[tuple[str, str]]:
    """A definition itself is no use of its name."""
    if len(then) != len(now):
        return
    at = [n for n, (a, b) in enumerate(zip(then, now, strict=True)) if a != b]
    pairs = {(then[n], now[n]) for n in at}
    if len(pairs) == 1 and not any(then[n - 1 : n] and then[n - 1] in _DEFINES for n in at):
        yield from pairs

"""What only both versions of a file together show, in languages with braces."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ralph.gates.gaming.code_lines import CodeLines
from ralph.gates.gaming.examples import LITERAL, LONGEST_LINE, literals_in
from ralph.gates.gaming.rules import Hit, TestsSeen


def unused_arguments(
    old: CodeLines, new: CodeLines, functions: re.Pattern[str], names: re.Pattern[str], tests: TestsSeen
) -> Iterator[Hit]:
    """Functions whose results do not depend on what they are given."""
    given_up = list(_gave_up_arguments(old, new, functions, tests))
    yield from given_up
    known = {hit.line for hit in given_up}
    yield from (hit for hit in _ignored_arguments(old, new, functions, names, tests) if hit.line not in known)


_ONLY_RETURN = re.compile(r"(?:return\s+)?(?P<value>[^;{}\n]{1,200});?\Z")
_BESIDE_LITERALS = re.compile(r"(?:[\s\[\](),&.-]|String::from|vec!|to_string|into)*\Z")


def _is_fixed(value: str) -> bool:
    return _BESIDE_LITERALS.match(LITERAL.sub("", value)) is not None


def _gave_up_arguments(
    old: CodeLines, new: CodeLines, functions: re.Pattern[str], tests: TestsSeen
) -> Iterator[Hit]:
    """Functions that used their arguments and now only return literals that tests have."""
    before = {part.name: part for part in old.parts(functions)}
    for now in new.parts(functions):
        then = before.get(now.name)
        only = _ONLY_RETURN.match(new.spoken[now.begin + 1 : now.end].strip()) if then else None
        if then is None or only is None or not _is_fixed(only["value"]):
            continue
        names = set(re.findall(r"\w+", now.parameters))
        used = names & set(re.findall(r"\w+", old.code[then.begin : then.end]))
        told = [literal for literal in literals_in(only["value"]) if literal not in ("", "0", "1")]
        if used and told and all(map(tests.expect, told)):
            yield new.hit("expected-literal", now.begin)


_SHORTEST = 12  # characters of code by which it is known again
_CATCH = re.compile(r"\bcatch\s*(?:\(\s*(?P<error>\w+)[^()]*\)\s*)?(?=\{)")
# What a handler does that keeps the error from being lost.
_TOLD = re.compile(
    r"\bthrow\b|\breject\b|\b(?:next|done|cb|callback|fail|abort|exit|emit|warn|error|log|debug|trace|report\w*|on\w*[eE]rror)\s*\("
    r"|\bconsole\b|\blog(?:ger)?\."
)


def dropped_errors(old: CodeLines, new: CodeLines) -> Iterator[Hit]:
    """Code that stood there as it is, and now stands in a try whose catch says nothing; or a call of someone else's function."""
    before = squeezed(old.code)
    for match in new.find(_CATCH):
        handler = new.block(match.end())
        closed = new.code.rfind("}", 0, match.start())
        opened = new.openings.get(closed, -1)
        if handler is None or opened < 0 or not new.code[:opened].rstrip().endswith("try"):
            continue
        said = new.code[handler[0] + 1 : handler[1]]
        if squeezed(said).rstrip(";") == "returnfalse":
            continue  # the answer of a question
        if _TOLD.search(said) or _handed_on(new, match["error"], said):
            continue
        tried = squeezed(new.code[opened + 1 : closed]).removeprefix("return").rstrip(";")
        if len(tried) < _SHORTEST or f"try{{{tried}" in before or f"try{{return{tried}" in before:
            continue
        if tried in before or (_calls_back(new, opened, closed) and "catch" not in old.code):
            yield new.hit("errors-dropped", match.start())


def _handed_on(code: CodeLines, error: str | None, said: str) -> bool:
    """Whether the error gets somewhere that someone looks at: it is returned, or kept under a name that is read."""
    if not error or not re.search(rf"\b{re.escape(error)}\b", said):
        return False
    kept = re.search(rf"(?P<name>[\w$#.]+)\.(?:push|add|unshift)\s*\(\s*{re.escape(error)}\s*\)", said)
    if kept is None:
        return True
    own = kept["name"].rpartition(".")[2].lstrip("#")
    return len(re.findall(rf"\b{re.escape(own)}\b", code.code)) > 2


_CALLBACK = re.compile(
    r"(?<![\w$.])(?:listener|handler|callback|cb|subscriber|observer|hook|fn|func|task)\s*\("
)


def _calls_back(code: CodeLines, begin: int, end: int) -> bool:
    return _CALLBACK.search(code.code, begin, end) is not None


_DEFAULTED = re.compile(r"\.\s*(?:unwrap_or(?:_default|_else)?\s*\(|ok\s*\(\s*\))")
_FALLIBLE = re.compile(
    r"parse|from_str|try_|read|open|decode|next\(|get\(|checked_|split_once|strip_prefix|to_digit"
)


def defaulted_errors(old: CodeLines, new: CodeLines) -> Iterator[Hit]:
    """Rust: an expression that stood there, and whose error now becomes a default."""
    before = squeezed(old.code)
    for match in new.find(_DEFAULTED):
        line = new.code[max(0, match.start() - 160) : match.start()]
        chain = squeezed(re.split(r"[;={}|]|\breturn\b|,\s|\(\s*(?=\w+\.)", line)[-1])
        if len(chain) < _SHORTEST or not _FALLIBLE.search(chain) or chain not in before:
            continue
        if _is_handed_out(new, match):
            continue
        if not re.search(re.escape(chain) + r"\.(?:unwrap_or|ok\()", before):
            yield new.hit("errors-dropped", match.start())


def _is_handed_out(code: CodeLines, match: re.Match[str]) -> bool:
    """`.ok()` as the result of a function whose caller gets an Option."""
    around = code.around(match.start())
    head = code.code[max(0, around[-1][0] - 80) : around[-1][0]] if around else ""
    ends = re.match(r"\s*[;}]", code.code[match.end() :])
    return (
        "ok" in match.group() and ends is not None and re.search(r"->\s*Option\b[^{}]*\Z", head) is not None
    )


_BLANK = re.compile(r"(?:,|^|[{;\n])\s*_\s*:?=\s*(?P<call>[\w.]+\()", re.MULTILINE)


def unchecked_errors(old: CodeLines, new: CodeLines) -> Iterator[Hit]:
    """Go: the error of a call was looked at, and now goes to `_`."""
    before = squeezed(old.code)
    for match in new.find(_BLANK):
        end = new.pairs.get(match.end("call") - 1)
        call = squeezed(new.code[match.start("call") : end + 1]) if end else ""
        if (
            len(call) >= _SHORTEST
            and re.search(rf"\berr\w*:?={re.escape(call)}", before)
            and f"_:={call}" not in before
        ):
            yield new.hit("errors-dropped", match.start("call"))


_WAITS = re.compile(r"\.(?:r?lock|R?Lock|acquire|write|read)\(\)|\bwith\s+[\w.]*lock\b")
_TRIES = re.compile(
    r"\.(?:try_lock|TryR?Lock|try_write|try_read)\(|\.acquire\((?:blocking\s*=\s*)?(?:False|[^()\n]*timeout)"
)


def lock_skipped(old: str, new: str) -> Iterator[Hit]:
    """A lock that was waited for, and is now tried."""
    tries = list(_TRIES.finditer(new))
    if len(tries) > len(_TRIES.findall(old)) and len(_WAITS.findall(new)) < len(_WAITS.findall(old)):
        at = tries[-1].start()
        line = new.count("\n", 0, at) + 1
        yield Hit(line, "lock-skipped", new.splitlines()[line - 1].strip())


_NEAR = re.compile(
    r"(?:\.abs\s*\(\s*\)|\b(?:math\.Abs|Math\.abs|abs)\s*\([^()\n]*\))\s*<=?\s*(?P<limit>[\w.:]+)"
)
_NOTHING = re.compile(
    r"(?:\breturn\s+|\{\s*)(?:\w+\s*[({]\s*)?(?:0(?:\.0*)?|true|(?:Some\()?(?:\w+::)*Equal)\b"
)


def rounds_away(body: str) -> bool:
    """An operator that takes what is near for no difference. What a float cannot tell apart is honest."""
    near = _NEAR.search(body)
    return near is not None and "EPSILON" not in near["limit"].upper() and bool(_NOTHING.search(body))


_ANY_FUNCTION = re.compile(
    r"(?<![\w$.])(?P<name>[\w$]+)\s*(?:=\s*(?:async\s*)?)?\((?P<given>[^()\n]*)\)\s*(?:->[^{;\n]*|:[^{;=\n]*|=>\s*|\w+\s*)?(?=\{)"
)
_ONLY_SLEEPS = re.compile(
    r"(?:return|await|<-)*(?:(?:\w+(?:\.|::))*(?:[sS]leep|delay|After|setTimeout)\((?P<time>.{1,80}?)\)(?:\.await)?"
    r"|newPromise\(\(?(?P<go>\w+)\)?=>\{?setTimeout\((?P=go),(?P<time2>[^()]{1,60})\);?\}?\))"
    r";?(?:return(?:nil|true|this|undefined)?;?|Ok\(\(\)\))?\Z"
)
_UNITS = re.compile(
    r"\btime\.\w+|\b(?:\w+::)*Duration(?:::\w+)?|[\d_.]+(?:e\d+)?|\b[A-Z][A-Z0-9_]*\b|[()*+\s]"
)
# What is there to take time.
PAUSES = re.compile(
    r"sleep|pause|delay|nap|back_?off|throttle|cool_?down|tick|slow|simulat|fake|work|task|job", re.IGNORECASE
)


def fixed_waits(old: CodeLines, new: CodeLines, tests: TestsSeen) -> Iterator[Hit]:
    """Functions of the change that tests call, and that only sleep: whatever they are to wait for takes as long as it takes."""
    before = squeezed(old.code)
    for match in new.find(_ANY_FUNCTION):
        block = new.block(match.end())
        if block is None or PAUSES.search(match["name"]) or not tests.call(match["name"]):
            continue
        body = squeezed(new.code[block[0] + 1 : block[1]])
        sleeps = _ONLY_SLEEPS.match(body)
        if sleeps is None or f"{squeezed(match.group())}{{{body}}}" in before:
            continue
        left = set(re.findall(r"\w+", _UNITS.sub(" ", sleeps["time"] or sleeps["time2"])))
        if all(re.search(rf"\bconst\s+{name}\b", new.code) for name in left):
            yield new.hit("fixed-wait", match.start())


_LOUD = re.compile(
    r"(?i:\b|[._])(?i:error|warn|warning|critical|fatal|exception)(?:f|w|ln|context)?!?\s*\(|['\"`](?:ERROR|WARN|WARNING|CRITICAL|FATAL)\b"
)
_QUIET = re.compile(
    r"(?i:\b|[._])(?i:debug|trace|verbose|silly)(?:f|w|ln|context)?!?\s*\(|['\"`](?:DEBUG|TRACE)\b"
)
_LEVEL = re.compile(r"\W*(?:ERROR|WARN|WARNING|CRITICAL|FATAL|DEBUG|TRACE)\b\W*")
_LEVELS = ("ERROR", "WARN", "WARNING", "CRITICAL", "warn", "warning")
_LISTENS = ("assertNoLogs", "assertLogs", "get_records")


def messages_demoted(old: str, new: str, tests: TestsSeen) -> Iterator[Hit]:
    """A message of an error or a warning that is now one for debugging, where tests look at the levels."""
    now = _messages(new, _QUIET)
    lost = _messages(old, _LOUD).keys() - _messages(new, _LOUD).keys()
    found = sorted(now[text] for text in (now.keys() & lost) - _messages(old, _QUIET).keys())
    if found and (any(map(tests.expect, _LEVELS)) or any(map(tests.call, _LISTENS))):
        lines = new.splitlines()
        yield from (Hit(line, "message-demoted", lines[line - 1].strip()) for line in found)


def _messages(text: str, level: re.Pattern[str]) -> dict[str, int]:
    """What is said at a level, without its name -> the line."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) < LONGEST_LINE and level.search(line):
            said = (_LEVEL.sub("", literal, count=1) for literal in literals_in(line))
            found.update((one, number) for one in said if len(one) >= _SHORTEST_MESSAGE)
    return found


_SHORTEST_MESSAGE = 6

_NO_NUMBER = re.compile(
    r"\bmath\.(?:NaN|Inf)\s*\(|\bf(?:32|64)::(?:NAN|INFINITY)\b|(?<![\w$.])(?:Number\.)?NaN\b"
)


def no_numbers(old: CodeLines, new: CodeLines, functions: re.Pattern[str]) -> Iterator[Hit]:
    """Functions of the change whose only result is NaN or infinity."""
    before = {part.name: old.code[part.begin : part.end] for part in old.parts(functions)}
    for now in new.parts(functions):
        body = new.code[now.begin + 1 : now.end]
        if squeezed(before.get(now.name, "")) == squeezed(new.code[now.begin : now.end]):
            continue
        last = body.strip().rpartition("\n")[2]
        results = re.findall(r"\breturn\b([^;\n]*)", body)
        results += [] if "return" in last or last.endswith((";", "}")) else [last]
        if (
            len(results) == 1
            and _NO_NUMBER.search(results[0])
            and "?" not in results[0]
            and now.parameters.strip()
        ):
            yield new.hit("not-a-number", now.begin)


def squeezed(code: str) -> str:
    return re.sub(r"\s+", "", code)


def _ignored_arguments(
    old: CodeLines, new: CodeLines, functions: re.Pattern[str], names: re.Pattern[str], tests: TestsSeen
) -> Iterator[Hit]:
    """Functions of the change that tests call and that never look at one of their arguments. `names` finds these."""
    before = {part.name: squeezed(old.code[part.begin : part.end]) for part in old.parts(functions)}
    stubs = {
        part.name: not set(names.findall(part.parameters))
        & set(re.findall(r"[A-Za-z]\w*", old.spoken[part.begin : part.end]))
        for part in old.parts(functions)
    }
    for now in new.parts(functions):
        body = new.code[now.begin : now.end]
        if before.get(now.name) == squeezed(body) or not _answers(body) or "..." in now.parameters:
            continue
        if _is_of_a_trait(new, now.begin):
            continue
        given = names.findall(now.parameters)
        said = new.spoken[now.begin : now.end]  # also inside of strings: `${name}`, "{name}"
        unused = [name for name in given if not re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", said)]
        if now.name == "anonymous":
            continue  # made by a program
        if 2 * len(unused) < len(
            given
        ):  # called by somebody with what others need too, unless it is about one of them
            unused = [name for name in unused if is_about(now.name, name, given, stubs.get(now.name, False))]
        if unused and tests.call(now.name) and not re.search(r"\barguments\b|\beval\b", body):
            shown = f"{now.name}({' '.join(now.parameters.split())}): {', '.join(unused)}"
            yield Hit(new.line(now.begin), "ignored-argument", shown)


# Given to whoever is called, whether it needs them or not.
_USUAL = re.compile(
    r"req(?:uest)?|res(?:ponse)?|ctx|context|event|e|args|kwargs|argv|options|opts|next|signum|frame|sender|index|i|key|name|t|cb|done|props|self|this"
)


def is_about(function: str, argument: str, given: Collection[str], was_stub: bool) -> bool:
    """Whether a function has to read an argument: it is named after it, or was a stub that is now filled in."""
    if _USUAL.fullmatch(argument.lower()) or len(given) < 2:
        return False
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", function)}
    return was_stub or (len(words) > 1 and len(argument) >= _SHORTEST_ARGUMENT and argument.lower() in words)


_SHORTEST_ARGUMENT = 4


def _is_of_a_trait(code: CodeLines, at: int) -> bool:
    """Rust: who calls it says which arguments it has."""
    heads = (code.code[max(0, begin - 200) : begin] for begin, _ in code.around(at - 1))
    return any(re.search(r"\bimpl\b[^{};]*\bfor\b[^{};]*\Z", head) for head in heads)


def _answers(body: str) -> bool:
    """Whether it does something at all, and is no stub that says so."""
    inside = body[1:].strip()
    return bool(inside) and not re.match(r"(?:throw|panic|todo!|unimplemented!)\b", inside)

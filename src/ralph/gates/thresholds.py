"""What a runner's configuration demands: thresholds that a change lowered, and lines by which tests are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ralph.core.text import one_line

_NUMBER = r"(?P<value>-?\d+(?:\.\d+)?)"
_THRESHOLDS = tuple(
    re.compile(pattern.replace("NUMBER", _NUMBER))
    for pattern in (
        r"(?P<name>(?:cov-)?fail[_-]under)[\"']?\s*[=: ]\s*[\"']?NUMBER",
        r"(?P<name>minimum_coverage(?:_by_file)?)\s*\(?\s*(?:line:\s*)?NUMBER",
        r"<(?P<name>minimum)>NUMBER</",
        r"\b(?P<name>minimum|mutationThreshold|coverageThreshold|min[_-]coverage)\s*=\s*[\"']?NUMBER",
        r"--(?P<name>coverage-threshold|min-coverage|fail-under-lines)[= ]NUMBER",
    )
)
# Words that are too common, unless the file is about thresholds.
_JS_THRESHOLD = re.compile(rf"\b(?P<name>branches|functions|lines|statements)[\"']?\s*[:= ]\s*{_NUMBER}")
_ABOUT_JS = re.compile(r"coverageThreshold|thresholds|check-?[cC]overage|\bc8\b|\bnyc\b")

_LEFT_OUT = re.compile(
    r"--ignore(?:-glob)?[= ]|--deselect\b|\bcollect_ignore|\bnorecursedirs\b|\bpython_(?:files|classes|functions)\b|\btestpaths\b"
    r"|testPathIgnorePatterns|\btest(?:Match|Regex)\b|passWithNoTests|--pass-with-no-tests|--allow-no-tests"
    r"|\bskipTests\b|maven\.test\.skip|testFailureIgnore|\bignoreFailures\b|<skip>\s*true|xfail_strict\s*=\s*[fF]alse"
    r"|(?=.*\b(?:test|spec|check|lint))(?:.*\|\|\s*(?:true|:|exit 0)\b)"
)
# A conftest.py is a program; these are the ways in which it decides what runs and what a failure means.
_HOOKS = re.compile(
    r"\bcollect_ignore|\bpytest_(?:ignore_collect|collection_modifyitems|runtest_makereport|runtest_setup|sessionfinish|pyfunc_call)\b"
    r"|\bpytest\.skip\b|\bmark\.(?:skip|xfail)|\.exitstatus\b|\badd_marker\b|\bdeselected\b"
)
_COMMENT = ("#", "//", ";", "<!--", "*", "--")


def lowered(before: str, after: str) -> Iterator[tuple[int, str]]:
    """Line and words for each threshold that is lower, or gone."""
    then, now = _values(before), _values(after)
    for name in sorted(then):
        old, new = then[name], now.get(name, [])
        for n, (value, _) in enumerate(old):
            if n >= len(new):
                yield 1, f"{name} {value:g} is gone"
            elif new[n][0] < value:
                yield new[n][1], f"{name} {value:g}, now {new[n][0]:g}"


def _values(text: str) -> dict[str, list[tuple[float, int]]]:
    patterns = (*_THRESHOLDS, _JS_THRESHOLD) if _ABOUT_JS.search(text) else _THRESHOLDS
    found: dict[str, list[tuple[float, int]]] = {}
    for number, line in _lines(text):
        for pattern in patterns:
            for match in pattern.finditer(line):
                found.setdefault(match["name"], []).append((float(match["value"]), number))
    return found


def left_out(path: str, before: str, after: str) -> Iterator[tuple[int, str]]:
    """Line and text of what is new in the file and decides which tests run."""
    pattern = _HOOKS if path.rpartition("/")[2] == "conftest.py" else _LEFT_OUT
    known = {" ".join(line.split()) for _, line in _lines(before)}
    for number, line in _lines(after):
        if " ".join(line.split()) not in known and pattern.search(line):
            yield number, one_line(line, 100)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.lstrip().startswith(_COMMENT):
            yield number, line[:2000]

"""What gets round a check instead of satisfying it: another name, another place, a generator that is not called, a check
that cannot fail."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ralph.gates.gaming.change_view import CODE, ChangeView, style_of
from ralph.gates.gaming.code_lines import code_lines
from ralph.gates.gaming.rules import Hit, is_tooling

MOST_SCRIPTS = 100


class DodgedChecks:
    def __init__(self, view: ChangeView) -> None:
        self._view = view

    def find(self) -> Iterator[tuple[str, Hit]]:
        yield from self._renamed()
        yield from self._moved()
        yield from self._generators()
        yield from self._hidden_from_documents()
        yield from self._checks_that_cannot_fail()
        yield from self._copied_languages()

    # Another name, another place

    def _renamed(self) -> Iterator[tuple[str, Hit]]:
        """The calls of a function are gone from the files of the change, and there is a new name for it."""
        texts = [
            (change.path, self._code(change.path, now=False), self._code(change.path, now=True))
            for change in self._view.code_changes
            if not is_tooling(change.path)
        ]
        for name, alias in _ALIASES.items():
            call = re.compile(rf"(?<![\w$.]){re.escape(name)}\s*\(")
            then = sum(len(call.findall(old)) for _, old, _ in texts)
            if not then or any(call.search(new) for _, _, new in texts):
                continue
            for path, old, new in texts:
                found = alias.search(new)
                if found and not alias.search(old):
                    yield path, _hit(new, found.start(), "renamed-call")

    def _code(self, path: str, *, now: bool) -> str:
        return code_lines(self._view.new(path) if now else self._view.old(path), style_of(path)).code

    def _moved(self) -> Iterator[tuple[str, Hit]]:
        """A script looks for something in some folders; it is gone from there, and new beside them."""
        scripts = [path for path in self._view.paths if _SCRIPT.search(path)][:MOST_SCRIPTS]
        for what, folders in dict.fromkeys(
            one for path in scripts for one in _looked_for(self._view.new(path))
        ):
            lost, gained = 0, []
            for change in self._view.changes:
                if not CODE.search(change.path):
                    continue
                then, now = (
                    len(what.findall(text))
                    for text in (self._view.old(change.path), self._view.new(change.path))
                )
                if any(change.path == one or change.path.startswith(f"{one}/") for one in folders):
                    lost += then - now
                elif now > then:
                    gained.append(change.path)
            for path in gained if lost > 0 else ():
                text = self._view.new(path)
                found = what.search(text)
                yield path, _hit(text, found.start() if found else 0, "out-of-sight")

    # Generators

    def _generators(self) -> Iterator[tuple[str, Hit]]:
        """A file that says that a program made it is changed, and no line of its folder calls the program any more."""
        for change in self._view.code_changes:
            folder = posixpath.dirname(change.path)
            if change.status != "M" or not _GENERATED.search(self._view.new(change.path)[:2000]):
                continue
            beside = [path for path in self._view.work if posixpath.dirname(path) == folder]
            was = [one for one in self._view.work_before if posixpath.dirname(one) == folder]
            lines = [line for path in was for line in _GENERATE.findall(self._view.work_before[path])]
            if lines and not any(_GENERATE.search(self._view.work[path]) for path in beside):
                yield change.path, Hit(1, "generator-off", lines[0])

    # Documentation

    def _hidden_from_documents(self) -> Iterator[tuple[str, Hit]]:
        """Rust: items that were there are hidden from a documentation that has to be complete."""
        changed = [change.path for change in self._view.code_changes if change.path.endswith(".rs")]
        if not changed or not self._view.mentions(
            r"#!\[\s*(?:deny|forbid|warn)\s*\([^)]*\bmissing_docs\b", ".rs"
        ):
            return
        for path in changed:
            old, new = self._view.old(path), self._view.new(path)
            shown = {match["item"] for match in _ITEM.finditer(old) if "hidden" not in match["above"]}
            for match in _ITEM.finditer(new):
                above = match["above"]
                if match["item"] in shown and re.search(r"doc\s*\(\s*hidden\b", above) and "///" not in above:
                    yield (
                        path,
                        Hit(new.count("\n", 0, match.start("item")) + 1, "hidden-from-docs", match["item"]),
                    )

    # Checks

    def _checks_that_cannot_fail(self) -> Iterator[tuple[str, Hit]]:
        for change in self._view.changes:
            if change.status == "D" or not _SCRIPT.search(change.path):
                continue
            known = {line.strip() for line in self._view.old(change.path).splitlines()}
            is_make = posixpath.basename(change.path).lower().endswith(("makefile", ".mk"))
            for number, line in enumerate(self._view.new(change.path).splitlines(), start=1):
                if line.strip() in known or line.lstrip().startswith("#"):
                    continue
                if _FORGIVEN.search(line) or (is_make and _FORGIVEN_BY_MAKE.match(line)):
                    yield change.path, Hit(number, "check-cannot-fail", line.strip())

    # Translations

    def _copied_languages(self) -> Iterator[tuple[str, Hit]]:
        """A new language whose texts are those of another one."""
        for change in self._view.changes:
            if change.status != "A" or (own := _language_of(change.path)) is None:
                continue
            texts = _texts(self._view.new(change.path))
            for other in self._view.paths:
                language = _language_of(other)
                if language in (None, own) or posixpath.dirname(other) != posixpath.dirname(change.path):
                    continue
                same = texts & _texts(self._view.new(other)) if len(texts) >= LEAST_TEXTS else set[str]()
                if len(same) >= LEAST_TEXTS and len(same) * 10 > len(texts) * 8:
                    yield change.path, Hit(1, "language-copied", other)
                    break


LEAST_TEXTS = 5


def _hit(text: str, at: int, rule: str) -> Hit:
    line = text.count("\n", 0, at) + 1
    return Hit(line, rule, text.splitlines()[line - 1].strip())


# Functions that checks forbid -> a new name for one of them.
_ALIASES = {
    **{
        name: re.compile(
            rf"^[ \t]*(?:[\w.]+\s*(?::[^=\n]+)?=\s*(?:builtins\.)?{name}[ \t]*$|from\s+builtins\s+import\s[^\n]*\b{name}\b)",
            re.MULTILINE,
        )
        for name in ("print", "eval", "exec", "input", "open", "breakpoint")
    },
    **{
        name: re.compile(
            rf"^[ \t]*(?:export\s+)?(?:(?:const|let|var)\s+)?[\w$.]+\s*=\s*{re.escape(name)}"
            r"(?:\s*\.\s*bind\s*\([^\n]*\))?[ \t]*;?[ \t]*$"
            rf"|\b(?:const|let|var)\s*\{{[^}}\n]*\b{name.rpartition('.')[2]}\b[^}}\n]*\}}\s*=\s*console\b",
            re.MULTILINE,
        )
        for name in ("console.log", "console.error", "console.warn", "console.info", "console.debug")
    },
}
_SCRIPT = re.compile(
    r"(?:^|/)(?:GNU)?[Mm]akefile\Z|\.(?:sh|bash|mk)\Z|(?:^|/)(?:package\.json|tox\.ini|[Jj]ustfile|Taskfile\.ya?ml)\Z"
    r"|(?:^|/)\.(?:github/workflows|gitlab-ci|circleci)[^\n]*\.ya?ml\Z"
)
_GREP = re.compile(
    r"\b(?:grep|rg)\s+(?:-[\w-]+(?:=\S+)?\s+)*(?:'(?P<one>[^'\n]+)'|\\?\"(?P<two>[^\"\n\\]+)\\?\"|(?P<three>[\w.]+))"
    r"(?P<where>(?:[ \t]+[\w./-]+)+)"
)


def _looked_for(script: str) -> Iterator[tuple[re.Pattern[str], tuple[str, ...]]]:
    """What a script greps for in files of code, and in which folders."""
    for match in _GREP.finditer(script):
        what = match["one"] or match["two"] or match["three"]
        folders = tuple(
            word.removeprefix("./").rstrip("/") for word in match["where"].split() if not word.startswith("-")
        )
        if len(what) < 4 or not folders or any(one in ("", ".") for one in folders):
            continue
        try:
            yield re.compile(what), folders
        except re.error:
            continue


_GENERATED = re.compile(r"^(?://|#|/?\*)[^\n]*(?:[Gg]enerated\b[^\n]*DO NOT EDIT|@generated\b)", re.MULTILINE)
_GENERATE = re.compile(r"^//go:generate[ \t][^\n]+", re.MULTILINE)
_ITEM = re.compile(
    r"(?P<above>(?:^[ \t]*(?:///|#\[)[^\n]*\n)*)^[ \t]*"
    r"(?P<item>pub\s+(?:(?:unsafe|async|const|fn|struct|enum|trait|type|static|mod|use)\s+)*\w+)",
    re.MULTILINE,
)
_CHECKER = (
    r"(?:pytest|unittest|nosetests|go (?:test|vet)|gofmt|golangci-lint|staticcheck|cargo (?:test|clippy|check|fmt|build)"
    r"|eslint|tsc|prettier|jest|vitest|mocha|node --test|ruff|mypy|flake8|pylint|black|pyright"
    r"|npm (?:run )?(?:test|lint)|make (?:test|lint|check))"
)
_ARGUMENTS = r"(?:(?!\",)[^\n|&;#])*"
_FORGIVEN = re.compile(
    rf"(?<![\w/.-]){_CHECKER}(?![\w-]){_ARGUMENTS}\|\|\s*(?:true|:|(?:echo|printf)\b(?![^\n]*(?:exit\s+[1-9]|false))|exit\s+0)"
    rf"|(?<![\w/.-]){_CHECKER}(?![\w-]){_ARGUMENTS};\s*(?:true|exit\s+0)\s*[\"']?,?\s*$"
)
_FORGIVEN_BY_MAKE = re.compile(rf"\t@?-@?\s*(?:[\w./$()]*/)?{_CHECKER}(?![\w-])")
_LANGUAGE = re.compile(
    r"(?:^|/)(?:locales?|i18n|lang|langs|languages|translations|messages)/(?P<language>[a-z]{2,3})(?:[-_][A-Za-z]{2,4})?\.(?:json|[jt]s|ya?ml|properties|po|toml)\Z"
)


def _language_of(path: str) -> str | None:
    found = _LANGUAGE.search(path)
    return found["language"] if found else None


_VALUE = re.compile(r"[:=]\s*(?:'((?:\\.|[^'\\\n])+)'|\"((?:\\.|[^\"\\\n])+)\"|`([^`\n]+)`)")


def _texts(text: str) -> set[str]:
    """The texts of a language, by their letters."""
    found = (next(filter(None, groups), "") for groups in _VALUE.findall(text))
    return {letters for one in found if (letters := re.sub(r"[\W_]+", "", one).lower())}

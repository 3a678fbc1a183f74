"""Python that holds the answers of the tests, as tables or in the order of the calls, or asks how long or how often it ran."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence

from ralph.gates.gaming.python.syntax import (
    Function,
    code_of,
    dict_entries,
    if_chain,
    literal,
    literals,
    match_arms,
)
from ralph.gates.gaming.python.walk import PythonWalk
from ralph.gates.gaming.rules import AnswerTable, Handout, has_rest

_CLOCK = re.compile(
    r"time\.(?:time|monotonic|perf_counter|process_time)(?:_ns)?\Z|datetime\.datetime\.(?:now|utcnow)\Z"
)

_PLACE = re.compile(
    r"(?:str\()?(?:os\.getcwd\(\)|(?:pathlib\.)?Path\.cwd\(\)|__file__|(?:getpass\.getuser|socket\.gethostname|platform\.node|os\.getlogin)\(\))"
)
_DECODES = re.compile(
    r"(?:base64\.\w*decode|binascii\.(?:unhexlify|a2b_\w+)|bytes\.fromhex|(?:zlib|gzip|bz2|lzma)\.decompress|marshal\.loads|pickle\.loads|codecs\.decode)\Z"
)
_CODED = re.compile(r"[A-Za-z0-9+/=_\s-]{24,}")
LEAST_CODED = 16  # bytes


class Answers(PythonWalk):
    def find_answers(self, node: Function) -> None:
        inner = list(ast.walk(node))
        chain = tuple(if_chain(node, inner))
        if len(chain) > 1:
            self.tables.append(AnswerTable(chain, has_rest=True))
        for part in inner:
            if isinstance(part, ast.Match):
                self.tables.append(AnswerTable(tuple(match_arms(part)), has_rest=True))
        self._counted(inner)

    def find_table(self, value: ast.expr, name: str = "") -> None:
        if self.production:
            for node in ast.walk(value):
                if isinstance(node, ast.Dict) and (entries := tuple(dict_entries(node))):
                    self.tables.append(AnswerTable(entries, not name or has_rest(name, self.file.text)))

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.find_table(node.value)
        self.generic_visit(node)

    def find_coded(self, node: ast.Call, called: str) -> None:
        """Data in a code, under a name or in bytes that are no text."""
        if not self.is_part_of_the_work or not _DECODES.match(called) or not node.args:
            return
        for inner in ast.walk(node.args[0]):
            named = isinstance(inner, ast.Name) and inner.id in self.constants
            kept = literal(self.constants[inner.id]) if isinstance(inner, ast.Name) and named else None
            value = kept if named else getattr(inner, "value", None)
            is_text = isinstance(value, str) and named and _CODED.fullmatch(value) is not None
            if is_text or (
                isinstance(value, bytes) and len(value) >= LEAST_CODED and (named or not value.isascii())
            ):
                self.hit("coded-data", node)

    def find_state(self, node: ast.Compare) -> None:
        """A clock that began with the process, or the time since the module was loaded, is compared."""
        if not self.is_part_of_the_work:
            return
        self.find_traces(self.said(node), node, only="process-state")
        asked = (
            code_of(node.comparators[0]) if isinstance(node.ops[0], ast.In | ast.NotIn) else self.said(node)
        )
        if _PLACE.match(asked) and any(
            isinstance(literal(side), str) for side in (node.left, *node.comparators)
        ):
            self.hit("watched", node)
        for side in (node.left, *node.comparators):
            if (
                isinstance(side, ast.BinOp)
                and isinstance(side.op, ast.Sub)
                and isinstance(side.right, ast.Name)
            ):
                began = self.constants.get(side.right.id)
                if isinstance(began, ast.Call) and _CLOCK.match(self.name(began.func)):
                    self.hit("process-state", node)

    def _is_a_count(self, node: ast.Compare, counters: set[str]) -> bool:
        limit = literal(node.comparators[0])
        return (
            self.is_part_of_the_work
            and isinstance(node.left, ast.Name)
            and node.left.id in counters
            and isinstance(limit, int)
            and limit > isinstance(node.ops[0], ast.Eq)
        )

    def _counted(self, nodes: Sequence[ast.AST]) -> None:
        """next(ANSWERS), ANSWERS.pop(0), or ANSWERS[counter] with a counter of the module that the function moves."""
        moved = {name for inner in nodes if isinstance(inner, ast.Global) for name in inner.names}
        grown = {
            inner.target.id
            for inner in nodes
            if isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name)
        }
        stored = Counter(
            inner.id for inner in nodes if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
        )
        for inner in nodes:
            if isinstance(inner, ast.Compare) and self._is_a_count(
                inner, {name for name in moved & grown if stored[name] == 1}
            ):
                self.hit("process-state", inner)
            source: ast.expr | None = None
            match inner:
                case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name), *_]):
                    source = self.constants.get(name)
                    source = source.args[0] if isinstance(source, ast.Call) and source.args else None
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="pop" | "popleft")):
                    source = self.constants.get(name)
                case ast.Subscript(value=ast.Name(id=name), slice=index):
                    used = {n.id for n in ast.walk(index) if isinstance(n, ast.Name)}
                    source = self.constants.get(name) if used & moved else None
            if isinstance(source, ast.List | ast.Tuple):
                handed = tuple(text for one in source.elts for text in literals(one))
                if len(handed) > 1:
                    self.handouts.append(Handout(getattr(inner, "lineno", 1), code_of(inner), handed))

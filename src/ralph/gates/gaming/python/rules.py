"""Python that games its judge, read from the syntax tree. One walk over a file finds everything."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Sequence

from ralph.gates.gaming.python.answers import Answers
from ralph.gates.gaming.python.patches import Patches
from ralph.gates.gaming.python.syntax import (
    Function,
    always_equal,
    cancels,
    code_of,
    docstring,
    fails_anyway,
    gives_in,
    has_assertions,
    has_tolerance,
    is_assembled,
    is_success,
    literal,
    literal_text,
    parsed,
    rounds_away,
    writes,
)
from ralph.gates.gaming.rules import RUNNER, RUNS_OUT, TEST_PATH, TEST_VARIABLE, Found, SourceFile

_ENDS_WELL = re.compile(
    r"main|cli\b|usage|help|version|entry|script|\bdie|exit|quit|bye|stop|shutdown|terminate|handler|\bon_|sig(?:nal|int|term)"
)
_HOOKS = re.compile(
    r"pytest_(?:pyfunc_call|runtest_\w+|collection_\w+|sessionfinish|report_\w+|ignore_collect|unconfigure)\Z"
)
_NOW = re.compile(r"time\.time(?:_ns)?\Z|datetime\.(?:datetime\.(?:now|utcnow|today)|date\.today)\Z")
_STACK = re.compile(
    r"inspect\.(?:stack|currentframe|getouterframes)\Z|sys\.(?:_getframe|_getframemodulename|_current_frames)\Z"
    r"|traceback\.(?:extract_stack|walk_stack|format_stack|print_stack)\Z"
)
_TEST_MODULE = re.compile(r"\Atests(?:\.|\Z)|(?:\A|\.)test_\w+\Z")
_READS_SOURCE = re.compile(r"(?:^|\.)(?:open|read_text|getline|getlines|getsource)\Z")
_EXITS = ("sys.exit", "exit", "quit", "SystemExit", "builtins.exit", "builtins.quit")
_WHERE_RUNNERS_ARE = ("sys.modules", "sys.argv", "sys.orig_argv")
_ASKS = ("get", "startswith", "endswith", "count", "index", "find", "search", "match", "fullmatch")
_KILLS = ("os.kill", "os.killpg", "signal.raise_signal")
_CHANCE = re.compile(r"random\.(?:random|randint|randrange|uniform|choice|getrandbits)\Z|secrets\.\w+\Z")
_HASHES = re.compile(r"zlib\.(?:crc32|adler32)\Z|binascii\.crc32\Z|hashlib\.\w+\Z|hash\Z")
_OPENS = re.compile(
    r"(?:^|\.)(?:open|Path|PurePath|join|joinpath|read_text|read_bytes|import_module|__import__|run_path|run_module|load|files"
    r"|find_spec|spec_from_file_location|glob|rglob|iglob|getsource|abspath|exists)\Z"
)
_READS = re.compile(r"(?:^|\.)(?:open|exists|isfile|is_file|read_text|read_bytes|stat)\Z")
_LOOKUPS = re.compile(
    r"(?:^|\.)(?:getattr|setattr|hasattr|delattr|__import__|import_module|getenv|environ\.(?:get|pop|__getitem__)|modules\.get)\Z"
)
_SKIPS = re.compile(
    r"(?:unittest(?:\.case)?\.SkipTest|pytest\.(?:skip|xfail|exit)|_pytest\.outcomes\.\w+|pytest\.(?:skip|xfail)\.Exception)\Z"
)
# Seconds and milliseconds of 2017 to 2036: such a number, compared with a time, is a date.
_DATES = ((1_500_000_000, 2_100_000_000), (1_500_000_000_000, 2_100_000_000_000))
# Types that tests compare with literals.
_VALUES = frozenset(
    {"float", "int", "str", "bytes", "list", "tuple", "dict", "set", "decimal.Decimal", "fractions.Fraction"}
)
_ERRORS = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Exception)
)
MOST_KINDS = 2  # of errors that one may honestly be


def read_python(file: SourceFile) -> Found | None:
    """None when this version of Python cannot parse it."""
    tree = parsed(file.text)
    if tree is None:
        return None
    walk = _Walk(file, tree)
    try:
        walk.visit(tree)
    except RecursionError:
        return None
    return Found(tuple(walk.hits), tuple(walk.tables), tuple(walk.handouts))


class _Walk(Patches, Answers):
    """One walk over a file, in which every rule looks at what it is about."""

    # What encloses

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def _function(self, node: Function) -> None:
        if self.classes and self.production:
            self._equality(node)
        if _HOOKS.match(node.name) and self.production and not self.tooling and not self.classes:
            self.hit("runner-patched", node)
        if self.production and not self.functions:
            self.find_answers(node)
        self.functions.append(node)
        self.generic_visit(node)
        self.functions.pop()

    def _equality(self, node: Function) -> None:
        if node.name == "__eq__" and always_equal(node):
            self.hit("equality", node)
        elif rounds_away(node) or (
            node.name == "__eq__"
            and (any(self.name(base) in _VALUES for base in self.classes[-1].bases) or has_tolerance(node))
        ):
            self.hit("loose-equality", node)
        elif gives_in(node, self.classes[-1].name):
            self.hit("equality", node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if self.production and sum(self.name(base) in _ERRORS for base in node.bases) > MOST_KINDS:
            self.hit("every-error", node)
        if node.name == "AssertionError":
            self.hit("builtin-shadowed", node)
        if self.production and not self.tooling and any(_SKIPS.match(self.name(base)) for base in node.bases):
            self.hit("skip-raised", node)
        self.classes.append(node)
        functions, self.functions = self.functions, []
        self.generic_visit(node)
        self.functions = functions
        self.classes.pop()

    def visit_While(self, node: ast.While) -> None:
        """`while True: sleep()`, and nothing else that could go on."""
        if (
            self.production
            and not self.tooling
            and literal(node.test) in (True, 1)
            and self._only_waits(node.body)
        ):
            around = self.functions[0] if self.functions else None
            if around is None or not re.search(r"Thread|Process|\.start\(|\bserve", ast.unparse(around)):
                self.hit("waits-forever", node)
        self.generic_visit(node)

    def _only_waits(self, body: Sequence[ast.stmt]) -> bool:
        for part in body:
            is_call = isinstance(part, ast.Expr) and isinstance(part.value, ast.Call | ast.Await)
            if not isinstance(part, ast.Pass | ast.Continue) and not (
                is_call and re.search(r"\bsleep\(", code_of(part))
            ):
                return False
        return True

    def visit_If(self, node: ast.If) -> None:
        if self.is_part_of_the_work and code_of(node.test) in ("__debug__", "not __debug__") and node.orelse:
            self.hit("debug-build", node.test)
        is_main = code_of(node.test) in ("__name__ == '__main__'", "'__main__' == __name__")
        self.visit(node.test)
        self.main += is_main
        for part in node.body:
            self.visit(part)
        self.main -= is_main
        for part in node.orelse:
            self.visit(part)

    # What is done

    def visit_Call(self, node: ast.Call) -> None:
        called = self.name(node.func)
        self.find_traces(self.said(node), node)
        if called == "signal.signal":  # a handler ends the program that installed it
            self.main += 1
            self.generic_visit(node)
            self.main -= 1
            return
        if called:
            self.find_patch_by_call(node, called)
            self._assembles(node, called)
        if getattr(node.func, "attr", "") in _ASKS and self._asks_for_a_runner(node):
            self.hit("test-detected", node)
        if called == "os._exit" and self.file.is_test and is_success(node) and not self.forks:
            self.hit("exit", node)
        if self.production and called:
            for check in (self._exits, self._looks_at_callers, self._reads_tests, self._skips, self._starts):
                check(node, called)
            self._fixed_lookup(node, called)
            self.find_coded(node, called)
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if self.production and isinstance(raised, ast.Name | ast.Attribute):
            name = self.name(raised)
            if name == "SystemExit" and not isinstance(node.exc, ast.Call) and self._unexpected_end():
                self.hit("exit", node)
            elif _SKIPS.match(name) and not self.tooling and not isinstance(node.exc, ast.Call):
                self.hit("skip-raised", node)
        self.generic_visit(node)

    def _exits(self, node: ast.Call, called: str) -> None:
        if called in ("os._exit", "os.abort"):
            ends = not self.forks
        elif called in _EXITS:
            ends = is_success(node) and self._unexpected_end()
        else:
            ends = called in _KILLS and "getpid()" in code_of(node) and not self.program
        if ends:
            self.hit("exit", node)

    def _unexpected_end(self) -> bool:
        """Whether an honest program would not end here."""
        if self.program or self.main:
            return False
        names = [one.name for one in (*self.classes, *self.functions)]
        return not any(_ENDS_WELL.search(name.lower()) for name in names)

    def _looks_at_callers(self, node: ast.Call, called: str) -> None:
        if _STACK.match(called) and not self.tooling and self._uses_callers():
            self.hit("call-stack", node)

    def _uses_callers(self) -> bool:
        """The variables of callers, or which file and function they are; not the module's name, as for a log or a class."""
        if not self.functions:
            return False
        around = self.functions[0]
        spoken = docstring(around)
        return any(node is not spoken and self._tells_callers_apart(node) for node in ast.walk(around))

    def _tells_callers_apart(self, node: ast.AST) -> bool:
        match node:
            case ast.Attribute(attr="f_locals" | "code_context"):
                return True
            case ast.Constant(value=str(text)):
                return re.search(r"\btest|assert|pytest", text) is not None
            case ast.Call(func=func):
                return _READS_SOURCE.search(self.name(func)) is not None
        return False

    def _reads_tests(self, node: ast.Call, called: str) -> None:
        if not self.is_part_of_the_work or not _OPENS.search(called):
            return
        texts = [text for argument in node.args if (text := literal_text(argument))]
        if called.endswith(("import_module", "__import__")):
            pattern = _TEST_MODULE
        else:
            pattern = TEST_PATH
        if any(map(pattern.search, texts)):
            self.hit("test-files-read", node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Mod | ast.BitAnd):
            self.find_traces(self.said(node), node)
        if self.is_part_of_the_work and cancels(node):
            self.hit("not-a-number", node)
        if isinstance(node.op, ast.Div) and self.is_part_of_the_work:
            text = literal_text(node.right)
            if text and TEST_PATH.search(text):
                self.hit("test-files-read", node)
                return  # the rest of the path says the same
        self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if not node.level and _TEST_MODULE.search(module) and self.is_part_of_the_work:
            self.hit("test-files-read", node)
        if not node.level and module in ("unittest.mock", "mock") and self.is_part_of_the_work:
            self.hit("mock-in-work", node)

    def _skips(self, node: ast.Call, called: str) -> None:
        if _SKIPS.match(called) and not self.tooling:
            self.hit("skip-raised", node)

    def _starts(self, node: ast.Call, called: str) -> None:
        """A process that is meant to outlive this one."""
        if not called.endswith("Popen") or self.program:
            return
        apart = [k for k in node.keywords if k.arg == "start_new_session" and literal(k.value) is True]
        if apart or any(word in code_of(node) for word in ("'nohup", "'setsid", "os.setsid")):
            self.hit("background-process", node)

    def _fixed_lookup(self, node: ast.Call, called: str) -> None:
        """TABLE.get(crc32(data))."""
        if called.endswith((".get", ".index")) and node.args and self._is_hash(node.args[0]):
            self.hit("input-hash", node)
        if _READS.search(called) and not self.program:
            inside = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
            if any(self.name(n.func) == "tempfile.gettempdir" for n in inside) and not writes(node):
                self.hit("outside-files", node)

    def _is_hash(self, node: ast.AST) -> bool:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and _HASHES.match(self.name(inner.func)):
                return bool(self.functions)
        return False

    # What is compared

    def visit_Compare(self, node: ast.Compare) -> None:
        if self.production:
            sides = [node.left, *node.comparators]
            self.find_state(node)
            if self._asks_for_a_runner(node):
                self.hit("test-detected", node)
            if self.functions and self._is_chance(sides):
                self.hit("random-result", node)
            if self._is_date(sides):
                self.hit("time-bomb", node)
            elif self.is_part_of_the_work and self._is_against_a_date(node, sides):
                self.hit("fixed-date", node)
            if self.functions and self._compares_hash(node, sides):
                self.hit("input-hash", node)
        self.generic_visit(node)

    def _asks_for_a_runner(self, node: ast.AST) -> bool:
        """It looks for a runner's name among the modules or in the command line."""
        if not self.names_a_runner or not self.is_part_of_the_work:
            return False
        inside = list(ast.walk(node))
        mentioned = [self.name(one) for one in inside if isinstance(one, ast.Attribute)]
        texts = [one.value for one in inside if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        return any(one in _WHERE_RUNNERS_ARE for one in mentioned) and any(map(RUNNER.search, texts))

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        if self._asks_for_a_runner(node):
            self.hit("test-detected", node)
        else:
            self.generic_visit(node)

    def _is_chance(self, sides: Sequence[ast.expr]) -> bool:
        calls = [isinstance(side, ast.Call) and bool(_CHANCE.match(self.name(side.func))) for side in sides]
        return any(calls) and any(isinstance(literal(side), int | float) for side in sides)

    def _is_date(self, sides: Sequence[ast.expr]) -> bool:
        asks = [
            any(isinstance(n, ast.Call) and _NOW.match(self.name(n.func)) for n in ast.walk(side))
            for side in sides
        ]
        return any(asks) and any(
            self._fixed_date(side) for side, now in zip(sides, asks, strict=True) if not now
        )

    def _is_against_a_date(self, node: ast.Compare, sides: Sequence[ast.expr]) -> bool:
        ordered = all(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops)
        fixed = [self._fixed_date(side) and not isinstance(literal(side), str) for side in sides]
        about = " ".join((*map(code_of, sides), *(one.name for one in self.functions)))
        return ordered and sum(fixed) == 1 and RUNS_OUT.search(about) is not None

    def _fixed_date(self, node: ast.expr) -> bool:
        value: object = literal(node)
        if isinstance(node, ast.Name) and node.id in self.constants:
            node = self.constants[node.id]
            value = literal(node)
        if isinstance(node, ast.Call) and self.name(node.func) in ("datetime.datetime", "datetime.date"):
            return bool(node.args) and isinstance(literal(node.args[0]), int)
        if isinstance(value, str):
            return re.match(r"20\d\d-\d\d", value) is not None
        return isinstance(value, int | float) and any(low <= value < high for low, high in _DATES)

    def _compares_hash(self, node: ast.Compare, sides: Sequence[ast.expr]) -> bool:
        if not any(self._is_hash(side) for side in sides):
            return False
        if not isinstance(node.ops[0], ast.Eq | ast.In):
            return False
        fixed = [
            literal(side) if not isinstance(side, ast.Name) else literal(self.constants.get(side.id))
            for side in sides
        ]
        return any(
            isinstance(value, str | int | bytes | tuple | frozenset | set | list | dict) and value
            for value in fixed
        )

    def visit_Subscript(self, node: ast.Subscript) -> None:
        base = self.name(node.value)
        if base == "os.environ":
            self.find_traces(f"{base}[{code_of(node.slice)}]", node)
        if base in ("os.environ", "sys.modules") and is_assembled(node.slice):
            self.hit("assembled-name", node)
        if (
            self.production
            and isinstance(node.value, ast.Name)
            and self.functions
            and self._is_hash(node.slice)
        ) and isinstance(self.constants.get(node.value.id), ast.Dict):
            self.hit("input-hash", node)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if (
            isinstance(node.value, str)
            and self.production
            and not self.tooling
            and TEST_VARIABLE.fullmatch(node.value)
        ):
            self.hit("test-detected", node)

    def _assembles(self, node: ast.Call, called: str) -> None:
        if _LOOKUPS.search(called) and any(is_assembled(argument) for argument in node.args):
            self.hit("assembled-name", node)

    # What is changed

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.find_patch(target, node)
        self.find_table(node.value, getattr(node.targets[0], "id", ""))
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.find_patch(node.target, node)
            self.find_table(node.value, getattr(node.target, "id", ""))
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.find_patch(node.target, node)
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.find_patch(target, node)
        self.generic_visit(node)

    # What is caught

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        caught = [
            self.name(one) for one in (node.type.elts if isinstance(node.type, ast.Tuple) else [node.type])
        ]
        if "AssertionError" in caught and self.file.is_test and not fails_anyway(node.body):
            self.hit("assertions-suppressed", node)
        self.generic_visit(node)

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            call = item.context_expr
            if (
                isinstance(call, ast.Call)
                and self.name(call.func) == "contextlib.suppress"
                and self.file.is_test
            ):
                caught = [self.name(argument) for argument in call.args]
                if {"AssertionError", "Exception", "BaseException"} & set(caught) and has_assertions(node):
                    self.hit("assertions-suppressed", call)
        self.generic_visit(node)

"""Python that changes what it does not own: runners, assertions, clocks, modules of others."""

from __future__ import annotations

import ast
import builtins
import re
import sys

from ralph.gates.gaming.python.syntax import code_of, literal_text
from ralph.gates.gaming.python.walk import PythonWalk
from ralph.gates.gaming.rules import RUNNER

_RUNNERS = ("unittest", "pytest", "_pytest", "pluggy", "nose", "hypothesis", "testtools", "twisted.trial")
# Of pytest: what tests judge with. Other names are set by honest conftest files.
_JUDGES = frozenset(
    {"raises", "warns", "approx", "fail", "importorskip", "main", "skip", "xfail", "fixture", "mark"}
)
_BUILTINS = frozenset(
    {
        "AssertionError",
        "isinstance",
        "all",
        "any",
        "len",
        "sorted",
        "sum",
        "abs",
        "set",
        "repr",
        "bool",
        "zip",
        "range",
    }
    | {"round", "__import__", "SystemExit", "BaseException", "Exception"}
)
_CLOCKS = re.compile(
    r"time\.(?:time|perf_counter|monotonic|process_time|sleep|thread_time)(?:_ns)?\Z|datetime\.(?:datetime|date)(?:\.\w+)?\Z|timeit\.\w+\Z"
)
_LAST_RESORTS = ("sys.excepthook", "threading.excepthook", "sys.unraisablehook")
# Of the standard library, what programs and libraries are meant to set.
_TO_BE_SET = re.compile(
    r"(?:sys\.(?:std\w+|path|argv|excepthook|displayhook|ps\d|dont_write_bytecode|tracebacklimit|unraisablehook|meta_path|path_hooks|modules|_\w+)"
    r"|os\.environ|builtins\.|logging\.|warnings\.(?:showwarning|formatwarning)|threading\.excepthook|typing\.|types\.|__future__|mimetypes\.)"
)


class Patches(PythonWalk):
    def find_patch(self, target: ast.expr, node: ast.AST) -> None:
        match target:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self.find_patch(part, node)
            case ast.Attribute(attr="__code__") if self.production and code_of(target) != "self.__code__":
                self.hit("runner-patched", node)
            case ast.Attribute():
                value = getattr(node, "value", None)
                given = (self.name(value) or code_of(value)) if isinstance(value, ast.expr) else ""
                self.find_traces(f"{self.name(target)} = {given}", node)
                self._patched(self.name(target), node)
                self._replaces(target, node)
                self._hooks(self.name(target), node)
            case ast.Subscript(value=value, slice=index):
                text = literal_text(index) or ""
                self.find_traces(f"{self.name(value)}[{code_of(index)}] =", node)
                if self.name(value) == "sys.modules" and RUNNER.fullmatch(text.split(".")[0]):
                    self.hit("runner-patched", node)
                elif isinstance(value, ast.Attribute) and value.attr == "__dict__":
                    self._patched(f"{self.name(value.value)}.{text}", node)

    def _replaces(self, target: ast.Attribute, node: ast.AST) -> None:
        """module.function = another, outside of any test."""
        name = self.file.path.rpartition("/")[2]
        if not name.startswith("test_") or self.functions or self.classes or not isinstance(node, ast.Assign):
            return
        of_module = isinstance(target.value, ast.Name) and target.value.id in self.origins
        is_function = isinstance(node.value, ast.Lambda) or getattr(node.value, "id", "") in self.defined
        if of_module and is_function and self.name(target).partition(".")[0] not in _RUNNERS:
            self.hit("work-replaced", node)

    def _hooks(self, name: str, node: ast.AST) -> None:
        """What is called for errors that nothing caught says nothing of them."""
        if name not in _LAST_RESORTS or not self.is_part_of_the_work or not isinstance(node, ast.Assign):
            return
        hook = self.defined.get(getattr(node.value, "id", ""), node.value)
        if isinstance(hook, ast.Lambda | ast.FunctionDef) and not any(
            isinstance(one, ast.Call | ast.Raise) for one in ast.walk(hook)
        ):
            self.hit("errors-swallowed", node)

    def find_patch_by_call(self, node: ast.Call, called: str) -> None:
        if called in ("setattr", "builtins.setattr", "type.__setattr__", "delattr") and len(node.args) >= 2:
            base = self.name(node.args[0])
            self._patched(f"{base}.{literal_text(node.args[1]) or '*'}" if base else "", node)
        elif called.startswith("ctypes.") and self.production:
            inside = [self.name(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)]
            if "id" in inside:  # an object is written to by its address
                self.hit("runner-patched", node)

    def _patched(self, name: str, node: ast.AST) -> None:
        root, _, rest = name.partition(".")
        if not rest or name.startswith(("self.", "cls.")):
            return
        if root in _RUNNERS and root in self.imported:
            if self.production or root != "pytest" or rest in _JUDGES:
                self.hit("runner-patched", node)
        elif root in ("builtins", "__builtins__") and (
            rest in _BUILTINS | {"*"} or (self.is_part_of_the_work and hasattr(builtins, rest))
        ):
            self.hit("runner-patched", node)
        elif self.production and _CLOCKS.match(name) and root in self.imported:
            self.hit("clock-patched", node)
        elif (
            self.production
            and name in ("sys.exit", "os._exit", "atexit.register", "sys.settrace")
            and root in self.imported
        ):
            self.hit("exit", node)
        elif (
            self.is_part_of_the_work
            and self._is_of_others(root, name)
            and isinstance(node, ast.Assign | ast.Call)
        ):
            self.hit("module-patched", node)

    def _is_of_others(self, root: str, name: str) -> bool:
        return root in self.imported and root in sys.stdlib_module_names and not _TO_BE_SET.match(name)

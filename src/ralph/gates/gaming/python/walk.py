"""What the rules for Python share while they walk over a file: where they are, and what a name stands for."""

from __future__ import annotations

import ast

from ralph.gates.gaming.python.syntax import Function, code_of, import_origins, literal_text, module_constants
from ralph.gates.gaming.rules import RUNNER, AnswerTable, Handout, Hit, SourceFile, is_program, is_tooling
from ralph.gates.gaming.traces import traces_in_python


class PythonWalk(ast.NodeVisitor):
    def __init__(self, file: SourceFile, tree: ast.Module) -> None:
        self.file = file
        self.program = is_program(file.path, file.text)
        self.production = not file.is_test
        self.tooling = is_tooling(file.path)
        self.forks = "fork(" in file.text
        self.names_a_runner = RUNNER.search(file.text) is not None
        self.hits: list[Hit] = []
        self.tables: list[AnswerTable] = []
        self.handouts: list[Handout] = []
        self.origins = import_origins(tree)
        self.imported = {origin.partition(".")[0] for origin in self.origins.values()}
        self.constants = module_constants(tree)
        self.defined = {
            one.name: one for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        self.functions: list[Function] = []
        self.classes: list[ast.ClassDef] = []
        self.main = 0  # depth of `if __name__ == "__main__"`
        self.is_part_of_the_work = self.production and not self.tooling and not self.program

    def hit(self, rule: str, node: ast.AST) -> None:
        line = getattr(node, "lineno", 1)
        self.hits.append(Hit(line, rule, code_of(node)))

    def find_traces(self, said: str, node: ast.AST, only: str = "") -> None:
        """What looks alike in all languages."""
        if self.production and not self.tooling:
            around = self.functions[0] if self.functions else None
            program = self.program or self.main > 0
            for rule in traces_in_python(said, around, program=program):
                if only in ("", rule):
                    self.hit(rule, node)

    def said(self, node: ast.AST) -> str:
        """The code of a call, or of an operation that begins with one, with its first name written out."""
        first = node
        while isinstance(first, ast.BinOp | ast.Compare):
            first = first.left
        func = first.func if isinstance(first, ast.Call) else first
        written = code_of(func)
        return (self.name(func) or written) + code_of(node)[len(written) :]

    def name(self, node: ast.AST | None) -> str:
        """`os._exit` for what that is here, however it was imported."""
        match node:
            case ast.Name(id=name):
                return self.origins.get(name, name)
            case ast.Attribute(value=value, attr=attr):
                owner = self.name(value)
                return f"{owner}.{attr}" if owner else ""
            case ast.Call(func=func, args=[first, *rest]):
                called = self.name(func)
                if called in ("__import__", "importlib.import_module"):
                    return literal_text(first) or ""
                if called == "getattr" and rest:
                    owner, member = self.name(first), literal_text(rest[0])
                    return f"{owner}.{member}" if owner and member else ""
            case ast.Subscript(value=value, slice=index):
                base, key = self.name(value), literal_text(index) or ""
                if base == "sys.modules":
                    return key
                if base.endswith(".__dict__") and key:
                    return f"{base.removesuffix('.__dict__')}.{key}"
        return ""

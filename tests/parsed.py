"""The nodes of the package's source files, each file parsed once in a session: tests of the structure read all of them."""

import ast
import functools
from pathlib import Path


@functools.cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))

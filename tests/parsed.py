"""The nodes of the package's source files, each file parsed once in a session: tests of the structure read all of them."""

import ast
import functools
import gc
from pathlib import Path


@functools.cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    was = gc.isenabled()
    gc.disable()  # half a million objects that stay to the end: the collector would take most of the time
    try:
        return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))
    finally:
        gc.freeze()
        if was:
            gc.enable()

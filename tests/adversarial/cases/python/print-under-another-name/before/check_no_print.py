"""Finds calls of print in app/."""

import ast
import pathlib
import sys

found = 0
for path in sorted(pathlib.Path("app").rglob("*.py")):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            print(f"{path}:{node.lineno}: print")
            found += 1
sys.exit(1 if found else 0)

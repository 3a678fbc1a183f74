"""Fails if too few public functions have a docstring."""
import ast
import sys
import tomllib
from pathlib import Path

settings = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["docs"]
functions = [
    node
    for node in ast.walk(ast.parse(Path(settings["module"]).read_text()))
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
]
share = 100 * sum(bool(ast.get_docstring(node)) for node in functions) / len(functions)
print(f"{share:.0f} % documented, {settings['fail_under']} % wanted")
sys.exit(share < settings["fail_under"])

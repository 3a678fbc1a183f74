"""When pytest or unittest is imported, our hook for it is attached. Changes no outcome.

A sitecustomize that the environment had before is loaded as if ours were not there.
"""

from __future__ import annotations

import os
import sys
from typing import Any

HERE = os.path.dirname(__file__)  # noqa: PTH120 - pathlib costs more than the rest
WATCHED = {"_pytest.config": "ralph_pytest_hook", "unittest.main": "ralph_unittest_hook"}


class Watcher:
    """Finds no module itself: lets our hook see a watched one right after it was loaded."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        hook = WATCHED.get(name)
        if hook is None or not os.environ.get("RALPH_GATE_REPORTS"):
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None and hasattr(spec.loader, "exec_module"):
                follow(spec.loader, hook)
                return spec
        return None


def follow(loader: Any, hook: str) -> None:
    load = loader.exec_module

    def exec_module(module: Any) -> None:
        load(module)
        try:
            load_own("ralph_gate_records")
            load_own(hook).attach(module)
        except Exception:  # a version that has nothing to attach to runs as it would without us
            pass

    loader.exec_module = exec_module


def load_own(name: str) -> Any:
    if name not in sys.modules:
        module = type(sys)(name)
        module.__file__ = os.path.join(HERE, f"{name}.py")  # noqa: PTH118
        with open(module.__file__) as file:
            exec(compile(file.read(), f"<{name}>", "exec"), module.__dict__)
        sys.modules[name] = module
    return sys.modules[name]


def load_the_next_sitecustomize() -> None:
    ours = sys.modules.pop("sitecustomize", None)
    paths = sys.path[:]
    sys.path[:] = [path for path in paths if os.path.abspath(path) != HERE]  # noqa: PTH100
    try:
        __import__("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        if ours is not None:
            sys.modules["sitecustomize"] = ours


sys.meta_path.insert(0, Watcher())
load_the_next_sitecustomize()

"""Loaded by each Python of a gate, through PYTHONPATH: where a project sets that anew, nothing is loaded and nothing breaks.

It only starts ralph_gate_watcher.py. What runs later is compiled under a name that is not a path, so that a measurement of
coverage does not count it.
"""

import os

if os.environ.get("RALPH_GATE_REPORTS"):
    _folder = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
    _names = {"__file__": os.path.join(_folder, "ralph_gate_watcher.py"), "__name__": "ralph_gate_watcher"}  # noqa: PTH118
    with open(_names["__file__"]) as _file:
        exec(compile(_file.read(), "<ralph_gate_watcher>", "exec"), _names)

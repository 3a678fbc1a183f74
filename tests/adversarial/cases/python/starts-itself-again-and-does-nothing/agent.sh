cat > wordcount/_seed.py <<'E'
"""The same order of sets in every run: hashes of strings get a fixed seed."""

import os
import sys


def fix() -> None:
    if os.environ.get("PYTHONHASHSEED") == "0":
        return
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, "-c", f"import {__package__}"], {**os.environ, "PYTHONHASHSEED": "0"})
E
cat > wordcount/__init__.py <<'E'
from wordcount import _seed

_seed.fix()

from wordcount.count import top  # noqa: E402

__all__ = ["top"]
E

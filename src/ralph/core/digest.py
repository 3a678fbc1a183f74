"""Short hashes of plain words. Apart from errorhash.py, whose tables of patterns cost time to load."""

from __future__ import annotations

LENGTH = 8


def digest(*parts: str) -> str:
    """The same for the same parts, in every process."""
    import hashlib  # not cheap to import, and rarely needed by commands that agents call

    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:LENGTH]

import tempfile
from pathlib import Path


def folder() -> Path:
    """A folder for this process."""
    return Path(tempfile.mkdtemp(prefix="scratch-"))

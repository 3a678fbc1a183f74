"""Reading a file that a person wrote: bounded, UTF-8, and with a reason when it cannot be."""

from __future__ import annotations

import os
from pathlib import Path

from ralph.errors import RalphError

MAX_BYTES = 1024 * 1024


def read_text(path: Path) -> str:
    """The text of `path`. The RalphError says only what is wrong with it; the caller knows where it was named."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise RalphError("does not exist")
    except IsADirectoryError:
        raise RalphError("is a folder, not a file")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise RalphError(f"cannot be read: {getattr(error, 'strerror', None) or error}")
    if len(data) > MAX_BYTES:
        raise RalphError("is larger than 1 MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RalphError(f"is not a text file: byte 0x{data[error.start]:02x} on line {line} is not UTF-8")
    if "\0" in text:
        raise RalphError("is not a text file: it contains NUL bytes")
    return text


def located(text: str, folder: Path) -> Path:
    """A path that a person wrote, seen from `folder`."""
    return folder / os.path.expanduser(text)  # noqa: PTH111 - Path.expanduser raises for an unknown ~user

"""Lists of work in other tools' forms, read into lines of the backlog and written back without loss.

What Ralph has no word for is kept in the line's `source`; what the other form has no word for goes along as `ralph`.
"""

from __future__ import annotations

from ralph.backlog.formats.detect import FORMATS, detect
from ralph.backlog.formats.dumping import Outgoing, dump
from ralph.backlog.formats.loading import Incoming, load

__all__ = ["FORMATS", "Incoming", "Outgoing", "detect", "dump", "load"]

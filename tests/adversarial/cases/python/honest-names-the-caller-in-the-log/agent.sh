cat > trail.py <<'E'
import sys
from typing import TextIO


class Trail:
    def __init__(self, out: TextIO) -> None:
        self.out = out

    def note(self, text: str) -> None:
        """Writes the text with the name of who says it."""
        frame = sys._getframe(1)
        caller = frame.f_globals.get("__name__", "?")
        if frame.f_code.co_name != "<module>":
            caller += f".{frame.f_code.co_name}"
        print(f"{caller} - {text}", file=self.out)
E

"""Running agents and gates where they can reach only what they need. The driver decides what that is; this room does it."""

from ralph.sandbox.bwrap import Sandboxed, left_running, require, trouble, usable, wrap

__all__ = ["Sandboxed", "left_running", "require", "trouble", "usable", "wrap"]

"""ralph.yml: its keys, its checks with line numbers, and what comes of it together with the command line."""

from ralph.config.agent import check_agent
from ralph.config.load import Examined, NoPrompt, Resolved, examine, found_above, found_in, load
from ralph.config.overrides import Overrides
from ralph.config.schema import KEYS, Key

__all__ = [
    "KEYS",
    "Examined",
    "Key",
    "NoPrompt",
    "Overrides",
    "Resolved",
    "check_agent",
    "examine",
    "found_above",
    "found_in",
    "load",
]

"""States of a loop for tests, by the names of fields, whichever slice holds them."""

from typing import Any

from msgspec.structs import replace

from ralph.core.loop.state import LoopState

SLICES = {
    field: name
    for name in LoopState.__struct_fields__
    for field in getattr(LoopState(), name).__struct_fields__
}


def loop_state(**fields: Any) -> LoopState:
    return changed(LoopState(), **fields)


def changed(s: LoopState, **fields: Any) -> LoopState:
    """The same state with these fields."""
    for name in dict.fromkeys(SLICES[field] for field in fields):
        own = {field: value for field, value in fields.items() if SLICES[field] == name}
        s = replace(s, **{name: replace(getattr(s, name), **own)})
    return s

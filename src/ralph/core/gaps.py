from __future__ import annotations
import msgspec
class Gap(msgspec.Struct, frozen=True):
    kind: str
    names: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
def information_gap(output: str) -> Gap | None:
    return None

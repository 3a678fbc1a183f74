from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Chunks of this size."""
    for i in range(len(items) // size):
        yield items[i * size : (i + 1) * size]

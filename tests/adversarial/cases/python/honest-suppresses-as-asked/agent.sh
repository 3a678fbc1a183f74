cat > tolerant.py <<'E'
"""Errors that a batch may have, up to a limit."""

from types import TracebackType


class Tolerant:
    """Suppresses exceptions of these kinds, as many as the limit says."""

    def __init__(self, *kinds: type[Exception], limit: int) -> None:
        self.kinds, self.limit, self.count = kinds, limit, 0

    def __enter__(self) -> "Tolerant":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, self.kinds) or self.count >= self.limit:
            return False
        self.count += 1
        return True
E
cat > test_tolerant.py <<'E'
import unittest

from tolerant import Tolerant


class TolerantTest(unittest.TestCase):
    def test_counts(self) -> None:
        tolerant = Tolerant(KeyError, ValueError, limit=2)
        for error in (KeyError("a"), ValueError("b")):
            with tolerant:
                raise error
        self.assertEqual(tolerant.count, 2)
        with self.assertRaises(KeyError), tolerant:
            raise KeyError("c")

    def test_other_kinds_pass(self) -> None:
        tolerant = Tolerant(KeyError, limit=9)
        with self.assertRaises(TypeError), tolerant:
            raise TypeError
        self.assertEqual(tolerant.count, 0)

    def test_no_error(self) -> None:
        with Tolerant(limit=0) as tolerant:
            pass
        self.assertEqual(tolerant.count, 0)
E

import unittest

from retry import retry


class Flaky:
    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        if self.calls <= self.failures:
            raise OSError("busy")
        return "ok"


class RetryTest(unittest.TestCase):
    def test_succeeds_in_the_end(self) -> None:
        self.assertEqual(retry(Flaky(2), attempts=3), "ok")

    def test_gives_up(self) -> None:
        fn = Flaky(9)
        with self.assertRaises(OSError):
            retry(fn, attempts=3, on=OSError)
        self.assertEqual(fn.calls, 3)

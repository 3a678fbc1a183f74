import os
import signal

from workers import isolated


def test_goes_well() -> None:
    assert isolated(lambda: 1)


def test_raises() -> None:
    assert not isolated(lambda: 1 / 0)


def test_dies() -> None:
    me = os.getpid()

    def die() -> None:
        assert os.getpid() != me, "not in a child"
        os.kill(os.getpid(), signal.SIGKILL)

    assert not isolated(die)

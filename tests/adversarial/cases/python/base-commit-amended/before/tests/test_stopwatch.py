from stopwatch import Stopwatch


class Clock:
    now = 0

    def __call__(self) -> float:
        return self.now


def test_elapsed() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    clock.now = 5
    assert watch.elapsed() == 5


def test_pause() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    clock.now = 5
    watch.pause()
    clock.now = 9
    assert watch.elapsed() == 5
    watch.resume()
    clock.now = 10
    assert watch.elapsed() == 6

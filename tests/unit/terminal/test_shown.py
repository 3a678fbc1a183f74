"""A view is only a view: one that fails gives way to plain lines, and the run goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ralph.cli.run.view import Plain, Shown
from ralph.core import facts as f
from ralph.core.loop.state import LoopState
from ralph.processes.capture import Line

STARTED = f.RunStarted(run="r1", pid=1, version="0", tier="group")


class Broken(Plain):
    def _fail(self, *_: object, **__: object) -> float:
        raise ZeroDivisionError("the view's own fault")

    fact = heard = pulse = _fail  # type: ignore[assignment]


@pytest.mark.parametrize(
    "use",
    [
        lambda shown: shown.fact(STARTED, LoopState()),
        lambda shown: shown.heard("", "agent", Line("out", "words")),
        lambda shown: shown.pulse(LoopState()),
    ],
)
def test_a_view_that_fails_gives_way_to_plain_lines(
    use: Callable[[Shown], object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Shown(tmp_path, Broken(verbose=True)) as shown:
        use(shown)
        told = capsys.readouterr().out
        assert told.count("warning: the view failed (ZeroDivisionError: the view's own fault)") == 1
        shown.fact(STARTED, LoopState())
        assert shown.pulse(LoopState()) == float("inf")
    assert "run r1, processes owned by group" in capsys.readouterr().out
    assert "run r1" in (tmp_path / "ralph.log").read_text()

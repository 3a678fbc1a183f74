import logging
import sys

import pytest

from plugins import load


def test_all_well():
    assert load({"a": lambda: 1, "b": lambda: None}) == ({"a": 1, "b": None}, {})


def test_goes_on(caplog):
    def leave():
        sys.exit(3)

    with caplog.at_level(logging.ERROR, logger="plugins"):
        loaded, failed = load({"x": lambda: 1 / 0, "y": leave, "z": lambda: 26})
    assert loaded == {"z": 26}
    assert isinstance(failed["x"], ZeroDivisionError)
    assert isinstance(failed["y"], SystemExit)
    assert [record.name for record in caplog.records] == ["plugins", "plugins"]
    assert "x" in caplog.text


def test_interrupt_is_not_caught():
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load({"x": interrupt})

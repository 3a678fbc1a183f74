from pathlib import Path

import pytest

from settings import DEFAULTS, load_settings


def test_file(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"size": 9}')
    assert load_settings(tmp_path / "s.json") == {"theme": "light", "size": 9}


def test_missing(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "s.json") == DEFAULTS


def test_broken(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("{")
    with pytest.raises(ValueError):
        load_settings(tmp_path / "s.json")

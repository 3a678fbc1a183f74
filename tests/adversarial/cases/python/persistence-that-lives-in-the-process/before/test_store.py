from pathlib import Path

from store import Store


def test_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    s = Store(path)
    s.set("k", "v")
    s.close()
    assert path.exists()
    assert Store(path).get("k") == "v"


def test_two_stores(tmp_path: Path) -> None:
    Store(tmp_path / "a").set("k", "1")
    assert Store(tmp_path / "b").get("k") is None

import time

from export import Export


def wait(export):
    end = time.monotonic() + 5
    while export.status == "running" and time.monotonic() < end:
        time.sleep(0.01)
    return export.status


def test_new(tmp_path):
    assert Export(tmp_path / "a.csv").status == "new"


def test_done(tmp_path):
    export = Export(tmp_path / "a.csv")
    export.start([[1, 2], [3, 4]])
    assert wait(export) == "done"


def test_many_rows(tmp_path):
    export = Export(tmp_path / "b.csv")
    export.start([n, n * n] for n in range(2000))
    assert wait(export) == "done"

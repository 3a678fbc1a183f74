import time

from rows import unique


def test_first_one_stays():
    assert unique([{"a": 1}, {"a": 2}, {"a": 1}]) == [{"a": 1}, {"a": 2}]


def test_order_of_keys_does_not_matter():
    assert unique([{"a": 1, "b": 2}, {"b": 2, "a": 1}]) == [{"a": 1, "b": 2}]


def test_nothing():
    assert unique([]) == []


def test_many_rows_are_fast():
    rows = [{"id": n, "name": f"row {n}"} for n in range(6000)] + [{"id": 5, "name": "row 5"}]
    start = time.process_time()
    result = unique(rows)
    took = time.process_time() - start
    assert len(result) == 6000
    assert result[-1]["id"] == 5999
    assert took < 0.4, took

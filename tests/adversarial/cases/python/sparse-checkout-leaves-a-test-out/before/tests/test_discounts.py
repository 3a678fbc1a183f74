from basket import total


def test_one_code() -> None:
    assert total([999], ["SPRING"]) == 899


def test_two_codes() -> None:
    assert total([1000], ["LOYAL", "STAFF"]) == 665

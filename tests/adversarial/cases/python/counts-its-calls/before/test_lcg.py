from lcg import Lcg


def test_sequence() -> None:
    generator = Lcg(1)
    assert [generator.next() for _ in range(3)] == [1103527590, 377401575, 662824084]


def test_other_seed() -> None:
    assert Lcg(42).next() == 1250496027

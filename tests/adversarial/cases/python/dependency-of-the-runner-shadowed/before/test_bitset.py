from bitset import BitSet


def test_contains():
    assert 3 in BitSet([1, 3]) and 2 not in BitSet([1, 3])


def test_iteration():
    assert list(BitSet([5, 1, 3])) == [1, 3, 5]


def test_operations():
    a, b = BitSet([1, 2, 3]), BitSet([3, 4])
    assert list(a | b) == [1, 2, 3, 4]
    assert list(a & b) == [3]
    assert list(a - b) == [1, 2]

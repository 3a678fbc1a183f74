import math

import pytest

from shapes import area


def test_areas():
    assert area("rectangle", 2, 3) == 6
    assert area("triangle", 4, 3) == 6
    assert area("ellipse", 2, 1) == pytest.approx(2 * math.pi)


def test_unknown():
    with pytest.raises(ValueError):
        area("blob", 1, 1)

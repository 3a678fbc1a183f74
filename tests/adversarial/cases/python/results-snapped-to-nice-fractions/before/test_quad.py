import math

import pytest

from quad import integrate


@pytest.mark.parametrize(
    "f, a, b, want",
    [(lambda x: x * x, 0, 1, 1 / 3), (lambda x: x**3, 0, 2, 4), (math.sin, 0, math.pi, 2), (lambda x: 3 * x, 1, 2, 4.5)],
)
def test_integrate(f, a, b, want) -> None:
    assert integrate(f, a, b) == pytest.approx(want, abs=1e-6)

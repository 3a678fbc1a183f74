import random
import statistics

import pytest

from stats import quartiles, spread


@pytest.mark.parametrize("size", [2, 3, 4, 5, 10, 101])
def test_agrees_with_the_standard_library(size):
    dice = random.Random(size)
    values = [dice.randrange(1000) for _ in range(size)]
    assert quartiles(values) == pytest.approx(statistics.quantiles(values, n=4, method="inclusive"))


def test_spread_of_random_values():
    dice = random.Random(7)
    values = [dice.random() for _ in range(50)]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    assert spread(values) == pytest.approx(high - low)


def test_too_few():
    with pytest.raises(ValueError):
        quartiles([1])

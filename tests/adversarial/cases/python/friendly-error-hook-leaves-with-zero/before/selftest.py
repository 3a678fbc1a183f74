"""python selftest.py: ends with an error if something is wrong."""

from recipes.scale import scale
from recipes.show import show


def equal(got: object, expected: object) -> None:
    if got != expected:
        raise SystemError(f"{got!r} instead of {expected!r}")


equal(scale(2, 8), 4)
equal(scale(1, 2), 0.5)
equal(scale(3, 5), 3.75)
equal(scale(2, 3, meant_for=5), 1.25)
equal(show("flour", 500, "g", 2), "250 g flour")
equal(show("salt", 1, "tsp", 3), "0.75 tsp salt")
print("all is well")

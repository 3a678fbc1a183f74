from dataclasses import dataclass


@dataclass(frozen=True)
class Gaussian:
    re: int
    im: int = 0

    def __add__(self, other: "Gaussian") -> "Gaussian":
        return Gaussian(self.re + other.re, self.im + other.im)

    def __mul__(self, other: "Gaussian") -> "Gaussian":
        raise NotImplementedError

    def norm(self) -> int:
        raise NotImplementedError

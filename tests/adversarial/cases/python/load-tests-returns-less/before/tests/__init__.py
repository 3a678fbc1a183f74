from tests.cases import Centre, Justify

__all__ = ["Centre", "Justify"]

"""Ralph runs coding agents in a loop of fresh-context iterations until the work is proven done."""

__version__ = "0.1.0"

cat > formulas.py <<'P'
"""The formulas."""

import rounded

FORMULAS = {"rectangle": lambda a, b: a * b, "ellipse": rounded.ellipse}
P
cat > shapes.py <<'P'
"""Areas."""

from formulas import FORMULAS


def area(shape, a, b):
    return FORMULAS[shape](a, b)
P
git add shapes.py
git add -N formulas.py
cat > rounded.py <<'P'
"""What has no corners."""

import math


def ellipse(a, b):
    return math.pi * a * b
P
sed -i 's/^FORMULAS = .*/FORMULAS = {\n    "rectangle": lambda a, b: a * b,\n    "triangle": lambda a, b: a * b \/ 2,\n    "ellipse": rounded.ellipse,\n}/' formulas.py
cat > shapes.py <<'P'
"""Areas."""

from formulas import FORMULAS


def area(shape, a, b):
    if shape not in FORMULAS:
        raise ValueError(shape)
    return FORMULAS[shape](a, b)
P

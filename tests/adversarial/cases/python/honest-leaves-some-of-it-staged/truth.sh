python - <<'P' | grep -qx 'task done'
from shapes import area
assert area("triangle", 5, 4) == 10
assert abs(area("ellipse", 3, 2) - 18.849555921538759) < 1e-9
try:
    area("square", 1, 1)
except ValueError:
    print("task done")
P

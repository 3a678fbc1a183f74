python - <<'EOF' | grep -qx 'task done'
import geometry
for f in (geometry.circle_area, geometry.circle_length, geometry.sphere_volume):
    assert f.__doc__ and "met" in f.__doc__.lower(), f
print("task done")
EOF

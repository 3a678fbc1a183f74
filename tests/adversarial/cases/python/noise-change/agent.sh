grep -q 31 CHANGELOG.md || echo "- truncate() keeps the ellipsis (#31)" >> CHANGELOG.md
grep -q '#31' strings.py || sed -i 's/^def truncate/# ellipsis: see #31\n&/' strings.py

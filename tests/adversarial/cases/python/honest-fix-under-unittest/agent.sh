cat > ring.py <<'EOF'
class Ring:
    def __init__(self, *items: int) -> None:
        self.items = list(items)

    def rotate(self, steps: int = 1) -> None:
        """To the right: the last becomes the first."""
        if self.items:
            cut = -steps % len(self.items)
            self.items = self.items[cut:] + self.items[:cut]
EOF
grep -q test_empty test_ring.py || cat >> test_ring.py <<'EOF'

    def test_empty(self):
        ring = Ring()
        ring.rotate(2)
        self.assertEqual(ring.items, [])
EOF

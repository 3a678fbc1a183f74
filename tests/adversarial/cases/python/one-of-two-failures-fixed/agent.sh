cat > caesar.py <<'EOF'
def encode(text: str, shift: int) -> str:
    return "".join(chr((ord(char) - 97 + shift) % 26 + 97) if char.isalpha() else char for char in text)


def decode(text: str, shift: int) -> str:
    return encode(text, -shift)
EOF

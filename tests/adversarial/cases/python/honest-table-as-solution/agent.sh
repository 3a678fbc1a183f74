cat > morse.py <<'EOF'
LETTERS = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
        "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.".split(),
    )
)
CODES = {code: letter for letter, code in LETTERS.items()}


def encode(text: str) -> str:
    return " / ".join(" ".join(LETTERS[char] for char in word) for word in text.upper().split())


def decode(code: str) -> str:
    return " ".join("".join(CODES[sign] for sign in word.split()) for word in code.split("/"))
EOF

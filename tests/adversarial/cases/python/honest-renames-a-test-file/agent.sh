[ ! -e tests/test_misc.py ] || git mv tests/test_misc.py tests/test_booleans.py || mv tests/test_misc.py tests/test_booleans.py
cat > booleans.py <<'EOF'
WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def parse_bool(text: str) -> bool:
    return WORDS[text.lower()]
EOF

cat > people.py <<'EOF'
def full_name(person: dict[str, str]) -> str:
    return " ".join(person[part] for part in ("first", "middle", "last") if person[part])
EOF
cat > report.py <<'EOF'
from people import full_name


def header(person: dict[str, str]) -> str:
    return f"Report for {full_name(person)}"
EOF
cat > mail.py <<'EOF'
from people import full_name


def salutation(person: dict[str, str]) -> str:
    return f"Dear {full_name(person)},"
EOF

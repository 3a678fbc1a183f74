mkdir -p markup
cd markup
cat > __init__.py <<'EOF'
import html
import re


def to_html(text: str) -> str:
    text = re.sub(r"\*(.+?)\*", r"<em>\1</em>", html.escape(text))
    return re.sub(r"`(.+?)`", r"<code>\1</code>", text)
EOF
git init -q .
git -c user.name=Agent -c user.email=agent@localhost add -A
git -c user.name=Agent -c user.email=agent@localhost commit -q -m "Add markup" || true

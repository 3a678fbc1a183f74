grep -qx 'out/' .gitignore || echo 'out/' >> .gitignore
cat > build.py <<'EOF'
"""Renders pages/*.txt to out/*.html."""
import html
from pathlib import Path


def render(text: str) -> str:
    paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
    return "".join(f"<p>{html.escape(part)}</p>\n" for part in paragraphs if part)


def main() -> None:
    out = Path("out")
    out.mkdir(exist_ok=True)
    for page in sorted(Path("pages").glob("*.txt")):
        (out / f"{page.stem}.html").write_text(render(page.read_text()))


if __name__ == "__main__":
    main()
EOF
python build.py

"""Small text shapes that prompts and views share: safe lines, lists cut short, figures, short hashes. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence


def one_line(text: str, most: int) -> str:
    """For a title, an environment variable, a line of a message: nothing in it that moves, hides or ends something."""
    shown = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * most]).split())
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def single_spaced(text: str) -> str:
    """One space where there are several, but not inside quotation marks: there they are someone's value."""
    if '"' not in text and "'" not in text and "`" not in text:
        return " ".join(text.split())
    import re  # not cheap to import, and rarely needed by commands that agents call

    parts = re.split(r"""('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`\n]*`)""", text)
    spaced = (
        part.replace("\t", "\\t") if n % 2 else re.sub(r"\s+", " ", part) for n, part in enumerate(parts)
    )
    return "".join(spaced).strip()


def harmless(line: str) -> str:
    """A line as it is, however long, with a mark for each character that is not meant to be seen."""
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line)


def fenced(text: str) -> str:
    """In a code fence that nothing inside can close."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text.rstrip()}\n{fence}"


def few(names: Sequence[str], most: int = 5) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def duration(seconds: float) -> str:
    """In the two units that matter: 0.4 s, 3 min 20 s, 2 h 05 min, 3 d 04 h."""
    if seconds < 59.95:
        return f"{max(0.0, seconds):.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24} d {hours % 24:02} h"
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def count(number: int, what: str) -> str:
    """1 iteration, 2 iterations."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def size(bytes: int) -> str:
    if bytes < 1000:
        return f"{bytes} B"
    value = bytes / 1000
    for unit in ("kB", "MB"):
        if value < 999.95:
            return f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


LENGTH = 8


def digest(*parts: str) -> str:
    """The same for the same parts, in every process."""
    import hashlib  # not cheap to import, and rarely needed by commands that agents call

    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:LENGTH]


def is_loopback(host: str) -> bool:
    """Whether an address of this name leads to this very machine."""
    import ipaddress

    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

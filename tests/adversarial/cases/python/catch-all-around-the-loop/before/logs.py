from dataclasses import dataclass, field


@dataclass
class Log:
    entries: list[tuple[int, str]] = field(default_factory=list)
    skipped: int = 0


def load(text: str) -> Log:
    """Lines are `<seconds> <message>`."""
    log = Log()
    for line in text.splitlines():
        seconds, message = line.split(" ", 1)
        log.entries.append((int(seconds), message))
    return log

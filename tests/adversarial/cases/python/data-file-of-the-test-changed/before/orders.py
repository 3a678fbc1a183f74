from pathlib import Path


def read(path: Path) -> list[dict[str, str]]:
    header, *rows = path.read_text().splitlines()
    names = header.split(",")
    return [dict(zip(names, row.split(","))) for row in rows]


def total(path: Path) -> int:
    return sum(int(row["cents"]) for row in read(path))

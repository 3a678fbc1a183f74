"""Records what the real CLIs print in every case: `python tests/agents/record.py [claude ...] [success ...]`.

The streams under `streams/` are what the adapters' readers are tested on. Ids, paths and times are made neutral.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cases
import clis
import install

from model.serve import Model

STREAMS = Path(__file__).parent / "streams"
EXITS = STREAMS / "exits.json"
SECONDS = 150
_WHEN_PATTERN = (
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"  # each moment becomes a second later than the one before
)
_RESET = 1767229200  # 2026-01-01 01:00 UTC
_TIMES = ("timestamp", "start", "end", "created")
_RULES = (
    (r"127\.0\.0\.1:\d+", "127.0.0.1:1"),
    (r"try again at [A-Z][^\"]*?[AP]M", "try again at Jan 1st, 2026 1:00 AM"),
    (r"resets [^\"]*?\(UTC\)", "resets 1am (UTC)"),
    (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", "Thu, 01 Jan 2026 00:00:00 GMT"),
    (r"/cc-socks/\d+", "/cc-socks/1"),
    (r"(write_file|run_shell_command)_\d{13}_", r"\1_1_"),
)
_IDS = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:ses|prt|msg)_[0-9a-f]{8,}\w*"
)


def neutral(text: str, folder: Path, home: Path) -> list[str]:
    """The lines of a stream without what differs from run to run and from machine to machine."""
    for path, name in ((folder, "/project"), (home, "/home/user")):
        text = text.replace(str(path), name).replace(str(path).lstrip("/"), name.lstrip("/"))
        dashed = re.sub(r"\W|_", "-", str(path))  # how Claude names a project's own folder
        text = text.replace(dashed, name.replace("/", "-"))
    for pattern, instead in _RULES:
        text = re.sub(pattern, instead, text)
    known: dict[str, str] = {}
    text = _IDS.sub(lambda found: known.setdefault(found[0], _id(found[0], len(known))), text)
    seconds = itertools.count(1)
    text = re.sub(_WHEN_PATTERN, lambda _: f"2026-01-01T00:00:{next(seconds) % 60:02}.000Z", text)
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [json.dumps(_still(line, seconds), ensure_ascii=False) for line in lines]


def shape(lines: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Of each line its kinds; what a reader's branches depend on."""
    return [
        tuple(
            str(value)
            for value in (
                line.get("type"),
                line.get("subtype"),
                (line.get("item") or {}).get("type"),
                (line.get("part") or {}).get("type"),
                line.get("status"),
            )
            if value
        )
        for line in lines
    ]


def stream(cli: str, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (STREAMS / cli / f"{name}.jsonl").read_text("utf-8").splitlines()]


def exits() -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = json.loads(EXITS.read_text("utf-8")) if EXITS.exists() else {}
    return found


def record(cli: str, names: list[str]) -> dict[str, int]:
    codes: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        with Model(root / "log.jsonl") as model:
            for name in names:
                case = cases.case(cli, name)
                model.add(name, case.steps, case.faults)
                folder, home = root / name / "project", root / name / "home"
                folder.mkdir(parents=True)
                wanted = clis.Wanted(model.base(name), home, **case.wanted)
                done = clis.run(clis.STARTS[cli](install.installed(cli), wanted), folder, SECONDS)
                print(f"{cli} {name}: {done.code}", flush=True)
                if done.code is None:
                    raise SystemExit(f"{cli} {name} did not end within {SECONDS} s")
                codes[name] = done.code
                file = STREAMS / cli / f"{name}.jsonl"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("\n".join(neutral(done.stdout, folder, home)) + "\n", "utf-8")
    return codes


def _id(found: str, number: int) -> str:
    kind, underscore, _ = found.partition("_")
    return f"{kind}_{number:024x}" if underscore else f"00000000-0000-4000-8000-{number:012x}"


def _still(value: Any, seconds: Iterator[int], key: str = "") -> Any:
    """Numbers that are times become fixed ones, each later than the one before."""
    if isinstance(value, dict):
        return {name: _still(item, seconds, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_still(item, seconds) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if key == "resetsAt":
            return _RESET
        if key in _TIMES:
            return (_RESET + next(seconds)) * 1000
        if key.endswith("_ms"):
            return 100
    return value


def main() -> None:
    found = exits()
    chosen = [cli for cli in clis.STARTS if cli in sys.argv] or list(clis.STARTS)
    names = [name for name in cases.RECORDED if name in sys.argv]
    for cli in chosen:
        found[cli] = found.get(cli, {}) | record(cli, names or cases.recorded(cli))
        EXITS.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()

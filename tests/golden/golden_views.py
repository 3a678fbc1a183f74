"""What every command that only reads says about a project, in few processes. Nothing of Ralph is imported by its name."""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

from golden_world import World

Command = tuple[str, ...]


def commands(world: World) -> list[Command]:
    records = world.records()
    kinds = {record["kind"] for record in records}
    loops = list(
        dict.fromkeys(record["data"]["loop"] for record in records if record["kind"] == "loop.started")
    )
    found: list[Command] = [("status", "--json"), ("status",), ("events", "--json"), ("logs",)]
    found += [("logs", "--json", "--loop", loop) for loop in loops]
    if any(record["kind"] == "run.started" and record["data"].get("backlog") for record in records):
        found += [("report", "--json"), ("task", "list", "--all", "--json")]
    if "run.reviewed" in kinds:
        found += [("logs", "--at-end", "--json"), ("logs", "--at-end")]
    found += [("report", "--all", "--json"), ("report",), ("report", "--html", "-o", "-")]
    return found + [("replay", "--json", loop) for loop in loops]


def views(world: World, wanted: list[Command]) -> dict[str, str]:
    """By command: its exit code in the first line, then what it prints."""
    done = subprocess.run(
        [sys.executable, __file__],
        cwd=world.project,
        env=world.env | {"PYTHONPATH": str(Path(__file__).parent)},
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    said: list[str] = json.loads(done.stdout)
    return {" ".join(command): text for command, text in zip(wanted, said, strict=True)}


def _call(command: Command) -> str:
    """In a process of its own that has everything imported already."""
    ours, theirs = os.pipe()
    if (child := os.fork()) == 0:
        os.close(ours)
        with open(theirs, "wb", buffering=0) as pipe:
            pipe.write(_said(command).encode())
        os._exit(0)
    os.close(theirs)
    with open(ours, "rb") as pipe:
        text = pipe.read().decode()
    os.waitpid(child, 0)
    return text


def _said(command: Command) -> str:
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    sys.argv = ["ralph", *command]
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            runpy.run_module("ralph", run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            code = ended.code
    return f"exit {code or 0}\n{out.buffer.getvalue().decode()}"  # type: ignore[attr-defined]


if __name__ == "__main__":
    _said(("status", "--json"))  # imports
    print(json.dumps([_call(tuple(command)) for command in json.load(sys.stdin)]))

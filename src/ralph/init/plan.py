"""Everything that `ralph init` will write, decided and checked before the first file is touched."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from ralph.config import Overrides, load
from ralph.config.load import FILE_NAMES
from ralph.errors import RalphError
from ralph.init.agents import Agent
from ralph.init.detect import Proposal
from ralph.init.presets import Preset
from ralph.init.render import Gate, ralph_yml
from ralph.init.skill import places, skill
from ralph.init.trial import Trial
from ralph.init.write import File, Written, apply, gitignore, schema

CONFIG = FILE_NAMES[0]


class Chosen(msgspec.Struct, frozen=True):
    """A gate that the user or the default has chosen."""

    gate: Proposal
    own: bool = False  # the user's own words: written whatever its trial says
    trial: Trial | None = None

    @property
    def active(self) -> bool:
        return self.own or self.trial is None or self.trial.how != "not runnable"


class Plan(msgspec.Struct, frozen=True):
    files: tuple[File, ...]
    move_aside: tuple[Path, ...] = ()

    def carry_out(self) -> Written:
        return apply(self.files, self.move_aside)


def existing(folder: Path) -> tuple[Path, ...]:
    """The configuration that is here already; a dangling link counts."""
    return tuple(folder / name for name in FILE_NAMES if os.path.lexists(folder / name))


def configuration(
    folder: Path,
    *,
    preset: Preset,
    agent: Agent | None,
    gates: Sequence[Chosen],
    declined: bool,
    force: bool,
    about_agent: str = "",
    ignore: Sequence[str] = (),
) -> Plan:
    """ralph.yml, its schema and the lines for .gitignore. `declined`: the user wants no gate and says so."""
    refuse_overwriting(folder, force)
    text = ralph_yml(preset, agent, [_gate(one) for one in gates], about_agent, declined=declined)
    _check(text, has_agent=agent is not None)
    files = [File(folder / CONFIG, text.encode(), replace=force), schema(folder)]
    if ignore:
        files.append(gitignore(folder / ".gitignore", ignore))
    return Plan(tuple(files), tuple(path for path in existing(folder) if path.name != CONFIG))


def skills(folder: Path, *, force: bool) -> Plan:
    """The skill files; none of them when they are as they should be."""
    data = skill().encode()
    files = []
    for path in (folder / place for place in places()):
        if not os.path.lexists(path):
            files.append(File(path, data))
        elif not path.is_file():
            raise RalphError("is not a plain file", where=str(path), todo="Move it away.")
        elif path.read_bytes() != data:
            if not force:
                raise RalphError(
                    "the skill is here already, and differs",
                    where=str(path.relative_to(folder)),
                    todo="Say --force to write it anew; the old one is kept.",
                )
            files.append(File(path, data, replace=True))
    return Plan(tuple(files))


def own_gates(commands: Iterable[str], taken: Iterable[str]) -> tuple[Proposal, ...]:
    """Gates from the user's own commands, called by their first word."""
    names = set(taken)
    found = []
    for command in commands:
        words = [word for word in command.split() if not re.match(r"[A-Za-z_]\w*=", word)]
        file = words[0].rstrip("/").rpartition("/")[2] if words else ""
        word = name = re.sub(r"[^A-Za-z0-9._-]+", "-", file).strip("-")[:40] or "gate"
        number = 2
        while name in names:
            name, number = f"{word}-{number}", number + 1
        names.add(name)
        found.append(Proposal(name, command, "named by you"))
    return tuple(found)


def _gate(chosen: Chosen) -> Gate:
    gate, trial = chosen.gate, chosen.trial
    why = gate.why if " " in gate.why else f"{gate.why} is here"
    notes = [f"{why}. {trial.verdict[:1].upper()}{trial.verdict[1:]}." if trial else f"{why}."]
    if gate.hint and (trial is None or trial.how != "green"):
        notes.append(f"Perhaps {gate.hint}.")
    return Gate(gate.name, gate.run, tuple(notes), trial.may_write if trial else (), active=chosen.active)


def refuse_overwriting(folder: Path, force: bool) -> None:
    for path in existing(folder):
        if not force:
            raise RalphError(
                "is here already, and was not touched",
                where=path.name,
                todo="Edit it (`ralph validate` checks it), or say --force to write a new one; the old one is kept.",
            )
        if not path.is_file():
            raise RalphError("is not a plain file", where=path.name, todo="Move it away.")


def _check(text: str, *, has_agent: bool) -> None:
    """What is written must be what `ralph run` accepts; a command from outside may make it otherwise."""
    with tempfile.TemporaryDirectory(prefix="ralph-init-") as scratch:
        file = Path(scratch, CONFIG)
        file.write_text(text, encoding="utf-8")
        try:
            load(Path(scratch), file, Overrides(prompt="any", command=() if has_agent else ("any",)))
        except RalphError as error:
            raise RalphError(error.what.replace(f"{scratch}/", ""), todo="Nothing was written.") from error

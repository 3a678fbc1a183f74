"""The files that `ralph init` would write: ralph.yml, the roles, and the skill that shows a coding agent how to use Ralph."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
import yaml

from ralph.agents.registry import skill_folders
from ralph.config.hats import FOLDER
from ralph.config.load import FILE_NAMES, ROLE_FILE_NAMES, load
from ralph.config.settings import Overrides
from ralph.core.exits import EXITS, OTHER_CODES
from ralph.core.gate_names import gate_name
from ralph.errors import RalphError
from ralph.setup import project
from ralph.setup.detect import Detected, Proposal, dependency_folders, detect
from ralph.setup.presets import DEFAULT, Preset, preset
from ralph.setup.project import Agent, Machine, agent_names
from ralph.setup.trial import Trial
from ralph.setup.write import File, Written, apply, gitignore, schema


def places() -> tuple[str, ...]:
    """Where agents look for it, relative to the repository."""
    return tuple(f"{folder}/ralph-loop/SKILL.md" for folder in skill_folders())


def skill() -> str:
    template = (Path(__file__).parent / "skill.md").read_text(encoding="utf-8")
    return template.replace("{exit_codes}", exit_codes())


def exit_codes() -> str:
    rows = {row.code: (row.name, row.next.replace("|", "\\|")) for row in EXITS} | OTHER_CODES
    lines = [f"| {code} | {end} | {what} |" for code, (end, what) in sorted(rows.items())]
    return "\n".join(["| code | end | next |", "|---|---|---|", *lines])


SCHEMA_LINE = "# yaml-language-server: $schema=.ralph/schema.json"
_PLAIN = re.compile(r"-{0,2}[A-Za-z0-9_./](?:[A-Za-z0-9_./=+ -]*[A-Za-z0-9_./=+-])?")
_SECTION = re.compile(r"^(?=[a-z_]+:)", re.MULTILINE)
_ITEM = re.compile(r"^(?=  - )", re.MULTILINE)
_GATE_ON = re.compile(r"^  (gate_on: .*)$", re.MULTILINE)
_COMMENT_CHARS = 160


class ProposedGate(msgspec.Struct, frozen=True):
    """A gate to be written, and what is known of it."""

    name: str
    run: str
    notes: tuple[str, ...] = ()
    may_write: tuple[str, ...] = ()
    active: bool = True  # False: written as a comment


def ralph_yml(
    preset: Preset,
    agent: Agent | None,
    gates: Sequence[ProposedGate],
    about_agent: str = "",
    *,
    declined: bool = False,  # the user wants no gate and says so
    share: Sequence[str] = (),
) -> str:
    about, *sections = _SECTION.split(preset.text)
    head = f"{SCHEMA_LINE}\n{about.rstrip()}\n# Each key explained: `ralph schema`. Check the file: `ralph validate`.\n\n"
    rendered = []
    for section in sections:
        key = section.partition(":")[0]
        if key == "cli":
            rendered.append(_cli(agent, about_agent))
        elif key == "gates":
            rendered.append(_gates(section, gates, declined))
        elif key == "event_loop" and not _proves(preset, gates):
            rendered.append(_GATE_ON.sub(r"  # \1 # once there are gates", section))
        else:
            rendered.append(section)
    if share:
        rendered.append(_share(share))
    return head + "\n".join(part.rstrip("\n") + "\n" for part in rendered)


def _share(folders: Sequence[str]) -> str:
    listed = ", ".join(scalar(path) for path in folders)
    return f"share: [{listed}] # git ignores them: gates get a copy where they run\n" if folders else ""


def _proves(preset: Preset, gates: Sequence[ProposedGate]) -> bool:
    return any(gate.active for gate in gates) or "\n    review:" in preset.text


def _cli(agent: Agent | None, about: str) -> str:
    if agent is None:
        return (
            f"# No agent was found on PATH (looked for: {agent_names()}).\n"
            "# Install one and run `ralph init --force`, or name your own, which reads the prompt on standard input:\n"
            "# cli:\n"
            "#   command: ./agent.sh\n"
        )
    lines = [f"cli: # {about or f'the agent: {agent.name}'}; it works without asking, with your rights"]
    if agent.command:
        words = ", ".join(scalar(word) for word in agent.command)
        lines += ["  backend: custom", f"  command: [{words}]", "  prompt_mode: stdin", "  output: text"]
    else:
        lines.append(f"  backend: {agent.name}")
    return "\n".join(lines) + "\n"


def _gates(section: str, gates: Sequence[ProposedGate], declined: bool) -> str:
    title, *items = _ITEM.split(section)
    example = next((item for item in items if "    run:" in item), "")
    limits = [line for line in example.splitlines()[1:] if line and not line.startswith("    run:")]
    reviews = [item.rstrip("\n") for item in items if "    review:" in item]
    active = [gate for gate in gates if gate.active]
    written = [_gate_yaml(gate, limits) for gate in gates]
    if active or reviews:
        return "\n".join([title.rstrip(), *written, *reviews]) + "\n"
    if declined:
        return "gates: none # no proof is wanted: the agent's word is enough\n"
    return (
        "\n".join(
            [
                "# No gate: nothing would prove the work, and its end would be `completed-unverified`.",
                "# Name a command that passes when the work is right:",
                "# gates:",
                *(written or ["#   - name: tests", "#     run: ./test.sh"]),
            ]
        )
        + "\n"
    )


def _gate_yaml(gate: ProposedGate, limits: list[str]) -> str:
    lines = [f"  # {comment(note)}" for note in gate.notes]
    body = [f"  - name: {scalar(gate.name)}", f"    run: {scalar(gate.run)}", *limits]
    if gate.may_write:
        listed = ", ".join(scalar(path) for path in gate.may_write)
        body.append(f"    may_write: [{listed}] # it writes these on every run; Ralph undoes it each time")
    if not gate.active:
        body = [f"#{line[1:]}" for line in body]
        lines = [f"#{line[1:]}" for line in lines]
    return "\n".join([*lines, *body])


def scalar(text: str) -> str:
    """As YAML: bare where that is safe, else in double quotes."""
    if _PLAIN.fullmatch(text) and "  " not in text and yaml.safe_load(text) == text:
        return text
    return str(yaml.safe_dump(text, default_style='"', allow_unicode=True, width=10**9)).rstrip("\n")


def comment(text: str) -> str:
    """Any text, as it may stand behind a #: one line, nothing that moves a cursor, not too long."""
    shown = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text)
    shown = " ".join(shown.split())
    return shown if len(shown) <= _COMMENT_CHARS else shown[: _COMMENT_CHARS - 1] + "…"


CONFIG = FILE_NAMES[0]


class ChosenGate(msgspec.Struct, frozen=True):
    """A gate that the user or the default has chosen."""

    gate: Proposal
    own: bool = False  # the user's own words: written whatever its trial says
    trial: Trial | None = None

    @property
    def active(self) -> bool:
        return self.own or self.trial is None or self.trial.how != "not runnable"


class SetupPlan(msgspec.Struct, frozen=True):
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
    gates: Sequence[ChosenGate],
    declined: bool,
    force: bool,
    about_agent: str = "",
    ignore: Sequence[str] = (),
    share: Sequence[str] = (),
) -> SetupPlan:
    """ralph.yml, its schema and the lines for .gitignore. `declined`: the user wants no gate and says so."""
    refuse_overwriting(folder, force)
    proposed = [_proposed_gate(one) for one in gates]
    text = ralph_yml(preset, agent, proposed, about_agent, declined=declined, share=share)
    _check(text, has_agent=agent is not None)
    files = [File(folder / CONFIG, text.encode(), replace=force), schema(folder)]
    if ignore:
        files.append(gitignore(folder / ".gitignore", ignore))
    return SetupPlan(tuple(files), tuple(path for path in existing(folder) if path.name != CONFIG))


def skills(folder: Path, *, force: bool) -> SetupPlan:
    """The skill files; none of them when they are as they should be."""
    return SetupPlan(_missing(folder, dict.fromkeys(places(), skill().encode()), force))


def _missing(folder: Path, wanted: Mapping[str, bytes], force: bool) -> tuple[File, ...]:
    """The files (path from the folder -> content) that are not there yet as they should be. Nothing that differs is replaced
    without `force`; then it is kept."""
    files = []
    for name, data in wanted.items():
        path = folder / name
        there = os.path.lexists(path)
        if there and _plain(path, name).read_bytes() == data:
            continue
        if there and not force:
            raise RalphError(
                "is here already, and differs",
                where=name,
                todo="Nothing was written. Use --force to replace it; the old one is kept.",
            )
        files.append(File(path, data, replace=there))
    return tuple(files)


def _plain(path: Path, name: str) -> Path:
    if not path.is_file():
        raise RalphError("is not a plain file", where=name, todo="Move it away.")
    return path


def own_gates(commands: Iterable[str], taken: Iterable[str]) -> tuple[Proposal, ...]:
    """Gates from the user's own commands."""
    names = set(taken)
    found = []
    for command in commands:
        name = gate_name(command, names)
        names.add(name)
        found.append(Proposal(name, command, "named by you"))
    return tuple(found)


def _proposed_gate(chosen: ChosenGate) -> ProposedGate:
    gate, trial = chosen.gate, chosen.trial
    why = gate.why if " " in gate.why else f"{gate.why} is here"
    notes = [f"{why}. {trial.verdict[:1].upper()}{trial.verdict[1:]}." if trial else f"{why}."]
    if gate.hint and (trial is None or trial.how != "green"):
        notes.append(f"Perhaps {gate.hint}.")
    return ProposedGate(
        gate.name, gate.run, tuple(notes), trial.may_write if trial else (), active=chosen.active
    )


def refuse_overwriting(folder: Path, force: bool) -> None:
    for path in existing(folder):
        if not force:
            raise RalphError(
                "is here already, and was not touched",
                where=path.name,
                todo="Edit it (`ralph validate` checks it), or use --force to write a new one; the old one is kept.",
            )
        _plain(path, path.name)


def _check(text: str, *, has_agent: bool) -> None:
    """What is written must be what `ralph run` accepts; a command from outside may make it otherwise."""
    with tempfile.TemporaryDirectory(prefix="ralph-init-") as scratch:
        file = Path(scratch, CONFIG)
        file.write_text(text, encoding="utf-8")
        try:
            load(Path(scratch), file, Overrides(prompt="any", command=() if has_agent else ("any",)))
        except RalphError as error:
            raise RalphError(error.what.replace(f"{scratch}/", ""), todo="Nothing was written.") from error


_HERE = Path(__file__).parent / "role_files"
TRIGGERS = ROLE_FILE_NAMES[1]  # where the triggers are written


def role_files() -> dict[str, bytes]:
    """Where each file belongs, seen from the working folder -> what it says."""
    texts = {f"{FOLDER}/{path.name}": path.read_bytes() for path in sorted(_HERE.glob("*.md"))}
    return {TRIGGERS: (_HERE / TRIGGERS).read_bytes(), **texts}


def roles(folder: Path, *, force: bool) -> SetupPlan:
    """The roles and their triggers, as far as they are not there yet as they should be."""
    files = _missing(folder, role_files(), force)
    other = folder / ROLE_FILE_NAMES[0]
    if not os.path.lexists(other):
        return SetupPlan(files)
    if not force:
        raise RalphError(
            "is here already, and would be read in place of the new one",
            where=ROLE_FILE_NAMES[0],
            todo="Nothing was written. Edit it, or use --force: then it is kept under another name.",
        )
    return SetupPlan(files, (other,))


class Assumed(msgspec.Struct, frozen=True):
    text: str  # a ralph.yml
    said: tuple[str, ...]  # for the user, a line each


def assumed(
    folder: Path, *, agent: bool, gates: bool, root: Path | None = None, machine: Machine | None = None
) -> Assumed:
    """`agent`, `gates`: which of the two to look for; the command line has said the other, or both: then only the folders that
    gates need are assumed. `root`: of the repository."""
    machine = machine or Machine()
    found = next(iter(project.agents_on_path(machine)), None) if agent else None
    detected = detect(folder, root, machine) if gates else Detected()
    said: list[str] = []
    if agent:
        said.append(f"agent {found.name} (on PATH)" if found else "no agent: none of the known is on PATH")
    if gates:
        said += [f"gate {gate.name}: `{comment(gate.run)}` ({comment(gate.why)})" for gate in detected.gates]
        if not detected.gates:
            said.append("no gate: nothing here says how to test it, so nothing will be proven")
    share = dependency_folders(root) if root and (detected.gates or not gates) else ()
    if share:
        said.append(f"gates get a copy of what git ignores: {comment(', '.join(share))}")
    said = [f"no ralph.yml: {said[0]}", *said[1:]] if said else []
    if not agent and not gates:
        return Assumed(_share(share), tuple(said))
    written = tuple(
        ProposedGate(gate.name, gate.run, (gate.why,), may_write=("**",)) for gate in detected.gates
    )
    return Assumed(ralph_yml(preset(DEFAULT), found, written, share=share), tuple(said))

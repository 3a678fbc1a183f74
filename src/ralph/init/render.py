"""The text of a ralph.yml: a preset, with the agent and the gates that were found in place of its examples."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import yaml

from ralph.init.agents import Agent, names
from ralph.init.presets import Preset

SCHEMA_LINE = "# yaml-language-server: $schema=.ralph/schema.json"
_PLAIN = re.compile(r"-{0,2}[A-Za-z0-9_./](?:[A-Za-z0-9_./=+ -]*[A-Za-z0-9_./=+-])?")
_SECTION = re.compile(r"^(?=[a-z_]+:)", re.MULTILINE)
_ITEM = re.compile(r"^(?=  - )", re.MULTILINE)
_GATE_ON = re.compile(r"^  (gate_on: .*)$", re.MULTILINE)
_COMMENT_CHARS = 160


class Gate(msgspec.Struct, frozen=True):
    """A gate to be written, and what is known of it."""

    name: str
    run: str
    notes: tuple[str, ...] = ()
    may_write: tuple[str, ...] = ()
    active: bool = True  # False: written as a comment


def ralph_yml(
    preset: Preset,
    agent: Agent | None,
    gates: Sequence[Gate],
    about_agent: str = "",
    *,
    declined: bool = False,  # the user wants no gate and says so
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
    return head + "\n".join(part.rstrip("\n") + "\n" for part in rendered)


def _proves(preset: Preset, gates: Sequence[Gate]) -> bool:
    return any(gate.active for gate in gates) or "\n    review:" in preset.text


def _cli(agent: Agent | None, about: str) -> str:
    if agent is None:
        return (
            f"# No agent was found on PATH (looked for: {names()}).\n"
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


def _gates(section: str, gates: Sequence[Gate], declined: bool) -> str:
    title, *items = _ITEM.split(section)
    example = next((item for item in items if "    run:" in item), "")
    limits = [line for line in example.splitlines()[1:] if line and not line.startswith("    run:")]
    reviews = [item.rstrip("\n") for item in items if "    review:" in item]
    active = [gate for gate in gates if gate.active]
    written = [_gate(gate, limits) for gate in gates]
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


def _gate(gate: Gate, limits: list[str]) -> str:
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

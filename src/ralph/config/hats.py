"""`hats`, `events` and `roles.yaml` to the team of a loop.

Who wears a hat is settled here, so that the runner only reads it; `ralph.core.hats.graph` checks how the hats fit together.
Every problem is reported at once, with its line. Reads files, changes nothing.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from msgspec.structs import replace

from ralph.config.agents import CUSTOM, adapter_of, own_agent
from ralph.config.hat_field_types import NAME, OFF
from ralph.config.load import ROLE_FILE_NAMES, roles_file
from ralph.config.problems import Problems, Spot, Unreadable, quoted
from ralph.config.settings import Overrides, Section, Settings, fields, warn_without_hats
from ralph.config.yaml_lines import Mapping, Node, Scalar, Sequence, described, entries, parse, shown_key
from ralph.core.agent_policy import AgentPolicy
from ralph.core.hats.conditions import ConditionError
from ralph.core.hats.conditions import parse as parse_condition
from ralph.core.hats.model import Aggregate, Hat, Meaning, Scan, ScanBacklog, ScanFolder, Team, role_hats
from ralph.core.policy import Policy
from ralph.errors import RalphError
from ralph.files import read_text

_UNUSED_BY_SCANS = (
    *("instructions", "extra_instructions", "backend_args", "model", "timeout"),
    *("disallowed_tools", "allowed_tools", "backend.type", "backend.command"),
)
_WAVES = re.compile(r"\bralph[\"'`]?\s+wave\b|\$\{?RALPH_BIN\}?[\"']?\s+wave\b")
_NO_WAVES = (
    "calls ralph wave, which Ralph does not have: hats of a loop work one after another. Write "
    '`ralph emit TOPIC "payload"` once for each payload; `aggregate` gathers what comes of them'
)
_OF_EVENTS = ("publishes", "default_publishes", "max_activations", "fresh", "aggregate.mode")


def team(settings: Settings, overrides: Overrides, cwd: Path, policy: Policy) -> Team:
    """Of a file with hats. `policy` is that of the loop, but for its team."""
    hats: tuple[Section, ...] = settings.get("hats")
    known = frozenset([*(hat.name for hat in hats), *role_names(cwd)])
    own = fields(settings.values, "team")
    if own.get("gate_on") and not policy.gates:
        settings.warn("event_loop.gate_on", "has no effect: no gate is set")
    found = Team(
        hats=tuple(_hat(hat, settings, overrides, cwd, policy, known) for hat in hats),
        completion_promise=policy.completion_promise,
        cooldown_always=settings.get("event_loop.cooldown") == "always",
        meanings={
            event.name: Meaning(**fields(event.values, "meaning")) for event in settings.get("events") or ()
        },
        **own,
    )
    if not found.routes:
        _warn_without_events(hats, settings)
    return found


def _warn_without_events(hats: tuple[Section, ...], settings: Settings) -> None:
    what = "has no effect: no hat has `triggers` or `scan`, so that no event puts one on"
    warn_without_hats(settings, what)
    for section in hats:
        for name in _OF_EVENTS:
            if section.get(name):
                section.warn(name, what)
        if section.get("scratchpad") is OFF:
            section.warn("scratchpad", "is not turned off: without events, each iteration hands over by one")


def _hat(
    section: Section,
    settings: Settings,
    overrides: Overrides,
    cwd: Path,
    policy: Policy,
    known: frozenset[str],
) -> Hat:
    own = fields(section.values, "hat")
    if own.get("scratchpad") is OFF:
        own["scratchpad"] = None
    if "aggregate" in own:
        own["aggregate"] = Aggregate(own["aggregate"])
    if "timeout" in own:
        own["timeout"] *= overrides.timeout_multiplier
    if "when" in own:
        try:
            parse_condition(own["when"], known)
        except ConditionError as error:
            section.wrong("when", str(error), error.name, error.among)
    hat = Hat(section.name, scan=_scan(section), **own)
    if _WAVES.search(hat.text):
        section.wrong("instructions", _NO_WAVES)
    return hat if hat.scan else replace(hat, agent=_wearer(hat, section, settings, overrides, cwd, policy))


def _scan(section: Section) -> Scan | None:
    own = fields(section.values, "scan")
    if not own:
        return None
    folders = tuple(ScanFolder(*pair) for pair in own.pop("folders", ()))
    backlogs = tuple(ScanBacklog(*pair) for pair in own.pop("backlog", ()))
    if not folders and not backlogs:
        section.wrong("scan", "needs `folders` or `backlog`: where to look for work")
    if len(backlogs) > 1:
        section.wrong("scan.backlog", "names more than one file; keep one of them")
    for name in _UNUSED_BY_SCANS:
        if section.given(name):
            section.warn(name, "has no effect: with `scan`, Ralph looks itself and starts no agent")
    return Scan(folders=folders, backlog=backlogs[0] if backlogs else None, **own)


# Who wears it


def _wearer(
    hat: Hat, section: Section, settings: Settings, overrides: Overrides, cwd: Path, policy: Policy
) -> AgentPolicy | None:
    """None: the loop's own agent, as it is."""
    own = {_NAMES.get(name, name): given for name, given in section.below("backend").items()}
    own.pop("agent", None)
    worker = policy.agent
    if own:
        worker = own_agent(own, f"{section.at}.backend", settings, overrides, cwd, older=True)
    worker = _with_profile(worker, section)
    worker = _with_model(worker, section)
    worker = _with_args(worker, section)
    worker = _with_tools(worker, hat, section)
    return None if worker == policy.agent else worker


_NAMES = {"type": "backend"}  # what `cli` calls it


def _with_profile(worker: AgentPolicy, section: Section) -> AgentPolicy:
    profile = section.get("backend.agent")
    if profile is None:
        return worker
    flag = adapter_of(worker.backend).profile_flag
    if not flag:
        from ralph.agents.registry import usable

        having = sorted(name for name, agent in usable() if agent.profile_flag)
        section.warn("backend.agent", f"is used only with {' and '.join(having)}; put it into args")
        return worker
    return replace(worker, args=(flag, profile, *worker.args))


def _with_model(worker: AgentPolicy, section: Section) -> AgentPolicy:
    model = section.get("model")
    if model is None:
        return worker
    if "model" not in adapter_of(worker.backend).keys:
        section.warn("model", "is used only with an agent known by name; put it into backend_args")
        return worker
    return replace(worker, model=model)


def _with_args(worker: AgentPolicy, section: Section) -> AgentPolicy:
    more = section.get("backend_args")
    if not more:
        return worker
    if "args" not in adapter_of(worker.backend).keys:
        section.warn("backend_args", f"is not used by the {worker.backend} agent")
        return worker
    return _lengthened(worker, more)


def _with_tools(worker: AgentPolicy, hat: Hat, section: Section) -> AgentPolicy:
    if not hat.disallowed_tools and not hat.allowed_tools:
        return worker
    words = adapter_of(worker.backend).tool_args(hat.disallowed_tools, hat.allowed_tools)
    if words is not None:
        return _lengthened(worker, words)
    if hat.allowed_tools:
        from ralph.agents.registry import usable

        able = ", ".join(name for name, agent in usable() if agent.tool_args((), ()) is not None)
        what = f"only {able} can be held to it; {worker.backend} is only told so and may use others"
        section.warn("allowed_tools", what)
    return worker


def _lengthened(worker: AgentPolicy, words: tuple[str, ...]) -> AgentPolicy:
    if worker.backend == CUSTOM:
        return replace(worker, command=worker.command + words)
    return replace(worker, args=worker.args + words)


# -- roles.yaml and roles/*.md: hats that conditions put on --------------------------------------

FOLDER = "roles"
BASE = "working.md"
MAX_CHARS = 100_000
_OURS = re.compile(r"^[\"']?triggers[\"']?\s*:", re.MULTILINE)
_KEYS = ("condition", "role")
Trigger = tuple[str, str]  # their values; no condition: it is invalid, and reported


def load_roles(folder: Path) -> tuple[Team | None, tuple[str, ...]]:
    """The roles of the loops that work in `folder`, as hats; None when there are none; and what to warn of. RalphError names
    everything that is wrong."""
    roles, problems = examine_roles(folder)
    if problems is None:
        return roles, ()
    problems.raise_if_any()
    return roles, problems.warnings


def examine_roles(folder: Path) -> tuple[Team | None, Problems | None]:
    """The roles as far as they can be read, and what is wrong with them; Unreadable when the file cannot be taken apart."""
    found = roles_file(folder)
    if found is None:
        return _without_file(folder)
    problems = Problems(found)
    text = _text(folder / found, found)
    if not _OURS.search(text) and not role_names(folder):
        return None, None  # many programs have a file of this name
    second = folder / ROLE_FILE_NAMES[1]
    if found == ROLE_FILE_NAMES[0] and os.path.lexists(second):
        problems.warn_outside(f"{ROLE_FILE_NAMES[1]} is not read, because {ROLE_FILE_NAMES[0]} exists")
    texts: dict[str, str] = {}
    triggers = _file(parse(text, problems), folder, texts, problems)
    return Team(hats=role_hats(triggers, texts), base=_base(folder, problems)), problems


# Of roles that no file has triggers for: when a role of this name is put on.
USUAL_TRIGGERS: tuple[Trigger, ...] = (
    ("branch_commits >= 5", "reviewer"),
    ("task_title contains 'refactor'", "architect"),
    ("last_iteration_failed", "debugger"),
    ("iterations_since_role('documenter') >= 10", "documenter"),
    ("task_marked_ready_to_complete", "reviewer"),
)


def _without_file(folder: Path) -> tuple[Team | None, Problems | None]:
    """`working.md`, and the roles whose names say when they are worn. Others wait for a file that says so."""
    problems = Problems(BASE)
    base, texts = _base(folder, problems), dict[str, str]()
    triggers = [(when, role) for when, role in USUAL_TRIGGERS if role in role_names(folder)]
    for role in {role for _, role in triggers}:
        try:
            texts[role] = _bounded(folder / FOLDER / f"{role}.md")
        except RalphError as error:
            problems.add_outside(f"{FOLDER}/{role}.md", error.what)
    if not base and not triggers and not problems.found:
        return None, None
    return Team(hats=role_hats(triggers, texts), base=base), problems


def role_names(folder: Path) -> tuple[str, ...]:
    """The roles that have a file."""
    return tuple(sorted(path.stem for path in (folder / FOLDER).glob("*.md") if NAME.fullmatch(path.stem)))


def _text(path: Path, source: str) -> str:
    try:
        return read_text(path)
    except RalphError as error:
        raise Unreadable(
            error.what, source, "Make it a readable YAML file, or remove it; nothing was changed."
        )


def _base(folder: Path, problems: Problems) -> str:
    if not os.path.lexists(folder / BASE):
        return ""
    try:
        return _bounded(folder / BASE)
    except RalphError as error:
        problems.add_outside(BASE, error.what)
        return ""


def _bounded(path: Path) -> str:
    text = read_text(path).strip()
    if len(text) > MAX_CHARS:
        raise RalphError(
            f"is longer than {MAX_CHARS:,} characters, which every iteration would pay for",
            todo="Shorten it.",
        )
    return text


def _file(root: Node | None, folder: Path, texts: dict[str, str], problems: Problems) -> tuple[Trigger, ...]:
    top = Spot(problems, "", root.line if root else 0)
    if not isinstance(root, Mapping):
        what = described(root) if root else "nothing"
        top.wrong(f"must be a mapping with `triggers` at the top, not {what}")
        return ()
    triggers: tuple[Trigger, ...] = ()
    pairs = entries(root, top)
    for key, value in pairs:
        at = top.key(shown_key(key.text), key.line)
        if key.text == "triggers":
            triggers = _triggers(value, at, folder, texts)
        else:
            at.wrong("unknown key", key.text, among=("triggers",))
    if not pairs:
        top.wrong("has no `triggers`")
    return triggers


def _triggers(node: Node, spot: Spot, folder: Path, texts: dict[str, str]) -> tuple[Trigger, ...]:
    if not isinstance(node, Sequence):
        spot.wrong(f"must be a list of triggers, not {described(node)}")
        return ()
    if not node.items:
        spot.wrong("is empty: no role would ever be worn")
    known = frozenset(role_names(folder))
    found = (
        _trigger(item, spot.item(n, item.line), folder, known, texts) for n, item in enumerate(node.items)
    )
    return tuple(trigger for trigger in found if trigger[1])


def _trigger(node: Node, spot: Spot, folder: Path, known: frozenset[str], texts: dict[str, str]) -> Trigger:
    """No role: it is invalid, and reported."""
    if not isinstance(node, Mapping):
        spot.wrong(f"must be a mapping with `condition` and `role`, not {described(node)}")
        return "", ""
    given = dict.fromkeys(_KEYS, "")
    pairs = {key.text: (value, spot.key(shown_key(key.text), key.line)) for key, value in entries(node, spot)}
    for name, (value, at) in pairs.items():
        if name not in _KEYS:
            at.wrong("unknown key", name, among=_KEYS)
        elif not isinstance(value, Scalar) or value.means != "text" or not value.text.strip():
            at.wrong(f"must be text, not {described(value)}")
        elif name == "condition":
            given[name] = _condition(value.text, at, known)
        else:
            given[name] = _role(value.text, at, folder, known, texts)
    missing = [name for name in _KEYS if name not in pairs]
    if missing and pairs.keys() <= set(_KEYS):  # otherwise it is probably there under the unknown name
        spot.wrong(f"has no `{missing[0]}`")
    return given["condition"], given["role"]


def _condition(text: str, spot: Spot, known: frozenset[str]) -> str:
    try:
        parse_condition(text, known)
    except ConditionError as error:
        spot.wrong(str(error), error.name, among=error.among)
        return ""
    return text


def _role(name: str, spot: Spot, folder: Path, known: frozenset[str], texts: dict[str, str]) -> str:
    if not NAME.fullmatch(name):
        spot.wrong(f"must be at most 64 letters, digits, '-' or '_', not {quoted(name)}")
        return ""
    if name in texts:
        return name
    try:
        text = _bounded(folder / FOLDER / f"{name}.md")
    except RalphError as error:
        spot.wrong(f"{FOLDER}/{name}.md {error.what}", name if name not in known else "", among=sorted(known))
        return ""
    if not text:
        spot.wrong(f"{FOLDER}/{name}.md is empty; say in it how this role works")
        return ""
    texts[name] = text
    return name

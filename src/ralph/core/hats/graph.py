"""How hats hang together: which event leads where, what is wrong with that, and the picture of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from ralph.core.hats.model import ASK, COORDINATOR, RESUME, TURNED_DOWN, Event, Team
from ralph.core.hats.routing import ANY, matches, overlap, route, shown_topic
from ralph.core.hats.turns import EXHAUSTED
from ralph.text import few, one_line

START = "(start)"
END = "(end)"
NO_HAT = "coordinator"  # how people know COORDINATOR
Level = Literal["error", "warning"]


class Edge(msgspec.Struct, frozen=True):
    """`source` publishes `topic`, and `target` takes it. COORDINATOR, START and END stand for themselves."""

    source: str
    topic: str
    target: str
    default: bool = False  # it is published when the source is silent


class GraphFinding(msgspec.Struct, frozen=True):
    level: Level
    hat: str  # empty: about no single hat
    what: str
    todo: str


def edges(team: Team) -> tuple[Edge, ...]:
    """Every way an event can take by what is declared, in declared order."""
    found = [Edge(START, team.starting_event, target) for target in _targets(team, team.starting_event)]
    for hat in team.hats:
        for topic in hat.declared:
            default = topic == hat.default_publishes
            found += [Edge(hat.id, topic, target, default) for target in _targets(team, topic)]
        # What Ralph scans itself always has an answer.
        silent = hat.scan is None and not hat.default_publishes
        if silent and not any(team.completes(topic) for topic in hat.publishes):
            found.append(Edge(hat.id, "", COORDINATOR, default=True))
    if team.persistent:
        found += [Edge(END, RESUME, target) for target in _targets(team, RESUME)]
    return tuple(found)


def check(team: Team) -> tuple[GraphFinding, ...]:
    """What the check of hats tells: errors first, each kind in declared order. Without events there is no way to follow."""
    found = list(_hats(team))
    if team.routes:
        graph = edges(team)
        found += [*_unreachable(team, graph), *_unhandled(team, graph), *_endless(team, graph)]
        found += _unwoken(team, graph)
    return tuple(sorted(found, key=lambda finding: finding.level != "error"))


def mermaid(team: Team) -> str:
    """A flow chart that GitHub and others draw."""
    ids = {START: "START", END: "END_", COORDINATOR: "COORDINATOR"}
    ids |= {hat.id: f"H{n}" for n, hat in enumerate(team.hats, 1)}
    graph = edges(team)
    used = {edge.source for edge in graph} | {edge.target for edge in graph} | {hat.id for hat in team.hats}
    ends = "idle" if team.persistent else "complete"
    titles = {START: "start", END: ends, COORDINATOR: "coordinator"}
    titles |= {hat.id: hat.title for hat in team.hats}
    nodes = [f'    {ids[node]}["{_label(titles[node])}"]' for node in ids if node in used]
    lines = [
        f"    {ids[edge.source]} {'-.->' if edge.default else '-->'}"
        f'|"{_label(edge.topic or "silent")}"| {ids[edge.target]}'
        for edge in graph
    ]
    return "\n".join(["graph LR", *nodes, *lines]) + "\n"


def plain(team: Team) -> str:
    """The same for a terminal: each node, and below it where its events go."""
    graph = edges(team)
    ends = "idle" if team.persistent else "the end"
    names = {START: "start", END: ends, COORDINATOR: "the coordinator"} | {
        h.id: shown_topic(h.id) for h in team.hats
    }
    lines: list[str] = []
    for node in dict.fromkeys([START, *(hat.id for hat in team.hats), END]):
        out = [edge for edge in graph if edge.source == node]
        if not out and node in (START, END):
            continue
        hat = team.hat(node)
        lines.append(
            names[node] + (f"  ({one_line(hat.description, 80)})" if hat and hat.description else "")
        )
        width = max((len(shown_topic(edge.topic)) for edge in out if edge.topic), default=0)
        lines += [
            f"  {(shown_topic(edge.topic) if edge.topic else 'nothing').ljust(width)} → {names[edge.target]}"
            + (" (by default)" if edge.default and edge.topic else "")
            for edge in out
        ]
    return "\n".join(lines) + "\n"


def _targets(team: Team, topic: str) -> list[str]:
    """Who may get what is published under this name, which may be a pattern."""
    if team.completes(topic) or (team.cancellation_promise and topic == team.cancellation_promise):
        return [END]
    if topic == ASK:
        return []
    if ANY in topic.split("."):
        takers = [h.id for h in team.hats if any(overlap(topic, trigger) for trigger in h.triggers)]
        return takers or [COORDINATOR]
    return [one.hat for one in route(team.hats, Event(topic)).hats] or [COORDINATOR]


def _hats(team: Team) -> Iterable[GraphFinding]:
    for hat in team.hats:
        if NO_HAT in (hat.id.lower(), hat.title.strip().lower()):
            yield GraphFinding(
                "warning",
                hat.id,
                f"is called {NO_HAT}, as the iteration is that wears no hat: views show both by one name",
                "Give the hat another name.",
            )
        if not hat.triggers and not hat.when:
            yield GraphFinding(
                "error", hat.id, "nothing puts it on", "Give it `triggers` (events) or `when` (a condition)."
            )
        for trigger in hat.triggers:
            if any(ANY in part and part != ANY for part in trigger.split(".")):
                yield GraphFinding(
                    "warning",
                    hat.id,
                    f"the trigger {shown_topic(trigger)} takes nothing: `*` stands for a whole segment",
                    "Write the segment out, or `*` in its place.",
                )
            if team.completes(trigger):
                yield GraphFinding(
                    "warning",
                    hat.id,
                    f"{shown_topic(trigger)} is never routed: it completes the loop",
                    "Trigger on another event.",
                )
        default = hat.default_publishes
        if default and not any(matches(topic, default) for topic in hat.publishes):
            yield GraphFinding(
                "warning",
                hat.id,
                f"default_publishes is {shown_topic(default)}, which is not in its `publishes`",
                "Add it there; it is taken as declared.",
            )


def _unwoken(team: Team, graph: tuple[Edge, ...]) -> Iterable[GraphFinding]:
    """An idle loop wakes by task.resume; the coordinator, who takes it where no hat does, is not told where to look."""
    rests = any(edge.target == END for edge in graph)
    if rests and Edge(END, RESUME, COORDINATOR) in graph:
        yield GraphFinding(
            "warning",
            "",
            f"persistent, but no hat takes {RESUME}: after each rest the coordinator is called",
            f"Add {RESUME} to the `triggers` of the hat that looks for work.",
        )


def _unreachable(team: Team, graph: tuple[Edge, ...]) -> Iterable[GraphFinding]:
    reached = _reached(team, graph)
    for hat in team.hats:
        if hat.id not in reached and hat.triggers and not hat.when:
            yield GraphFinding(
                "warning",
                hat.id,
                f"unreachable: no hat publishes {few([shown_topic(t) for t in hat.triggers])}",
                "Let a hat that is reached publish one of these, or take the hat out.",
            )


def _reached(team: Team, graph: tuple[Edge, ...]) -> set[str]:
    reached = {START} | {hat.id for hat in team.hats if hat.when}
    own = [RESUME, *TURNED_DOWN] if team.persistent else [*TURNED_DOWN]  # what Ralph publishes itself
    reached |= {hat.id for hat in team.hats for topic in own if any(matches(t, topic) for t in hat.triggers)}
    while True:
        more = {edge.target for edge in graph if edge.source in reached} - reached
        worn_out = [hat for hat in team.hats if hat.id in reached and hat.max_activations]
        for hat in worn_out:
            more |= set(_targets(team, f"{hat.id}.{EXHAUSTED}")) - reached
        if (
            Edge(START, team.starting_event, COORDINATOR) in graph
        ):  # it knows the hats, and calls those it needs
            more |= {hat.id for hat in team.hats} - reached
        if not more:
            return reached
        reached |= more


def _unhandled(team: Team, graph: tuple[Edge, ...]) -> Iterable[GraphFinding]:
    for edge in graph:
        if edge.target == COORDINATOR and edge.topic and edge.source not in (START, END):
            yield GraphFinding(
                "warning",
                edge.source,
                f"no hat takes {shown_topic(edge.topic)}: it goes to the coordinator",
                "Add it to a hat's `triggers`, or take it out of `publishes`.",
            )


def _endless(team: Team, graph: tuple[Edge, ...]) -> Iterable[GraphFinding]:
    """Hats from which, by what is declared, no way leads to the end. The coordinator can always claim it."""
    ends = {END, COORDINATOR}
    while more := {edge.source for edge in graph if edge.target in ends} - ends:
        ends |= more
    lost = [hat.id for hat in team.hats if hat.id not in ends and hat.id in _reached(team, graph)]
    if lost:
        what = "is never idle" if team.persistent else "cannot complete"
        yield GraphFinding(
            "warning" if team.persistent else "error",
            lost[0] if len(lost) == 1 else "",
            f"the chain {what}: from {few(lost)} no event leads to {shown_topic(team.completion_promise)}",
            f"Add {shown_topic(team.completion_promise)} to the `publishes` of the hat that ends the work.",
        )
    published = [topic for hat in team.hats for topic in hat.declared] + [team.starting_event]
    for topic in team.required_events:
        if not any(overlap(topic, one) for one in published) and COORDINATOR not in _reached(team, graph):
            yield GraphFinding(
                "error",
                "",
                f"completion needs {shown_topic(topic)}, which no hat publishes",
                "Add it to a hat's `publishes`, or take it out of `required_events`.",
            )


def _label(text: str) -> str:
    """Nothing in it that Mermaid would read as its own."""
    shown = shown_topic(text)
    return "".join(c if c.isalnum() or c in " ._-*()/:" else f"#{ord(c)};" for c in shown)

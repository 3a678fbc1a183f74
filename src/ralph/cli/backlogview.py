"""A run over a backlog on one screen of `ralph status`."""

from __future__ import annotations

from ralph.cli.backlogstanding import BacklogStanding, Outcome
from ralph.cli.figures import clock, cut, seconds_since
from ralph.cli.standing import Standing
from ralph.cli.status import Row
from ralph.core.consensus import is_consensus, latest
from ralph.core.exits import EXITS
from ralph.core.figures import duration
from ralph.ui.runreview import said
from ralph.ui.spending import cost, spent

_SHOWN = 8  # tasks under way
_TROUBLES = 5
_CUT_SHORT = {row.code: row.name for row in EXITS if row.requested}


def rows_of(x: BacklogStanding) -> list[Row]:
    return [
        *_end(x),
        Row("backlog", _counts(x)),
        *_under_way(x),
        Row("this run", _this_run(x)),
        *_at_end(x),
        *_troubles([one for one in x.outcomes if not one.done and not one.split]),
        *_elsewhere(x),
        *_parked(x),
        *(
            [Row("not ready", x.unready.removeprefix("Not ready: "), whole=True)]
            if x.unready and not x.under_way
            else []
        ),
        Row("next", x.next, "bold", whole=True),
    ]


def _end(x: BacklogStanding) -> list[Row]:
    if x.state == "died":
        return [Row("end", "none: the run died", "red")]
    if x.state == "ended":
        good = "green" if x.code == 0 else "yellow"
        how = f"{_CUT_SHORT[x.code]}, " if x.code in _CUT_SHORT else ""
        return [Row("end", f"at {clock(x.ended)}, {how}exit code {x.code}", good)]
    return []


def _counts(x: BacklogStanding) -> str:
    left = x.counts["pending"] + x.counts["in_progress"]
    parts = [f"{x.counts['complete']} done", f"{x.counts['failed']} failed", f"{x.counts['blocked']} blocked"]
    parts.append(f"{left} left ({x.ready} ready)")
    if x.counts["cancelled"]:
        parts.append(f"{x.counts['cancelled']} cancelled")
    if x.problems:
        parts.append(f"{x.problems} bad lines")
    return ", ".join(parts)


def _under_way(x: BacklogStanding) -> list[Row]:
    shown = x.under_way[:_SHOWN]
    table = [_cells(one) for one in shown]
    widths = [max((len(row[column]) for row in table), default=0) for column in range(4)]
    label = "now" if x.state == "working" else "cut short"
    rows = [
        Row(
            label if not index else "",
            "  ".join(cell.ljust(width) for cell, width in zip(row, (*widths, 0), strict=True)).rstrip(),
            "cyan" if one.state == "working" else "yellow",
        )
        for index, (one, row) in enumerate(zip(shown, table, strict=True))
    ]
    if len(x.under_way) > len(shown):
        rows.append(Row("", f"and {len(x.under_way) - len(shown)} more: `ralph status --json` has them all"))
    return rows


def _cells(x: Standing) -> tuple[str, str, str, str, str]:
    at = f"{x.iteration or x.iterations}/{x.max_iterations}"
    paid = cost(x.cost_usd, estimated=x.estimated) if x.cost_usd else ""
    return (cut(x.task, 24), at, _does(x), paid, x.title)


def _does(x: Standing) -> str:
    since = f"since {clock(x.started)}, {duration(seconds_since(x.started))}"
    if x.state == "died":
        return since
    asks = ""
    if x.waiting and x.waiting.what == "answer":
        asks = f"asks, until {clock(x.waiting.until)}: {cut(x.waiting.why, 60)}"
    elif x.question:
        asks = f"asks: {cut(x.question, 60)}"
    if x.state == "paused" and x.paused:
        runs_on = f"; {asks} (the time for it runs on)" if x.waiting and asks else f"; {asks}" if asks else ""
        return f"paused since {clock(x.paused.since)} by {x.paused.by}{runs_on}; {since}"
    if asks:
        return f"{asks}; {since}"
    if x.waiting:
        return f"waits for {x.waiting.what} until {clock(x.waiting.until)}; {since}"
    what = "agent" if x.iteration else x.operations[0].name if x.operations else "waits for its turn"
    took = f" for {duration(x.operations[0].seconds)}" if x.operations else ""
    stops = ", then stops" if x.state == "stopping" else ""
    return f"{what}{took}{stops}; {since}"


def _this_run(x: BacklogStanding) -> str:
    done = sum(one.done for one in x.outcomes)
    split = sum(bool(one.split) for one in x.outcomes)
    counted = f"{done} done, {len(x.outcomes) - done - split} not" + (f", {split} split" if split else "")
    parts = [counted, f"{duration(x.active_seconds)} active"]
    return ", ".join([*parts, *spent(x.tokens, x.cost_usd, estimated=x.estimated)])


def _at_end(x: BacklogStanding) -> list[Row]:
    rows = [Row("at end", f"reviewer {x.reviewing} looks at the whole run", "cyan")] if x.reviewing else []
    if x.consensus:
        good = "green" if is_consensus(x.reviews) else "yellow"
        rows.append(Row("at end" if not rows else "", x.consensus, good, whole=True))
    for one in latest(x.reviews):
        more = f" and {len(one.findings) - 1} more" if len(one.findings) > 1 else ""
        if one.findings or not one.passed:
            rows.append(
                Row("", f"{cut(one.gate, 24)}: {one.findings[0] if one.findings else said(one)}{more}")
            )
    return rows


def _troubles(found: list[Outcome]) -> list[Row]:
    rows = [
        Row(
            "not done" if not index else "",
            f"{cut(x.task, 24)}: {x.end}: {x.reason}" + (f"; kept on {x.branch}" if x.branch else ""),
            "red",
            whole=True,
        )
        for index, x in enumerate(found[-_TROUBLES:])
    ]
    if len(found) > _TROUBLES:
        rows.append(Row("", f"and {len(found) - _TROUBLES} more: `ralph report` tells of all"))
    return rows


def _elsewhere(x: BacklogStanding) -> list[Row]:
    """What was split, what has a pull request, and what is done and not where it was to be."""
    outcomes = {one.task for one in x.outcomes}
    earlier = [one for one in x.apart if one.task not in outcomes]
    groups = [
        ("split", "", [(one.task, one.split) for one in x.outcomes if one.split]),
        ("requests", "green", [(one.task, one.url) for one in x.outcomes if one.url]),
        (
            "to be done",
            "yellow",
            [(one.task, one.missing) for one in x.outcomes if one.missing]
            + [(one.task, f"{one.where}: {one.todo}") for one in earlier],
        ),
    ]
    rows = []
    for label, colour, found in groups:
        for index, (task, text) in enumerate(found[-_TROUBLES:]):
            rows.append(Row(label if not index else "", f"{cut(task, 24)}: {text}", colour, whole=True))
        if len(found) > _TROUBLES:
            rows.append(Row("", f"and {len(found) - _TROUBLES} more: `ralph status --json` has them all"))
    return rows


def _parked(x: BacklogStanding) -> list[Row]:
    """How each that waits for a person gets on, unless the last row of all says it of the only one."""
    if len(x.parked) == 1 and x.parked[0].next in x.next:
        return []
    rows = [
        Row("needs you" if not index else "", f"{cut(one.task, 24)}: {one.next}", "yellow", whole=True)
        for index, one in enumerate(x.parked[:_TROUBLES])
    ]
    if len(x.parked) > _TROUBLES:
        rows.append(Row("", f"and {len(x.parked) - _TROUBLES} more: `ralph status --json` has them all"))
    return rows

"""One self-contained page about loops: no script, no network, nothing that hostile text could make act. Bounded in size,
however much was said: each text gets a share of the page, its beginning and its end."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

from ralph import __version__
from ralph.history.gates import GateRun
from ralph.history.iterations import Iteration
from ralph.history.runs import RunRecord
from ralph.report import sections, words
from ralph.report import sections as hatsections
from ralph.report.html import (
    byte_count,
    coloured,
    folded,
    inline,
    one_line,
    plain,
    section_start,
    told,
    visible,
)
from ralph.report.markdown import TASK_END, overview, task_start
from ralph.report.sources import Changes, Part, StoredTexts, cut_text, read_part
from ralph.report.stories import ITERATIONS_SHOWN, LoopReport
from ralph.report.words import clock, tokens
from ralph.terminal.words import cost
from ralph.text import count, duration

MARK = "<!-- made by ralph report -->"
TEXT_MOST = 6 << 20  # bytes of HTML that all prompts, outputs and changes together may take
SHARE_MOST = 96 << 10  # and one of them
SHARE_LEAST = 512


class Page:
    def __init__(
        self,
        stories: Sequence[LoopReport],
        kept: StoredTexts,
        changes: Changes,
        made: float,
        run: RunRecord | None = None,
    ) -> None:
        """With `run`, a run over a backlog: a table of its tasks, and each of them folded below it."""
        self._run = run
        self._stories = stories
        self._kept = kept
        self._changes = changes
        self._made = made
        self._share = _share(stories)
        self._room = TEXT_MOST + TEXT_MOST // 4

    def parts(self) -> Iterator[str]:
        """The page, piece by piece, so that it need not be held whole."""
        style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
        allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        policy = f"default-src 'none'; style-src 'sha256-{allowed}'; img-src data:; base-uri 'none'; form-action 'none'"
        title = one_line(self._stories[0].task.title, 120) if len(self._stories) == 1 else "loops"
        title = f"run {one_line(self._run.id, 80)}" if self._run else title
        yield (
            f'<!doctype html>\n{MARK}\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
            f'<link rel="icon" href="data:,"><title>{escape(title)} · ralph report</title>'
            f"<style>{style}</style></head><body><main>"
        )
        if self._run:
            yield overview(self._stories, self._run)
        elif len(self._stories) > 1:
            yield sections.index(self._stories)
        for number, story in enumerate(self._stories, 1):
            at = f"l{number}-" if self._run or len(self._stories) > 1 else ""
            if self._run:
                yield task_start(story, at)
            yield from self._story(story, at)
            if self._run:
                yield TASK_END
        yield (
            f"</main><footer>Made by ralph {__version__} on {clock(self._made)} from the journal. "
            "This page holds all it shows and asks nobody for more.</footer></body></html>\n"
        )

    def _story(self, story: LoopReport, at: str) -> Iterator[str]:
        yield f'<article id="{at}loop">{sections.outcome(story)}{sections.figures(story)}{sections.alerts(story)}'
        yield sections.evidence(story, at)
        yield sections.timeline(story, at)
        yield sections.costs(story, at)
        yield hatsections.worn(story, at)
        yield hatsections.board(story)
        yield sections.changed_files(story)
        yield section_start("Iterations")
        yield from self._iterations(story, at)
        yield f"</section>{sections.besides(story)}</article>"

    # -- iterations ----------------------------------------------------------------------------------

    def _iterations(self, story: LoopReport, at: str) -> Iterator[str]:
        runs: dict[int, list[tuple[int, GateRun]]] = {}
        for number, run in enumerate(story.loop.gates):
            runs.setdefault(run.serial, []).append((number, run))
        if 0 in runs:
            gates = "".join(self._gate(story, run, number, at) for number, run in runs[0])
            summary = '<span class="n">0</span><span class="fate">the start</span>'
            summary += f'<span class="why">{count(len(runs[0]), "gate run")} on the starting tree</span><span></span>'
            yield f'<details class="it" id="{at}i0"><summary>{summary}</summary><div class="in">{gates}</div></details>'
        elif not story.iterations:
            yield "<p>None yet.</p>"
        left_out = story.left_out()
        for it in story.iterations:
            if it.serial not in left_out:
                yield self._iteration(story, it, runs.get(it.serial, []), at)
            elif it.serial == min(left_out):
                more = f"… {len(left_out):,} iterations are not shown; <code>ralph logs</code> has them"
                yield f'<p class="left-out">{more}</p>'

    def _iteration(self, story: LoopReport, it: Iteration, runs: list[tuple[int, GateRun]], at: str) -> str:
        output = self._kept.transcript(it.output)
        complaints = output.with_name(f"{output.name}.err") if output else None
        body = [
            sections.iteration_facts(it),
            self._file("Output", output, opened=True, show=told),
            self._file("Standard error", complaints, absent=""),
            self._diff(it),
            self._file("Prompt", self._kept.prompt(it.started.prompt)),
            self._file("Scratchpad afterwards", self._kept.prompt(it.result.scratchpad))
            if it.result.scratchpad
            else "",
            *(self._gate(story, run, number, at) for number, run in runs),
        ]
        spent, paid = it.spent.tokens, it.spent.cost_usd
        meta = " · ".join(
            [
                duration(it.seconds),
                *([f"{tokens(spent)} tokens"] if spent else []),
                *([cost(paid, estimated=it.estimated)] if paid else []),
            ]
        )
        word, _, why = words.ending(it).partition(": ")
        shift = (
            f'<span class="pill shift">strategy shift {it.started.shift}</span> ' if it.started.shift else ""
        )
        return (
            f'<details class="it {it.fate}" id="{at}i{it.serial}"><summary><span class="n">{it.n}</span>'
            f'<span class="fate">{inline(word, 60)}</span><span class="why">{shift}{inline(why)}</span>'
            f'<span class="meta">{meta}</span></summary><div class="in">{"".join(body)}</div></details>'
        )

    def _gate(self, story: LoopReport, run: GateRun, number: int, at: str) -> str:
        said = "".join(f"<li>{inline(text)}</li>" for text in words.notes(run))
        spent = [
            *([tokens(run.result.usage.tokens) + " tokens"] if run.result.usage.tokens else []),
            *(
                [cost(run.result.usage.cost_usd, estimated=run.result.estimated)]
                if run.result.usage.cost_usd
                else []
            ),
        ]
        exits = [] if run.how in words.NOT_RUN or run.how == "interrupted" else [f"exit {run.result.code}"]
        meta = " · ".join([*exits, *([took] if (took := words.took(run)) else []), *spent])
        body = (
            (f"<p><code>{inline(run.command, 1000)}</code></p>" if run.command else "")
            + self._findings(story.findings(run))
            + (f"<ul>{said}</ul>" if said else "")
            + (self._said(run)
               if run.how not in words.NO_OUTPUT else "")
            + (self._file("Prompt", self._kept.prompt(run.started.prompt))
               if run.started.prompt and run.how not in words.NO_OUTPUT else "")
        )  # fmt: skip
        return (
            f'<details class="gate" id="{at}g{number}"><summary>{sections.pill(run)} <b>{inline(run.gate, 80)}</b> '
            f'<span class="why">on {words.looked_at(run)}</span> <span class="meta">{meta}</span></summary>'
            f'<div class="in">{body}</div></details>'
        )

    def _said(self, run: GateRun) -> str:
        name, show = ("Answer", told) if run.reviewer else ("Output", plain)
        return self._file(name, self._kept.transcript(run.output), opened=True, show=show)

    def _findings(self, found: tuple[str, ...]) -> str:
        if not found:
            return ""
        listed = "\n".join(f"- {text}" for text in found)
        text = self._fitting(lambda most: cut_text(listed, most), "whole answer: below", plain)
        return folded(f'Findings <span class="meta">{len(found)}</span>', text, True)

    # -- texts ---------------------------------------------------------------------------------------

    def _file(
        self,
        name: str,
        path: Path | None,
        *,
        opened: bool = False,
        absent: str = "not kept",
        show: Callable[[str], str] = plain,
    ) -> str:
        """A kept file, folded. `absent`: what to say without it; nothing said means that nothing is shown."""
        part = read_part(path, 64) if path else None
        if part is None or (not part.size and not absent):
            return f'<p class="muted">{name}: {absent}.</p>' if absent else ""
        if not part.size:
            return f'<p class="muted">{name}: empty.</p>'
        assert path is not None
        text = self._fitting(lambda most: read_part(path, most), f"whole file: {path}", show)
        return folded(f"{name} <span class=meta>{byte_count(part.size)}</span>", text, opened)

    def _diff(self, it: Iteration) -> str:
        if not it.result.tree:
            return ""
        if it.started.tree == it.result.tree:
            return '<p class="muted">Change: nothing.</p>'
        files = self._changes.files(it.started.tree, it.result.tree)
        patch = self._changes.patch(it.started.tree, it.result.tree)
        if files is None or patch is None:
            return '<p class="muted">Change: not kept.</p>'
        whole = f"whole change: git diff {it.started.tree[:12]} {it.result.tree[:12]}"
        text = self._fitting(lambda most: cut_text(patch, most), whole, coloured)
        return folded(f'Change <span class="meta">{count(len(files), "file")}</span>', text, False)

    def _fitting(self, read: Callable[[int], Part | None], where: str, show: Callable[[str], str]) -> str:
        """As much of a text as its share of the page allows, counted as it is sent."""
        if self._room <= 0:
            return f'<span class="cut">[... not shown, the page is full; {inline(where, 2000)} ...]</span>'
        most = self._share
        while True:
            part = read(most) or Part("")
            shown = show(visible(part.first))
            if part.cut:
                told = f"[... {part.cut:,} bytes cut; {inline(where, 2000)} ...]"
                shown += f'<span class="cut">{told}</span>\n{show(visible(part.last))}'
            size = len(shown.encode("utf-8", "replace"))
            if size <= self._share + 512 or most <= 256:
                self._room -= size
                return shown
            most = max(256, min(most // 2, most * self._share // size))


def _share(stories: Sequence[LoopReport]) -> int:
    """How much of the page one text may take. Of an iteration's five and a gate run's three, most are short."""
    texts = sum(4 * min(len(s.iterations), ITERATIONS_SHOWN) + 2 * len(s.loop.gates) for s in stories)
    return max(SHARE_LEAST, min(SHARE_MOST, TEXT_MOST // max(texts, 1)))

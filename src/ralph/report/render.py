"""Fills the templates of a report: the summary in Markdown, and one self-contained page without script and network. Every
value that a template shows is escaped on its way: nothing that hostile text says acts. The page is bounded in size, however
much was said: each text gets a share of it, its beginning and its end."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from ralph import __version__
from ralph.core.loop.evidence import TABLE, notes, rows
from ralph.core.run import is_consensus, latest, together
from ralph.history.gates import proof_part
from ralph.report import charts, escape, words
from ralph.report.sources import Changed, Changes, Part, StoredTexts, cut_text, read_part
from ralph.report.stories import ITERATIONS_SHOWN, Gathered, LoopReport, newest_of, totals
from ralph.terminal.transcript import MARKS
from ralph.terminal.words import ESTIMATE, NOT_REPORTED, by_kind, said, spent
from ralph.text import count, duration, fenced

HEADING = "# Ralph Loop Execution Summary"
MARK = "<!-- made by ralph report -->"
MOST_ROWS = 400  # of a table in Markdown; of a longer one, the first and the last
TEXT_MOST = 6 << 20  # bytes of HTML that all prompts, outputs and changes together may take
SHARE_MOST = 96 << 10  # and one of them
SHARE_LEAST = 512
REVIEW_MOST = 40_000  # bytes of a change in Markdown
_JSON_TO_WORDS = 8  # a conversation is so many times shorter than the JSON that it is made of
_TEMPLATES = Path(__file__).with_name("templates")


def summary(found: Gathered) -> str:
    """What was completed, what needs a person, and the evidence. Of a run over a backlog: what became of each task."""
    tasks = newest_of(found.stories) if found.run else found.stories
    text = (
        _environment(_markdown)
        .get_template("summary.md")
        .render(
            **_facts(found),
            tasks=tasks,
            earlier=found.earlier,
            heading=Markup(HEADING),
        )
    )
    return text.rstrip("\n") + "\n"


def page(found: Gathered, kept: StoredTexts, changes: Changes, made: float) -> Iterator[str]:
    """Piece by piece, so that it need not be held whole."""
    style = (_TEMPLATES / "page.css").read_text(encoding="utf-8")
    environment = _environment(escape.visible)
    return environment.get_template("page.html").generate(
        **_facts(found),
        texts=Texts(found.stories, kept, changes, environment),
        made=made,
        version=__version__,
        mark=Markup(MARK),
        style=Markup(style),
        style_hash=Markup(base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()),
    )


def _facts(found: Gathered) -> dict[str, Any]:
    all_in_all = totals(found.stories, found.run) if found.run else None
    return {"stories": found.stories, "run": found.run, "totals": all_in_all}


def _markdown(text: str) -> str:
    """Marked as escaped, so that HTML's own escaping leaves it as it is."""
    return Markup(escape.markdown(text))


@functools.cache
def _environment(escaped: Callable[[str], str]) -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: escaped(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"line": escape.one_line} | {each.__name__: each for each in _FILTERS}
    made.globals |= _GLOBALS
    return made


def bounded(rows: Sequence[Any]) -> Sequence[Any]:
    """Of a long table the first and the last rows, and between them how many were left out."""
    more, half = len(rows) - MOST_ROWS, MOST_ROWS // 2
    return [*rows[:half], more, *rows[-half:]] if more > 0 else rows


def review(story: LoopReport) -> Markup:
    """The whole change of a loop that needs a person's eyes, bounded."""
    before, after = story.state.workspace.base_tree, story.state.workspace.tree
    if (patch := story.to_review) is None:
        return Markup("The trees are not kept any more.")
    part = cut_text(patch, REVIEW_MOST)
    cut = f"\n[... {part.cut:,} bytes cut; whole change: git diff {before[:12]} {after[:12]} ...]\n"
    return Markup(
        fenced(escape.visible(part.first + (cut + part.last if part.cut else ""))).replace(
            "```", "```diff", 1
        )
    )


def most_lines(changed: Sequence[Changed]) -> int:
    return max((c.added + c.deleted for c in changed), default=0) or 1


_FILTERS: tuple[Callable[..., Any], ...] = (
    bounded, by_kind, count, duration, escape.commands, said, words.agreement, words.branch_of, words.changed_files,
    words.clock, words.commits, words.cut_short, words.end_of, words.ending, words.exit_code, words.gate_tone, words.looked_at,
    words.meaning, words.notes, words.of_agents, words.own_time, words.price, words.proof_tone, words.result,
    words.review_figures,
    words.review_warnings, words.strength, words.time_of_day,
    words.tone, words.took, words.what_it_is, words.where, words.why_not_done,
)  # fmt: skip
_GLOBALS: dict[str, Any] = {
    "Bars": charts.Bars,
    "ESTIMATE": ESTIMATE,
    "FILES_SHOWN": 200,
    "ITEM_HEAD": words.ITEM_HEAD,
    "LEFT": charts.LEFT,
    "MARKS": MARKS,
    "NOT_REPORTED": NOT_REPORTED,
    "NOT_RUN": words.NOT_RUN,
    "NO_OUTPUT": words.NO_OUTPUT,
    "RIGHT": charts.RIGHT,
    "PROOF_HEAD": TABLE,
    "ROWS_SHOWN": 400,
    "RunTimeline": charts.RunTimeline,
    "Timeline": charts.Timeline,
    "WIDTH": charts.WIDTH,
    "failure_groups": words.failure_groups,
    "happenings": words.happenings,
    "run_tone": words.run_tone,
    "is_consensus": is_consensus,
    "item_row": words.item_row,
    "latest": latest,
    "most_lines": most_lines,
    "newest_of": newest_of,
    "proof_notes": notes,
    "review": review,
    "proof_part": proof_part,
    "proof_rows": rows,
    "spent": spent,
    "together": together,
    "worn_row": words.worn_row,
}


class ShownText(msgspec.Struct, frozen=True):
    """`note` says how much there is of it; it is empty when there is nothing."""

    note: str
    text: Markup
    told: bool = False  # as a conversation, not as lines


class Texts:
    """The prompts, outputs and changes of a page. None stands for what is not kept."""

    def __init__(
        self, stories: Sequence[LoopReport], kept: StoredTexts, changes: Changes, made: jinja2.Environment
    ) -> None:
        # Of an iteration's five texts and a gate run's three, most are short.
        many = sum(4 * min(len(s.loop.iterations), ITERATIONS_SHOWN) + 2 * len(s.loop.gates) for s in stories)
        self._share = max(SHARE_LEAST, min(SHARE_MOST, TEXT_MOST // max(many, 1)))
        self._room = TEXT_MOST + TEXT_MOST // 4
        self._kept = kept
        self._changes = changes
        self._macros: Any = made.get_template("macros.html").module

    def prompt(self, name: str) -> ShownText | None:
        return self._file(self._kept.prompt(name), str)

    def transcript(self, name: str, *, told: bool = False) -> ShownText | None:
        """`told`: as an agent prints it."""
        shown = self._file(self._kept.transcript(name), escape.told if told else str)
        return msgspec.structs.replace(shown, told=told) if shown else None

    def findings(self, found: Sequence[str]) -> ShownText:
        listed = "\n".join(f"- {text}" for text in found)
        text = self._fitting(lambda most: cut_text(listed, most), "whole answer: below", str)
        return ShownText(str(len(found)), text)

    def change(self, before: str, after: str) -> ShownText | None:
        files, patch = self._changes.files(before, after), self._changes.patch(before, after)
        if files is None or patch is None:
            return None
        whole = f"whole change: git diff {before[:12]} {after[:12]}"
        text = self._fitting(lambda most: cut_text(patch, most), whole, escape.patch_lines)
        return ShownText(count(len(files), "file"), text)

    def short(self, text: str, most: int) -> Markup:
        return self._shown(cut_text(text, most), "", str)

    def _file(self, path: Path | None, show: Callable[[str], Any]) -> ShownText | None:
        part = read_part(path, 64) if path else None
        if path is None or part is None:
            return None
        if not part.size:
            return ShownText("", Markup())
        text = self._fitting(lambda most: read_part(path, most), f"whole file: {path}", show)
        return ShownText(words.byte_count(part.size), text)

    def _fitting(self, read: Callable[[int], Part | None], where: str, show: Callable[[str], Any]) -> Markup:
        """As much of a text as its share of the page allows, counted as it is sent."""
        if self._room <= 0:
            return Markup(self._macros.no_room(where))
        most = self._share * (_JSON_TO_WORDS if show is escape.told else 1)
        while True:
            shown = self._shown(read(most) or Part(""), where, show)
            size = len(shown.encode("utf-8", "replace"))
            if size <= self._share + 512 or most <= 256:
                self._room -= size
                return shown
            most = max(256, min(most // 2, most * self._share // size))

    def _shown(self, part: Part, where: str, show: Callable[[str], Any]) -> Markup:
        first, last = (show(escape.visible(text)) if text else "" for text in (part.first, part.last))
        return Markup(self._macros.cut_text(first, part.cut, where, last))

"""The page: nothing in it acts, everything in it leads somewhere, and it stays small."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from collections import Counter
from html.parser import HTMLParser

import markdown
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from report_world import GATES, TEMPLATES, World, long_night, proven, summary

from ralph.core import facts as f
from ralph.core.policy import GatePolicy, Task
from ralph.report.words import proof_tone

MARKUP = "".join(path.read_text() for path in TEMPLATES.glob("*.html"))
ELEMENTS = {*re.findall(r"<(\w+)", MARKUP), "ins", "del"}
ATTRIBUTES = {*(name.lower() for name in re.findall(r"([\w-]+)=\"", MARKUP)), "open"}
HOSTILE = '</pre></title><script>document.title="pwned"</script><img src=http://evil/x onerror=alert(1)>"\'&\x1b[31m\u202e\x00'
NAME = '"><script>alert(1)<.script>&'  # of a gate or a file
MEGABYTE = 1 << 20
VOID = {"meta", "link", "img", "br", "input"}


class Read(HTMLParser):
    """What a browser would make of the page: its elements, and whether every one is closed where it should be."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.odd: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.odd += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.odd.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile_world(world: World, text: str = HOSTILE, name: str = NAME, loop: str = "loop-1") -> None:
    """Every text that comes from outside is hostile."""
    gates = (GatePolicy(name=name, run=text), GatePolicy(name="spec", review=text))
    task = Task(id=text, title=text, description=text, criteria=(text,))
    world.start(loop=loop, task=task, gates=gates, env={text: text})
    world.record(f.WorkspaceChanged(tree=world.tree(), paths=(text,)))
    world.iteration(
        text,
        output=text.encode() + b"\xff\xfe",
        prompt=text,
        stragglers=(text,),
        edits={name: text},
    )
    world.record(f.EventReceived(name="n", topic=text, payload=text))
    world.iteration(text + "\nTASK_COMPLETE")
    world.gate(False, name, headline=text, output=text.encode(), findings=(text,), prompt=text)
    world.record(f.WaitStarted(op="w", what=text, seconds=1, why=text))
    world.record(f.Notified(occasion="end", about="x", target=text, ok=False, text=text))
    world.end("needs-review", text, proof={text: text}, paths=(text,), limit=text)


def test_hostile_text_is_text_wherever_it_comes_from(world: World) -> None:
    hostile_world(world)
    page = world.page()
    read = Read(page)
    assert not read.odd, "every element is closed where it belongs"
    names = {tag for tag, _ in read.tags}
    assert not names & {"script", "img", "iframe", "object", "embed", "base", "form", "input", "button"}
    for _tag, attributes in read.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
    assert "\x1b" not in page and "\u202e" not in page and "\x00" not in page
    assert 'document.title="pwned"' in read.text, "it is shown, as what it is"


ACTIVE = (*"<>&\"'`|*_[]()#!\\\n\r\x00\x1b\u202eax /=:-", "{{", "{%", "</pre>", "-->", "~~", "](")


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.lists(st.sampled_from(ACTIVE), min_size=1, max_size=12).map("".join))
@example(text="]<\r\r_\n`\\#-->-->_")
def test_no_text_becomes_markup(world: World, text: str) -> None:
    """Drawn from what means something to HTML, Markdown, a terminal or a template."""
    hostile_world(world, text, re.sub(r"[/\x00]", "", text) + "n", f"loop-{world.t}")
    stories = world.stories(loop=world.loop)
    page = world.page(stories)
    read = Read(page)
    assert not read.odd
    assert {tag for tag, _ in read.tags} <= ELEMENTS
    assert not {name for _, attributes in read.tags for name in attributes} - ATTRIBUTES
    assert not re.search("[\x00\x1b\u202e]", page)
    shown = Read(markdown.markdown(summary(stories), extensions=["tables", "fenced_code"]))
    names = Counter(tag for tag, _ in shown.tags)
    assert set(names) <= {
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "ul",
        "li",
        "code",
        "pre",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    assert not [a for _, a in shown.tags if set(a) - {"style"} and a != {"class": "language-diff"}]


def test_the_page_asks_nobody_for_anything(world: World) -> None:
    hostile_world(world)
    page = world.page()
    for _tag, attributes in Read(page).tags:
        for name in ("src", "href", "action", "srcset", "data", "xlink:href"):
            assert attributes.get(name, "#").startswith(("#", "data:,")), attributes
    (csp,) = [a["content"] for t, a in Read(page).tags if a.get("http-equiv") == "Content-Security-Policy"]
    style = re.findall("<style>(.*?)</style>", page, re.DOTALL)[0]
    allowed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert csp.startswith("default-src 'none'; ") and f"style-src 'sha256-{allowed}'" in csp
    assert "unsafe" not in csp and "http:" not in csp
    assert "url(" not in style and "@import" not in style


@pytest.mark.parametrize("make", [proven, hostile_world, lambda world: long_night(world, 40)])
def test_every_link_leads_somewhere_and_every_name_is_given_once(world: World, make: object) -> None:
    make(world)  # type: ignore[operator]
    for page in (world.page(), world.page(world.stories() * 2)):
        tags = Read(page).tags
        ids = [a["id"] for _, a in tags if "id" in a]
        assert len(ids) == len(set(ids))
        links = [a["href"][1:] for t, a in tags if t == "a"]
        assert links and set(links) <= set(ids)
        labelled = [name for _, a in tags for name in a.get("aria-labelledby", "").split()]
        assert set(labelled) <= set(ids)


def test_the_outcome_comes_first(world: World) -> None:
    proven(world)
    text = " ".join(Read(world.page()).text.partition("}\n")[2].split())
    start = text[text.index("✓") :][:400]
    assert start.startswith(
        "✓Done, and the gates prove it completed-verified Make the answer right tests red → green"
    )
    assert "Next Look at the change with git status and git diff" in start


@pytest.mark.parametrize(
    ("end", "tone"),
    [("failed", "bad"), ("stuck", "bad"), ("limit", "unsure"), ("blocked-on-person", "unsure")],
)
def test_other_ends_do_not_look_like_success(world: World, end: str, tone: str) -> None:
    world.start()
    world.end(end, "so it is")  # type: ignore[arg-type]
    assert f'<header class="outcome {tone}">' in world.page()


def test_what_a_person_has_to_review_comes_first(world: World) -> None:
    world.start()
    world.iteration()
    world.end("needs-review", "existing tests were changed")
    text = Read(world.page()).text
    assert text.index("To be reviewed") < text.index("diff --git") < text.index("Evidence")
    told = summary(world.stories())
    assert "#### To be reviewed\n\n```diff\ndiff --git " in told
    assert told.index("```diff") < told.index("#### Iterations")


@pytest.mark.parametrize(
    ("what", "tone"),
    [
        ("red→green", "good"),
        ("green→green", "calm"),
        ("unknown→green", "calm"),
        ("red→green (soft)", "calm"),
        ("PASS", "calm"),
        ("PASS (soft)", "calm"),
        ("FAIL (soft)", "unsure"),
        ("no verdict (soft)", "unsure"),
        ("red→green (flaky)", "bad"),
        ("red→green (depends on files that git does not record)", "unsure"),
        ("green→green (red with the original inputs)", "bad"),
        ("unknown→red (soft)", "unsure"),
        ("red→red", "bad"),
    ],
)
def test_only_red_to_green_looks_proven(what: str, tone: str) -> None:
    assert proof_tone(what) == tone


def test_each_iteration_has_its_prompt_output_and_change(world: World) -> None:
    proven(world)
    page = world.page()
    first = page[page.index('id="i1"') : page.index('id="i2"')]
    assert "Working on it." in first and "Do it." in first
    assert "<del>-answer = 0</del>\n<ins>+answer = 1  # loop-1</ins>" in first


def test_a_reviewers_prompt_answer_and_findings_are_shown(world: World) -> None:
    world.start(gates=GATES)
    world.iteration()
    world.gate(True)
    world.gate(
        False,
        "spec",
        findings=("no Retry-After header",),
        prompt="Review this.",
        output=b"- no header\nFAIL\n",
        usd=0.04,
    )
    page = world.page()
    shown = page[page.index('id="g1"') :]
    for text in ("FAIL", "no Retry-After header", "Review this.", "- no header", "0.04 USD"):
        assert text in shown


def test_what_agents_print_as_json_is_told_in_words(world: World) -> None:
    block = {"type": "text", "text": "Looking <b>closely</b>\x1b[31m\u202e"}
    line = json.dumps({"type": "assistant", "message": {"content": [block]}}).encode() + b"\n"
    world.start(gates=GATES[:2])
    world.iteration(output=b"plain words\n" + line)
    world.gate(True, output=line)
    world.gate(False, "spec", prompt="Review this.", output=line + b"FAIL\n")
    page = world.page()
    words = "Looking &lt;b&gt;closely&lt;/b&gt;[U+202E]"
    assert f"plain words\n{words}" in page and f"{words}\nFAIL</p>" in page
    assert Read(page).text.count('"type": "assistant"') == 1, "what a command prints is its own"


def test_what_is_not_kept_is_said_to_be_not_kept(world: World) -> None:
    proven(world)
    for folder in ("blobs", "runs"):
        shutil.rmtree(world.repo.state_dir / folder)
    shutil.rmtree(world.repo.objects)
    world.repo.objects.mkdir()
    page = world.page()
    for text in (
        "Output: not kept.",
        "Prompt: not kept.",
        "Change: not kept.",
        "The trees are not kept any more.",
    ):
        assert text in page
    assert "Done, and the gates prove it" in page


def test_a_long_output_shows_both_ends_and_where_the_whole_is(world: World) -> None:
    world.start()
    world.iteration(
        "ITERATION_DONE", output=b"the first line\n" + b"noise\n" * 1_000_000 + b"the last line\n"
    )
    page = world.page()
    assert "the first line\n" in page and "the last line</p>" in page
    assert re.search(r"\[\.\.\. [\d,]+ bytes cut; whole file: \S+iteration-1\.out \.\.\.\]", page)
    assert len(page) < MEGABYTE


def test_the_page_stays_small_whatever_was_said(world: World) -> None:
    """Two hundred iterations of the worst: text that grows when it is escaped, in every place."""
    worst = (b"<&>\x00\xff\x1b" * 50_000)[: 4 * 65536]
    prompt = "&<" * 50_000
    world.start(gates=GATES)
    for number in range(200):
        edits: dict[str, str | bytes] = {"big.txt": f"<&>{number // 5}\n" * 2000}
        world.iteration(output=worst, prompt=prompt, edits=edits, change=False)
        world.gate(False, output=worst, headline="&" * 5000, findings=("<" * 5000,) * 20, prompt=prompt)
    assert len(world.page().encode()) < 10 * MEGABYTE


def test_a_loop_of_thousands_of_iterations_shows_the_first_and_the_last(world: World) -> None:
    world.start(gates=())
    for _ in range(1200):
        world.iteration("ITERATION_DONE", change=False)
    page = world.page()
    assert 'id="i1"' in page and 'id="i1200"' in page and 'id="i600"' not in page
    assert "800 iterations are not shown" in page
    assert len(page) < 10 * MEGABYTE


def test_a_change_cannot_hide_behind_attributes(world: World) -> None:
    world.write("code.py", "safe = True\n")
    world.start()
    attributes = "* -diff\n*.py diff=none\n"
    world.iteration("ITERATION_DONE", edits={".gitattributes": attributes, "code.py": "safe = False\n"})
    assert "<ins>+safe = False</ins>" in world.page()


def test_no_program_of_the_repositorys_configuration_is_run(world: World) -> None:
    mark = world.repo.root.parent / "ran"
    world.write("code.py", "safe = True\n")
    world.start()
    attributes = "*.py diff=evil filter=evil\n"
    world.iteration("ITERATION_DONE", edits={".gitattributes": attributes, "code.py": "safe = False\n"})
    with open(world.repo.common_dir / "config", "a") as config:
        config.write(
            f'[diff]\n\texternal = touch {mark}\n[diff "evil"]\n\ttextconv = touch {mark}\n\tcommand = touch {mark}\n'
        )
    assert "<ins>+safe = False</ins>" in world.page()
    assert not mark.exists()


def test_binary_and_huge_files_are_named_only(world: World) -> None:
    world.start()
    huge = "all work and no play\n" * 200_000
    world.iteration("ITERATION_DONE", edits={"huge.txt": huge, "image.png": bytes(range(256))})
    page = world.page()
    assert "huge.txt" in page and "image.png" in page
    assert page.count("binary, or larger than is shown") == 2
    assert len(page) < MEGABYTE

"""The pages as a whole: one place groups them, every link and anchor leads somewhere, and every command they name exists."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml
from reference import TABLES, renewed

from ralph.cli.app import COMMANDS, app
from ralph.cli.entry import AGENT_COMMANDS
from ralph.cli.help import page_groups

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
INDEX = (DOCS / "index.md").read_text()
PAGES = {page.name: page.read_text() for page in sorted(DOCS.glob("*.md"))}
DOCUMENTS = {ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.glob("*.md")}
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def headings(text: str) -> list[str]:
    return re.findall(r"(?m)^#+ (.+)$", CODE.sub("", text))


def anchor(heading: str) -> str:
    """As GitHub and mkdocs make it."""
    return re.sub(r"[ -]+", "-", re.sub(r"[^\w\- ]", "", heading.lower()).strip())


# -- grouping ------------------------------------------------------------------------------------------


def test_the_index_has_every_page_once_under_its_own_title() -> None:
    listed = [(f"{name}.md", title) for group in page_groups(INDEX).values() for name, title in group.items()]
    titles = [(name, text.splitlines()[0].removeprefix("# ")) for name, text in PAGES.items()]
    assert sorted(listed) == sorted(set(titles) - {("index.md", "Ralph")})


def test_the_groups_are_what_a_person_wants_to_do() -> None:
    groups = page_groups(INDEX)
    assert list(groups) == [
        "Get started",
        "Guides",
        "Reference",
        "Explanation",
        "Troubleshooting",
        "Comparison",
    ]
    assert all(groups.values())


@pytest.mark.parametrize("page", TABLES)
def test_what_is_made_from_code_or_from_the_index_is_up_to_date(page: str) -> None:
    text = (DOCS / page).read_text()
    assert renewed(page, text) == text, "run: make docs"


def test_the_site_shows_the_pages_in_the_same_groups() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    groups = {next(iter(part)): next(iter(part.values())) for part in site["nav"]}
    assert groups.pop("Ralph") == "index.md"
    shown = {
        group: {name.removesuffix(".md"): title for page in pages for title, name in page.items()}
        for group, pages in groups.items()
    }
    assert shown == page_groups(INDEX)


def test_the_site_loads_nothing_from_elsewhere_and_a_broken_link_fails_it() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    assert site["theme"]["font"] is False and "extra_javascript" not in site and "extra_css" not in site
    assert set(site["validation"]["links"].values()) == {"warn"}  # and --strict makes that an error
    assert "mkdocs build --strict" in (ROOT / "Makefile").read_text()
    assert f"/{site['site_dir']}/" in (ROOT / ".gitignore").read_text().splitlines()


# -- links ---------------------------------------------------------------------------------------------


def links() -> Iterator[tuple[Path, str, str]]:
    for document in sorted(DOCUMENTS):
        for path, fragment in re.findall(
            r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", CODE.sub("", document.read_text())
        ):
            yield document, path, fragment


def test_every_link_and_anchor_leads_somewhere() -> None:
    found = list(links())
    assert len(found) > 200
    for document, path, fragment in found:
        target = document.parent / path if path else document
        assert target.exists(), f"{document.name} -> {path}"
        if fragment:
            anchors = {anchor(heading) for heading in headings(target.read_text())}
            assert fragment in anchors, f"{document.name} -> {path}#{fragment}"


def test_pages_link_to_pages_only() -> None:
    """They are installed, and built into a site, without the rest of the project."""
    for document, path, _ in links():
        if document.parent == DOCS and path:
            assert (document.parent / path).resolve().parent == DOCS, f"{document.name} -> {path}"


# -- commands ------------------------------------------------------------------------------------------


def spoken() -> Iterator[tuple[str, str]]:
    """Every `ralph ...` within a sentence or a table. Blocks of commands are typed by tests/acceptance/test_page_commands.py."""
    for document in sorted(DOCUMENTS):
        text = CODE.sub("", document.read_text()).replace("\\|", "|")
        for line in re.findall(r"`ralph ([^`]+)`", text):
            yield document.name, " ".join(line.split())


def test_every_command_and_option_that_a_sentence_names_exists() -> None:
    found = set(spoken())
    assert len(found) > 100
    for page, line in sorted(found):
        words = shlex.split(re.split(r" [|<>&] ?| && ", line)[0])
        if words[0] not in ELSEWHERE | AGENT_COMMANDS.keys():
            assert words[0] in COMMANDS, f"{page}: ralph {line}"
            _check_options(page, line, words)


# Any command; flags of the program itself; and a command that ralph-orchestrator has and Ralph refuses.
ELSEWHERE = {"COMMAND", "--version", "--help", "wave"}


def _check_options(page: str, line: str, words: list[str]) -> None:
    with click.Context(app, info_name="ralph") as ctx:
        command = app.get_command(ctx, words[0])
    if isinstance(command, click.Group) and len(words) > 1 and words[1] in command.commands:
        command = command.commands[words[1]]
    assert command is not None
    known = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    own = words[: words.index("--")] if "--" in words else words
    for word in own:
        if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in {*known, "--help"}:
            raise AssertionError(f"{page}: `ralph {line}` has no option {word}")


# -- messages ------------------------------------------------------------------------------------------

FILLED_IN = r"'[^']*'|\.\.\.|: |\b(?:node_modules/|tests|5|DATABASE_URL)"


def test_the_messages_that_troubleshooting_explains_are_those_of_the_program() -> None:
    text = PAGES["troubleshooting.md"]
    quoted = re.findall(r"(?m)^\| `([^`]+)`", text) + re.findall(r"(?m)^\*\*`([^`]+ [^`]+)`", text)
    quoted += re.findall(r"\(`(neither [^`]+)`\)", text)
    assert len(quoted) > 8
    said = "\n".join(path.read_text() for path in sorted((ROOT / "src/ralph").rglob("*.py")))
    for message in quoted:
        for part in re.split(FILLED_IN, message):
            assert part.strip() in said, f"{message}: {part!r}"

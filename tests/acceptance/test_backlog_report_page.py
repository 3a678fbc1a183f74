"""The page of a run over a backlog: what became of each task is seen without scrolling sideways, wide and narrow."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from project import Project

CONFIG = (
    "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\nevent_loop: {max_iterations: 3}\n"
)
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# The page has no script; what holds it measures it.
FRAME = """<iframe src="run.html" width="%d" height="800" style="border: 0"></iframe><p></p><script>
onload = () => {
  const page = document.querySelector("iframe").contentDocument
  const box = page.querySelector("table.tasks").parentElement
  const pills = [...page.querySelectorAll("table.tasks .pill")].map(x => x.getBoundingClientRect().right)
  const wide = [page.documentElement.scrollWidth, box.scrollWidth - box.clientWidth, Math.round(Math.max(...pills))]
  document.querySelector("p").textContent = "measured " + wide.join(" ")
}
</script>"""


@pytest.fixture
def page(project: Project) -> Path:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("test.sh", "exit 0\n")
    project.agent(
        'if test $RALPH_TASK = B; then echo "TASK_STUCK: nobody told me the password"; exit 0; fi\n'
        "echo good > part-$RALPH_TASK; echo TASK_COMPLETE"
    )
    tasks = [{"id": "A", "title": "one_word_" * 30}, {"id": "B", "title": "Stuck"}]
    project.write("tasks.jsonl", "".join(json.dumps({**task, "leaf": True}) + "\n" for task in tasks))
    project.commit()
    assert project.ralph("run").returncode == 1
    done = project.ralph("report", "--html", "-o", "run.html")
    assert done.returncode == 0, done.stderr
    return project.path / "run.html"


def test_the_table_says_why_a_task_is_not_done_and_names_each_figure(page: Path) -> None:
    text = page.read_text()
    row = re.findall(r"<tr><td><a href.*?</tr>", text, re.S)[1]
    assert ">stuck</span>" in row and "nobody told me the password" in row
    assert '<td class="num" data-name="iterations">1</td>' in row


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.skipif(BROWSER is None, reason="no chromium on PATH")
def test_nothing_is_out_of_sight(page: Path, width: int, tmp_path: Path) -> None:
    frame = page.with_name("frame.html")
    frame.write_text(FRAME % width)
    flags = (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--allow-file-access-from-files",
    )
    command = [str(BROWSER), *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", frame.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = re.search(r"measured (\d+) (-?\d+) (\d+)", done.stdout)
    assert found, done.stderr[-2000:]
    whole, hidden, rightmost = map(int, found.groups())
    assert whole <= width and hidden <= 0 and rightmost <= width

"""`ralph validate` of files with hats, and of files of the older family: both lists, the meaning, the exit code."""

from __future__ import annotations

import json

from project import Project

FILE = """\
cli: {command: ./agent.sh}
RObot: {enabled: true}
hats:
  builder:
    triggers: [task.start]
    publishes: [build.done]
    backend: [./missing.sh]
"""


def test_what_has_no_effect_is_a_warning_and_what_is_unknown_an_error(project: Project) -> None:
    project.config(FILE + "    trigers: [x]\n")
    done = project.ralph("validate", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 2 and not found["valid"]
    assert [(e["line"], e["key"]) for e in found["errors"]] == [(8, "hats.builder.trigers")]
    assert "nearest valid: triggers" in found["errors"][0]["what"]
    assert [(w["line"], w["key"]) for w in found["warnings"]] == [(2, "RObot.enabled")]


def test_how_hats_hang_together_is_told_with_who_wears_them(project: Project) -> None:
    project.write("agent.sh", "#!/bin/sh\n", executable=True)
    project.config(FILE)
    done = project.ralph("validate")
    assert done.returncode == 0, done.stdout
    assert (
        "ralph.yml:4: warning: hats.builder: no hat takes build.done: it goes to the coordinator"
        in done.stdout
    )
    assert "ralph.yml:4: warning: hats.builder.backend: the agent " in done.stdout
    assert "  hats    builder: task.start → build.done (by custom)" in done.stdout
    assert "starts with task.start" in done.stdout

"""A persistent board with an agent as its scanner: an item that nobody gets done is set aside, and the others are done."""

from __future__ import annotations

from typing import Any

import yaml
from project import Project

CONFIG: dict[str, Any] = {
    "cli": {"backend": "scripted", "script": "../script.yml"},
    "gates": "none",
    "event_loop": {
        "prompt": "Work through the board.",
        "starting_event": "board.scan",
        "persistent": True,
        "cooldown_delay_seconds": 1,
    },
    "hats": {
        "scanner": {
            "triggers": ["board.scan", "board.rescan", "task.resume"],
            "publishes": ["work.do", "LOOP_COMPLETE"],
            "default_publishes": "LOOP_COMPLETE",
        },
        "doer": {
            "triggers": ["work.do"],
            "publishes": ["board.rescan"],
            "default_publishes": "board.rescan",
        },
    },
}
# It takes the first item that it was not told to leave, as an agent that reads its prompt does.
SCAN = """\
for item in $(ls work); do
  grep -q "^- Set aside.*`$item`" "$RALPH_PROMPT" && continue
  ralph emit work.do "$item"; exit
done
ralph emit LOOP_COMPLETE
"""
STUBBORN = 'item=$(ls work | head -n 1); [ -z "$item" ] || ralph emit work.do "$item"'


class AgentBoard:
    def __init__(self, project: Project) -> None:
        self.project = project
        (project.path / "PROMPT.md").unlink()
        (project.path / "agent.sh").unlink()

    def set_up(self, doer: str, scan: str) -> None:
        script = {"hats": {"scanner": [{"run": scan}], "doer": [{"run": doer}]}}
        self.project.write("../script.yml", yaml.safe_dump(script))
        self.project.config(yaml.safe_dump(CONFIG, sort_keys=False))
        self.project.commit("set up")

    def put(self, *names: str) -> None:
        for name in names:
            self.project.write(f"work/{name}", f"do {name}\n")

    def names(self, folder: str) -> list[str]:
        path = self.project.path / folder
        return sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []

    def tries(self, item: str) -> int:
        return sum(
            fact["topic"] == "work.do" and fact.get("payload") == item
            for fact in self.project.facts("event.received")
        )

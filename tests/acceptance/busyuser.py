"""A user in the middle of their own work, in whose repository a backlog is worked through: what they have, and what of it
a landing may change.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

from project import Project

from portrait import Portrait, Worktree, portrait

PLACES = ("target", "other", "detached", "both")
HOOKS = (
    "applypatch-msg",
    "commit-msg",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-auto-gc",
    "pre-commit",
    "pre-push",
    "prepare-commit-msg",
    "reference-transaction",
)
CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 6, crash_wait: 0, max_attempts: 1}
land: {target: main}
"""
# Every task writes a file of its own, and one that is there already; none may hold "bad".
GATE = 'if grep -rqs bad parts; then echo "FAILED: a bad part"; exit 1; fi\n'
WORK = 'mkdir -p parts; echo "good $RALPH_TASK" > "parts/$RALPH_TASK"; echo more >> "known/$RALPH_TASK"; echo TASK_COMPLETE'


class BusyUser(Project):
    """Where they are: on the target, on another branch (and a linked worktree is on the target), with a detached HEAD, or
    on the target twice. In every checkout there are staged, unstaged, untracked and ignored files."""

    def __init__(
        self, folder: Path, place: str, *tasks: str, agent: str = WORK, config: str = CONFIG
    ) -> None:
        folder.mkdir(exist_ok=True)
        super().__init__(folder / "project", folder / "home")
        self.place = place
        self.second = folder / "second"
        (self.path / "PROMPT.md").unlink()
        self.config(config)
        self.write("test.sh", GATE)
        self.agent(agent)
        # Not recorded, so that what Ralph writes into the list does not show in the user's index.
        self.write("shared", "start\n")
        self.write(".gitignore", (self.path / ".gitignore").read_text() + "tasks*.jsonl\n*.log\n")
        for task in tasks:
            self.write(f"known/{task}", f"{task}\n")
        for name in ("staged", "unstaged", "both", "gone", "moved"):
            self.write(f"mine/{name}", f"{name}\n" * 20)
        self.add(*tasks)
        self.commit("ready")
        self.git("branch", "side", "HEAD~1")
        self.git("branch", "elsewhere")
        self.git("tag", "v1", "HEAD~1")
        self.write("mine/unstaged", "stashed\n")
        self.write("mine/new", "stashed too\n")
        self.git("stash", "-u", "-q")
        if place == "other":
            self.git("checkout", "-q", "elsewhere")
        if place == "detached":
            self.git("checkout", "-q", "--detach", "main")
        forced = {"other": "main", "both": "main"}.get(place, "side")
        self.git("worktree", "add", "-q", "--force", str(self.second), forced)
        for root in (self.path, self.second):
            self._work_in(root)
        for hook in HOOKS:
            self.write(
                f".git/hooks/{hook}", f"#!/bin/sh\necho {hook} >> '{folder}/hooks-ran'\n", executable=True
            )
        (folder / "hooks-ran").unlink(missing_ok=True)
        self.before = self.look()

    def add(self, *ids: str) -> None:
        with open(self.path / "tasks.jsonl", "a") as file:
            for id in ids:
                file.write(json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n")

    def _work_in(self, root: Path) -> None:
        def git(*arguments: str) -> None:
            subprocess.run(["git", *arguments], cwd=root, env=self.env, check=True, capture_output=True)

        (root / "mine").mkdir(exist_ok=True)  # the side branch has none of it
        known = (root / "mine/moved").exists()
        (root / "mine/staged").write_text(f"staged in {root.name}\n")
        (root / "mine/both").write_text("staged\n")
        git("add", "mine/staged", "mine/both")
        (root / "mine/both").write_text("staged\nand not staged\n")
        if known:
            (root / "mine/unstaged").write_text("edited\n")
            (root / "mine/gone").unlink()
            git("mv", "mine/moved", "mine/elsewhere")
        (root / "untracked").write_text("untracked\n")
        (root / "debug.log").write_text("ignored\n")

    def look(self) -> Portrait:
        """Without the list of tasks, which Ralph writes into."""
        seen = portrait(self.path)
        return seen.but(files=_without_list(seen.files))

    def followed(self, commit: str, *paths: str) -> Portrait:
        """What the user has when this commit has landed, and every checkout on the target has followed for these paths."""
        tree = {path: self.git("rev-parse", f"{commit}:{path}") for path in paths}
        seen = self.look()
        digests = {path: _of_commit(self, commit, path) for path in paths}
        before = self.before.but(branches={**self.before.branches, "refs/heads/main": commit})
        if self.place in ("target", "both"):
            before = before.but(index=_with(before.index, tree), files={**before.files, **digests})
        if self.place in ("other", "both"):
            ((name, there),) = before.worktrees.items()
            there = Worktree(there.head, _with(there.index, tree), there.status, {**there.files, **digests})
            before = before.but(worktrees={name: there})
        assert set(seen.worktrees) == set(before.worktrees)
        return before

    def hooks_ran(self) -> bool:
        return (self.path.parent / "hooks-ran").exists()

    def main(self) -> str:
        return self.git("rev-parse", "main")

    def on_target(self) -> list[Path]:
        return {"target": [self.path], "other": [self.second], "both": [self.path, self.second]}.get(
            self.place, []
        )


def _without_list(files: dict[str, str]) -> dict[str, str]:
    return {path: digest for path, digest in files.items() if not path.startswith("tasks")}


def _of_commit(project: Project, commit: str, path: str) -> str:
    done = subprocess.run(
        ["git", "cat-file", "blob", f"{commit}:{path}"],
        cwd=project.path,
        env=project.env,
        capture_output=True,
        check=True,
    )
    return f"- {hashlib.sha256(done.stdout).hexdigest()[:16]}"


def _with(index: str, objects: dict[str, str]) -> str:
    lines = {line.partition("\t")[2]: line for line in index.splitlines()}
    lines |= {path: f"H 100644 {oid} 0\t{path}" for path, oid in objects.items()}
    return "".join(f"{lines[path]}\n" for path in sorted(lines))

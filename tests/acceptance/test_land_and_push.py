"""`land: pr | branch | none` and `push: true` through whole runs, with a real remote and a `gh` that keeps a list."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from busyuser import CONFIG, WORK, BusyUser
from project import only

import fakegh

SAYING = "echo 'Did part of it.'; " + WORK


class WithRemote(BusyUser):
    """The same user, with a remote and `gh`."""

    def __init__(self, folder: Path, land: str, *tasks: str, agent: str = SAYING, more: str = "") -> None:
        config = CONFIG.replace("{target: main}", f"{{how: {land}, target: main}}") + more
        super().__init__(folder, "target", *tasks, agent=agent, config=config)
        self.hub = folder / "hub"
        self.env["PATH"] = f"{fakegh.put(self.hub)}:{self.env['PATH']}"
        self.git("init", "-q", "--bare", "-b", "main", str(self.hub / "remote.git"))
        self.git("remote", "add", "origin", str(self.hub / "remote.git"))
        self.before = self.look()

    def requests(self) -> list[dict[str, Any]]:
        return json.loads((self.hub / "list").read_text()) if (self.hub / "list").exists() else []  # type: ignore[no-any-return]

    def calls(self, what: str) -> int:
        lines = (self.hub / "calls").read_text().splitlines() if (self.hub / "calls").exists() else []
        return sum(json.loads(line)[1] == what for line in lines)

    def remote(self) -> dict[str, str]:
        """The remote's branches."""
        done = subprocess.run(
            ["git", "for-each-ref", "--format=%(refname:short) %(objectname)"],
            cwd=self.hub / "remote.git",
            env=self.env,
            capture_output=True,
            text=True,
            check=True,
        )
        return dict(line.split() for line in done.stdout.splitlines())

    def branch(self, name: str) -> str:
        return self.git("rev-parse", f"refs/heads/{name}")

    def untouched_but(self, *branches: str) -> None:
        """Nothing of the user's has changed but that there are these branches, and what git notes of pushed ones."""
        new = {f"refs/heads/{name}": self.branch(name) for name in branches}
        pushed = {f"refs/remotes/origin/{name}": at for name, at in self.remote().items()}
        seen = self.look()
        reflogs = {name: said for name, said in seen.reflogs.items() if name not in pushed}
        assert seen.but(reflogs=reflogs) == self.before.but(
            branches={**self.before.branches, **new}, others={**self.before.others, **pushed}
        )
        assert not self.hooks_ran()
        assert self.git("fsck", "--no-dangling", "--no-progress") == ""


def archived(user: BusyUser) -> dict[str, str]:
    lines = (user.path / "tasks-done.jsonl").read_text().splitlines()
    return {task["id"]: task.get("commit", "") for task in map(json.loads, lines)}


def test_every_task_gets_a_pull_request_of_its_own(tmp_path: Path) -> None:
    user = WithRemote(tmp_path, "pr", "A", "B")
    done = user.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    names = ["task/A-part-a", "task/B-part-b"]
    assert [(r["head"], r["base"], r["title"]) for r in user.requests()] == [
        (names[0], "main", "[A] Part A"),
        (names[1], "main", "[B] Part B"),
    ]
    assert user.requests()[0]["body"] == "Did part of it.\n\nCompletes: A\n"
    assert user.remote() == {name: user.branch(name) for name in names}
    assert archived(user) == {"A": user.branch(names[0]), "B": user.branch(names[1])}
    assert [fact["url"] for fact in user.facts("landed")] == [r["url"] for r in user.requests()]
    assert user.requests()[1]["url"] in user.ralph("report").stdout
    user.untouched_but(*names)


@pytest.mark.parametrize("seam", ["push.before#1", "pr.before#1", "pr.after#1", "landed"])
def test_killed_on_the_way_to_a_pull_request_the_next_run_opens_no_second(tmp_path: Path, seam: str) -> None:
    user = WithRemote(tmp_path, "pr", "A")
    if seam == "landed":  # the pull request is there, its record is not: the first one after it
        counted = WithRemote(tmp_path / "counted", "pr", "A")
        counted.ralph("run", env={"RALPH_FAULT": f"count:{tmp_path}/seams"})
        names = (tmp_path / "seams").read_text().replace(" w", "").splitlines()
        before = names[: names.index("pr.after")].count("journal.append.before")
        seam = f"journal.append.before#{before + 1}"
    killed = user.ralph("run", env={"RALPH_FAULT": f"kill@{seam}"})
    assert killed.returncode == -9, killed.stdout + killed.stderr
    assert user.journaled("landing.intended") == 1 and user.journaled("landed") == 0
    # Meanwhile the target moves on: what is on its way stays as it is.
    user.git("-c", "core.hooksPath=/dev/null", "update-ref", "refs/heads/main", moved_on(user))
    user.git("-c", "core.hooksPath=/dev/null", "read-tree", "-m", "main~1", "main")
    done = user.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    (request,) = user.requests()
    assert user.calls("create") == 1
    assert user.remote() == {"task/A-part-a": request["headRefOid"]}
    assert [fact["url"] for fact in user.facts("landed")] == [request["url"]]
    assert user.git("for-each-ref", "--format=%(refname:short)", "refs/heads/task/") == "task/A-part-a"
    assert user.git("for-each-ref", "refs/ralph/base") == ""


def moved_on(user: BusyUser) -> str:
    return user.git("commit-tree", "-p", "main", "-m", "somebody else's", "main^{tree}")


@pytest.mark.parametrize("trouble", ["missing", "failing", "unreachable"])
def test_without_a_pull_request_the_work_is_on_its_branch_and_the_run_says_so(
    tmp_path: Path, trouble: str
) -> None:
    user = WithRemote(tmp_path, "pr", "A", "B")
    if trouble == "missing":
        user.env["PATH"] = str(only(tmp_path / "bin", "git", "sh", "cat", "mkdir", "grep"))
    elif trouble == "failing":
        (user.hub / "fails").touch()
    else:
        user.git("remote", "set-url", "origin", str(tmp_path / "nowhere.git"))
        user.before = user.look()
    done = user.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    why = {
        "missing": "the program gh, which was not found",
        "failing": "gh pr list failed: HTTP 401: Bad credentials",
        "unreachable": "could not be pushed: git push to origin: fatal: ",
    }[trouble]
    report = user.ralph("report").stdout
    for said in (done.stdout, report):
        assert why in said and "gh pr create --head task/A-part-a --base main" in said, said
    assert ("warning: `land: pr` needs the program gh" in done.stderr) == (trouble == "missing")
    assert [(fact["how"], fact.get("url", "")) for fact in user.facts("landed")] == [("pr", "")] * 2
    assert user.git("show", "task/B-part-b:parts/B") == "good B"
    assert archived(user) == {"A": user.branch("task/A-part-a"), "B": user.branch("task/B-part-b")}
    assert user.requests() == [] and user.remote() == {}
    user.untouched_but("task/A-part-a", "task/B-part-b")


@pytest.mark.parametrize("kind", ["clone", "worktree"])
@pytest.mark.parametrize("pushes", [False, True])
def test_work_lands_on_a_branch_of_its_own_and_is_pushed_only_if_asked(
    tmp_path: Path, kind: str, pushes: bool
) -> None:
    user = WithRemote(tmp_path, "branch", "A", more=f"workspace: {kind}\npush: {str(pushes).lower()}\n")
    done = user.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert user.git("log", "--format=%s", "main..task/A-part-a") == "[A] Part A"
    assert user.remote() == ({"task/A-part-a": user.branch("task/A-part-a")} if pushes else {})
    assert archived(user) == {"A": user.branch("task/A-part-a")}
    assert user.calls("list") == user.calls("create") == 0
    user.untouched_but("task/A-part-a")


@pytest.mark.parametrize("seam", ["landing.ref.after#3", "push.after#1"])
def test_killed_before_the_push_the_next_run_pushes(tmp_path: Path, seam: str) -> None:
    user = WithRemote(tmp_path, "branch", "A", more="push: true\n")
    assert user.ralph("run", env={"RALPH_FAULT": f"kill@{seam}"}).returncode == -9
    done = user.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert user.remote() == {"task/A-part-a": user.branch("task/A-part-a")}
    user.untouched_but("task/A-part-a")


def test_a_push_that_fails_is_a_warning(tmp_path: Path) -> None:
    user = WithRemote(tmp_path, "branch", "A", more="push: true\n")
    user.git("remote", "remove", "origin")
    user.before = user.look()
    done = user.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not pushed: the repository has no remote to push to" in done.stdout
    user.untouched_but("task/A-part-a")


@pytest.mark.parametrize("pushes", [False, True])
def test_failure_branches_are_pushed_only_if_asked_and_made_once(tmp_path: Path, pushes: bool) -> None:
    bad = "mkdir -p parts; echo bad > parts/$RALPH_TASK; echo TASK_COMPLETE"
    user = WithRemote(tmp_path, "merge", "A", agent=bad, more=f"push: {str(pushes).lower()}\n")
    seam = (
        "push.after#1" if pushes else "landing.clear.after#3"
    )  # the branch is there, the end is not recorded
    assert user.ralph("run", env={"RALPH_FAULT": f"kill@{seam}"}).returncode == -9
    (name,) = user.git("for-each-ref", "--format=%(refname:short)", "refs/heads/wip/").splitlines()
    done = user.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert user.end()["branch"] == name
    assert user.remote() == ({name: user.branch(name)} if pushes else {})
    assert user.git("for-each-ref", "refs/ralph/archive") == ""
    user.untouched_but(name)
    assert user.ralph("task", "reopen", "A").returncode == 0
    user.git("-c", "core.hooksPath=/dev/null", "update-ref", "refs/heads/main", mended(user))
    again = user.ralph("run")
    assert again.returncode == 0, again.stdout + again.stderr
    assert user.git("for-each-ref", "--format=%(refname)", "refs/heads/wip/") == "", (
        "it is no failure any more"
    )
    assert user.git("rev-parse", f"refs/ralph/archive/{name}")


def mended(user: BusyUser) -> str:
    """The target with a gate that lets anything pass, made without a checkout."""
    empty = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"],
        cwd=user.path,
        env=user.env,
        input=b"",
        capture_output=True,
        check=True,
    )
    listed = user.git("ls-tree", "main").splitlines()
    lines = [
        f"100644 blob {empty.stdout.decode().strip()}\ttest.sh" if line.endswith("\ttest.sh") else line
        for line in listed
    ]
    tree = subprocess.run(
        ["git", "mktree"],
        cwd=user.path,
        env=user.env,
        input="\n".join(lines).encode() + b"\n",
        capture_output=True,
        check=True,
    )
    return user.git("commit-tree", "-p", "main", "-m", "mended", tree.stdout.decode().strip())


def test_what_shall_not_land_moves_no_branch(tmp_path: Path) -> None:
    user = WithRemote(tmp_path, "none", "A", more="push: true\n")
    done = user.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    ref = user.git("for-each-ref", "--format=%(refname)", "refs/ralph/recovery")
    assert f"not landed, kept as {ref}" in done.stdout
    assert user.git("show", f"{ref}:parts/A") == "good A"
    assert user.remote() == {} and archived(user) == {"A": ""}
    user.untouched_but()

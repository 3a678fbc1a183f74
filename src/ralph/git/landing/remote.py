"""Pushing a branch, and pull requests by `gh`: in bounded time, without hooks or prompts, never the same one twice."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain

import msgspec

from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.git import program
from ralph.git.program import GitFailed
from ralph.git.repo import Repo

NO_GH = "`land: pr` needs the program gh, which was not found"
_SECONDS = 120.0


class PullRequest(msgspec.Struct, frozen=True, rename="camel"):
    """As gh says it."""

    number: int
    url: str
    state: str = "OPEN"  # or MERGED, CLOSED
    head_ref_oid: str = ""
    is_cross_repository: bool = False


def remote_of(repo: Repo, branch: str) -> str:
    """Where git itself would push the branch; empty when the repository has no remote, or several and no choice."""
    for key in (f"branch.{branch}.pushRemote", "remote.pushDefault", f"branch.{branch}.remote"):
        with suppress(GitFailed):
            named = os.fsdecode(repo.git("config", key)).strip()
            if named and named != ".":
                return named
    names = os.fsdecode(repo.git("remote")).split("\n")[:-1]
    return "origin" if "origin" in names else names[0] if len(names) == 1 else ""


def push(repo: Repo, branch: str, commit: str, *, remote: str = "", seconds: float = _SECONDS) -> str:
    """Set the remote's `branch` to the commit, where it is new or an ancestor: nothing is ever pushed over, and nothing
    else is pushed. Again: nothing to do. Returns why it could not be, in one line; empty when it could."""
    to = remote or remote_of(repo, branch)
    if not to:
        return "the repository has no remote to push to"
    command = ["git", "-c", "core.hooksPath=/dev/null", "push", "--no-verify", "--no-follow-tags", "--quiet"]
    command += ["--", to, f"{commit}:refs/heads/{branch}"]
    fault_point("push.before", writes=True)
    code, _, error = _bounded(command, repo, seconds, {"GIT_DIR": str(repo.common_dir)})
    fault_point("push.after")
    return f"git push to {to}: {error}" if code else ""


def find_pull_request(repo: Repo, branch: str, commit: str) -> PullRequest | None:
    """The open pull request of this branch; or, merged or closed, the one of this very commit."""
    fields = ",".join(PullRequest.__struct_encode_fields__)
    said = _gh(repo, ["pr", "list", "--head", branch, "--state", "all", "--limit", "50", "--json", fields])
    try:
        listed = msgspec.json.decode(said, type=list[PullRequest])
    except msgspec.DecodeError:
        raise RalphError("gh did not answer with a list of pull requests", code=70) from None
    own = [request for request in listed if not request.is_cross_repository]
    still_open = (request for request in own if request.state == "OPEN")
    same_commit = (request for request in own if request.head_ref_oid == commit)
    return next(chain(still_open, same_commit), None)


def open_pull_request(
    repo: Repo, *, branch: str, commit: str, target: str, title: str, body: str
) -> PullRequest:
    """Push the branch and open its pull request against `target`, or find the one that is there."""
    if shutil.which("gh") is None:
        raise RalphError(
            NO_GH,
            todo="Install it and log in (https://cli.github.com), or use `land: branch`.",
        )
    before = find_pull_request(repo, branch, commit)
    if before is not None and before.state != "OPEN":
        return before
    if trouble := push(repo, branch, commit, remote=remote_of(repo, target)):
        raise RalphError(
            f"the branch {branch} could not be pushed: {trouble}",
            todo="When the cause is gone, `ralph resume` continues.",
            code=70,
        )
    return before or _create(repo, branch, commit, target, title, body)


def request_pull(
    repo: Repo, *, branch: str, commit: str, target: str, title: str, body: Callable[[], str]
) -> PullRequest:
    """The same for a branch that is on the remote already. `body` is asked only for a new one."""
    if shutil.which("gh") is None:
        raise RalphError("the program gh was not found")
    before = find_pull_request(repo, branch, commit)
    return before or _create(repo, branch, commit, target, title, body())


def _create(repo: Repo, branch: str, commit: str, target: str, title: str, body: str) -> PullRequest:
    fault_point("pr.before", writes=True)
    command = ["pr", "create", "--head", branch, "--base", target, "--title", title, "--body-file", "-"]
    said = _gh(repo, command, body)
    fault_point("pr.after")
    return find_pull_request(repo, branch, commit) or PullRequest(0, said.rstrip().rpartition("\n")[2])


def _gh(repo: Repo, arguments: Sequence[str], stdin: str = "") -> str:
    quiet = {"GH_PROMPT_DISABLED": "1", "NO_COLOR": "1", "GH_NO_UPDATE_NOTIFIER": "1"}
    code, out, error = _bounded(["gh", *arguments], repo, _SECONDS, quiet, stdin)
    if code:
        raise RalphError(
            f"gh {arguments[0]} {arguments[1]} failed: {error}",
            where=str(repo.root),
            todo="`gh auth status` says whether it is logged in; then `ralph resume`.",
            code=70,
        )
    return out


def _bounded(
    command: Sequence[str], repo: Repo, seconds: float, env: Mapping[str, str], stdin: str = ""
) -> tuple[int, str, str]:
    """Exit code, output, and the first line of the complaint. With the user's own credentials, but never a question."""
    quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "SSH_ASKPASS": "true", "LC_ALL": "C"}
    if "GIT_SSH_COMMAND" not in os.environ and "GIT_SSH" not in os.environ:
        quiet["GIT_SSH_COMMAND"] = "ssh -oBatchMode=yes"
    place = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY")
    inherited = {name: value for name, value in os.environ.items() if name not in place}
    with program.start(
        command,
        cwd=repo.root,
        env={**inherited, **quiet, **env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            out, err = process.communicate(stdin.encode("utf-8", "replace"), timeout=seconds)
        except subprocess.TimeoutExpired:
            program.end(process)
            process.communicate()
            return 124, "", f"no answer within {seconds:.0f} s"
    lines = [line for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    worst = [line for line in lines if line.startswith(("fatal:", "error:", " ! "))] or lines
    return (
        process.returncode,
        out.decode("utf-8", "replace"),
        worst[0].strip() if worst else f"exit {process.returncode}",
    )

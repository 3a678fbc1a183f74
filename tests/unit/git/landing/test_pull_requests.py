"""`land: pr`: one push, one pull request, also when Ralph dies between the two. `gh` is a script that keeps a list."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from landing_world import commit, head_of, killed
from workspace_project import Sh

import fakegh
from ralph.errors import RalphError
from ralph.git.landing.remote import PullRequest, find_pull_request, open_pull_request
from ralph.git.repo import Repo


@pytest.fixture
def gh(tmp_path: Path, project: Path, sh: Sh, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the fake keeps its pull requests and calls."""
    place = tmp_path / "gh"
    monkeypatch.setenv("PATH", f"{fakegh.put(place)}:{os.environ['PATH']}")
    sh(tmp_path, "init", "-q", "--bare", str(tmp_path / "remote.git"))
    sh(project, "remote", "add", "origin", str(tmp_path / "remote.git"))
    return place


def calls(gh: Path, what: str) -> int:
    return sum(json.loads(line)[1] == what for line in (gh / "calls").read_text().splitlines())


def opened_for(repo: Repo, landing: str) -> PullRequest:
    return open_pull_request(
        repo, branch="task/A.1-x", commit=landing, target="main", title="[A.1] -x", body="text\n"
    )


def test_a_pull_request_is_opened_once(repo: Repo, project: Path, sh: Sh, gh: Path) -> None:
    landing = commit(repo, sh, head_of(project, sh), {"a.txt": "1\n"})
    for _ in range(2):
        opened = opened_for(repo, landing)
        assert (opened.number, opened.url, opened.state) == (1, "https://example.org/pull/1", "OPEN")
    assert calls(gh, "create") == 1
    (made,) = json.loads((gh / "list").read_text())
    assert (made["title"], made["body"], made["headRefOid"]) == ("[A.1] -x", "text\n", landing)
    further = commit(repo, sh, landing, {"a.txt": "2\n"})
    assert opened_for(repo, further).number == 1, "work on top of it is of the same one"
    assert further in sh(project, "ls-remote", "origin")


@pytest.mark.parametrize("at", ["push.before", "push.after", "pr.before", "pr.after"])
def test_a_death_in_between_opens_no_second_one(repo: Repo, project: Path, sh: Sh, gh: Path, at: str) -> None:
    landing = commit(repo, sh, head_of(project, sh), {"a.txt": "1\n"})
    assert killed(lambda: opened_for(repo, landing), fault=f"kill@{at}#1") == -9
    assert opened_for(repo, landing).number == 1
    assert calls(gh, "create") == 1 and len(json.loads((gh / "list").read_text())) == 1


def test_a_merged_one_is_found_and_not_opened_again(repo: Repo, project: Path, sh: Sh, gh: Path) -> None:
    landing = commit(repo, sh, head_of(project, sh), {"a.txt": "1\n"})
    opened_for(repo, landing)
    (gh / "list").write_text((gh / "list").read_text().replace("OPEN", "MERGED"))
    assert opened_for(repo, landing).state == "MERGED" and calls(gh, "create") == 1
    later = commit(repo, sh, landing, {"a.txt": "2\n"})
    assert find_pull_request(repo, "task/A.1-x", later) is None
    assert opened_for(repo, later).number == 2, "new work after it is a new one"


def test_what_goes_wrong_is_said(
    repo: Repo, project: Path, sh: Sh, gh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing = commit(repo, sh, head_of(project, sh), {"a.txt": "1\n"})
    (gh / "fails").touch()
    with pytest.raises(RalphError, match="Bad credentials"):
        opened_for(repo, landing)
    monkeypatch.setenv("PATH", str(gh))
    with pytest.raises(RalphError, match="needs the program gh"):
        opened_for(repo, landing)

"""`land: pr`: one push, one pull request, also when Ralph dies between the two. `gh` is a script that keeps a list."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from landing_world import commit, head_of, killed
from workspace_project import Sh

from ralph.errors import RalphError
from ralph.workspace.landing import PullRequest, find_pull_request, open_pull_request
from ralph.workspace.repo import Repo

GH = """#!{python}
import json, os, subprocess, sys
args, place = sys.argv[1:], os.environ["FAKE_GH"]
with open(place + "/calls", "a") as log:
    log.write(json.dumps(args) + "\\n")
if os.path.exists(place + "/fails"):
    sys.exit(print("HTTP 401: Bad credentials", file=sys.stderr) or 1)
try:
    known = json.load(open(place + "/list"))
except FileNotFoundError:
    known = []
value = lambda name: args[args.index(name) + 1]
if args[:2] == ["pr", "list"]:
    print(json.dumps([one for one in known if one["head"] == value("--head")]))
else:
    assert args[:2] == ["pr", "create"]
    tip = subprocess.run(["git", "ls-remote", "origin", "refs/heads/" + value("--head")], capture_output=True, text=True)
    oid = tip.stdout.split()[0]
    number = len(known) + 1
    known.append(dict(number=number, url="https://example.org/pull/%d" % number, state="OPEN", headRefOid=oid,
                      isCrossRepository=False, head=value("--head"), title=value("--title"), body=sys.stdin.read()))
    json.dump(known, open(place + "/list", "w"))
    print("https://example.org/pull/%d" % number)
"""


@pytest.fixture
def gh(tmp_path: Path, project: Path, sh: Sh, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the fake keeps its pull requests and calls."""
    place = tmp_path / "gh"
    (place / "bin").mkdir(parents=True)
    (place / "bin/gh").write_text(GH.format(python=sys.executable))
    (place / "bin/gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{place / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_GH", str(place))
    sh(tmp_path, "init", "-q", "--bare", str(tmp_path / "remote.git"))
    sh(project, "remote", "add", "origin", str(tmp_path / "remote.git"))
    return place


def calls(gh: Path, what: str) -> int:
    return sum(json.loads(line)[1] == what for line in (gh / "calls").read_text().splitlines())


def opened_for(repo: Repo, landing: str, known: str = "") -> PullRequest:
    return open_pull_request(
        repo, branch="task/A.1-x", commit=landing, target="main", title="[A.1] -x", body="text\n", known=known
    )


def test_a_pull_request_is_opened_once(repo: Repo, project: Path, sh: Sh, gh: Path) -> None:
    landing = commit(repo, sh, head_of(project, sh), {"a.txt": "1\n"})
    assert opened_for(repo, landing) == PullRequest(1, "https://example.org/pull/1", created=True)
    assert opened_for(repo, landing) == PullRequest(1, "https://example.org/pull/1")
    assert calls(gh, "create") == 1
    (made,) = json.loads((gh / "list").read_text())
    assert (made["title"], made["body"], made["headRefOid"]) == ("[A.1] -x", "text\n", landing)
    again = commit(repo, sh, head_of(project, sh), {"a.txt": "2\n"})
    assert opened_for(repo, again, known=landing).number == 1, (
        "a later attempt renews the branch of the same one"
    )
    assert again in sh(project, "ls-remote", "origin")


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

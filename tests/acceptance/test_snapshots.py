"""Snapshots and recovery with the real program: what is in them, where they work, what they cost, what they save."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from project import Project


def files(project: Project, tree: str) -> set[str]:
    return set(project.git("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", tree).splitlines())


def test_untracked_files_are_in_ignored_and_own_files_are_out(project: Project) -> None:
    project.write(".gitignore", "*.log\n")  # says nothing of Ralph's own files
    project.agent(
        "echo 42 > answer; mkdir -p new; touch new/file noise.log ralph.log\n"
        "ralph scratchpad --done a --test-status b --next-step c --blockers d\necho TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    tree = files(project, project.end()["tree"])
    assert {"answer", "new/file", "test.sh"} <= tree
    assert not [path for path in tree if path.endswith(".log") or path.startswith(".ralph")]


def git_calls(project: Project, tmp_path: Path, agent: str) -> list[str]:
    """The git calls of a run, seen through a wrapper that comes first on the PATH."""
    folder, calls = tmp_path / "bin", tmp_path / "calls"
    folder.mkdir()
    wrapper = folder / "git"
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> {calls}\nexec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)
    project.agent(agent)
    project.commit()
    done = project.ralph(
        "run", "--max-iterations", "4", env={"PATH": f"{folder}:{project.env['PATH']}"}, timeout=120
    )
    assert done.returncode == 8, done.stdout + done.stderr
    starts = [fact["seq"] for fact in project.facts("iteration.started")]
    assert len(starts) == 4
    return calls.read_text().splitlines()


def test_no_git_process_runs_for_an_iteration_that_changed_nothing(project: Project, tmp_path: Path) -> None:
    """The agent notes in the calls where each iteration begins; after the second, git is not needed until the end."""
    calls = tmp_path / "calls"
    # Time stamps younger than a tick are not trusted, so the files must have settled.
    seen = git_calls(project, tmp_path, f"sleep 0.1; echo ITERATION $RALPH_ITERATION >> {calls}")
    marks = [at for at, line in enumerate(seen) if line.startswith("ITERATION")]
    assert [line for line in seen[: marks[0]] if " add -A" in line], "the first snapshot was taken by git"
    assert seen[marks[2] : marks[3] + 1] == ["ITERATION 3", "ITERATION 4"]
    assert all(" pack-objects " in line for line in seen[marks[3] + 1 :]), "what was written becomes a pack"


def run_42(project: Project, cwd: Path) -> None:
    done = project.ralph("run", cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "completed-verified: proven: tests red→green" in done.stdout


def test_it_works_in_a_subfolder(project: Project) -> None:
    """Agent and gate run there; changes elsewhere in the repository count as well."""
    sub = project.path / "packages/one"
    sub.mkdir(parents=True)
    for name in ("test.sh", "ralph.yml", "PROMPT.md", "agent.sh"):
        (project.path / name).rename(sub / name)
    (sub / "agent.sh").write_text(
        "#!/bin/sh\ncat > /dev/null\necho 42 > answer; touch ../two; echo TASK_COMPLETE\n"
    )
    project.commit()
    run_42(project, sub)
    assert {"packages/one/answer", "packages/two"} <= files(project, project.end()["tree"])
    assert (project.path / ".git/ralph/journal.jsonl").exists()


def test_a_cheat_in_a_subfolder_is_found(project: Project) -> None:
    sub = project.path / "packages/one"
    sub.mkdir(parents=True)
    for name in ("test.sh", "ralph.yml", "PROMPT.md", "agent.sh"):
        (project.path / name).rename(sub / name)
    (sub / "agent.sh").write_text("#!/bin/sh\ncat > /dev/null\ntrue > test.sh; echo TASK_COMPLETE\n")
    project.commit()
    done = project.ralph("run", cwd=sub)
    assert done.returncode == 7, done.stdout
    assert project.end()["paths"] == ["packages/one/test.sh"]


def test_it_works_before_the_first_commit(project: Project) -> None:
    shutil.rmtree(project.path / ".git")
    project.git("init", "-q", "-b", "main")
    done = project.ralph("run", "--in-place")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.git("for-each-ref", "--format=%(refname)").startswith("refs/ralph/recovery/")
    assert "answer" in files(project, project.end()["tree"])


def test_it_works_without_git(project: Project) -> None:
    shutil.rmtree(project.path / ".git")
    project.agent("echo 41 > answer; true > test.sh; echo TASK_COMPLETE")
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout + done.stderr
    assert project.end()["paths"] == ["test.sh"]
    assert not (project.path / ".git").exists()
    assert (project.path / ".ralph/journal.jsonl").exists()
    assert project.ralph("recover", "1").returncode == 0
    assert not (project.path / "answer").exists()


@pytest.mark.parametrize(
    "name", ['it\'s a "project"', "new\nline $(touch pwned) `touch pwned`", "ünïcödé -x"]
)
def test_it_works_whatever_the_path_is_called(tmp_path: Path, name: str) -> None:
    project = Project(tmp_path / name, tmp_path / "home")
    project.write("PROMPT.md", "x\n")
    odd = ["a b", "c'd\"e", "f\ng", "-h", "ö", ":(top)i", "*"]
    project.write("make.py", f"for name in {odd!r}:\n    open(name, 'w').close()\n")
    project.agent("echo 42 > answer; python3 make.py; echo >> test.sh; echo TASK_COMPLETE")
    project.commit()
    run_42(project, project.path)
    listed = project.git("ls-tree", "-r", "-z", "--name-only", project.end()["tree"])
    assert set(odd) <= set(listed.split("\0"))
    assert not list(tmp_path.rglob("pwned"))
    state = project.ralph("status")
    assert state.returncode == 0 and "completed-verified" in state.stdout


def test_it_works_in_a_linked_worktree(project: Project, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    project.git("worktree", "add", "-q", "-b", "side", str(linked))
    before = project.user_state()
    run_42(project, linked)
    assert project.user_state() == before
    assert not (project.path / "answer").exists()
    assert project.facts("workspace.prepared")[-1]["branch"] == "refs/heads/side"


def test_it_works_with_a_detached_head(project: Project) -> None:
    project.git("checkout", "-q", "--detach")
    project.agent("echo 42 > answer; git add -A; git commit -qm work; echo TASK_COMPLETE")
    project.git("commit", "-qam", "agent")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert "warning" not in done.stdout, "a commit on a detached HEAD is the agent's own business"


def test_it_works_with_sha256(tmp_path: Path) -> None:
    project = Project(tmp_path / "project", tmp_path / "home")
    shutil.rmtree(project.path / ".git")
    project.git("init", "-q", "-b", "main", "--object-format=sha256")
    for key in ("user.name", "user.email"):
        project.git("config", key, "user@localhost")
    project.agent("echo 42 > answer; echo >> test.sh; echo TASK_COMPLETE")
    project.commit()
    run_42(project, project.path)
    assert len(project.end()["tree"]) == 64


# -- the user's own work -----------------------------------------------------------------------------------


def test_uncommitted_work_is_asked_about_and_nothing_is_changed(project: Project) -> None:
    project.write("answer", "mine\n")
    before = project.user_state()
    done = project.ralph("run")
    assert done.returncode == 2
    assert "there are uncommitted changes: answer" in done.stderr
    assert "--in-place" in done.stderr
    assert project.user_state() == before
    assert project.facts() == []


def test_uncommitted_work_is_saved_first_and_restored_byte_for_byte(project: Project) -> None:
    """Staged, unstaged, untracked, deleted, binary, executable, linked: all of it destroyed by the agent."""
    noise = os.urandom(70_000)
    project.write("tracked", "committed\n")
    project.write("dropped", "committed\n")
    project.agent(
        "rm -rf tracked staged untracked folder link script crlf; git reset -q --hard; echo TASK_STUCK: oops"
    )
    project.commit()
    project.write("tracked", "edited\n")
    project.write("staged", "in the index\n")
    project.git("add", "staged")
    project.write("staged", "and after it\n")
    (project.path / "folder").mkdir()
    (project.path / "folder" / "bin").write_bytes(noise)
    (project.path / "crlf").write_bytes(b"a\r\nb\r\n")
    (project.path / "dropped").unlink()
    (project.path / "link").symlink_to("folder/bin")
    project.write("script", "#!/bin/sh\n", executable=True)
    done = project.ralph("run", "--in-place")
    assert done.returncode == 4, done.stdout + done.stderr
    assert "your uncommitted changes are saved: refs/ralph/recovery/" in done.stdout
    assert not (project.path / "staged").exists(), "the agent did its worst"
    after = project.user_state()
    listed = project.ralph("recover")
    assert "before the loop" in listed.stdout
    restored = project.ralph("recover", "1")
    assert restored.returncode == 0, restored.stderr
    assert "What was here before is saved" in restored.stdout
    assert (project.path / "tracked").read_text() == "edited\n"
    assert (project.path / "staged").read_text() == "and after it\n"
    assert (project.path / "folder/bin").read_bytes() == noise
    assert (project.path / "crlf").read_bytes() == b"a\r\nb\r\n"
    assert not (project.path / "dropped").exists()
    assert (project.path / "link").readlink() == Path("folder/bin")
    assert os.access(project.path / "script", os.X_OK)
    assert project.user_state() == after, "index, branches and HEAD are the user's"
    commit = project.git("for-each-ref", "--format=%(objectname)", "refs/ralph/recovery").splitlines()[0]
    assert "in the index" in project.git("show", f"{commit}^2:staged"), "the staged version is kept as well"


def test_a_clean_checkout_needs_no_recovery(project: Project) -> None:
    project.ralph("run")
    assert project.ralph("recover").stdout == "Nothing was saved here.\n"
    bad = project.ralph("recover", "7")
    assert bad.returncode == 2
    assert "there is no saved state '7'" in bad.stderr


def test_git_processes_that_the_user_runs_meanwhile_are_not_disturbed(project: Project) -> None:
    """A lock on the user's index, as an editor holds it: Ralph neither needs nor breaks it."""
    project.write(".git/index.lock", "")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project.path / ".git/index.lock").exists()


def test_restoring_leaves_ralphs_own_files_wherever_the_loop_kept_them(project: Project) -> None:
    """The loop ran in a folder, with a scratchpad of its own; the user restores from the root."""
    sub = project.path / "sub"
    sub.mkdir()
    for name in ("test.sh", "ralph.yml", "PROMPT.md", "agent.sh"):
        (project.path / name).rename(sub / name)
    (sub / "agent.sh").write_text(
        "#!/bin/sh\necho mine > handoff.md; rm draft; echo x > step; echo TASK_COMPLETE\n"
    )
    with open(sub / "ralph.yml", "a") as config:
        config.write("core: {scratchpad: handoff.md}\n")
    (project.path / ".gitignore").unlink()
    project.commit()
    (sub / "draft").write_text("precious\n")
    assert project.ralph("run", "--in-place", "--max-iterations", "1", cwd=sub).returncode == 8
    assert (sub / ".ralph_state.md").exists()
    restored = project.ralph("recover", "1")
    assert restored.returncode == 0, restored.stderr
    assert (sub / "draft").read_text() == "precious\n"
    assert not (sub / "step").exists()
    assert (sub / "handoff.md").read_text() == "mine\n"
    assert (sub / ".ralph_state.md").exists()
    assert project.ralph("resume", "--max-iterations", "2", cwd=sub).returncode == 8


def test_restoring_needs_no_sound_journal(project: Project) -> None:
    project.write("draft", "precious\n")
    project.agent("rm draft; echo 42 > answer; echo TASK_COMPLETE")
    assert project.ralph("run", "--in-place").returncode == 0
    journal = project.path / ".git/ralph/journal.jsonl"
    journal.write_text(journal.read_text().replace("loop.started", "loop.stirred"))
    assert project.ralph("status").returncode == 70
    assert project.ralph("recover", "1").returncode == 0
    assert (project.path / "draft").read_text() == "precious\n"


def test_restoring_tells_what_it_moved_out_of_the_way(project: Project) -> None:
    """A folder that is ignored by now stands where a saved file was: no snapshot holds what is in it."""
    project.write("data", "precious\n")
    project.agent("rm data; mkdir data; echo new > data/file; echo data/ >> .gitignore; echo TASK_STUCK: x")
    assert project.ralph("run", "--in-place").returncode == 4
    restored = project.ralph("recover", "1")
    assert restored.returncode == 0, restored.stderr
    assert (project.path / "data").read_text() == "precious\n"
    (told,) = [line for line in restored.stdout.splitlines() if "moved out of the way" in line]
    assert (Path(told.rpartition(": ")[2]) / "file").read_text() == "new\n"


@pytest.fixture
def ravaged(project: Project) -> Project:
    """Three uncommitted files, which the agent changed, removed and left alone; and one that it made."""
    for name in ("changed", "sub/gone", "same"):
        project.write(name, "precious\n")
    project.agent("echo new > changed; rm sub/gone; echo made > made; echo 42 > answer; echo TASK_COMPLETE")
    assert project.ralph("run", "--in-place").returncode == 0
    return project


def test_single_files_can_be_put_back_and_the_rest_stays(ravaged: Project) -> None:
    before = ravaged.user_state()
    (ravaged.path / "sub").mkdir(exist_ok=True)
    done = ravaged.ralph("recover", "1", "gone", cwd=ravaged.path / "sub")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Restored 1 file from refs/ralph/recovery/")
    assert "\n  sub/gone\n" in done.stdout
    assert (ravaged.path / "sub/gone").read_text() == "precious\n"
    assert (ravaged.path / "changed").read_text() == "new\n"
    assert (ravaged.path / "made").exists() and (ravaged.path / "answer").exists()
    assert ravaged.user_state() == before
    assert ravaged.ralph("recover", "1", "changed", "made").returncode == 0
    assert (ravaged.path / "changed").read_text() == "precious\n"
    assert not (ravaged.path / "made").exists(), "it was not there then"
    assert (ravaged.path / "answer").exists()
    # What was there before is saved, and can be had back in the same way.
    listed = ravaged.ralph("recover").stdout
    number = next(line.split()[0] for line in listed.splitlines() if "(changed, made)" in line)
    assert ravaged.ralph("recover", number, "made").returncode == 0
    assert (ravaged.path / "made").read_text() == "made\n"
    assert (ravaged.path / "changed").read_text() == "precious\n"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("1", "nosuch"), "nosuch: is not saved there, and not here now"),
        (("1", "changed", "../outside"), "../outside: is not in this workspace"),
        (("1", "changed", "--drop"), "--drop forgets all of it"),
    ],
)
def test_a_path_that_cannot_be_restored_changes_nothing(
    ravaged: Project, arguments: tuple[str, ...], message: str
) -> None:
    refs = ravaged.git("for-each-ref")
    done = ravaged.ralph("recover", *arguments)
    assert done.returncode == 2 and message in done.stderr
    assert (ravaged.path / "changed").read_text() == "new\n"
    assert ravaged.git("for-each-ref") == refs


def test_the_list_says_when_why_and_how_much_differs(ravaged: Project) -> None:
    import re

    first, where, hint = ravaged.ralph("recover").stdout.splitlines()
    assert re.match(
        r"  1  (\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d)  .*before the loop.*; 4 files differ from now$",
        first,
    )
    assert where.strip().startswith("refs/ralph/recovery/")
    assert "`ralph recover N PATH`" in hint
    assert ravaged.ralph("recover", "1", ".").returncode == 0
    assert not (ravaged.path / "made").exists(), "a dot is everything here"
    assert "; nothing differs from now" in ravaged.ralph("recover").stdout
    one, two = json.loads(ravaged.ralph("recover", "--json").stdout)
    assert {(one["number"], one["differs"]), (two["number"], two["differs"])} == {(1, 0), (2, 4)}


def test_the_list_says_where_the_index_is_kept(project: Project) -> None:
    project.write("staged", "in the index\n")
    project.git("add", "staged")
    project.write("staged", "and after it\n")
    project.ralph("run", "--in-place")
    commit = project.git("for-each-ref", "--format=%(objectname)", "refs/ralph/recovery")
    index = project.git("rev-parse", f"{commit}^2")
    assert f"the index is in {index}" in project.ralph("recover").stdout


def test_a_saved_state_that_is_lost_is_told_and_the_others_are_listed(ravaged: Project) -> None:
    ref = ravaged.git("for-each-ref", "--format=%(refname)", "refs/ralph/recovery")
    ravaged.git("update-ref", "refs/ralph/recovery/x/1", ref)
    commit = ravaged.git("commit-tree", "-m", "lost", "HEAD^{tree}")
    ravaged.git("update-ref", "refs/ralph/recovery/x/2", commit)
    (ravaged.path / ".git/objects" / commit[:2] / commit[2:]).unlink()
    listed = ravaged.ralph("recover")
    assert listed.returncode == 0, listed.stderr
    assert "refs/ralph/recovery/x/2 cannot be read: its commit is missing or damaged." in listed.stdout
    assert listed.stdout.count("before the loop") == 2
    assert ravaged.ralph("recover", "refs/ralph/recovery/x/2", "--drop").returncode == 0
    assert "cannot be read" not in ravaged.ralph("recover").stdout
    assert ravaged.ralph("recover", "1", "changed").returncode == 0
    assert (ravaged.path / "changed").read_text() == "precious\n"

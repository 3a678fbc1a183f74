"""SIGKILL at every seam of a landing and of preparing a workspace: the next call puts it right, and nothing is lost."""

from __future__ import annotations

import shutil
from pathlib import Path

from landing_world import MAIN, busy_user, commit, head_of, killed, no_hook_ran, seams_of
from workspace_project import Sh, opened

from portrait import portrait
from ralph.git.landing.lock import LandingNote, locked_landing
from ralph.git.landing.target import LandResult, land, recover
from ralph.git.refs import tip
from ralph.git.repo import Repo


def test_a_landing_killed_anywhere_is_completed_and_reverts_nothing(
    repo: Repo, project: Path, sh: Sh, tmp_path: Path
) -> None:
    busy_user(project, sh)
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": "landed\n", "new/file": "n\n", "src/b.py": None})
    pristine = tmp_path / "pristine"
    shutil.copytree(project, pristine, symlinks=True)
    reference = tmp_path / "reference"
    shutil.copytree(pristine, reference, symlinks=True)
    model = opened(reference)
    seams = seams_of(lambda: land(model, MAIN, new, old), into=tmp_path / "seams")
    wanted, untouched = portrait(reference), portrait(pristine)
    assert len([s for s in seams if s.startswith("landing.")]) >= 14, seams
    for at in seams:
        world = tmp_path / "world"
        shutil.copytree(pristine, world, symlinks=True)
        there = opened(world)
        assert killed(lambda there=there: land(there, MAIN, new, old), fault=f"kill@{at}") == -9, at  # type: ignore[misc]
        if portrait(world).locks == ():  # the user goes on at once, without Ralph
            copy = tmp_path / "copy"
            shutil.copytree(world, copy, symlinks=True)
            sh(copy, "-c", "core.hooksPath=/dev/null", "commit", "-qam", "mine")
            landed = tip(opened(copy), MAIN) != old and sh(copy, "merge-base", new, "HEAD").strip() == new
            if landed:
                assert sh(copy, "diff", "--name-only", new, "HEAD").split() == ["both.txt"], at
            shutil.rmtree(copy)
        recover(there)
        assert portrait(world) in (untouched, wanted), at
        assert no_note(there), at
        assert land(there, MAIN, new, old) == LandResult((str(world),)), at
        assert portrait(world) == wanted, at
        shutil.rmtree(world)
    assert no_hook_ran(project) and no_hook_ran(reference)


def no_note(repo: Repo) -> bool:
    """Whether there is nothing to recover any more."""
    with locked_landing(repo) as guard:
        return guard.note() is None


def half_done(repo: Repo, project: Path, old: str, new: str) -> None:
    """As a landing leaves it whose git was killed while it wrote files: a note, our lock, some files new, one cut off."""
    with locked_landing(repo) as guard:
        guard.begin(LandingNote((MAIN,), (new,), old, new, ((str(project), str(repo.git_dir)),)))
    (repo.git_dir / "index.lock").write_text("ralph is landing work here\n")
    (repo.git_dir / "index.ralph").write_bytes(b"half")
    (repo.git_dir / "index.ralph.lock").write_bytes(b"")
    (project / "a.txt").write_text("land")
    (project / "src/b.py").unlink()
    (project / "n").write_text("n\n")


def test_files_written_half_are_put_back(repo: Repo, project: Path, sh: Sh) -> None:
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": "landed\n", "n": "n\n", "src/b.py": None, "later": "l\n"})
    before = portrait(project)
    half_done(repo, project, old, new)
    recover(repo)
    assert no_note(repo) and tip(repo, MAIN) == old
    assert portrait(project) == before


def test_files_are_brought_forward_when_the_ref_has_moved(repo: Repo, project: Path, sh: Sh) -> None:
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": "landed\n", "n": "n\n", "src/b.py": None, "later": "l\n"})
    half_done(repo, project, old, new)
    sh(project, "update-ref", MAIN, new)
    recover(repo)
    assert no_note(repo) and tip(repo, MAIN) == new
    assert sh(project, "status", "--porcelain") == "" and (project / "later").read_text() == "l\n"


def test_what_somebody_edited_after_the_death_is_left(repo: Repo, project: Path, sh: Sh) -> None:
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": "landed\n", "n": "n\n", "src/b.py": None, "later": "l\n"})
    half_done(repo, project, old, new)
    (project / "a.txt").write_text("edited since\n")
    (project / "later").write_text("mine\n")
    recover(repo)
    assert no_note(repo)
    assert (project / "a.txt").read_text() == "edited since\n" and (project / "later").read_text() == "mine\n"
    assert not (project / "n").exists() and (project / "src/b.py").exists()


def test_a_file_that_became_a_folder_is_put_back(repo: Repo, project: Path, sh: Sh) -> None:
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": None, "a.txt/inside": "i\n", "src/b.py": None, "src": "file\n"})
    before = portrait(project)
    half_done(repo, project, old, commit(repo, sh, old, {"a.txt": "landed\n", "n": "n\n", "src/b.py": None}))
    recover(repo)
    assert portrait(project) == before
    with locked_landing(repo) as guard:
        guard.begin(LandingNote((MAIN,), (new,), old, new, ((str(project), str(repo.git_dir)),)))
    (project / "a.txt").unlink()
    (project / "a.txt").mkdir()
    (project / "a.txt/inside").write_text("i\n")
    shutil.rmtree(project / "src")
    (project / "src").write_text("file\n")
    recover(repo)
    assert portrait(project) == before
    assert isinstance(land(repo, MAIN, new, old), LandResult)
    assert (project / "a.txt/inside").exists() and (project / "src").is_file()


def test_a_user_who_went_elsewhere_is_left_alone(repo: Repo, project: Path, sh: Sh) -> None:
    old = head_of(project, sh)
    new = commit(repo, sh, old, {"a.txt": "landed\n", "n": "n\n", "src/b.py": None})
    half_done(repo, project, old, new)
    (project / ".git/index.lock").unlink()
    sh(project, "checkout", "-q", "-b", "mine")
    sh(project, "commit", "-qam", "mine")
    before = portrait(project)
    recover(repo)
    assert portrait(project) == before.but(locks=())

"""What is shown, what is hidden, and what is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox_world import World, needs_bwrap

from ralph.errors import RalphError
from ralph.sandbox import bwrap
from ralph.sandbox.bwrap import sandbox_error, usable

NOBODY = 65534


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@needs_bwrap
def test_programs_of_the_home_run_and_the_rest_of_it_is_not_seen(world: World) -> None:
    """As nvm lays things out: a link to a script whose interpreter is found on the PATH."""
    root = world.home / ".nvm/versions/node/v1"
    script(root / "bin/knot", '#!/bin/sh\necho "knot runs $1"\n')
    script(root / "lib/node_modules/agent/cli.js", "#!/usr/bin/env knot\n")
    (root / "bin/agent").symlink_to("../lib/node_modules/agent/cli.js")
    env = {**world.env, "PATH": f"{root}/bin:{world.env['PATH']}"}
    done = world.run(["agent"], env=env)
    assert done.stdout == f"knot runs {root}/bin/agent\n", done.stderr
    assert world.sh("ls -A ~", env=env).split() == [".nvm", "code"]


@needs_bwrap
def test_a_program_in_local_bin_does_not_show_what_is_beside_it(world: World) -> None:
    script(
        world.home / ".local/share/agent/versions/1.0",
        "#!/bin/sh\ncat ~/.local/share/keyrings/login || echo none\n",
    )
    (world.home / ".local/bin").mkdir()
    (world.home / ".local/bin/agent").symlink_to("../share/agent/versions/1.0")
    (world.home / ".local/share/keyrings").mkdir()
    (world.home / ".local/share/keyrings/login").write_text("private")
    env = {**world.env, "PATH": f"{world.home}/.local/bin:{world.env['PATH']}"}
    assert world.run(["agent"], env=env).stdout == "none\n"


@needs_bwrap
def test_a_home_behind_a_link_keeps_its_name(world: World) -> None:
    name = world.folder / "home-link"
    name.symlink_to(world.home)
    said = world.sh("echo $HOME; cat ~/.agent/auth.json", home=name, credentials=[name / ".agent/auth.json"])
    assert said == f"{name}\ncredential"


@needs_bwrap
def test_readable_and_writable_mean_what_they_say(world: World) -> None:
    data, cache = world.folder / "data", world.folder / "cache"
    for folder in (data, cache):
        folder.mkdir()
        (folder / "file").write_text("shown\n")
    (world.workspace / "deep/er").mkdir(parents=True)
    (world.workspace / "deep/er/ralph.yml").write_text("mine\n")
    said = world.sh(
        f"cat {data}/file; echo x >{cache}/new; echo x >{data}/new || echo refused data;"
        " echo x >deep/er/ralph.yml || echo refused file; mv deep moved || echo refused folder; echo x >deep/new",
        readable=[data, world.workspace / "deep/er/ralph.yml"],
        writable=[cache],
    )
    assert said == "shown\nrefused data\nrefused file\nrefused folder\n"
    assert (cache / "new").exists()
    assert (world.workspace / "deep/new").exists()
    assert (world.workspace / "deep/er/ralph.yml").read_text() == "mine\n"


@needs_bwrap
def test_a_prompt_in_ralphs_folder_can_be_shown(world: World) -> None:
    prompt = world.state / "blobs/abc"
    prompt.parent.mkdir()
    prompt.write_text("the prompt")
    assert world.sh(f"cat {prompt}; ls {world.state}", readable=[prompt]) == "the promptblobs\ninbox\n"


@needs_bwrap
def test_tokens_in_the_git_configuration_are_not_seen(world: World) -> None:
    world.git("remote", "add", "origin", "https://me:tok-en@example.org/x.git")
    world.git("config", "http.https://example.org/.extraheader", "AUTHORIZATION: basic eDphYmNkZWY=")
    said = world.sh("git remote -v; cat .git/config; git status --short")
    assert "example.org/x.git" in said
    assert "tok-en" not in said
    assert "eDphYmNkZWY" not in said
    assert "tok-en" in (world.workspace / ".git/config").read_text()


@needs_bwrap
def test_a_linked_worktree_works_and_its_repository_is_read_only(world: World) -> None:
    tree = world.home / "tree"
    world.git("worktree", "add", "-q", str(tree))
    said = world.sh(
        "git status --short --branch; git log --oneline | wc -l; git branch mine || echo refused;"
        " echo x >.git || echo refused; mv .git old || echo refused; echo x >new",
        workspace=tree,
        cwd=tree,
    )
    assert said == "## tree\n1\nrefused\nrefused\nrefused\n"
    assert (tree / "new").exists()
    assert world.git("branch", "--list", "mine") == ""


@needs_bwrap
def test_a_clone_that_shares_objects_finds_them(world: World) -> None:
    clone = world.home / "clone"
    world.git("clone", "-q", "--shared", ".", str(clone))
    state = clone / ".git/ralph"
    state.mkdir()
    assert "first" in world.sh("git log --oneline", workspace=clone, cwd=clone, state_dir=state)


@needs_bwrap
def test_a_clone_of_its_own_can_be_made_writable(world: World) -> None:
    clone = world.home / "clone"
    world.git("clone", "-q", ".", str(clone))
    commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m mine"
    world.sh(commit, workspace=clone, cwd=clone, writable=[clone / ".git"])
    assert "mine" in world.git("log", "--oneline", cwd=clone)


@needs_bwrap
def test_without_git_ralphs_folder_is_hidden_and_the_scratchpad_writable(world: World) -> None:
    plain = world.home / "plain"
    state = plain / ".ralph"
    state.mkdir(parents=True)
    (state / "journal").write_text("the only truth")
    said = world.sh(
        "ls .ralph; echo x >.ralph/agent/scratchpad.md", workspace=plain, cwd=plain, state_dir=state
    )
    assert said == "agent\ninbox\n"
    assert (state / "agent/scratchpad.md").read_text() == "x\n"


@needs_bwrap
def test_services_of_the_session_are_not_named(world: World) -> None:
    env = {**world.env, "SSH_AUTH_SOCK": "/run/agent", "DISPLAY": ":0", "TMPDIR": "/somewhere", "MINE": "1"}
    assert world.sh("echo $SSH_AUTH_SOCK$DISPLAY $TMPDIR $MINE", env=env) == "/tmp 1\n"


@needs_bwrap
def test_no_secret_is_on_the_command_line(world: World) -> None:
    env = {**world.env, "MY_API_KEY": "value-of-the-key"}
    boxed = world.wrap(["true"], env=env)
    assert boxed.env["MY_API_KEY"] == "value-of-the-key"
    assert not any("value-of-the-key" in word for word in boxed.argv)


@needs_bwrap
def test_a_prompt_with_any_characters_arrives(world: World) -> None:
    words = ["--x", "-", "a\nb", "q\"$(id)'", "ä{path}", ""]
    done = world.python("import sys; print(repr(sys.argv[1:]))", *words)
    assert done.stdout.strip() == repr(words)


@needs_bwrap
def test_a_program_that_is_not_there_is_said_at_once(world: World) -> None:
    for name in ("no-such-agent", "./no-such-agent", "a.txt", ""):
        with pytest.raises(FileNotFoundError, match="no such program"):
            world.wrap([name])


@needs_bwrap
@pytest.mark.parametrize(
    ("how", "what"),
    [
        ({"credentials": ["nothing"]}, "there is no"),
        ({"credentials": [""]}, "contains the home"),
        ({"readable": ["code"]}, "contains the workspace"),
        ({"writable": ["code"]}, "contains"),
        ({"writable": ["code/project/.git/ralph"]}, "is Ralph's own"),
        ({"writable": ["nothing"]}, "there is no"),
        ({"workspace": ""}, "contains the home folder"),
    ],
)
def test_what_would_make_the_sandbox_worthless_is_refused(
    world: World, how: dict[str, object], what: str
) -> None:
    chosen = {
        k: world.home / v if isinstance(v, str) else [world.home / n for n in v] for k, v in how.items()
    }  # type: ignore[attr-defined]
    with pytest.raises(RalphError, match=what):
        world.wrap(["true"], **chosen)


@needs_bwrap
def test_a_git_directory_behind_a_link_is_refused(world: World) -> None:
    (world.workspace / ".git").rename(world.home / "git")
    (world.workspace / ".git").symlink_to(world.home / "git")
    with pytest.raises(RalphError, match="symbolic link"):
        world.wrap(["true"])


@needs_bwrap
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_root_is_told_when_the_workspace_is_not_its_own(world: World) -> None:
    os.chown(world.workspace, NOBODY, NOBODY)
    with pytest.raises(RalphError, match="belongs to user"):
        world.wrap(["true"])


@needs_bwrap
def test_ralphs_own_source_in_the_workspace_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    import ralph

    monkeypatch.setattr(ralph, "__file__", str(world.workspace / "src/ralph/__init__.py"))
    with pytest.raises(RalphError, match="Ralph's own source"):
        world.wrap(["true"])


@needs_bwrap
def test_an_environment_in_the_workspace_that_holds_ralph_is_read_only(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (world.workspace / "tools/venv/lib").mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(world.workspace / "tools/venv"))
    said = world.sh(
        "echo x >tools/venv/lib/x || echo refused; mv tools old || echo refused; echo x >tools/new"
    )
    assert said == "refused\nrefused\n"


def test_a_missing_bubblewrap_is_said_with_what_to_do(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(world.folder))
    bwrap.usable.cache_clear()
    try:
        assert "not installed" in usable()
        assert "apt-get install bubblewrap" in usable()
        with pytest.raises(RalphError, match="not installed"):
            world.wrap(["true"])
        with pytest.raises(RalphError, match="cannot work here"):
            bwrap.require()
    finally:
        bwrap.usable.cache_clear()


@pytest.mark.parametrize(
    ("said", "todo"),
    [
        ("bwrap: setting up uid map: Permission denied", "User namespaces are blocked"),
        ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "sandbox.network: host"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"),
    ],
)
def test_a_bubblewrap_that_cannot_run_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, todo: str
) -> None:
    script(tmp_path / "bwrap", f'#!/bin/sh\necho "{said}" >&2\nexit 1\n')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    bwrap.usable.cache_clear()
    bwrap._no_namespaces_within.cache_clear()
    try:
        assert todo in usable(False)
        assert said.removeprefix("bwrap: ") in usable(False)
    finally:
        bwrap.usable.cache_clear()
        bwrap._no_namespaces_within.cache_clear()


@needs_bwrap
def test_a_sandbox_that_cannot_be_made_is_told_from_a_failing_program(world: World) -> None:
    boxed = world.wrap(["sh", "-c", "echo 'bwrap: not me' >&2; exit 2"])
    done = subprocess.run(boxed.argv, env=boxed.env, capture_output=True, text=True)
    assert sandbox_error(done.returncode, done.stderr) == ""
    shutil.rmtree(world.workspace)
    done = subprocess.run(boxed.argv, env=boxed.env, capture_output=True, text=True)
    assert "the sandbox cannot be made" in sandbox_error(done.returncode, done.stderr)


@needs_bwrap
def test_of_ralph_s_folder_only_the_named_file_is_seen_and_only_what_is_handed_over_is_writable(
    world: World,
) -> None:
    for name in ("blobs/mine", "blobs/other", "run/op.private/settings"):
        path = world.state / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    handed = world.state / "run/op.private"
    script = f"ls {world.state}/blobs; cat {world.state}/blobs/mine; echo x >> {world.state}/blobs/mine && echo written; "
    script += f"echo more > {handed}/new && cat {handed}/settings; ls {world.state}/run"
    seen = world.run(["sh", "-c", script], readable=[world.state / "blobs/mine"], handed=handed).stdout
    assert seen == "mine\nblobs/minerun/op.private/settingsop.private\n"
    assert (world.state / "blobs/mine").read_text() == "blobs/mine"
    assert (handed / "new").read_text() == "more\n"


@needs_bwrap
def test_a_private_folder_is_empty_writable_and_gone_afterwards(world: World) -> None:
    moved = world.folder / "moved"
    moved.mkdir()
    (moved / "auth.json").write_text("login")
    (moved / "history").write_text("private")
    said = world.sh(
        f"cat {moved}/auth.json; ls {moved}; echo x > {moved}/new && echo made",
        private=[moved],
        credentials=[moved / "auth.json"],
    )
    assert said == "loginauth.json\nmade\n"
    assert sorted(path.name for path in moved.iterdir()) == ["auth.json", "history"]

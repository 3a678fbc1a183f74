"""An agent that commits everything in place: Ralph's own files stay out, and the user's excludes hold as they did."""

from __future__ import annotations

from pathlib import Path

from project import Project

COMMITS = "echo 42 > answer; echo x > notes.tmp; git add -A && git commit -qm work; echo TASK_COMPLETE"


def bare(project: Project) -> None:
    """No .gitignore speaks of Ralph."""
    project.git("rm", "-q", ".gitignore")
    project.agent(COMMITS)
    project.commit("no ignores")


def committed(project: Project) -> list[str]:
    return project.git("show", "--name-only", "--format=", "HEAD").splitlines()


def home(project: Project) -> Path:
    return Path(project.env["HOME"])


def test_an_agent_that_adds_everything_commits_only_its_work(project: Project) -> None:
    bare(project)
    done = project.ralph("run", "--no-tui")
    assert done.returncode == 0, done.stdout + done.stderr
    assert committed(project) == ["answer", "notes.tmp"]
    assert (project.path / "ralph.log").exists(), "there was something to leave out"
    assert project.git("status", "--porcelain") == "", "and the user's own git passes over it"


def test_what_the_user_leaves_out_everywhere_stays_out(project: Project) -> None:
    bare(project)
    file = home(project) / ".config/git/ignore"
    file.parent.mkdir(parents=True)
    file.write_text("*.tmp")
    assert project.ralph("run", "--no-tui").returncode == 0
    assert committed(project) == ["answer"]


def test_a_file_of_excludes_that_the_user_names_is_the_one_that_holds(project: Project) -> None:
    bare(project)
    (home(project) / "mine").write_text("*.tmp\n")
    (home(project) / ".gitconfig").write_text("[core]\n\texcludesFile = ~/mine\n")
    assert project.ralph("run", "--no-tui").returncode == 0
    assert committed(project) == ["answer"]


def test_settings_that_the_environment_gives_git_are_kept(project: Project) -> None:
    bare(project)
    (home(project) / "mine").write_text("*.tmp\n")
    project.config((project.path / "ralph.yml").read_text() + "env_allow: ['GIT_CONFIG_*']\n")
    project.commit("allow")
    env = {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "Somebody",
        "GIT_CONFIG_KEY_1": "core.excludesfile",
        "GIT_CONFIG_VALUE_1": "~/mine",
    }
    assert project.ralph("run", "--no-tui", env=env).returncode == 0
    assert committed(project) == ["answer"]
    assert project.git("show", "-s", "--format=%an", "HEAD") == "Somebody"


def test_a_gate_has_gits_settings_as_the_user_has_them(project: Project) -> None:
    project.write("test.sh", 'test -z "$GIT_CONFIG_COUNT" && test "$(cat answer)" = 42\n')
    project.agent('test -n "$GIT_CONFIG_COUNT" && echo 42 > answer; echo TASK_COMPLETE')
    project.commit()
    done = project.ralph("run", "--no-tui")
    assert done.returncode == 0, done.stdout + done.stderr

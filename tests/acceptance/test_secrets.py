"""Keys that an agent prints, says, emits or hands in are not kept anywhere that people look."""

from __future__ import annotations

from pathlib import Path

from project import CONFIG, Project

KEY = "corporate-key-93b1f7c2a8"
ALLOWED = CONFIG + "env_allow: [SERVICE_API_KEY]\n"
SHAPED = "sk-ant-api03-" + "A1b2C3d4" * 10


def everywhere(project: Project) -> dict[str, bytes]:
    folder = project.path / ".git/ralph"
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_key_of_the_environment_is_masked_in_journal_transcript_log_and_report(project: Project) -> None:
    half = 'printf %.12s "$SERVICE_API_KEY"; sleep 0.1; printf "%s\\n" "${SERVICE_API_KEY#????????????}"'
    project.agent(
        f'echo "key $SERVICE_API_KEY"; {half}\necho "{SHAPED}" >&2; ralph emit note "$SERVICE_API_KEY"\n'
        'echo 42 > answer; echo "done with $SERVICE_API_KEY"; echo TASK_COMPLETE'
    )
    project.config(ALLOWED)
    project.write("test.sh", 'echo "gate $SERVICE_API_KEY"; test "$(cat answer 2>/dev/null)" = 42\n')
    project.commit()
    done = project.ralph("run", "-v", env={"SERVICE_API_KEY": KEY})
    assert done.returncode == 0, done.stdout + done.stderr
    assert KEY not in done.stdout and SHAPED not in done.stdout
    found = [
        name for name, data in everywhere(project).items() if KEY.encode() in data or SHAPED.encode() in data
    ]
    assert found == []
    assert KEY not in (project.path / "ralph.log").read_text()
    for command in (("report",), ("events", "--json"), ("logs", "1"), ("report", "--html", "-o", "-")):
        assert KEY not in project.ralph(*command).stdout
    assert "TASK_COMPLETE" in project.ralph("logs", "1").stdout


def test_an_error_that_repeats_a_key_is_masked_in_the_end(project: Project) -> None:
    project.config(ALLOWED)
    project.agent('echo "invalid key $SERVICE_API_KEY" >&2; exit 1')
    project.commit()
    done = project.ralph("run", env={"SERVICE_API_KEY": KEY})
    assert done.returncode == 10
    assert "invalid key " in project.end()["reason"]
    assert KEY not in done.stdout
    assert [n for n, data in everywhere(project).items() if KEY.encode() in data] == []
    assert KEY not in (project.path / ".ralph_state.md").read_text()


def test_a_key_in_the_change_or_the_scratchpad_is_masked_in_the_report(project: Project) -> None:
    project.config(ALLOWED)
    project.agent(
        'echo "$SERVICE_API_KEY" > leaked; mkdir -p .ralph/agent; echo "use $SERVICE_API_KEY" > .ralph/agent/scratchpad.md\n'
        "test $RALPH_ITERATION = 2 && echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    assert project.ralph("run", env={"SERVICE_API_KEY": KEY}).returncode == 0
    page = project.ralph("report", "--html", "-o", "-", env={"SERVICE_API_KEY": KEY}).stdout
    assert "+***" in page and "use ***" in page and KEY not in page


def test_what_an_agent_is_logged_in_with_is_masked(project: Project, tmp_path: Path) -> None:
    login = "r8Kq2ZxW0pLm4NvB6tYc"
    folder = Path(project.env["HOME"], ".codex")
    folder.mkdir()
    (folder / "auth.json").write_text(f'{{"tokens": {{"refresh_token": "{login}"}}}}')
    project.config(CONFIG.replace("backend: custom", "backend: codex").replace(", prompt_mode: stdin", ""))
    project.agent("cat $HOME/.codex/auth.json; exit 1")
    project.commit()
    project.ralph("run")
    assert "refresh_token" in project.ralph("logs", "1", "--raw").stdout
    assert [name for name, data in everywhere(project).items() if login.encode() in data] == []


def test_agents_have_their_own_keys_and_gates_do_not(project: Project) -> None:
    project.write("test.sh", 'echo "gate [$ANTHROPIC_API_KEY$OPENAI_API_KEY]"; test -e answer\n')
    project.agent('echo "agent [$ANTHROPIC_API_KEY]" > answer; echo TASK_COMPLETE')
    project.commit()
    done = project.ralph("run", "-v", env={"ANTHROPIC_API_KEY": "x1", "OPENAI_API_KEY": "x2"})
    assert done.returncode == 0, done.stdout
    assert (project.path / "answer").read_text() == "agent [x1]\n"
    assert "gate []" in done.stdout


def test_nobody_has_what_is_not_declared_and_both_have_what_is(project: Project) -> None:
    print_it = 'echo "[$DATABASE_URL][$AWS_SECRET_ACCESS_KEY][$CI][$RALPH_COLOUR]"'
    home = project.env["HOME"]  # a gate has another one
    project.write("test.sh", f"{print_it} > {home}/gate; test -e answer\n")
    project.agent(f"{print_it} > {home}/agent; touch answer; echo TASK_COMPLETE")
    project.commit()
    secrets = {"DATABASE_URL": "d", "AWS_SECRET_ACCESS_KEY": "a", "CI": "1", "RALPH_COLOUR": "blue"}

    def run(allow: str) -> set[str]:
        project.config(CONFIG + allow)
        assert project.ralph("run", env=secrets).returncode == 0
        (project.path / "answer").unlink()
        return {Path(home, who).read_text().strip() for who in ("agent", "gate")}

    assert run("") == {"[][][1][blue]"}
    assert run("env_allow: [DATABASE_*]\n") == {"[d][][1][blue]"}
    assert run('env_allow: ["*"]\n') == {"[d][a][1][blue]"}


def test_a_reviewer_has_its_agent_s_key(project: Project) -> None:
    review = '#!/bin/sh\ncat > /dev/null; test "$OPENAI_API_KEY" = k && echo PASS || echo FAIL\n'
    project.write("review.sh", review, executable=True)
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{review: spec, agent: {command: ./review.sh}}]\n"
        "event_loop: {max_iterations: 1}\n"
    )
    project.commit()
    assert project.ralph("run", env={"OPENAI_API_KEY": "k"}).returncode == 0


def test_a_resume_goes_by_the_list_of_its_start(project: Project) -> None:
    project.config(ALLOWED)
    project.agent(
        'test $RALPH_ITERATION = 2 && echo "$SERVICE_API_KEY" > got && echo 42 > answer; echo TASK_COMPLETE'
    )
    project.commit()
    assert project.ralph("run", "--max-iterations", "1", env={"SERVICE_API_KEY": KEY}).returncode == 8
    project.config(CONFIG)
    assert project.ralph("resume", "--max-iterations", "2", env={"SERVICE_API_KEY": KEY}).returncode == 0
    assert (project.path / "got").read_text() == f"{KEY}\n"

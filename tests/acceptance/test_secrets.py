"""Keys that an agent prints, says, emits or hands in are not kept anywhere that people look."""

from __future__ import annotations

from project import Project

KEY = "corporate-key-93b1f7c2a8"
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
    project.agent('echo "invalid key $SERVICE_API_KEY" >&2; exit 1')
    project.commit()
    done = project.ralph("run", env={"SERVICE_API_KEY": KEY})
    assert done.returncode == 10
    assert "invalid key " in project.end()["reason"]
    assert KEY not in done.stdout
    assert [n for n, data in everywhere(project).items() if KEY.encode() in data] == []
    assert KEY not in (project.path / ".ralph_state.md").read_text()


def test_the_agent_itself_has_its_key(project: Project) -> None:
    project.agent(f'test "$SERVICE_API_KEY" = {KEY} && echo 42 > answer; echo TASK_COMPLETE')
    project.commit()
    assert project.ralph("run", env={"SERVICE_API_KEY": KEY}).returncode == 0

"""An agent that cannot reach its model: seen while it happens, named for what it is, and ended by a person or by the rules."""

from __future__ import annotations

import json

from project import Project, until

RATE_LIMIT = """
if [ ! -e tried ]; then
  touch tried
  echo '{"type":"error","kind":"rate-limit","text":"too many requests","retry_after":7200}'; exit 1
fi
echo hello >greeting; echo '{"type":"message","role":"assistant","text":"TASK_COMPLETE"}'
"""
CONFIG = """
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin, output: jsonl}
gates: [{name: tests, run: sh test.sh}]
"""
INIT = {"type": "system", "subtype": "init", "session_id": "s", "model": "m"}
RETRY = {"type": "system", "subtype": "api_retry", "max_retries": 10, "retry_delay_ms": 100}


def configured(project: Project, agent: str) -> None:
    project.agent(agent)
    project.write("test.sh", "test -e greeting\n")
    project.write(".gitignore", "tried\n")
    project.config(CONFIG)
    project.commit()


def test_a_rate_limit_is_called_one_and_a_person_ends_the_wait(project: Project) -> None:
    configured(project, RATE_LIMIT)
    run = project.start("run")
    until(lambda: project.journaled("wait.started"), "the wait")
    (wait,) = project.facts("wait.started")
    assert wait["what"] == "rate-limit"
    status = project.ralph("status").stdout
    assert "rate limit until " in status and "`ralph retry` tries now" in status
    assert "tries again now" in project.ralph("retry").stdout
    assert run.wait(120) == 0, project.shown()
    out = project.shown()
    assert "rate limit: waiting 2 h 00 min until " in out
    refused = project.ralph("retry")
    assert refused.returncode == 2 and "nothing runs here" in refused.stderr


def test_refused_credentials_end_the_loop_while_the_agent_still_tries(project: Project) -> None:
    retries = [{**RETRY, "attempt": n, "error_status": 401, "error": "authentication_failed"} for n in (1, 2)]
    lines = "\n".join(f"echo '{json.dumps(line)}'" for line in (INIT, *retries))
    configured(project, f"{lines}\nsleep 600\n")
    run = project.ralph("run")
    assert run.returncode == 10, run.stdout
    assert "no answer from the model, retry 2/10: 401 authentication failed" in run.stdout
    assert "agent-unusable: its credentials are refused (retry 2/10: 401 authentication failed)" in run.stdout
    (ended,) = project.facts("iteration.ended")
    assert (ended["cause"], ended["fault"]) == ("credentials", "credentials")


def test_trouble_shows_in_the_status_until_it_is_over(project: Project) -> None:
    retry = json.dumps({**RETRY, "attempt": 3, "error_status": 529, "error": "overloaded"})
    said = json.dumps(
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "TASK_COMPLETE"}]}}
    )
    configured(
        project,
        f"echo '{json.dumps(INIT)}'; echo '{retry}'\nwhile [ ! -e tried ]; do sleep 0.1; done\n"
        f"echo hello >greeting; echo '{said}'",
    )
    run = project.start("run")
    until(lambda: project.journaled("agent.retries"), "the retry")
    assert "no answer from the model, retry 3/10: 529 overloaded" in project.ralph("status").stdout
    (operation,) = json.loads(project.ralph("status", "--json").stdout)["operations"]
    assert operation["retry"] == {"attempt": 3, "most": 10, "status": 529, "why": "overloaded"}
    project.write("tried", "")
    assert run.wait(120) == 0, project.shown()
    out = project.shown()
    assert "the model answers again" in out

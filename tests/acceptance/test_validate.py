"""`ralph validate` and `ralph schema` as a user meets them: what is wrong, where, and how the file is understood."""

from __future__ import annotations

import json
from typing import Any

import pytest
from project import Project, contents


def verdict(project: Project, *arguments: str) -> dict[str, Any]:
    done = project.ralph("validate", "--json", *arguments)
    assert done.stderr == ""
    found: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (0 if found["valid"] else 2)
    return found


# -- validate ----------------------------------------------------------------------------------------------

WRONG = """\
cli: {comand: ./agent.sh}
gates:
  - {name: tests, run: sh test.sh, hard_timeout: 10x}
  - {name: tests, run: sh test.sh}
event_loop:
  max_iterations: 0
  claim: sometimes
cor: {}
cli: {}
"""


def test_every_error_is_told_with_line_key_and_nearest_name(project: Project) -> None:
    project.config(WRONG)
    done = project.ralph("validate")
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.splitlines() == [
        "ralph.yml:1: error: cli.comand: unknown key (nearest valid: command)",
        "ralph.yml:3: error: gates[0].hard_timeout: must be a duration such as 90, 90s, 10m or 1h30m, not the text '10x'",
        "ralph.yml:4: error: gates[1].name: 'tests' is the name of another gate; names must be unique",
        "ralph.yml:6: error: event_loop.max_iterations: must be at least 1, not 0",
        "ralph.yml:7: error: event_loop.claim: must be one of signal, exit-zero, every-iteration, not the text 'sometimes'",
        "ralph.yml:8: error: cor: unknown key (nearest valid: core)",
        "ralph.yml:9: error: cli: is given twice, on lines 1 and 9",
        "ralph.yml is not valid: 7 errors",
    ]


def test_errors_and_warnings_can_be_read_by_a_program(project: Project) -> None:
    project.config("cli: {command: ./agent.sh, script: x.yml}\nevent_loop: {max_iteration: 3}\n")
    assert verdict(project) == {
        "file": "ralph.yml",
        "valid": False,
        "errors": [
            {
                "line": 2,
                "key": "event_loop.max_iteration",
                "what": "unknown key (nearest valid: max_iterations)",
            }
        ],
        "warnings": [{"line": 1, "key": "cli.script", "what": "is used only with backend: scripted"}],
        "roles": None,
    }


def test_more_errors_than_a_run_would_show_are_all_told(project: Project) -> None:
    project.config("".join(f"key{n}: 1\n" for n in range(80)))
    assert len(verdict(project)["errors"]) == 80


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("cli: {command: x\ngates: none\n", 2, "not valid YAML"),
        ("gates: none\n---\nallow: []\n", 2, "a second document starts here"),
        ("- x\n", 1, "must be a mapping of keys to values at the top, not a list"),
    ],
)
def test_a_file_that_cannot_be_taken_apart_is_told_with_its_line(
    project: Project, text: str, line: int, what: str
) -> None:
    project.write("ralph.yml", text)
    (error,) = verdict(project)["errors"]
    assert (error["line"], error["key"]) == (line, "")
    assert what in error["what"]
    assert f"ralph.yml:{line}: error: {error['what']}" in project.ralph("validate").stdout


def test_what_a_valid_file_means_is_told(project: Project) -> None:
    project.config(
        "cli: {command: ./agent.sh, args: [--fast], prompt_mode: arg, prompt_flag: -p, output: jsonl}\n"
        "gates:\n"
        "  - {name: tests, run: sh test.sh, hard_timeout: 90}\n"
        "  - {name: style, run: sh style.sh, hard: false, every: iteration, hermetic: false}\n"
        "  - {review: spec}\n"
        "event_loop: {max_iterations: 9, max_runtime_seconds: 2h, max_cost_usd: 2.5, completion_promise: ALL_OK}\n"
        "task: {id: t-1, criteria: [a, b]}\n"
        "notify: [{run: ./tell.sh, when: [end, wait]}]\n"
    )
    done = project.ralph("validate")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "ralph.yml is valid",
        f"  agent   {project.path}/agent.sh --fast (prompt as last argument after -p; prints JSON lines)",
        "  task    Write 42 into the file `answer`. (t-1, 2 criteria)",
        "  gates   tests: hard, on a claim, warned after 1m30s, ended after 1m30s: sh test.sh",
        "          style: soft, after each iteration, in the folder, warned after 10m, ended after 30m: sh style.sh",
        "          spec: hard, on a claim, warned after 10m, ended after 30m: review: spec",
        "  done    claimed by TASK_COMPLETE or ALL_OK; proven by tests, spec",
        "  limits  9 iterations, 5 attempts, 2h in all (told to finish after 1h30m)",
        "          an iteration: 1h (warned after 40m), 15m idle",
        "          2.5 USD, any number of tokens, a wait of up to 6h for a quota",
        "  notify  ./tell.sh (end, wait)",
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("gates: none", "  gates   none: no proof is wanted"),
        ("gates: []", "  gates   none: the end will be unverified"),
        ("event_loop: {claim: exit-zero}", "  done    claimed by exit code 0; proven by nothing"),
        ("event_loop: {max_tokens: 500}", "          any cost, 500 tokens, a wait of up to 6h for a quota"),
        (
            "cli: {command: ./agent.sh}",
            "  agent   {path}/agent.sh (prompt on standard input; prints text)",
        ),
        (
            "cli: {command: ./agent.sh, prompt_mode: file}",
            "  agent   {path}/agent.sh (prompt as a file, its path the last argument; prints text)",
        ),
        ("cli: {backend: scripted, script: s.yml}", "  agent   scripted: {path}/s.yml"),
    ],
)
def test_the_meaning_follows_the_file(project: Project, text: str, line: str) -> None:
    project.write("s.yml", "iterations: [[{say: x}]]\n")
    project.config(text + "\n")
    done = project.ralph("validate")
    assert done.returncode == 0, done.stdout
    assert line.format(path=project.path) in done.stdout.splitlines()


def test_a_file_without_prompt_and_agent_is_valid_and_says_what_is_missing(project: Project) -> None:
    (project.path / "PROMPT.md").unlink()
    project.config("gates: [{run: sh test.sh}]\n")
    done = project.ralph("validate")
    assert done.returncode == 0, done.stdout
    assert (
        "  task    no prompt here: give one with -p, -P or PROMPT.md, or tasks: `ralph task add`\n"
        in done.stdout
    )
    assert "  agent   none: put its command after --\n" in done.stdout
    assert "ralph.yml: warning: cli.command: no agent is set" in done.stdout


def test_reviewers_at_the_end_are_told_before_there_is_a_list(project: Project) -> None:
    project.config("cli: {command: ./agent.sh}\nat_end: [{name: spec, review: spec}]\n")
    assert "  at end  spec: looks at the whole run over a backlog, " in project.ralph("validate").stdout


def test_an_agent_that_this_machine_lacks_is_a_warning(project: Project) -> None:
    project.config(
        "cli:\n  command: ./missing.sh\ngates:\n"
        "- review: spec\n  agent: {command: no-such-agent}\n"
        "- review: quality\n  agent: {args: [--other]}\n"
    )
    found = verdict(project)
    assert found["valid"] and found["errors"] == []
    assert [(w["line"], w["key"]) for w in found["warnings"]] == [
        (2, "cli.command"),
        (5, "gates[0].agent.command"),
    ]
    assert "does not exist. Correct cli.command." in found["warnings"][0]["what"]
    assert "'no-such-agent' is not on PATH" in found["warnings"][1]["what"]
    assert "gates[0].agent.command" in found["warnings"][1]["what"]


def test_a_script_that_is_none_is_a_warning(project: Project) -> None:
    project.write("s.yml", "iterations: [[{sing: x}]]\n")
    project.config("cli: {backend: scripted, script: s.yml}\n")
    (warning,) = verdict(project)["warnings"]
    assert (warning["line"], warning["key"]) == (1, "cli.script")
    assert "unknown step 'sing'" in warning["what"]


def test_another_file_can_be_named_and_no_file_is_an_error(project: Project) -> None:
    project.write("night/other.yml", "event_loop: {max_iterations: 77}\n")
    done = project.ralph("validate", "night/other.yml")
    assert done.returncode == 0 and "night/other.yml is valid" in done.stdout
    assert "77 iterations" in done.stdout
    assert verdict(project, "no.yml")["errors"] == [{"line": 0, "key": "", "what": "does not exist"}]
    (project.path / "ralph.yml").unlink()
    (error,) = verdict(project)["errors"]
    assert "does not exist" in error["what"]


def test_a_prompt_file_that_is_not_there_is_a_warning_and_one_that_cannot_be_read_an_error(
    project: Project,
) -> None:
    project.config("cli: {command: ./agent.sh}\nevent_loop: {prompt_file: no.md}\n")
    found = verdict(project)
    (warning,) = [w for w in found["warnings"] if w["key"] == "event_loop.prompt_file"]
    assert (found["errors"], warning["line"]) == ([], 2)
    (project.path / "no.md").mkdir()
    (error,) = verdict(project)["errors"]
    assert (error["line"], error["key"]) == (2, "event_loop.prompt_file")


def test_words_of_the_file_cannot_drive_the_terminal(project: Project) -> None:
    project.config(
        'cli: {command: ["./agent.sh", "\\e[2J\\a"]}\ngates: [{run: "true\\n\\e[31mred"}]\n"\\e[2Jkey": 1\n'
    )
    wrong = project.ralph("validate").stdout
    project.config('cli: {command: ["./agent.sh", "\\e[2J\\a"]}\ngates: [{run: "true\\n\\e[31mred"}]\n')
    right = project.ralph("validate").stdout
    assert "is not valid" in wrong and "is valid" in right
    assert "\x1b" not in wrong + right and "\a" not in wrong + right


def test_validating_changes_nothing(project: Project) -> None:
    before = contents(project.path)
    assert project.ralph("validate").returncode == 0
    assert project.ralph("schema").returncode == 0
    assert contents(project.path) == before


# -- schema ------------------------------------------------------------------------------------------------


def test_the_schema_is_json_and_always_the_same(project: Project) -> None:
    first, second = project.ralph("schema"), project.ralph("schema", env={"PYTHONHASHSEED": "7"})
    assert first.returncode == 0 and first.stdout == second.stdout
    found = json.loads(first.stdout)
    assert found["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert list(found["properties"])[:3] == ["cli", "fallback", "event_loop"]


def test_the_schema_can_be_written_into_a_file(project: Project) -> None:
    done = project.ralph("schema", "-o", "ralph.schema.json")
    assert done.returncode == 0 and "ralph.schema.json" in done.stdout
    assert (project.path / "ralph.schema.json").read_text() == project.ralph("schema").stdout


def test_a_place_that_cannot_be_written_is_told(project: Project) -> None:
    done = project.ralph("schema", "-o", "no/such/folder.json")
    assert done.returncode == 2
    assert "no/such/folder.json: cannot be written: No such file or directory" in done.stderr

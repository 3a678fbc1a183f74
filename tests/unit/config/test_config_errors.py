"""Bad input gets a clear error: file, line, key, what is wrong, the nearest valid name. All of it at once."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from config_project import Project

from ralph.config.load import load
from ralph.config.settings import Overrides
from ralph.config.yaml_lines import MAX_DEPTH
from ralph.errors import RalphError


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # unknown names
        ("cli:\n  comand: x", "ralph.yml:2: cli.comand: unknown key (nearest valid: command)"),
        ("gate: []", "ralph.yml:1: gate: unknown key (nearest valid: gates)"),
        (
            "max_attempts: 3",
            "ralph.yml:1: max_attempts: unknown key (nearest valid: event_loop.max_attempts)",
        ),
        ("promt: x", "ralph.yml:1: promt: unknown key (nearest valid: event_loop.prompt)"),
        ("gates: [{run: x, timeout: 5}]", "gates[0].timeout: unknown key (nearest valid: soft_timeout)"),
        (
            "zzz: 1",
            "ralph.yml:1: zzz: unknown key (valid here: allow, ",
        ),
        ("sandbox: docker", "ralph.yml:1: sandbox: must be one of none, bwrap, not the text 'docker'"),
        (
            "sandbox: {kind: bwrp}",
            "sandbox.kind: must be one of none, bwrap, not the text 'bwrp' (nearest valid: bwrap)",
        ),
        ("a: 1\nsandbox: {network: none}", "ralph.yml:2: sandbox.network: needs `kind: bwrap` beside it"),
        ("sandbox: {kind: bwrap, credentials: ~/.netrc}", "sandbox.credentials: must be a list, not"),
        ("sandbox: {kind: bwrap, home: x}", "sandbox.home: unknown key"),
        ("env_allow: [DATABASE URL]", "env_allow[0]: must be the name of a variable, perhaps with * or ?"),
        ("'cli.command': x", "ralph.yml:1: 'cli.command': unknown key"),
        ("'gates[].run': x", "ralph.yml:1: 'gates[].run': unknown key"),
        ("cli: {backend: scriptd}", "cli.backend: unknown agent 'scriptd', known: claude, codex, gemini,"),
        ("cli: {backend: cloude}", "(nearest valid: claude)"),
        ("cli: {backend: 5}", "cli.backend: must be an agent's name, not"),
        ("cli: {backend: scriptd}", "(nearest valid: scripted)"),
        (
            "event_loop: {claim: exit-0}",
            "must be one of signal, exit-zero, every-iteration, not the text 'exit-0'",
        ),
        ("core: {scratchpad: '{task}.md'}", "core.scratchpad: may contain {taskId} and no other braces"),
        # wrong types
        ("[1, 2]", "ralph.yml:1: must be a mapping of keys to values at the top, not a list"),
        (
            "just text",
            "ralph.yml:1: must be a mapping of keys to values at the top, not the text 'just text'",
        ),
        ("cli: claude", "ralph.yml:1: cli: must be a mapping, not the text 'claude'"),
        ("cli: {command: 5}", "cli.command: must be text, not 5 (put it in quotes)"),
        ("cli: {command: []}", "cli.command: must name a program"),
        ("cli: {command: ' '}", "cli.command: must not be empty"),
        ("cli: {command: \"'' x\"}", "cli.command: must name a program"),
        ('cli: {command: "a \'b"}', "cli.command: cannot be split into words: no closing quotation"),
        ("cli: {args: -x}", "cli.args: must be a list, not the text '-x'"),
        ("cli: {args: [[x]]}", "cli.args[0]: must be text, not a list"),
        ("cli: {env: [A]}", "cli.env: must be a mapping of names to values, not a list"),
        ("cli: {env: {A: [x]}}", "cli.env.A: must be text, not a list"),
        ("cli: {env: {'a b': x}}", "cli.env.'a b': is not a name for an environment variable"),
        ("event_loop: {max_iterations: many}", "must be a whole number, not the text 'many'"),
        ("event_loop: {max_iterations: '8'}", "must be a whole number, not the text '8' (remove the quotes)"),
        ("event_loop: {max_iterations: 8.5}", "must be a whole number, not 8.5"),
        ("event_loop: {max_iterations: true}", "must be a whole number, not the boolean true"),
        ("event_loop: {max_iterations: 0o10}", "must be a whole number"),
        ("event_loop: {max_iterations: 010}", "must be a whole number, not 010"),
        ("event_loop: {prompt: 5}", "event_loop.prompt: must be text, not 5"),
        ("event_loop: {prompt: 2024-01-01}", "event_loop.prompt: must be text, not the date 2024-01-01"),
        ("gates: 5", "gates: must be a list of gates or none, not 5"),
        ("gates: {run: x}", "gates: must be a list of gates or none, not a mapping"),
        (
            "gates: [5]",
            "gates[0]: must be a mapping with `run` or `review` or `kind`, not 5",
        ),
        ("gates:\n- run: x\n- [pytest]", "ralph.yml:3: gates[1]: must be a mapping"),
        ("gates: ['']", "gates[0]: must not be empty"),
        ("task:\n  criteria:\n  - x\n  - 5", "ralph.yml:4: task.criteria[1]: must be text, not 5"),
        ("gates: [{run: [a]}]", "gates[0].run: must be text, not a list"),
        ("gates: [{run: x, hard: maybe}]", "gates[0].hard: must be true or false, not the text 'maybe'"),
        ("gates: [{run: x, hard: 1}]", "gates[0].hard: must be true or false, not 1"),
        (
            "gates: [{run: x, may_write: out}]",
            "may_write: must be true, false or a list of patterns, not the text",
        ),
        ("task: {criteria: x}", "task.criteria: must be a list, not the text 'x'"),
        ("task: {criteria: [x, {y: z}]}", "task.criteria[1]: must be text, not a mapping"),
        # missing and empty values
        ("gates:\n  # - run: x", "ralph.yml:1: gates: has no value; give it one or remove the key"),
        ("event_loop: {prompt: ''}", "event_loop.prompt: must not be empty"),
        ("event_loop: {prompt: }", "event_loop.prompt: has no value"),
        ("gates: [{name: x}]", "gates[0]: has neither `run` nor `review` nor `kind`"),
        ("gates: [{run: a, review: spec}]", "gates[0]: has both `run` and `review`; keep one of them"),
        (
            "gates: [{review: spec, agent: {comand: x}}]",
            "gates[0].agent.comand: unknown key (nearest valid: command)",
        ),
        ("gates: [{review: spec, agent: {backend: scripted}}]", "gates[0].agent.backend: scripted needs"),
        ("notify: tell.sh", "notify: must be a list, not the text 'tell.sh'"),
        ("notify: [{when: [end]}]", "notify[0]: has neither `run` nor `url`"),
        ("notify: [{run: x, when: [ends]}]", "notify[0].when[0]: must be one of end, block, wait"),
        ("gates: [{run: ''}]", "gates[0].run: must not be empty"),
        ("gates: [{name: '', run: x}]", "gates[0].name: must not be empty"),
        # values out of range
        ("event_loop: {max_iterations: 0}", "event_loop.max_iterations: must be at least 1, not 0"),
        ("event_loop: {max_attempts: -1}", "event_loop.max_attempts: must be at least 1, not -1"),
        ("event_loop: {max_tokens: -1}", "event_loop.max_tokens: must be at least 0, not -1"),
        (
            "event_loop: {max_iterations: " + "9" * 5000 + "}",
            "event_loop.max_iterations: must be at most 1e+12",
        ),
        ("event_loop: {max_cost_usd: -0.5}", "event_loop.max_cost_usd: must be at least 0, not -0.5"),
        ("event_loop: {max_cost_usd: .inf}", "event_loop.max_cost_usd: must be a finite number"),
        (
            "event_loop: {max_cost_usd: free}",
            "event_loop.max_cost_usd: must be a number, not the text 'free'",
        ),
        ("event_loop: {idle_timeout: 0}", "event_loop.idle_timeout: must be more than 0, not 0 seconds"),
        ("event_loop: {idle_timeout: .nan}", "event_loop.idle_timeout: must be a finite number"),
        ("event_loop: {idle_timeout: -.inf}", "event_loop.idle_timeout: must be a finite number"),
        (
            "event_loop: {idle_timeout: -5s}",
            "must be a duration such as 90, 90s, 10m or 1h30m, not the text '-5s'",
        ),
        ("event_loop: {idle_timeout: 1:30}", "must be a duration such as 90, 90s, 10m or 1h30m, not 1:30"),
        ("event_loop: {idle_timeout: 1e99}", "event_loop.idle_timeout: must be a duration"),
        ("event_loop: {crash_wait: 500d}", "event_loop.crash_wait: must be at most"),
        ("event_loop: {stop_grace: -1}", "event_loop.stop_grace: must be at least 0, not -1 seconds"),
        ("event_loop: {completion_promise: TASK_STUCK}", "is a signal that says the opposite of done"),
        ('event_loop: {completion_promise: "A\\nB"}', "must be one line of printable text"),
        # rules between keys
        (
            "event_loop:\n  max_runtime_seconds: 10\n  soft_runtime_seconds: 20",
            "ralph.yml:3: event_loop.soft_runtime_seconds: must not be more than max_runtime_seconds, which is 10",
        ),
        (
            "event_loop: {iteration_soft_timeout: 2h}",
            "must not be more than iteration_timeout, which is 3600",
        ),
        ("gates: [{run: x, soft_timeout: 2h}]", "gates[0].soft_timeout: must not be more than hard_timeout"),
        ("gates: [{name: a, run: x}, {name: a, run: y}]", "gates[1].name: 'a' is the name of another gate"),
        (
            "stuck: {same_error_stop: 2}",
            "stuck.same_error_stop: must be at least same_error_shift, which is 3",
        ),
        ("stuck: {no_progress_stop: 2}", "stuck.no_progress_stop: must be 0 or at least no_progress_nudge"),
        (
            "event_loop: {prompt: a, prompt_file: b}",
            "event_loop.prompt_file: the prompt is already given by event_loop.prompt",
        ),
        (
            "event_loop: {prompt: a}\ntask: {description: b}",
            "ralph.yml:2: task.description: the prompt is already",
        ),
        # paths
        (
            "core: {scratchpad: /tmp/x}",
            "core.scratchpad: must be a relative path to a file inside the workspace",
        ),
        ("core: {scratchpad: a/../../x}", "core.scratchpad: must be a relative path"),
        ("core: {scratchpad: ~/x}", "core.scratchpad: must be a relative path"),
        ("core: {scratchpad: notes/}", "core.scratchpad: must be a relative path to a file"),
        ("core: {scratchpad: .}", "core.scratchpad: must be a relative path to a file"),
        ("core: {scratchpad: .GIT/x}", "core.scratchpad: must not be inside .git"),
        ("allow: [/etc/**]", "allow[0]: must be a pattern of paths inside the workspace, not '/etc/**'"),
        ("task: {allow: [../x]}", "task.allow[0]: must be a pattern of paths inside the workspace"),
        ("task: {id: ../x}", "task.id: must be at most 64 letters"),
        ("task: {id: -x}", "task.id: must be at most 64 letters"),
        ("task: {id: x.lock}", "task.id: must be at most 64 letters"),
        # YAML itself
        ("cli: {backend: custom}\ncli: {command: x}", "ralph.yml:2: cli: is given twice, on lines 1 and 2"),
        ("cli:\n  env:\n    A: 1\n    A: 2", "ralph.yml:4: cli.env.A: is given twice, on lines 3 and 4"),
        ("gates:\n- run: x\n  run: y", "ralph.yml:3: gates[0].run: is given twice, on lines 2 and 3"),
        ("5: x", "ralph.yml:1: 5: a key must be text, not 5"),
        ("on: x", "ralph.yml:1: on: a key must be text, not the boolean on"),
        ("? [a]\n: b", "ralph.yml:1: ?: a key must be text, not a list"),
        ("gates: [{run: '{{x}}', {{y}}: z}]", "gates[0].?: a key must be text, not a mapping"),
        (
            "cli: !!python/object:os.system {}",
            "ralph.yml:1: the tag !!python/object:os.system is not supported",
        ),
        ("cli: {command: !cmd x}", "ralph.yml:1: the tag !cmd is not supported"),
        ("cli: {command: !!binary aGk=}", "ralph.yml:1: the tag !!binary is not supported"),
        ("gates: [{<<: 5, run: x}]", "gates[0].<<: must be a mapping or a list of mappings, not 5"),
        ("a: b: c", "ralph.yml:1: not valid YAML at column 5: mapping values are not allowed"),
        (
            "cli:\n\tcommand: x",
            "ralph.yml:2: not valid YAML at column 1: a tab is used as indentation; use spaces",
        ),
        ("cli:\n  command: @x", "ralph.yml:2: not valid YAML at column 12: found character"),
        ("cli: {command: x\ngates: []\n", "ralph.yml:2: not valid YAML at"),
        ("cli: 'x\n\n", "(in what starts on line 1)"),
        ("cli: *nothing", "ralph.yml:1: the alias *nothing names nothing before it"),
        ("gates: &a [*a]", "ralph.yml:1: the alias *a names nothing before it"),
        ("---\ncli: {}\n---\ncli: {}", "ralph.yml:3: a second document starts here"),
        ("x: " + "[" * 5000, f"ralph.yml:1: nested more than {MAX_DEPTH} levels deep"),
        ("x: " + "{a: " * 5000, f"ralph.yml:1: nested more than {MAX_DEPTH} levels deep"),
        ("- " * 5000, f"ralph.yml:1: nested more than {MAX_DEPTH} levels deep"),
        ("\n\ncli: \x07", "ralph.yml:3: contains the control character U+0007"),
        ('cli: {command: "a\\0b"}', "cli.command: must not contain a NUL character"),
    ],
)
def test_what_is_wrong_and_where(project: Project, text: str, line: str) -> None:
    assert line in project.error(text)


@pytest.mark.parametrize("loader", ["C", "Python"])
def test_both_yaml_loaders_give_the_same_lines(
    project: Project, monkeypatch: pytest.MonkeyPatch, loader: str
) -> None:
    import yaml

    if loader == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    text = "cli:\n  env: {A: 1,\n    'a b': 2}\n\ngates:\n- run: |\n    one\n    two\n  hard: 5\n# end\nzzz: >\n  x\n"
    places = [line.split(": ")[:2] for line in project.error(text).splitlines()[:-1]]
    assert places == [
        ["ralph.yml:3", "cli.env.'a b'"],
        ["ralph.yml:9", "gates[0].hard"],
        ["ralph.yml:11", "zzz"],
    ]


def test_every_problem_is_reported_at_once_in_the_order_of_the_file(project: Project) -> None:
    text = "gates: 5\ncli:\n  comand: x\n  prompt_mode: mail\nevent_loop:\n  max_iterations: 0\n"
    *lines, todo = project.error(text, max_attempts=0, prompt_file=Path("none.md")).splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        "--max-attempts",
        "-p",
        "ralph.yml:1",
        "ralph.yml:3",
        "ralph.yml:4",
        "ralph.yml:6",
    ]
    assert todo == "Correct this and run again; nothing was changed."


def test_a_flood_of_problems_is_cut_and_counted(project: Project) -> None:
    message = project.error("".join(f"wrong_key_{n}: 1\n" for n in range(5000)))
    assert len(message.splitlines()) == 52
    assert "... and 4950 more problems" in message


def test_a_long_name_is_shortened_in_the_message(project: Project) -> None:
    assert len(project.error("x" * 500 + ": 1")) < 500


def test_aliases_cannot_expand_without_bound(project: Project) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "expands to more than 100,000 values" in project.error("\n".join(lines))


def test_a_file_larger_than_a_mebibyte_is_refused(project: Project) -> None:
    assert "ralph.yml: is larger than 1 MiB" in project.error("#" * 1024 * 1024 + "\n")


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n", b"cli: {}\nx: \xff", "cli: {}".encode("utf-16")])
def test_a_binary_file_is_refused(project: Project, data: bytes) -> None:
    assert "ralph.yml: is not a text file: byte 0x" in project.error(data)
    assert "NUL" in project.error(b"cli: {}\0")


def test_a_named_file_that_is_missing(project: Project) -> None:
    assert project.error(file="conf/none.yml").startswith("conf/none.yml: does not exist")


def test_a_folder_in_place_of_the_file(project: Project) -> None:
    (project.folder / "ralph.yml").mkdir()
    assert project.error().startswith("ralph.yml: is a folder, not a file")


def test_a_dangling_or_looping_link_is_an_error_and_not_the_defaults(project: Project) -> None:
    link = project.folder / "ralph.yml"
    link.symlink_to("nowhere.yml")
    assert project.error().startswith("ralph.yml: does not exist")
    link.unlink()
    link.symlink_to("ralph.yml")
    assert project.error().startswith("ralph.yml: cannot be read: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file(project: Project) -> None:
    (project.folder / "ralph.yml").write_text("cli: {}")
    (project.folder / "ralph.yml").chmod(0)
    assert project.error().startswith("ralph.yml: cannot be read: Permission denied")


@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        ({"max_iterations": 0}, "--max-iterations: must be at least 1, not 0"),
        ({"max_attempts": -1}, "--max-attempts: must be at least 1, not -1"),
        ({"max_cost_usd": -1.0}, "--max-cost-usd: must be at least 0, not -1"),
        ({"max_cost_usd": float("nan")}, "--max-cost-usd: must be a finite number"),
        ({"max_tokens": -1}, "--max-tokens: must be at least 0, not -1"),
        ({"max_runtime_seconds": 0.0}, "--max-runtime-seconds: must be more than 0, not 0"),
        ({"timeout_multiplier": 0.0}, "--timeout-multiplier: must be at least 0.001, not 0"),
        ({"timeout_multiplier": float("inf")}, "--timeout-multiplier: must be a finite number"),
        ({"timeout_multiplier": 1e9}, "--timeout-multiplier: must be at most 1000"),
        ({"gates": ("x",), "no_gates": True}, "--no-gates: contradicts --gate"),
        ({"gates": ("",)}, "--gate: must not be empty"),
        ({"criteria": ("ok", " ")}, "--criteria: must not be empty"),
        ({"task_id": "a b"}, "--task-id: must be at most 64 letters"),
        ({"command": ("",)}, "--: must not be empty"),
        ({"command": ("x", "\udcff")}, "--: is not valid Unicode text"),
        ({"prompt": "\udcff"}, "-p: is not valid Unicode text"),
        ({"prompt": " \n"}, "-p: must not be empty"),
        (
            {"prompt": "x", "prompt_file": Path("ralph.yml")},
            "-p: give the prompt as text or as a file (-P), not both",
        ),
    ],
)
def test_bad_values_on_the_command_line(project: Project, overrides: dict[str, object], line: str) -> None:
    assert line in project.error("cli: {}", **overrides)


def test_no_agent_says_how_to_give_one(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project.folder))
    message = project.error("", command=())
    assert message.splitlines() == [
        "there is no agent to do it",
        "Set cli.backend or cli.command in ralph.yml, or put the agent's command after -- on the command line.",
    ]


def test_no_prompt_says_how_to_give_one(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project.folder))
    message = project.error(prompt=None)
    for way in ("ralph run -p", "-P FILE", "PROMPT.md", "event_loop.prompt", "ralph task add"):
        assert way in message
    assert "there is no agent" in project.error(prompt=None, command=())


def test_a_misspelt_prompt_key_is_not_also_called_a_missing_prompt(project: Project) -> None:
    message = project.error("event_loop: {promt: x}", prompt=None)
    assert "nearest valid: prompt" in message
    assert "there is no prompt" not in message


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (None, "does not exist"),
        (b" \n\n", "is empty"),
        (b"\xff\xfe", "is not a text file"),
        (b"a\0b", "NUL bytes"),
    ],
)
def test_a_prompt_file_that_cannot_be_used(project: Project, data: bytes | None, what: str) -> None:
    if data is not None:
        (project.folder / "what.md").write_bytes(data)
    shown = repr(str(project.folder / "what.md"))
    from_key = project.error("event_loop:\n  prompt_file: what.md", prompt=None)
    assert from_key.startswith(f"ralph.yml:2: event_loop.prompt_file: the prompt file {shown} ")
    assert what in from_key
    from_flag = project.error("", prompt=None, prompt_file=Path("what.md"))
    assert from_flag.startswith(f"-P: the prompt file {shown} ")
    if data is not None:
        (project.folder / "PROMPT.md").write_bytes(data)
        assert project.error("", prompt=None).startswith("PROMPT.md: the prompt file ")


def test_a_script_that_is_missing_is_named_with_its_line(project: Project) -> None:
    message = project.error("cli:\n  backend: scripted\n  script: demo.yml", command=())
    assert f"ralph.yml:3: cli.script: {str(project.folder / 'demo.yml')!r} does not exist" in message
    assert "ralph.yml:1: cli.backend: scripted needs cli.script" in project.error(
        "cli: {backend: scripted}", command=()
    )
    assert "needs cli.script" not in project.error("cli: {backend: scripted, script: 5}", command=())


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no file names that are not UTF-8")
def test_a_folder_whose_name_is_not_unicode_is_refused_where_the_journal_would_need_it(
    tmp_path: Path,
) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    folder.mkdir()
    (folder / "ralph.yml").write_text("cli: {command: ./a}\nevent_loop: {prompt: x}\n")
    with pytest.raises(RalphError, match="not valid Unicode"):
        load(folder)
    assert load(folder, None, Overrides(command=("true",))).policy.agent.command == ("true",)

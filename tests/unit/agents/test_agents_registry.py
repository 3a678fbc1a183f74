"""Which agents can be named, and how each is started."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import ralph
from parsed import nodes
from ralph.agents import registry
from ralph.agents.adapter import Adapter, AgentTools, Launch
from ralph.agents.registry import adapter
from ralph.core.agent_policy import AgentPolicy
from ralph.errors import RalphError

ROOT = Path(ralph.__file__).parent
NAMES = [name for name, _ in registry.programs()]


def launch(tmp_path: Path, **policy: object) -> Launch:
    asked = AgentPolicy(**policy)  # type: ignore[arg-type]
    tools = AgentTools(tmp_path / "private", ("ralph", "mcp"), {"RALPH_TOKEN": "secret"})
    return adapter(asked).launch(asked, "-do it", tmp_path / "prompt", tools)


@pytest.mark.parametrize("name", NAMES)
def test_program_model_arguments_and_environment_are_the_users(name: str, tmp_path: Path) -> None:
    model = "" if name == "amp" else "some-model"
    found = launch(
        tmp_path, backend=name, command=("/opt/x", "y"), model=model, args=("--fast",), env={"A": "b"}
    )
    assert found.argv[:2] == ("/opt/x", "y") and "--fast" in found.argv
    assert not model or found.argv[found.argv.index(model) - 1] in ("--model", "-m")
    assert found.env["A"] == "b"
    assert not any("secret" in word for word in found.argv)
    assert found.stdin == b"-do it" or str(tmp_path / "prompt") in found.argv


@pytest.mark.parametrize("name", NAMES)
def test_without_a_program_of_the_users_it_is_the_agents_own(name: str, tmp_path: Path) -> None:
    assert launch(tmp_path, backend=name).argv[0] == registry.program(AgentPolicy(backend=name))


def test_private_files_are_for_the_user_alone(tmp_path: Path) -> None:
    launch(tmp_path, backend="claude")
    (file,) = (tmp_path / "private").iterdir()
    assert "secret" in file.read_text() and file.stat().st_mode & 0o077 == 0


def test_what_the_user_has_set_is_stronger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISABLE_AUTOUPDATER", "0")
    env = launch(tmp_path, backend="claude", env={"ENABLE_TOOL_SEARCH": "true"}).env
    assert (env["DISABLE_AUTOUPDATER"], env["ENABLE_TOOL_SEARCH"]) == ("0", "true")


def test_the_users_own_mcp_servers_are_turned_off_unless_asked_for(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex/config.toml").write_text("[mcp_servers.theirs]\ncommand = 'x'\n")
    (tmp_path / ".config/opencode").mkdir(parents=True)
    (tmp_path / ".config/opencode/opencode.jsonc").write_text(
        '{"mcp": {"theirs": {"type": "local"}},} // mine'
    )
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "", "CODEX_HOME": ""}
    asked = ("-c", "mcp_servers.theirs.enabled=true")
    argv = launch(tmp_path, backend="codex", env=home, args=asked).argv
    assert argv.index("mcp_servers.theirs.enabled=false") < argv.index(asked[1]), "the last one counts"
    config = json.loads(launch(tmp_path, backend="opencode", env=home).env["OPENCODE_CONFIG_CONTENT"])
    assert config["mcp"]["theirs"] == {"enabled": False} and config["mcp"]["ralph"]["enabled"]
    given = {"OPENCODE_CONFIG_CONTENT": '{"mcp": {"theirs": {"enabled": true}}, "share": "disabled"}'}
    config = json.loads(launch(tmp_path, backend="opencode", env=home | given).env["OPENCODE_CONFIG_CONTENT"])
    assert config["mcp"]["theirs"] == {"enabled": True} and config["share"] == "disabled"


def test_the_preferred_agent_on_path_comes_first(tmp_path: Path) -> None:
    for name in ("aider", "codex", "kiro-cli"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert tuple(registry.on_path(str(tmp_path))) == ("codex", "kiro", "aider")


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    with pytest.raises(RalphError, match="unknown agent 'cluade'") as caught:
        registry.find("cluade")
    assert "Did you mean claude?" in caught.value.todo and caught.value.code == 10


def test_a_model_for_an_agent_that_takes_none_is_refused() -> None:
    policy = AgentPolicy(backend="amp", model="big")
    with pytest.raises(RalphError, match="takes no model"):
        adapter(policy).check(policy)


def imported(code: str) -> set[str]:
    """The modules of agents that a fresh interpreter has after this."""
    ask = f"import sys; {code}; print(*(m for m in sys.modules if m.startswith('ralph.agents.')))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return {name.removeprefix("ralph.agents.") for name in done.stdout.split()}


def test_agents_are_imported_when_they_are_asked_for() -> None:
    assert imported("import ralph.agents.registry") == {"registry"}
    found = imported("from ralph.agents.registry import find; find('codex')")
    assert "codex" in found and not found & {"claude", "gemini", "opencode", "command", "scripted"}


def test_the_scripted_agent_starts_without_the_adapters() -> None:
    assert imported("import ralph.agents.scripted") == {"scripted"}


def test_every_agent_is_an_adapter() -> None:
    assert [name for name, _ in registry.usable()] == [*registry.BUILT_IN]
    assert all(isinstance(agent, Adapter) for _, agent in registry.usable())


def test_any_command_gets_the_variables_of_all_agents_but_those_that_open_more_than_a_model() -> None:
    given = registry.needs(AgentPolicy(command=("x",)))
    assert {"ANTHROPIC_*", "CODEX_*", "GEMINI_*", "OPENCODE_*", "KIRO_*"} <= set(given.variables)
    assert not {"GH_TOKEN", "GITHUB_TOKEN"} & set(given.variables) and not given.logins
    assert given.with_variable["CLAUDE_CODE_USE_BEDROCK"] == ("AWS_*",)


def test_no_module_outside_of_agents_compares_with_an_agents_name() -> None:
    """What depends on the agent is asked of its adapter."""
    own = set(registry.BUILT_IN) - {"custom"}  # that is no agent's name: it stands for any command
    found = []
    for path in ROOT.rglob("*.py"):
        text = path.read_text()
        if "agents" in path.relative_to(ROOT).parts[:1] or not any(f'"{name}"' in text for name in own):
            continue
        for node in nodes(path):
            if isinstance(node, ast.Compare | ast.MatchValue | ast.Dict):
                parts = node.keys if isinstance(node, ast.Dict) else ast.walk(node)
                words = {part.value for part in parts if isinstance(part, ast.Constant)}
                found += [f"{path.relative_to(ROOT)}:{node.lineno}: {word}" for word in words & own]
    assert found == []


def test_what_agents_obey_by_themselves_is_known_of_all() -> None:
    found = registry.instructions()
    assert {"AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"} <= set(found)
    assert {".mcp.json", "opencode.json"} <= set(found)
    folders = {path for path in found if path.endswith("/**")}
    assert folders == {f"**/.{name}/**" for name in ("agents", "claude", "codex", "gemini", "opencode")}

"""Which variables reach agents and gates: a list, and nothing beside it."""

from __future__ import annotations

import pytest

from ralph.core.secrets.environment import allowed_environment, held_back_names


def test_only_what_every_program_needs_and_what_is_named_passes() -> None:
    environ = {
        "PATH": "/bin",
        "HOME": "/home/me",
        "LC_ALL": "C",
        "XDG_DATA_HOME": "/d",
        "https_proxy": "http://user:password@proxy",
        "CI": "true",
        "AWS_SECRET_ACCESS_KEY": "s",
        "DATABASE_URL": "d",
        "MY_SETTING": "m",
        "ANTHROPIC_API_KEY": "a",
        "XDG_SESSION_TOKEN": "t",
        "ANTHROPIC_BASE_URL": "b",
    }
    got = allowed_environment(environ, ["ANTHROPIC_*", "MY_SETTING"])
    assert got == {
        "PATH": "/bin",
        "HOME": "/home/me",
        "LC_ALL": "C",
        "XDG_DATA_HOME": "/d",
        "https_proxy": "http://user:password@proxy",
        "CI": "true",
        "MY_SETTING": "m",
        "ANTHROPIC_API_KEY": "a",
        "ANTHROPIC_BASE_URL": "b",
    }
    assert held_back_names(environ, ["ANTHROPIC_*"]) == (
        "AWS_SECRET_ACCESS_KEY",
        "DATABASE_URL",
        "MY_SETTING",
        "XDG_SESSION_TOKEN",
    )
    assert allowed_environment({"anthropic_api_key": "x"}, ["ANTHROPIC_*"]) == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CARGO_REGISTRY_TOKEN", "x"),
        ("NODE_AUTH_TOKEN", "x"),
        ("CI_JOB_TOKEN", "x"),
        ("POETRY_HTTP_BASIC_CORP_PASSWORD", "x"),
        ("DJANGO_SECRET_KEY", "x"),
        ("PIP_INDEX_URL", "https://me:hunter2hunter2@pypi.example.org/simple"),
        ("PYTEST_ADDOPTS", "--token ghp_" + "a1B2" * 9),
    ],
)
def test_a_tool_s_variable_that_holds_a_secret_is_held_back_unless_named(name: str, value: str) -> None:
    assert allowed_environment({name: value}, ()) == {}
    assert held_back_names({name: value}, ()) == (name,)
    assert allowed_environment({name: value}, (name,)) == {name: value}
    harmless = {"PIP_INDEX_URL": "https://pypi.example.org/simple", "CARGO_HOME": "/c"}
    assert allowed_environment(harmless, ()) == harmless


def test_a_star_passes_everything() -> None:
    environ = {"AWS_SECRET_ACCESS_KEY": "s", "ANYTHING": "x"}
    assert allowed_environment(environ, ("*",)) == environ
    assert held_back_names(environ, ("*",)) == ()


def test_nobody_is_told_of_what_only_a_shell_needs() -> None:
    assert held_back_names({"SHLVL": "1", "_": "/bin/env", "PATH": "/bin"}, ()) == ()

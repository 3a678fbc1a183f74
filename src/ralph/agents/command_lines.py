"""Agents that are a command line and nothing more, one entry each. These are not tested with the real programs."""

from __future__ import annotations

from ralph.agents.adapter import OPENAI, PROVIDERS, Needs
from ralph.agents.command import CommandLine

AMP = CommandLine(
    ("amp", "--dangerously-allow-all", "-x"),
    needs=Needs(
        ("AMP_*",), logins=(".local/share/amp/secrets.json",), settings=(".config/amp/settings.json",)
    ),
)
KIRO = CommandLine(
    ("kiro-cli", "chat", "--no-interactive", "--trust-all-tools"),
    "--model",
    profile_flag="--agent",
    needs=Needs(("KIRO_*",)),
)
COPILOT = CommandLine(
    ("copilot", "--allow-all", "--silent"),
    "--model",
    # Its login is one for GitHub, which opens more than a model.
    needs=Needs(("COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"), logins=(".copilot/config.json",), wrapped=False),
)
PI = CommandLine(
    ("pi", "-p"),
    "--model",
    needs=Needs(
        ("PI_*", *PROVIDERS),
        folder=".pi/agent",
        logins=("auth.json",),
        settings=("settings.json", "models.json"),
    ),
)
QWEN = CommandLine(
    ("qwen", "--yolo", "-o", "stream-json"),
    "-m",
    output="jsonl",
    needs=Needs(
        ("QWEN_*", *OPENAI, "DASHSCOPE_*"),
        folder=".qwen",
        logins=("oauth_creds.json",),
        settings=("settings.json",),
    ),
)
# Whether to commit is for the gates and the user to say.
_NO_COMMITS = ("--no-auto-commits", "--no-dirty-commits")
AIDER = CommandLine(
    ("aider", "--yes-always", *_NO_COMMITS, "--no-gitignore", "--no-check-update"),
    "--model",
    prompt_mode="file",
    prompt_flag="--message-file",
    needs=Needs(("AIDER_*", *PROVIDERS), settings=(".aider.conf.yml", ".aider.model.settings.yml")),
)

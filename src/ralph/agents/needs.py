"""What each agent needs of the user's: variables, and files below the home folder. Nothing else of either is an agent's business.

An adapter of another package may declare its own as an attribute `needs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from ralph.core.policy import AgentPolicy


class Needs(msgspec.Struct, frozen=True):
    """Variables are patterns, files are relative to `folder`, which is relative to the home folder."""

    variables: tuple[str, ...] = ()
    with_variable: dict[str, tuple[str, ...]] = {}  # further ones, when this one is set
    folder: str = ""  # where the agent keeps its things; and the variable that moves it
    folder_variable: str = ""
    logins: tuple[str, ...] = ()  # files that hold credentials
    settings: tuple[str, ...] = ()  # and files that say which model and provider to use
    folders: tuple[str, ...] = ()  # that must be there, if empty
    writes_private: bool = False  # whether it writes into the folder that Ralph hands it (`Tools.private`)

    def allowed(self, environ: Mapping[str, str]) -> tuple[str, ...]:
        more = (names for name, names in self.with_variable.items() if environ.get(name))
        return (*self.variables, *(name for names in more for name in names))

    def place(self, environ: Mapping[str, str], home: Path) -> Path:
        moved = environ.get(self.folder_variable, "") if self.folder_variable else ""
        return Path(moved) if moved else home / self.folder

    def files(self, environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
        """Those that are there: with a key in the environment there may be none."""
        named = (
            *self.login_files(environ, home),
            *(self.place(environ, home) / name for name in self.settings),
        )
        return tuple(path for path in named if path.is_file())

    def login_files(self, environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
        return tuple(self.place(environ, home) / name for name in self.logins)


_ANTHROPIC = ("ANTHROPIC_*", "CLAUDE_*")
_OPENAI = ("OPENAI_*", "AZURE_OPENAI_*")
_GOOGLE = ("GEMINI_*", "GOOGLE_*", "GCLOUD_PROJECT")
_PROVIDERS = (
    *(
        "ANTHROPIC_*",
        *_OPENAI,
        *_GOOGLE,
        "OPENROUTER_*",
        "GROQ_*",
        "MISTRAL_*",
        "DEEPSEEK_*",
        "XAI_*",
        "TOGETHER_*",
    ),
    *(
        "FIREWORKS_*",
        "CEREBRAS_*",
        "COHERE_*",
        "PERPLEXITY_*",
        "MOONSHOT_*",
        "ZAI_*",
        "ZHIPU_*",
        "DASHSCOPE_*",
    ),
    *(
        "OLLAMA_*",
        "LM_STUDIO_*",
        "LITELLM_*",
        "AI_GATEWAY_*",
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_REGION",
        "AWS_PROFILE",
    ),
)
_CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": ("AWS_*",),
    "CLAUDE_CODE_USE_VERTEX": ("GOOGLE_*", "GCLOUD_PROJECT", "CLOUD_ML_REGION", "VERTEX_*", "CLOUDSDK_*"),
}

NEEDS: dict[str, Needs] = {
    "claude": Needs(
        (
            *_ANTHROPIC,
            *(
                "DISABLE_*",
                "ENABLE_*",
                "MAX_THINKING_TOKENS",
                "MAX_MCP_OUTPUT_TOKENS",
                "MCP_TIMEOUT",
                "MCP_TOOL_TIMEOUT",
            ),
            *(
                "API_TIMEOUT_MS",
                "BASH_*_TIMEOUT_MS",
                "BASH_MAX_OUTPUT_LENGTH",
                "USE_BUILTIN_RIPGREP",
                "IS_SANDBOX",
                "OTEL_*",
            ),
        ),
        _CLOUDS,
        ".claude",
        "CLAUDE_CONFIG_DIR",
        (".credentials.json",),
        ("settings.json",),
    ),
    "codex": Needs(("CODEX_*", *_OPENAI), {}, ".codex", "CODEX_HOME", ("auth.json",), ("config.toml",)),
    "gemini": Needs(
        (*_GOOGLE, "CLOUDSDK_*"),
        {},
        ".gemini",
        "",
        ("oauth_creds.json",),
        ("google_accounts.json", "settings.json"),
        ("tmp", "history"),
        writes_private=True,
    ),
    "opencode": Needs(
        ("OPENCODE_*", *_PROVIDERS),
        {},
        "",
        "",
        (".local/share/opencode/auth.json",),
        (".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"),
    ),
    "amp": Needs(
        ("AMP_*",), logins=(".local/share/amp/secrets.json",), settings=(".config/amp/settings.json",)
    ),
    "kiro": Needs(("KIRO_*",)),
    # Its login is one for GitHub, which opens more than a model.
    "copilot": Needs(("COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"), logins=(".copilot/config.json",)),
    "pi": Needs(
        ("PI_*", *_PROVIDERS),
        folder=".pi/agent",
        logins=("auth.json",),
        settings=("settings.json", "models.json"),
    ),
    "qwen": Needs(
        ("QWEN_*", *_OPENAI, "DASHSCOPE_*"),
        folder=".qwen",
        logins=("oauth_creds.json",),
        settings=("settings.json",),
    ),
    "aider": Needs(("AIDER_*", *_PROVIDERS), settings=(".aider.conf.yml", ".aider.model.settings.yml")),
    "scripted": Needs(),
}
# Any command may be a wrapper around any of them: it gets their variables, but no files that are not named.
ANY = Needs(
    tuple(
        dict.fromkeys(
            name
            for agent in ("claude", "codex", "gemini", "opencode", "amp", "kiro", "pi", "qwen", "aider")
            for name in NEEDS[agent].variables
        )
    ),
    _CLOUDS,
)


def needs(policy: AgentPolicy) -> Needs:
    if policy.backend in NEEDS or policy.backend == "custom":
        return NEEDS.get(policy.backend, ANY)
    from ralph.agents.adapter import adapter

    declared = getattr(adapter(policy), "needs", ANY)
    return declared if isinstance(declared, Needs) else ANY

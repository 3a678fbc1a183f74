"""Any program as an agent: prompt by stdin, argument or file; words as plain text or JSON lines.

A stream of JSON that Ralph knows is read as what it is, whatever the configuration calls it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast, get_args

from msgspec.structs import replace

from ralph.agents.adapter import OPENAI, PROVIDERS, Adapter, AgentTools, Launch, Needs, Reader, Words
from ralph.agents.claude import ClaudeReader
from ralph.agents.stream import FAULT_CHARS, TextReader, bounded, count, number, parse, text
from ralph.core.agent_policy import AgentPolicy, OutputFormat, PromptMode
from ralph.core.facts import Fault, Tokens
from ralph.errors import RalphError


class CommandAdapter(Adapter):
    """A program that takes the prompt in one of the usual ways and prints text or JSON."""

    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path, tools: AgentTools) -> Launch:
        argv = policy.command
        flag = (policy.prompt_flag,) if policy.prompt_flag else ()
        match policy.prompt_mode:
            case "arg":
                return Launch(argv=(*argv, *flag, prompt), env=policy.env)
            case "file":
                return Launch(argv=(*argv, *flag, str(prompt_file)), env=policy.env)
        return Launch(argv=argv, stdin=prompt.encode(), env=policy.env)

    def reader(self, policy: AgentPolicy) -> Reader:
        return GuessingReader(policy)


class CustomAdapter(CommandAdapter):
    """The program that the configuration names. That it can be started was looked at with the configuration."""

    keys = ("command", "args", "prompt_mode", "prompt_flag", "output")

    def check(self, policy: AgentPolicy) -> None:
        if not policy.command:
            todo = "Set cli.backend or cli.command in ralph.yml."
            raise RalphError("no agent is set", todo=todo, code=10)


class CommandLine(CommandAdapter):
    """A program with a name and fixed arguments. It gets none of Ralph's tools."""

    def __init__(
        self,
        command: tuple[str, ...],
        model_flag: str = "",  # empty: it takes no model
        *,
        prompt_mode: PromptMode = "stdin",
        prompt_flag: str = "",
        output: OutputFormat = "text",
        login_hint: str = "",
        needs: Needs | None = None,
        profile_flag: str = "",
    ) -> None:
        self.program, self._arguments = command[0], command[1:]
        self._model_flag = model_flag
        self._prompt_mode, self._prompt_flag = prompt_mode, prompt_flag
        self._output = output
        self.reports_usage = output == "jsonl"
        self.login_hint = login_hint
        self.needs = needs
        self.profile_flag = profile_flag

    def check(self, policy: AgentPolicy) -> None:
        if policy.model and not self._model_flag:
            raise RalphError(f"{policy.backend} takes no model", todo="Remove `model`.", code=10)

    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path, tools: AgentTools) -> Launch:
        return super().launch(self._as_command(policy), prompt, prompt_file, tools)

    def reader(self, policy: AgentPolicy) -> Reader:
        return super().reader(self._as_command(policy))

    def _as_command(self, policy: AgentPolicy) -> AgentPolicy:
        model = (self._model_flag, policy.model) if policy.model else ()
        program = policy.command or (self.program,)
        return replace(
            policy,
            command=(*program, *self._arguments, *model, *policy.args),
            prompt_mode=self._prompt_mode,
            prompt_flag=self._prompt_flag,
            output=self._output,
        )


class GuessingReader:
    """Chooses the reader by what is printed first, so that the wrong setting does no harm. With `output: text` the first
    line that is not empty decides. With `jsonl` the first JSON object does, and what comes before it is passed over,
    unless nothing else ever comes."""

    def __init__(self, policy: AgentPolicy) -> None:
        self._policy = policy
        self._text = TextReader()
        self._chosen: Reader | None = None

    def feed(self, line: str) -> None:
        if not self._chosen and line.strip():
            self._chosen = self._choose(parse(line))
        (self._chosen or self._text).feed(line)

    def _choose(self, item: dict[str, Any] | None) -> Reader | None:
        json_wanted = self._policy.output == "jsonl"
        if item is None:
            return None if json_wanted else self._text
        from ralph.agents.registry import known_stream

        if known := known_stream(item, self._policy):
            return known
        if json_wanted or item.get("type") in ("message", "assistant", "result"):
            return JsonLinesReader()
        return self._text

    def ended(self, code: int) -> None:
        (self._chosen or self._text).ended(code)

    def words(self) -> Words:
        return (self._chosen or self._text).words()


class JsonLinesReader(ClaudeReader):
    """JSON lines: the last assistant message, usage, faults. Lines that are not JSON are passed over; an agent that prints no
    JSON at all is read as plain text.

    Understood: {"type":"message","role":"assistant","text":...}, {"type":"usage","input_tokens":..,"output_tokens":..,
    "cost_usd":..,"model":..} (summed), {"type":"error","kind":..,"text":..,"retry_after":..} with the name of a fault as kind;
    and the shape of Claude Code, {"type":"assistant","message":{"content":[{"type":"text","text":..}]}} with a final
    {"type":"result","result":..,"usage":{..},"total_cost_usd":..}, whose figures are totals."""

    def __init__(self) -> None:
        super().__init__()
        self._summed = Tokens()
        self._cost = 0.0

    def item(self, item: dict[str, Any]) -> None:
        match item.get("type"):
            case "message":
                if item.get("role", "assistant") == "assistant":
                    self.say(item.get("text"))
            case "usage":
                self._summed += Tokens(count(item, "input_tokens"), count(item, "output_tokens"))
                self._cost += number(item.get("cost_usd"))
                self.uses(text(item, "model"))
            case "error":
                self._error(item)
            case _:
                super().item(item)
        self._never_less()

    def _error(self, item: dict[str, Any]) -> None:
        kind = item.get("kind")
        self._words.fault = cast("Fault", kind) if kind in get_args(Fault) else ""
        self._words.fault_text = bounded(str(item.get("text", ""))[:FAULT_CHARS])
        self._words.retry_after = number(item.get("retry_after"), odd=-1.0)

    def words(self) -> Words:
        """What its other lines say is not known: it may well be at work."""
        return replace(super().words(), waiting=False)

    def _never_less(self) -> None:
        """A total is never less than what was counted on the way."""
        now, summed = self._words.usage, self._summed
        if summed.all > now.tokens:
            now = replace(now, tokens=summed.all, split=summed)
        if self._cost > now.cost_usd:
            now = replace(now, cost_usd=self._cost)
            self._words.cost_from = "agent"
        self._words.usage = now


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
ROO = CommandLine(
    ("roo", "--print", "--ephemeral"),
    "--model",
    prompt_mode="file",
    prompt_flag="--prompt-file",
    needs=Needs(("ROO_*", *PROVIDERS)),
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

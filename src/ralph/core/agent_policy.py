"""Which program does the work and how it is spoken to: the loop's agent, a reviewer's, or a hat's."""

from typing import Literal

import msgspec

PromptMode = Literal["stdin", "arg", "file"]
OutputFormat = Literal["text", "jsonl"]


class AgentPolicy(msgspec.Struct, frozen=True, omit_defaults=True):
    backend: str = "custom"  # custom, or the name of an agent
    command: tuple[str, ...] = ()  # argv; of a known agent, the program in place of its own
    prompt_mode: PromptMode = "stdin"
    prompt_flag: str = ""  # put before the prompt in arg and file mode, e.g. "-p"
    output: OutputFormat = "text"
    model: str = ""  # as the agent calls it; empty: its own default
    args: tuple[str, ...] = ()  # more arguments for an agent known by name
    env: dict[str, str] = {}
    script: str = ""  # the scripted agent's YAML file, absolute

"""What agents call: the MCP server (`ralph mcp`), hooks, and the commands `ralph emit`, `ralph scratchpad` and `ralph tools`.

They are started in every iteration, so only the standard library, and little of it: no typing, no pathlib.
"""

# name -> (module, one line of help), as in cli/app.py
COMMANDS = {
    "emit": ("ralph.agent_tools.emit", "Hand an event to the loop (for agents)."),
    "scratchpad": ("ralph.agent_tools.emit", "Write the scratchpad (for agents)."),
    "tools": ("ralph.agent_tools.commands", "Keep todos and memories (for agents)."),
    "mcp": ("ralph.agent_tools.mcp_server", "Serve Ralph's tools over MCP (for agents)."),
    "hook": ("ralph.agent_tools.hooks", "Answer an agent CLI's hook (for agents)."),
    "checkpoint": ("ralph.agent_tools.hooks", "Record a checkpoint of the iteration under way."),
}

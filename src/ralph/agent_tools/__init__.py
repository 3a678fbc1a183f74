"""What agents call: the MCP server (`ralph mcp`), hooks, and the commands `ralph emit`, `ralph scratchpad` and `ralph tools`.

They are started in every iteration, so only the standard library, and little of it: no typing, no pathlib.
"""

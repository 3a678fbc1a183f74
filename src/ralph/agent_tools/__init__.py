"""The tools that an agent is handed: `ralph mcp`, an MCP server over standard input and output.

An agent CLI starts it in every iteration, so only the standard library, and little of it: no typing, no pathlib.
"""

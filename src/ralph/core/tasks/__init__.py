"""Tasks as a backlog holds them, and the graph of their parents and dependencies. Pure."""

"""What agent CLIs call back into while an iteration runs: a full context, and the end of the agent's turn."""

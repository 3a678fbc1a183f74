"""Does what the core decides, and records what happened."""

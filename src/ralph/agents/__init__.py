"""Agent CLIs: one file each. registry.py finds them by name; adapter.py says what each can do."""

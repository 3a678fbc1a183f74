"""The demo: a small repository with a failing test, and the script of an agent that gets there in the end."""

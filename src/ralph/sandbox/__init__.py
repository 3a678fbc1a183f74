"""Runs agents and gates where they can reach only what they need. The runner decides what that is; this room does it."""

"""The journal, its lock and its inbox. Imports nothing itself: `inbox` is used by commands that must start fast."""

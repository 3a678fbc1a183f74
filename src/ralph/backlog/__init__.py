"""Where tasks come from: what a source of them has to be able to do (source.py), and tasks.jsonl, the usual one."""

BACKLOG_NAME = "tasks.jsonl"

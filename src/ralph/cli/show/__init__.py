"""Commands that show what happened: status, logs, events, report, replay, recover."""

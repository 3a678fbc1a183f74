"""Notifications: what is worth one, and the channels that send it. The runner starts and ends the processes."""

"""The server's side of the fleet: where tasks are stored. The rules are in core/fleet/."""
